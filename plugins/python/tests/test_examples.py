"""The examples, run on the sample pictures."""
import importlib.util
import pathlib

import pytest

PLUGIN = pathlib.Path(__file__).parents[1]
SAMPLES = PLUGIN.parents[1] / "testdata" / "samples"


def example(name):
    spec = importlib.util.spec_from_file_location(name, PLUGIN / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_network_learns_from_jpegs_that_were_turned_without_loss():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    pytest.importorskip("PIL", reason="Pillow is not installed")
    dataset = example("orientation_dataset")
    samples = dataset.TurnedPhotographs(SAMPLES)
    assert len(samples) == 7 * 8
    routes = {samples.turned(index)[0].route for index in range(len(samples))}
    assert routes <= {"lossless", "trimmed", "tagged", "copied"}
    pictures, places = dataset.batch([samples[0], samples[1]])
    assert pictures.shape == (2, 128, 128, 3) and pictures.dtype == torch.uint8
    assert places.tolist() == [0, 1]
    losses = dataset.train(SAMPLES, epochs=4)
    assert losses[-1] < losses[0]


def test_a_network_is_trained_from_files(device):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    program = example("train")
    photographs = program.Photographs(SAMPLES)
    assert [path.name for path in photographs.classes] == ["camera roll", "graphics", "mirrored", "scans"] and len(photographs) == 12
    losses, share = program.train(SAMPLES, epochs=2, device=device)
    assert losses == pytest.approx(program.train(SAMPLES, epochs=2)[0], rel=0.05)
    assert len(losses) == 2 and all(0 < loss < 5 for loss in losses) and 0 <= share <= 1
    losses, share = program.train(SAMPLES, epochs=25, device=device)
    assert losses[-1] < losses[0] and share > 0.5
