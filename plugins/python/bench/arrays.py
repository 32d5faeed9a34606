"""Prints the tables of docs/measurements/python-h200.md, every row in one run. usage: python3 plugins/python/bench/arrays.py [--cpu]

On a GPU: bytes read and written a second by transform() and its rivals in PyTorch and CuPy, as parts of a copy of the same
bytes, and the host's time for a call. NPP is in the table where its library is found: in CUDA's toolkit, in the package nvidia-npp,
or in a folder of LD_LIBRARY_PATH. With --cpu: NumPy on one core. A row that is lost stays in the table.
"""
import argparse
import ctypes
import os
import statistics
import sys
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


class NppStream(ctypes.Structure):
    """NppStreamContext of nppdefs.h."""
    _fields_ = [("stream", ctypes.c_void_p), ("device", ctypes.c_int), ("multiprocessors", ctypes.c_int), ("threads_resident", ctypes.c_int),
                ("threads", ctypes.c_int), ("shared_bytes", ctypes.c_size_t), ("major", ctypes.c_int), ("minor", ctypes.c_int),
                ("flags", ctypes.c_uint), ("reserved", ctypes.c_int)]


class NppSize(ctypes.Structure):
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int)]


NPP_VERTICAL_AXIS = 1


def npp_libraries():
    """libnppidei, which transposes, and libnppig, which mirrors; nothing if there is no NPP."""
    folders = ["", "/usr/local/cuda/lib64/", *(f"{path}/nvidia/{package}/lib/" for path in sys.path for package in ("cu13", "npp"))]
    for folder in folders:
        for version in (".13", ".12", ""):
            try:
                ctypes.CDLL(f"{folder}libnppc.so{version}", mode=ctypes.RTLD_GLOBAL)
                return {"Transpose": ctypes.CDLL(f"{folder}libnppidei.so{version}"), "Mirror": ctypes.CDLL(f"{folder}libnppig.so{version}")}
            except OSError:
                continue
    return {}


def npp_calls(libraries, dtype, channels):
    """transpose and flop of NPP, for the types that it has."""
    import torch
    kind = {torch.uint8: "8u", torch.float32: "32f"}.get(dtype)
    if not libraries or (kind, channels) not in [("8u", 1), ("8u", 3), ("8u", 4), ("32f", 1)]:
        return {}
    gpu = torch.cuda.get_device_properties(0)
    context = NppStream(torch.cuda.current_stream().cuda_stream, 0, gpu.multi_processor_count, gpu.max_threads_per_multi_processor, 1024,
                        gpu.shared_memory_per_block, gpu.major, gpu.minor, 0, 0)

    def call(name, x, y, *axis):
        pointers = [argument for each in (x, y) for argument in (ctypes.c_void_p(each.data_ptr()), ctypes.c_int(each.stride(0) * each.element_size()))]
        status = getattr(libraries[name], f"nppi{name}_{kind}_C{channels}R_Ctx")(*pointers, NppSize(x.shape[1], x.shape[0]), *axis, context)
        if status != 0:
            raise RuntimeError(f"NPP's {name} failed with {status}")
        return y

    return {"transpose": lambda x: call("Transpose", x, x.new_empty((x.shape[1], x.shape[0], x.shape[2]))),
            "flop": lambda x: call("Mirror", x, torch.empty_like(x), NPP_VERTICAL_AXIS)}


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
    libraries = npp_libraries()
    print(f"NPP: {libraries['Mirror']._name}\n" if libraries else "NPP: libnppig was not found, so its column is empty.\n")
    print_table(["shape", "type", "turn", "qturn reads and writes", "of clone()", "PyTorch", "torch.compile", "CuPy", "NPP"])
    for label, shape, dtype, chw in shapes:
        torch._dynamo.reset()  # else it stops to compile after some shapes
        bytes_each = torch.empty(0, dtype=dtype).element_size() * int(numpy.prod(shape))
        sources = [torch.randint(0, 255, shape, device="cuda").to(dtype) for _ in range(min(64, 1 + 512_000_000 // bytes_each))]
        calls = max(20, min(200, 4_000_000_000 // bytes_each))
        copy = seconds(lambda x: x.clone(), sources, calls)
        npp = {} if chw or len(shape) != 3 else npp_calls(libraries, dtype, shape[2])
        for operation, calls_of in rivals(chw).items():
            took = [seconds(call, sources, calls) for call in calls_of]
            times = [f"{rival / took[0]:.2f}" for rival in took[1:]]
            times += [""] * (3 - len(times))
            if operation in npp:
                if not torch.equal(npp[operation](sources[0]), calls_of[0](sources[0])):
                    raise RuntimeError(f"NPP's {operation} of {label} gives other pixels")
                times.append(f"{seconds(npp[operation], sources, calls) / took[0]:.2f}")
            print_row([label, str(dtype)[6:], operation, f"{2 * bytes_each / took[0] / 1e9:.0f} GB/s", f"{copy / took[0]:.0%}",
                       *times, *[""] * (4 - len(times))])
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
