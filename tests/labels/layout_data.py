"""Data sets in the formats and layouts in which programs write them, each as small as it can be. Pictures are 9 x 5 and are None here."""
import dataclasses
import json

BOX = "0 0.25 0.5 0.1 0.2\n"  # of YOLO
FLOPPED = "0 0.75 0.5 0.1 0.2\n"


@dataclasses.dataclass
class Layout:
    name: str
    layout: str
    files: dict
    label: str = ""   # the file that is turned, or is named
    turned: str = ""  # what it holds after a flop
    says: str = ""    # if it is refused: the format, in the message
    options: tuple = ()
    variants: tuple = ()  # what else augment writes, with the label first
    is_inside: bool = False  # it is found only if its folder is below the input
    is_shown: bool = True    # in the table


def voc(*, more="", xmin=2, xmax=4, name="a.png"):
    return (f"<annotation><filename>{name}</filename><size><width>9</width><height>5</height></size><object><name>cat</name><bndbox><xmin>{xmin}</xmin>"
            f"<ymin>1</ymin><xmax>{xmax}</xmax><ymax>3</ymax></bndbox>{more}</object></annotation>\n")


def labelme(shape_type="rectangle"):
    points, direction = ([[1, 1], [3, 4]], 0) if shape_type == "rectangle" else ([[3, 1], [1, 1], [1, 4], [3, 4]], 0.2)
    return json.dumps({"shapes": [{"label": "cat", "points": points, "shape_type": shape_type, "direction": direction}], "imagePath": "a.png",
                       "imageData": None, "imageHeight": 5, "imageWidth": 9})


def coco(folder="", image=None, **more):
    return json.dumps({"images": [{"id": 1, "file_name": folder + "a.png", "width": 9, "height": 5, **(image or {})}],
                       "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 2], **more}],
                       "categories": [{"id": 1, "name": "cat"}]})


def npy(shape, values):
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(values)


DEPTH = npy((5, 9), range(45))
DEPTH_FLOPPED = npy((5, 9), [9 * y + 8 - x for y in range(5) for x in range(9)])
PANOPTIC = json.dumps({"images": [{"id": 1, "file_name": "a.png", "width": 9, "height": 5}], "categories": [{"id": 1, "name": "cat"}],
                       "annotations": [{"image_id": 1, "file_name": "a.png",
                                        "segments_info": [{"id": 7, "category_id": 1, "bbox": [1, 2, 3, 2], "area": 6}]}]})
ROTATED = "<attributes><attribute><name>rotation</name><value>{}</value></attribute></attributes>"
ROBNDBOX = "<robndbox><cx>{}</cx><cy>2.5</cy><w>3.0</w><h>1.0</h><angle>{}</angle></robndbox>"
YAML = "path: .\ntrain: images\nval: images\nnames:\n  0: cat\n"

DOTA = "imagesource:GoogleEarth\ngsd:0.146343\n1 1 4 2 3.5 4 0.5 3 small-vehicle 0\n"
CVAT = ('<?xml version="1.0"?>\n<annotations><version>1.1</version><image id="0" name="images/a.png" width="9" height="5"><box label="cat" xtl="1.00" '
        'ytl="1.00" xbr="3.00" ybr="4.00" z_order="0"></box></image></annotations>\n')

LABEL_STUDIO = json.dumps([{"data": {"image": "/data/upload/1/a.png"}, "annotations": [{"result": [{"value":
                           {"x": 10.0, "y": 10.0, "width": 20.0, "height": 30.0, "rectanglelabels": ["cat"]}}]}]}])
CREATE_ML = json.dumps([{"image": "a.png", "annotations": [{"label": "cat", "coordinates": {"x": 2, "y": 2, "width": 2, "height": 3}}]}])

DATUMARO = json.dumps({"infos": {}, "categories": {}, "items": [{"id": "a", "annotations": [{"type": "bbox", "bbox": [1.0, 1.0, 2.0, 3.0]}],
                                                           "image": {"path": "a.png", "size": [5, 9]}}]})

