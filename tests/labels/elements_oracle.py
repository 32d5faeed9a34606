#!/usr/bin/env python3
"""Paints labels of Hugging Face, COCO, CVAT, Label Studio, Datumaro, Create ML and VIA before and after a turn: elements_oracle.py QTURN

Random shapes on pictures of odd sizes. Each is painted by what its format's documentation says, in numpy and without any code of
qturn: the masks must be those that numpy turns. Where Datumaro 1.13 is installed, it reads its own files and CVAT's, and what it
reads is painted, too. Where label-studio-converter is, it reads and writes the brushes. Without numpy the exit status is 4.
"""
import csv
import io
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

try:
    import numpy
except ImportError as error:
    print(f"skipped: {error}; pip install numpy")
    sys.exit(4)

from oracle_data import TURNS, png

try:
    from label_studio_converter.brush import decode_rle, encode_rle
except ImportError:
    def encode_rle(pixels):
        """Each byte by itself, as a block that does not repeat it."""
        bits = f"{len(pixels):032b}" + "00111" + "".join(f"{size - 1:04b}" for size in (3, 4, 8, 16)) + "".join(f"000000{byte:08b}" for byte in pixels)
        return [int(bits[at:at + 8].ljust(8, "0"), 2) for at in range(0, len(bits), 8)]

    def decode_rle(code):
        bits, at, pixels = "".join(f"{byte:08b}" for byte in code), 0, []

        def read(count):
            nonlocal at
            at += count
            return int(bits[at - count:at], 2)

        count, word, sizes = read(32), read(5) + 1, [read(4) + 1 for _ in range(4)]
        while len(pixels) < count:
            is_repeated, length = read(1), read(sizes[read(2)]) + 1
            pixels += [read(word)] * length if is_repeated else [read(word) for _ in range(length)]
        return numpy.array(pixels, numpy.uint8)

SIZES = [(31, 23), (40, 40), (17, 50)]


def inside(points, width, height):
    """How many of eight places about the middle of each pixel lie in a polygon: an edge through the middle has four on either side."""
    count = numpy.zeros((height, width), int)
    for dx, dy in ((1, 2), (2, -1), (-1, -2), (-2, 1), (1, -2), (-2, -1), (-1, 2), (2, 1)):
        x, y = numpy.meshgrid(numpy.arange(width) + 0.5 + dx * 1e-6, numpy.arange(height) + 0.5 + dy * 1e-6)
        mask = numpy.zeros((height, width), bool)
        for (ax, ay), (bx, by) in zip(points, points[1:] + points[:1]):
            if ay != by:
                mask ^= ((ay > y) != (by > y)) & (x < ax + (bx - ax) * (y - ay) / (by - ay))
        count += mask
    return count


