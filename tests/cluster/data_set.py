"""A small data set with labels, and what lies in a folder: for the tests of clusters."""
import json
import pathlib
import random
import struct
import zlib

WIDTH, HEIGHT = 13, 7
PICTURES = 40


def png(seed):
    values = random.Random(seed)
    rows = b"".join(b"\0" + values.randbytes(WIDTH * 3) for _ in range(HEIGHT))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def make_data_set(folder: pathlib.Path):
    """YOLO labels, a COCO file, a mask for every fourth picture, and the YAML file of a data set with a list."""
    for part in ["images", "labels", "masks", "annotations"]:
        (folder / part).mkdir(parents=True)
    images, annotations = [], []
    for i in range(PICTURES):
        (folder / f"images/{i:03}.png").write_bytes(png(i))
        (folder / f"labels/{i:03}.txt").write_text("0 0.25 0.5 0.1 0.20\n")
        if i % 4 == 0:
            (folder / f"masks/{i:03}.png").write_bytes(png(1000 + i))
        images.append({"id": i, "file_name": f"{i:03}.png", "width": WIDTH, "height": HEIGHT})
        annotations.append({"id": i, "image_id": i, "bbox": [1, 2, 3, 4]})
    (folder / "annotations/all.json").write_text(json.dumps({"images": images[::-1], "annotations": annotations}))
    (folder / "data.yaml").write_text("path: ../data\ntrain: images\nval: val.txt\nnames: [cat]\n")
    (folder / "val.txt").write_text("".join(f"./images/{i:03}.png\n" for i in range(0, PICTURES, 3)))


def tree_of(folder: pathlib.Path):
    """Every file with its content, hidden ones too."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
