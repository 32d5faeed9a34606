#!/usr/bin/env python3
"""Measures decode_batch() and its rivals side by side: pictures per second, latency, time of the processor.

  decode.py [--cpu] [--seconds N] [FOLDER...]   prints tables. Takes the installed package, NumPy and Pillow; PyTorch and torchvision
                                                for a GPU and for rivals. Each folder has JPEGs of one kind; by default they are made.
"""
import argparse
import io
import os
import pathlib
import statistics
import sys
import threading
import time

import numpy
from PIL import Image

import qturn

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from arrays import print_row, print_table  # noqa: E402
from pictures import SAMPLES  # noqa: E402

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


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
        measure(name, "the same, rotate90, to normalised halves",
                lambda: qturn.decode_batch(files, "rotate90", device="cuda", layout="chw", dtype="float16", mean=MEAN, std=STD), count)
        try:
            from torchvision.io import decode_jpeg
            tensors = [torch.frombuffer(bytearray(file), dtype=torch.uint8) for file in files]
            measure(name, "`torchvision.io.decode_jpeg(list, device=\"cuda\")`", lambda: decode_jpeg(tensors, device="cuda"), count, (1, 2))
        except (ImportError, RuntimeError) as error:
            print_row([name, f"torchvision: {error}", "", "", ""])
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


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--cpu", action="store_true", help="only the processor's table")
    arguments.add_argument("--seconds", type=float, default=1.5, help="for each figure")
    arguments.add_argument("folders", nargs="*", type=pathlib.Path)
    asked = arguments.parse_args()
    kinds = {folder.name: [path.read_bytes() for path in sorted(folder.iterdir())] for folder in asked.folders}
    if not kinds:
        for size, different, count, quality in (((500, 375), 256, 256, 94), ((4032, 3024), 2, 16, 94)):
            files = made(size, different, quality) * (count // different)
            kinds[f"{count} of {size[0]} x {size[1]}, {sum(map(len, files)) / count / 1e3:,.0f} KB"] = files
    on_cpu(kinds, asked.seconds)
    if not asked.cpu:
        on_gpu(kinds, asked.seconds)


if __name__ == "__main__":
    main()
