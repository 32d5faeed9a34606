#!/usr/bin/env python3
"""Tries files about pictures that qturn does not know, and harmless ones: unknown.py QTURN [--all]

40 spellings of coordinates in 9 forms and 30 layouts of data sets that are not turned stop the run before it starts, with the file's
name. 40 folders of harmless files do not. In a folder with -o, in place and with augment, and in a tar; without --all each case in one
or two of these ways. Nothing but Python's own library is needed.
"""
import itertools
import json
import sys

import layout_data
from layouts import Place, TAGGED

FOLDER, TAR, IN_PLACE, AUGMENT = range(4)
NAMES = ("IMG_000123", "b_0002")
VALUES = ((2, 1, 5, 4), (12, 3, 40.5, 31))
PNG = None

# Four names each, of what is a box or two points.
SPELLINGS = [
    ("xmin", "ymin", "xmax", "ymax"), ("x_min", "y_min", "x_max", "y_max"), ("minX", "minY", "maxX", "maxY"), ("x_center", "y_center", "w", "h"),
    ("xCenter", "yCenter", "boxWidth", "boxHeight"), ("startX", "startY", "endX", "endY"), ("x1", "y1", "x2", "y2"), ("x0", "y0", "x1", "y1"),
    ("left", "top", "right", "bottom"), ("left", "top", "width", "height"), ("l", "t", "r", "b"), ("tlx", "tly", "brx", "bry"),
    ("top_left_x", "top_left_y", "bottom_right_x", "bottom_right_y"), ("cx", "cy", "rx", "ry"), ("col", "row", "cols", "rows"),
    ("column_min", "row_min", "column_max", "row_max"), ("bx", "by", "bw", "bh"), ("bbox_x", "bbox_y", "bbox_w", "bbox_h"),
    ("roi.x", "roi.y", "roi.w", "roi.h"), ("pos_x", "pos_y", "size_x", "size_y"), ("u", "v", "du", "dv"), ("px", "py", "qx", "qy"),
    ("lon0", "lat0", "lon1", "lat1"), ("nose_x", "nose_y", "tail_x", "tail_y"), ("lefteye_x", "lefteye_y", "righteye_x", "righteye_y"),
    ("kp1", "kp2", "kp3", "kp4"), ("point0", "point1", "point2", "point3"), ("a", "b", "c", "d"), ("p1", "p2", "p3", "p4"),
    ("gaze_x", "gaze_y", "pupil_x", "pupil_y"), ("horizontal", "vertical", "extent_h", "extent_v"), ("links", "oben", "rechts", "unten"),
    ("gauche", "haut", "droite", "bas"), ("X", "Y", "Width", "Height"), ("XMin", "YMin", "XMax", "YMax"), ("box_0", "box_1", "box_2", "box_3"),
    ("crop_left", "crop_top", "crop_right", "crop_bottom"), ("vx", "vy", "vz", "vw"), ("offset_x", "offset_y", "scale_x", "scale_y"),
    ("coord1", "coord2", "coord3", "coord4"),
]


def records(keys):
    return [(name, dict(zip(keys, values))) for name, values in zip(NAMES, VALUES)]


def lines(rows):
    return "\n".join(rows) + "\n"


def in_json(keys):
    return json.dumps([{"picture": f"x/{name}.png", "where": where} for name, where in records(keys)])


def in_json_by_name(keys):
    return json.dumps({name: [where] for name, where in records(keys)}, indent=1)


def in_json_lines(keys):
    return lines(json.dumps({"img": f"{name}.png", **where}) for name, where in records(keys))


def in_yaml(keys):
    return "items:\n" + lines(f"- file: {name}.png\n" + "\n".join(f"  {key}: {value}" for key, value in where.items()) for name, where in records(keys))


def in_toml(keys):
    return lines(f'[[item]]\nfile = "{name}.png"\n' + "\n".join(f"{key} = {value}" for key, value in where.items()) for name, where in records(keys))


def in_xml(keys):
    def element(name, where):
        return f"<picture name='{name}.png'><thing>" + "".join(f"<e_{key}>{value}</e_{key}>" for key, value in where.items()) + "</thing></picture>"

    return "<?xml version='1.0'?><all>" + "".join(element(*each) for each in records(keys)) + "</all>"


def in_xml_attributes(keys):
    return "<all>" + "".join(f"<p file='{name}.png'><o " + " ".join(f"{key}='{value}'" for key, value in where.items()) + "/></p>"
                             for name, where in records(keys)) + "</all>"


