"""What a random transform chooses from."""
from __future__ import annotations

from typing import Iterable

from ._qturn import Orientation, orientation_of


def chosen_from(orientations: Iterable[Orientation | str | int] | None) -> list[Orientation]:
    """The orientations that a caller names; for None the seven that change a picture."""
    if orientations is None:
        return list(Orientation)[1:]
    if isinstance(orientations, (str, int)):
        raise TypeError(f"orientations is {orientations!r}, expected a list: [{orientations!r}]")
    chosen = [orientation_of(each) for each in orientations]
    if not chosen:
        raise ValueError("orientations is empty, expected one or more, or None for the seven that change a picture")
    return chosen
