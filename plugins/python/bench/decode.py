#!/usr/bin/env python3
"""Measures decode_batch() and its rivals side by side: pictures per second, latency, time of the processor.

  decode.py [--rows NAME,...] [--seconds N] [--minutes N] [--small FOLDER] [--large FOLDER]

Prints a table for each name, and at the end one with all bars:

  training   500 x 375 to normalised halves of 224 x 224: cropped, resized, turned
  upright    500 x 375 as they are
  large      4032 x 3024 as they are, and cropped and resized
  latency    one picture, of both sizes
  host       the processor's time for a picture
  folder     files in memory to batches, by DataLoaders and by paths
  processes  two and four GPUs, a process each
  two-cores  training on two cores, without a GPU
  cpu        all cores, without a GPU

Takes the installed package, NumPy and Pillow; PyTorch and torchvision for training, for a GPU and for rivals; nvJPEG and nvImageCodec
where they are. The pictures are made, or are the JPEGs of a folder. What cannot run says why in its row.
"""
import argparse
import concurrent.futures
import functools
import io
import os
import pathlib
import random
import shutil
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
BATCH = 256
PILLOW = int(Image.__version__.split(".")[0])
THREADS = (1, 2, 4, 8)
PROCESS_THREADS = 4  # more wait for the interpreter
IN_MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None
BARS = [  # what, its figure, whether more is better, the bar, the goal, the rival's figure and how many times of it are the bar
    ("256 of 500 x 375, cropped, resized, turned, normalised", "training", True, 90_000, 150_000, "torchvision, v2", 6),
    ("the same as they are, one batch or a list", "upright", True, 100_000, 180_000, "nvJPEG's hardware", 2.5),
    ("4032 x 3024 as they are", "large", True, 4_500, 6_000, "nvJPEG's hardware, large", 5),
    ("one picture of 500 x 375, ms", "latency", False, 0.4, 0.2, None, 0),
    ("one picture of 4032 x 3024, ms", "latency, large", False, 1.1, 0.8, None, 0),
    ("host time for a picture, without copying its file, one core, us", "host", False, 8, 4, None, 0),
    ("files of a folder to batches, part of the first row", "folder", True, 0.8, 0.95, None, 0),
    ("two GPUs, times one", "2 processes", True, 1.8, 1.95, None, 0),
    ("four GPUs, times one", "4 processes", True, 3.4, 3.8, None, 0),
    ("two cores, no GPU", "two cores", True, None, None, "Pillow, v2", 1.5),
    ("the same beside torchvision.io", "two cores", True, None, None, "torchvision.io, v2", 1.0)]
found = {}  # figure: the best value of this run


def made(size, count, quality=94):
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


@functools.cache
def small():
    return of_folder(asked.small) if asked.small else made((500, 375), BATCH)


@functools.cache
def large():
    return of_folder(asked.large) if asked.large else made((4032, 3024), 2) * 8


def of_folder(folder):
    return [path.read_bytes() for path in sorted(folder.iterdir())]


def described(files):
    width, height = Image.open(io.BytesIO(files[0])).size
    return f"{len(files)} of {width} x {height}, {sum(map(len, files)) / len(files) / 1e3:,.0f} KB"


def settle():
    torch = sys.modules.get("torch")
    if torch and torch.cuda.is_available():
        torch.cuda.synchronize()


def rate(make, count, threads=1):
    """Pictures per second of `threads` that call what make() gives each again and again, and the processor's microseconds for each."""
    begun = threading.Barrier(threads + 1, timeout=120)

    def run():
        try:
            call, done = make(), 0
            call()
            settle()
        except BaseException:
            begun.abort()
            raise
        begun.wait()
        end = time.perf_counter() + asked.seconds
        while time.perf_counter() < end:
            call()
            done += count
        return done

    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(run) for _ in range(threads)]
        try:
            begun.wait()
        except threading.BrokenBarrierError as broken:
            failed = [each.exception() for each in futures]
            raise next((each for each in failed if each and not isinstance(each, threading.BrokenBarrierError)), broken) from None
        begin, cpu = time.perf_counter(), time.process_time()
        done = sum(future.result() for future in futures)
    settle()
    return done / (time.perf_counter() - begin), (time.process_time() - cpu) / done * 1e6


def on_own_stream(make):
    """The same for a thread that has a stream of PyTorch."""
    import torch

    def made():
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            call = make()

        def run():
            with torch.cuda.stream(stream):
                return call()

        return run

    return made


