"""Prints the tables of docs/measurements/python-h200.md, every row in one run. usage: python3 plugins/python/bench/arrays.py [--cpu]

On a GPU: bytes read and written a second by transform() and its rivals in PyTorch and CuPy, as parts of a copy of the same
bytes, and the host's time for a call. With --cpu: NumPy on one core. A row that is lost stays in the table.
"""
import argparse
import os
import statistics
import time

import numpy

import qturn

ROUNDS = 7


def print_row(row):
    print("| " + " | ".join(row) + " |", flush=True)


def print_table(head, rows=()):
    print_row(head)
    print("|" + "---|" * len(head))
    for row in rows:
        print_row(row)


def on_gpu():
    import torch

    import qturn.torch as operators

    def seconds(call, sources, calls):
        """The median of a call's time on the GPU, with sources in turn so that none is in its cache."""
        for source in sources[:3]:
            call(source)
        times = []
        for _ in range(ROUNDS):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            torch.cuda.synchronize()
            torch.cuda._sleep(20_000_000)  # the host is far ahead before the first call begins
            begin.record()
            for i in range(calls):
                call(sources[i % len(sources)])
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) / 1e3 / calls)
        return statistics.median(times)

    def rivals(chw):
        import cupy
        rows = -2 if chw else -3
        axes = (rows, rows + 1)
        turn = torch.compile(lambda x: x.rot90(-1, axes).contiguous(), dynamic=False)
        swap = torch.compile(lambda x: x.transpose(*axes).contiguous(), dynamic=False)

        layout = "chw" if chw else "hwc"
        # qturn, PyTorch, compiled PyTorch, CuPy
        return {
            "rotate90": [lambda x: qturn.transform(x, 6, layout=layout), lambda x: x.rot90(-1, axes).contiguous(), turn,
                         lambda x: cupy.ascontiguousarray(cupy.rot90(cupy.from_dlpack(x), -1, axes))],
            "transpose": [lambda x: qturn.transform(x, 5, layout=layout), lambda x: x.transpose(*axes).contiguous(), swap,
                          lambda x: cupy.ascontiguousarray(cupy.swapaxes(cupy.from_dlpack(x), *axes))],
            "flop": [lambda x: qturn.transform(x, 2, layout=layout), lambda x: x.flip(axes[1])],
        }

    shapes = [
        ("64 x 224 x 224 x 3", (64, 224, 224, 3), torch.uint8, False), ("64 x 3 x 224 x 224", (64, 3, 224, 224), torch.float16, True),
        ("1080 x 1920", (1080, 1920, 1), torch.uint8, False), ("1080 x 1920 x 3", (1080, 1920, 3), torch.uint8, False),
        ("1080 x 1920 x 4", (1080, 1920, 4), torch.uint8, False), ("1080 x 1920 x 3", (1080, 1920, 3), torch.float16, False),
        ("1080 x 1920", (1080, 1920, 1), torch.float32, False),
        ("4096 x 4096", (4096, 4096, 1), torch.uint8, False), ("4096 x 4096 x 3", (4096, 4096, 3), torch.uint8, False),
        ("4096 x 4096 x 4", (4096, 4096, 4), torch.uint8, False), ("4096 x 4096 x 3", (4096, 4096, 3), torch.float16, False),
        ("4096 x 4096", (4096, 4096, 1), torch.float32, False),
    ]
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, medians of {ROUNDS}\n")
    print("Times of the rivals are multiples of qturn's; rivals make their result contiguous.\n")
    print_table(["shape", "type", "turn", "qturn reads and writes", "of clone()", "PyTorch", "torch.compile", "CuPy"])
    for label, shape, dtype, chw in shapes:
        torch._dynamo.reset()  # else it stops to compile after some shapes
        bytes_each = torch.empty(0, dtype=dtype).element_size() * int(numpy.prod(shape))
        sources = [torch.randint(0, 255, shape, device="cuda").to(dtype) for _ in range(min(64, 1 + 512_000_000 // bytes_each))]
        calls = max(20, min(200, 4_000_000_000 // bytes_each))
        copy = seconds(lambda x: x.clone(), sources, calls)
        for operation, calls_of in rivals(chw).items():
            took = [seconds(call, sources, calls) for call in calls_of]
            times = [f"{rival / took[0]:.2f}" for rival in took[1:]]
            print_row([label, str(dtype)[6:], operation, f"{2 * bytes_each / took[0] / 1e9:.0f} GB/s", f"{copy / took[0]:.0%}",
                       *times, *[""] * (3 - len(times))])
        del sources
    print()

    xs = [torch.randint(0, 255, (160 + i % 64, 224 - i % 32, 3), device="cuda", dtype=torch.uint8) for i in range(256)]
    batch = seconds(lambda x: qturn.transform_batch(x, 6), [xs], 20)
    loop = seconds(lambda x: [y.rot90(-1).contiguous() for y in x], [xs], 20)
    print(f"256 images of 256 sizes, uint8 x 3: transform_batch() {batch * 1e6:.0f} us, a loop of torch.rot90().contiguous() {loop * 1e6:.0f} us\n")

    import cupy
    x = torch.randint(0, 255, (64, 64, 3), device="cuda", dtype=torch.uint8)
    out, y = torch.empty_like(x), cupy.zeros((64, 64, 3), "u1")

    def host_microseconds(call):
        call()
        times = []
        for _ in range(ROUNDS):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(500):
                call()
            times.append((time.perf_counter() - begin) / 500 * 1e6)
            torch.cuda.synchronize()
        return statistics.median(times)

    calls = {"torch.clone(x)": lambda: x.clone(), "qturn.transform(x, 6)": lambda: qturn.transform(x, 6),
             "qturn.transform(x, 6, out)": lambda: qturn.transform(x, 6, out), "qturn.torch.transform(x, 6)": lambda: operators.transform(x, 6),
             "torch.rot90(x, -1).contiguous()": lambda: x.rot90(-1).contiguous(), "qturn.transform(y, 6) of CuPy": lambda: qturn.transform(y, 6),
             "cupy.ascontiguousarray(cupy.rot90(y, -1))": lambda: cupy.ascontiguousarray(cupy.rot90(y, -1))}
    print_table(["call of a 64 x 64 x 3 tensor", "host's time"], [[f"`{name}`", f"{host_microseconds(call):.1f} us"] for name, call in calls.items()])


def on_cpu():
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    with open("/proc/cpuinfo") as file:
        model = next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    print(f"One core of {model}, NumPy {numpy.__version__}, load {os.getloadavg()[0]:.1f}, medians of {ROUNDS}\n")

    def milliseconds(call):
        call()
        times = []
        for _ in range(ROUNDS):
            begin = time.perf_counter()
            call()
            times.append((time.perf_counter() - begin) * 1e3)
        return statistics.median(times)

    rows = []
    for shape, dtype in [((224, 224, 3), "uint8"), ((1080, 1920), "uint8"), ((1080, 1920, 3), "uint8"), ((1080, 1920, 4), "uint8"),
                         ((1080, 1920, 3), "float16"), ((1080, 1920), "float32"), ((4096, 4096, 3), "uint8")]:
        x = numpy.random.default_rng(0).integers(0, 255, shape).astype(dtype)
        ours = milliseconds(lambda: qturn.transform(x, 6))
        theirs = milliseconds(lambda: numpy.ascontiguousarray(numpy.rot90(x, -1)))
        copy = milliseconds(lambda: x.copy())
        rows.append([" x ".join(map(str, shape)), dtype, f"{ours:.2f} ms", f"{theirs:.2f} ms", f"{theirs / ours:.1f}", f"{copy:.2f} ms"])
    print_table(["shape", "type", "qturn.transform(x, 6)", "numpy.ascontiguousarray(numpy.rot90(x, -1))", "times as fast", "x.copy()"], rows)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--cpu", action="store_true")
    on_cpu() if arguments.parse_args().cpu else on_gpu()