SUPERVISELY = json.dumps({"tags": [], "size": {"height": 5, "width": 9}, "objects": [{"classTitle": "cat", "geometryType": "rectangle", "points":
                         {"exterior": [[1, 1], [3, 4]], "interior": []}}]})
CITYSCAPES = json.dumps({"imgHeight": 5, "imgWidth": 9, "objects": [{"label": "road", "polygon": [[0, 1], [8, 1], [3, 4]]}]})
KITTI = "Car 0.00 0 {} 1.41 1.00 6.75 3.25 {}\n"
FLAT = KITTI.format(-10, "-1 -1 -1 -1000 -1000 -1000 -10")
DEEP = KITTI.format(-1.57, "2.85 2.63 12.34 0.47 1.49 69.44 -1.56")
KITTI_FLOPPED = "Car 0.00 0 -10 1.25 1.00 6.59 3.25 -1 -1 -1 -1000 -1000 -1000 -10\n"
CALIB = "P0: 7.215377e+02 0.000000e+00 6.095593e+02 0.000000e+00\n"
REGION = {"shape_attributes": {"name": "rect", "x": 1, "y": 1, "width": 2, "height": 3}, "region_attributes": {}}
VIA = {"a.png214": {"filename": "a.png", "size": 214, "regions": [REGION], "file_attributes": {}}}
VIA_PROJECT = {"_via_settings": {}, "_via_img_metadata": VIA, "_via_attributes": {}, "_via_image_id_list": ["a.png214"]}

# Formats, who proves their turns, and the test that compares.
PROVED = [
    (("YOLO",), "Ultralytics", "labels/ultralytics_oracle.py"),
    (("YOLO", "Pascal VOC", "COCO", "CSV"), "Albumentations", "labels/albumentations_oracle.py"),
    (("COCO",), "pycocotools", "labels/coco_oracle.py"),
    (("COCO panoptic",), "the ids of its PNGs", "labels/panoptic_oracle.py"),
    (("CVAT", "Datumaro"), "Datumaro", "labels/elements_oracle.py"),
    (("Label Studio",), "its converter", "labels/elements_oracle.py"),
    (("Hugging Face", "CVAT", "Label Studio", "Datumaro", "Create ML", "VIA"), "painted shapes", "labels/elements_oracle.py"),
    (("LabelMe", "YOLO", "Pascal VOC", "COCO", "CSV"), "painted shapes", "cli/painted_test.cpp"),
    (("Pascal VOC",), "painted shapes", "labels/voc_test.cpp"),
    (("LabelMe",), "painted shapes", "labels/labelme_test.cpp"),
    (("DOTA",), "painted shapes", "labels/dota_test.cpp"),
    (("Supervisely",), "painted shapes", "labels/supervisely_test.cpp"),
    (("Cityscapes",), "painted shapes", "labels/cityscapes_test.cpp"),
    (("KITTI",), "painted shapes", "labels/kitti_test.cpp"),
    (("NumPy",), "NumPy", "labels/npy_oracle.py"),
]

