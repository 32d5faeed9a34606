"""Files of pictures to arrays and batches: what C++ decodes, into the arrays of the caller's library."""
import concurrent.futures
import functools
import os
import pathlib

from . import _qturn
from ._arrays import _CHANNELS, _numbers, _type_name


def decode(data, orientation="upright", *, mode=None, device="cpu", suffix="", limits=None):
    """A picture as an array of H x W x C, upright: of NumPy, or with device="cuda" a tensor of PyTorch.

    data: the bytes of a file, anything with a buffer, a path, or an image that Pillow has opened from a path.
    orientation: applied to the picture as a viewer shows it; a qturn.Orientation, its name or its number.
    mode: None keeps the picture's own channels and bits (of CMYK, 255 is full ink). "RGB" makes three bytes of each pixel, as
        Pillow's convert("RGB") does; of 16 bits the upper eight are taken.
    device: "cpu", "cuda" or "cuda:1".
    suffix: ".tga"; counts only where the content does not tell the format, and with mode=None.
    limits: by name, as for turn(); None as a value switches one off.

    The pixels do not depend on the device. Raises PictureError for a file that is damaged, not supported or beyond the limits.
    """
    _check_mode(mode)
    number = _device_number(device)
    if mode == "RGB":
        return _opened([data], None, orientation, number, None, limits, "raise").each()[0]
    own = _qturn.decode_own(pathlib.Path(data) if isinstance(data, str) else data, orientation, suffix, limits)
    if number < 0:
        return own
    import torch
    return torch.from_numpy(own).to(f"cuda:{number}")


def decode_batch(files, orientations="upright", *, device="cpu", mode="RGB", layout=None, dtype=None, mean=0.0, std=1.0, channels="rgb",
                 scale=None, size=None, crop=None, resample="bilinear", pillow=12, out=None, errors="raise", offsets=None, limits=None,
                 device_bytes=None):
    """Pictures decoded to RGB, upright: a list of arrays, or one batch, on the CPU or on a GPU.

    files: a list of bytes, of anything with a buffer, of tensors of uint8 on the CPU, or of paths, which are read by several
        threads. With offsets=, one buffer in which picture i begins at offsets[i] and ends at offsets[i + 1].
    orientations: one for all, or one for each, applied to the picture as a viewer shows it.
    device: "cpu" gives arrays of NumPy; "cuda" or "cuda:1" tensors of PyTorch, from its allocator, on its current stream.
    mode: "RGB" as in decode(); None gives a list in which each picture keeps its own channels and bits.
    layout: None gives a list of H x W x 3 arrays of uint8. "hwc" gives one N x H x W x 3 array of uint8, "chw" one of N x C x H x W
        for a network: turned, converted and normalised as to_planar() does it, in one pass. All pictures must have one size then,
        or become one by size=.
    dtype, mean, std, channels, scale: for "chw", as in to_planar(); default "float32".
    size: for "chw": the height and width of all results, or one number for both. Each picture is made upright, cropped,
        resized to that (to width and height where its orientation swaps axes), then turned, converted and normalised.
    crop: with size=, a box (left, top, right, bottom) in pixels of each upright picture, or a function that gets the list of all
        (height, width) and returns the boxes. None: all of each picture.
    resample: "nearest", "bilinear" or "bicubic". The resized samples equal Pillow's resize(size, resample, box), bit for bit.
    pillow: 12 or 13, the version whose order of the two passes counts: they differ where a picture becomes much lower.
    out: the batch to write to; of any library, on the device.
    errors: "raise" raises PictureError for the first picture that cannot be decoded. "none" puts None into the list; with a
        layout the result is (batch, mask): there the batch has zeros, and the mask, a list, has False.
    limits: by name, as for turn().
    device_bytes: the most memory that is taken of a GPU besides results; default 4 GiB.

    Every format that qturn decodes is taken. JPEGs are decoded on the GPU, all else, also JPEGs that it does not take, on the CPU,
    with the same pixels on every device. The call returns when all files are judged; on a GPU the last pass over the pixels may
    still be pending on the current stream. The GIL is released.
    """
    _check_mode(mode)
    if layout not in (None, "hwc", "chw"):
        raise ValueError(f'layout is {layout!r}, expected None, "hwc" or "chw"')
    if errors not in ("raise", "none"):
        raise ValueError(f'errors is {errors!r}, expected "raise" or "none"')
    if out is not None and layout is None:
        raise ValueError('out is for a batch: layout="hwc" or "chw"')
    if size is None and crop is not None:
        raise ValueError("crop needs size=, to which each box is resized")
    if size is not None and layout != "chw":
        raise ValueError('size needs layout="chw"')
    if mode is None and layout is not None:
        raise ValueError(f'mode=None gives a list, in which each picture has its own channels: layout={layout!r} needs mode="RGB"')
    number = _device_number(device)
    if pillow not in (12, 13):
        raise ValueError(f"pillow is {pillow!r}, expected 12 or 13")
    if mode is None:
        return _each_own(files, offsets, orientations, device, limits, errors)
    opened = _opened([_buffer(file) for file in files] if offsets is None else _buffer(files), offsets, orientations, number,
                     device_bytes, limits, errors, size is not None)
    if layout is None:
        return opened.each()
    if layout == "hwc":
        return opened.batch(out, "uint8", lambda height, width: (height, width, 3), opened.files.decode_interleaved)
    channels = _CHANNELS[channels] if isinstance(channels, str) else channels
    name = _type_name(dtype) if dtype is not None else "float32"

    boxes = opened.boxes(crop) if size is not None else None

    def fill(batch):
        opened.files.decode_planes(batch, name, _numbers(mean), _numbers(std), list(channels), scale, boxes, resample, pillow)

    one_size = None if size is None else (size, size) if isinstance(size, int) else tuple(size)
    return opened.batch(out, name, lambda height, width: (len(channels), height, width), fill, one_size)


