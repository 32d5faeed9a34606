#!/usr/bin/env python3
"""Tries label formats and layouts, and compares what happens with the tables of docs/turned-labels.md: layouts.py QTURN [--write]

A label is turned with its picture, or the run is refused before it starts: for a folder with -o and --in-place, as a list, and in
a tar; for upright, a turn and augment; whatever --strict says. Ordinary files are no reason to refuse a run.
With --write the tables are written. Nothing but Python's own library is needed.
"""
import io
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import textwrap
import zlib

import layout_data

QTURN = pathlib.Path(sys.argv[1]).resolve()
TESTS = pathlib.Path(__file__).resolve().parents[1]
DOCS = TESTS.parent / "docs/turned-labels.md"


def png(width=9, height=5, more=b""):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    if more:
        more = chunk(b"eXIf", more)
    rows = b"".join(b"\0" + bytes((x * 7 + y) % 251 for x in range(width)) for y in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + more + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


# They come before their pictures in a pipe.
OF_MANY_PICTURES = ("COCO", "CSV", "CVAT", "Label Studio", "Create ML", "Datumaro", "Hugging Face", "VIA")

# Stored upside down, so that upright turns it.
TAGGED = png(more=b"MM\0*\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0\3\0\0\0\0\0\0")


class Place:
    """A folder with a data set in data/."""

    def __init__(self, files, picture=None):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="qturn-layouts-"))
        self.files = files
        for name, content in files.items():
            path = self.root / "data" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(picture or png() if content is None else content if isinstance(content, bytes) else content.encode())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root)

    def run(self, *words):
        piped = open(self.root / "data.tar") if "-" in words else subprocess.DEVNULL
        return subprocess.run([QTURN, *words], cwd=self.root, stdin=piped, capture_output=True, text=True)

    def tree(self):
        return {str(path.relative_to(self.root)): path.read_bytes() for path in self.root.rglob("*") if path.is_file()}

    def tar(self, pictures_last=False):
        with tarfile.open(self.root / "data.tar", "w") as tar:
            for name in sorted(self.files, key=lambda name: (pictures_last and self.files[name] is None, name)):
                tar.add(self.root / "data" / name, name)


def runs(place, pictures, is_inside):
    """All ways of turning the data set that are refused alike."""
    place.tar()
    (place.root / "list").write_text("".join(f"data/{name}\n" for name in pictures))
    plain = (("upright", "data", "-o", "out"), ("flop", "data", "-o", "out"), ("cw", "data", "--in-place"),
             ("upright", "data", "--in-place"), ("augment", "data", "-o", "out", "--variants", "flop"))
    yield from plain
    yield from ((*plain[1], "--strict"), (*plain[1], "--include", "*.png"))
    yield ("flop", "data.tar", "-o", "out.tar")
    yield ("augment", "data.tar", "-o", "out.tar", "--variants", "flop")
    folder = pathlib.PurePath(pictures[0]).parent
    if not is_inside:
        yield ("cw", "--files-from", "list", "--in-place")
        yield ("cw", f"data/{folder}", "--in-place")


def check_refused(row):
    pictures = [name for name, content in row.files.items() if content is None]
    # Folders above the input are not looked into.
    is_above = "/" not in row.label and "/" in pictures[0]
    with Place(row.files, TAGGED) as place:
        before = None
        for words in runs(place, pictures, row.is_inside or is_above):
            before = before or place.tree()
            done = place.run(*words)
            said = f"{row.name}, {' '.join(words)}: {done.returncode}: {done.stderr}"
            assert done.returncode == 2, said
            assert row.says in done.stderr and pathlib.PurePath(row.label).name in done.stderr, said
            assert "--labels none" not in done.stderr, said
            assert place.tree() == before, said
        resumed = place.run("cw", "data", "--in-place", "--resume")
        assert resumed.returncode == 2 and "--labels none" not in resumed.stderr, (row.name, resumed.stderr)
        alone = place.run("flop", "data", "-o", "alone", "--labels", "none", "--others", "leave")
        assert alone.returncode == 0, (row.name, alone.stderr)


def unpacked(files):
    """The files of out.tar, if it is there, as if they lay in out/."""
    if "out.tar" not in files:
        return files
    with tarfile.open(fileobj=io.BytesIO(files["out.tar"])) as tar:
        return {f"out/{member.name}": tar.extractfile(member).read() for member in tar}


def check_as_in_folder(row, *operation):
    """What is in a tar becomes what it becomes in a folder, labels of many pictures also in a pipe. Lists and YAML files are left
    out of tars."""
    made = []
    is_shared = row.name.startswith(OF_MANY_PICTURES) and not row.name.endswith("panoptic")
    for data, out in (("data", "out"), ("data.tar", "out.tar"), *([("-", "out.tar")] if is_shared else [])):
        with Place(row.files) as place:
            place.tar(pictures_last=data == "-")
            options = [option.replace("data/", "") if out == "out.tar" else option for option in row.options]
            done = place.run(*operation, data, "-o", out, *options)
            assert done.returncode == 0, (row.name, operation, data, done.stderr)
            made.append({name: content for name, content in unpacked(place.tree()).items() if name.startswith("out/")})
    of_folder, of_tar, *of_pipe = made
    assert of_pipe in ([], [of_tar]), (row.name, operation)
    described = [name for name in of_folder if name not in of_tar]
    assert all(name.endswith((".yaml", ".names", ".jsonl")) for name in described), (row.name, operation, described, [*of_tar])
    for name, content in of_tar.items():
        assert of_folder.get(name) == content, f"{row.name}, {operation}: {name}: {of_folder.get(name)} in a folder, {content} in a tar"