TURNED = [
    Layout("YOLO", "`x/a.jpg`, `x/a.txt`", {"x/a.png": None, "x/a.txt": BOX}, "x/a.txt", FLOPPED),
    Layout("YOLO, Ultralytics", "`images/a.jpg`, `labels/a.txt`, `data.yaml`", {"images/a.png": None, "labels/a.txt": BOX, "data.yaml": YAML},
           "labels/a.txt", FLOPPED),
    Layout("YOLO, Roboflow", "`train/images/a.jpg`, `train/labels/a.txt`", {"train/images/a.png": None, "train/labels/a.txt": BOX},
           "train/labels/a.txt", FLOPPED),
    Layout("YOLO, Darknet, CVAT", "`obj_train_data/a.jpg`, `obj_train_data/a.txt`, `obj.names`",
           {"obj_train_data/a.png": None, "obj_train_data/a.txt": BOX, "obj.names": "cat\n", "train.txt": "data/obj_train_data/a.png\n"},
           "obj_train_data/a.txt", FLOPPED),
    Layout("YOLO in another folder", "`x/a.jpg`, `other/x/a.txt`", {"x/a.png": None, "other/x/a.txt": BOX}, "x/a.txt", FLOPPED,
           options=("--labels", "yolo:data/other")),
    Layout("YOLO, oriented boxes, polygons", "`x/a.jpg`, `x/a.txt`", {"x/a.png": None, "x/a.txt": "0 0.1 0.1 0.4 0.1 0.4 0.5 0.1 0.5\n"}, "x/a.txt",
           "0 0.9 0.1 0.6 0.1 0.6 0.5 0.9 0.5\n", options=("--keypoints", "none")),
    Layout("Pascal VOC", "`JPEGImages/a.jpg`, `Annotations/a.xml`", {"JPEGImages/a.png": None, "Annotations/a.xml": voc()}, "Annotations/a.xml",
           "<xmin>6</xmin><ymin>1</ymin><xmax>8</xmax>"),
    Layout("Pascal VOC that counts from 0", "the same", {"JPEGImages/a.png": None, "Annotations/a.xml": voc(xmin=0)}, "Annotations/a.xml",
           "<xmin>5</xmin><ymin>1</ymin><xmax>9</xmax>", options=("--labels", "voc:0")),
    Layout("Pascal VOC, Roboflow, labelImg", "`train/a.jpg`, `train/a.xml`", {"train/a.png": None, "train/a.xml": voc()}, "train/a.xml", "<xmin>6</xmin>"),
    Layout("Pascal VOC, CVAT's `rotation`", "the same", {"x/a.png": None, "x/a.xml": voc(more=ROTATED.format("30.0"))}, "x/a.xml", ROTATED.format("330.0"), is_shown=False),
    Layout("Pascal VOC, roLabelImg", "`x/a.jpg`, `x/a.xml`", {"x/a.png": None, "x/a.xml": voc(more=ROBNDBOX.format(2.5, "0.523599"))}, "x/a.xml",
           ROBNDBOX.format(6.5, "2.617994"), is_shown=False),
    Layout("LabelMe, X-AnyLabeling", "`x/a.jpg`, `x/a.json`", {"x/a.png": None, "x/a.json": labelme()}, "x/a.json", "[6, 1], [8, 4]"),
    Layout("DOTA", "`images/P1.png`, `labelTxt/P1.txt`", {"images/P1.png": None, "labelTxt/P1.txt": DOTA}, "labelTxt/P1.txt",
           "gsd:0.146343\n5 2 8 1 8.5 3 5.5 4 small-vehicle 0\n"),
    Layout("DOTA, Roboflow", "`train/images/P1.jpg`, `train/labelTxt/P1.txt`", {"train/images/P1.png": None, "train/labelTxt/P1.txt": DOTA},
           "train/labelTxt/P1.txt", "\n5 2 8 1 8.5 3 5.5 4 small-vehicle 0\n"),
    Layout("LabelMe, X-AnyLabeling's `rotation`", "`x/a.jpg`, `x/a.json`", {"x/a.png": None, "x/a.json": labelme("rotation")}, "x/a.json",
           '"points": [[8, 1], [6, 1], [6, 4], [8, 4]], "shape_type": "rotation", "direction": 6.1', is_shown=False),
    Layout("COCO", "`train/a.jpg`, `annotations/instances_train.json`", {"train/a.png": None, "annotations/instances_train.json": coco()},
           "annotations/instances_train.json", "[5, 2, 3, 2]"),
    Layout("COCO, Roboflow", "`train/a.jpg`, `train/_annotations.coco.json`", {"train/a.png": None, "train/_annotations.coco.json": coco()},
           "train/_annotations.coco.json", "[5, 2, 3, 2]"),
    Layout("COCO Camera Traps", "`x/a.jpg`, `x/traps.json`",
           {"x/a.png": None, "x/traps.json": coco(image={"seq_id": "5a1", "seq_num_frames": 3, "frame_num": 2, "location": 46}, count=2)}, "x/traps.json",
           "[5, 2, 3, 2]", is_shown=False),
    Layout("COCO panoptic", "`train/a.jpg`, `annotations/panoptic_train.json`, `annotations/panoptic_train/a.png`",
           {"train/a.png": None, "annotations/panoptic_train/a.png": None, "annotations/panoptic_train.json": PANOPTIC},
           "annotations/panoptic_train.json", '[{"id": 7, "category_id": 1, "bbox": [5, 2, 3, 2], "area": 6}]'),
    Layout("COCO, CVAT's `rotation`", "`images/a.jpg`, `annotations/instances_default.json`",
           {"images/a.png": None, "annotations/instances_default.json": coco(attributes={"occluded": False, "rotation": 30.0})},
           "annotations/instances_default.json", '"rotation": 330.0', is_shown=False),
    Layout("CSV with names of columns", "`train/a.jpg`, `train/_annotations.csv`",
           {"train/a.png": None, "train/_annotations.csv": "filename,width,height,class,xmin,ymin,xmax,ymax\na.png,9,5,cat,1,1,3,4\n"},
           "train/_annotations.csv", "a.png,9,5,cat,6,1,8,4"),
    Layout("CVAT for images", "`images/a.jpg`, `annotations.xml`", {"images/a.png": None, "annotations.xml": CVAT}, "annotations.xml",
           'xtl="6.00" ytl="1.00" xbr="8.00" ybr="4.00"'),
    Layout("Label Studio", "`images/a.jpg`, `project-1.json`", {"images/a.png": None, "project-1.json": LABEL_STUDIO}, "project-1.json",
           '"x": 70.0, "y": 10.0, "width": 20.0'),
    Layout("Create ML", "`train/a.jpg`, `train/_annotations.createml.json`", {"train/a.png": None, "train/_annotations.createml.json": CREATE_ML},
           "train/_annotations.createml.json", '{"x": 7, "y": 2, "width": 2, "height": 3}'),
    Layout("Datumaro", "`images/train/a.jpg`, `annotations/train.json`", {"images/train/a.png": None, "annotations/train.json": DATUMARO},
           "annotations/train.json", '"bbox": [6.0, 1.0, 2.0, 3.0]'),
    Layout("Hugging Face", "`train/a.jpg`, `train/metadata.jsonl`",
           {"train/a.png": None, "train/metadata.jsonl": '{"file_name": "a.png", "objects": {"bbox": [[1.0, 2.0, 3.0, 2.0]], "categories": [0]}}\n'},
           "train/metadata.jsonl", '{"file_name": "a.png", "objects": {"bbox": [[5.0, 2.0, 3.0, 2.0]], "categories": [0]}}\n'),
    Layout("Hugging Face, CSV", "`train/a.jpg`, `train/metadata.csv`",
           {"train/a.png": None, "train/metadata.csv": 'file_name,label,objects\na.png,1,"{""bbox"": [[1.0, 2.0, 3.0, 2.0]]}"\n'},
           "train/metadata.csv", '\na.png,1,"{""bbox"": [[5.0, 2.0, 3.0, 2.0]]}"\n'),
    Layout("Hugging Face, two corners", "the same",
           {"train/a.png": None, "train/metadata.jsonl": '{"file_name": "a.png", "objects": {"bbox": [[1.0, 2.0, 4.0, 4.0]], "categories": [0]}}\n'},
           "train/metadata.jsonl", '{"file_name": "a.png", "objects": {"bbox": [[5.0, 2.0, 8.0, 4.0]], "categories": [0]}}\n',
           options=("--labels", "huggingface:voc"), is_shown=False),
    Layout("Supervisely", "`ds0/img/a.jpg`, `ds0/ann/a.jpg.json`", {"ds0/img/a.png": None, "ds0/ann/a.png.json": SUPERVISELY, "meta.json": "{}"},
           "ds0/ann/a.png.json", "[[5, 1], [7, 4]]", variants=("ds0/ann/a__flop.png.json", "ds0/img/a__flop.png")),
    Layout("Cityscapes, masks as pictures", "`leftImg8bit/train/x/a_leftImg8bit.png`, `gtFine/train/x/a_gtFine_polygons.json`, `_labelIds.png`...",
           {"leftImg8bit/train/x/a_leftImg8bit.png": None, "gtFine/train/x/a_gtFine_polygons.json": CITYSCAPES,
            "gtFine/train/x/a_gtFine_labelIds.png": None}, "gtFine/train/x/a_gtFine_polygons.json", "[[8, 1], [0, 1], [5, 4]]",
           variants=("gtFine/train/x/a__flop_gtFine_polygons.json", "gtFine/train/x/a__flop_gtFine_labelIds.png",
                     "leftImg8bit/train/x/a__flop_leftImg8bit.png")),
    Layout("KITTI without 3D boxes", "`image_2/000001.png`, `label_2/000001.txt`", {"image_2/000001.png": None, "label_2/000001.txt": FLAT},
           "label_2/000001.txt", KITTI_FLOPPED),
    Layout("KITTI beside the pictures", "`x/a.jpg`, `x/a.txt`", {"x/a.png": None, "x/a.txt": FLAT}, "x/a.txt", KITTI_FLOPPED),
    Layout("VIA, JSON", "`images/a.jpg`, `via_region_data.json`", {"images/a.png": None, "via_region_data.json": json.dumps(VIA)},
           "via_region_data.json", '"x": 6, "y": 1, "width": 2, "height": 3'),
    Layout("VIA, projects", "`images/a.jpg`, `via_project.json`", {"images/a.png": None, "via_project.json": json.dumps(VIA_PROJECT)},
           "via_project.json", '"x": 6, "y": 1, "width": 2, "height": 3'),
    Layout("NumPy", "`x/a.jpg`, `x/a.npy`, `x/a.depth.npy`", {"x/a.png": None, "x/a.npy": DEPTH, "x/a.depth.npy": DEPTH}, "x/a.npy",
           DEPTH_FLOPPED),
    Layout("NumPy, depth maps", "`rgb/a.jpg` or `images/a.jpg`, `depth/a.npy`", {"rgb/a.png": None, "depth/a.npy": DEPTH}, "depth/a.npy", DEPTH_FLOPPED),
    Layout("NumPy, DIODE", "`x/a.jpg`, `x/a_depth.npy`", {"x/a.png": None, "x/a_depth.npy": DEPTH, "x/a_depth_mask.npy": DEPTH}, "x/a_depth.npy",
           DEPTH_FLOPPED, variants=("x/a__flop_depth.npy", "x/a__flop_depth_mask.npy")),
]

