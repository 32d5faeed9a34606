#!/usr/bin/env python3
"""Compares turned COCO panoptic labels with the pixels of their PNGs: panoptic_oracle.py QTURN

Pillow reads the PNGs, whose pixels are ids as panopticapi has them (R + 256 G + 65536 B). Each turned PNG must have the ids that numpy
turns, and each box and area must fit the pixels of its segment. Without numpy and Pillow the exit status is 4.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    from PIL import Image
except ImportError as error:
    print(f"skipped: {error}; pip install numpy pillow")
    sys.exit(4)

from oracle_data import TURNS

SIZES = [(48, 32), (33, 31), (7, 5), (64, 3), (1, 1)]


def segment_of(number, pixels):
    """As panopticapi makes it of the pixels of an id."""
    columns, rows = numpy.flatnonzero(pixels.any(axis=0)), numpy.flatnonzero(pixels.any(axis=1))
    return {"id": int(number), "category_id": 1 + int(number) % 3, "area": int(pixels.sum()), "iscrowd": 0,
            "bbox": [int(columns[0]), int(rows[0]), int(columns[-1] - columns[0] + 1), int(rows[-1] - rows[0] + 1)]}


def ids_in(file):
    colours = numpy.asarray(Image.open(file))
    assert colours.shape[2:] == (3,), (file, colours.shape)
    return colours.astype(int) @ [1, 256, 65536]


def write_ids(file, ids):
    colours = numpy.stack([ids % 256, ids // 256 % 256, ids // 65536], axis=2).astype(numpy.uint8)
    Image.fromarray(colours).save(file)


def check(made, masks, originals):
    images = {image["id"]: image for image in made["images"]}
    assert len(made["annotations"]) == len(images) == 8 * len(originals), (len(images), len(made["annotations"]))
    for annotation in made["annotations"]:
        image = images[annotation["image_id"]]
        stem = pathlib.PurePath(image["file_name"]).stem
        assert annotation["file_name"] == stem + ".png", (annotation["file_name"], image)
        number, variant = stem.split("__")
        ids = ids_in(masks / annotation["file_name"])
        assert (ids == TURNS[variant](originals[int(number)])).all(), stem
        assert ids.shape == (image["height"], image["width"]), image
        assert annotation["segments_info"] == [segment_of(each["id"], ids == each["id"]) for each in annotation["segments_info"]], annotation


def main():
    random = numpy.random.default_rng(1)
    for masks in ("annotations/panoptic_train2017", "panoptic_train2017"):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("train2017", "annotations", masks):
                (root / "data" / name).mkdir(parents=True, exist_ok=True)
            images, annotations, originals = [], [], []
            for number, (width, height) in enumerate(SIZES):
                ids = numpy.zeros((height, width), int)
                for _ in range(5):
                    x, y = random.integers(0, width), random.integers(0, height)
                    ids[y:y + random.integers(1, height + 1), x:x + random.integers(1, width + 1)] = random.integers(1, 1 << 24)
                suffix = "jpg" if number % 2 == 0 else "png"
                Image.fromarray(numpy.zeros((height, width), numpy.uint8)).save(root / f"data/train2017/{number}.{suffix}")
                write_ids(root / f"data/{masks}/{number}.png", ids)
                images.append({"id": number + 1, "file_name": f"{number}.{suffix}", "width": width, "height": height})
                annotations.append({"segments_info": [segment_of(each, ids == each) for each in numpy.unique(ids) if each],
                                    "file_name": f"{number}.png", "image_id": number + 1})
                originals.append(ids)
            categories = [{"id": number, "name": name, "isthing": 1} for number, name in enumerate(("cat", "sky", "tree"), 1)]
            whole = {"images": images, "annotations": annotations, "categories": categories}
            file = root / "data/annotations/panoptic_train2017.json"
            file.write_text(json.dumps(whole))
            words = ("augment", "data", "-o", "out", "-q", "--verify")
            subprocess.run([sys.argv[1], *words], cwd=root, check=True, stdin=subprocess.DEVNULL)
            check(json.loads((root / "out/annotations/panoptic_train2017.json").read_text()), root / "out" / masks, originals)
            subprocess.run([sys.argv[1], "check", "--labels", "out", "-q"], cwd=root, check=True, stdin=subprocess.DEVNULL)
            # Without one of the PNGs nothing is done, and without masks.
            (root / f"data/{masks}/0.png").unlink()
            for more, is_not in (((), "found"), (("--masks", "none"), "taken")):
                done = subprocess.run([sys.argv[1], *words[:3], "none", "-q", *more], cwd=root, capture_output=True, text=True, stdin=subprocess.DEVNULL)
                assert done.returncode == 2 and not (root / "none").exists(), (done.returncode, done.stderr)
                assert f"0.png is not {is_not} as a mask of" in done.stderr, done.stderr
    print(f"{2 * 8 * len(SIZES)} PNGs and the boxes of their segments agree")


main()