def first_line(error):
    return f"{type(error).__name__}: {error}".splitlines()[0].replace("|", "/")


def keep(figure, value, more=True):
    if figure:
        found[figure] = value if figure not in found else max(found[figure], value) if more else min(found[figure], value)


def measure(name, what, make, count, threads=THREADS, figure=None, place=on_own_stream):
    """A row for each number of threads; the best one counts."""
    for number in threads:
        try:
            speed, cpu = rate(place(make), count, number)
        except Exception as error:  # whatever a rival raises
            return print_row([name, f"{what}: {first_line(error)}", str(number), "", ""])
        keep(figure, speed)
        print_row([name, what, str(number), f"{speed:,.0f}", f"{cpu:.1f} us"])
        if "torch" in sys.modules:
            sys.modules["torch"].cuda.empty_cache()


def rates_of(first="pictures"):
    print_table([first, "call", "threads", "pictures/s", "processor for each"])


def for_training(device="cuda", **more):
    from qturn.torch import BatchDecoder, RandomResizedCrop
    return BatchDecoder(SIDE, crop=RandomResizedCrop(), p=7 / 8, dtype="float16" if device == "cuda" else "float32", device=device, mean=MEAN,
                        std=STD, pillow=PILLOW, **more)


def boxes_drawn_before(files):
    """decode_batch() alone, for which boxes and orientations are lists."""
    from qturn.torch import RandomResizedCrop
    boxes = RandomResizedCrop()([Image.open(io.BytesIO(file)).size[::-1] for file in files]).tolist()
    turns = random.Random(1).choices(list(qturn.Orientation), k=len(files))
    return lambda: qturn.decode_batch(files, turns, device="cuda", layout="chw", size=SIDE, crop=boxes, pillow=PILLOW, dtype="float16",
                                      mean=MEAN, std=STD)


def torchvision_for_training(files):
    """Each picture is cropped for itself, until all have one size."""
    import torch
    from torchvision.transforms import v2

    import gpu_decoders
    decode = gpu_decoders.torchvision(files)
    drawn = v2.Compose([v2.RandomResizedCrop(SIDE, antialias=True), v2.RandomHorizontalFlip()])
    floats = v2.Compose([v2.ToDtype(torch.float16, scale=True), v2.Normalize(MEAN, STD)])
    return lambda: floats(torch.stack([drawn(picture) for picture in decode()]))


def training():
    files, name = small(), described(small())
    rates_of()
    decoder = for_training()
    measure(name, "`BatchDecoder`: drawn, cropped, resized, turned, normalised halves", lambda: lambda: decoder((files,)), len(files),
            figure="training")
    measure(name, "`decode_batch(size=, crop=, orientations=)`, drawn before", lambda: boxes_drawn_before(files), len(files), figure="training")
    measure(name, "`decode_batch(layout=\"chw\")`, rotate90, normalised halves, nothing resized", lambda: lambda: qturn.decode_batch(
        files, "rotate90", device="cuda", layout="chw", dtype="float16", mean=MEAN, std=STD), len(files))
    measure(name, "torchvision: `decode_jpeg(list)`, v2 on the GPU, mirrored only", lambda: torchvision_for_training(files), len(files), (1, 2),
            "torchvision, v2")


def as_they_are(files, figure, rival):
    import gpu_decoders
    name, count = described(files), len(files)
    measure(name, "`decode_batch(files)`, a list", lambda: lambda: qturn.decode_batch(files, device="cuda"), count, figure=figure)
    measure(name, "`decode_batch(files, layout=\"hwc\")`, one batch", lambda: lambda: qturn.decode_batch(files, device="cuda", layout="hwc"),
            count, figure=figure)
    measure(name, "nvJPEG's hardware, batched, to memory that is there", lambda: gpu_decoders.nvjpeg(files), count, (1, 2), rival)
    for kind in ("HW_GPU_ONLY", "HYBRID_CPU_GPU", None):
        measure(name, f"nvImageCodec, {kind or 'as it chooses'}", lambda: gpu_decoders.nvimagecodec(files, kind), count, (1, 2),
                rival if kind == "HW_GPU_ONLY" else None)
    measure(name, "`torchvision.io.decode_jpeg(list)`", lambda: gpu_decoders.torchvision(files), count, (1, 2))