def around(points, cx, cy, degrees):
    """Clockwise, as y points down."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [(cx + (x - cx) * c - (y - cy) * s, cy + (x - cx) * s + (y - cy) * c) for x, y in points]


def box(x, y, w, h):
    return [(x, y), (x + w, y), (x + w, y + h), (x, y + h)]


def ellipse(cx, cy, rx, ry):
    return [(cx + rx * math.cos(a), cy + ry * math.sin(a)) for a in numpy.linspace(0, 2 * math.pi, 720, endpoint=False)]


def number(random, high):
    return round(float(random.uniform(0, high)), 2)


class HuggingFace:
    file, option, folder, labels = "metadata.jsonl", "huggingface", "", "auto"

    def make(self, name, width, height, random):
        boxes = [[x := number(random, width - 2), y := number(random, height - 2), number(random, width - x), number(random, height - y)] for _ in range(5)]
        return json.dumps({"file_name": name, "objects": {"bbox": boxes, "category": [0] * 5}}) + "\n"

    def join(self, elements):
        return "".join(elements)

    def paint(self, text, size_of):
        for line in map(json.loads, text.splitlines()):
            size = size_of(line["file_name"])
            yield line["file_name"], [inside(self.outline(*each), *size) for each in line["objects"]["bbox"]]

    def outline(self, *sides):
        return box(*sides)


class HuggingFaceVoc(HuggingFace):
    """Two corners of each box."""
    labels = "huggingface:voc"

    def make(self, *picture):
        line = json.loads(super().make(*picture))
        line["objects"]["bbox"] = [[x, y, round(x + w, 2), round(y + h, 2)] for x, y, w, h in line["objects"]["bbox"]]
        return json.dumps(line) + "\n"

    def outline(self, x1, y1, x2, y2):
        return [(x1, y1), (x2, y1), (x2, y2), (x1, y2)]


class HuggingFaceCsv(HuggingFace):
    file, option = "metadata.csv", "csv"

    def make(self, name, width, height, random):
        row = json.loads(super().make(name, width, height, random))
        return [name, "a cat, 2 dogs", json.dumps(row["objects"])]

    def join(self, elements):
        text = io.StringIO()
        csv.writer(text).writerows([["file_name", "text", "objects"], *elements])
        return text.getvalue()

    def paint(self, text, size_of):
        for row in csv.DictReader(io.StringIO(text)):
            assert row["text"] == "a cat, 2 dogs"
            line = json.dumps({"file_name": row["file_name"], "objects": json.loads(row["objects"])})
            yield from super().paint(line, size_of)


class HuggingFaceVocCsv(HuggingFaceCsv, HuggingFaceVoc):
    pass


class CocoRotated(HuggingFace):
    """COCO with Detectron2's boxes: the middle, the sides and an angle, counter-clockwise."""
    file, option = "train.json", "coco"

    def make(self, name, width, height, random):
        sides = [(number(random, width), number(random, height), number(random, width), number(random, height)) for _ in range(5)]
        return (name, width, height), [[*each, number(random, 360) - 180] for each in sides]

    def join(self, elements):
        images = [{"id": i, "file_name": name, "width": w, "height": h} for i, ((name, w, h), _) in enumerate(elements)]
        boxes = [(i, box) for i, (_, boxes) in enumerate(elements) for box in boxes]
        annotations = [{"id": n, "image_id": i, "category_id": 1, "bbox": box, "bbox_mode": 4} for n, (i, box) in enumerate(boxes)]
        return json.dumps({"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "cat"}]})

    def paint(self, text, size_of):
        read = json.loads(text)
        for image in read["images"]:
            boxes = [each["bbox"] for each in read["annotations"] if each["image_id"] == image["id"]]
            yield image["file_name"], [inside(around(box(x - w / 2, y - h / 2, w, h), x, y, -a), *size_of(image["file_name"])) for x, y, w, h, a in boxes]


class CreateMl(HuggingFace):
    file, option = "_annotations.createml.json", "createml"

    def make(self, name, width, height, random):
        objects = [{"label": "cat", "coordinates": dict(x=number(random, width), y=number(random, height), width=number(random, width), height=number(
            random, height))} for _ in range(5)]
        return {"image": name, "annotations": objects}

    def join(self, elements):
        return json.dumps(elements, indent=1)

    def paint(self, text, size_of):
        for image in json.loads(text):
            at = [each["coordinates"] for each in image["annotations"]]
            yield image["image"], [inside(box(c["x"] - c["width"] / 2, c["y"] - c["height"] / 2, c["width"], c["height"]), *size_of(image["image"])) for c in at]


class Cvat:
    file, option, folder, labels = "annotations.xml", "cvat", "images", "auto"
    META = "<meta><task><mode>annotation</mode><labels>" + "".join(f"<label><name>{name}</name></label>" for name in "abcd") + "</labels></task></meta>"

    def make(self, name, width, height, random):
        lines = [f'<image id="{random.integers(1000)}" name="{name}" width="{width}" height="{height}">']
        for degrees in (0.0, number(random, 360), number(random, 360)):
            x, y = sorted(number(random, width) for _ in range(2)), sorted(number(random, height) for _ in range(2))
            rotation = f' rotation="{degrees}"' if degrees else ""
            lines.append(f'<box label="a" xtl="{x[0]}" ytl="{y[0]}" xbr="{x[1]}" ybr="{y[1]}"{rotation}></box>')
            lines.append(f'<ellipse label="b" cx="{x[0]}" cy="{y[0]}" rx="{number(random, width)}" ry="{number(random, height)}"{rotation}></ellipse>')
        points = ";".join(f"{number(random, width)},{number(random, height)}" for _ in range(5))
        lines.append(f'<polygon label="c" points="{points}"></polygon>')
        for part in (0, 0.5, 1):
            left, top = (int(random.integers(side // 2)) for side in (width, height))
            mask = random.random((int(random.integers(1, height // 2)), int(random.integers(1, width // 2)))) < part
            ends = numpy.flatnonzero(numpy.diff(mask.ravel())) + 1
            runs = ([0] if mask[0, 0] else []) + numpy.diff([0, *ends, mask.size]).tolist()
            lines.append(f'<mask label="d" rle="{", ".join(map(str, runs))}" left="{left}" top="{top}" width="{mask.shape[1]}" height="{mask.shape[0]}"/>')
        return "  " + "\n    ".join(lines) + "\n  </image>\n"

    def join(self, elements):
        return f"<?xml version='1.0'?>\n<annotations>\n{self.META}\n" + "".join(elements) + "</annotations>\n"

    def paint(self, text, size_of):
        for image in xml.etree.ElementTree.fromstring(text).iter("image"):
            size = size_of(image.get("name"))
            assert size == (int(image.get("width")), int(image.get("height")))
            yield image.get("name"), [self.paint_shape(shape, size) for shape in image]

    def paint_shape(self, shape, size):
        def get(*names):
            return (float(shape.get(name)) for name in names)

        degrees = float(shape.get("rotation", 0))
        if shape.tag == "box":
            left, top, right, bottom = get("xtl", "ytl", "xbr", "ybr")
            return inside(around(box(left, top, right - left, bottom - top), (left + right) / 2, (top + bottom) / 2, degrees), *size)
        if shape.tag == "ellipse":
            cx, cy, rx, ry = get("cx", "cy", "rx", "ry")
            return inside(around(ellipse(cx, cy, rx, ry), cx, cy, degrees), *size)
        if shape.tag == "polygon":
            return inside([tuple(map(float, point.split(","))) for point in shape.get("points").split(";")], *size)
        left, top, width, height = map(int, get("left", "top", "width", "height"))
        runs = list(map(int, shape.get("rle").split(",")))
        mask = numpy.zeros(size[::-1], bool)
        mask[top:top + height, left:left + width] = numpy.repeat(numpy.arange(len(runs)) % 2, runs).reshape(height, width)
        return mask


class LabelStudio(CreateMl):
    file, option = "project.json", "labelstudio"

    def make(self, name, width, height, random):
        sides = {"original_width": width, "original_height": height, "image_rotation": 0}
        values = [dict(x=number(random, 60), y=number(random, 60), width=number(random, 40), height=number(random, 40), rotation=0) for _ in range(4)]
        if width == height:
            values[2]["rotation"] = number(random, 360)
        values.append({"points": [[number(random, 100), number(random, 100)] for _ in range(5)]})
        values.append(dict(x=number(random, 100), y=number(random, 100), radiusX=number(random, 40), radiusY=number(random, 40), rotation=number(random, 360)))
        for part in (0, 0.1, 0.9, 1):
            colours = random.integers(0, 2 ** 32, 2, dtype=numpy.uint32)
            mask = colours[(random.random((height, width)) < part).astype(int)]
            values.append({"format": "rle", "rle": list(map(int, encode_rle(mask.view(numpy.uint8).ravel())))})
        return {"id": int(random.integers(1000)), "data": {"image": "/data/upload/1/" + name}, "annotations": [{"result": [{**sides, "value": v} for v in values]}]}

    def paint(self, text, size_of):
        for task in json.loads(text):
            name = task["data"]["image"].split("/")[-1]
            size = size_of(name)
            results = task["annotations"][0]["result"]
            assert all((each["original_width"], each["original_height"]) == size for each in results)
            yield name, [self.paint_result(each["value"], size) for each in results]

    def paint_result(self, value, size):
        if "rle" in value:
            return decode_rle(value["rle"]).view(numpy.uint32).reshape(size[::-1])
        return inside(self.outline(value, *size), *size)

    def outline(self, value, width, height):
        def pixels(x, y):
            return x * width / 100, y * height / 100

        if "points" in value:
            return [pixels(*point) for point in value["points"]]
        at = pixels(value["x"], value["y"])
        if "radiusX" in value:
            return around(ellipse(*at, *pixels(value["radiusX"], value["radiusY"])), *at, value["rotation"])
        return around(box(*at, *pixels(value["width"], value["height"])), *at, value["rotation"])


class Datumaro(CreateMl):
    file, option, folder = "annotations/default.json", "datumaro", "images/default"

    def make(self, name, width, height, random):
        points = [[number(random, side) for _ in range(5) for side in (width, height)] for _ in range(3)]
        boxes = [[number(random, side) for side in (width, height, width, height)] for _ in range(3)]
        annotations = [{"type": "polygon", "points": each} for each in points] + [{"type": "bbox", "bbox": each} for each in boxes]
        return {"id": name.removesuffix(".png"), "annotations": annotations, "image": {"path": name, "size": [height, width]}}

    def join(self, elements):
        return json.dumps({"infos": {}, "categories": {}, "items": elements})

    def paint(self, text, size_of):
        for item in json.loads(text)["items"]:
            name = item["image"]["path"]
            size = size_of(name)
            assert (item["id"] + ".png", item["image"]["size"]) == (name, [*size[::-1]])
            yield name, [inside(box(*a["bbox"]) if "bbox" in a else [*zip(a["points"][::2], a["points"][1::2])], *size) for a in item["annotations"]]


class Via(CreateMl):
    file, option, folder = "via_region_data.json", "via", "images"

    def make(self, name, width, height, random):
        def coordinates(count):
            return {"all_points_x": [number(random, width) for _ in range(count)], "all_points_y": [number(random, height) for _ in range(count)]}

        shapes = [dict(name="rect", x=number(random, width), y=number(random, height), width=number(random, 9), height=number(random, 9)) for _ in range(3)]
        shapes += [dict(name="polygon", **coordinates(5)), dict(name="polygon", **coordinates(3))]
        shapes += [dict(name="ellipse", cx=number(random, width), cy=number(random, height), rx=number(random, 9), ry=number(random, 9),
                        theta=number(random, 3)) for _ in range(3)]
        size = (self.root / "data" / self.folder / name).stat().st_size
        return name + str(size), {"filename": name, "size": size, "regions": [{"shape_attributes": each, "region_attributes": {}} for each in shapes],
                                  "file_attributes": {}}

    def join(self, elements):
        return json.dumps({"_via_img_metadata": dict(elements), "_via_image_id_list": [key for key, _ in elements]})

    def paint(self, text, size_of):
        project = json.loads(text)
        assert [*project["_via_img_metadata"]] == project["_via_image_id_list"]
        for key, entry in project["_via_img_metadata"].items():
            name = entry["filename"]
            folder = "out" if "__" in name else "data"
            assert entry["size"] == (self.root / folder / self.folder / name).stat().st_size and key == name + str(entry["size"])
            yield name, [inside(self.outline(each["shape_attributes"]), *size_of(name)) for each in entry["regions"]]

    def outline(self, shape):
        if shape["name"] == "rect":
            return box(shape["x"], shape["y"], shape["width"], shape["height"])
        if shape["name"] == "polygon":
            return [*zip(shape["all_points_x"], shape["all_points_y"])]
        middle = shape["cx"], shape["cy"]
        return around(ellipse(*middle, shape["rx"], shape["ry"]), *middle, math.degrees(shape["theta"]))


def compare_as_datumaro_reads(root, kind):
    try:
        from datumaro.components.dataset import Dataset
    except ImportError:
        return 0

    def paint(shape, width, height):
        if shape.type.name == "mask":
            return shape.image > 0
        if shape.type.name == "bbox":
            return inside(box(*shape.get_bbox()), width, height)
        if shape.type.name == "rotated_bbox":
            cx, cy, w, h, degrees = shape.points
            return inside(around(box(cx - w / 2, cy - h / 2, w, h), cx, cy, degrees), width, height)
        return inside([*zip(shape.points[::2], shape.points[1::2])], width, height)

    def read(folder):
        for item in Dataset.import_from(str(root / folder), kind):
            yield item.id.split("/")[-1], [paint(shape, *item.media.size[::-1]) for shape in item.annotations]

    before = dict(read("data"))
    count = 0
    for name, masks in read("out"):
        old, variant = name.split("__")
        for mask, original in zip(masks, before[old], strict=True):
            assert (mask == TURNS[variant](original)).all(), (kind, name)
            count += 1
    assert count > 0
    return count


def main():
    random = numpy.random.default_rng(1)
    compared = 0
    for kind in (HuggingFace(), HuggingFaceCsv(), HuggingFaceVoc(), HuggingFaceVocCsv(), CocoRotated(), CreateMl(), Cvat(), LabelStudio(), Datumaro(), Via()):
        with tempfile.TemporaryDirectory() as folder:
            root = kind.root = pathlib.Path(folder)
            pictures = root / "data" / kind.folder
            pictures.mkdir(parents=True)
            sizes = {}
            elements = []
            for number_of, (width, height) in enumerate(SIZES * 2):
                name = f"p{number_of}.png"
                (pictures / name).write_bytes(png(numpy.zeros((height, width), numpy.uint8)))
                sizes[name] = width, height
                elements.append(kind.make(name, width, height, random))
            text = kind.join(elements)
            (root / "data" / kind.file).parent.mkdir(exist_ok=True)
            (root / "data" / kind.file).write_text(text)
            subprocess.run([sys.argv[1], "augment", "data", "-o", "out", "-q", "--verify", "--labels", kind.labels], cwd=root, check=True)
            before = dict(kind.paint(text, sizes.get))

            def size_after(name):
                old, variant = name.removesuffix(".png").split("__")
                return TURNS[variant](numpy.zeros(sizes[old + ".png"][::-1])).shape[::-1]

            made = list(kind.paint((root / "out" / kind.file).read_text(), size_after))
            assert len(made) == 8 * len(elements), (kind.option, len(made))
            for name, masks in made:
                old, variant = name.removesuffix(".png").split("__")
                for mask, original in zip(masks, before[old + ".png"], strict=True):
                    assert (mask == TURNS[variant](original)).all(), (kind.option, name)
                    compared += 1
            if kind.option in ("cvat", "datumaro"):
                compared += compare_as_datumaro_reads(root, kind.option)
    print(f"{compared} shapes painted after their turn are the turned paintings")


main()