def in_table(keys, separator=","):
    return lines(separator.join(map(str, row)) for row in [("file", *keys), *((f"{name}.png", *where.values()) for name, where in records(keys))])


def in_words(keys):
    return lines(f"{name}.png " + " ".join(f"{key}={value}" for key, value in where.items()) for name, where in records(keys))


def in_plain_lines(keys):
    return lines(f"{name} " + " ".join(map(str, where.values())) for name, where in records(keys))


FORMS = [("all.json", in_json), ("names.json", in_json_by_name), ("all.jsonl", in_json_lines), ("all.yaml", in_yaml), ("all.toml", in_toml),
         ("all.xml", in_xml), ("more.xml", in_xml_attributes), ("all.csv", in_table), ("all.tsv", lambda keys: in_table(keys, "\t")),
         ("all.txt", in_words), ("plain.lst", in_plain_lines)]


def beside(keys):
    """A JSON file of the stem of a picture."""
    return json.dumps(dict(zip(keys, VALUES[0])))


# Files of data sets that exist, cut to two pictures, in which IMG_000123.png and b_0002.png are.
A, B = NAMES
LAYOUTS = {
    "Bosch traffic lights": ("x/train.yaml", f"- boxes:\n  - {{label: Green, occluded: false, x_max: 5.2, x_min: 2.1, y_max: 4.0, y_min: 1.2}}\n  path: ./rgb/{A}.png\n"
                             f"- boxes: []\n  path: ./rgb/{B}.png\n"),
    "Kaggle RLE": ("x/train.csv", f"ImageId,EncodedPixels\n{A}.png,1 3 10 5\n{B}.png,2 4\n"),
    "Kaggle RLE, classes": ("x/train.csv", f"ImageId_ClassId,EncodedPixels\n{A}.png_1,1 3 10 5\n{A}.png_2,\n"),
    "ImageNet localisation": ("LOC_train_solution.csv", f"ImageId,PredictionString\n{A},n02017213 115 49 448 294\n{B},n02017213 91 42 330 432\n"),
    "CUB-200": ("bounding_boxes.txt", f"1 {A}.png 60.0 27.0 325.0 304.0\n2 {B}.png 139.0 30.0 153.0 264.0\n"),
    "CUB-200, by number": ("image_boxes.json", json.dumps({"images": [{"id": 7, "file": f"{A}.png"}, {"id": 9, "file": f"{B}.png"}],
                                                          "parts": [{"image_id": 7, "x": 3.5, "y": 4.5}, {"image_id": 9, "x": 3.5, "y": 4.25}]})),
    "Visual Genome": ("objects.json", json.dumps([{"image_url": f"https://cs.stanford.edu/{A}.png", "objects": [{"h": 3, "w": 2, "x": 4, "y": 5, "names": ["clock"]}]}])),
    "WIDER FACE": ("wider_face_train_bbx_gt.txt", f"0--Parade/{A}.png\n1\n449 330 122 149 0 0 0 0 0 0\n"),
    "RetinaFace": ("label.txt", f"# 0--Parade/{A}.png\n449 330 122 149 488.9 373.6 0.0\n"),
    "CelebA": ("list_bbox_celeba.txt", f"2\nimage_id x_1 y_1 width height\n{A}.png 95 71 226 313\n{B}.png 72 94 221 306\n"),
    "SageMaker": ("output.manifest", json.dumps({"source-ref": f"s3://b/{A}.png", "boxes": {"annotations": [{"width": 2, "top": 1, "height": 3, "left": 4}]}}) + "\n"),
    "Vertex AI": ("import.jsonl", json.dumps({"imageGcsUri": f"gs://b/{A}.png", "boundingBoxAnnotations": [{"xMin": "0.1", "yMin": "0.2", "xMax": "0.5"}]}) + "\n"),
    "AutoML": ("import.csv", f"TRAIN,gs://bucket/{A}.png,cat,0.1,0.2,,,0.5,0.6,,\n"),
    "RetinaNet": ("annotations.csv", f"{A}.png,2,1,3,4,cat\n{B}.png,,,,,\n"),
    "NeRF": ("transforms_train.json", json.dumps({"camera_angle_x": 0.69, "frames": [{"file_path": f"./train/{A}", "transform_matrix": [[0.9, 0.1], [0.2, 0.3]]},
                                                                                     {"file_path": f"./train/{B}", "transform_matrix": [[0.8, 0.1], [0.2, 0.3]]}]})),
    "COLMAP": ("images.txt", f"# Images\n1 0.85 0.12 0.5 0.1 1.0 2.0 3.0 1 {A}.png\n100.5 200.5 -1 300.1 20.2 5\n"),
    "CrowdHuman": ("annotation_train.odgt", json.dumps({"ID": A, "gtboxes": [{"tag": "person", "hbox": [1, 1, 2, 2]}]}) + "\n"),
    "dlib": ("training.xml", f"<dataset><images><image file='{A}.png'><box top='1' left='2' width='3' height='2'/></image></images></dataset>"),
    "DeepLabCut": ("CollectedData.csv", f"scorer,me,me\nbodyparts,nose,nose\ncoords,x,y\n{A}.png,1.5,2.5\n"),
    "LLaVA": ("chats.json", json.dumps([{"image": f"{A}.png", "conversations": [{"from": "gpt", "value": "a cat at [0.12, 0.30, 0.45, 0.66]"}]}])),
    "Florence": ("chats.jsonl", json.dumps({"image": f"{A}.png", "suffix": "cat<loc_12><loc_30><loc_45><loc_66>"}) + "\n"),
    "pandas by column": ("frame.json", json.dumps({"file": {"0": f"{A}.png", "1": f"{B}.png"}, "col": {"0": 12, "1": 3}, "line": {"0": 4, "1": 7}})),
    "columns": ("columns.json", json.dumps({"file": [f"{A}.png", f"{B}.png"], "col": [12, 3], "line": [4, 7]})),
    "tesseract": (f"x/{A}.box", "T 1 2 3 4 0\n"),
    "300-W": (f"x/{A}.pts", "version: 1\nn_points: 2\n{\n30.5 40\n50 60\n}\n"),
    "ICDAR": (f"gt/gt_{A}.txt", "377,117,463,117,465,130,378,130,Genaxis Theatre\n"),
    "NumPy archive": (f"x/{A}_seg.npz", b"PK\x03\x04" + bytes(40)),
    "MATLAB": (f"ground-truth/GT_{A}.mat", b"MATLAB 5.0 MAT-file" + bytes(109)),
    "PyTorch": (f"x/{A}.pt", b"PK\x03\x04" + bytes(40)),
    "UTF-16": ("boxes.csv", f"file,p,q\n{A}.png,12,4\n{B}.png,3,7\n".encode("utf-16")),
    "medical volumes": (f"x/{A}.nii.gz", b"\x1f\x8b\x08\x00" + bytes(40)),
}

