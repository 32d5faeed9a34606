"""From files to batches in a training loop, with PyTorch's generators. qturn.torch has the names.

Processes that load only read bytes. One call of decode_batch() makes a batch of them, in the process that trains, on all cores
or on a GPU. What is random about a batch is drawn at once: a draw for each picture would take longer than a GPU decodes it.
"""
from __future__ import annotations

import collections
import concurrent.futures
import hashlib
import os
import zlib
from typing import Any, Iterable, Iterator, NamedTuple

import torch
from torch.utils.data import default_collate

from ._arrays import _CHANNELS, _type_name
from ._choice import chosen_from
from ._decode import _buffer, decode_batch
from ._qturn import Orientation

PICTURES = ("jpg", "jpeg", "png", "webp", "bytes")  # WebDataset's columns, and the one of Ray's read_binary_files()
NO_BOX = (0, 0, 0, 0)  # of what has no size, because its header was refused
TRIES = 10  # as torchvision


class RandomResizedCrop:
    """For `crop` of decode_batch() and BatchDecoder: boxes as torchvision's RandomResizedCrop draws them.

    scale: the smallest and the largest part of the picture's area.
    ratio: the smallest and the largest width / height.
    """

    draws = 2 * TRIES + 2  # numbers for a picture: areas, ratios, and where the box begins

    def __init__(self, scale: tuple[float, float] = (0.08, 1.0), ratio: tuple[float, float] = (3 / 4, 4 / 3)) -> None:
        for name, pair in (("scale", scale), ("ratio", ratio)):
            if not 0 < pair[0] <= pair[1]:
                raise ValueError(f"{name} is {pair}, expected (smallest, largest), both above 0")
        self.scale, self.ratio = tuple(scale), tuple(ratio)
        self._log_ratio = torch.log(torch.tensor(self.ratio)).tolist()  # as torchvision rounds them

    def __call__(self, sizes: Iterable[tuple[int, int]], generator: torch.Generator | None = None) -> torch.Tensor:
        """N x 4: (left, top, right, bottom) for each (height, width), by a generator of the CPU; by default PyTorch's own."""
        return self.boxes(sizes, _drawn(len(sizes), self.draws, generator))

    def boxes(self, sizes: Iterable[tuple[int, int]], numbers: torch.Tensor) -> torch.Tensor:
        """The same, by `draws` numbers from 0 to 1 for each."""
        height, width = torch.tensor(sizes, dtype=torch.float64).view(-1, 2, 1).unbind(1)
        areas = height * width * _between(self.scale, numbers[:, :TRIES])
        ratios = _between(self._log_ratio, numbers[:, TRIES:2 * TRIES]).exp()
        w, h = (areas * ratios).sqrt().round(), (areas / ratios).sqrt().round()
        fits = (w > 0) & (w <= width) & (h > 0) & (h <= height)
        first, any_fits = fits.byte().argmax(1, keepdim=True), fits.any(1, keepdim=True)
        # Or what has the nearest ratio, in the middle.
        w = torch.where(any_fits, w.gather(1, first), (height * self.ratio[1]).round().minimum(width))
        h = torch.where(any_fits, h.gather(1, first), (width / self.ratio[0]).round().minimum(height))
        top, left = (torch.where(any_fits, (number * (free + 1)).floor(), (free / 2).floor())
                     for number, free in ((numbers[:, -2:-1], height - h), (numbers[:, -1:], width - w)))
        return torch.cat([left, top, left + w, top + h], 1)


class CenterCrop:
    """For `crop` of decode_batch() and BatchDecoder: the box that torchvision's CenterCrop(size) cuts out.

    size: (height, width), or one number for both; also the `size` of the batch, if pixels are to stay as they are.
    resized: as if Resize(resized), which gives the shorter side this length, came before. So CenterCrop(224, resized=256) is
        the usual preparation for validation. The picture is resized once, by one box of floats, so that a few samples in a
        thousand may differ by 1 of 255 from what is resized first and cut then.

    A picture that is smaller is refused, where torchvision puts black around it.
    """

    def __init__(self, size: int | tuple[int, int], resized: int | None = None) -> None:
        self.size, self.resized = _both(size), resized

    def __call__(self, sizes: Iterable[tuple[int, int]]) -> list[tuple]:
        """A box for each (height, width)."""
        return [self.box(height, width) for height, width in sizes]

    def box(self, height: int, width: int) -> tuple[float, float, float, float]:
        """(left, top, right, bottom)."""
        if not height or not width:
            return NO_BOX
        rows, columns, (h, w) = height, width, self.size
        if self.resized is not None:
            shorter = min(height, width)
            rows, columns = (self.resized if side == shorter else int(self.resized * side / shorter) for side in (height, width))
        if h > rows or w > columns:
            raise ValueError(f"a crop of {w} x {h} is larger than a picture of {width} x {height}"
                             + (f", resized to {columns} x {rows}" if self.resized else "; resized= gives its shorter side a length"))
        top, left = round((rows - h) / 2), round((columns - w) / 2)
        down, across = height / rows, width / columns
        return left * across, top * down, (left + w) * across, (top + h) * down


