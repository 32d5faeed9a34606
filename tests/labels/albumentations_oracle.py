#!/usr/bin/env python3
"""Compares turned labels with what Albumentations makes of them: albumentations_oracle.py QTURN

Random boxes and keypoints on pictures of odd sizes, as YOLO, Pascal VOC, COCO and CSV labels. Albumentations turns the same by
flips and transpositions. Pixels must be the same, and coordinates but for the rounding of its 32-bit numbers. Without
Albumentations the exit status is 4.
"""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

os.environ["NO_ALBUMENTATIONS_UPDATE"] = "1"  # it would ask the network for a newer version
try:
    import albumentations
    import cv2
    import numpy
except ImportError as error:
    print(f"skipped: {error}; pip install albumentations==2.0.8")
    sys.exit(4)

from oracle_data import MIRRORS, TURNS, png

H, V, T = (turn(p=1) for turn in (albumentations.HorizontalFlip, albumentations.VerticalFlip, albumentations.Transpose))
STEPS = {"identity": [albumentations.NoOp(p=1)], "flop": [H], "rotate180": [H, V], "flip": [V], "transpose": [T], "rotate90": [T, H], "transverse": [T, H, V],
         "rotate270": [T, V]}
SIZES = [(7, 5), (33, 31), (64, 3), (500, 375), (375, 501)]
COUNT = 12


def main():
    random = numpy.random.default_rng(1)
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        pictures = [Sample(f"p{i}", *size, random) for i, size in enumerate(SIZES)]
        write(root, pictures)
        for data in ("yolo", "voc", "shared"):
            subprocess.run([sys.argv[1], "augment", data, "-o", f"out-{data}", "-q"], cwd=root, check=True)
        coco = json.loads((root / "out-shared/annotations/x.json").read_text())
        images = {image["id"]: image["file_name"] for image in coco["images"]}
        with open(root / "out-shared/annotations/boxes.csv", newline="") as file:
            boxes = list(csv.DictReader(file))
        with open(root / "out-shared/annotations/points.csv", newline="") as file:
            points = list(csv.DictReader(file))
        for picture in pictures:
            for variant in TURNS:
                name = f"{picture.name}__{variant}"
                wanted = picture.turned(variant)
                height, width = wanted.pixels.shape
                got = cv2.imread(str(root / f"out-yolo/images/{name}.png"), cv2.IMREAD_UNCHANGED)
                assert (got == wanted.pixels).all(), name

                def compare(boxes, what):
                    boxes = numpy.array(boxes, dtype=float)
                    assert boxes.shape == wanted.boxes.shape, (name, what, boxes.shape)
                    assert numpy.abs(boxes - wanted.boxes).max() < 1e-3, (name, what, boxes, wanted.boxes)

                yolo = [line.split() for line in (root / f"out-yolo/labels/{name}.txt").read_text().splitlines()]
                centres = numpy.array(yolo, dtype=float)[:, 1:] * [width, height, width, height]
                compare(numpy.hstack([centres[:, :2] - centres[:, 2:] / 2, centres[:, :2] + centres[:, 2:] / 2]), "YOLO")
                xml = (root / f"out-voc/Annotations/{name}.xml").read_text()
                voc = [[int(n) for n in re.findall(rf"<{side}>(\d+)<", xml)] for side in ("xmin", "ymin", "xmax", "ymax")]
                # Pixels are counted from 1, and the last one belongs to the box.
                compare(numpy.array(voc).T - [1, 1, 0, 0], "Pascal VOC")
                mine = [one for one in coco["annotations"] if images[one["image_id"]] == f"{name}.png"]
                compare([[x, y, x + w, y + h] for x, y, w, h in (one["bbox"] for one in mine)], "COCO")
                compare([[row[side] for side in ("xmin", "ymin", "xmax", "ymax")] for row in boxes if row["filename"] == f"{name}.png"],
                        "CSV")
                # In a mirror left and right change places, which Albumentations leaves to its user.
                swap = variant in MIRRORS
                keypoints = numpy.array([one["keypoints"] for one in mine], dtype=float).reshape(-1, 2, 3)
                keypoints = (keypoints[:, ::-1] if swap else keypoints)[:, :, :2].reshape(-1, 2)
                table = numpy.array([[row["x"], row["y"]] for row in points if row["image"] == name], dtype=float)
                for what, got in (("COCO keypoints", keypoints), ("CSV points", table)):
                    assert numpy.abs(got - wanted.points).max() < 1e-3, (name, what, got, wanted.points)
                compared += 1
    print(f"labels of {compared} pictures agree with Albumentations {albumentations.__version__}")


