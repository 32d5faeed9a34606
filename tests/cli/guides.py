#!/usr/bin/env python3
"""Runs the commands that the documents show, in a folder that has what they name: guides.py QTURN [COMPILER FOLDER-OF-HEADERS...]

They are the code blocks without a language. What installs a package is in blocks of `sh`: those are not run. What README.md shows of a terminal
is what the program prints of the sample pictures, but for the time. COMPILER takes the C++ of the README and of the guides.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted(ROOT.glob("docs/for-*.md")), ROOT / "docs/command-line.md", ROOT / "docs/check-labels.md", ROOT / "docs/tar.md"]
# The shell stops at the first error, also of a pipe. An object store is a folder, and the web has one photograph.
BEGIN = """set -eo pipefail
export SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=0 SLURM_ARRAY_TASK_COUNT=1
aws() {
  local from=${3#s3://} to=${4#s3://}
  case $2 in cp) if [[ $from == - ]]; then mkdir -p "${to%/*}" && cat > "$to"; else cat "$from"; fi ;; mv) mv "$from" "$to" ;; esac
}
curl() { cat photos/a.jpg; }
"""
COCO = """{"images": [{"id": 1, "file_name": "a.jpg", "width": 496, "height": 432}], "categories": [{"id": 1, "name": "cup"}],
"annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 20, 30, 40], "area": 1200, "iscrowd": 0}]}"""

# What the C++ of a header has around it.
AROUND = {
    "cuda": "#include <cstdint>\nvoid example(const void* src, std::int64_t src_pitch, void* dst, std::int64_t dst_pitch, cudaStream_t stream)",
    "opencv": "void example(const cv::cuda::GpuMat& gpu_mat, cv::cuda::GpuMat& turned, cv::cuda::Stream& stream)"}


def furnish(folder, block):
    """What the commands name, and nothing else, because a file that is not meant may be taken for a label."""
    samples = ROOT / "testdata/samples"
    photo = samples / "camera roll/deep field.jpg"
    label = "0 0.5 0.5 0.2 0.2\n"

    def add(word, name, content):
        if re.search(rf"(?<![\w./-]){re.escape(word)}(?![\w.-])", block):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, str):
                (folder / name).write_text(content)
            else:
                shutil.copy(content, folder / name)

    for word in ("photos", "photos/a.jpg"):
        add(word, "photos/a.jpg", photo)
    add("photos", "photos/turned.jpg", samples / "camera roll/rocket.jpg")
    add("photos", "photos/horse.png", samples / "graphics/horse.png")
    add("scans", "scans/a.tif", samples / "scans/textures.tif")
    add("scan.tif", "scan.tif", samples / "scans/textures.tif")
    add("data", "data/images/a.jpg", photo)
    add("data", "data/labels/a.txt", label)
    add("yolo:labels", "labels/images/a.txt", label)
    add("coco:val.json", "val.json", COCO)
    add("val", "val/a.jpg", photo)
    add("in", "in/a.jpg", photo)
    tars = re.findall(r"(?<!-o )(?<![\w/*-])(?:s3://)?([\w/*-]+\.tar)(?!\.part)", re.sub("^#.*", "", block, flags=re.M))
    for name in {tar.replace("*", "000") for tar in tars}:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(folder / name, "w") as tar:
            tar.add(photo, f"{pathlib.Path(name).stem}/photo.jpg")


def refused_cpp(document, compiler, folders):
    """The blocks of C++ that do not compile, with what the compiler says."""
    for header, code in re.findall(r"^```cpp\n#include <qturn/(\w+)\.hpp>\n(.*?)^```$", document.read_text(), re.M | re.S):
        program = f"#include <qturn/{header}.hpp>\n{AROUND[header]} {{{code}}}\n"
        words = [compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", "-", *(f"-I{folder}" for folder in folders)]
        done = subprocess.run(words, input=program, text=True, capture_output=True)
        if done.returncode:
            yield program + done.stderr


def main():
    bin_folder = pathlib.Path(sys.argv[1]).resolve().parent
    failed = run = 0
    for document in DOCUMENTS:
        for language, block in re.findall(r"^```(\w*)\n(.*?)^```$", document.read_text(), re.M | re.S):
            if language or "OPERATION" in block:  # what can be typed in its places, not a command
                continue
            with tempfile.TemporaryDirectory() as folder:
                furnish(pathlib.Path(folder), block)
                done = subprocess.run(["bash", "-c", f"{BEGIN}PATH={bin_folder}:$PATH\n{block}"], cwd=folder, text=True, capture_output=True)
            run += 1
            if done.returncode:
                failed += 1
                print(f"{document.relative_to(ROOT)}: exit status {done.returncode}\n{block}{done.stdout}{done.stderr}")
    for command, shown in re.findall(r"^\$ (qturn .*)\n((?:qturn: .*\n)+)", (ROOT / "README.md").read_text(), re.M):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(ROOT / "testdata/samples", pathlib.Path(folder, "photos"))
            done = subprocess.run(["bash", "-c", f"PATH={bin_folder}:$PATH\n{command}"], cwd=folder, text=True, capture_output=True)
        run += 1
        if re.sub(r"[0-9.]+ s$", "", done.stderr, flags=re.M) != re.sub(r"[0-9.]+ s$", "", shown, flags=re.M):
            failed += 1
            print(f"README.md: $ {command} prints\n{done.stdout}{done.stderr}and not\n{shown}")
    for document in DOCUMENTS[:5] if sys.argv[2:] else []:
        for refused in refused_cpp(document, sys.argv[2], sys.argv[3:]):
            failed += 1
            print(f"{document.relative_to(ROOT)}: does not compile\n{refused}")
    print(f"{run} blocks of commands, {failed} failed")
    sys.exit(failed > 0)


main()
