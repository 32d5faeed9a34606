"""qturn.ray on a cluster of two workers on this machine, against the command line on the same files in a folder."""
import io
import json
import pathlib
import subprocess
import sys
import tarfile

import numpy
import pytest

import qturn
from qturn.ray import _Augmentation, augment

SAMPLES = pathlib.Path(__file__).parents[3] / "testdata" / "samples"
JPEG = SAMPLES / "camera roll" / "rocket.jpg"  # stored turned
CAT = SAMPLES / "graphics" / "cat.png"
YOLO = b"0 0.25 0.5 0.125 0.25\n7 0.5 0.5 1 1\n"
XMP = (b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
       b'<rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="6"/></rdf:RDF></x:xmpmeta>')


def size_of(picture):
    return qturn.turn(picture).size


def png(width, height):
    pixels = bytes(range(256)) * (width * height // 256 + 1)
    return qturn.turn(b"P5\n%d %d\n255\n" % (width, height) + pixels[:width * height], format="png").bytes


def npy(array):
    file = io.BytesIO()
    numpy.save(file, array)
    return file.getvalue()


def voc(name, width, height):
    return (f"<annotation><filename>{name}</filename><size><width>{width}</width><height>{height}</height></size><object><name>cat</name>"
            "<bndbox><xmin>1</xmin><ymin>2</ymin><xmax>30</xmax><ymax>40</ymax></bndbox></object></annotation>").encode()


def labelme(name, width, height):
    return json.dumps({"shapes": [{"label": "cat", "points": [[1, 2], [30.5, 40]], "shape_type": "rectangle"}], "imagePath": name,
                       "imageData": None, "imageHeight": height, "imageWidth": width}).encode()


def files():
    """{name: content} of samples of every kind."""
    cat, upright = CAT.read_bytes(), qturn.turn(JPEG.read_bytes()).bytes
    return {"x/a.jpg": upright, "x/a.txt": YOLO, "x/a.cls": b"3", "x/a.mask.png": png(*size_of(upright)),
            "x/b.png": cat, "x/b.xml": voc("b.png", *size_of(cat)),
            "y/c.jpg": JPEG.read_bytes(), "y/c.xmp": XMP,
            "y/d.png": cat, "y/d.json": labelme("d.png", *size_of(cat)), "y/d.caption": b"a cat"}


def tar_of(members, path):
    with tarfile.open(path, "w") as tar:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return str(path)


def folder_of(members, path):
    for name, content in members.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    return path


def command_line(folder, output, *options):
    """{name: content} of what `qturn augment` writes."""
    said = subprocess.run([sys.executable, "-m", "qturn", "augment", str(folder), "-o", str(output), "--device", "cpu", *options],
                          capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    made = {str(path.relative_to(output)): path.read_bytes() for path in output.rglob("*") if path.is_file()}
    made.pop("manifest.jsonl")
    return made


def members_of(rows):
    """{name: content} of rows as WebDataset names them."""
    members = [(f"{row['__key__']}.{field}", value) for row in rows for field, value in row.items()
               if not field.startswith("__") and value is not None]
    assert len(dict(members)) == len(members)
    return dict(members)


def rows_of(members):
    rows = {}
    for name, content in members.items():
        folder, _, base = name.rpartition("/")
        stem, field = base.split(".", 1)
        rows.setdefault(f"{folder}/{stem}".lstrip("/"), {})[field] = content
    return [{"__key__": key, **fields} for key, fields in rows.items()]


class Rows:
    """A dataset that needs no cluster."""

    def __init__(self, rows):
        self.rows = rows

    def flat_map(self, function, num_gpus):
        assert isinstance(function.__self__, _Augmentation)
        return [made for row in self.rows for made in function(row)]


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    pytest.importorskip("ray.data", reason="Ray Data is not installed")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield ray
    ray.shutdown()


@pytest.mark.parametrize("options,arguments", [
    ([], {}),
    (["--random", "3", "--seed", "5"], {"random": 3, "seed": 5}),
    (["--random", "2", "--group", "./(.).*"], {"random": 2, "group": "./(.).*"}),
])
def test_a_tar_on_a_cluster_becomes_the_files_of_the_command_line(ray, options, arguments, tmp_path):
    members = files()
    names = sorted(members)
    tars = [tar_of({name: members[name] for name in names if name.startswith(f"{folder}/")}, tmp_path / f"{folder}.tar")
            for folder in "xy"]
    dataset = ray.data.read_webdataset(tars, decoder=None)
    made = members_of(augment(dataset, labels_drawn_on="upright", **arguments).take_all())
    wanted = command_line(folder_of(members, tmp_path / "in"), tmp_path / "out", "--labels-drawn-on", "upright", *options)
    assert sorted(made) == sorted(wanted)
    assert made == wanted


def test_a_tar_that_ray_writes_holds_the_files_of_the_command_line(ray, tmp_path):
    dataset = ray.data.read_webdataset(tar_of(files(), tmp_path / "a.tar"), decoder=None)
    augment(dataset, "flop", labels_drawn_on="upright").write_webdataset(str(tmp_path / "made"), encoder=None)
    made = {}
    for path in (tmp_path / "made").iterdir():
        with tarfile.open(path) as tar:
            made.update({entry.name: tar.extractfile(entry).read() for entry in tar})
    options = ("--variants", "flop", "--labels-drawn-on", "upright")
    assert made == command_line(folder_of(files(), tmp_path / "in"), tmp_path / "out", *options)


def test_files_that_ray_reads_from_a_folder(ray, tmp_path):
    members = {"x/a.jpg": JPEG.read_bytes(), "b.png": CAT.read_bytes()}
    folder = folder_of(members, tmp_path / "in")
    dataset = ray.data.read_binary_files(str(folder), include_paths=True)
    rows = augment(dataset, random=2, base=str(folder)).take_all()
    made = {str(pathlib.Path(row["path"]).relative_to(folder)): row["bytes"] for row in rows}
    assert made == command_line(folder, tmp_path / "out", "--random", "2")


def test_pictures_that_ray_decodes(ray, tmp_path):
    pytest.importorskip("PIL", reason="Pillow is not installed")
    folder = folder_of({"b.png": CAT.read_bytes()}, tmp_path / "in")
    dataset = ray.data.read_images(str(folder), include_paths=True)
    (source,) = dataset.take_all()
    rows = {row["path"]: row["image"] for row in augment(dataset, "rotate90,flop").take_all()}
    assert sorted(rows) == [f"{folder}/b__{name}.png" for name in ("flop", "rotate90")]
    for name in ("flop", "rotate90"):
        assert numpy.array_equal(rows[f"{folder}/b__{name}.png"], qturn.transform(source["image"], name))


def test_samples_that_ray_decodes(ray, tmp_path):
    pytest.importorskip("PIL", reason="Pillow is not installed")
    members = {"x/a.png": png(40, 30), "x/a.txt": YOLO, "x/a.cls": b"3", "x/a.mask.png": png(40, 30)}
    (turned,) = augment(ray.data.read_webdataset(tar_of(members, tmp_path / "a.tar")), "rotate90").take_all()
    assert turned["png"].shape == turned["mask.png"].shape == (40, 30) and turned["cls"] == 3
    assert turned["txt"] == qturn.turn_labels(YOLO.decode(), "yolo", "rotate90", (40, 30))
    members = {"x/b.png": png(20, 50), "x/b.json": labelme("b.png", 20, 50)}
    (turned,) = augment(ray.data.read_webdataset(tar_of(members, tmp_path / "b.tar")), "rotate90").take_all()
    wanted = qturn.turn_labels(labelme("b.png", 20, 50), "labelme", "rotate90", (20, 50), name="b__rotate90.png")
    assert turned["json"] == json.loads(wanted)


def test_a_damaged_sample_is_an_error_on_the_cluster(ray, tmp_path):
    members = {"x/a.jpg": JPEG.read_bytes()[:-4000], "y/b.png": CAT.read_bytes()}
    dataset = ray.data.read_webdataset(tar_of(members, tmp_path / "a.tar"), decoder=None)
    with pytest.raises(Exception, match="x/a.jpg: "):
        augment(dataset).take_all()
    rows = augment(dataset, "flop", on_error="drop").take_all()
    assert [row["__key__"] for row in rows] == ["y/b__flop"]


@pytest.mark.parametrize("changes,arguments,message", [
    ({"x/a.jpg": JPEG.read_bytes()[:-4000]}, {}, r"^x/a\.jpg: "),
    ({"x/a.txt": b"0 0.5 x 1 1\n"}, {"labels": "yolo"}, r"^x/a\.txt:1:7: 'x' is not a number"),
    ({"x/a.txt": b"0 0.5 0.5 2 1\n"}, {}, r"^x/a\.txt:1:"),
    ({"x/a.mask.png": png(3, 2)}, {}, r"^x/a\.mask\.png: is 3 x 2, the picture is "),
    ({"x/a.json": b'{"bbox": [1, 2, 3, 4]}'}, {}, r"^x/a\.json: column json may say where something is.*drop_columns\(\['json'\]\)"),
    ({"x/a.xml": voc("a.jpg", 3, 2)}, {"labels": "yolo"}, r"^x/a\.xml: column xml may say"),
    ({"x/a.png": CAT.read_bytes()}, {}, r"^x/a: has the pictures jpg, png; picture= says which"),
    ({"x/a.xmp": b"<x:xmpmeta"}, {}, r"^x/a\.xmp: "),
    ({}, {"edges": "fail"}, r"^x/a\.jpg: .*block"),
    ({}, {"limits": {"pixels": 100}}, r"^x/a\.jpg: .*limit pixels"),
])
def test_what_cannot_be_turned_is_an_error_that_names_the_file(changes, arguments, message, caplog):
    planar = qturn.turn(png(61, 43), format="jpeg").bytes  # its edges cut blocks
    members = {"x/a.jpg": planar, "x/a.txt": YOLO, "x/a.mask.png": png(*size_of(planar)), **changes}
    rows = rows_of({**members, "x/b.png": CAT.read_bytes()})
    with pytest.raises(qturn.PictureError, match=message):
        augment(Rows(rows), **arguments)
    assert len(augment(Rows(rows), on_error="drop", **arguments)) == 8 * ("limits" not in arguments)
    assert "dropped x/a" in caplog.text


@pytest.mark.parametrize("members,is_turned", [
    ({"x/a.caption": b"a cat"}, True),
    ({"x/a.csv": b"image,year,count,score\na,1987,12,70\n"}, True),
    ({"x/a.csv": b"image,year,count,low,high,near,far\na,1987,12,70,3,9,4\n"}, False),
    ({"x/a.jgw": b"10\n0\n0\n-10\n500000\n4000000\n"}, True),
    ({"x/a.mask.png": png(4, 3), "x/a.mask_2.png": png(4, 3)}, True),
    ({"x/a.b_mask.png": png(4, 3)}, False),
    ({"x/a.json": b""}, False),
    ({"x/a.npy": npy(numpy.arange(12.0).reshape(3, 4)), "x/a.depth.npy": npy(numpy.arange(24, dtype=">i2").reshape(3, 4, 2))}, True),
    ({"x/a.npy": npy(numpy.arange(12.0))}, False),
    ({"x/a.npy": npy(numpy.arange(12.0).reshape(6, 2))}, False),
    ({"x/a.pts": b"12 7 30 9\n"}, False),
])
def test_a_row_and_a_tar_take_a_file_for_the_same(members, is_turned, tmp_path, caplog):
    members = {"x/a.jpg": qturn.turn(png(4, 3), format="jpeg").bytes, **members}
    said = subprocess.run([sys.executable, "-m", "qturn", "augment", tar_of(members, tmp_path / "in.tar"), "-o", tmp_path / "out.tar",
                           "--variants", "flop"], capture_output=True, text=True)
    assert (said.returncode == 0) == is_turned
    if not is_turned:
        with pytest.raises(qturn.PictureError, match="^x/a"):
            augment(Rows(rows_of(members)), "flop")
        return
    with tarfile.open(tmp_path / "out.tar") as tar:
        wanted = {entry.name: tar.extractfile(entry).read() for entry in tar}
    assert members_of(augment(Rows(rows_of(members)), "flop")) == wanted
    assert "where it lies on a map" not in said.stderr + caplog.text
    if "x/a.jgw" in members:
        assert wanted["x/a__flop.jgw"] == b"-10\n0\n0\n-10\n500030\n4000000\n"


def test_a_picture_whose_suffix_does_not_say_so_is_not_copied():
    for row in ({"__key__": "x/a", "jpg": JPEG.read_bytes(), "depth": png(4, 3)},
                {"path": "x/a.jpg", "bytes": JPEG.read_bytes(), "depth": png(4, 3)}):
        with pytest.raises(qturn.PictureError, match="has the pictures .*depth; picture= says which"):
            augment(Rows([row]))


def test_a_row_without_a_picture_is_an_error():
    with pytest.raises(qturn.PictureError, match="^x/a: no picture among its columns txt"):
        augment(Rows(rows_of({"x/a.txt": YOLO})))
    with pytest.raises(ValueError, match="a row has the columns bytes, expected .*include_paths=True"):
        augment(Rows([{"bytes": CAT.read_bytes()}]))


def test_a_tagged_picture_with_a_label_needs_the_frame():
    rows = rows_of({"x/a.jpg": JPEG.read_bytes(), "x/a.txt": YOLO})
    with pytest.raises(qturn.PictureError, match=r'x/a\.txt: .* tagged with orientation 6, .*; labels_drawn_on="stored" or "upright" says it$'):
        augment(Rows(rows))
    stored, upright = (augment(Rows(rows), "identity", labels_drawn_on=frame)[0]["txt"] for frame in ("stored", "upright"))
    assert (upright, stored) == (YOLO, qturn.turn_labels(YOLO, "yolo", "rotate90", (1, 1)))


def test_labels_none_turns_the_pictures_alone():
    rows = augment(Rows(rows_of(files())), "flop", labels="none")
    assert {name.split(".", 1)[1] for name in members_of(rows)} == {"jpg", "png"}
    assert len(rows) == 4


def test_columns_are_named_by_the_caller():
    cat = CAT.read_bytes()
    rows = [{"__key__": "a", "__url__": "s3://a.tar", "png": cat, "seg.png": cat, "id": 7, "txt": float("nan")}]
    (made,) = augment(Rows(rows), [2], picture="png", masks=["seg.png"])
    assert list(made) == ["__key__", "__url__", "png", "seg.png", "id", "txt"]
    assert (made["__key__"], made["__url__"], made["id"], made["txt"]) == ("a__flop", "s3://a.tar", 7, None)
    assert made["png"] == qturn.turn(cat, "flop", png="fast").bytes


def test_masks_of_a_file_by_its_path_are_told_apart():
    masks = {"first": png(4, 3), "second": qturn.turn(png(4, 3), "flip").bytes}
    (made,) = augment(Rows([{"path": "x/a.png", "bytes": png(4, 3), **masks}]), "cw", masks=["first", "second"])
    for column, mask in masks.items():
        assert made[column] == qturn.turn(mask, "cw", png="fast").bytes
    with pytest.raises(qturn.PictureError, match="^second of x/a.png: is 3 x 3, the picture is 4 x 3"):
        augment(Rows([{"path": "x/a.png", "bytes": png(4, 3), **masks, "second": png(3, 3)}]), masks=["first", "second"])


def test_columns_beside_arrays_and_files_are_copied_only_if_they_hold_no_places():
    image = numpy.zeros((2, 3, 3), "uint8")
    for column in ({"boxes": numpy.zeros((1, 4))}, {"boxes": [1, 2, 3, 4]}, {"text": "1 2 3 4"}):
        with pytest.raises(qturn.PictureError, match=f"x/a.png: column {next(iter(column))} may say where"):
            augment(Rows([{"image": image, "path": "x/a.png", **column}]))
    (made,) = augment(Rows([{"image": image, "path": "x/a.png", "label": 3, "caption": "a cat"}]), "cw")
    assert (made["path"], made["label"], made["caption"], made["image"].shape) == ("x/a__rotate90.png", 3, "a cat", (3, 2, 3))


def test_arrays_that_are_turned_as_tensors():
    pytest.importorskip("torch", reason="PyTorch is not installed")
    array = numpy.arange(24, dtype="uint16").reshape(2, 4, 3)
    made = _Augmentation(device="cpu").turned_arrays(array, ["rotate90", "flop"])
    for turned, name in zip(made, ["rotate90", "flop"]):
        assert turned.dtype == array.dtype and numpy.array_equal(turned, qturn.transform(array, name))


@pytest.mark.parametrize("arguments,message", [
    ({"variants": "rotate45"}, "'rotate45' is not an orientation"),
    ({"variants": "flop", "random": 2}, "expected one of them"),
    ({"random": 9}, "count is 9, expected 1 to 8"),
    ({"labels": "coco"}, "labels is 'coco', expected one of auto, none, yolo"),
    ({"masks": "seg.png"}, "masks is 'seg.png', expected \"auto\" or a list"),
    ({"edges": "skip"}, "edges is 'skip', expected one of reencode"),
    ({"on_error": "ignore"}, "on_error is 'ignore', expected one of raise, drop"),
    ({"jpeg": "best"}, 'jpeg is "best"'),
    ({"labels_drawn_on": "paper"}, 'labels_drawn_on is "paper", expected one of unknown, stored, upright'),
    ({"keypoints": "17"}, 'keypoints is "17", expected none, or'),
    ({"swap_pairs": [(1, 2)]}, "expected keypoints, too"),
    ({"swap_pairs": [("a", "a")]}, "swap_pairs: class a is in a pair already"),
    ({"keypoints": "3x2", "swap_pairs": [(1, 3)]}, "names a keypoint beyond the last one, 2"),
    ({"num_gpus": 1}, "is a file, and files are turned on the CPU, expected no num_gpus"),
    ({"base": "/data"}, "x/a.png is not below /data"),
])
def test_arguments_that_are_wrong(arguments, message):
    row = {"bytes": CAT.read_bytes(), "path": "x/a.png"} if "base" in arguments else {"__key__": "x/a", "png": CAT.read_bytes()}
    with pytest.raises(ValueError, match=message):
        augment(Rows([row]), **arguments)


def test_the_draw_is_that_of_the_command_line():
    # As xxhash computes them: tests/inputs/variants_test.cpp.
    assert [int(each) for each in qturn.random_variants("x/y z/b.png", 4, 42)] == [1, 5, 6, 8]
    assert [int(each) for each in qturn.random_variants(b"caf\xe9\n.tif", 5, 7)] == [1, 2, 3, 5, 7]
    assert qturn.random_variants("x/a_seg.png", 3, group="(.*?)(_seg)?") == qturn.random_variants("x/a.png", 3)
    assert qturn.random_variants("caf\udce9\n.tif", 5, 7) == qturn.random_variants(b"caf\xe9\n.tif", 5, 7)


def test_keypoints_change_places_in_a_mirror():
    label = "0 0.5 0.5 1 1 0.25 0.5 0.75 0.5\n"
    named = voc("a.png", 40, 50)
    exchanged = qturn.turn_labels(named, "voc", "flop", (40, 50), name="a.png", swap_pairs=[("cat", "left cat"), (0, "x")])
    assert exchanged == qturn.turn_labels(named, "voc", "flop", (40, 50), name="a.png").replace(b">cat<", b">left cat<")
    turned = qturn.turn_labels(label, "yolo", "flop", (10, 10), keypoints="2x2", swap_pairs=[(0, 1)])
    assert turned == label
    with pytest.raises(qturn.PictureError, match="^1:1: .*; swap_pairs says which keypoints change places$"):
        qturn.turn_labels(label, "yolo", "flop", (10, 10), keypoints="2x2")


def test_a_label_may_hold_its_picture():
    label = json.loads(labelme("a.png", 40, 30)) | {"imageData": "AAAA"}
    turned = qturn.turn_labels(json.dumps(label), "labelme", "flop", (40, 30), picture=b"\0\1\2", name="b.png")
    assert (json.loads(turned)["imageData"], json.loads(turned)["imagePath"]) == ("AAEC", "b.png")
    with pytest.raises(qturn.PictureError, match="holds a picture, and the turned one is not known"):
        qturn.turn_labels(json.dumps(label), "labelme", "flop", (40, 30))
    assert qturn.turn_labels(b"", "yolo", "flop", (1, 1)) == b""
    line = '{"file_name": "a.png", "bbox": [1, 2, 4, 4]}'
    for order, turned in {"huggingface": "4, 2, 4, 4", "huggingface:voc": "5, 2, 8, 4"}.items():
        assert qturn.turn_labels(line, order, "flop", (9, 6), name="b.png") == f'{{"file_name": "b.png", "bbox": [{turned}]}}'
    with pytest.raises(ValueError, match='format is "coco", expected one of yolo, voc, voc:0, labelme, dota, supervisely, '):
        qturn.turn_labels(b"", "coco", "flop", (1, 1))


def test_batches_are_decoded_by_workers(ray):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from qturn.torch import BatchDecoder, RandomResizedCrop
    decoder = BatchDecoder(8, crop=RandomResizedCrop(), p=0.5, seed=3)
    paths = sorted(SAMPLES.rglob("*.jpg"))
    batches = ray.data.read_binary_files([str(path) for path in paths], include_paths=True).map_batches(decoder, batch_size=2)
    rows = {row["path"]: row["bytes"] for row in batches.take_all()}
    assert len(rows) == len(paths)
    wanted = decoder(([path.read_bytes() for path in paths],))[0]
    assert all(torch.equal(torch.tensor(rows[str(path)]), each) for path, each in zip(paths, wanted))
