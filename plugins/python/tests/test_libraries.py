"""The arrays of other libraries, on the CPU and on a GPU, against NumPy."""
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import qturn
from turned import ORIENTATIONS, picture, same, turned


class Torch:
    def __init__(self, device):
        self.torch = pytest.importorskip("torch", reason="PyTorch is not installed")
        if device == "cuda" and not self.torch.cuda.is_available():
            pytest.skip("no GPU that PyTorch can use")
        self.device = device

    def array(self, x):
        return self.torch.from_numpy(x.copy()).to(self.device)

    def numpy(self, x):
        return x.cpu().numpy()

    def is_of(self, x):
        return isinstance(x, self.torch.Tensor) and x.device.type == self.device


class Cupy:
    def __init__(self):
        self.cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
        try:
            self.cupy.cuda.runtime.getDeviceCount()
        except self.cupy.cuda.runtime.CUDARuntimeError:
            pytest.skip("no GPU that CuPy can use")

    def array(self, x):
        return self.cupy.asarray(x)

    def numpy(self, x):
        return x.get()

    def is_of(self, x):
        return isinstance(x, self.cupy.ndarray)


class Jax:
    def __init__(self, device):
        self.jax = pytest.importorskip("jax", reason="JAX is not installed")
        try:
            self.device = self.jax.devices(device)[0]
        except RuntimeError:
            pytest.skip("no GPU that JAX can use")

    def array(self, x):
        return self.jax.device_put(x, self.device)

    def numpy(self, x):
        return np.asarray(x)

    def is_of(self, x):
        return isinstance(x, self.jax.Array) and x.devices() == {self.device}


LIBRARIES = {"torch-cpu": lambda: Torch("cpu"), "torch-cuda": lambda: Torch("cuda"), "cupy": Cupy, "jax-cpu": lambda: Jax("cpu"),
             "jax-cuda": lambda: Jax("cuda")}


@pytest.fixture(params=LIBRARIES)
def library(request):
    return LIBRARIES[request.param]()


@pytest.mark.parametrize("layout,shape", [("hwc", (31, 17)), ("hwc", (20, 33, 3)), ("chw", (3, 20, 33)), ("chw", (2, 4, 9, 8)),
                                          ("hwc", (2, 9, 8, 3)), ("hwc", (0, 5, 3)), ("hwc", (1, 1))])
@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32"])
def test_every_orientation(library, layout, shape, dtype):
    x = np.nan_to_num(picture(shape, dtype))
    mine = library.array(x)
    for orientation in ORIENTATIONS:
        got = qturn.transform(mine, orientation, layout=layout)
        assert library.is_of(got)
        assert same(library.numpy(got), turned(x, orientation, layout))


def test_batches(library):
    xs = [picture((5 + i, 30 - i, 3), seed=i) for i in range(8)]
    got = qturn.transform_batch([library.array(x) for x in xs], ORIENTATIONS)
    for x, orientation, y in zip(xs, ORIENTATIONS, got):
        assert library.is_of(y) and same(library.numpy(y), turned(x, orientation))
    x = picture((8, 3, 6, 6))
    got = qturn.transform_batch(library.array(x), ORIENTATIONS, layout="chw")
    for i, orientation in enumerate(ORIENTATIONS):
        assert same(library.numpy(got[i]), turned(x[i], orientation, "chw"))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_to_planar_is_the_same_everywhere(library, dtype):
    xs = [picture((6, 9, 3), seed=1), picture((9, 6, 3), seed=2)]
    options = {"dtype": dtype, "mean": (0.4, 0.5, 0.6), "std": 0.25, "channels": "bgr"}
    got = qturn.to_planar([library.array(x) for x in xs], ["cw", "flip"], **options)
    assert library.is_of(got)
    assert same(library.numpy(got), qturn.to_planar(xs, ["cw", "flip"], **options))