def _each_own(files, offsets, orientations, device, limits, errors):
    """decode() of each, by several threads."""
    if offsets is not None:
        data = memoryview(_buffer(files))
        for i, (begin, end) in enumerate(zip(offsets, offsets[1:])):
            if not 0 <= begin <= end <= len(data):
                raise ValueError(f"picture {i} is at {begin} to {end} of {len(data)} bytes")
        files = [bytes(data[begin:end]) for begin, end in zip(offsets, offsets[1:])]
    files = [_buffer(file) for file in files]
    is_one = isinstance(orientations, str) or not hasattr(orientations, "__len__")
    each = [orientations] * len(files) if is_one else list(orientations)
    if len(each) != len(files):
        raise ValueError(f"{len(each)} orientations for {len(files)} pictures")

    def own(i):
        try:
            return decode(files[i], each[i], device=device, limits=limits)
        except (_qturn.PictureError, OSError) as error:
            if errors == "none":
                return None
            said = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else (
                f"{files[i]}: {error}" if isinstance(files[i], (str, pathlib.Path)) else f"picture {i}: {error}")
            raise _qturn.PictureError(said) from None

    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        return list(threads.map(own, range(len(files))))


class _opened:
    """Files whose headers were read, and what is asked of them."""

    def __init__(self, files, offsets, orientations, device, device_bytes, limits, errors, are_cropped=False):
        self.device, self.raises = device, errors == "raise"
        self.files = _qturn.OpenedFiles(files, offsets, orientations, device, device_bytes, limits, are_cropped)
        self.sizes = self.files.sizes
        self.failed = self._failed()

    def _failed(self):
        """The error of each picture. Raises the first one, if it is to be raised."""
        errors = self.files.errors
        if self.raises:
            for error in errors:
                if error is not None:
                    raise _qturn.PictureError(error)
        return errors

    def each(self):
        empty = self._maker("uint8")
        outs = [None if error is not None else empty((*size, 3)) for size, error in zip(self.sizes, self.failed)]
        self.files.decode_each(outs)
        return [None if error is not None else out for out, error in zip(outs, self._failed())]

    def boxes(self, crop):
        if crop is None:
            return [(0, 0, width, height) for height, width in self.sizes]
        boxes = crop(self.sizes) if callable(crop) else crop
        return boxes.tolist() if hasattr(boxes, "tolist") else [tuple(map(float, box)) for box in boxes]

    def batch(self, out, dtype, shape_of, fill, one_size=None):
        """`one_size`: to which all are resized."""
        sizes = {one_size: 0} if one_size is not None else {
            size: i for i, (size, error) in reversed([*enumerate(zip(self.sizes, self.failed))]) if error is None}
        if len(sizes) > 1:
            (one, i), (other, j) = sorted(sizes.items(), key=lambda each: each[1])[:2]
            raise ValueError(f"picture {j} becomes {other[1]}x{other[0]}, picture {i} {one[1]}x{one[0]}: one batch needs one size")
        if out is None:
            if not sizes:
                raise ValueError("no picture tells the size of the batch; give out=")
            out = self._maker(dtype)((len(self.sizes), *shape_of(*next(iter(sizes)))))
        fill(out)
        failed = self._failed()
        return out if self.raises else (out, [error is None for error in failed])

    def _maker(self, dtype):
        """What makes an array of a shape."""
        if self.device < 0:
            import numpy
            return functools.partial(numpy.empty, dtype=dtype)
        import torch
        return functools.partial(torch.empty, dtype=getattr(torch, dtype), device=torch.device("cuda", self.device))


def _buffer(file):
    """A tensor as NumPy sees it; everything else as it is."""
    return file.numpy() if hasattr(file, "numpy") and hasattr(file, "data_ptr") else file


def _device_number(device):
    """-1 for the CPU."""
    name = str(device)
    if name == "cpu":
        return -1
    kind, _, number = name.partition(":")
    if kind != "cuda" or (number and not number.isdigit()):
        raise ValueError(f'device is {name!r}, expected "cpu", "cuda" or "cuda:0"')
    try:
        import torch
    except ImportError:
        raise RuntimeError("pictures are decoded to tensors of PyTorch on a GPU; install PyTorch") from None
    return int(number) if number else torch.cuda.current_device()


def _check_mode(mode):
    if mode not in (None, "RGB"):
        raise ValueError(f"mode is {mode!r}, expected None or 'RGB'")
