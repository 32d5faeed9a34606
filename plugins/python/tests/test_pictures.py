"""Files in memory against the command line: the same bytes, the same words."""
import concurrent.futures
import json
import mmap
import pathlib
import pickle
import struct
import subprocess
import sys
import threading
import zlib
from copy import deepcopy

import numpy
import pytest

import qturn
from qturn import Orientation

SAMPLES = pathlib.Path(__file__).parents[3] / "testdata" / "samples"
FILES = sorted(path for path in SAMPLES.rglob("*") if path.is_file())
ROCKET = SAMPLES / "camera roll" / "rocket.jpg"  # stored turned
CAT = SAMPLES / "graphics" / "cat.png"
FORMATS = ["jpeg", "png", "tiff", "openexr", "webp", "bmp", "pnm", "tga", "hdr", "gif"]
# Written by hand; all but the first and the last hold 2 x 1 pixels. Other formats are made from
# them.
PNM = b"P6\n3 2\n255\n" + bytes(range(18))
PFM = b"PF\n2 1\n-1.0\n" + numpy.arange(6, dtype="<f4").tobytes()
HDR = b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n" + bytes([200, 100, 50, 130, 10, 20, 255, 128])
GIF = (b"GIF89a\x02\x00\x01\x00\x80\x01\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x02\x00\x01\x00\x00"
       b"\x02\x02\x44\x0a\x00;")
SOURCES = {"gif": GIF, "hdr": HDR, "openexr": PFM}


def command_line(*arguments):
    return subprocess.run([sys.executable, "-m", "qturn", *map(str, arguments)], capture_output=True, text=True)


def outcomes(folder, operation, inputs, *options):
    """{name of the input: its line of --json}; the results are in `folder`."""
    said = command_line(operation, *inputs, "-o", folder, "--json", "--device", "cpu", *options)
    return {pathlib.Path(line["input"]).name: line for line in map(json.loads, said.stdout.splitlines()) if "input" in line}


def test_there_are_samples():
    assert len(FILES) == 12


@pytest.mark.parametrize("operation", ["upright", *(each.name for each in list(Orientation)[1:])])
def test_all_samples_become_the_files_of_the_command_line(operation, tmp_path):
    made = outcomes(tmp_path, operation, [SAMPLES])
    assert len(made) == len(FILES)
    for path in FILES:
        turned = qturn.turn(path.read_bytes(), operation)
        assert turned.bytes == (tmp_path / path.relative_to(SAMPLES)).read_bytes(), path.name
        line = made[path.name]
        assert (turned.route, turned.size) == (line["route"], (line["width"], line["height"])), path.name
        assert turned.warnings == line.get("warnings", [])


@pytest.mark.parametrize("options,arguments", [
    (["--jpeg", "planar"], {"jpeg": "planar"}),
    (["--jpeg-edges", "trim"], {"edges": "trim"}),
    (["--jpeg-edges", "tag"], {"edges": "tag"}),
    (["--tag-only"], {"tag_only": True}),
    (["--png", "fast"], {"png": "fast"}),
    (["--format", "jpg", "--quality", "80"], {"format": "jpg", "quality": 80}),
])
def test_the_options_of_the_command_line(options, arguments, tmp_path):
    made = outcomes(tmp_path, "rotate270", [SAMPLES], *options)
    assert len(made) == len(FILES)
    for path in FILES:
        if made[path.name]["status"] == "failed":
            with pytest.raises(qturn.PictureError) as refused:
                qturn.turn(path.read_bytes(), "rotate270", **arguments)
            assert str(refused.value) == made[path.name]["message"]
            continue
        turned = qturn.turn(path.read_bytes(), "rotate270", **arguments)
        assert turned.bytes == pathlib.Path(made[path.name]["output"]).read_bytes(), path.name


def test_skipped_and_failed_edges():
    data = next(path.read_bytes() for path in FILES
                if path.suffix == ".jpg" and qturn.turn(path.read_bytes(), "rotate90").route == "planar")
    left = qturn.turn(data, "rotate90", edges="skip")
    assert (left.bytes, left.route) == (data, "skipped") and left.message
    with pytest.raises(qturn.PictureError, match="block"):
        qturn.turn(data, "rotate90", edges="fail")
    assert qturn.turn(data, "rotate90").loss == "unasked"


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_turns_and_turns_back(format):
    suffix = ".tga" if format == "tga" else ""  # which has no signature
    source = qturn.turn(qturn.turn(SOURCES.get(format, PNM), format=format).bytes, suffix=suffix)
    turned = qturn.turn(source.bytes, "rotate90", suffix=suffix)
    assert (turned.format, turned.applied, turned.size) == (format, Orientation.rotate90, source.size[::-1])
    assert qturn.orientation(turned.bytes, suffix=suffix) == Orientation.identity
    back = qturn.turn(turned.bytes, "rotate270", suffix=suffix)
    assert (back.format, back.size) == (format, source.size)
    if format != "jpeg":  # 3 x 2 pixels do not fill a block
        assert back.bytes == source.bytes != turned.bytes


