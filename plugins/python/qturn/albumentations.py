"""A transform for Albumentations 2: one of the eight orientations, at random, with masks, boxes and keypoints."""
from __future__ import annotations

from typing import Any, Iterable

import albumentations
import numpy
from albumentations.core.type_definitions import ALL_TARGETS

from . import transform
from ._choice import chosen_from
from ._labels import turn_boxes, turn_points
from ._qturn import Orientation, orientation_of

__all__ = ["RandomOrientation"]


class RandomOrientation(albumentations.DualTransform):
    """Turns each sample with probability `p` by one of `orientations`, all equally likely.

    By default the seven that change a picture. Unlike D4 of Albumentations, this is right for pictures that are not
    square: orientations that swap the axes change the shape. Keypoints are turned with their angles. The seed comes from
    albumentations.Compose(..., seed=...).
    """

    _targets = ALL_TARGETS

    class InitSchema(albumentations.BasicTransform.InitSchema):
        orientations: Any

    def __init__(self, p: float = 0.5, *, orientations: Iterable[Orientation | str | int] | None = None) -> None:
        super().__init__(p=p)
        self.orientations = [each.name for each in chosen_from(orientations)]

    def get_params(self) -> dict[str, Any]:
        return {"orientation": self.py_random.choice(self.orientations)}  # a name: ReplayCompose can store it

    def apply(self, img: numpy.ndarray, orientation: str, **params: Any) -> numpy.ndarray:
        return transform(img, orientation)

    def apply_to_bboxes(self, bboxes: numpy.ndarray, orientation: str, **params: Any) -> numpy.ndarray:
        return turn_boxes(bboxes, orientation, (1, 1), "xyxy")

    def apply_to_keypoints(self, keypoints: numpy.ndarray, orientation: str, **params: Any) -> numpy.ndarray:
        if not len(keypoints):  # no keypoints come as an array without columns
            return keypoints
        height, width = params["shape"][:2]
        reads = orientation_of(orientation)
        turned = turn_points(keypoints, orientation, (width, height), indices=True)  # x, y, z, angle, scale
        angle = keypoints[:, 3]
        angle = numpy.pi - angle if reads.from_right else angle
        angle = -angle if reads.from_bottom else angle
        turned[:, 3] = (numpy.pi / 2 - angle if reads.swaps_axes else angle) % (2 * numpy.pi)
        return turned
