"""decode() and decode_batch() against turn(), which writes pixels that are read here, and against Pillow where it is installed."""
import concurrent.futures
import io
import pathlib

import numpy
import pytest

import qturn
from qturn import Orientation
from turned import ORIENTATIONS, same, turned

SAMPLES = pathlib.Path(__file__).parents[3] / "testdata" / "samples"
FILES = sorted(path for path in SAMPLES.rglob("*") if path.is_file())
NOT_IN_PNM = ("for print.jpg", "horse.png", "textures.tif")  # CMYK, alpha, three pages: Pillow is asked below
ROCKET = SAMPLES / "camera roll" / "rocket.jpg"  # stored turned
PNM = b"P6\n3 2\n255\n" + bytes(range(18))
GREY = b"P5\n3 2\n255\n" + bytes(range(6))
DEEP = b"P6\n2 1\n65535\n" + bytes(range(12))
PFM = b"PF\n2 1\n-1.0\n" + numpy.arange(6, dtype="<f4").tobytes()


def read_pnm(data):
    """Pixels of a binary PNM or PAM, as qturn writes them."""
    if data.startswith(b"P7"):
        head, _, pixels = data.partition(b"ENDHDR\n")
        said = dict(line.split(None, 1) for line in head.splitlines()[1:])
        width, height, channels, most = (int(said[name]) for name in (b"WIDTH", b"HEIGHT", b"DEPTH", b"MAXVAL"))
    else:
        kind, size, most, pixels = data.split(b"\n", 3)
        (width, height), channels, most = map(int, size.split()), {b"P5": 1, b"P6": 3}[kind], int(most)
    return numpy.frombuffer(pixels, ">u2" if most > 255 else "u1").reshape(height, width, channels)


def pixels_by_turn(data):
    return read_pnm(qturn.turn(data, "upright", format="pnm").bytes)


def as_rgb(pixels):
    """Of what has 8 bits, or more."""
    if pixels.dtype != numpy.uint8:
        pixels = (pixels >> 8).astype("u1")
    return numpy.ascontiguousarray(pixels[..., [0, 0, 0] if pixels.shape[2] < 3 else [0, 1, 2]])


@pytest.mark.parametrize("path", [path for path in FILES if path.name not in NOT_IN_PNM], ids=lambda path: path.name)
def test_a_picture_has_the_pixels_that_turn_writes(path):
    wanted = pixels_by_turn(path.read_bytes())
    own = qturn.decode(path)
    assert same(own, wanted.astype(own.dtype)) and own.dtype.itemsize == wanted.dtype.itemsize
    assert same(qturn.decode(path.read_bytes(), mode="RGB"), as_rgb(wanted))


@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_every_orientation_is_applied_to_what_a_viewer_shows(orientation):
    upright = qturn.decode(ROCKET)
    assert upright.shape[:2] == qturn.turn(ROCKET.read_bytes()).size[::-1]
    assert same(qturn.decode(ROCKET, orientation), turned(upright, orientation))
    assert same(qturn.decode(str(ROCKET), orientation.name, mode="RGB"), turned(upright, orientation))


@pytest.mark.parametrize("format", ["jpeg", "png", "tiff", "webp", "bmp", "pnm", "tga"])
def test_every_format_is_decoded(format):
    file = qturn.turn(ROCKET.read_bytes(), format=format).bytes
    own = qturn.decode(file, suffix=".tga" if format == "tga" else "")
    if format != "jpeg":
        assert same(own, qturn.decode(ROCKET))
    if format != "tga":  # which has no signature
        assert same(qturn.decode_batch([file])[0], own)


def test_channels_and_bits_are_kept_or_become_rgb():
    assert same(qturn.decode(GREY), numpy.arange(6, dtype="u1").reshape(2, 3, 1))
    assert same(qturn.decode(GREY, mode="RGB"), numpy.arange(6, dtype="u1").repeat(3).reshape(2, 3, 3))
    deep = numpy.frombuffer(bytes(range(12)), ">u2").reshape(1, 2, 3)
    assert same(qturn.decode(DEEP), deep.astype("u2"))
    assert same(qturn.decode(DEEP, mode="RGB"), (deep >> 8).astype("u1"))
    assert same(qturn.decode(PFM), numpy.arange(6, dtype="f4").reshape(1, 2, 3))
    with pytest.raises(qturn.PictureError, match="picture 0: its samples have neither 8 nor 16 bits"):
        qturn.decode(PFM, mode="RGB")


