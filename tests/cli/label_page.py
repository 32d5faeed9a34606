#!/usr/bin/env python3
"""The pages of --html fit a phone: label_page.py QTURN. Skipped (4) where Chromium is not installed."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/site"))
import browser  # noqa: E402

if not browser.chromium():
    sys.exit(4)
with tempfile.TemporaryDirectory() as folder:
    data = pathlib.Path(folder, "data")
    name = "a-name-without-any-place-to-break-it-" * 4
    for kind in ("images", "labels"):
        (data / kind).mkdir(parents=True)
    shutil.copy(ROOT / "testdata/samples/camera roll/coffee.jpg", data / f"images/{name}.jpg")
    (data / f"labels/{name}.txt").write_text("0 0.5 0.5 0.2 0.2\n1 0.9 0.5 0.6 0.2\n")
    pages = pathlib.Path(folder, "pages")
    pages.mkdir()
    for command in (["check", "--labels", data, "--html", pages / "check.html"],
                    ["augment", data, "-o", pathlib.Path(folder, "out"), "--labels-drawn-on", "stored", "--html", pages / "augment.html"]):
        subprocess.run([sys.argv[1], *command], capture_output=True)
    wrong, count = browser.check(pages)
    assert count >= 1, "no page was written"
    sys.exit("\n".join(wrong) or None)