def test_parts_and_outputs(library):
    if isinstance(library, Jax):
        pytest.skip("JAX's arrays are not views and cannot be written")
    x = picture((20, 30, 3))
    part = library.array(x)[3:17, 4:25]
    whole = library.array(np.zeros((40, 50, 3), "u1"))
    out = whole[5:26, 6:20]
    assert qturn.transform(part, "cw", out) is out
    assert same(library.numpy(whole)[5:26, 6:20], turned(x[3:17, 4:25], 6))
    assert library.numpy(whole).sum() == x[3:17, 4:25].sum()
    square = library.array(x[:20, :20])
    assert qturn.transform(square, "transverse", square) is square
    assert same(library.numpy(square), turned(x[:20, :20], 7))
    whole = library.array(x)
    for view, wanted in ((whole[:, ::2], x[:, ::2]), (whole.swapaxes(0, 1), x.swapaxes(0, 1)), (whole[..., 1], x[..., 1])):
        assert same(library.numpy(qturn.transform(view, 6)), turned(wanted, 6))
    with pytest.raises(ValueError, match=r"out of shape \(3, 3, 3\) does not fit x of shape \(20, 30, 3\), expected \(30, 20, 3\)"):
        qturn.transform(library.array(x), 6, library.array(x[:3, :3]))
    with pytest.raises(TypeError, match="out of shape .* is float32, expected uint8"):
        qturn.transform(library.array(x), 1, library.array(x.astype("f4")))


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_interpreter_ends_in_peace(name):
    LIBRARIES[name]()
    program = f"""import qturn, test_libraries as t
library = t.LIBRARIES[{name!r}]()
print(qturn.transform(library.array(t.picture((3, 4))), 6).shape)"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=pathlib.Path(__file__).parent,
                         env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
    assert (run.returncode, run.stderr.count("Fatal")) == (0, 0), run.stderr
    assert "4, 3" in run.stdout


def test_places_do_not_mix():
    gpu = Torch("cuda")
    with pytest.raises(ValueError, match=r"on the CPU, the first one, of shape \(.*\), on CUDA device 0"):
        qturn.transform_batch([gpu.array(picture((3, 3))), picture((3, 3))], 1)
    with pytest.raises(ValueError, match="on the CPU, x of shape .* on CUDA device 0"):
        qturn.transform(gpu.array(picture((3, 3))), 1, picture((3, 3)).copy())


def test_streams():
    torch = Torch("cuda").torch
    x = picture((1080, 1920, 3))
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        mine = torch.from_numpy(x.copy()).cuda()
        got = qturn.transform(mine, "cw")
    side.synchronize()
    assert same(got.cpu().numpy(), turned(x, 6))
    for stream in (side, side.cuda_stream):
        got = qturn.transform(mine, "cw", stream=stream)
        side.synchronize()
        assert same(got.cpu().numpy(), turned(x, 6))
    cupy = Cupy()
    mine = cupy.array(x)
    with cupy.cupy.cuda.Stream(non_blocking=True) as stream:
        stream.wait_event(cupy.cupy.cuda.Stream.null.record())
        assert same(qturn.transform(mine, "cw").get(), turned(x, 6))
        assert same(qturn.transform(mine, "cw", stream=stream).get(), turned(x, 6))
    stream = cupy.cupy.cuda.Stream(non_blocking=True)
    got = qturn.transform(mine, "cw", stream=stream)
    stream.synchronize()
    assert same(got.get(), turned(x, 6))


class GpuMat:
    """cv2.cuda.GpuMat as Python sees it, over memory of PyTorch: OpenCV's packages are built without CUDA."""
    pitch = 512

    def __init__(self, rows, columns, kind, depth_bits=3):
        torch = Torch("cuda").torch
        self.rows, self.columns, self.kind, self.depth_bits = rows, columns, kind, depth_bits
        self.memory = torch.zeros(rows, self.pitch, dtype=torch.uint8, device="cuda")
        self.step = self.pitch

    def cudaPtr(self):
        return self.memory.data_ptr()

    def size(self):
        return (self.columns, self.rows)

    def type(self):
        return self.kind

    def depth(self):
        return self.kind & ((1 << self.depth_bits) - 1)

    def channels(self):
        return (self.kind >> self.depth_bits) + 1

    def elemSize1(self):
        return (1, 1, 2, 2, 4, 4, 8, 2, 2, 1, 8, 8, 4)[self.depth()]

    def elemSize(self):
        return self.channels() * self.elemSize1()

    def pixels(self):
        return self.memory[:, :self.columns * self.elemSize()].reshape(self.rows, self.columns, -1)