def test_a_list_keeps_its_order_and_its_sizes(tmp_path):
    wanted = [qturn.decode(path, mode="RGB") for path in FILES]
    kinds = [lambda path: path, str, lambda path: path.read_bytes(), lambda path: bytearray(path.read_bytes()),
             lambda path: numpy.frombuffer(path.read_bytes(), "u1")]
    files = [kinds[i % len(kinds)](path) for i, path in enumerate(FILES)]
    for got in (qturn.decode_batch(files), qturn.decode_batch(iter(files))):
        assert len(got) == len(wanted) and all(map(same, got, wanted))
    data = [path.read_bytes() for path in FILES]
    offsets = numpy.cumsum([0, *map(len, data)])
    assert all(map(same, qturn.decode_batch(b"".join(data), offsets=offsets.tolist()), wanted))
    each = [ORIENTATIONS[i % 8] for i in range(len(files))]
    assert all(map(same, qturn.decode_batch(files, each), map(turned, wanted, each)))
    assert qturn.decode_batch([]) == []


def test_a_list_may_keep_the_channels_and_bits_of_each(tmp_path):
    files = [*FILES, *map(str, FILES), GREY, DEEP, bytearray(PFM), numpy.frombuffer(PNM, "u1")]
    each = [ORIENTATIONS[i % 8] for i in range(len(files))]
    wanted = [qturn.decode(file, orientation) for file, orientation in zip(files, each)]
    got = qturn.decode_batch(files, each, mode=None)
    assert len(got) == len(files) and all(map(same, got, wanted))
    assert {array.dtype.name for array in got} >= {"uint8", "uint16", "float32"} and {array.shape[2] for array in got} >= {1, 3, 4}
    both = qturn.decode_batch(GREY + PFM, "flip", mode=None, offsets=[0, len(GREY), len(GREY + PFM)])
    assert same(both[0], qturn.decode(GREY, "flip")) and same(both[1], qturn.decode(PFM, "flip"))
    bad = [damaged(ROCKET), tmp_path / "missing.jpg", GREY]
    assert [one is None for one in qturn.decode_batch(bad, mode=None, errors="none")] == [True, True, False]
    for files, message in ((bad, "^picture 0: "), (bad[1:], "missing.jpg: No such file"), ([PNM, b""], "^picture 1: the file is empty")):
        with pytest.raises(qturn.PictureError, match=message):
            qturn.decode_batch(files, mode=None)
    (tmp_path / "bad.jpg").write_bytes(bad[0])
    with pytest.raises(qturn.PictureError, match="bad.jpg: "):
        qturn.decode_batch([tmp_path / "bad.jpg"], mode=None)
    with pytest.raises(ValueError, match="picture 1 is at 5 to 4 of 17 bytes"):
        qturn.decode_batch(PNM[:17], offsets=[0, 5, 4], mode=None)