CVAT_VIDEO = ('<annotations><meta><source>a.png</source></meta><track id="0" label="cat"><box frame="0" xtl="1" ytl="1" xbr="3" ybr="4"/></track>'
              '</annotations>\n')
VIA_CSV = ('filename,file_size,file_attributes,region_count,region_id,region_shape_attributes,region_attributes\n'
           'a.png,214,"{}",1,0,"{""name"":""rect"",""x"":1,""y"":1,""width"":2,""height"":3}","{}"\n')
LABEL_STUDIO_MIN = json.dumps([{"image": "/data/upload/1/a.png", "label": [{"x": 10.0, "y": 10.0, "width": 20.0, "height": 30.0,
                                "rectanglelabels": ["cat"]}]}])
BDD = json.dumps([{"name": "a.png", "labels": [{"category": "cat", "box2d": {"x1": 1.0, "y1": 1.0, "x2": 3.0, "y2": 4.0}}]}])
CELEBA = ("1\nlefteye_x lefteye_y righteye_x righteye_y nose_x nose_y leftmouth_x leftmouth_y rightmouth_x rightmouth_y\n"
          "000001.png 69 109 106 113 77 142 73 152 108 154\n")


def refused(name, layout, picture, label, content, says, **more):
    return Layout(name, layout, {picture: None, label: content}, label, says=says, **more)


