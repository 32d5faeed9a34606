"""From files to batches in a training loop, with PyTorch's generators. qturn.torch has the names.

Processes that load only read bytes. One call of decode_batch() makes a batch of them, in the process that trains, on all cores.
"""
from __future__ import annotations

import math
import os
import zlib
from typing import Any, Iterable, NamedTuple

import torch
from torch.utils.data import default_collate

from ._arrays import _CHANNELS, _type_name
from ._choice import chosen_from
from ._decode import _buffer, decode_batch
from ._qturn import Orientation

PICTURES = ("jpg", "jpeg", "png", "webp", "bytes")  # WebDataset's columns, and the one of Ray's read_binary_files()
NO_BOX = (0, 0, 0, 0)  # of what has no size, because its header was refused


def drawn_orientation(p: float, orientations: list[Orientation], generator: torch.Generator | None) -> Orientation:
    """With probability `p` one of them, all equally likely."""
    turns = torch.rand(1, generator=generator).item() < p
    index = int(torch.randint(len(orientations), (1,), generator=generator))
    return orientations[index] if turns else Orientation.identity


class RandomResizedCrop:
    """For `crop` of decode_batch() and BatchDecoder: the boxes that torchvision's RandomResizedCrop draws.

    scale: the smallest and the largest part of the picture's area.
    ratio: the smallest and the largest width / height.

    A generator in the same state draws the same boxes as torchvision.
    """

    def __init__(self, scale: tuple[float, float] = (0.08, 1.0), ratio: tuple[float, float] = (3 / 4, 4 / 3)) -> None:
        for name, pair in (("scale", scale), ("ratio", ratio)):
            if not 0 < pair[0] <= pair[1]:
                raise ValueError(f"{name} is {pair}, expected (smallest, largest), both above 0")
        self.scale, self.ratio = tuple(scale), tuple(ratio)
        self._log_ratio = torch.log(torch.tensor(self.ratio)).tolist()  # as torchvision rounds them

    def __call__(self, sizes: Iterable[tuple[int, int]], generator: torch.Generator | None = None) -> list[tuple]:
        """A box for each (height, width), by a generator of the CPU; by default PyTorch's own."""
        return [self.box(height, width, generator) for height, width in sizes]

    def box(self, height: int, width: int, generator: torch.Generator | None = None) -> tuple[int, int, int, int]:
        """(left, top, right, bottom)."""
        if not height or not width:
            return NO_BOX
        real, whole = torch.empty(1), torch.empty(1, dtype=torch.int64)
        for _ in range(10):
            area = height * width * real.uniform_(*self.scale, generator=generator).item()
            ratio = real.uniform_(*self._log_ratio, generator=generator).exp_().item()
            w, h = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
            if 0 < w <= width and 0 < h <= height:
                top = whole.random_(0, height - h + 1, generator=generator).item()
                left = whole.random_(0, width - w + 1, generator=generator).item()
                return left, top, left + w, top + h
        w, h = width, height  # or what has the nearest ratio, in the middle
        if width / height < self.ratio[0]:
            h = round(width / self.ratio[0])
        elif width / height > self.ratio[1]:
            w = round(height * self.ratio[1])
        top, left = (height - h) // 2, (width - w) // 2
        return left, top, left + w, top + h


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

    def box(self, height: int, width: int, generator: torch.Generator | None = None) -> tuple[float, float, float, float]:
        """(left, top, right, bottom). It draws nothing."""
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
    picture: the column of dictionaries that has the files; by default the only one of jpg, jpeg, png, webp and bytes.
    others: as in decode_batch(): dtype, mean, std, channels, scale, resample, pillow, errors, limits.
    """

    def __init__(self, size: int | tuple[int, int], *, crop: Any = None, p: float = 0.0, orientations: Iterable | None = None,
                 generator: torch.Generator | None = None, seed: int | None = None, picture: str | None = None,
                 dtype: Any = "float32", channels: Any = "rgb", errors: str = "raise", **others: Any) -> None:
        if not 0 <= p <= 1:
            raise ValueError(f"p is {p}, expected a probability: 0 to 1")
        if generator is not None and seed is not None:
            raise ValueError("expected a generator or a seed, not both")
        self.size, self.crop, self.p, self.orientations = _both(size), crop, p, chosen_from(orientations)
        self.generator, self.seed, self.picture = generator, seed, picture
        self.dtype, self.channels, self.errors, self.others = _type_name(dtype), channels, errors, others

    def __call__(self, batch: Any) -> Any:
        """The batch with tensors in the place of its files.

        batch: (files, ...), as collate() gives it, or a dictionary: WebDataset's, or Ray's, whose arrays of NumPy become arrays of
            NumPy. With errors="none" the batch gets one more part, in a dictionary "mask": which pictures there are.
        """
        if not isinstance(batch, dict):
            files, *others = batch
            return (*self._decoded(files, others),)
        name = self.picture or _picture_of(batch)
        images, *mask = self._decoded(batch[name], [])
        decoded = {**batch, name: images, **dict(zip(["mask"], mask))}
        if hasattr(batch[name], "dtype"):
            return {key: value.numpy() if isinstance(value, torch.Tensor) else value for key, value in decoded.items()}
        return decoded

    def _decoded(self, files, others):
        files, offsets = files if isinstance(files, PackedFiles) else (list(files), None)
        count = len(files) if offsets is None else len(offsets) - 1
        generators = [self.generator] * count if self.seed is None else [
            torch.Generator().manual_seed(zlib.crc32(key, zlib.crc32(str(self.seed).encode()))) for key in _keys(files, offsets)]
        turns = [drawn_orientation(self.p, self.orientations, each) for each in generators] if self.p else "upright"
        crop = self.crop if not hasattr(self.crop, "box") else lambda sizes: [
            self.crop.box(*size, each) for size, each in zip(sizes, generators)]
        planes = len(_CHANNELS.get(self.channels, self.channels) if isinstance(self.channels, str) else self.channels)
        out = torch.empty((count, planes, *self.size), dtype=getattr(torch, self.dtype))
        made = decode_batch(files, turns, offsets=offsets, layout="chw", size=self.size, crop=crop, out=out, dtype=self.dtype,
                            channels=self.channels, errors=self.errors, **self.others)
        return [out, *others] if made is out else [out, *others, torch.tensor(made[1])]

    def __getstate__(self):
        if self.seed is None and (self.p or isinstance(self.crop, RandomResizedCrop)):
            raise TypeError("a BatchDecoder goes to other processes only with seed=, or all of them would draw the same")
        return self.__dict__


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