class PackedFiles(NamedTuple):
    """The files of a batch, one after another: file i begins at offsets[i] and ends at offsets[i + 1]."""
    data: torch.Tensor
    offsets: list[int]


def collate(samples: list) -> Any:
    """For `collate_fn` of a DataLoader, and `collation_fn` of WebDataset: what BatchDecoder takes.

    samples: tuples of a file and of targets, or WebDataset's dictionaries. Files that are bytes are put together into one tensor,
        which goes to the process that trains through shared memory. Paths stay paths: decode_batch() reads them itself, so
        their loader needs no workers. The rest becomes what PyTorch's default_collate() makes of it.
    """
    if isinstance(samples[0], dict):
        name = _picture_of(samples[0])
        return {key: (_packed if key == name else default_collate)([sample[key] for sample in samples]) for key in samples[0]}
    files, *others = zip(*samples)
    return (_packed(files), *map(default_collate, map(list, others)))


def _packed(files):
    if not all(isinstance(file, (bytes, bytearray)) for file in files):
        return list(files)
    offsets = [0]
    for file in files:
        offsets.append(offsets[-1] + len(file))
    data = torch.frombuffer(bytearray().join(files), dtype=torch.uint8) if offsets[-1] else torch.empty(0, dtype=torch.uint8)
    return PackedFiles(data, offsets)


