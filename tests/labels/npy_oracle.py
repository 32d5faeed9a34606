#!/usr/bin/env python3
"""Compares turned arrays with those that numpy turns: npy_oracle.py QTURN

Arrays of many types, beside pictures, in folders of masks and of depth maps, and in tars. Each variant must be, bit for bit, what
numpy makes of the original, of the same type and order. Without numpy the exit status is 4.
"""
import io
import pathlib
import subprocess
import sys
import tarfile
import tempfile

try:
    import numpy
except ImportError as error:
    print(f"skipped: {error}; pip install numpy")
    sys.exit(4)

from oracle_data import TURNS, png

RECORD = [("depth", "<f4"), ("normal", "<i2", (3,)), (("a title", "more"), [("x", ">u2"), ("y", "S3")])]
TYPES = ("?", "i1", "u1", "<i2", ">u2", "<f2", ">f2", "<i4", "<f4", ">f4", "<i8", ">u8", "<f8", "<c8", "<c16", "S5", "<U3", ">U2", "V6", "<M8[ns]",
         "<m8[s]", RECORD, numpy.dtype([("a", "u1"), ("b", "<f8")], align=True))
SIZES = [(7, 5), (33, 31), (64, 5), (5, 70)]
QTURN = pathlib.Path(sys.argv[1]).resolve()


