#!/usr/bin/env python3
"""Measures decode_batch() and its rivals side by side: pictures per second, latency, time of the processor.

  decode.py [--cpu | --training] [--seconds N] [FOLDER...]

Prints tables. Takes the installed package, NumPy and Pillow; PyTorch and torchvision for training, for a GPU and for rivals. Each
folder has JPEGs of one kind; by default they are made. What has no GPU, or too few, is said in its row.
"""
import argparse
import io
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import numpy
from PIL import Image

import qturn

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from arrays import print_row, print_table  # noqa: E402
from pictures import SAMPLES  # noqa: E402

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
SIDE = 224
PILLOW = int(Image.__version__.split(".")[0])


def made(size, count, quality):
    """JPEGs of one size with a photograph's contents and a sensor's noise; none is like another."""
    source = Image.open(SAMPLES / "camera roll" / "coffee.jpg").convert("RGB")
    chance = numpy.random.default_rng(1)
    files = []
    for i in range(count):
        left, top = chance.integers(0, source.width // 3), chance.integers(0, source.height // 3)
        part = source.crop((left, top, left + source.width // 2, top + source.height // 2)).resize(size)
        pixels = numpy.asarray(part, numpy.int16) + chance.normal(0, 4, (size[1], size[0], 3))
        file = io.BytesIO()
        Image.fromarray(numpy.clip(pixels, 0, 255).astype("u1")).save(file, "JPEG", quality=quality)
        files.append(file.getvalue())
    return files


def rate(call, count, seconds, threads=1, settle=lambda: None):
    """Pictures per second of `threads` that call again and again, and the processor's microseconds for each."""
    call()
    settle()
    done, end = [0] * threads, []

    def run(i):
        while time.perf_counter() < end[0]:
            call()
            done[i] += count

    workers = [threading.Thread(target=run, args=(i,)) for i in range(threads)]
    begin, cpu = time.perf_counter(), time.process_time()
    end.append(begin + seconds)
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    settle()
    passed = time.perf_counter() - begin
    return sum(done) / passed, (time.process_time() - cpu) / sum(done) * 1e6


def latency(call, settle, rounds=60):
    """The median of milliseconds from bytes to pixels that are there."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        settle()
        times.append(time.perf_counter() - begin)
    return statistics.median(times[rounds // 3:]) * 1e3


def for_training(files, device):
    """Cropped, resized, half of them mirrored, normalised."""
    from qturn.torch import RandomResizedCrop
    turns = ["flop" if i % 2 else "upright" for i in range(len(files))]
    return qturn.decode_batch(files, turns, device=device, layout="chw", size=SIDE, crop=RandomResizedCrop(), pillow=PILLOW,
                              dtype="float16" if device == "cuda" else "float32", mean=MEAN, std=STD)


def torchvision_for_training(tensors, device):
    """The same by torchvision, each picture for itself until all have one size."""
    import torch
    from torchvision.io import ImageReadMode, decode_jpeg
    from torchvision.transforms import v2
    drawn = v2.Compose([v2.RandomResizedCrop(SIDE, antialias=True), v2.RandomHorizontalFlip()])
    floats = v2.Compose([v2.ToDtype(torch.float16 if device == "cuda" else torch.float32, scale=True), v2.Normalize(MEAN, STD)])
    return floats(torch.stack([drawn(picture) for picture in decode_jpeg(tensors, ImageReadMode.RGB, device=device)]))


def in_processes(count, seconds):
    """The sum of the pictures per second of so many processes, each with a GPU, at the same time."""
    import torch
    if torch.cuda.device_count() < count:
        return f"{torch.cuda.device_count()} GPU, not {count}"
    programs = [subprocess.Popen([sys.executable, __file__, "--only-rate", "--seconds", str(seconds)], text=True, stdout=subprocess.PIPE,
                                 env=os.environ | {"CUDA_VISIBLE_DEVICES": str(i)}) for i in range(count)]
    said = [program.communicate()[0] for program in programs]
    return f"{sum(map(float, said)):,.0f}" if all(program.returncode == 0 for program in programs) else "refused, see above"


def on_gpu(kinds, seconds):
    import torch
    settle = torch.cuda.synchronize
    print(f"{torch.cuda.get_device_name()}, {os.cpu_count()} cores, PyTorch {torch.__version__}\n")
    rows = []

    def measure(name, what, call, count, threads=(1, 2, 4)):
        for number in threads:
            local = threading.local()

            def on_own_stream():
                if not hasattr(local, "stream"):
                    local.stream = torch.cuda.Stream()
                with torch.cuda.stream(local.stream):
                    call()

            speed, cpu = rate(on_own_stream, count, seconds, number, settle)
            print_row([name, what, str(number), f"{speed:,.0f}", f"{cpu:.1f} us"])

    print_table(["pictures", "call", "threads", "pictures/s", "processor for each"], rows)
    for name, files in kinds.items():
        count = len(files)
        measure(name, "`decode_batch(files, device=\"cuda\")`", lambda: qturn.decode_batch(files, device="cuda"), count)
        try:
            for_training(files, "cuda")
            measure(name, "cropped, resized, mirrored, to normalised halves", lambda: for_training(files, "cuda"), count)
        except ValueError as error:
            print_row([name, f"cropped, resized: {error}", "", "", ""])
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(folder, f"{i}.jpg") for i in range(count)]
            for path, file in zip(paths, files):
                path.write_bytes(file)
            measure(name, "the same as the first, of a folder's files in memory", lambda: qturn.decode_batch(paths, device="cuda"), count)
        measure(name, "the first, rotate90, to normalised halves",
                lambda: qturn.decode_batch(files, "rotate90", device="cuda", layout="chw", dtype="float16", mean=MEAN, std=STD), count)
        try:
            from torchvision.io import decode_jpeg
            tensors = [torch.frombuffer(bytearray(file), dtype=torch.uint8) for file in files]
            measure(name, "`torchvision.io.decode_jpeg(list, device=\"cuda\")`", lambda: decode_jpeg(tensors, device="cuda"), count, (1, 2))
            measure(name, "the same, cropped, resized, mirrored by v2", lambda: torchvision_for_training(tensors, "cuda"), count, (1, 2))
        except (ImportError, RuntimeError) as error:
            print_row([name, f"torchvision: {error}", "", "", ""])
    for number in (2, 4):
        what = f"{number} processes, each with a GPU, cropped, resized, to normalised halves"
        print_row(["the first kind", what, "1", in_processes(number, seconds), ""])
    print()
    print_table(["one picture, bytes to pixels on the GPU", "ms"])
    for name, files in kinds.items():
        print_row([name + ", qturn", f"{latency(lambda: qturn.decode_batch(files[:1], device='cuda'), settle):.3f}"])
        try:
            from torchvision.io import decode_jpeg
            tensor = torch.frombuffer(bytearray(files[0]), dtype=torch.uint8)
            print_row([name + ", torchvision", f"{latency(lambda: decode_jpeg(tensor, device='cuda'), settle):.3f}"])
        except (ImportError, RuntimeError):
            pass
    print()


def on_cpu(kinds, seconds):
    print(f"{os.cpu_count()} cores, Pillow {Image.__version__}\n")

    def by_pillow(files):
        return [numpy.asarray(Image.open(io.BytesIO(file)).convert("RGB")) for file in files]

    rivals = {"`decode_batch(files)`": qturn.decode_batch, "Pillow, one thread": by_pillow,
              "the same to normalised floats": lambda files: qturn.decode_batch(files, layout="chw", mean=MEAN, std=STD)}
    try:
        import torch
        from torchvision.io import decode_jpeg
        rivals["`torchvision.io.decode_jpeg(list)`"] = lambda files: decode_jpeg(
            [torch.frombuffer(bytearray(file), dtype=torch.uint8) for file in files])
    except (ImportError, RuntimeError):
        pass
    print_table(["pictures", "call", "pictures/s", "processor for each"])
    for name, files in kinds.items():
        for what, call in rivals.items():
            speed, cpu = rate(lambda: call(files), len(files), seconds)
            print_row([name, what, f"{speed:,.0f}", f"{cpu:,.0f} us"])
    print()


class Prepared:
    """A data set whose samples a rival prepares in the workers of its loader."""

    def __init__(self, files, prepare):
        self.files, self.prepare = files, prepare

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return self.prepare(self.files[index]), index


def rivals_in_training(files):
    """What prepares all files once, cropped, resized, mirrored and normalised, as floats of 32 bits."""
    import torch
    from torch.utils.data import DataLoader
    from torchvision.io import ImageReadMode, decode_jpeg
    from torchvision.transforms import v2

    from qturn.torch import BatchDecoder, RandomResizedCrop, collate
    drawn = [v2.RandomResizedCrop(SIDE, antialias=True), v2.RandomHorizontalFlip()]
    floats = [v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)]
    by_pillow = v2.Compose([lambda file: Image.open(io.BytesIO(file)).convert("RGB"), *drawn, v2.PILToTensor(), *floats])
    by_io = v2.Compose([lambda file: decode_jpeg(torch.frombuffer(bytearray(file), dtype=torch.uint8), ImageReadMode.RGB), *drawn, *floats])
    ours = BatchDecoder(SIDE, crop=RandomResizedCrop(), p=0.5, orientations=["flop"], mean=MEAN, std=STD, pillow=PILLOW)

    def loader(prepare, **options):
        return DataLoader(Prepared(files, prepare), 64, num_workers=2, persistent_workers=True, **options)

    reading = loader(lambda file: file, collate_fn=collate)
    loaders = {"a DataLoader of two workers with Pillow, v2": loader(by_pillow), "the same with torchvision.io, v2": loader(by_io)}
    calls = {what: lambda each=each: [images.shape for images, _ in each] for what, each in loaders.items()}
    return {"`BatchDecoder`, of a list of bytes": lambda: [ours((files[i:i + 64],)) for i in range(0, len(files), 64)],
            "`BatchDecoder`, of a DataLoader of two workers that read": lambda: [images.shape for images, _ in map(ours, reading)], **calls}


def in_training(kinds, rounds=7):
    import torch
    import torchvision
    print(f"{len(os.sched_getaffinity(0))} cores, PyTorch {torch.__version__}, torchvision {torchvision.__version__}, "
          f"Pillow {Image.__version__}\n")
    what = f"cropped, resized to {SIDE} x {SIDE}, mirrored, normalised, floats"
    print_table(["pictures", what, "pictures/s", "slowest, fastest round"])
    name, files = next(iter(kinds.items()))
    files = files * -(-1024 // len(files))  # batches enough for workers to be ahead
    calls = rivals_in_training(files)
    speeds = {what: [] for what in calls}
    for at in range(rounds + 1):
        for what, call in calls.items():
            begin = time.perf_counter()
            call()
            if at:  # the first one starts workers
                speeds[what].append(len(files) / (time.perf_counter() - begin))
    for what, each in speeds.items():
        print_row([name, what, f"{statistics.median(each):,.0f}", f"{min(each):,.0f}, {max(each):,.0f}"])
    print()


def has_gpu():
    try:
        import torch
    except ImportError:
        return False
    return torch.cuda.is_available()


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--cpu", action="store_true", help="only the processor's table")
    arguments.add_argument("--training", action="store_true", help="only the table of training on the processor")
    arguments.add_argument("--only-rate", action="store_true", help=argparse.SUPPRESS)
    arguments.add_argument("--seconds", type=float, default=1.5, help="for each figure")
    arguments.add_argument("folders", nargs="*", type=pathlib.Path)
    asked = arguments.parse_args()
    kinds = {folder.name: [path.read_bytes() for path in sorted(folder.iterdir())] for folder in asked.folders}
    if not kinds:
        small, large = ((500, 375), 256, 256, 94), ((4032, 3024), 2, 16, 94)
        for size, different, count, quality in (small,) if asked.training or asked.only_rate else (small, large):
            files = made(size, different, quality) * (count // different)
            kinds[f"{count} of {size[0]} x {size[1]}, {sum(map(len, files)) / count / 1e3:,.0f} KB"] = files
    if asked.only_rate:
        import torch
        files = next(iter(kinds.values()))
        print(rate(lambda: for_training(files, "cuda"), len(files), asked.seconds, settle=torch.cuda.synchronize)[0])
        return
    if asked.training:
        return in_training(kinds)
    on_cpu(kinds, asked.seconds)
    if not asked.cpu:
        if not has_gpu():
            sys.exit("decode.py: the rows of a GPU are left out: no GPU that PyTorch can use")
        on_gpu(kinds, asked.seconds)


if __name__ == "__main__":
    main()
