"""Orientation against the AB/CD picture of its own documentation."""
import itertools
import os
import pathlib
import subprocess
import sys

import pytest

import qturn
from qturn import Orientation

PICTURE = {"identity": "ABCD", "flop": "BADC", "rotate180": "DCBA", "flip": "CDAB",
           "transpose": "ACBD", "rotate90": "CADB", "transverse": "DBCA", "rotate270": "BDAC"}


def turned(picture, orientation):
    """A picture of 2 x 2 letters; what each orientation makes of ABCD says where the letters go."""
    return "".join(picture["ABCD".index(letter)] for letter in PICTURE[orientation.name])


def test_members_are_numbered_as_in_exif():
    assert [orientation.name for orientation in Orientation] == list(PICTURE)
    assert [int(orientation) for orientation in Orientation] == list(range(1, 9))


@pytest.mark.parametrize("first,then", list(itertools.product(Orientation, Orientation)))
def test_compose_is_one_after_the_other(first, then):
    assert turned("ABCD", first.compose(then)) == turned(turned("ABCD", first), then)
    assert first.compose(then.name) == first.compose(int(then)) == first.compose(then)


@pytest.mark.parametrize("orientation", list(Orientation))
def test_inverse_undoes(orientation):
    assert orientation.compose(orientation.inverse) == Orientation.identity


@pytest.mark.parametrize("orientation", list(Orientation))
def test_turned_size_swaps_with_the_axes(orientation):
    assert orientation.turned_size((640, 480)) == ((480, 640) if orientation.swaps_axes else (640, 480))


def test_other_names_are_accepted():
    assert [Orientation.hflip, Orientation.vflip, Orientation.cw, Orientation.ccw] == [
        Orientation.flop, Orientation.flip, Orientation.rotate90, Orientation.rotate270]
    assert Orientation.identity.compose("cw") == Orientation.rotate90


@pytest.mark.parametrize("wrong,error,message", [
    ("rotate45", ValueError, 'orientation is "rotate45", expected identity, flop'),
    (0, ValueError, "orientation is 0, expected 1 to 8"),
    (9, ValueError, "orientation is 9, expected 1 to 8"),
    (None, TypeError, "NoneType.*expected a qturn.Orientation, its name or its number"),
])
def test_what_is_not_an_orientation_is_refused(wrong, error, message):
    with pytest.raises(error, match=message):
        Orientation.identity.compose(wrong)


def test_the_package_runs_the_program():
    beside = pathlib.Path(qturn.__file__).parent.parent
    said = subprocess.run([sys.executable, "-m", "qturn", "--version"], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": str(beside)}).stdout
    assert said.startswith("qturn ")