@pytest.mark.parametrize("kind", [0, 16, 24])  # CV_8UC1, CV_8UC3, CV_8UC4
def test_gpu_mats(kind):
    src = GpuMat(20, 30, kind)
    x = picture((20, 30, src.elemSize()))
    src.pixels()[:] = Torch("cuda").array(x)
    got = qturn.transform(src, "cw", stream=0)
    assert isinstance(got, GpuMat) and got.size() == (20, 30)
    assert same(got.pixels().cpu().numpy(), turned(x, 6))
    out = GpuMat(30, 20, kind)
    assert qturn.transform(src, "ccw", out) is out
    assert same(out.pixels().cpu().numpy(), turned(x, 8))


class MatAtZero(GpuMat):
    """Without memory: what is said about it is said before it is used."""

    def __init__(self, rows, columns, kind, depth_bits=3):
        self.rows, self.columns, self.kind, self.depth_bits, self.step = rows, columns, kind, depth_bits, self.pitch

    def cudaPtr(self):
        return 0


@pytest.mark.parametrize("depth_bits,kind,shape,name", [(3, 16, r"\(30, 20, 3\)", "uint8"), (5, 64, r"\(30, 20, 3\)", "uint8"),
                                                        (5, 8, r"\(30, 20, 1\)", "bfloat16"), (5, 32 + 12, r"\(30, 20, 2\)", "uint32")])
def test_types_of_gpu_mats(depth_bits, kind, shape, name):
    channels = (kind >> depth_bits) << depth_bits
    src = MatAtZero(20, 30, channels + 5, depth_bits)  # CV_32F
    with pytest.raises(TypeError, match=f"out of shape {shape} is {name}, expected float32"):
        qturn.transform(src, "cw", MatAtZero(30, 20, kind, depth_bits))


class OnlyDlpack:
    """An array of a library that has DLPack and nothing else; an old one does not know of versions."""

    def __init__(self, array, old=False):
        self.array, self.dtype, self.old = array, array.dtype, old

    def __dlpack__(self, **arguments):
        if self.old and "max_version" in arguments:
            raise TypeError("unexpected keyword argument max_version")
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_any_library_with_dlpack():
    x = picture((3, 4, 3))
    out = np.zeros((4, 3, 3), "u1")
    try:
        out.__dlpack__(max_version=(1, 0))
    except TypeError:
        pytest.skip("this NumPy does not know versions of DLPack")
    mine = OnlyDlpack(out)
    assert qturn.transform(OnlyDlpack(x), 6, mine) is mine and same(out, turned(x, 6))
    assert same(qturn.transform(OnlyDlpack(x.copy(), old=True), 3, np.zeros_like(x)), turned(x, 3))
    for one in (OnlyDlpack(np.zeros_like(x), old=True), OnlyDlpack(x)):  # what is not said, and a picture that is read-only
        with pytest.raises(ValueError, match="is read-only"):
            qturn.transform(x, 1, one)
    with pytest.raises(TypeError, match="OnlyDlpack.* do not say how to make one of DLPack's: give out="):
        qturn.transform(OnlyDlpack(x), 6)


def test_two_gpus():
    torch = Torch("cuda").torch
    if torch.cuda.device_count() < 2:
        pytest.skip("fewer than two GPUs")
    x = torch.from_numpy(picture((20, 30, 3)).copy()).to("cuda:1")
    got = qturn.transform(x, 6)
    assert got.device == x.device and torch.cuda.current_device() == 0
    assert same(got.cpu().numpy(), turned(x.cpu().numpy(), 6))


def test_bfloat16():
    torch = Torch("cpu").torch
    x = torch.arange(12, dtype=torch.bfloat16).reshape(3, 4)
    assert torch.equal(qturn.transform(x, "cw"), x.rot90(-1))
    got = qturn.to_planar(torch.full((2, 2, 3), 255, dtype=torch.uint8), dtype=torch.bfloat16)
    assert got.dtype == torch.bfloat16 and (got == 1).all()


def test_the_modules_for_other_libraries_are_imported_when_they_are_used():
    code = "import sys, qturn; assert 'qturn.ray' not in sys.modules; qturn.ray.augment; assert not hasattr(qturn, 'rays')"
    subprocess.run([sys.executable, "-c", code], check=True)