def upright():
    rates_of()
    as_they_are(small(), "upright", "nvJPEG's hardware")


def of_large():
    rates_of()
    files = large()
    as_they_are(files, "large", "nvJPEG's hardware, large")
    decoder = for_training()
    measure(described(files), "`BatchDecoder`, as in training", lambda: lambda: decoder((files,)), len(files))
    measure(described(files), "torchvision, v2, as in training", lambda: torchvision_for_training(files), len(files), (1,))


def latency():
    import gpu_decoders
    print_table(["one picture, bytes to pixels on the GPU", "call", "ms"])
    for files, figure in ((small()[:1], "latency"), (large()[:1], "latency, large")):
        for what, make in {"`decode_batch([data])`": lambda: lambda: qturn.decode_batch(files, device="cuda"),
                           "`decode(data, mode=\"RGB\")`": lambda: lambda: qturn.decode(files[0], mode="RGB", device="cuda"),
                           "torchvision": lambda: gpu_decoders.torchvision(files),
                           "nvJPEG's hardware": lambda: gpu_decoders.nvjpeg(files),
                           "nvImageCodec": lambda: gpu_decoders.nvimagecodec(files)}.items():
            try:
                call, times = make(), []
                for _ in range(60):
                    begin = time.perf_counter()
                    call()
                    settle()
                    times.append(time.perf_counter() - begin)
                median = statistics.median(times[20:]) * 1e3
                print_row([described(files), what, f"{median:.3f}"])
                if what.startswith("`"):
                    keep(figure, median, more=False)
            except Exception as error:  # whatever a rival raises
                print_row([described(files), f"{what}: {first_line(error)}", ""])


def host():
    """The files lie in one buffer. On all cores threads that look for work count, too; on one core only work is done."""
    print_table(["processor's time for a picture, one thread calls", "all threads", "less the copy of its file"])
    host_times("all cores", "host on all cores")
    with_cores(1, "on-one-core", {"host"})


