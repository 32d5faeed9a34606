#!/usr/bin/env python3
"""Compares turned COCO labels with what pycocotools and numpy make of them: coco_oracle.py QTURN

Random masks, compressed by pycocotools, of pictures of odd sizes. Each of the eight variants must have exactly the code that
pycocotools gives the mask turned by numpy, and the box that it finds in it. Without pycocotools the exit status is 4.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    from pycocotools import mask as masks
    from pycocotools.coco import COCO
except ImportError as error:
    print(f"skipped: {error}; pip install pycocotools")
    sys.exit(4)

from oracle_data import TURNS, png

SIZES = [(1, 1), (7, 5), (33, 31), (64, 3), (500, 375)]


def encoded(mask):
    return masks.encode(numpy.asfortranarray(mask))


def code_of(mask):
    return encoded(mask)["counts"].decode()


def main():
    random = numpy.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "data/annotations").mkdir(parents=True)
        images, annotations, originals = [], [], {}
        for number, (width, height) in enumerate(SIZES, 1):
            (root / f"data/{number}.png").write_bytes(png(numpy.zeros((height, width), numpy.uint8)))
            images.append({"id": number, "file_name": f"{number}.png", "width": width, "height": height})
            for kind in range(6):
                mask = (random.random((height, width)) < [0, 1, 0.02, 0.3, 0.5, 0.9][kind]).astype(numpy.uint8)
                box = [float(side) for side in masks.toBbox(encoded(mask))]
                counts = code_of(mask) if kind % 2 else [int(run) for run in runs(mask)]
                annotations.append({"id": len(annotations) + 1, "image_id": number, "category_id": 1, "bbox": box, "iscrowd": 1,
                                    "area": int(mask.sum()), "segmentation": {"size": [height, width], "counts": counts}})
                originals[len(annotations)] = mask
        whole = {"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "cat"}]}
        (root / "data/annotations/x.json").write_text(json.dumps(whole))
        subprocess.run([sys.argv[1], "augment", "data", "-o", "out", "-q"], cwd=root, check=True)

        made = COCO(str(root / "out/annotations/x.json"))
        names = list(TURNS)
        assert len(made.anns) == 8 * len(annotations), len(made.anns)
        for number, annotation in made.anns.items():
            old, variant = originals[number // 8], names[number % 8]
            mask = TURNS[variant](old)
            image = made.imgs[annotation["image_id"]]
            assert image["file_name"] == f"{image['id'] // 8}__{variant}.png", image
            assert (image["height"], image["width"]) == mask.shape, image
            assert (made.annToMask(annotation) == mask).all(), annotation
            counts = annotation["segmentation"]["counts"]
            assert counts == (code_of(mask) if isinstance(counts, str) else runs(mask)), annotation
            if mask.any():
                assert annotation["bbox"] == list(masks.toBbox(encoded(mask))), annotation
    print(f"{8 * len(annotations)} annotations agree with pycocotools")


def runs(mask):
    """The lengths of runs of 0, 1, 0..., down the columns."""
    pixels = mask.flatten(order="F")
    ends = numpy.flatnonzero(numpy.diff(pixels)) + 1
    lengths = numpy.diff([0, *ends, len(pixels)]).tolist()
    return [0, *lengths] if pixels[0] else lengths


main()
