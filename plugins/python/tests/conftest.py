"""Hypothesis without a clock and without chance: the same examples in every run, however slow the machine is. And the GPU."""
import pytest
from hypothesis import settings

settings.register_profile("same_everywhere", deadline=None, derandomize=True)
settings.load_profile("same_everywhere")


@pytest.fixture
def cuda():
    """PyTorch, where it can use a GPU."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    if not torch.cuda.is_available():
        pytest.skip("no GPU that PyTorch can use")
    return torch


@pytest.fixture(params=["cpu", "cuda"])
def device(request):
    if request.param == "cuda":
        request.getfixturevalue("cuda")
    return request.param
