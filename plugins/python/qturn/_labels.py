"""Boxes and points, turned as their picture is. An array of any library stays one, on its device and in its type."""
from __future__ import annotations

import operator
import sys
from typing import Any

from ._qturn import Orientation, orientation_of

FORMATS = ("xyxy", "xywh", "cxcywh", "yolo")


def turn_boxes(boxes: Any, orientation: Orientation | str | int, size: tuple[float, float], format: str) -> Any:
    """Boxes of a picture of `size` (width, height), after the picture was turned.

    `format` says what the first four numbers of a box are; others stay as they are:
      "xyxy"    the left, top, right and bottom edge, in pixels
      "xywh"    the left and top edge, width and height
      "cxcywh"  the centre, width and height
      "yolo"    the same, as fractions of the picture; the size does not count

    An array (NumPy, PyTorch, CuPy) of shape (..., 4 or more) gives a new one of the same shape and type. Whole numbers stay
    exact, and the size has to be whole for them; on a GPU the call waits for their check. Of a tv_tensors.BoundingBoxes the
    result is a plain tensor, because its canvas_size is another one; qturn.torchvision.RandomOrientation keeps the class.
    A list of boxes gives a list of tuples. Raises ValueError for another format or shape, and for whole numbers that do not
    fit the array's type after the turn.
    """
    orientation = orientation_of(orientation)
    if format not in FORMATS:
        raise ValueError(f"format is {format!r}, expected one of {', '.join(FORMATS)}")
    size = (1, 1) if format == "yolo" else _size(size)

    def turn(columns, width, height):
        a, b, c, d = columns
        if format == "xyxy":
            if orientation.from_right:
                a, c = width - c, width - a
            if orientation.from_bottom:
                b, d = height - d, height - b
        else:
            corner = format == "xywh"
            if orientation.from_right:
                a = width - a - c if corner else width - a
            if orientation.from_bottom:
                b = height - b - d if corner else height - b
        return (b, a, d, c) if orientation.swaps_axes else (a, b, c, d)

    return _turned(boxes, turn, size, 4, "boxes")


def turn_points(points: Any, orientation: Orientation | str | int, size: tuple[float, float], *,
                indices: bool = False) -> Any:
    """Points (x, y) of a picture of `size` (width, height), after the picture was turned.

    (0, 0) is the top left corner of the picture, and (width, height) the other one. With `indices`, (0, 0) is the first
    pixel and (width - 1, height - 1) the last one, as OpenCV, Albumentations and torchvision count keypoints.

    An array of shape (..., 2 or more) gives a new one; what follows x and y stays. A list of points gives a list of tuples.
    Types are as for turn_boxes().
    """
    orientation = orientation_of(orientation)
    last = bool(indices)  # the last pixel is one before the edge

    def turn(columns, width, height):
        x, y = columns
        x = width - last - x if orientation.from_right else x
        y = height - last - y if orientation.from_bottom else y
        return (y, x) if orientation.swaps_axes else (x, y)

    return _turned(points, turn, _size(size), 2, "points")


def _size(size):
    width, height = map(_exact, size)
    if width < 0 or height < 0:
        raise ValueError(f"size is {width} x {height}, expected (width, height), not negative")
    return width, height


def _exact(number):
    """A whole number of any library as Python's, which does not overflow."""
    try:
        return operator.index(number)
    except TypeError:
        return number


def _turned(numbers, turn, size, count, what):
    if isinstance(numbers, (list, tuple)):
        return [_turned_row(row, turn, size, count, what) for row in numbers]
    shape = tuple(numbers.shape)
    if shape != (0,) and (not shape or shape[-1] < count):
        raise ValueError(f"{what} have the shape {shape}, expected (..., {count}) or more numbers in the last axis")
    torch = sys.modules.get("torch")
    is_tensor = torch is not None and isinstance(numbers, torch.Tensor)
    if is_tensor:
        numbers = numbers.as_subclass(torch.Tensor)
    turned = numbers.clone() if is_tensor else numbers.copy()
    if 0 in shape:
        return turned
    # The columns of the source: the copy is written while they are read.
    columns = [numbers[..., column] for column in range(count)]
    whole = _WholeType.of(numbers.dtype, what)
    if whole:
        columns, size = [whole.widened(column) for column in columns], whole.size(size)
    for column, values in enumerate(turn(columns, *size)):
        if whole:
            whole.demand_fit(values)
        turned[..., column] = values
    return turned


def _turned_row(row, turn, size, count, what):
    if not hasattr(row, "__len__") or len(row) < count:
        raise ValueError(f"{what} have {row!r}, expected {count} numbers or more")
    return (*turn([_exact(number) for number in row[:count]], *size), *row[count:])


class _WholeType:
    """The type of an array of whole numbers. They are turned as 64 bits, and then have to fit their own type."""

    MOST = 2**61  # of what is turned: sums of three are exact

    def __init__(self, dtype, is_signed, what):
        self.name, self.what = str(dtype), what
        bits = 8 * dtype.itemsize
        self.lowest, self.highest = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed else (0, (1 << bits) - 1)

    @classmethod
    def of(cls, dtype, what):
        """None for a type that is not of whole numbers."""
        kind = getattr(dtype, "kind", None)  # of NumPy and CuPy
        if kind is None:
            kind = "f" if dtype.is_floating_point or dtype.is_complex else "i" if dtype.is_signed else "u"
        if kind == "b" or str(dtype) == "torch.bool":
            raise TypeError(f"{what} are of type {dtype}, expected numbers")
        return cls(dtype, kind == "i", what) if kind in "iu" else None

    def widened(self, column):
        wide = column.long() if hasattr(column, "long") else column.astype("int64")
        # What is beyond int64 is negative now.
        if self.highest > self.MOST and not max(self.lowest, -self.MOST) <= int(wide.min()) <= int(wide.max()) <= self.MOST:
            raise ValueError(f"{self.what} have a number beyond {self.MOST}, expected coordinates of a picture")
        return wide

    def size(self, size):
        if any(edge != edge // 1 or edge > self.MOST for edge in size):
            raise ValueError(f"size is {size[0]} x {size[1]} and {self.what} are whole numbers ({self.name}), expected whole edges "
                             f"or {self.what} of a floating type")
        return tuple(map(int, size))

    def demand_fit(self, values):
        for number in (int(values.min()), int(values.max())):
            if not self.lowest <= number <= self.highest:
                raise ValueError(f"{self.what} have {number} after the turn, and {self.name} holds {self.lowest} to "
                                 f"{self.highest}, expected a wider type")
