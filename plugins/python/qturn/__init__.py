"""The eight orientations of an image, at the speed of a copy. plugins/python/README.md has the page to read."""
from ._labels import turn_boxes, turn_points
from ._qturn import Orientation, PictureError, Turned, check, orientation, turn

__all__ = ["Orientation", "PictureError", "Turned", "check", "orientation", "turn", "turn_boxes", "turn_points"]
