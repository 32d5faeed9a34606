"""Boxes and points, turned as their picture is. An array of any library stays one, on its device and in its type."""
from __future__ import annotations

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

    An array (NumPy, PyTorch, CuPy) of shape (..., 4 or more) gives a new one of the same shape and type; whole numbers stay
    exact. A list of boxes gives a list of tuples. Raises ValueError for another format or shape.
    """
    orientation = orientation_of(orientation)
    if format not in FORMATS:
        raise ValueError(f"format is {format!r}, expected one of {', '.join(FORMATS)}")
    width, height = (1, 1) if format == "yolo" else _size(size)

    def turn(columns):
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

    return _turned(boxes, turn, 4, "boxes")


def turn_points(points: Any, orientation: Orientation | str | int, size: tuple[float, float], *,
                indices: bool = False) -> Any:
    """Points (x, y) of a picture of `size` (width, height), after the picture was turned.

    (0, 0) is the top left corner of the picture, and (width, height) the other one. With `indices`, (0, 0) is the first
    pixel and (width - 1, height - 1) the last one, as OpenCV, Albumentations and torchvision count keypoints.

    An array of shape (..., 2 or more) gives a new one; what follows x and y stays. A list of points gives a list of tuples.
    """
    orientation = orientation_of(orientation)
    width, height = (edge - bool(indices) for edge in _size(size))

    def turn(columns):
        x, y = columns
        x = width - x if orientation.from_right else x
        y = height - y if orientation.from_bottom else y
        return (y, x) if orientation.swaps_axes else (x, y)

    return _turned(points, turn, 2, "points")


def _size(size):
    width, height = size
    if width < 0 or height < 0:
        raise ValueError(f"size is {width} x {height}, expected (width, height), not negative")
    return width, height


def _turned(numbers, turn, count, what):
    if isinstance(numbers, (list, tuple)):
        return [_turned_row(row, turn, count, what) for row in numbers]
    shape = tuple(numbers.shape)
    if shape != (0,) and (not shape or shape[-1] < count):
        raise ValueError(f"{what} have the shape {shape}, expected (..., {count}) or more numbers in the last axis")
    turned = numbers.clone() if hasattr(numbers, "clone") else numbers.copy()
    if shape == (0,):  # what numpy.array([]) makes of no boxes
        return turned
    # The columns of the source: the copy is written while they are read.
    for column, values in enumerate(turn([numbers[..., column] for column in range(count)])):
        turned[..., column] = values
    return turned


def _turned_row(row, turn, count, what):
    if not hasattr(row, "__len__") or len(row) < count:
        raise ValueError(f"{what} have {row!r}, expected {count} numbers or more")
    return (*turn(row[:count]), *row[count:])
