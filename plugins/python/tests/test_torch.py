"""torch.ops.qturn: channels_last, gradients, torch.compile, graphs."""
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import qturn
import qturn.torch
from qturn import Orientation
from turned import ORIENTATIONS

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU that PyTorch can use"))]


def reference(x, orientation, layout="chw"):
    axes = (-2, -1) if layout == "chw" else (-3, -2)
    turn = {1: lambda y: y, 2: lambda y: y.flip(axes[1]), 3: lambda y: y.rot90(2, axes), 4: lambda y: y.flip(axes[0]),
            5: lambda y: y.transpose(*axes), 6: lambda y: y.rot90(-1, axes), 7: lambda y: y.transpose(*axes).rot90(2, axes),
            8: lambda y: y.rot90(1, axes)}
    return turn[int(orientation)](x)


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_channels_last_stays_channels_last(device, orientation):
    x = torch.rand(2, 3, 6, 9, device=device).to(memory_format=torch.channels_last)
    got = qturn.transform(x, orientation, layout="chw")
    assert torch.equal(got, reference(x, orientation))
    assert got.is_contiguous(memory_format=torch.channels_last)
    out = torch.empty_like(got)
    assert qturn.transform(x, orientation, out, layout="chw") is out
    assert torch.equal(out, got)
    with pytest.raises(ValueError, match="channels_last must be both or neither"):
        qturn.transform(x, orientation, got.contiguous(), layout="chw")


@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_the_gradient_is_the_inverse(device, orientation):
    x = torch.rand(2, 3, 4, 5, device=device, dtype=torch.double, requires_grad=True)
    weights = torch.rand(reference(x, orientation).shape, device=device, dtype=torch.double)
    (qturn.transform(x, orientation, layout="chw") * weights).sum().backward()
    assert torch.equal(x.grad, reference(weights, Orientation(orientation).inverse))
    x.grad = None
    qturn.transform(x, orientation, layout="chw").sum().backward()
    assert torch.equal(x.grad, torch.ones_like(x))


def test_the_gradient_of_a_batch(device):
    x = torch.rand(8, 3, 4, 4, device=device, requires_grad=True)
    weights = torch.rand(8, 3, 4, 4, device=device)
    (qturn.transform_batch(x, ORIENTATIONS, layout="chw") * weights).sum().backward()
    for i, orientation in enumerate(ORIENTATIONS):
        assert torch.equal(x.grad[i], reference(weights[i], orientation.inverse))


@pytest.mark.parametrize("layout", ["chw", "hwc"])
@pytest.mark.parametrize("requires_grad", [False, True])
def test_pytorch_finds_nothing_wrong_with_the_operators(device, layout, requires_grad):
    x = torch.rand(4, 5, 5, 5, device=device, requires_grad=requires_grad)
    for orientation in (1, 6):
        torch.library.opcheck(torch.ops.qturn.transform, (x, orientation, layout))
    torch.library.opcheck(torch.ops.qturn.transform_batch, (x, [1, 6, 3, 8], layout))


@pytest.mark.parametrize("backend", ["aot_eager", pytest.param("inductor", marks=pytest.mark.skipif(
    not torch.cuda.is_available(), reason="no GPU that PyTorch can use"))])
def test_compiled(device, backend):
    if device == "cpu" and backend == "inductor":
        pytest.skip("for the GPU")

    def step(x):
        return qturn.transform(x * 2, "rotate90", layout="chw") + 1

    x = torch.rand(2, 3, 8, 5, device=device)
    compiled = torch.compile(step, backend=backend, fullgraph=True)
    assert torch.equal(compiled(x), reference(x * 2, 6) + 1)


def test_captured_in_a_graph():
    if not torch.cuda.is_available():
        pytest.skip("no GPU that PyTorch can use")
    x = torch.rand(4, 3, 64, 64, device="cuda")
    qturn.transform(x, 6, layout="chw")
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        first = qturn.transform(x, 6, layout="chw")
        second = qturn.transform_batch(first, [1, 5, 6, 7], layout="chw")
    x.copy_(torch.rand_like(x))
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(first, reference(x, 6))
    for i, orientation in enumerate([1, 5, 6, 7]):
        assert torch.equal(second[i], reference(first[i], orientation))


def test_a_tensor_elsewhere_is_refused():
    with pytest.raises(TypeError, match="x is a tensor on meta, expected the CPU or a CUDA device"):
        qturn._qturn.transform(torch.empty(3, 4, device="meta"), 6, None, "hwc", None)
