"""Arrays and tensors: what C++ does, with Python's arguments and PyTorch's operators."""
import pathlib
import sys

from . import _qturn
from ._following import is_compiling, needs_operator


class ForeignStream:
    """A CUDA stream by its number, as CuPy takes it."""

    def __init__(self, number):
        self.number = number

    def __cuda_stream__(self):
        return 0, self.number  # version of the protocol


def _run(name, function, xs, out, *arguments):
    """Calls the function of C++, which reads and writes memory that PyTorch does not see."""
    if not is_compiling():  # else PyTorch ends its graph before the call, and asks again
        followed = _qturn.followed(xs, out)
        if followed == "traced":
            raise RuntimeError(f"{name} cannot be traced or mapped by PyTorch: call transform() or transform_batch() without out= and "
                               "stream=, or call it outside")
        if followed == "gradient":
            raise RuntimeError(f"{name} has no gradient, but one of its tensors requires one: pass its .detach(), or use torch.no_grad()")
    return function(xs, *arguments)


def transform(x, orientation, out=None, *, layout="hwc", stream=None):
    """`x` seen in `orientation`, as an array of the same library.

    x: an array of NumPy, PyTorch, CuPy, JAX or another library with DLPack, a cv2.cuda.GpuMat, or an image of Pillow; on the CPU
        or a GPU, of any type, with pixels of 1 to 256 bytes. Parts and views with rows or columns reversed or exchanged are taken as they lie in
        memory; of what has gaps between its pixels or channels, a copy is made first. Or a pathlib.Path: what decode() gives.
    orientation: a qturn.Orientation, its name ("rotate90", "cw") or its number in Exif.
    out: where to write, of the shape of the result. It may be x itself: mirrors of every size, turns of squares.
    layout: "hwc" takes H x W and H x W x C, "chw" H x W and C x H x W; all axes before those count images.
    stream: for a GPU, a stream of PyTorch, CuPy or OpenCV, or its number. Default: the library's current one.

    On a GPU the call returns without waiting. ValueError and TypeError name both shapes.
    """
    if out is None and stream is None:
        if _is_of_pillow(x):
            return _turned_image(x, orientation)
        if isinstance(x, pathlib.Path):
            from ._decode import decode
            pixels = decode(x, orientation)
            return pixels if layout == "hwc" else pixels.transpose(2, 0, 1)
        if not needs_operator(x):
            return _qturn.transform(x, orientation, None, layout, None)
        from . import torch
        return torch.transform(x, orientation, layout)
    return _run("transform() with out= or stream=", _qturn.transform, x, out, orientation, out, layout, stream)


def transform_batch(xs, orientations, out=None, *, layout="hwc", stream=None):
    """Many images in one launch, with one orientation for all or one for each.

    xs: a list of arrays of any sizes, which gives a list; or one array whose first axis counts images, which gives one array.
    out: a list of arrays, or one array.

    Everything else is as in transform().
    """
    if out is None and stream is None:
        if not needs_operator(xs):
            return _qturn.transform_batch(xs, orientations, None, layout, None)
        from . import torch
        return torch.transform_batch(xs, orientations, layout)
    return _run("transform_batch() with out= or stream=", _qturn.transform_batch, xs, out, orientations, out, layout, stream)


_CHANNELS = {"rgb": (0, 1, 2), "bgr": (2, 1, 0), "rgba": (0, 1, 2, 3), "bgra": (2, 1, 0, 3)}


def to_planar(xs, orientations="identity", *, dtype="float32", mean=0.0, std=1.0, channels="rgb", scale=None, out=None,
              stream=None):
    """Interleaved images as an N x C x H x W array for a network: turned, converted and normalised in one pass.

    xs: a list of H x W x C arrays, or one N x H x W x C array, of uint8, uint16, float16 or float32. Turned, all have one size.
    orientations: one for all, or one for each.
    dtype: "float32", "float16", "bfloat16" or "uint8", or the library's own name of it. To uint8, results are rounded to the
        nearest (ties to even) and limited to 0 to 255.
    mean, std: a number, or one for each plane; the result is (x * scale - mean) / std.
    channels: which channel of xs each plane is made from: a tuple, or "rgb" for (0, 1, 2), "bgr" for (2, 1, 0).
    scale: default 1/255 for uint8, 1/65535 for uint16, 1 for others; to uint8 1, 1/257 and 1, so bytes stay as they are.
    """
    if isinstance(channels, str) and channels not in _CHANNELS:
        raise ValueError(f'channels is "{channels}", expected rgb, bgr, rgba, bgra or a tuple of numbers')
    channels = _CHANNELS[channels] if isinstance(channels, str) else channels
    arguments = (orientations, _type_name(dtype), _numbers(mean), _numbers(std), list(channels), scale)
    if out is None and stream is None and not isinstance(xs, (list, tuple)) and needs_operator(xs):
        from . import torch
        return torch.to_planar(xs, *arguments)
    return _run("to_planar() of a list, or with out= or stream=", _qturn.to_planar, xs, out, *arguments, out, stream)


def _numbers(value):
    return [float(v) for v in value] if hasattr(value, "__len__") else [float(value)]


def _is_of_pillow(x):
    image = sys.modules.get("PIL.Image")
    return image is not None and isinstance(x, image.Image)


def _turned_image(x, orientation):
    """As Pillow's own transpose() gives it: with palette and info, without a file."""
    turned = _qturn.orientation_of(orientation)
    if turned == 1:
        return x.copy()
    methods = {"flop": "FLIP_LEFT_RIGHT", "rotate180": "ROTATE_180", "flip": "FLIP_TOP_BOTTOM", "transpose": "TRANSPOSE",
               "rotate90": "ROTATE_270", "transverse": "TRANSVERSE", "rotate270": "ROTATE_90"}  # Pillow turns counter-clockwise
    return x.transpose(getattr(sys.modules["PIL.Image"].Transpose, methods[turned.name]))


def _type_name(dtype):
    if isinstance(dtype, str):
        return dtype
    # torch.float16 only has its text; numpy.float16 and numpy.dtype("float16") have names.
    return getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype).rpartition(".")[2]
