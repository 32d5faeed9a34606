#!/usr/bin/env python3
"""Turns a picture of each format, and compares what happens with the table of docs/measurements/formats.md: formats.py QTURN [--write]

Another program makes the picture and reads what qturn made of it, in all eight orientations, with -o and in place; qturn itself proves each
result, also with --tag-only. If one of the programs is missing, the exit status is 4. With --write the table is written.
"""
import functools
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

QTURN = pathlib.Path(sys.argv[1]).resolve()
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/measurements/formats.md"
WIDTH, HEIGHT = 48, 32
TURNS = {"upright": [], "flop": ["-flop"], "rotate180": ["-rotate", "180"], "flip": ["-flip"], "transpose": ["-transpose"],
         "rotate90": ["-rotate", "90"], "transverse": ["-transverse"], "rotate270": ["-rotate", "270"]}

# Another transform of coefficients, because decoders round a turned block in another way.
JPEGTRAN = {"flop": ["-flip", "horizontal"], "flip": ["-flip", "vertical"], "transpose": ["-transpose"], "transverse": ["-transverse"],
            "rotate90": ["-rotate", "90"], "rotate180": ["-rotate", "180"], "rotate270": ["-rotate", "270"], "upright": []}


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True)


def by(*words):
    """What a program makes of IN, for ImageMagick to read."""
    def read(path):
        shown = path.with_name("shown.png")
        done = run(*(path if word == "IN" else shown if word == "OUT" else word for word in words))
        assert done.returncode == 0, (words, done.stderr)
        return shown
    return read


def numpy_array(path, source):
    pixels = run("convert", source, "-depth", "8", "rgb:-").stdout
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({HEIGHT}, {WIDTH}, 3), }}".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + pixels)


def numpy_pixels(path):
    data = path.read_bytes()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    height, width, _ = eval(data[10:start])["shape"]  # noqa: S307: what numpy itself does, of our own file
    shown = path.with_name("shown.rgb")
    shown.write_bytes(data[start:])
    return f"-size {width}x{height} -depth 8 rgb:{shown}"


magick = ("ImageMagick", lambda path: path)
# Suffix, how the picture is made from a PNG, who reads it.
FORMATS = {
    "JPEG": ("jpg", ("convert", "IN", "-quality", "90", "-sampling-factor", "1x1", "OUT"), ("jpegtran, ImageMagick", magick[1])),
    "PNG": ("png", ("convert", "IN", "OUT"), magick),
    "TIFF": ("tif", ("convert", "IN", "OUT"), magick),
    "OpenEXR": ("exr", ("oiiotool", "IN", "-d", "half", "-o", "OUT"), ("oiiotool", by("oiiotool", "IN", "-d", "uint16", "-o", "OUT"))),
    "WebP": ("webp", ("cwebp", "-quiet", "-lossless", "IN", "-o", "OUT"), ("dwebp", by("dwebp", "-quiet", "IN", "-o", "OUT"))),
    "GIF": ("gif", ("convert", "IN", "-colors", "64", "OUT"), magick),
    "BMP": ("bmp", ("convert", "IN", "OUT"), magick),
    "PNM": ("ppm", ("convert", "IN", "OUT"), magick),
    "TGA": ("tga", ("convert", "IN", "OUT"), magick),
    "Radiance HDR": ("hdr", ("convert", "IN", "OUT"), magick),
    "JPEG 2000": ("jp2", ("convert", "IN", "-quality", "0", "OUT"), magick),
    "DPX": ("dpx", ("convert", "IN", "-depth", "16", "OUT"), magick),
    "SGI": ("sgi", ("convert", "IN", "OUT"), magick),
    "HEIC": ("heic", ("heif-enc", "-L", "IN", "-o", "OUT"), ("libheif", by("heif-convert", "IN", "OUT"))),
    "AVIF": ("avif", ("avifenc", "-l", "IN", "OUT"), ("libheif", by("heif-convert", "IN", "OUT"))),
    "JPEG XL": ("jxl", ("cjxl", "-d", "0", "IN", "OUT"), ("libjxl", by("djxl", "IN", "OUT"))),
    "NumPy": ("npy", numpy_array, ("Python", numpy_pixels)),
}


def pixels(path, reader, *operations):
    words = str(reader(path)).split(" ") if reader is numpy_pixels else [reader(path)]
    done = run("convert", *words, "-auto-orient", *operations, "-depth", "16", "rgb:-")
    assert done.returncode == 0 and done.stdout, (path, done.stderr)
    return done.stdout