ORIENTATIONS = json.dumps({"title": f"{A}.png", "photoTakenTime": {"timestamp": "1512345678"}, "geoData": {"latitude": 48.1, "longitude": 11.5, "altitude": 520.0,
                           "latitudeSpan": 0.0, "longitudeSpan": 0.0}, "geoDataExif": {"latitude": 48.1, "longitude": 11.5}})
HARMLESS = {
    "captions": {f"x/{A}.txt": "a photo of 2 dogs, 3 cats: landmarks of Paris, a polygon", f"x/{B}.caption": "a cat"},
    "tags": {f"x/{A}.txt": "1girl, solo, 2boys, masterpiece, best quality"},
    "prompts": {f"x/{A}.txt": "a castle\nNegative prompt: blurry\nSteps: 20, Sampler: Euler a, CFG scale: 7, Seed: 12345, Size: 512x512, Model: x\n"},
    "classes by file": {f"x/{A}.cls": "3", f"x/{B}.cls": "7"},
    "classes in a table": {"labels.csv": f"filename,label\n{A}.png,3\n{B}.png,17\n"},
    "scores in a table": {"scores.csv": f"filename,label,score\n{A}.png,3,0.75\n{B}.png,17,0.5\n"},
    "one number": {"steering.csv": f"image,steering\n{A}.png,0.25\n{B}.png,-0.5\n"},
    "CelebA's attributes": {"list_attr_celeba.txt": f"2\nBald Smiling Young Male\n{A}.png -1 1 1 -1\n{B}.png 1 1 -1 -1\n"},
    "one hot": {"train.csv": "id,cat,dog,bird\n" + lines(f"{name},0,1,0" for name in NAMES * 2)},
    "ImageNet's list": {"train.txt": lines(f"n01440764/{name}.png {i}" for i, name in enumerate(NAMES))},
    "StyleGAN": {"dataset.json": json.dumps({"labels": [[f"{A}.png", 3], [f"{B}.png", 5]]})},
    "COCO captions": {"captions.json": json.dumps({"images": [{"id": 37, "file": f"{A}.png"}, {"id": 9, "file": f"{B}.png"}],
                                                  "notes": [{"id": 5, "image_id": 37, "caption": "a cat"}, {"id": 6, "image_id": 9, "caption": "two 2 dogs"}]})},
    "rows that count": {"list.csv": lines(["n,file,class", *(f"{i},{name}.png,{3 - 2 * i}" for i, name in enumerate(NAMES))])},
    "sizes": {"sizes.csv": f"file,width,height,class\n{A}.png,9,5,3\n{B}.png,9,5,1\n"},
    "bytes": {"files.csv": f"name,bytes,width,height,iso\n{A}.png,214,9,5,100\n{B}.png,99,9,5,200\n"},
    "splits": {"split.json": json.dumps({"train": [f"{A}.png"], "val": [f"{B}.png"], "seed": 42, "ratio": 0.8})},
    "VOC's sets": {"ImageSets/Main/cat_train.txt": f"{A} -1\n{B}  1\n"},
    "embeddings in a table": {"embeddings.csv": lines(f"{name}.png," + ",".join(f"{(i % 7 - 3) / 10}" for i in range(128)) for name in NAMES)},
    "embeddings in JSON": {"embeddings.json": json.dumps({f"{name}.png": [(i % 5 - 2) / 10 for i in range(512)] for name in NAMES})},
    "embeddings elsewhere": {"embeddings.npy": layout_data.DEPTH, "model.pt": b"PK\x03\x04" + bytes(40)},
    "Google": {f"x/{A}.png.json": ORIENTATIONS, f"x/{A}.png.supplemental-metadata.json": ORIENTATIONS},
    "Flickr": {f"x/photo_{A}.json": json.dumps({"id": "123", "name": "x", "date_taken": "2020-01-01 10:00:00", "count_views": "12", "license": "All Rights Reserved"})},
    "ExifTool, JSON": {"exif.json": json.dumps([{"SourceFile": f"{A}.png", "ReferenceBlackWhite": "0 255 128 255", "LensInfo": "24 70 2.8 2.8", "ISO": 100, "FNumber": 2.8}])},
    "ExifTool, CSV": {"exif.csv": f"SourceFile,ImageWidth,ImageHeight,ISO,GPSLatitude,LensInfo\n{A}.png,9,5,100,48.1,24 70 2.8 2.8\n"},
    "img2dataset": {f"x/{A}.json": json.dumps({"caption": "a cat", "url": "http://x/y.png", "key": A, "status": "success", "error_message": None, "width": 9,
                                              "height": 5, "original_width": 640, "original_height": 480, "exif": '{"Image Orientation": "1"}', "similarity": 0.31})},
    "KITTI's OXTS": {f"oxts/data/{A}.txt": "49.01 8.43 112.8 0.02 0.001 -1.2 3.4 4.5 6.7\n"},
    "darktable": {f"x/{A}.png.xmp": '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></x:xmpmeta>'},
    "developers": {f"x/{A}.png.pp3": "[Crop]\nX=12\nY=30\nW=40\nH=50\n", f"x/{A}.png.dop": "Sidecar = {\nCrop = {1, 2, 3, 4}}\n", f"x/{A}.AAE": "<plist><real>1.5</real><real>2.5</real></plist>"},
    "catalogues": {"digikam4.db": b"SQLite format 3\0" + f"{A}.png".encode() + bytes(9), "Thumbs.db": b"\xd0\xcf\x11\xe0\0" + f"{A}.png".encode(),
                   "Lightroom.lrcat": b"SQLite format 3\0" + f"{A}.png".encode()},
    "a camera": {f"x/{A}.THM": b"\xff\x01\0", f"x/{A}.WAV": b"RIFF\0\0", f"x/{A}.MOV": b"\0\0\0\x14ftypqt", f"x/{A}.CR3": b"\0\0\0\x18ftypcrx "},
    "checksums": {"SHA256SUMS": lines(f"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  {name}.png" for name in NAMES),
                  "x.sfv": f"{A}.png 12345678\n", "md5.txt": f"d41d8cd98f00b204e9800998ecf8427e *{A}.png\n"},
    "scripts": {"turn.py": f"crop = (1, 2, 3, 4)\nopen('{A}.png')\n", "run.sh": f"convert {A}.png -crop 10x20+30+40\n"},
    "web pages": {"index.html": f'<img src="{A}.png" width="9"> 10 20 30 40', "site.webmanifest": json.dumps({"icons": [{"src": f"{A}.png", "sizes": "9x5"}]})},
    "a web application": {"package.json": json.dumps({"name": "x", "version": "1.2.3", "files": [f"{A}.png"]}), "mkdocs.yml": f"theme:\n  logo: {A}.png\n  features: [navigation.tabs]\n"},
    "documents": {"README.md": f"`{A}.png 1 2 3 4`\n", "README.txt": f"A line is: {A}.png 10 20 30 40, bbox: [1, 2, 3, 4]\n", f"x/{A}.pdf": b"%PDF-1.4\0"},
    "scanned text": {f"x/{A}.txt": "Dear Sir, we thank you for your order of last week and send you the goods that you asked for with this letter, at the prices that we "
                                  "had told you before, for which we ask you to pay within thirty days. Totals 12.00 13.00 14.00 15.00\nYours\n"},
    "logs": {"log.txt": f"2026-11-05 10:12:33,123 INFO wrote {A}.png in 12 ms\n" * 9 + "loss 0.5 0.4 0.3 0.2\n", "results.csv": "epoch,train/loss,lr\n1,0.5,0.01\n"},
    "of no picture": {"config.json": json.dumps({"crop": [1, 2, 3, 4], "model": "x.png.txt"}), "other.csv": "file,p,q\nzzz.png,1,2\nyyy.png,3,4\n"},
    "settings": {"data.yaml": "train: images/train\nval: images/val\nnc: 2\nnames: [cat, dog]\n", "requirements.txt": "numpy==1.26\npillow>=10\n"},
    "archives": {"backup.zip": b"PK\x03\x04" + f"{A}.png".encode() + bytes(9), "old.7z": b"7z\xbc\xaf'\x1c\0"},
    "names only": {"train.txt": lines(f"./x/{name}.png" for name in NAMES), "pairs.csv": f"left,right\n{A}.png,{B}.png\n"},
}


