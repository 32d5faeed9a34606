"""qturn.huggingface: Parquet shards against Pillow and NumPy, boxes and masks as what they paint."""
import io
import json

import numpy
import pytest
from turned import picture, turned as numpy_turned

import qturn

pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
from pyarrow import parquet  # noqa: E402

from qturn.huggingface import main  # noqa: E402

FILE = pyarrow.struct([("bytes", pyarrow.binary()), ("path", pyarrow.string())])
FEATURES = {"info": {"features": {
    "image": {"_type": "Image"}, "width": {"dtype": "int32", "_type": "Value"}, "height": {"dtype": "int32", "_type": "Value"},
    "objects": {"feature": {"bbox": {"feature": {"dtype": "float32", "_type": "Value"}, "length": 4, "_type": "Sequence"},
                            "category": {"names": ["cat", "dog"], "_type": "ClassLabel"}}, "_type": "Sequence"},
    "mask": {"_type": "Image"}, "caption": {"dtype": "string", "_type": "Value"}}}}
SCHEMA = pyarrow.schema([
    ("image", FILE), ("width", pyarrow.int32()), ("height", pyarrow.int32()),
    ("objects", pyarrow.struct([("bbox", pyarrow.list_(pyarrow.list_(pyarrow.float32(), 4))), ("category", pyarrow.list_(pyarrow.int64()))])),
    ("mask", FILE), ("caption", pyarrow.string())], {"huggingface": json.dumps(FEATURES), "of the maker": "kept"})


def png(array):
    file = io.BytesIO()
    Image.fromarray(array).save(file, "png")
    return file.getvalue()


def pixels(file):
    return numpy.asarray(Image.open(io.BytesIO(file["bytes"])))


def painted(boxes, size):
    canvas = numpy.zeros(size[::-1], int)
    for x, y, width, height in boxes:
        canvas[int(y):int(y + height), int(x):int(x + width)] += 1
    return canvas


def row(number):
    random = numpy.random.default_rng(number)
    width, height = (int(each) for each in random.integers(5, 30, 2))
    corners = [(int(random.integers(0, width)), int(random.integers(0, height))) for _ in range(number % 4)]
    return {"image": {"bytes": png(picture((height, width, 3), seed=number)), "path": f"x/{number}.png"}, "width": width, "height": height,
            "objects": {"bbox": [[x, y, random.integers(1, width - x + 1), random.integers(1, height - y + 1)] for x, y in corners],
                        "category": [number] * len(corners)},
            "mask": {"bytes": png(picture((height, width), seed=number)), "path": None} if number % 3 else None,
            "caption": f"bbox {number}: 1, 2, 3, 4" if number % 5 else None}


def write(path, rows, schema=SCHEMA, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.Table.from_pylist(rows, schema), path, **options)


def test_rows_turn_as_what_they_show(tmp_path):
    rows = [row(number) for number in range(40)]
    compression = {"image.bytes": "none", "caption": "zstd", "width": "gzip"}
    write(tmp_path / "in" / "data" / "train-00000.parquet", rows, row_group_size=17, compression=compression)
    assert main([str(tmp_path / "in"), str(tmp_path / "out"), "--variants", "all"]) == 0
    with parquet.ParquetFile(tmp_path / "out" / "data" / "train-00000.parquet") as file:
        assert file.schema_arrow.equals(parquet.read_schema(tmp_path / "in" / "data" / "train-00000.parquet"), check_metadata=True)
        assert [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)] == [136, 136, 48]
        columns = {each.path_in_schema: each.compression for each in map(file.metadata.row_group(0).column, range(file.metadata.num_columns))}
        assert (columns["image.bytes"], columns["caption"], columns["width"]) == ("UNCOMPRESSED", "ZSTD", "GZIP")
        results = file.read().to_pylist()
    for number, result in enumerate(results):
        before, orientation = rows[number // 8], qturn.Orientation(number % 8 + 1)
        size = before["width"], before["height"]
        assert (result["width"], result["height"]) == orientation.turned_size(size)
        assert result["image"]["path"] == before["image"]["path"].replace(".png", f"__{orientation.name}.png")
        numpy.testing.assert_array_equal(pixels(result["image"]), numpy_turned(pixels(before["image"]), orientation))
        numpy.testing.assert_array_equal(painted(result["objects"]["bbox"], orientation.turned_size(size)),
                                         numpy_turned(painted(before["objects"]["bbox"], size), orientation))
        assert (result["mask"] is None) == (before["mask"] is None)
        if before["mask"]:
            numpy.testing.assert_array_equal(pixels(result["mask"]), numpy_turned(pixels(before["mask"]), orientation))
        assert result["caption"] == before["caption"] and result["objects"]["category"] == before["objects"]["category"]
    assert [each.name for each in (tmp_path / "out" / "data").iterdir()] == ["train-00000.parquet"]


def test_datasets_reads_what_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "cache"))
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    write(tmp_path / "a.parquet", [row(number) for number in range(1, 6)])
    assert main([str(tmp_path / "a.parquet"), str(tmp_path / "out"), "--turn", "rotate90"]) == 0
    found = datasets.Dataset.from_parquet(str(tmp_path / "out" / "a.parquet"), cache_dir=str(tmp_path / "cache"))
    assert found.features["objects"]["category"].feature.names == ["cat", "dog"] and found[0]["image"].size == (row(1)["height"], row(1)["width"])


