"""The eight orientations of an image, at the speed of a copy. plugins/python/README.md has the page to read."""
import importlib as _importlib
import sys as _sys

from ._arrays import to_planar, transform, transform_batch
from ._decode import decode, decode_batch
from ._labels import turn_boxes, turn_points
from ._qturn import Orientation, PictureError, Turned, __version__, check, orientation, random_variants, turn, turn_labels

__all__ = ["Orientation", "PictureError", "Turned", "__version__", "check", "decode", "decode_batch", "orientation", "random_variants",
           "to_planar", "transform", "transform_batch", "turn", "turn_boxes", "turn_labels", "turn_points"]


def __getattr__(name):
    """The modules for other libraries. Each is imported when it is first used."""
    if name in ("albumentations", "huggingface", "ray", "torch", "torchvision"):
        return _importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# An older PyTorch has no way to register them, and one that is just being imported not yet.
if hasattr(getattr(_sys.modules.get("torch"), "library", None), "register_autograd"):
    from . import torch as _torch  # noqa: F401 registers torch.ops.qturn