@pytest.mark.parametrize("arguments", [{}, {"dtype": "float16", "mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225)},
                                       {"channels": "bgr", "scale": 1.0}, {"channels": (1,)}, {"dtype": "uint8"}])
def test_planes_are_those_of_to_planar(arguments):
    files = [PNM, qturn.turn(PNM, "flop").bytes, PNM, GREY]
    pictures = [qturn.decode(file, mode="RGB") for file in files]
    orientations = ["flip", "upright", 2, Orientation.rotate180]
    wanted = qturn.to_planar(pictures, ["flip", "identity", 2, 3], **arguments)
    assert same(qturn.decode_batch(files, orientations, layout="chw", **arguments), wanted)
    out = numpy.full_like(wanted, 7)
    assert qturn.decode_batch(files, orientations, layout="chw", out=out, **arguments) is out
    assert same(out, wanted)


def test_an_interleaved_batch():
    wanted = numpy.stack([turned(qturn.decode(PNM), each) for each in (5, 8)])
    assert same(qturn.decode_batch([PNM, PNM], ["transpose", 8], layout="hwc"), wanted)
    padded = numpy.full((2, 3, 5, 3), 7, "u1")
    qturn.decode_batch([PNM, PNM], ["transpose", 8], layout="hwc", out=padded[:, :, 1:3])
    assert same(padded[:, :, 1:3], wanted) and (padded[:, :, [0, 3, 4]] == 7).all()


def damaged(path):
    data = path.read_bytes()
    return data[:len(data) * 2 // 3]


def test_one_bad_picture_is_named_or_left_out(tmp_path):
    bad = [damaged(ROCKET), b"no picture", b"", tmp_path / "missing.jpg"]
    for i, file in enumerate(bad):
        name = "missing.jpg: " if isinstance(file, pathlib.Path) else "picture 1: "
        with pytest.raises(qturn.PictureError, match=name):
            qturn.decode_batch([PNM, file, PNM])
    got = qturn.decode_batch([*bad, PNM], errors="none")
    assert got[:4] == [None] * 4 and same(got[4], qturn.decode(PNM))
    half = damaged(FILES[0])
    size = qturn.decode(FILES[0]).shape[:2]
    for layout, shape in (("hwc", (*size, 3)), ("chw", (3, *size))):
        out = numpy.full((3, *shape), 7, "u1" if layout == "hwc" else "f4")
        batch, mask = qturn.decode_batch([half, FILES[0], b"x"], layout=layout, errors="none", out=out)
        assert batch is out and mask == [False, True, False]
        assert not out[0].any() and not out[2].any() and out[1].any()


def test_arguments_that_are_wrong():
    for error, message, arguments in [
        (ValueError, "picture 1 becomes 2x3, picture 0 3x2: one batch needs one size", {"layout": "hwc", "orientations": [1, 6]}),
        (ValueError, "1 orientations for 2 pictures", {"orientations": [1]}),
        (ValueError, 'orientation is "rotate45"', {"orientations": "rotate45"}),
        (ValueError, "layout is 'nhwc'", {"layout": "nhwc"}),
        (ValueError, "mode is 'L', expected None or 'RGB'", {"mode": "L"}),
        (ValueError, 'mode=None gives a list.*layout=.hwc. needs mode="RGB"', {"mode": None, "layout": "hwc"}),
        (ValueError, "1 orientations for 2 pictures", {"mode": None, "orientations": [1]}),
        (ValueError, "device is 'tpu'", {"device": "tpu"}),
        (ValueError, "errors is 'skip'", {"errors": "skip"}),
        (ValueError, "out is for a batch", {"out": numpy.zeros((2, 2, 3, 3), "u1")}),
        (ValueError, "not a batch of 2 pictures", {"layout": "hwc", "out": numpy.zeros((3, 2, 3, 3), "u1")}),
        (ValueError, "output 0 is 4x2", {"layout": "hwc", "out": numpy.zeros((2, 2, 4, 3), "u1")}),
        (qturn.PictureError, "picture 0: 6 pixels, more than the limit of 5; the limit pixels=6 permits", {"limits": {"pixels": 5}}),
    ]:
        with pytest.raises(error, match=message):
            qturn.decode_batch([PNM, PNM], **arguments)
    with pytest.raises(ValueError, match="picture 1 is at 5 to 4 of 17 bytes"):
        qturn.decode_batch(PNM[:17], offsets=[0, 5, 4])
    with pytest.raises(TypeError, match="expected bytes, another object with a buffer, or a pathlib.Path"):
        qturn.decode_batch([3])


def test_many_threads_decode_at_the_same_time():
    wanted = qturn.decode_batch(FILES)
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        for got in threads.map(lambda _: qturn.decode_batch(FILES), range(8)):
            assert all(map(same, got, wanted))


def pillow_pixels(data):
    from PIL import Image, ImageOps
    return numpy.asarray(ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGB"))


# Pillow makes white of what has more than 8 bits in grey.
@pytest.mark.parametrize("path", [path for path in FILES if path.name != "bricks.png"], ids=lambda path: path.name)
def test_rgb_is_that_of_pillow(path):
    pytest.importorskip("PIL", reason="Pillow is not installed")
    assert same(qturn.decode(path, mode="RGB"), pillow_pixels(path.read_bytes()))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK"])
@pytest.mark.parametrize("format,options", [
    ("JPEG", {}), ("JPEG", {"quality": 100, "subsampling": 0}), ("JPEG", {"subsampling": 1}), ("JPEG", {"progressive": True}),
    ("PNG", {}), ("WEBP", {"lossless": True}), ("WEBP", {}), ("TIFF", {}), ("BMP", {}), ("GIF", {}), ("PPM", {})])
def test_every_mode_of_pillow_becomes_its_rgb(format, options, mode):
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    noise = numpy.random.default_rng(3).integers(0, 256, (37, 51, 4)).astype("u1")
    picture = image.fromarray(noise, "RGBA").convert("RGB" if mode in ("CMYK", "P") else mode).convert(mode)
    file = io.BytesIO()
    try:
        picture.save(file, format, **options)
    except (OSError, ValueError, KeyError):
        return  # the format has no such mode
    data = file.getvalue()
    if (format, mode) == ("TIFF", "CMYK"):
        with pytest.raises(qturn.PictureError, match="CMYK"):
            qturn.decode(data, mode="RGB")
        return
    assert same(qturn.decode(data, mode="RGB"), pillow_pixels(data))
    if mode == "CMYK":
        assert same(qturn.decode(data), numpy.asarray(image.open(io.BytesIO(data))))


def made_by_pillow(chance):
    """A picture of any size and tag: a JPEG of any kind, or a PNG."""
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    size = numpy.exp(chance.uniform(0, 6, 2)).astype(int)
    few = chance.integers(0, 256, (*numpy.maximum(size // 8, 1), 3), "u1")
    picture = image.fromarray(few).resize(size[::-1].tolist(), image.Resampling.BICUBIC).convert(chance.choice(["RGB", "RGB", "L"]))
    exif = image.Exif()
    exif[0x0112] = int(chance.integers(1, 9))
    file = io.BytesIO()
    if chance.random() < 0.15:
        picture.save(file, "PNG", exif=exif, compress_level=1)
    else:
        picture.save(file, "JPEG", exif=exif, quality=int(chance.integers(30, 101)), subsampling=int(chance.integers(0, 3)),
                     progressive=bool(chance.random() < 0.15), restart_marker_blocks=int(chance.choice([0, 0, 1, 7])))
    return file.getvalue()


def drawn_box(height, width, chance):
    """All of it, a part whose edges lie between pixels, or less than a pixel."""
    if chance.random() < 0.1:
        return 0, 0, width, height
    left, top = chance.uniform(0, width), chance.uniform(0, height)
    across, down = chance.uniform(0, 1, 2) ** 2 if chance.random() < 0.9 else (1e-3, 1e-3)
    box = numpy.array([left, top, left + (width - left) * across, top + (height - top) * down], "f4")
    return tuple(numpy.minimum(box, numpy.array([width, height] * 2, "f4")).tolist())


def drawn_size(chance):
    return tuple(numpy.exp(chance.uniform(0, 5.7, 2)).astype(int).tolist())


def resized_by_pillow(data, box, size, orientation, resample):
    """What decode_batch() makes of a picture, by Pillow alone; the installed version orders the passes."""
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    ops = pytest.importorskip("PIL.ImageOps", reason="Pillow is not installed")
    upright = ops.exif_transpose(image.open(io.BytesIO(data))).convert("RGB")
    height, width = size[::-1] if orientation.swaps_axes else size
    resized = upright.resize((width, height), getattr(image.Resampling, resample.upper()), box=box)
    return turned(numpy.asarray(resized), orientation).transpose(2, 0, 1)


@pytest.mark.parametrize("resample", ["nearest", "bilinear", "bicubic"])
def test_a_thousand_crops_are_resized_as_pillow_does_it(device, resample):
    pillow = pytest.importorskip("PIL", reason="Pillow is not installed")
    chance = numpy.random.default_rng(len(resample))
    samples = [path.read_bytes() for path in FILES if path.name != "bricks.png"]  # grey of 16 bits
    for _ in range(25):
        files = samples + [made_by_pillow(chance) for _ in range(40 - len(samples))]
        boxes = [drawn_box(*pixels.shape[:2], chance) for pixels in qturn.decode_batch(files)]
        size, each = drawn_size(chance), [ORIENTATIONS[i] for i in chance.integers(0, 8, len(files))]
        got = qturn.decode_batch(files, each, device=device, layout="chw", size=size, crop=boxes, resample=resample, scale=1.0,
                                 pillow=int(pillow.__version__.split(".")[0]))
        got = got if device == "cpu" else got.cpu().numpy()
        for i, file in enumerate(files):
            assert same(got[i], resized_by_pillow(file, boxes[i], size, each[i], resample).astype("f4")), (i, boxes[i], size, each[i])


def losses(batches):
    """Of a small network in a few steps of training: PyTorch's, or where that is not installed one layer by NumPy."""
    mean, std = (numpy.array(each, "f4").reshape(3, 1, 1) for each in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))
    batches = [(pixels / numpy.float32(255) - mean) / std for pixels in batches]
    targets = numpy.arange(len(batches[0])) % 3
    try:
        import torch
    except ImportError:
        weights = numpy.random.default_rng(1).normal(0, 0.01, (batches[0][0].size, 3)).astype("f4")
        said = []
        for batch in batches:
            inputs = batch.reshape(len(batch), -1)
            scores = inputs @ weights
            likely = numpy.exp(scores - scores.max(1, keepdims=True))
            likely /= likely.sum(1, keepdims=True)
            said.append(-numpy.log(likely[numpy.arange(len(batch)), targets]).mean())
            likely[numpy.arange(len(batch)), targets] -= 1
            weights -= numpy.float32(1e-4) * inputs.T @ likely
        return said
    torch.set_num_threads(1)  # several add in an order of their own
    torch.manual_seed(1)
    batches = [torch.from_numpy(batch) for batch in batches]
    network = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 5, stride=4), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.Flatten(),
                                  torch.nn.LazyLinear(3))
    network(batches[0])
    steps, said = torch.optim.SGD(network.parameters(), 0.01, momentum=0.9), []
    for batch in batches:
        loss = torch.nn.functional.cross_entropy(network(batch), torch.from_numpy(targets))
        steps.zero_grad()
        loss.backward()
        steps.step()
        said.append(loss.item())
    return said


def test_a_network_learns_the_same_from_pillows_pixels():
    pillow = pytest.importorskip("PIL", reason="Pillow is not installed")
    paths = [path for path in FILES if path.suffix == ".jpg" or path.name == "cat.png"]
    chance = numpy.random.default_rng(7)
    ours, theirs = [], []
    for _ in range(2):
        boxes = []
        for height, width in (qturn.decode(path).shape[:2] for path in paths):
            left, top = chance.integers(0, width // 2), chance.integers(0, height // 2)
            boxes.append((left, top, left + width // 3, top + height // 3))
        turns = [ORIENTATIONS[i] for i in chance.integers(0, 8, len(paths))]
        ours.append(qturn.decode_batch(paths, turns, layout="chw", size=64, crop=boxes, scale=1.0,
                                       pillow=int(pillow.__version__.split(".")[0])))
        pixels = [resized_by_pillow(path.read_bytes(), box, (64, 64), turn, "bilinear") for path, box, turn in zip(paths, boxes, turns)]
        theirs.append(numpy.ascontiguousarray(numpy.stack(pixels), "f4"))  # PyTorch adds in another order where planes are interleaved
    assert losses(ours) == losses(theirs)
    ours[1][0, 0] = 255 - ours[1][0, 0]
    assert losses(ours) != losses(theirs)


def test_a_crop_may_be_drawn_from_the_sizes_and_is_all_of_a_picture_by_default():
    files = [ROCKET, PNM, GREY]
    sizes = [qturn.decode(file).shape[:2] for file in files]
    seen = []

    def all_of(sizes):
        seen.extend(sizes)
        return [(0, 0, width, height) for height, width in sizes]

    whole = qturn.decode_batch(files, layout="chw", size=5)
    assert same(qturn.decode_batch(files, layout="chw", size=(5, 5), crop=all_of), whole) and seen == sizes
    out = numpy.full_like(whole, 7)
    batch, mask = qturn.decode_batch([files[0], b"no picture", *files[1:]], layout="chw", size=5, errors="none")
    assert mask == [True, False, True, True] and same(batch[[0, 2, 3]], whole) and not batch[1].any()
    assert qturn.decode_batch(files, layout="chw", size=5, out=out) is out and same(out, whole)


@pytest.mark.parametrize("arguments, why", [
    ({"size": 5}, 'size needs layout="chw"'), ({"layout": "hwc", "size": 5}, 'size needs layout="chw"'),
    ({"layout": "chw", "crop": [(0, 0, 1, 1)]}, "crop needs size="),
    ({"layout": "chw", "size": 5, "resample": "lanczos"}, "resample is 'lanczos', expected"),
    ({"layout": "chw", "size": 5, "pillow": 11}, "pillow is 11, expected 12 or 13"),
    ({"layout": "chw", "size": 5, "crop": []}, "0 boxes for 1 pictures"),
    ({"layout": "chw", "size": 5, "crop": [(0, 0, 3, 2.5)]}, r"the crop of picture 0 is 0 0 3 2.5 .*expected within 3x2"),
    ({"layout": "chw", "size": 5, "crop": [(2, 0, 1, 2)]}, "the crop of picture 0"),
    ({"layout": "chw", "size": 5, "crop": [(float("nan"), 0, 1, 2)]}, "the crop of picture 0")])
def test_what_cannot_be_cropped_is_refused(arguments, why):
    with pytest.raises(ValueError, match=why):
        qturn.decode_batch([PNM], **arguments)
