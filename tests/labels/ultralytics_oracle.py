#!/usr/bin/env python3
"""Has Ultralytics check turned YOLO labels, and compares them with its own flips: ultralytics_oracle.py QTURN

Random boxes, segments, oriented boxes and poses. Ultralytics must find every label whole, and its flips (a transposition
before them exchanges x and y) must give the same coordinates. Without Ultralytics the exit status is 4.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

settings = tempfile.TemporaryDirectory()
os.environ["YOLO_CONFIG_DIR"] = settings.name  # it would write to the home folder
os.environ["YOLO_OFFLINE"] = "true"
try:
    import numpy
    from ultralytics.data.utils import verify_image_label
    from ultralytics.utils import __version__
    from ultralytics.utils.instance import Instances
except ImportError as error:
    print(f"skipped: {error}; pip install ultralytics")
    sys.exit(4)

from oracle_data import MIRRORS, TURNS, png

# Whether x and y are exchanged first, then whether left and right are, then top and bottom.
FLIPS = {"identity": (0, 0, 0), "flop": (0, 1, 0), "rotate180": (0, 1, 1), "flip": (0, 0, 1), "transpose": (1, 0, 0),
         "rotate90": (1, 1, 0), "transverse": (1, 1, 1), "rotate270": (1, 0, 1)}
SIZE = (33, 17)  # Ultralytics wants at least 10 x 10
COUNT = 9
FLIP_IDX = [1, 0, 2]
YAML = "path: .\ntrain: images\nnames: [cat, dog]\n"


def main():
    random = numpy.random.default_rng(1)
    pixels = random.integers(0, 256, SIZE[::-1], dtype=numpy.uint8)
    classes = random.integers(0, 2, COUNT)
    corners = numpy.sort(random.random((COUNT, 2, 2)), axis=1)
    boxes = numpy.hstack([corners.mean(axis=1), corners[:, 1] - corners[:, 0]])
    pose = numpy.concatenate([random.random((COUNT, 3, 2)), random.integers(1, 3, (COUNT, 3, 1))], axis=2)
    kinds = {"boxes": boxes, "segments": random.random((COUNT, 14)), "obb": random.random((COUNT, 8)),
             "pose": numpy.hstack([boxes, pose.reshape(COUNT, -1)])}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for kind, rows in kinds.items():
            data = root / kind
            (data / "images").mkdir(parents=True)
            (data / "labels").mkdir()
            is_pose = kind == "pose"
            (data / "data.yaml").write_text(YAML + (f"kpt_shape: [3, 3]\nflip_idx: {FLIP_IDX}\n" if is_pose else ""))
            (data / "images/a.png").write_bytes(png(pixels))
            lines = [" ".join([str(name), *(f"{number:.6f}" for number in row)]) for name, row in zip(classes, rows)]
            (data / "labels/a.txt").write_text("\n".join(lines) + "\n")
            subprocess.run([sys.argv[1], "augment", kind, "-o", f"out-{kind}", "-q"], cwd=root, check=True)
            before = checked(data, "a", is_pose)
            for variant in TURNS:
                compare(checked(root / f"out-{kind}", f"a__{variant}", is_pose), turned(before, variant), (kind, variant))
    print(f"Ultralytics {__version__} finds {len(kinds) * len(TURNS)} labels whole and in their places")


def checked(data, name, is_pose):
    """Classes, boxes, segments and keypoints, as Ultralytics reads them."""
    result = verify_image_label((str(data / f"images/{name}.png"), str(data / f"labels/{name}.txt"), "", is_pose, 2,
                                 3 if is_pose else 0, 3 if is_pose else 0, False))
    _, rows, shape, segments, keypoints, missing, found, empty, corrupt, message = result
    assert (missing, found, empty, corrupt, message) == (0, 1, 0, 0, ""), (data, name, result)
    assert len(rows) == COUNT, (data, name, rows)
    return rows[:, 0], rows[:, 1:], numpy.array(segments) if segments else numpy.zeros((COUNT, 0, 2)), keypoints


def turned(label, variant):
    exchanges, fliplr, flipud = FLIPS[variant]
    classes, boxes, segments, keypoints = (None if part is None else part.copy() for part in label)
    if exchanges:
        boxes, segments = boxes[:, [1, 0, 3, 2]], segments[..., ::-1]
        keypoints = None if keypoints is None else keypoints[..., [1, 0, 2]]
    instances = Instances(boxes, segments.copy(), keypoints, bbox_format="xywh", normalized=True)
    if fliplr:
        instances.fliplr(1)
    if flipud:
        instances.flipud(1)
    if keypoints is not None and variant in MIRRORS:
        instances.keypoints = instances.keypoints[:, FLIP_IDX]
    return classes, instances.bboxes, instances.segments, instances.keypoints


def compare(got, wanted, what):
    for mine, theirs in zip(got, wanted):
        assert (mine is None) == (theirs is None), what
        assert mine is None or (mine.shape == theirs.shape and numpy.abs(mine - theirs).max(initial=0) < 1e-5), (what, mine, theirs)


main()