def run(root, *words, status=0):
    done = subprocess.run([QTURN, *words, "-q"], cwd=root, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == status, (words, done.returncode, done.stderr[:2000])
    return done.stderr


def picture_of(array):
    return png(numpy.random.default_rng(2).integers(0, 256, array.shape[:2], dtype=numpy.uint8))


def saved(array, version=None):
    file = io.BytesIO()
    numpy.lib.format.write_array(file, array, version=version)
    return file.getvalue()


def turned(array, variant):
    """The first two axes; the others follow."""
    if array.ndim == 2:
        return TURNS[variant](array)
    index = numpy.arange(array.shape[0] * array.shape[1]).reshape(array.shape[:2])
    return array.reshape(-1, array.shape[2])[TURNS[variant](index)]


def bits(array):
    """Without padding, which no copy keeps."""
    return b"".join(bits(array[name]) for name in array.dtype.names) if array.dtype.names else array.tobytes()


def compare(file, original, variant):
    made, wanted = numpy.load(io.BytesIO(file)), turned(original, variant)
    what = (variant, original.dtype, original.shape)
    assert made.dtype == wanted.dtype and made.shape == wanted.shape, (*what, made.dtype, made.shape)
    assert bits(made) == bits(wanted), what
    assert made.flags.f_contiguous == original.flags.f_contiguous or 1 in original.shape, what


def arrays():
    random = numpy.random.default_rng(1)
    for number, kind in enumerate(TYPES):
        kind = numpy.dtype(kind)
        for channels in (None, 1, 2, 3, 7):
            if (channels or 1) * kind.itemsize > 256:
                continue
            width, height = SIZES[(number + (channels or 0)) % len(SIZES)]
            shape = (height, width) if channels is None else (height, width, channels)
            values = random.integers(0, 2 if kind == "?" else 256, (*shape, kind.itemsize), dtype=numpy.uint8)
            array = values.view(kind).reshape(shape)
            yield array, (1, 0) if number % 3 == 0 else (2, 0) if number % 3 == 1 else (3, 0)
            if channels is None:
                yield numpy.asfortranarray(array), None


def beside_pictures(root, places):
    """Data sets whose arrays lie so, and the files that are made of them."""
    originals = list(arrays())
    for number, (array, version) in enumerate(originals):
        picture, beside = (place.format(number) for place in places[number % len(places)])
        for name, content in ((picture, picture_of(array)), (beside, saved(array, version))):
            (root / "data" / name).parent.mkdir(parents=True, exist_ok=True)
            (root / "data" / name).write_bytes(content)
    return originals


def main():
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        places = (("a/{}.png", "a/{}.npy"), ("b/{}.png", "b/{}.depth.npy"), ("c/{}.png", "c/{}_mask.npy"), ("d/images/x/{}.png", "d/masks/x/{}.npy"),
                  ("e/images/{}.png", "e/depth/{}.npy"), ("f/rgb/{}.png", "f/depth/{}.npy"))
        originals = beside_pictures(root, places)
        run(root, "augment", "data", "-o", "out", "--strict", "--verify")
        for number, (array, _) in enumerate(originals):
            beside = places[number % len(places)][1]
            for variant in TURNS:
                name = beside.format(f"{number}__{variant}")
                compare((root / "out" / name).read_bytes(), array, variant)
                count += 1
        run(root, "check", "--labels", "out")
        run(root, "transpose", "data", "-o", "plain")
        run(root, "check", "plain", "--against", "data")
        run(root, "augment", "data/a", "data/b", "-o", "packed.tar", "--variants", "flip")
        with tarfile.open(root / "packed.tar") as tar:
            for number, (array, _) in enumerate(originals):
                if number % len(places) < 2:
                    compare(tar.extractfile(places[number % len(places)][1].format(f"{number}__flip")).read(), array, "flip")
        # In place, and back.
        before = {path: path.read_bytes() for path in (root / "data").rglob("*.npy")}
        run(root, "rotate90", "data", "--in-place", "--verify")
        for number, (array, _) in enumerate(originals):
            compare((root / "data" / places[number % len(places)][1].format(number)).read_bytes(), array, "rotate90")
        run(root, "rotate270", "data", "--in-place")
        assert before == {path: path.read_bytes() for path in (root / "data").rglob("*.npy")}

        # In a tar, and by themselves.
        with tarfile.open(root / "data.tar", "w") as tar:
            for number, (array, version) in enumerate(originals):
                pixels = picture_of(array)
                for name, content in ((f"x/{number}.png", pixels), (f"x/{number}.npy", saved(array, version)), (f"x/{number}.seg.npy", saved(array))):
                    member = tarfile.TarInfo(name)
                    member.size = len(content)
                    tar.addfile(member, io.BytesIO(content))
                path = root / f"alone/{number}.npy"
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(saved(array, version))
        run(root, "augment", "data.tar", "-o", "out.tar")
        with tarfile.open(root / "out.tar") as tar:
            for number, (array, _) in enumerate(originals):
                for variant in TURNS:
                    for end in ("", ".seg"):
                        compare(tar.extractfile(f"x/{number}__{variant}{end}.npy").read(), array, variant)
                        count += 1
        run(root, "transverse", "alone", "-o", "turned")
        for number, (array, _) in enumerate(originals):
            compare((root / f"turned/{number}.npy").read_bytes(), array, "transverse")
        run(root, "check", "turned", "--against", "alone")
        # What cannot be a mask, and what belongs to no picture.
        picture = png(numpy.zeros((5, 9), numpy.uint8))
        for name, array, status, says in (("a", numpy.zeros((3, 4)), 2, "is 4 x 3, the picture is 9 x 5"), ("a", numpy.zeros(45), 2, "its shape is (45)"),
                                          ("a", numpy.zeros((3, 5, 9)), 2, "may come first"), ("a", numpy.array([[{}]]), 2, "Python objects"),
                                          ("a", numpy.zeros((9, 5)), 1, "is 5 x 9, the picture is 9 x 5"), ("features", numpy.zeros((3, 4)), 0, "")):
            place = root / f"odd {array.shape} {name}"
            place.mkdir()
            (place / "a.png").write_bytes(picture)
            (place / f"{name}.npy").write_bytes(saved(array))
            assert says in run(root, "rotate90", place, "-o", f"{place} turned", status=status), says
    print(f"{count} arrays agree with numpy {numpy.__version__}")


main()
