#!/usr/bin/env python3
"""Measures qturn.turn(data, "upright") beside PIL.ImageOps.exif_transpose() and save(): time, quality, metadata.

  pictures.py [ROUNDS]   prints a page for docs/measurements. Takes the installed package, NumPy and Pillow.

All work on one core, in memory, in turns. Times are seconds of the processor, so that other programs count little.
"""
import datetime
import io
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time

import numpy
import PIL
from PIL import ExifTags, Image, ImageCms, ImageOps

import qturn

SAMPLES = pathlib.Path(__file__).resolve().parents[3] / "testdata" / "samples"
XMP = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></x:xmpmeta>'


def photograph(size, format, **options):
    """A sample picture in the size of a camera's, with noise as sensors have it, tagged as turned, with metadata."""
    small = Image.open(SAMPLES / "camera roll" / "coffee.jpg").convert("RGB")
    pixels = numpy.asarray(small.resize(size, Image.Resampling.LANCZOS), numpy.int16)
    noise = numpy.random.default_rng(1).normal(0, 4, pixels.shape)
    picture = Image.fromarray(numpy.clip(pixels + noise, 0, 255).astype(numpy.uint8))
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6
    exif[ExifTags.Base.Make] = "a camera"
    exif.get_ifd(ExifTags.IFD.GPSInfo)[ExifTags.GPS.GPSLatitudeRef] = "N"
    file = io.BytesIO()
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    picture.save(file, format, exif=exif, icc_profile=profile, **options)
    return file.getvalue()


PICTURES = {
    "JPEG, 4000 x 3008, whole blocks": lambda: photograph((4000, 3008), "JPEG", quality=90, xmp=XMP, comment=b"a comment"),
    "JPEG, 3999 x 2999, edges in half": lambda: photograph((3999, 2999), "JPEG", quality=90, xmp=XMP, comment=b"a comment"),
    "PNG, 2000 x 1504": lambda: photograph((2000, 1504), "PNG"),
    "TIFF, 4000 x 3008, Deflate": lambda: photograph((4000, 3008), "TIFF", compression="tiff_adobe_deflate"),
    "WebP, lossless, 1000 x 752": lambda: photograph((1000, 752), "WEBP", lossless=True),
}


def by_qturn(data):
    return qturn.turn(data, "upright").bytes


def by_pillow(data):
    """As most programs do it."""
    picture = Image.open(io.BytesIO(data))
    file = io.BytesIO()
    ImageOps.exif_transpose(picture).save(file, picture.format)
    return file.getvalue()


def by_careful_pillow(data):
    """With all that save() can be asked to keep."""
    picture = Image.open(io.BytesIO(data))
    upright = ImageOps.exif_transpose(picture)
    kept = {"exif": upright.getexif(), "icc_profile": picture.info.get("icc_profile")}
    if picture.format == "JPEG":
        kept |= {"quality": 95, "subsampling": "4:2:0", "xmp": picture.info.get("xmp"), "comment": picture.info.get("comment")}
    elif picture.format == "TIFF":
        kept |= {"compression": "tiff_adobe_deflate"}
    elif picture.format == "WEBP":
        kept |= {"lossless": True}
    file = io.BytesIO()
    upright.save(file, picture.format, **kept)
    return file.getvalue()


PROGRAMS = {"qturn": by_qturn, "Pillow": by_pillow, "Pillow, told to keep all": by_careful_pillow}


def pixels(picture):
    return numpy.asarray(picture.convert("RGB"), numpy.float32)


def quality(made, source):
    """Decibels between the result and the pixels of the source, moved by Pillow."""
    wanted = pixels(ImageOps.exif_transpose(Image.open(io.BytesIO(source))))
    error = float(numpy.mean((pixels(Image.open(io.BytesIO(made))) - wanted) ** 2))
    return "exact" if error == 0 else f"{10 * numpy.log10(255**2 / error):.1f} dB"


def lost(made, source):
    def of(data):
        picture = Image.open(io.BytesIO(data))
        exif = picture.getexif()
        return {"Exif": exif.get(ExifTags.Base.Make), "GPS": bool(exif.get_ifd(ExifTags.IFD.GPSInfo)),
                "profile": bool(picture.info.get("icc_profile")), "XMP": bool(picture.info.get("xmp")),
                "comment": bool(picture.info.get("comment"))}
    before, after = of(source), of(made)
    return ", ".join(name for name in before if before[name] and not after[name]) or "nothing"


def measure(data, rounds):
    """Each program turns the picture some times on end, as in a loop over a folder; then it is the next one's turn."""
    made, seconds = {}, {name: [] for name in PROGRAMS}
    for _ in range(3):
        for name, turn in PROGRAMS.items():
            made[name] = turn(data)  # a warm-up
            for _ in range(rounds):
                begin = time.process_time()
                turn(data)
                seconds[name].append(time.process_time() - begin)
    return made, seconds


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    load = os.getloadavg()[0]
    cpu = next(line.split(": ")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    root = pathlib.Path(__file__).resolve().parents[3]
    commit = subprocess.run(["git", "-C", root, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    print(f"Date {datetime.date.today()}, commit {commit}.\n"
          f"Machine: {cpu}, one core; load {load:.1f} at the start.\n"
          f"Software: Python {platform.python_version()}, Pillow {PIL.__version__}.\n"
          f"Command: plugins/python/bench/pictures.py {rounds}; medians of 3 x {rounds} runs, programs measured in turns, time of the "
          "processor.\n\n"
          "| picture | program | ms | from, to | times as fast is qturn | MB | pixels, to the exact turn | lost |\n|---|---|---|---|---|---|---|---|")
    for picture, make in PICTURES.items():
        source = make()
        made, seconds = measure(source, rounds)
        ours = statistics.median(seconds["qturn"])
        for name, times in seconds.items():
            middle = statistics.median(times)
            print(f"| {picture} | {name} | {middle * 1e3:.0f} | {min(times) * 1e3:.0f} to {max(times) * 1e3:.0f} | {middle / ours:.2f} | "
                  f"{len(made[name]) / 1e6:.2f} | {quality(made[name], source)} | {lost(made[name], source)} |", flush=True)


if __name__ == "__main__":
    main()
