#!/usr/bin/env python3
"""Damages small pictures of every format in many ways and asks qturn and other programs about them. Where another program
reports an error, qturn must fail as well, or LISTED must give the reason, which docs/files.md has for the user.

  damage.py QTURN           every tenth case, as a test
  damage.py QTURN --whole   each sample cut at 40 places, with 200 bytes changed and 50 splices
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

CUTS, FLIPS, SPLICES = 40, 200, 50
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "testdata/samples"

# What makes each sample in "out". The first word of a name is the format.
MADE_BY = {
    "jpeg baseline": ["djpeg in.jpg | cjpeg -baseline -quality 85 -outfile out", "jpg"],
    "jpeg progressive": ["djpeg in.jpg | cjpeg -progressive -quality 85 -outfile out", "jpg"],
    "jpeg restarts": ["djpeg in.jpg | cjpeg -restart 2B -grayscale -outfile out", "jpg"],
    "png": ["convert in.jpg -strip png:out", "png"],
    "png interlaced": ["convert in.jpg -strip -interlace PNG -colors 200 png8:out", "png"],
    "tiff plain": ["convert in.jpg -strip -compress none tiff:out", "tif"],
    "tiff lzw": ["convert in.jpg -strip -compress lzw tiff:out", "tif"],
    "tiff deflate": ["convert in.jpg -strip -compress zip tiff:out", "tif"],
    "tiff jpeg": ["convert in.jpg -strip -compress jpeg tiff:out", "tif"],
    "tiff fax": ["convert in.jpg -strip -monochrome -compress group4 tiff:out", "tif"],
    "webp lossy": ["djpeg -outfile in.ppm in.jpg && cwebp -quiet in.ppm -o out", "webp"],
    "webp lossless": ["djpeg -outfile in.ppm in.jpg && cwebp -quiet -lossless in.ppm -o out", "webp"],
    "gif": ["convert in.jpg -strip '(' +clone -crop 40x30+5+3 ')' gif:out", "gif"],
    "pnm": ["djpeg -outfile out in.jpg", "ppm"],
    "pnm text": ["convert in.jpg -compress none ppm:out", "ppm"],
    "bmp": ["djpeg -bmp -outfile out in.jpg", "bmp"],
    "tga": ["convert in.jpg -compress RLE tga:out", "tga"],
    "hdr": ["convert in.jpg hdr:out", "hdr"],
    "openexr": ["convert in.jpg in.pfm && '{qturn}' upright in.pfm -q --format openexr -o out.exr && mv out.exr out", "exr"],
    "heic": ["convert in.jpg -strip in.png && heif-enc -q 40 in.png -o out", "heic"],
    "avif": ["convert in.jpg -strip in.png && avifenc --speed 10 in.png out.avif && mv out.avif out", "avif"],
    "jxl": ["djpeg -outfile in.ppm in.jpg && cjxl in.ppm out.jxl --quiet --effort 3 && mv out.jxl out", "jxl"],
    "jxl container": ["djpeg -outfile in.ppm in.jpg && cjxl in.ppm out.jxl --quiet --effort 3 --container=1 && mv out.jxl out", "jxl"],
    "raw": ["convert in.jpg -strip -compress none -orient RightTop tiff:out", "dng"],
    "jxl jpeg": ["cjxl in.jpg out.jxl --quiet && mv out.jxl out", "jxl"],
}

# Commands that decode FILE and exit with an error if they find one.
OTHERS = {
    "jpeg": ["djpeg -outfile /dev/null FILE", "jpeginfo -c FILE", "identify -regard-warnings FILE"],
    "png": ["pngcheck -q FILE", "convert -regard-warnings FILE null:"],
    "tiff": ["tiffinfo -D FILE", "convert -regard-warnings FILE null:"],
    "webp": ["dwebp -quiet FILE -o /dev/null", "convert -regard-warnings FILE null:"],
    "gif": ["convert -regard-warnings FILE null:"],
    "pnm": ["cjpeg -outfile /dev/null FILE", "convert -regard-warnings FILE null:"],
    "bmp": ["cjpeg -outfile /dev/null FILE", "convert -regard-warnings FILE null:"],
    "tga": ["cjpeg -outfile /dev/null FILE", "convert -regard-warnings FILE null:"],
    "hdr": ["convert -regard-warnings FILE null:"],
    "openexr": ["exrmaketiled FILE /dev/null"],
    "heic": ["heif-convert --quiet FILE FILE.y4m"],
    "avif": ["avifdec FILE FILE.y4m"],
    "raw": ["tiffinfo FILE"],
    "jxl": ["djxl --quiet --num_threads=0 FILE FILE.ppm"],
}

# Format, a pattern of what the other program says, what may pass, and why qturn does not fail. docs/files.md says the same.
WARNED = "flop with a warning"
UNDECODED = "qturn does not decode these pixels and their parameters; it copies them"
LISTED = [
    ("jpeg", "extraneous bytes before marker|Invalid SOS parameters", [WARNED], "no sample depends on it, and a warning says so"),
    ("jpeg", "Premature end of JPEG file", [WARNED], "all rows are there without the marker of the end, and a warning says so"),
    ("webp", "insufficient image data|corrupt image", [WARNED], "the bytes at the end are left out, and a warning says so"),
    ("bmp", "length and filesize do not match", ["flop", WARNED], "the pixels lie where the header says; `check` finds it"),
    ("tiff", "tags are not sorted|Bad value [0-9]+ for \"Orientation\"", ["flop", WARNED], "no pixel depends on it; `check` finds it"),
    ("tiff", "Unknown field|Incompatible type for \"WhitePoint\"", ["check", "flop", WARNED], "a field that says nothing about the samples is kept as it is"),
    ("heic", "not an HEIF/AVIF file", ["check", "flop", WARNED], "another brand says that it is a HEIC"),
    ("heic", "decode image|pixi|Security limit exceeded: Image size|No 'meta' box", ["check", "flop", WARNED], UNDECODED),
    ("avif", "OBU|getNextImage", ["check", "flop", WARNED], UNDECODED),
    ("jxl", "JXL_FAILURE|truncated", ["check", "flop", WARNED], UNDECODED),
]


def damaged(sample, other, share):
    """{name: bytes}: the sample cut, changed and spliced at places that depend on nothing but its size. Every `share`th."""
    chance = random.Random(20261122)
    size = len(sample)
    cases = {}
    for i in range(CUTS):
        cases[f"cut{i}"] = sample[: (i + 1) * size // (CUTS + 1)]
    for i in range(FLIPS):
        at = chance.randrange(size)
        cases[f"flip{i}"] = sample[:at] + bytes([sample[at] ^ chance.randrange(1, 256)]) + sample[at + 1 :]
    for i in range(SPLICES):
        to, begin = chance.randrange(size), chance.randrange(len(other))
        part = other[begin : begin + chance.randrange(1, 64)]
        # Half of them take the place of as many bytes.
        cases[f"splice{i}"] = sample[:to] + part + sample[to + len(part) * (i % 2) :]
    return {name: case for i, (name, case) in enumerate(cases.items()) if i % share == 0 and case != sample}


def run(command, folder):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", shell=isinstance(command, str))


def make(command, source, qturn):
    with tempfile.TemporaryDirectory() as folder:
        made = run(f"djpeg '{source}' | convert - -resize 72x54! -quality 90 in.jpg && " + command.format(qturn=qturn), folder)
        if made.returncode != 0:
            sys.exit(f"{command}: {made.stdout}")
        return pathlib.Path(folder, "out").read_bytes()


def unnoticed(qturn, folder, kind):
    """{name: operation}: the pictures that both `check` and a turn take for whole, or one of them."""
    found = collections.defaultdict(list)
    taken, turned = (["--raw"], ["--tag-only"]) if kind == "raw" else ([], ["--allow-storage-change"])
    for operation in (["check", *taken], ["flop", "-o", "out", "--overwrite", *taken, *turned]):
        end = run([qturn, *operation, "in", "-q", "--json=lines"], folder)
        if end.returncode not in (0, 1):
            sys.exit(f"qturn {operation[0]} ended with {end.returncode}: {end.stdout}")
        for line in pathlib.Path(folder, "lines").read_text().splitlines():
            outcome = json.loads(line)
            if outcome["status"] in ("agrees", "done"):
                passed = WARNED if outcome.get("warnings") else operation[0]
                found[pathlib.Path(outcome["input"]).name].append(passed)
    return found


def complaint(command, folder, name):
    """What the program says, if it ends with an error."""
    end = run(command.replace("FILE", f"in/{name}"), folder)
    if end.returncode == 0:
        return None
    return " ".join(end.stdout.replace(f"in/{name}", "FILE").split())[:300] or f"exit status {end.returncode}"


def why_listed(kind, said, passed):
    return next(
        (reason for format, pattern, may_pass, reason in LISTED if format == kind and re.search(pattern, said) and set(passed) <= set(may_pass)),
        None,
    )


def compare(name, qturn, share, pool):
    command, suffix = MADE_BY[name]
    kind = name.split()[0]
    sample, other = (make(command, SAMPLES / "camera roll" / f"{photo}.jpg", qturn) for photo in ("cat", "coffee"))
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/in")
        cases = damaged(sample, other, share)
        for case, content in {**cases, "whole": sample}.items():
            pathlib.Path(folder, "in", f"{case}.{suffix}").write_bytes(content)
        passed = unnoticed(qturn, folder, kind)
        whole = f"whole.{suffix}"
        if len(passed[whole]) < 2:
            sys.exit(f"{name}: the sample itself is refused")
        asked = [(case, command) for case in sorted(passed) for command in OTHERS[kind]]
        answers = pool.map(lambda one: complaint(one[1], folder, one[0]), asked)
        wrong, listed = [], collections.Counter()
        for (case, command), said in zip(asked, answers):
            if said is None:
                continue
            if case == whole:
                sys.exit(f"{name}: {command} refuses the sample itself: {said}")
            reason = why_listed(kind, said, passed[case])
            if reason:
                listed[reason] += 1
            else:
                wrong.append(f"{name}: {case}: {' and '.join(passed[case])} pass, {command.split()[0]} says: {said}")
        print(f"{name}: {len(cases)} damaged, {len(passed) - 1} unnoticed by qturn, {sum(listed.values())} listed", flush=True)
        for reason, count in listed.items():
            print(f"    {count}: {reason}")
        return wrong


def main():
    qturn, share = os.path.abspath(sys.argv[1]), 1 if "--whole" in sys.argv else 10
    only = [word for word in sys.argv[2:] if word != "--whole"]
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        wrong = [line for name in MADE_BY if not only or name in only for line in compare(name, qturn, share, pool)]
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
