#!/usr/bin/env python3
"""Writes the eight orientations of a YOLO data set with torchvision's transforms, version 2.

usage: augment_torchvision.py IN OUT PROCESSES QUALITY

What one writes with it in a quarter of an hour: IN has images/ and labels/, so has OUT, and each
process takes one picture at a time. scripts/measure-augment compares it with qturn.
"""
import multiprocessing
import pathlib
import sys

import torch
from torchvision import io, tv_tensors
from torchvision.transforms.v2 import functional

FLOP, FLIP = functional.horizontal_flip, functional.vertical_flip


def quarter_turn(value):  # clockwise
    return functional.rotate(value, -90, expand=True)


VARIANTS = {"identity": [], "flop": [FLOP], "rotate180": [FLOP, FLIP], "flip": [FLIP],
            "transpose": [quarter_turn, FLOP], "rotate90": [quarter_turn],
            "transverse": [quarter_turn, FLIP], "rotate270": [quarter_turn, FLOP, FLIP]}


def start(source, target, quality):
    global SOURCE, TARGET, QUALITY
    torch.set_num_threads(1)
    SOURCE, TARGET, QUALITY = pathlib.Path(source), pathlib.Path(target), quality


def turn(name):
    image = tv_tensors.Image(io.decode_image(str(SOURCE / "images" / name)))
    height, width = image.shape[-2:]
    stem, suffix = name.rsplit(".", 1)
    rows = [line.split() for line in (SOURCE / "labels" / f"{stem}.txt").read_text().splitlines()]
    boxes = torch.tensor([[float(word) for word in row[1:]] for row in rows], dtype=torch.float64).reshape(-1, 4)
    boxes = tv_tensors.BoundingBoxes(boxes * torch.tensor([width, height] * 2, dtype=torch.float64), format="CXCYWH",
                                     canvas_size=(height, width))
    for variant, steps in VARIANTS.items():
        turned, turned_boxes = image, boxes
        for step in steps:
            turned, turned_boxes = step(turned), step(turned_boxes)
        path = str(TARGET / "images" / f"{stem}__{variant}.{suffix}")
        if suffix == "jpg":
            io.write_jpeg(turned, path, quality=QUALITY)
        else:
            io.write_png(turned, path)
        size = torch.tensor([turned.shape[-1], turned.shape[-2]] * 2)
        (TARGET / "labels" / f"{stem}__{variant}.txt").write_text("".join(
            f"{row[0]} {' '.join(f'{value:.6f}' for value in box)}\n"
            for row, box in zip(rows, (turned_boxes / size).tolist())))


if __name__ == "__main__":
    source, target, processes, quality = sys.argv[1:]
    for folder in ("images", "labels"):
        (pathlib.Path(target) / folder).mkdir(parents=True)
    names = sorted(path.name for path in (pathlib.Path(source) / "images").iterdir())
    with multiprocessing.Pool(int(processes), start, (source, target, int(quality))) as pool:
        for _ in pool.imap_unordered(turn, names, chunksize=4):
            pass