class Sample:
    """A picture with boxes by their sides, between pixels, and two keypoints for each, which name pixels."""

    def __init__(self, name, width, height, random):
        self.name = name
        self.pixels = random.integers(0, 256, (height, width), dtype=numpy.uint8)
        xs = numpy.sort([random.choice(width + 1, 2, replace=False) for _ in range(COUNT)])
        ys = numpy.sort([random.choice(height + 1, 2, replace=False) for _ in range(COUNT)])
        self.boxes = numpy.stack([xs[:, 0], ys[:, 0], xs[:, 1], ys[:, 1]], axis=1)
        self.points = numpy.stack([random.integers(0, width, 2 * COUNT), random.integers(0, height, 2 * COUNT)], axis=1)

    def turned(self, variant):
        result = object.__new__(Sample)
        transform = albumentations.Compose(
            STEPS[variant], bbox_params=albumentations.BboxParams(format="pascal_voc", label_fields=["ids"]),
            keypoint_params=albumentations.KeypointParams(format="xy", remove_invisible=False))
        made = transform(image=self.pixels, bboxes=self.boxes.astype(numpy.float32), ids=list(range(COUNT)),
                         keypoints=self.points.astype(numpy.float32))
        result.pixels, result.boxes, result.points = made["image"], numpy.array(made["bboxes"]), numpy.array(made["keypoints"])
        assert (result.pixels == TURNS[variant](self.pixels)).all(), variant
        return result


def write(root, pictures):
    for folder in ("yolo/images", "yolo/labels", "voc/JPEGImages", "voc/Annotations", "shared/images", "shared/annotations"):
        (root / folder).mkdir(parents=True)
    images, annotations, boxes, points = [], [], ["filename,class,xmin,ymin,xmax,ymax"], ["image,x,y"]
    for number, picture in enumerate(pictures):
        name, (height, width) = picture.name, picture.pixels.shape
        for folder in ("yolo/images", "voc/JPEGImages", "shared/images"):
            (root / f"{folder}/{name}.png").write_bytes(png(picture.pixels))
        lines, objects = [], []
        images.append({"id": number, "file_name": f"{name}.png", "width": width, "height": height})
        for (x0, y0, x1, y1), pair in zip(picture.boxes.tolist(), picture.points.reshape(-1, 2, 2).tolist()):
            lines.append(f"1 {(x0 + x1) / 2 / width:.8f} {(y0 + y1) / 2 / height:.8f} {(x1 - x0) / width:.8f} {(y1 - y0) / height:.8f}\n")
            objects.append(f"<object><bndbox><xmin>{x0 + 1}</xmin><ymin>{y0 + 1}</ymin><xmax>{x1}</xmax><ymax>{y1}</ymax></bndbox></object>")
            keypoints = [number for point in pair for number in (*point, 2)]
            annotations.append({"id": len(annotations), "image_id": number, "category_id": 1, "bbox": [x0, y0, x1 - x0, y1 - y0],
                                "keypoints": keypoints})
            boxes.append(f"{name}.png,cat,{x0},{y0},{x1},{y1}")
            points += [f"{name},{x},{y}" for x, y in pair]
        (root / f"yolo/labels/{name}.txt").write_text("".join(lines))
        size = f"<size><width>{width}</width><height>{height}</height></size>"
        (root / f"voc/Annotations/{name}.xml").write_text(f"<annotation>{size}{''.join(objects)}</annotation>")
    categories = [{"id": 1, "name": "cat", "keypoints": ["left_ear", "right_ear"]}]
    whole = {"images": images, "annotations": annotations, "categories": categories}
    (root / "shared/annotations/x.json").write_text(json.dumps(whole))
    (root / "shared/annotations/boxes.csv").write_text("\n".join(boxes) + "\n")
    (root / "shared/annotations/points.csv").write_text("\n".join(points) + "\n")


main()
