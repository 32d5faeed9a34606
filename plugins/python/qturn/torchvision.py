"""A transform for torchvision.transforms.v2: one of the eight orientations, at random, with boxes, masks and keypoints."""
from __future__ import annotations

from typing import Any, Iterable

import PIL.Image
import torch
from torch.utils.data import get_worker_info
from torchvision import tv_tensors
from torchvision.transforms import v2

from . import transform
from ._choice import chosen_from
from ._labels import turn_boxes, turn_points
from ._qturn import Orientation

__all__ = ["RandomOrientation"]

_BOXES = {tv_tensors.BoundingBoxFormat.XYXY: "xyxy",
          tv_tensors.BoundingBoxFormat.XYWH: "xywh",
          tv_tensors.BoundingBoxFormat.CXCYWH: "cxcywh"}


class RandomOrientation(v2.Transform):
    """Turns each sample with probability `p` by one of `orientations`, all equally likely.

    By default those are the seven that change a picture. Those that swap the axes change the shape of a picture that is not
    square; "rotate180", "flip" and "flop" never do.

    Images, videos and masks (tensors of shape (..., height, width), and Pillow's images) turn without loss, bounding boxes and
    keypoints with them. Boxes that are themselves rotated are refused.

    With `seed` the transform uses its own generator, else PyTorch's. In the workers of a DataLoader each worker
    gets different numbers, which depend on the seed, on torch.manual_seed() and on the epoch.
    """

    _transformed_types = (torch.Tensor, PIL.Image.Image)

    def __init__(self, p: float = 0.5, *, orientations: Iterable[Orientation | str | int] | None = None,
                 seed: int | None = None) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"p is {p}, expected a probability: 0 to 1")
        self.p = p
        self.orientations = chosen_from(orientations)
        self.seed = seed
        self._generator: torch.Generator | None = None
        self._generator_of: int | None = None

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        generator = self._own_generator()
        turns = torch.rand(1, generator=generator).item() < self.p
        index = int(torch.randint(len(self.orientations), (1,), generator=generator))
        return {"orientation": self.orientations[index] if turns else Orientation.identity}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        orientation = params["orientation"]
        if orientation == Orientation.identity:
            return inpt
        if isinstance(inpt, PIL.Image.Image):
            return transform(inpt, orientation)
        plain = inpt.as_subclass(torch.Tensor)
        if isinstance(inpt, (tv_tensors.BoundingBoxes, tv_tensors.KeyPoints)):
            height, width = inpt.canvas_size
            size = (width, height)
            if isinstance(inpt, tv_tensors.KeyPoints):
                turned = turn_points(plain, orientation, size, indices=True)
            else:
                turned = turn_boxes(plain, orientation, size, _box_format(inpt.format))
            return tv_tensors.wrap(turned, like=inpt, canvas_size=orientation.turned_size(size)[::-1])
        turned = transform(plain, orientation, layout="chw")
        return tv_tensors.wrap(turned, like=inpt) if isinstance(inpt, tv_tensors.TVTensor) else turned

    def _own_generator(self) -> torch.Generator | None:
        if self.seed is None:
            return None
        worker = get_worker_info()
        of = None if worker is None else worker.seed
        if self._generator is None or self._generator_of != of:
            seed = self.seed if of is None else hash((self.seed, of)) % 2**63
            self._generator, self._generator_of = torch.Generator().manual_seed(seed), of
        return self._generator


def _box_format(format):
    if format not in _BOXES:
        raise ValueError(f"boxes in the format {format.name} are not turned, only XYXY, XYWH and CXCYWH")
    return _BOXES[format]