class BatchDecoder:
    """Batches of files to batches of tensors N x C x height x width: cropped, resized as Pillow does it, turned, normalised.

    size: the height and width, or one number for both.
    crop: RandomResizedCrop(), CenterCrop(), or what decode_batch() takes. None: all of each picture.
    p, orientations: how likely a picture is turned, and by which ones, all equally likely; by default the seven that change a
        picture.
    generator: of the CPU, for all that is drawn; by default PyTorch's own.
    seed: instead of a generator. What is drawn for a picture then depends on the seed and on its path, or the end of its bytes,
        alone. It does not depend on the batch, the process and the order. For Ray, whose processes would else draw the same;
        take another seed for each epoch.
    device: "cpu", "cuda" or "cuda:1". "cuda" is PyTorch's current device at each call, so that torch.cuda.set_device() of
        torchrun's LOCAL_RANK is all that a process needs. The batch is on that device, on its current stream.
    picture: the column of dictionaries that has the files; by default the only one of jpg, jpeg, png, webp and bytes.
    others: as in decode_batch(): dtype, mean, std, channels, scale, resample, pillow, errors, limits, device_bytes.
    """

    def __init__(self, size: int | tuple[int, int], *, crop: Any = None, p: float = 0.0, orientations: Iterable | None = None,
                 generator: torch.Generator | None = None, seed: int | None = None, picture: str | None = None,
                 dtype: Any = "float32", channels: Any = "rgb", device: Any = "cpu", errors: str = "raise",
                 **others: Any) -> None:
        if not 0 <= p <= 1:
            raise ValueError(f"p is {p}, expected a probability: 0 to 1")
        if generator is not None and seed is not None:
            raise ValueError("expected a generator or a seed, not both")
        self.size, self.crop, self.p, self.orientations = _both(size), crop, p, chosen_from(orientations)
        self.generator, self.seed, self.picture = generator, seed, picture
        self.dtype, self.channels, self.device = _type_name(dtype), channels, device
        self.errors, self.others = errors, others

    def __call__(self, batch: Any) -> Any:
        """The batch with tensors in the place of its files.

        batch: (files, ...), as collate() gives it, or a dictionary: WebDataset's, or Ray's, whose arrays of NumPy become arrays of
            NumPy. With errors="none" the batch gets one more part, in a dictionary "mask": which pictures there are.
        """
        return self._decoded(batch, self._numbers(batch))[0]

    def batches(self, loader: Iterable, ahead: int = 2) -> Iterator:
        """What map(decoder, loader) gives, in the same order, with the same draws. Meanwhile the next ones are decoded.

        ahead: how many at the same time, each by a thread; on a GPU on a stream of its own. The current stream waits for what it
            is given.
        """
        device = torch.device(self.device)
        on_gpu = device.type == "cuda"
        if on_gpu and device.index is None:  # a thread has a current device of its own
            device = torch.device("cuda", torch.cuda.current_device())

        def begin():
            if on_gpu:
                torch.cuda.set_device(device)
                torch.cuda.set_stream(torch.cuda.Stream(device))

        def decoded(batch, numbers):
            made, images = self._decoded(batch, numbers)
            return made, images, torch.cuda.current_stream(device).record_event() if on_gpu else None

        def taken(future):
            made, images, event = future.result()
            if event:
                here = torch.cuda.current_stream(device)
                here.wait_event(event)
                images.record_stream(here)
            return made

        with concurrent.futures.ThreadPoolExecutor(ahead, initializer=begin) as threads:
            waiting = collections.deque()
            for batch in loader:
                waiting.append(threads.submit(decoded, batch, self._numbers(batch)))
                if len(waiting) > ahead:
                    yield taken(waiting.popleft())
            while waiting:
                yield taken(waiting.popleft())

    def _files(self, batch):
        """Where they are in the batch, and (files, offsets)."""
        at = 0 if not isinstance(batch, dict) else self.picture or _picture_of(batch)
        return at, *(batch[at] if isinstance(batch[at], PackedFiles) else (list(batch[at]), None))

    def _numbers(self, batch):
        """All that is drawn for a batch, of each picture a row: whether it turns, to which orientation, and what the crop takes."""
        _, files, offsets = self._files(batch)
        draws = 2 * (self.p > 0) + getattr(self.crop, "draws", 0)
        if not draws or self.seed is None:
            return _drawn(len(files) if offsets is None else len(offsets) - 1, draws, self.generator)
        seed = zlib.crc32(str(self.seed).encode())
        digests = [hashlib.shake_128(zlib.crc32(key, seed).to_bytes(4, "little")).digest(8 * draws) for key in _keys(files, offsets)]
        return (torch.frombuffer(bytearray().join(digests), dtype=torch.int64) & (1 << 53) - 1).view(-1, draws) * 2.0 ** -53

    def _decoded(self, batch, numbers):
        """What __call__() returns, and its images, which may still be pending."""
        at, files, offsets = self._files(batch)
        turns, crop = "upright", self.crop
        if self.p:
            which = (numbers[:, 1] * len(self.orientations)).int() + 1
            each = [Orientation.identity, *self.orientations]
            turns = [each[i] for i in torch.where(numbers[:, 0] < self.p, which, 0).tolist()]
        if hasattr(crop, "draws"):
            crop = lambda sizes: self.crop.boxes(sizes, numbers[:, -self.crop.draws:])
        planes = len(_CHANNELS.get(self.channels, self.channels) if isinstance(self.channels, str) else self.channels)
        images = torch.empty((len(numbers), planes, *self.size), dtype=getattr(torch, self.dtype), device=self.device)
        made = decode_batch(files, turns, offsets=offsets, device=self.device, layout="chw", size=self.size, crop=crop, out=images,
                            dtype=self.dtype, channels=self.channels, errors=self.errors, **self.others)
        mask = [] if made is images else [torch.tensor(made[1])]
        if not isinstance(batch, dict):
            return (images, *batch[1:], *mask), images
        decoded = {**batch, at: images, **dict(zip(["mask"], mask))}
        if hasattr(batch[at], "dtype"):
            decoded = {key: value.cpu().numpy() if isinstance(value, torch.Tensor) else value for key, value in decoded.items()}
        return decoded, images

    def __getstate__(self):
        if self.seed is None and (self.p or isinstance(self.crop, RandomResizedCrop)):
            raise TypeError("a BatchDecoder goes to other processes only with seed=, or all of them would draw the same")
        return self.__dict__


def _drawn(count, draws, generator):
    return torch.rand(count, draws, generator=generator, dtype=torch.float64)


def _between(pair, numbers):
    return pair[0] + (pair[1] - pair[0]) * numbers


def _both(size):
    return (size, size) if isinstance(size, int) else tuple(size)


def _picture_of(columns):
    found = [name for name in PICTURES if name in columns]
    if len(found) != 1:
        raise ValueError(f"of the columns {', '.join(columns)} {len(found)} are pictures by their names, expected one of "
                         f"{', '.join(PICTURES)}; picture= says which one it is")
    return found[0]


def _keys(files, offsets):
    """What tells one file from another, of each."""
    if offsets is not None:
        data = _buffer(files)
        files = [data[begin:end] for begin, end in zip(offsets, offsets[1:])]
    for file in files:
        yield os.fsencode(file) if isinstance(file, (str, os.PathLike)) else bytes(memoryview(_buffer(file))[-4096:])
