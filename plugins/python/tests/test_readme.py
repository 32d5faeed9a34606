"""The pages for users: their Python runs, in order, in a folder with photo.jpg."""
import importlib.util
import pathlib
import re
import shutil

import pytest

PLUGIN = pathlib.Path(__file__).parents[1]
ROCKET = PLUGIN.parents[1] / "testdata" / "samples" / "camera roll" / "rocket.jpg"
PAGES = (PLUGIN / "README.md", PLUGIN.parents[1] / "docs/for-ml-engineers.md")
BLOCKS = [block for page in PAGES for block in re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S)]
NEEDS = ("albumentations", "cupy", "cv2", "jax", "numpy", "ray", "torch", "torchvision")


def missing(block):
    named = [name for name in NEEDS if re.search(rf"^\s*(?:import|from) {name}\b|qturn\.{name}\b", block, re.M)]
    return [name for name in named if importlib.util.find_spec(name) is None]


def has_gpu():
    if importlib.util.find_spec("torch") is None:
        return False
    import torch
    return torch.cuda.is_available()


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_the_page_runs(number, tmp_path, monkeypatch):
    block = BLOCKS[number]
    if missing(block):
        pytest.skip(f"{', '.join(missing(block))} is not installed")
    if "cuda" in block and not has_gpu():
        pytest.skip("no GPU that PyTorch can use")
    shutil.copy(ROCKET, tmp_path / "photo.jpg")
    monkeypatch.chdir(tmp_path)
    names = {}
    exec("import qturn\n" + block, names)  # noqa: S102
    for call, comment in re.findall(r"^(qturn\..*?\)|qturn\.[\w.]+)\s+# (\S.*)$", block, re.M):
        # What the comment begins with is the result.
        result = repr(eval(call, names))  # noqa: S307
        assert comment.startswith(result), f"{call} is {result}, and the page says {comment}"
