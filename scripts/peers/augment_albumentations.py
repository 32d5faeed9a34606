#!/usr/bin/env python3
"""Writes the eight orientations of a YOLO data set with Albumentations and OpenCV.

usage: augment_albumentations.py IN OUT PROCESSES QUALITY

What one writes with them in a quarter of an hour: IN has images/ and labels/, so has OUT, and each
process takes one picture at a time. scripts/measure-augment compares it with qturn.
"""
import multiprocessing
import pathlib
import sys

import albumentations
import cv2

FLOP, FLIP, TRANSPOSE = albumentations.HorizontalFlip, albumentations.VerticalFlip, albumentations.Transpose
VARIANTS = {"identity": [], "flop": [FLOP], "rotate180": [FLOP, FLIP], "flip": [FLIP],
            "transpose": [TRANSPOSE], "rotate90": [TRANSPOSE, FLOP],
            "transverse": [TRANSPOSE, FLOP, FLIP], "rotate270": [TRANSPOSE, FLIP]}


def start(source, target, quality):
    global SOURCE, TARGET, QUALITY, TRANSFORMS
    cv2.setNumThreads(1)
    SOURCE, TARGET, QUALITY = pathlib.Path(source), pathlib.Path(target), quality
    boxes = albumentations.BboxParams(format="yolo", label_fields=["classes"])
    TRANSFORMS = {name: albumentations.Compose([step(p=1) for step in steps], bbox_params=boxes)
                  for name, steps in VARIANTS.items()}


def turn(name):
    image = cv2.imread(str(SOURCE / "images" / name), cv2.IMREAD_UNCHANGED)
    stem, suffix = name.rsplit(".", 1)
    rows = [line.split() for line in (SOURCE / "labels" / f"{stem}.txt").read_text().splitlines()]
    boxes = [[float(word) for word in row[1:]] for row in rows]
    classes = [row[0] for row in rows]
    for variant, transform in TRANSFORMS.items():
        turned = transform(image=image, bboxes=boxes, classes=classes)
        cv2.imwrite(str(TARGET / "images" / f"{stem}__{variant}.{suffix}"), turned["image"],
                    [cv2.IMWRITE_JPEG_QUALITY, QUALITY] if suffix == "jpg" else [])
        (TARGET / "labels" / f"{stem}__{variant}.txt").write_text("".join(
            f"{each} {' '.join(f'{value:.6f}' for value in box)}\n"
            for each, box in zip(turned["classes"], turned["bboxes"])))


if __name__ == "__main__":
    source, target, processes, quality = sys.argv[1:]
    for folder in ("images", "labels"):
        (pathlib.Path(target) / folder).mkdir(parents=True)
    names = sorted(path.name for path in (pathlib.Path(source) / "images").iterdir())
    with multiprocessing.Pool(int(processes), start, (source, target, int(quality))) as pool:
        for _ in pool.imap_unordered(turn, names, chunksize=4):
            pass