def host_times(where, figure):
    files = small()
    data = bytearray().join(files)
    offsets = numpy.cumsum([0, *map(len, files)]).tolist()
    boxes, turns = [(20.0, 20.0, 400.0, 300.0)] * len(files), [*qturn.Orientation] * (len(files) // 8)
    elsewhere = numpy.zeros(len(data), "u1")
    rounds = max(3, round(asked.seconds / 0.005))

    def used_by(call):
        call()
        settle()
        begin = time.process_time()
        for _ in range(rounds):
            call()
        return (time.process_time() - begin) / rounds / len(files) * 1e6

    copied = used_by(lambda: numpy.copyto(elsewhere, numpy.frombuffer(data, "u1")))
    print_row([f"{where}: copying its file", f"{copied:.1f} us", ""])
    for what, arguments in {"cropped, resized, turned": {"orientations": turns, "crop": boxes, "size": SIDE, "layout": "chw", "dtype": "float16",
                                                         "mean": MEAN, "std": STD, "pillow": PILLOW},
                            "rotate90, normalised halves": {"orientations": "rotate90", "layout": "chw", "dtype": "float16", "mean": MEAN, "std": STD},
                            "`layout=\"hwc\"`": {"layout": "hwc"}, "a list": {}}.items():
        try:
            every = used_by(lambda: qturn.decode_batch(data, offsets=offsets, device="cuda", **arguments))
            print_row([f"{where}: {what}", f"{every:.1f} us", f"{every - copied:.1f} us"])
            if arguments.get("orientations") == "rotate90":
                keep(figure, every - copied, more=False)
        except Exception as error:
            print_row([f"{where}: {what}: {first_line(error)}", "", ""])


def on_one_core():
    """What host() starts."""
    host_times("one core", "host")
    print(f"host={found['host']}")


class Files:
    """A data set of so many samples that no epoch ends."""

    def __init__(self, paths, prepare):
        self.paths, self.prepare = paths, prepare

    def __len__(self):
        return 1 << 24

    def __getitem__(self, index):
        return self.prepare(self.paths[index % len(self.paths)]), index


def of_batches(batches, warm_ups, seconds):
    """Pictures per second, after what workers have made ahead."""
    batches = iter(batches)
    for _ in range(warm_ups):
        next(batches)
    settle()
    begin = time.perf_counter()
    count = 0
    while time.perf_counter() < begin + seconds:
        count += len(next(batches)[0])
    settle()
    return count / (time.perf_counter() - begin)


def folder():
    from torch.utils.data import DataLoader
    from torchvision.io import ImageReadMode, decode_jpeg
    from torchvision.transforms import v2
    import torch

    from qturn.torch import collate
    files, cores = small(), len(os.sched_getaffinity(0))
    drawn = v2.Compose([v2.RandomResizedCrop(SIDE, antialias=True), v2.RandomHorizontalFlip()])
    halves = v2.Compose([v2.ToDtype(torch.float16, scale=True), v2.Normalize(MEAN, STD)])
    of_pillow = v2.Compose([lambda path: Image.open(path).convert("RGB"), drawn, v2.PILToTensor()])
    decoder = for_training()

    def loader(prepare, workers, **options):
        return DataLoader(Files(paths, prepare), len(files), num_workers=workers, **options)

    def on_gpu(batches):
        for pictures, *_ in batches:
            yield (halves(pictures.cuda(non_blocking=True)),)

    def by_torchvision(batches):
        for pictures, *_ in batches:
            tensors = decode_jpeg(list(pictures), ImageReadMode.RGB, device="cuda")
            yield (halves(torch.stack([drawn(each) for each in tensors])),)

    def listed(samples):
        return ([torch.frombuffer(bytearray(file), dtype=torch.uint8) for file, _ in samples],)

    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as where:
        paths = [pathlib.Path(where, f"{i}.jpg") for i in range(len(files))]
        for path, file in zip(paths, files):
            path.write_bytes(file)
        free = shutil.disk_usage(where).free
        rates_of("files in memory")
        measure(described(files), "`BatchDecoder`, of a list of paths", lambda: lambda: decoder((paths,)), len(files), figure="folder/s")
        few = f"{free / 1e6:,.0f} MB of shared memory are too few for the workers" if free < 3e9 else ""
        ahead = {f"`batches(DataLoader of paths, ahead={n})`": lambda n=n: decoder.batches(loader(lambda path: path, 0, collate_fn=collate), n)
                 for n in THREADS}
        read = {f"`batches(DataLoader of {w} workers that read, ahead={n})`": lambda w=w, n=n: decoder.batches(
            loader(pathlib.Path.read_bytes, w, collate_fn=collate), n) for w, n in ((2, 2), (8, 4))}
        rivals = {f"a DataLoader of {cores} workers, Pillow, v2; normalised on the GPU": lambda: on_gpu(loader(of_pillow, cores, pin_memory=True)),
                  "a DataLoader of 8 workers that read, `decode_jpeg` and v2 on the GPU": lambda: by_torchvision(
                      loader(pathlib.Path.read_bytes, 8, collate_fn=listed))}
        for what, make in {**ahead, **read, **rivals}.items():
            try:
                has_workers = "workers" in what
                if has_workers and few:
                    raise RuntimeError(few)
                speed = of_batches(make(), 3 * cores, max(4.0, asked.seconds)) if has_workers else of_batches(make(), 10, asked.seconds)
                print_row([described(files), what, "", f"{speed:,.0f}", ""])
                keep("folder/s" if what in ahead or what in read else what, speed)
            except Exception as error:
                print_row([described(files), f"{what}: {first_line(error)}", "", "", ""])
    if "folder/s" in found and "training" in found:
        found["folder"] = found["folder/s"] / found["training"]


def in_processes(count):
    """The pictures per second of so many processes, each with a GPU and four threads, that begin at the same time."""
    programs = []
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as where:
        for i, file in enumerate(small()):
            pathlib.Path(where, f"{i:03}.jpg").write_bytes(file)
        for i in range(count):
            programs.append(subprocess.Popen(
                [sys.executable, __file__, "--rows", "one-process", "--seconds", str(3 * asked.seconds), "--small", where], text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | {"CUDA_VISIBLE_DEVICES": str(i)}))
        ready = [program.stdout.readline() for program in programs]
        for program, line in zip(programs, ready):
            if line:
                program.stdin.write("go\n" if all(ready) else "")  # without a line it ends
                program.stdin.close()
        speeds = [program.stdout.readline() for program in programs]
        if any([program.wait() for program in programs]) or not all(speeds):
            raise RuntimeError("a process ended, see above")
    return [float(speed) for speed in speeds]


def one_process():
    """What in_processes() starts."""
    import torch
    decoder, files = for_training(), small()
    for _ in range(3):
        decoder((files,))
    torch.cuda.synchronize()
    print("ready", flush=True)
    if sys.stdin.readline():
        print(rate(on_own_stream(lambda: lambda: decoder((files,))), len(files), PROCESS_THREADS)[0], flush=True)


def processes():
    import torch
    print_table(["processes, a GPU each, four threads each", "pictures/s of each", "sum", "times one"])
    one = None
    for count in (1, 2, 4):
        if count > torch.cuda.device_count():
            print_row([f"{count}", f"{torch.cuda.device_count()} GPU, not {count}", "", ""])
            continue
        try:
            speeds = in_processes(count)
            one = one or sum(speeds)
            print_row([f"{count}", ", ".join(f"{speed:,.0f}" for speed in speeds), f"{sum(speeds):,.0f}", f"{sum(speeds) / one:.2f}"])
            if count > 1:
                keep(f"{count} processes", sum(speeds) / one)
        except Exception as error:
            print_row([f"{count}", first_line(error), "", ""])


def with_cores(count, row, figures, **environment):
    """Runs a row in a process that has so many cores from its start, and takes its figures from lines such as host=8."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(cores)[:count])
    try:
        program = subprocess.run([sys.executable, __file__, "--rows", row, "--seconds", str(asked.seconds)], text=True,
                                 stdout=subprocess.PIPE, env=os.environ | environment)
    finally:
        os.sched_setaffinity(0, cores)
    for line in program.stdout.splitlines():
        figure, is_figure, value = line.partition("=")
        if is_figure and figure in figures:
            keep(figure, float(value), more=figure != "host")
        else:
            print(line)
    if program.returncode:
        raise RuntimeError(f"the process with {count} cores failed, see above")


def two_cores():
    """Without a GPU."""
    with_cores(2, "on-two-cores", {"two cores", "Pillow, v2", "torchvision.io, v2"}, CUDA_VISIBLE_DEVICES="")


def on_two_cores(rounds=4):
    """What two_cores() starts."""
    import torch
    from torch.utils.data import DataLoader
    from torchvision.io import ImageReadMode, decode_jpeg
    from torchvision.transforms import v2

    from qturn.torch import collate
    files = small() * 2
    drawn = [v2.RandomResizedCrop(SIDE, antialias=True), v2.RandomHorizontalFlip()]
    floats = [v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)]
    by_pillow = v2.Compose([lambda file: Image.open(io.BytesIO(file)).convert("RGB"), *drawn, v2.PILToTensor(), *floats])
    by_io = v2.Compose([lambda file: decode_jpeg(torch.frombuffer(bytearray(file), dtype=torch.uint8), ImageReadMode.RGB), *drawn, *floats])
    ours = for_training("cpu", orientations=["flop"])

    class Prepared:
        def __init__(self, prepare):
            self.prepare = prepare

        def __len__(self):
            return len(files)

        def __getitem__(self, index):
            return self.prepare(files[index]), index

    def loader(prepare, **options):
        return DataLoader(Prepared(prepare), 64, num_workers=2, persistent_workers=True, **options)

    reading, pillow, tv_io = loader(lambda file: file, collate_fn=collate), loader(by_pillow), loader(by_io)
    batches = [(files[i:i + 64],) for i in range(0, len(files), 64)]
    calls = {"`BatchDecoder`, of a list of bytes": ("two cores", lambda: map(ours, batches)),
             "`batches()` of the same, ahead=2": ("two cores", lambda: ours.batches(batches)),
             "`BatchDecoder`, of a DataLoader of two workers that read": ("two cores", lambda: map(ours, reading)),
             "a DataLoader of two workers with Pillow, v2": ("Pillow, v2", lambda: pillow),
             "the same with torchvision.io, v2": ("torchvision.io, v2", lambda: tv_io)}
    print(f"{len(os.sched_getaffinity(0))} cores, {versions()}\n")
    print_table(["pictures", f"cropped, resized to {SIDE} x {SIDE}, mirrored, normalised, floats", "pictures/s", "slowest, fastest round"])
    speeds = {what: [] for what in calls}
    for at in range(rounds + 1):
        for what, (_, call) in calls.items():
            begin = time.perf_counter()
            for images, *_ in call():
                images.shape
            if at:  # the first one starts workers
                speeds[what].append(len(files) / (time.perf_counter() - begin))
    for what, each in speeds.items():
        print_row([described(small()), what, f"{statistics.median(each):,.0f}", f"{min(each):,.0f}, {max(each):,.0f}"])
        keep(calls[what][0], statistics.median(each))
    for figure, value in found.items():
        print(f"{figure}={value}")


def all_cores():
    def by_pillow(files):
        return [numpy.asarray(Image.open(io.BytesIO(file)).convert("RGB")) for file in files]

    def by_torchvision(files):
        import torch
        from torchvision.io import decode_jpeg
        return decode_jpeg([torch.frombuffer(bytearray(file), dtype=torch.uint8) for file in files])

    calls = {"`decode_batch(files)`": qturn.decode_batch,
             "the same to normalised floats": lambda files: qturn.decode_batch(files, layout="chw", mean=MEAN, std=STD),
             f"to normalised floats of {SIDE} x {SIDE}": lambda files: qturn.decode_batch(files, layout="chw", size=SIDE, mean=MEAN, std=STD),
             "Pillow, one thread": by_pillow, "`torchvision.io.decode_jpeg(list)`": by_torchvision}
    rates_of("pictures, no GPU")
    for files in (small(), large()[:8]):
        for what, call in calls.items():
            measure(described(files), what, lambda: lambda: call(files), len(files), (1,), place=lambda make: make)


def bars():
    print_table(["what", "measured", "bar", "goal", "rival", "times the rival", "bar"])
    for what, figure, more, bar, goal, rival, times in BARS:
        value, other = found.get(figure), found.get(rival)
        cell = "not in this run" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
        ends = [f"{end:,}" if end else "" for end in (bar, goal)]
        if bar and value is not None and (value >= bar if more else value <= bar):
            cell = f"**{cell}**"
        against = f"{value / other:.2f}" if value is not None and other else ""
        print_row([what, cell, *ends, f"{rival}: {other:,.0f}" if other else rival or "", against, f"{times}" if rival else ""])


def versions():
    said = [f"Pillow {Image.__version__}"]
    for module in ("torch", "torchvision"):
        try:
            said.append(f"{module} {__import__(module).__version__}")
        except ImportError:
            said.append(f"no {module}")
    return ", ".join(said)


ROWS = {"training": training, "upright": upright, "large": of_large, "latency": latency, "host": host, "folder": folder,
        "processes": processes, "two-cores": two_cores, "cpu": all_cores}
CHILDREN = {"one-process": one_process, "on-one-core": on_one_core, "on-two-cores": on_two_cores}
WITHOUT_GPU = ("two-cores", "cpu")


def gpu_missing():
    try:
        import torch
    except ImportError:
        return "PyTorch is not installed"
    return "" if torch.cuda.is_available() else "no GPU that PyTorch can use"


def main():
    global asked
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rows", default=",".join(ROWS), help="by default all")
    arguments.add_argument("--seconds", type=float, default=0.7, help="for each figure")
    arguments.add_argument("--minutes", type=float, default=9, help="no table begins later")
    arguments.add_argument("--small", type=pathlib.Path, help="a folder of JPEGs instead of the JPEGs of 500 x 375")
    arguments.add_argument("--large", type=pathlib.Path, help="a folder of JPEGs instead of the JPEGs of 4032 x 3024")
    asked = arguments.parse_args()
    names = asked.rows.split(",")
    if names[0] in CHILDREN:
        return CHILDREN[names[0]]()
    unknown = [name for name in names if name not in ROWS]
    if unknown:
        arguments.error(f"{', '.join(unknown)}: expected of {', '.join(ROWS)}")
    missing = gpu_missing()
    print(f"{len(os.sched_getaffinity(0))} cores, {versions()}", end="")
    if not missing:
        import torch
        print(f", {torch.cuda.device_count()} x {torch.cuda.get_device_name()}", end="")
    print("\n")
    begin = time.perf_counter()
    for name in names:
        passed = time.perf_counter() - begin
        print(f"### {name}\n", flush=True)
        if missing and name not in WITHOUT_GPU:
            print(missing)
        elif passed > 60 * asked.minutes:
            print("no time was left")
        else:
            try:
                ROWS[name]()
            except Exception as error:  # the others go on
                print(f"\n{name}: {first_line(error)}")
            print(f"\n{time.perf_counter() - begin - passed:.0f} s", end="")
        print("\n", flush=True)
    bars()


if __name__ == "__main__":
    main()