def test_what_turned_says():
    turned = qturn.turn(ROCKET.read_bytes())
    assert isinstance(turned.bytes, bytes)
    assert turned.applied == Orientation.rotate90 == qturn.orientation(ROCKET.read_bytes())
    assert repr(turned).startswith(f"<qturn.Turned: jpeg, {turned.size[0]} x {turned.size[1]}, {turned.route}, ")
    again = qturn.turn(turned.bytes)
    assert (again.bytes, again.route) == (turned.bytes, "copied")


def test_every_kind_of_buffer_is_taken(tmp_path):
    data = ROCKET.read_bytes()
    wanted = qturn.turn(data).bytes
    with open(ROCKET, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert qturn.turn(mapped).bytes == wanted
    for buffer in (bytearray(data), memoryview(data), memoryview(b"??" + data + b"?")[2:-1], numpy.frombuffer(data, numpy.uint8)):
        assert qturn.turn(buffer).bytes == wanted
        assert qturn.orientation(buffer) == Orientation.rotate90
        assert qturn.check(buffer) == []
    changing = bytearray(data)
    qturn.turn(changing)
    changing.clear()  # nothing holds it any more


@pytest.mark.parametrize("function", [qturn.turn, qturn.orientation, qturn.check])
def test_what_is_not_a_picture(function):
    with pytest.raises(qturn.PictureError, match="the file is empty"):
        function(b"")
    with pytest.raises(qturn.PictureError, match="not a picture in a format that qturn reads"):
        function(b"no picture at all")
    with pytest.raises(TypeError, match="data is of type .*str.*expected bytes"):
        function(str(ROCKET))
    with pytest.raises(ValueError, match=r"do not lie together; bytes\(data\) copies them"):
        function(memoryview(ROCKET.read_bytes())[::2])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_damage_is_the_error_of_the_command_line(path, tmp_path):
    data = path.read_bytes()
    cut = tmp_path / path.name
    cut.write_bytes(data[:len(data) * 2 // 3])
    for operation, function in (("rotate90", lambda: qturn.turn(cut.read_bytes(), "rotate90")),
                                ("check", lambda: qturn.check(cut.read_bytes()))):
        said = command_line(operation, cut, *([] if operation == "check" else ["-o", tmp_path / "out"]))
        with pytest.raises(qturn.PictureError) as error:
            function()
        assert f"{cut}: {error.value}\n" in said.stderr


def test_check_says_what_the_command_line_says(tmp_path):
    longer = CAT.read_bytes() + b"more"
    (tmp_path / "a.png").write_bytes(longer)
    assert qturn.check(longer) == qturn.check(longer, quick=True) == ["4 bytes after the end of the PNG"]
    assert command_line("check", tmp_path / "a.png").stdout == f"{tmp_path / 'a.png'}: 4 bytes after the end of the PNG\n"


def test_a_quick_check_reads_no_pixels():
    data = bytearray(ROCKET.read_bytes())
    data[-3000:-2] = bytes(2998)
    assert qturn.check(data, quick=True) == []
    with pytest.raises(qturn.PictureError):
        qturn.check(data)


def test_limits():
    data = ROCKET.read_bytes()
    with pytest.raises(qturn.PictureError, match="more than the limit of 100; the limit pixels=[0-9]+ permits that"):
        qturn.turn(data, limits={"pixels": 100})
    with pytest.raises(qturn.PictureError, match="the limit pixels="):
        qturn.check(data, limits={"pixels": 100})
    assert qturn.turn(data, limits={"pixels": None, "metadata-count": 1000}).bytes == qturn.turn(data).bytes
    with pytest.raises(ValueError, match='limits has "size", expected some of pixels, ratio'):
        qturn.turn(data, limits={"size": 1})
    with pytest.raises(ValueError, match="the limit pixels is -1, expected a whole number"):
        qturn.turn(data, limits={"pixels": -1})


@pytest.mark.parametrize("arguments,error,message", [
    ({"orientation": "rotate45"}, ValueError, 'orientation is "rotate45"'),
    ({"orientation": 9}, ValueError, "orientation is 9, expected 1 to 8"),
    ({"orientation": 2**70}, ValueError, f"orientation is {2**70}, expected 1 to 8"),
    ({"orientation": "\udc80"}, ValueError, r"orientation is '\\udc80', expected identity"),
    ({"limits": {"\udc80": 1}}, ValueError, "limits has .*expected some of pixels"),
    ({"jpeg": "best"}, ValueError, 'jpeg is "best", expected one of lossless, planar'),
    ({"edges": "cut"}, ValueError, 'edges is "cut", expected one of reencode, trim, tag, skip, fail'),
    ({"png": "tiny"}, ValueError, 'png is "tiny", expected one of small, fast'),
    ({"format": "bpg"}, ValueError, "'bpg' is not one of jpeg, "),
    ({"format": "jpeg", "quality": 0}, ValueError, "a quality is 1 to 100, not 0"),
    ({"quality": 90}, ValueError, "a quality is for the formats jpeg and webp"),
])
def test_arguments_that_are_wrong(arguments, error, message):
    with pytest.raises(error, match=message):
        qturn.turn(ROCKET.read_bytes(), **arguments)


def test_many_threads_turn_the_same_files():
    data = [path.read_bytes() for path in FILES]
    wanted = [qturn.turn(file, "transverse").bytes for file in data]
    shared = [bytearray(file) for file in data]
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        for _ in range(4):
            made = threads.map(lambda file: qturn.turn(file, "transverse").bytes, [*data, *shared])
            assert list(made) == wanted + wanted


def read_only_array(data):
    array = numpy.frombuffer(data, numpy.uint8)
    array.flags.writeable = False
    return array


class Overwriter:
    """A thread that fills `shared` with zeros when it is told to, as soon as it gets the GIL."""

    def __init__(self, shared):
        self.shared = shared
        self.told, self.done = threading.Lock(), threading.Event()
        self.told.acquire()
        self.ends = False
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while True:
            self.told.acquire()
            if self.ends:
                return
            self.shared[:] = bytes(len(self.shared))
            self.done.set()

    def __enter__(self):
        self.interval = sys.getswitchinterval()
        sys.setswitchinterval(1000)  # no thread loses the GIL, but where it gives it up
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.ends = True
        self.told.release()
        self.thread.join()
        sys.setswitchinterval(self.interval)


@pytest.mark.parametrize("view", [lambda data: data, lambda data: memoryview(data).toreadonly(), read_only_array],
                         ids=["bytearray", "memoryview", "array"])
@pytest.mark.parametrize("function", [lambda data: qturn.turn(data, "cw").bytes, qturn.check], ids=["turn", "check"])
def test_what_another_thread_writes_meanwhile_does_not_count(function, view):
    data = ROCKET.read_bytes()
    wanted = function(data)
    shared = bytearray(data)
    overwritten = 0  # while a call worked, which takes that it has released the GIL
    with Overwriter(shared) as other:
        for _ in range(1000):
            shared[:] = data
            other.done.clear()
            other.told.release()
            assert function(view(shared)) == wanted
            overwritten += other.done.is_set()
            other.done.wait()
            if overwritten == 3:
                break
    assert overwritten == 3


def test_a_view_of_bytes_is_taken_as_bytes_are():
    data = ROCKET.read_bytes()
    wanted = qturn.turn(data).bytes
    assert qturn.turn(memoryview(memoryview(data)).cast("B")).bytes == wanted

    class Bytes(bytes):
        pass

    assert qturn.turn(Bytes(data)).bytes == wanted


@pytest.mark.parametrize("function", [qturn.turn, qturn.orientation, qturn.check])
def test_what_a_buffer_cannot_give_is_said_by_its_owner(function, tmp_path):
    released = memoryview(ROCKET.read_bytes())
    released.release()
    with pytest.raises(ValueError, match="released memoryview"):
        function(released)
    with open(ROCKET, "rb") as file:
        closed = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    closed.close()
    with pytest.raises(ValueError, match="mmap closed"):
        function(closed)


def test_a_message_quotes_bytes_that_are_not_text():
    webp = qturn.turn(PNM, format="webp").bytes
    longer = webp + b"\xff\xfeab" + struct.pack("<I", 100)
    longer = longer[:4] + struct.pack("<I", len(longer) - 8) + longer[8:]
    for function in (qturn.turn, qturn.check):
        with pytest.raises(qturn.PictureError, match=r"\\xff\\xfeab"):
            function(longer)


def test_a_finding_quotes_bytes_that_are_not_text():
    xmp = (b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
           b'<rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="\xe9"/></rdf:RDF></x:xmpmeta>')
    chunk = b"iTXtXML:com.adobe.xmp\0\0\0\0\0" + xmp
    png = qturn.turn(PNM, format="png").bytes
    after_header = 8 + 25
    png = (png[:after_header] + struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
           + png[after_header:])
    assert any("\\xe9" in finding for finding in qturn.check(png))
    qturn.turn(png).warnings


def test_the_error_of_a_picture_can_be_sent_to_another_process():
    assert qturn.PictureError.__module__ == "qturn._qturn"
    copy = pickle.loads(pickle.dumps(qturn.PictureError("damaged")))
    assert (type(copy), str(copy)) == (qturn.PictureError, "damaged")


def test_an_orientation_needs_no_limit_of_pixels():
    data = ROCKET.read_bytes()
    with pytest.raises(qturn.PictureError, match="the limit pixels="):
        qturn.turn(data, limits={"pixels": 1})
    assert qturn.orientation(data, limits={"pixels": 1}) == Orientation.rotate90
    with pytest.raises(qturn.PictureError, match="the limit metadata-count=[0-9]+ permits that"):
        qturn.orientation(data, limits={"metadata-count": 1})


@pytest.mark.parametrize("function", [qturn.turn, qturn.orientation, qturn.check])
def test_camera_raw_files_are_left_to_the_program(function):
    tiff = qturn.turn(PNM, format="tiff").bytes
    with pytest.raises(qturn.PictureError, match="camera raw file, which is not taken in memory; the program qturn takes it"):
        function(tiff, suffix=".nef")


def test_what_was_turned_can_be_sent_to_another_process():
    data = next(path.read_bytes() for path in FILES
                if path.suffix == ".jpg" and qturn.turn(path.read_bytes(), "rotate90").route == "planar")
    for turned in (qturn.turn(data, "rotate90"), qturn.turn(CAT.read_bytes() + b"more", "cw")):
        names = ("bytes", "format", "route", "loss", "applied", "size", "message", "warnings")
        for copy in (pickle.loads(pickle.dumps(turned)), deepcopy(turned)):
            assert [getattr(copy, name) for name in names] == [getattr(turned, name) for name in names]
    with pytest.raises(ValueError, match="not the state of a qturn.Turned"):
        qturn.Turned.__new__(qturn.Turned).__setstate__((b"", "png", 99, 0, Orientation.flop, 1, 1, "", []))


def test_paths_are_read(tmp_path):
    for function in (lambda data: qturn.turn(data).bytes, qturn.orientation, qturn.check):
        assert function(ROCKET) == function(ROCKET.read_bytes())
    with pytest.raises(FileNotFoundError):
        qturn.turn(tmp_path / "missing.jpg")
    pixels = qturn.decode(ROCKET, "flop")
    assert numpy.array_equal(qturn.transform(ROCKET, "flop"), pixels)
    assert numpy.array_equal(qturn.transform(ROCKET, "flop", layout="chw"), pixels.transpose(2, 0, 1))
    for missing in (lambda path: qturn.transform(path, 2), qturn.decode):
        with pytest.raises(FileNotFoundError):
            missing(tmp_path / "missing.jpg")


def test_images_that_pillow_has_opened():
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    opened = image.open(ROCKET)
    assert qturn.turn(opened).bytes == qturn.turn(ROCKET.read_bytes()).bytes
    assert qturn.check(opened) == []
    with pytest.raises(TypeError, match="an image of Pillow that was not opened from a file"):
        qturn.turn(image.new("RGB", (2, 2)))
    for orientation in Orientation:
        made = qturn.transform(opened, orientation)
        assert isinstance(made, image.Image)
        assert numpy.array_equal(numpy.asarray(made), qturn.transform(numpy.asarray(opened), orientation))


def test_a_notebook_shows_what_was_turned():
    assert qturn.turn(ROCKET)._repr_html_().startswith('<img src="data:image/jpeg;base64,/9j/')
    assert qturn.turn(PNM)._repr_html_() is None


def test_the_package_says_its_version_and_no_names_of_others():
    assert qturn.__version__ == command_line("--version").stdout.split()[1]
    ours = {pathlib.Path(file.name).stem for file in pathlib.Path(qturn.__file__).parent.iterdir()}
    assert {name for name in dir(qturn) if not name.startswith("_")} <= {*qturn.__all__, *ours}