def test_the_order_of_boxes_is_not_guessed(tmp_path, capfd):
    def turned(name, boxes, *more, with_size=False):
        schema = pyarrow.schema([("image", pyarrow.binary()), ("bbox", pyarrow.list_(pyarrow.int64()))] +
                                [(side, pyarrow.int32()) for side in ("width", "height") if with_size])
        rows = [{"image": png(picture((50, 80))), "bbox": box, "width": 80, "height": 50} for box in boxes]
        write(tmp_path / name / "a.parquet", [{key: each[key] for key in schema.names} for each in rows], schema)
        status = main([str(tmp_path / name / "a.parquet"), str(tmp_path / name / "out"), "--turn", "flop", *more])
        out = tmp_path / name / "out" / "a.parquet"
        return status, [row["bbox"] for row in parquet.read_table(out).to_pylist()] if out.exists() else None, capfd.readouterr().err

    either, corners, sides = [4, 6, 20, 30], [40, 10, 77, 48], [40, 10, 20, 5]
    for with_size in (False, True):  # one box that goes beyond its picture stops all
        status, found, said = turned(f"beyond{with_size}", [either, corners], with_size=with_size)
        assert status == 1 and found is None and "row 1: a box goes beyond the picture" in said and "--bbox voc" in said
    assert turned("voc", [either, corners], "--bbox", "voc")[1] == [[60, 6, 76, 30], [3, 10, 40, 48]]
    status, found, said = turned("assumed", [either])
    assert status == 0 and found == [[56, 6, 20, 30]] and "nothing tells; --bbox voc" in said
    for name, boxes, more in (("said", [either], ["--bbox", "coco"]), ("proved", [either, sides], [])):
        status, found, said = turned(name, boxes, *more)
        assert status == 0 and found[0] == [56, 6, 20, 30] and "nothing tells" not in said


def test_boxes_by_their_corners_keep_their_decimals(tmp_path):
    schema = pyarrow.schema([("image", pyarrow.binary()), ("objects", pyarrow.list_(pyarrow.struct([
        ("bbox", pyarrow.list_(pyarrow.float64())), ("id", pyarrow.int64())]))), ("bbox", pyarrow.list_(pyarrow.int16()))])
    data = png(picture((50, 110)))
    write(tmp_path / "a.parquet", [{"image": data, "objects": [{"bbox": [0.1, 0.2, 100.3, 7.5], "id": 7}], "bbox": [1, 2, 30, 40]},
                                   {"image": data, "objects": None, "bbox": None}], schema)
    assert main([str(tmp_path / "a.parquet"), str(tmp_path / "out"), "--turn", "flop", "--bbox", "voc"]) == 0
    first, second = parquet.read_table(tmp_path / "out" / "a.parquet").to_pylist()
    assert first["objects"] == [{"bbox": [9.7, 0.2, 109.9, 7.5], "id": 7}] and first["bbox"] == [80, 2, 109, 40]
    assert second["objects"] is None and second["image"] == first["image"]