REFUSED = [
    refused("KITTI with 3D boxes", "`image_2/000001.png`, `label_2/000001.txt`", "training/image_2/000001.png", "training/label_2/000001.txt", DEEP,
            "KITTI 3D labels"),
    Layout("KITTI with `calib`", "the same, `calib/000001.txt`", {"image_2/000001.png": None, "label_2/000001.txt": FLAT, "calib/000001.txt": CALIB},
           "calib", says="calib"),
    refused("Cityscapes, coarse", "`leftImg8bit/train/x/a_leftImg8bit.png`, `gtCoarse/train/x/a_gtCoarse_polygons.json`",
            "leftImg8bit/train/x/a_leftImg8bit.png", "gtCoarse/train/x/a_gtCoarse_polygons.json", CITYSCAPES, "a_gtCoarse_polygons.json"),
    refused("CVAT for video", "`images/a.jpg`, `annotations.xml`", "images/a.png", "annotations.xml", CVAT_VIDEO, "CVAT for video labels"),
    refused("VIA, CSV", "`images/a.jpg`, `via_region_data.csv`", "images/a.png", "via_region_data.csv", VIA_CSV, "VIA CSV labels"),
    refused("WIDER FACE", "`WIDER_train/images/0--Parade/a.jpg`, `wider_face_split/wider_face_train_bbx_gt.txt`", "WIDER_train/images/0--Parade/a.png",
            "wider_face_split/wider_face_train_bbx_gt.txt", "0--Parade/a.png\n1\n449 330 122 149 0 0 0 0 0 0\n", "names a picture with",
            is_inside=True),
    refused("CelebA", "`img_align_celeba/000001.jpg`, `list_landmarks_align_celeba.txt`", "img_align_celeba/000001.png",
            "list_landmarks_align_celeba.txt", CELEBA, "CelebA labels"),
    refused("AutoML, CSV", "`x/a.jpg`, `import.csv`", "x/a.png", "import.csv",
            "TRAIN,gs://bucket/x/a.png,cat,0.1,0.2,,,0.5,0.6,,\n", "names a picture with"),
    refused("RetinaNet, CSV", "`x/a.jpg`, `annotations.csv`", "x/a.png", "annotations.csv", "x/a.png,1,1,3,4,cat\n",
            "names a picture with"),
    refused("JSON Lines of any kind", "`x/a.jpg`, `boxes.jsonl`", "x/a.png", "boxes.jsonl", '{"image": "x/a.png", "loc": [1, 1, 3, 4]}\n',
            "numbers"),
    refused("Label Studio, JSON-MIN", "`images/a.jpg`, `project-1.json`", "images/a.png", "project-1.json", LABEL_STUDIO_MIN,
            "Label Studio JSON-MIN labels"),
    refused("BDD100K", "`images/a.jpg`, `det_train.json`", "images/a.png", "det_train.json", BDD, "BDD100K labels"),
    refused("ICDAR", "`x/img_1.jpg`, `gt/gt_img_1.txt`", "x/img_1.png", "gt/gt_img_1.txt", "377,117,463,117,465,130,378,130,Genaxis Theatre\n",
            "numbers"),
    refused("300-W, points", "`x/a.jpg`, `x/a.pts`", "x/a.png", "x/a.pts", "version: 1\nn_points: 2\n{\n30.5 40\n50 60\n}\n", "numbers"),
    refused("NumPy, other axes", "`x/a.jpg`, `x/a.npy`", "x/a.png", "x/a.npy", npy((4,), range(4)), "its shape is (4)"),
    refused("NumPy elsewhere", "`x/a.jpg`, `features/a.npy`", "x/a.png", "features/a.npy", DEPTH, "has the name of a picture, and is not a text", is_inside=True),
    *(refused(name, "", picture, label, content, says, is_shown=False) for name, picture, label, content, says in (
        ("YOLO in UTF-16", "x/a.png", "x/a.txt", BOX.encode("utf-16"), "UTF-16 labels"),
        ("Pascal VOC in UTF-16", "x/a.png", "x/a.xml", voc().encode("utf-16"), "UTF-16 labels"),
        ("DeepLabCut", "x/a.png", "x/CollectedData_me.csv", "scorer,,me,me\nbodyparts,,nose,nose\ncoords,,x,y\nx,a.png,1.5,2.5\n", "DeepLabCut labels"),
        ("CrowdHuman", "Images/a00001.png", "annotation_train.odgt",
         '{"ID": "a00001", "gtboxes": [{"tag": "person", "hbox": [1, 1, 2, 2], "fbox": [1, 1, 3, 4]}]}\n', "numbers"),
        ("SageMaker", "x/a.png", "x/output.manifest",
         '{"source-ref": "s3://b/a.png", "box": {"annotations": [{"width": 2, "top": 1, "height": 3, "left": 1}]}}\n', "numbers"),
        ("Vertex", "x/a.png", "x/import.jsonl", '{"imageGcsUri": "gs://b/a.png", "boundingBoxAnnotations": [{"xMin": "0.1", "yMin": "0.2"}]}\n',
         "numbers"),
        ("Severstal", "x/a.png", "x/train.csv", "ImageId_ClassId,EncodedPixels\na.png_1,1 3 10 5\n", "numbers"),
        ("COLMAP", "images/a.png", "images.txt", "# Images\n1 0.85 0.12 0.5 0.1 1.0 2.0 3.0 1 a.png\n100.5 200.5 -1 300.1 20.2 5\n",
         "numbers"),
        ("NeRF", "train/r_0.png", "transforms_train.json",
         '{"frames": [{"file_path": "./train/r_0", "transform_matrix": [[1, 0, 0, 0], [0, 1, 0, 0.5], [0, 0, 1, 4.03], [0, 0, 0, 1]]}]}',
         "numbers"),
        ("language models", "x/a.png", "x/chats.json", '[{"image": "a.png", "answer": "a cat at [0.12, 0.30, 0.45, 0.66]"}]', "numbers"),
        ("ASAP", "x/a.png", "x/a.xml", '<A><Annotation Type="Polygon"><Coordinates><Coordinate Order="0" X="1" Y="2"/></Coordinates></Annotation></A>',
         "numbers"),
        ("ALTO", "x/a.png", "x/a.xml", '<alto><Page WIDTH="9"><String CONTENT="x" HPOS="1" VPOS="2" WIDTH="3" HEIGHT="1"/></Page></alto>',
         "numbers"),
        ("dlib", "x/a.png", "x/training.xml", "<dataset><images><image file='a.png'><box top='1' left='2' width='3' height='2'/></image></images></dataset>",
         "numbers"),
        ("300W-LP", "x/a.png", "x/a.mat", b"MATLAB 5.0 MAT-file" + bytes(109), "MATLAB labels"),
        ("ShanghaiTech", "images/a.png", "ground-truth/GT_a.mat", b"MATLAB 5.0 MAT-file" + bytes(109), "a.mat"),
        ("ImageJ", "x/a.png", "x/a.roi", b"Iout" + bytes(60), "ImageJ labels"),
        ("QuPath", "x/a.png", "x/a.png.qpdata", bytes(60), "QuPath labels"),
        ("tesseract", "x/a.png", "x/a.box", "T 1 2 3 4 0\n", "numbers"))),
    refused("YOLO where nobody looks", "`x/a.jpg`, `other/a.txt`", "x/a.png", "other/a.txt", BOX, "YOLO labels", is_inside=True),
]


