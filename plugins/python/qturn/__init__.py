"""The eight orientations of an image, at the speed of a copy. plugins/python/README.md has the page to read."""
import sys

from ._arrays import to_planar, transform, transform_batch
from ._labels import turn_boxes, turn_points
from ._qturn import Orientation, PictureError, Turned, check, orientation, random_variants, turn, turn_labels

__all__ = ["Orientation", "PictureError", "Turned", "check", "orientation", "random_variants", "to_planar", "transform", "transform_batch",
           "turn", "turn_boxes", "turn_labels", "turn_points"]

# An older PyTorch has no way to register them, and one that is just being imported not yet.
if hasattr(getattr(sys.modules.get("torch"), "library", None), "register_autograd"):
    from . import torch as _torch  # noqa: F401 registers torch.ops.qturn