def test_lists_of_masks_turn_and_what_is_lost_is_said(tmp_path, capfd):
    masks = [picture((9, 17), seed=seed) for seed in range(2)]
    photo = io.BytesIO()
    Image.new("RGB", (17, 9)).save(photo, "jpeg")
    rows = [{"image": {"bytes": photo.getvalue(), "path": None}, "masks": each}
            for each in ([{"bytes": png(mask), "path": f"{at}.png"} for at, mask in enumerate(masks)], [], None)]
    write(tmp_path / "a.parquet", rows, pyarrow.schema([("image", FILE), ("masks", pyarrow.list_(FILE))]))
    assert main([str(tmp_path / "a.parquet"), str(tmp_path / "out"), "--variants", "flop"]) == 0
    found = parquet.read_table(tmp_path / "out" / "a.parquet").to_pylist()
    for at, mask in enumerate(masks):
        numpy.testing.assert_array_equal(pixels(found[0]["masks"][at]), numpy_turned(mask, qturn.Orientation.flop))
        assert found[0]["masks"][at]["path"] == f"{at}__flop.png"
    assert [each["masks"] for each in found[1:]] == [[], None]
    assert capfd.readouterr().err == "qturn: pictures were re-encoded with loss (3 rows)\n3 rows of 1 files turned\n"


def test_classes_change_places_in_a_mirror(tmp_path, capfd):
    box = {**row(1), "objects": {"bbox": [[0, 0, 1, 1]] * 3, "category": [0, 1, 2]}}
    write(tmp_path / "named" / "a.parquet", [box])
    write(tmp_path / "texts" / "a.parquet", [{"image": box["image"], "bbox": [0, 0, 1, 1], "label": "left hand"}],
          pyarrow.schema([("image", FILE), ("bbox", pyarrow.list_(pyarrow.int32())), ("label", pyarrow.string())]))
    for turn, numbers, text in (("flip", [1, 0, 2], "right hand"), ("rotate90", [0, 1, 2], "left hand")):
        assert main([str(tmp_path / "named"), str(tmp_path / turn), "--turn", turn, "--swap-pairs", "dog:cat"]) == 0
        assert parquet.read_table(tmp_path / turn / "a.parquet").to_pylist()[0]["objects"]["category"] == numbers
        assert main([str(tmp_path / "texts"), str(tmp_path / turn / "x"), "--turn", turn, "--swap-pairs", "a:b,right hand: left hand"]) == 0
        assert parquet.read_table(tmp_path / turn / "x" / "a.parquet").to_pylist()[0]["label"] == text
    assert main([str(tmp_path / "named"), str(tmp_path / "none"), "--turn", "flip", "--swap-pairs", "dog:left"]) == 1
    assert "has no class left, expected one of cat, dog" in capfd.readouterr().err
    with pytest.raises(SystemExit):
        main([str(tmp_path / "named"), str(tmp_path / "none"), "--turn", "flip", "--swap-pairs", "dog"])


def test_variants_are_drawn_by_file_and_row(tmp_path):
    write(tmp_path / "in" / "x" / "a.parquet", [row(number) for number in range(20)])
    assert main([str(tmp_path / "in"), str(tmp_path / "out"), "--random", "2", "--seed", "5"]) == 0
    paths = [each["image"]["path"] for each in parquet.read_table(tmp_path / "out" / "x" / "a.parquet").to_pylist()]
    assert paths == [f"x/{number}__{each.name}.png" for number in range(20) for each in qturn.random_variants(f"x/a/{number}", 2, 5)]


def with_tag(number):
    file = io.BytesIO()
    exif = Image.Exif()
    exif[274] = 6
    Image.new("RGB", (16, 8)).save(file, "jpeg", exif=exif)
    return {**row(number), "image": {"bytes": file.getvalue(), "path": None}, "width": 16, "height": 8, "mask": None}