ORDINARY = [
    Layout("captions", "`a.txt`, `metadata.jsonl` with `text`", {
        "a.png": None, "b.png": None, "a.txt": "a photo of 2 dogs, 3 cats: landmarks of Paris, a polygon", "b.txt": "a cat",
        "metadata.jsonl": '{"file_name": "a.png", "text": "a photo of 2 dogs"}\n'}),
    Layout("embeddings", "`embeddings.csv`, `embeddings.json`: rows of 64 numbers or more, many negative", {
        "a.png": None, "embeddings.npy": DEPTH, "embeddings.csv": "a.png," + ",".join(f"{(i % 7 - 3) / 10}" for i in range(128)) + "\n",
        "embeddings.json": json.dumps({"a.png": [(i % 5 - 2) / 10 for i in range(512)]})}),
    Layout("logs", "`log.txt`, `results.csv`", {
        "a.png": None, "log.txt": "2026-11-05 10:12:33,123 INFO wrote a.png in 12 ms\n" * 9 + "loss 0.5 0.4 0.3 0.2\n",
        "results.csv": "epoch,train/box_loss,lr\n1,0.5,0.01\n"}),
    Layout("notes", "`README.md`, `README.txt`, `LICENSE`", {
        "a.png": None, "README.md": "Boxes: `a.png 1 2 3 4`\n", "README.txt": "A line is: a.png 10 20 30 40, bbox: [1, 2, 3, 4]\n",
        "LICENSE": "MIT\n"}),
    Layout("web pages", "`index.html`, `style.css`, `site.webmanifest`", {
        "a.png": None, "index.html": '<img src="a.png" width="9"> 10 20 30 40', "style.css": ".a { margin: 1 2 3 4 }",
        "site.webmanifest": '{"icons": [{"src": "a.png", "sizes": "9x5"}]}', "data.json": '{"hero": "a.png", "title": "10 20 30 40"}'}),
    Layout("a camera's files", "`a.THM`, `a.xmp`, `a.WAV`", {
        "a.png": None, "a.THM": b"\x00\x01", "a.WAV": b"RIFF\x00\x00",
        "a.xmp": '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></x:xmpmeta>'}),
    Layout("a program", "`requirements.txt`, `package.json`", {
        "a.png": None, "requirements.txt": "numpy==1.26\npillow>=10\n", "package.json": '{"name": "x", "version": "1.2.3", "files": ["a.png"]}'}),
    Layout("lists of names", "`train.txt`, `files.csv`, `SHA256SUMS.txt`", {
        "a.png": None, "train.txt": "a.png\n", "files.csv": "name,bytes,width,height,iso\na.png,214,9,5,100\n",
        "SHA256SUMS.txt": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  a.png\n"}),
    Layout("classes of pictures", "`classes.csv`, rows of 0, 1 and -1", {
        "a.png": None, "classes.csv": "filename,label,split\na.png,cat,train\n", "list_attr.txt": "2\nBald Smiling Young Male\na.png -1 1 1 -1\n",
        "onehot.csv": "a.png,0,1,0,0,1\n"}),
    Layout("of photo services and ExifTool", "`a.jpg.json`, `exif.json`, `exif.csv`", {
        "a.png": None, "a.png.json": '{"title": "a.png", "geoData": {"latitude": 48.1, "longitude": 11.5, "altitude": 520.0, "latitudeSpan": 0.0}}',
        "exif.json": '[{"SourceFile": "a.png", "ReferenceBlackWhite": "0 255 128 255 128 255", "LensInfo": "24 70 2.8 2.8"}]',
        "exif.csv": "SourceFile,ImageWidth,ImageHeight,ISO,GPSLatitude,LensInfo\na.png,9,5,100,48.1,24 70 2.8 2.8\n"}),
    Layout("programs' settings", "`mkdocs.yml`, `data.yaml`", {
        "a.png": None, "mkdocs.yml": "theme:\n  logo: a.png\n  features: [navigation.tabs]\nextra_css: [a.css]\n", "product.json": '{"image": "a.png", "box": 12, "size": "small"}',
        "data.yaml": "train: images/train\nnc: 2\nnames: [cat, dog]\n", "notes.info": "a.png: seen 3 times\n"}, is_shown=False),
    Layout("KITTI's OXTS", "`oxts/data/000001.txt`", {
        "image_02/data/000001.png": None, "oxts/data/000001.txt": "49.01 8.43 112.8 0.02 0.001 -1.2 3.4 4.5 6.7\n"}, is_shown=False),
    Layout("scanned pages", "`a.txt`, a table", {
        "a.png": None, "a.txt": "Dear Sir, we thank you for your order of last week and send you the goods that you asked for with this letter, at the prices "
                                "that we had told you before, for which we ask you to pay within thirty days. Totals 12.00 13.00 14.00 15.00\nYours\n"}),
]