def words_of(way):
    return {FOLDER: ("flop", "data", "-o", "out"), TAR: ("flop", "data.tar", "-o", "out.tar"), IN_PLACE: ("upright", "data", "--in-place"),
            AUGMENT: ("augment", "data", "-o", "out", "--variants", "flop", "--labels-drawn-on", "stored")}[way]


def pictures(way):
    return {f"x/{name}.png": TAGGED if way == IN_PLACE else PNG for name in NAMES}


def check_stops(name, file, content, way):
    with Place({**pictures(way), file: content}) as place:
        place.tar()
        before = place.tree()
        done = place.run(*words_of(way))
        if "labels of 2 of 2 pictures turn with them" in done.stderr:
            return  # a table whose columns are known
        said = f"{name}, {' '.join(words_of(way))}: {done.returncode}: {done.stderr}"
        assert done.returncode == 2 and file.rpartition("/")[2] in done.stderr, said
        is_of_csv = "cannot be turned" in done.stderr or "not turned in place" in done.stderr  # the columns of a known format
        assert is_of_csv or "--others leave" in done.stderr, said
        assert "--labels none" not in done.stderr, said
        assert place.tree() == before, said
        if way == FOLDER and not is_of_csv:
            done = place.run(*words_of(way), "--others", "leave")
            assert done.returncode == 0, f"{name}, --others leave: {done.stderr}"


