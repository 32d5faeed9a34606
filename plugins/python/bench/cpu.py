"""qturn on one core beside OpenCV: transform() and to_planar() of NumPy's arrays.

usage: taskset -c 0 python cpu.py [ROUNDS]   -> Markdown

Both take turns in each round; a cell is the ratio of the medians, and in brackets the least and the largest of the rounds.
"""
import statistics
import sys
import time

import cv2
import numpy

import qturn

cv2.setNumThreads(1)
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 9
SHAPES = {(32, 32, 3): 2000, (224, 224, 3): 200, (375, 500, 3): 60, (1080, 1920, 3): 6, (3000, 4000, 3): 2}
OPENCV = {"flop": lambda x: cv2.flip(x, 1), "rotate180": lambda x: cv2.rotate(x, cv2.ROTATE_180), "flip": lambda x: cv2.flip(x, 0),
          "transpose": cv2.transpose, "rotate90": lambda x: cv2.rotate(x, cv2.ROTATE_90_CLOCKWISE),
          "transverse": lambda x: cv2.flip(cv2.transpose(x), -1), "rotate270": lambda x: cv2.rotate(x, cv2.ROTATE_90_COUNTERCLOCKWISE)}


def timed(call, times):
    start = time.thread_time()
    for _ in range(times):
        call()
    return (time.thread_time() - start) / times


def ratio(ours, theirs, times):
    """How many times as fast as `theirs`, and our median in microseconds."""
    mine, other = [], []
    for number in range(ROUNDS):
        for call, to in ((ours, mine), (theirs, other))[::1 if number % 2 else -1]:
            to.append(timed(call, times))
    each = sorted(theirs / ours for ours, theirs in zip(mine, other))
    return f"{statistics.median(other) / statistics.median(mine):.2f} ({each[0]:.2f} to {each[-1]:.2f})", statistics.median(mine) * 1e6


def picture(shape, seed=0):
    return numpy.random.default_rng(seed).integers(0, 256, shape, dtype=numpy.uint8)


print("| shape | " + " | ".join(OPENCV) + " |")
print("|---|" + "---|" * len(OPENCV))
for shape, times in SHAPES.items():
    x = picture(shape)
    cells = [ratio(lambda: qturn.transform(x, name), lambda: theirs(x), times)[0] for name, theirs in OPENCV.items()]
    print("| " + " x ".join(map(str, shape)) + " | " + " | ".join(cells) + " |", flush=True)

x = picture((1080, 1920, 3))
print("\n| a view of 1080 x 1920 x 3, rotate90 | ms | times as fast as cv2.rotate of numpy.ascontiguousarray |\n|---|---|---|")
for name, view in {"x[:, ::-1]": x[:, ::-1], "x.swapaxes(0, 1)": x.swapaxes(0, 1), "x[..., ::-1]": x[..., ::-1], "x[..., 1]": x[..., 1],
                   "numpy.asfortranarray(x[..., 1])": numpy.asfortranarray(x[..., 1])}.items():
    cell, ours = ratio(lambda: qturn.transform(view, "rotate90"), lambda: OPENCV["rotate90"](numpy.ascontiguousarray(view)), 3)
    print(f"| `{name}` | {ours / 1000:.2f} | {cell} |", flush=True)

xs = [picture((224, 224, 3), seed) for seed in range(32)]
print("\n| to_planar, 32 pictures of 224 x 224 x 3 to float32 | ms | times as fast as OpenCV and blobFromImages |\n|---|---|---|")
for name in ("identity", "flop", "rotate90"):
    turned = OPENCV.get(name, lambda x: x)
    cell, ours = ratio(lambda: qturn.to_planar(xs, name, mean=0.45, std=0.22),
                       lambda: cv2.dnn.blobFromImages([turned(x) for x in xs], 1 / 255, (224, 224), (114.75, 114.75, 114.75)), 3)
    print(f"| {name} | {ours / 1000:.2f} | {cell} |", flush=True)
