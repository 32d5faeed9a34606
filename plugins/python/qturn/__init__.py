"""The eight orientations of an image, at the speed of a copy. plugins/python/README.md has the page to read."""
from ._qturn import Orientation, PictureError, Turned, check, orientation, turn

__all__ = ["Orientation", "PictureError", "Turned", "check", "orientation", "turn"]