@functools.cache
def expected(source, reader, turn):
    if source.suffix != ".jpg":
        return pixels(source, reader, *TURNS[turn])
    wanted = source.with_name("wanted.jpg")
    wanted.write_bytes(run("jpegtran", *JPEGTRAN[turn], source).stdout)
    return pixels(wanted, reader)


def check(name, folder):
    suffix, make, (program, reader) = FORMATS[name]
    source = folder / f"source.{suffix}"
    if callable(make):
        make(source, folder / "picture.png")
    else:
        done = run(*(folder / "picture.png" if word == "IN" else source if word == "OUT" else word for word in make))
        assert source.exists(), (name, done.stderr)

    def turned(path, words):
        """What becomes of all turns."""
        cells = set()
        for turn in TURNS:
            done = run(QTURN, turn, *words(turn), "--labels", "none")
            if done.returncode != 0:
                cells.add("refused")
                continue
            assert pixels(path, reader) == expected(source, reader, turn), (name, turn, words(turn))
            if turn != "upright":  # which copies what is upright
                cells.add("exact")
        return " or ".join(sorted(cells))

    copy, result = folder / f"copy.{suffix}", folder / f"result.{suffix}"

    def in_place(_):
        shutil.copy(source, copy)
        return [copy, "--in-place"]

    def by_tag():
        """What becomes of a turn that is only stored, proved both ways, in all turns but `upright`, which would change nothing."""
        cells = set()
        for turn in [turn for turn in TURNS if turn != "upright"]:
            done = [run(QTURN, turn, *words, "--tag-only", "--labels", "none")
                    for words in ([source, "-o", result, "--overwrite", "--verify"], in_place(turn))]
            assert [each.returncode for each in done] in ([0, 0], [1, 1]), (name, turn, done)
            assert done[0].returncode or result.read_bytes() == copy.read_bytes() != source.read_bytes(), (name, turn)
            cells.add("refused" if done[0].returncode else "proved")
        return " or ".join(sorted(cells))

    nameless, png = folder / "nameless.bin", folder / "other.png"
    shutil.copy(source, nameless)
    checked = run(QTURN, "check", nameless)
    known = "content" if checked.returncode == 0 and b"1 picture" in checked.stdout + checked.stderr else "suffix and content"
    to_png = run(QTURN, "upright", source, "-o", png, "--format", "png", "--labels", "none").returncode == 0
    word = name.lower().replace("radiance ", "").replace("maya's ", "").replace(" ", "")
    from_png = run(QTURN, "upright", folder / "picture.png", "-o", folder / f"made.{suffix}", "--format", word).returncode == 0
    return [name, known, turned(result, lambda _: [source, "-o", result, "--overwrite", "--verify"]), turned(copy, in_place), by_tag(),
            "yes" if to_png else "no", "yes" if from_png else "no", program]


def table():
    lines = ["| format | known by | with `-o` | in place | by its tag | becomes a PNG | is made of a PNG | read by |", "|---|---|---|---|---|---|---|---|"]
    for name in FORMATS:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            made = run("convert", "-size", f"{WIDTH}x{HEIGHT}", "gradient:navy-yellow", "(", "-size", f"{WIDTH}x{HEIGHT}", "-seed", "1", "plasma:red-green", ")",
                       "-average", "-type", "TrueColor", "-depth", "8", f"PNG24:{folder / 'picture.png'}")
            assert made.returncode == 0, made.stderr
            lines.append("| " + " | ".join(check(name, folder)) + " |")
    return "\n".join(lines) + "\n"


def main():
    for program in ("convert", "oiiotool", "cwebp", "dwebp", "heif-enc", "heif-convert", "avifenc", "cjxl", "djxl", "jpegtran"):
        if not shutil.which(program):
            print(f"skipped: {program} is not installed")
            sys.exit(4)
    begin, end = "<!-- table: tests/formats/formats.py -->\n", "<!-- end of table -->\n"
    seen, text = table(), PAGE.read_text()
    first, last = text.index(begin) + len(begin), text.index(end)
    if "--write" in sys.argv:
        PAGE.write_text(text[:first] + seen + text[last:])
    elif text[first:last] != seen:
        sys.exit(f"docs/measurements/formats.md says something else (--write writes it):\n{seen}")
    print(f"{len(FORMATS)} formats")


main()