@pytest.mark.parametrize("change, more, message", [
    ({"image": {"bytes": None, "path": "a.png"}}, [], "row 3: column image has no bytes"),
    ({"image": None}, [], "row 3: column image has no bytes"),
    ({"image": {"bytes": b"no picture", "path": "a.png"}}, [], "row 3: "),
    ({"width": 1000}, [], "says 1000 x"),
    ({"objects": {"bbox": [[3, 1, 100, 2]], "category": [1]}}, [], "a box goes beyond the picture"),
    ({"objects": {"bbox": [[3, 1, 1, 2]], "category": [1]}}, ["--bbox", "voc"], "expected two corners"),
    ({"objects": {"bbox": [[0.5, 0.25, 0.5, 0.5]], "category": [1]}}, [], "boxes are fractions of the picture, expected pixels"),
    ({"mask": {"bytes": png(picture((2, 3))), "path": None}}, [], "row 3: mask"),
    (with_tag(3), [], "nothing says on which pixels the labels were drawn"),
])
def test_a_row_that_cannot_be_turned_is_named(tmp_path, capfd, change, more, message):
    write(tmp_path / "a.parquet", [{**row(number), "objects": None, **(change if number == 3 else {})} for number in range(5)])
    assert main([str(tmp_path / "a.parquet"), str(tmp_path / "out"), "--turn", "rotate90", *more]) == 1
    said = capfd.readouterr().err
    assert said.startswith(f"qturn: {tmp_path}/a.parquet: row 3: ") and message in said
    assert list((tmp_path / "out").iterdir()) == []


def test_what_labels_are_drawn_on_can_be_said(tmp_path):
    tagged = with_tag(5) | {"objects": {"bbox": [[0, 0, 4, 8]], "category": [0]}}  # 16 x 8 as it is stored
    write(tmp_path / "a.parquet", [tagged])
    assert main([str(tmp_path / "a.parquet"), str(tmp_path / "out"), "--turn", "flop", "--labels-drawn-on", "stored"]) == 0
    assert main([str(tmp_path / "a.parquet"), str(tmp_path / "pictures"), "--turn", "flop", "--keep", "width,height,objects"]) == 0
    (found,) = parquet.read_table(tmp_path / "out" / "a.parquet").to_pylist()
    assert (found["width"], found["height"], found["objects"]["bbox"]) == (8, 16, [[0, 0, 8, 4]])


@pytest.mark.parametrize("column, type, value, message", [
    ("segmentation", pyarrow.list_(pyarrow.float32()), [1, 2, 3, 4], "row 0: segmentation may hold coordinates"),
    ("second", FILE, {"bytes": b"x", "path": None}, "column second holds files, too: --masks second turns them with the pictures, --keep"),
    ("deep", pyarrow.struct([("mask", pyarrow.binary())]), {"mask": b"x"}, "a column holds files within"),
])
def test_a_column_that_is_not_known_is_refused_unless_it_is_kept(tmp_path, capfd, column, type, value, message):
    write(tmp_path / "a.parquet", [{**row(1), column: value}], SCHEMA.append(pyarrow.field(column, type)))
    run = [str(tmp_path / "a.parquet"), str(tmp_path / "out"), "--turn", "flop"]
    assert main(run) == 1
    assert message in capfd.readouterr().err
    (tmp_path / "out").rmdir()
    assert main([*run, "--keep", column]) == 0
    assert parquet.read_table(tmp_path / "out" / "a.parquet").to_pylist()[0][column] == value
    assert main(run) == 1  # the output is there
    assert "File exists" in capfd.readouterr().err


def test_columns_that_are_not_there_are_named(tmp_path, capfd):
    write(tmp_path / "lists" / "a.parquet", [{"images": [row(1)["image"]]}], pyarrow.schema([("images", pyarrow.list_(FILE))]))
    assert main([str(tmp_path / "lists"), str(tmp_path / "of lists"), "--turn", "cw"]) == 1
    assert "has no column with a picture in each row; its columns are images" in capfd.readouterr().err
    (tmp_path / "lists" / "a.parquet").unlink()
    write(tmp_path / "a.parquet", [row(1)])
    for more, message in ((["--picture", "x"], "has no column x"), (["--turn", "sideways"], "sideways"), (["--masks", "y"], "has no column y")):
        assert main([str(tmp_path / "a.parquet"), str(tmp_path / more[1]), *([] if "--turn" in more else ["--turn", "cw"]), *more]) == 1
        assert message in capfd.readouterr().err
    assert main([str(tmp_path), str(tmp_path / "out"), "--turn", "cw"]) == 0
    assert main([str(tmp_path / "none"), str(tmp_path / "more"), "--turn", "cw"]) == 1
