#!/usr/bin/env python3
"""What a contact sheet shows: contact_sheet.py QTURN-CONTACT-SHEET"""
import base64
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "testdata/samples"
PROGRAM = pathlib.Path(sys.argv[1]).resolve()
SVG = "{http://www.w3.org/2000/svg}"


def sheet_of(columns, *names):
    """The images of a sheet, and its words, in their order."""
    done = subprocess.run([PROGRAM, "sheet.svg", columns, *names], capture_output=True)
    assert done.returncode == 0, done.stderr
    root = ElementTree.parse("sheet.svg").getroot()
    return root.findall(f"{SVG}image"), [text.text for text in root.findall(f"{SVG}text")], done.stderr.decode()


with tempfile.TemporaryDirectory() as folder:
    names = [b"a<b>&\"c\".jpg", "a\u00e4\n.jpg".encode(), b"\xff.jpg", b"x" * 60 + b"-end.jpg"]
    for name in names:
        shutil.copy(SAMPLES / "camera roll/rocket.jpg", folder.encode() + b"/" + name)
    shutil.copy(SAMPLES / "graphics/horse.png", f"{folder}/horse.png")
    pathlib.Path(folder, "damaged.jpg").write_bytes((SAMPLES / "camera roll/cat.jpg").read_bytes()[:4000])
    os.chdir(folder)

    images, words, _ = sheet_of("2", *names)
    assert words == ["a<b>&\"c\".jpg", "a\u00e4?.jpg", "\ufffd.jpg", "\u2026" + "x" * 19 + "-end.jpg"], words
    # Stored turned, and shown as it is stored: upright it is wider than high.
    assert [(image.get("width"), image.get("height")) for image in images] == [("208", "320")] * 4

    # A drawing is kept exact, a photograph small. A row with a picture that cannot be shown is left out.
    images, words, error = sheet_of("before,after", "horse.png", names[0], "damaged.jpg", "horse.png")
    assert words == ["before", "horse.png", "after", "a<b>&\"c\".jpg"], words
    assert "damaged.jpg: " in error and "left out" in error, error
    for image, begin in zip(images, (b"\x89PNG", b"\xff\xd8\xff"), strict=True):
        assert base64.b64decode(image.get("href").split(",")[1]).startswith(begin)