def outcome(place, row, *words):
    """What a run makes of the labels of a layout that is turned."""
    before = place.tree()
    done = place.run(*words)
    if done.returncode == 2:
        assert place.tree() == before, (row.name, words, done.stderr)
        hint = re.search(r"--labels (\w+):(\S+) turns them", done.stderr)
        if not hint:
            return "refused"
        made = outcome(place, row, *words, "--labels", ":".join(hint.groups()))
        return f"{made} with `--labels {hint[1]}:FILE`" if made == "turned" else made
    said = f"{row.name}, {' '.join(words)}: {done.returncode}: {done.stderr}"
    if done.returncode == 1:
        return "fails by name"
    after = unpacked(place.tree())
    where = "data" if "--in-place" in words else "out"
    suffix = pathlib.PurePath(row.label).suffix
    labels = [content for name, content in after.items() if name.startswith(where) and name.endswith(suffix)]
    turned = row.turned if isinstance(row.turned, bytes) else row.turned.encode()
    assert any(turned in label for label in labels), f"{said}\n{labels}"
    return "turned"


def check_turned(row):
    cells = []
    for words in (("flop", "data", "-o", "out"), ("flop", "data", "--in-place"), ("flop", "data.tar", "-o", "out.tar")):
        with Place(row.files) as place:
            place.tar()
            options = [option.replace("data/", "") if "data.tar" in words else option for option in row.options]
            cells.append(outcome(place, row, *words, *options))
            if row.options and cells[-1] == "turned":
                shutil.rmtree(place.root / "data")
                shutil.rmtree(place.root / "out", ignore_errors=True)
                cells[-1] += f" with `{' '.join(options)}`"
        if cells[-1].startswith("turned") and "data.tar" in words and cells[0] != "refused":
            for operation in (("flop",), ("cw",), ("augment", "--variants", "flop,rotate90")):
                check_as_in_folder(row, *operation)
    with Place(row.files) as place:
        if row.variants:
            done = place.run("augment", "data", "-o", "out", "--variants", "flop")
            made = place.tree()
            assert done.returncode == 0 and all(f"out/{name}" in made for name in row.variants), (row.name, done.stderr, [*made])
            turned = row.turned if isinstance(row.turned, bytes) else row.turned.encode()
            assert turned in made[f"out/{row.variants[0]}"], row.name
    return cells


def check_ordinary(row):
    with Place(row.files) as place:
        place.tar()
        for words in (("upright", "data", "--in-place"), ("flop", "data", "-o", "out", "--strict"), ("cw", "data.tar", "-o", "out.tar"),
                      ("augment", "data", "-o", "more", "--variants", "flop"), ("flop", "data", "-o", "all", "--others", "copy")):
            done = place.run(*words)
            assert done.returncode == 0, f"{row.name}, {' '.join(words)}: {done.returncode}: {done.stderr}"


def check_proved(names, test):
    """Each format that is turned has a test that names it."""
    words = (TESTS / test).read_text().lower().replace("_", " ")
    for name in names:
        assert name.lower() in words, f"tests/{test} does not speak of {name}"


def check_all_proved():
    proved = {name for names, *_ in layout_data.PROVED for name in names}
    for row in layout_data.TURNED:
        assert any(row.name.startswith(name) for name in proved), f"nothing in PROVED proves {row.name}"


def tables():
    check_all_proved()
    lines = ["| format | layout | with `-o` | in place | in a tar |", "|---|---|---|---|---|"]
    for row in layout_data.TURNED:
        line = "| " + " | ".join((row.name, row.layout, *check_turned(row))) + " |"
        lines += [line] if row.is_shown else []
    lines += ["", "After each turn, tests compare with another program, or paint labels and pictures:", "", "| format | with |", "|---|---|"]
    proofs = {}
    for names, proof, test in layout_data.PROVED:
        check_proved(names, test)
        proofs.setdefault(proof, {}).update(dict.fromkeys(names))
    lines += [f"| {', '.join(names)} | {proof} |" for proof, names in proofs.items()]
    lines += ["", "Refused with `-o`, in place and in a tar:", "", "| format | layout |", "|---|---|"]
    for row in layout_data.REFUSED:
        check_refused(row)
        lines += [f"| {row.name} | {row.layout} |"] if row.is_shown else []
    for row in layout_data.ORDINARY:
        check_ordinary(row)
    ordinary = ", ".join(row.name for row in layout_data.ORDINARY if row.is_shown)
    lines += ["", *textwrap.wrap(f"These files do not stop a run: {ordinary}.", 158)]
    return "\n".join(lines) + "\n"


def main():
    begin, end = "<!-- tables: tests/labels/layouts.py -->\n", "<!-- end of tables -->\n"
    seen = tables()
    text = DOCS.read_text()
    first, last = text.index(begin) + len(begin), text.index(end)
    if "--write" in sys.argv:
        DOCS.write_text(text[:first] + seen + text[last:])
    elif text[first:last] != seen:
        sys.exit(f"docs/turned-labels.md says something else (--write writes it):\n{seen}")
    rows = len(layout_data.TURNED) + len(layout_data.REFUSED)
    print(f"{rows} layouts, {len(layout_data.ORDINARY)} ordinary folders")


if __name__ == "__main__":
    main()