def check_passes(name, files, way):
    with Place({**pictures(way), **files}) as place:
        place.tar()
        done = place.run(*words_of(way))
        assert done.returncode == 0, f"{name}, {' '.join(words_of(way))}: {done.returncode}: {done.stderr}"


def main():
    assert len(SPELLINGS) >= 40 and len(FORMS) >= 9 and len(LAYOUTS) >= 30 and len(HARMLESS) >= 40, (len(LAYOUTS), len(HARMLESS))
    is_all = "--all" in sys.argv
    number = itertools.count()

    def ways():
        return range(4) if is_all else [next(number) % 4]

    for i, keys in enumerate(SPELLINGS):
        forms = [*FORMS, (f"x/{A}.json", beside)]
        for file, form in forms if is_all else [forms[i % len(forms)]]:
            for way in ways():
                check_stops(f"{keys} in {file}", file, form(keys), way)
    for name, (file, content) in LAYOUTS.items():
        for way in ways():
            check_stops(name, file, content, way)
    for name, files in HARMLESS.items():
        for way in ways():
            check_passes(name, files, way)
    print(f"{len(SPELLINGS)} spellings in {len(FORMS)} forms, {len(LAYOUTS)} layouts, {len(HARMLESS)} harmless folders")


if __name__ == "__main__":
    main()
