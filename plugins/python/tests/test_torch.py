"""torch.ops.qturn: channels_last, gradients, torch.compile, graphs."""
import warnings
import os
import subprocess
import sys

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
@pytest.mark.parametrize("shape", [(2, 3, 6, 1), (2, 3, 1, 6), (2, 3, 1, 1), (2, 1, 6, 9)])
def test_channels_last_of_one_row_or_column(device, orientation, shape):
    contiguous = torch.rand(shape, device=device)
    x = contiguous.to(memory_format=torch.channels_last)
    wanted = reference(x, orientation)
    assert torch.equal(qturn.transform(x, orientation, layout="chw"), wanted)
    out = torch.zeros_like(wanted).to(memory_format=torch.channels_last)
    assert torch.equal(qturn.transform(x, orientation, out, layout="chw"), wanted)
    torch.library.opcheck(torch.ops.qturn.transform, (x, int(orientation), "chw"))
    got = qturn.transform_batch(x, [orientation] * 2, torch.zeros_like(out), layout="chw")
    assert torch.equal(got, wanted)


VIEWS = {"transposed": ("chw", lambda: torch.rand(2, 3, 6, 9).mT), "transposed pixels": ("hwc", lambda: torch.rand(6, 9, 3).transpose(0, 1)),
         "transposed channels_last": ("chw", lambda: torch.rand(2, 3, 6, 9).to(memory_format=torch.channels_last).mT),
         "one row, repeated": ("chw", lambda: torch.rand(2, 3, 1, 9).expand(2, 3, 6, 9)),
         "one row of channels_last, repeated": ("chw", lambda: torch.rand(2, 1, 9, 3).expand(2, 6, 9, 3).permute(0, 3, 1, 2)),
         "gaps": ("chw", lambda: torch.rand(2, 3, 6, 18)[..., ::2]), "planes": ("hwc", lambda: torch.rand(3, 6, 9).permute(1, 2, 0))}


@pytest.mark.parametrize("view", VIEWS)
def test_views(device, view):
    layout, make = VIEWS[view]
    x = make().to(device)
    for orientation in map(int, ORIENTATIONS):
        torch.library.opcheck(torch.ops.qturn.transform, (x, orientation, layout))
        wanted = qturn.transform(x.contiguous(), orientation, layout=layout)
        assert torch.equal(qturn.transform(x, orientation, layout=layout), wanted)


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


class Listed(torch.utils._python_dispatch.TorchDispatchMode):
    """Which operators PyTorch sees."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.names.append(str(function))
        return function(*args, **(kwargs or {}))


@pytest.mark.parametrize("transform", [qturn.transform, qturn.torch.transform])
def test_pytorch_sees_an_operator_where_it_looks(device, transform):
    x = torch.rand(4, 5, device=device)
    with Listed() as seen:
        transform(x, 6)
    assert "qturn.transform.default" in seen.names
    assert transform(x.requires_grad_(), 6).grad_fn is not None
    with torch.no_grad():
        assert transform(x, 6).grad_fn is None


@pytest.mark.parametrize("transform", [qturn.transform, qturn.torch.transform])
def test_a_plain_call_goes_past_the_dispatcher(device, transform):
    x = torch.rand(4, 5, device=device)
    with torch.profiler.profile() as profile:
        transform(x, 6)
    assert not [event.name for event in profile.events() if event.name.startswith("qturn::")]


def test_a_tensor_elsewhere_is_refused():
    assert qturn.torch.transform(torch.empty(3, 4, device="meta"), 6).shape == (4, 3)  # by the operator
    with pytest.raises(TypeError, match="x is a tensor on meta, expected the CPU or a CUDA device"):
        qturn._qturn.transform(torch.empty(3, 4, device="meta"), 6, None, "hwc", None)


def test_views_that_are_conjugated_or_negated_when_they_are_read():
    z = torch.tensor([[1 + 2j, 3 + 4j], [5 + 6j, 7 + 8j]])
    for view in (z.conj(), z.conj().imag):
        with pytest.raises(ValueError, match=r"x of shape \(2, 2\) is the (conjugate|negative) of what is in memory: pass its .resolve_(conj|neg)\(\)"):
            qturn.transform(view, 6)
        assert torch.equal(torch.ops.qturn.transform(view, 6, "hwc"), view.rot90(-1))
        assert torch.equal(qturn.torch.transform(view, 6), view.rot90(-1))
        with pytest.raises(ValueError, match="resolve"):
            qturn.transform(torch.zeros_like(view), 1, view)


def test_out_counts_as_written(device):
    x = torch.ones(3, 3, device=device, requires_grad=True)
    saved = x * 3
    loss = (saved * saved).sum()
    with torch.no_grad():
        qturn.transform(torch.zeros(3, 3, device=device), 1, saved)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()
    outs = [torch.zeros(3, 3, device=device) for _ in range(2)]
    qturn.transform_batch([torch.ones(3, 3, device=device)] * 2, 6, outs)
    planes = torch.zeros(1, 3, 4, 4, device=device)
    qturn.to_planar(torch.ones(4, 4, 3, device=device), out=planes)
    assert [out._version for out in [*outs, planes]] == [1, 1, 1]
    with torch.inference_mode():
        qturn.transform(outs[0], 6, torch.zeros(3, 3, device=device))


def test_what_has_no_gradient_says_so():
    x = torch.rand(4, 4, 3, requires_grad=True)
    for call in (lambda: qturn.transform(x, 6, torch.zeros(4, 4, 3)), lambda: qturn.transform(x.detach(), 6, x),
                 lambda: qturn.transform_batch([x.detach(), x], 6, [torch.zeros(4, 4, 3), torch.zeros(4, 4, 3)]),
                 lambda: qturn.to_planar([x.detach(), x])):
        with pytest.raises(RuntimeError, match=r"has no gradient, but one of its tensors requires one: pass its .detach\(\)"):
            call()
        with torch.no_grad():
            call()


def test_lists_and_single_images_have_gradients():
    x = torch.rand(4, 5, 3, requires_grad=True)
    weights = torch.rand(5, 4, 3)
    plain, turned = qturn.transform_batch([torch.zeros(2, 2), x], ["flip", "cw"])
    assert not plain.requires_grad
    (turned * weights).sum().backward()
    assert torch.equal(x.grad, reference(weights, 8, "hwc"))
    assert qturn.transform_batch(x, "cw").requires_grad
    with pytest.raises(ValueError, match="1 orientations for 2 images"):
        qturn.transform_batch([x, x], [1])


@pytest.mark.filterwarnings("ignore")
def test_what_follows_a_tensor_sees_the_operator():
    x, y = torch.rand(3, 4), torch.rand(3, 4)
    turn = lambda tensor: qturn.transform(tensor, 6)  # noqa: E731
    assert torch.equal(torch.jit.trace(turn, x)(y), y.rot90(-1))
    from torch.fx.experimental.proxy_tensor import make_fx
    assert torch.equal(make_fx(turn)(x)(y), y.rot90(-1))
    assert torch.equal(torch.vmap(turn)(torch.stack([x, y]))[1], y.rot90(-1))
    from torch._subclasses import FakeTensorMode
    with FakeTensorMode() as mode:
        fake = mode.from_tensor(x)
        assert turn(fake).shape == (4, 3)
    for call in (lambda: qturn.to_planar([fake.unsqueeze(-1)]), lambda: qturn.transform(fake, 1, x), lambda: qturn.transform(x, 1, fake)):
        with pytest.raises(RuntimeError, match="cannot be traced or mapped by PyTorch"):
            call()


@pytest.mark.parametrize("shape, layout", [((3, 4), "hwc"), ((3, 4), "chw"), ((3, 4, 2), "hwc"), ((2, 3, 4), "chw"), ((5, 2, 3, 4), "chw")])
@pytest.mark.parametrize("orientation", [2, 6, 7])
def test_maps_and_derivatives_in_forward_mode(shape, layout, orientation):
    turn = lambda tensor: qturn.transform(tensor, orientation, layout=layout)  # noqa: E731
    expected = lambda tensor: reference(tensor, orientation, layout if tensor.dim() > 2 else "chw")  # noqa: E731
    x, tangent = torch.rand(shape), torch.rand(shape)
    for value, turned in (torch.func.jvp(turn, (x,), (tangent,)), torch.func.jvp(torch.compile(turn, backend="aot_eager"), (x,), (tangent,))):
        assert torch.equal(value, expected(x)) and torch.equal(turned, expected(tangent))
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.unpack_dual(turn(torch.autograd.forward_ad.make_dual(x, tangent)))
        assert torch.equal(dual.primal, expected(x)) and torch.equal(dual.tangent, expected(tangent))
        assert torch.autograd.forward_ad.unpack_dual(turn(x)).tangent is None
    assert torch.equal(torch.func.jacfwd(turn)(x), torch.func.jacrev(turn)(x))
    several = torch.rand(3, *shape)
    for axis in range(several.dim()):
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # PyTorch warns where it calls an operator for one after another
            mapped = torch.vmap(turn, in_dims=axis)(several.movedim(0, axis))
        assert torch.equal(mapped, torch.stack([expected(one) for one in several]))
    if len(shape) > 2:
        each = lambda tensor: qturn.transform_batch(tensor, [orientation, orientation, orientation ^ 1], layout=layout)  # noqa: E731
        turned = torch.stack([reference(one, o, layout) for one, o in zip(several, (orientation, orientation, orientation ^ 1))])
        assert torch.equal(torch.func.jvp(each, (several,), (several * 2,))[1], turned * 2)
        assert torch.equal(torch.vmap(each)(several.unsqueeze(0))[0], turned)
    hessian = torch.func.hessian(lambda tensor: (turn(tensor) ** 3).sum())(x).reshape(x.numel(), x.numel())
    assert torch.allclose(hessian, torch.diag(6 * x.reshape(-1)))


@pytest.mark.parametrize("device", [each for each in ("cpu", "cuda") if each == "cpu" or torch.cuda.is_available()])
@pytest.mark.parametrize("box_format", ["xyxy", "cxcywh"])
def test_batches_are_turned_by_chance_with_what_belongs_to_them(device, box_format):
    images = torch.randint(0, 256, (64, 3, 12, 12), dtype=torch.uint8, device=device)
    boxes = torch.rand(64, 5, 4, device=device) * 12
    points = torch.randint(0, 12, (64, 4, 3), device=device)
    masks = images[:, 0] > 100
    module = qturn.torch.RandomOrientation(0.75, box_format=box_format, seed=3)
    turned = module(images, boxes, masks, points)
    seen = set()
    for i in range(64):
        orientation = next(o for o in range(1, 9) if torch.equal(turned[0][i], reference(images[i], o)))
        seen.add(orientation)
        assert torch.equal(turned[1][i], qturn.turn_boxes(boxes[i], orientation, (12, 12), box_format))
        assert torch.equal(turned[2][i], reference(masks[i], orientation))
        assert torch.equal(turned[3][i], qturn.turn_points(points[i], orientation, (12, 12), indices=True))
        x, y = points[i, 0, :2].tolist()
        new_x, new_y = turned[3][i, 0, :2].tolist()
        assert torch.equal(turned[0][i, :, new_y, new_x], images[i, :, y, x])
    assert seen == set(range(1, 9))
    again = qturn.torch.RandomOrientation(0.75, box_format=box_format, seed=3)(images, keypoints=points)
    assert torch.equal(again[0], turned[0]) and torch.equal(again[1], turned[3])
    assert not torch.equal(module(images), turned[0])
    assert torch.equal(qturn.torch.RandomOrientation(0)(images), images)


def test_a_batch_that_is_not_square_keeps_one_shape():
    images = torch.rand(8, 3, 4, 6)
    with pytest.raises(ValueError, match="images of 6 x 4 pixels would have two shapes"):
        qturn.torch.RandomOrientation()(images)
    assert qturn.torch.RandomOrientation(1, orientations=["flop", "flip"])(images).shape == images.shape
    turned = qturn.torch.RandomOrientation(1, orientations=["cw"], same_on_batch=True)(images)
    assert torch.equal(turned, reference(images, 6))
    for arguments, says in (({"p": 2}, "p is 2"), ({"box_format": "xx"}, "box_format is 'xx'"), ({"orientations": []}, "orientations is empty")):
        with pytest.raises(ValueError, match=says):
            qturn.torch.RandomOrientation(**arguments)
    with pytest.raises(ValueError, match="expected N x C x H x W"):
        qturn.torch.RandomOrientation()(images[0])
    with pytest.raises(ValueError, match="7 for 8 images"):
        qturn.torch.RandomOrientation(orientations=["flop"])(images, torch.zeros(7, 1, 4))


@pytest.mark.parametrize("orientations", ["cw", ["cw", "transpose"], ["flop", "rotate180"]])
@pytest.mark.parametrize("channels", ["rgb", "bgr", (1, 1)])
def test_to_planar_is_an_operator(orientations, channels):
    torch._dynamo.reset()
    x = torch.rand(2, 4, 5, 3, requires_grad=True)
    chosen = {"rgb": [0, 1, 2], "bgr": [2, 1, 0]}.get(channels, channels)
    mean, std = [0.25, 0.5, 0.125][:len(chosen)], [0.5, 2.0, 4.0][:len(chosen)]

    def expected(x):
        each = [orientations] * 2 if isinstance(orientations, str) else orientations
        planes = torch.stack([reference(one.movedim(-1, 0)[list(chosen)], int(qturn._qturn.orientation_of(o))) for one, o in zip(x, each)])
        return (planes * 2 - torch.tensor(mean).view(-1, 1, 1)) / torch.tensor(std).view(-1, 1, 1)

    turn = lambda tensor: qturn.to_planar(tensor, orientations, mean=mean, std=std, channels=channels, scale=2)  # noqa: E731
    weights = torch.rand(expected(x).shape)
    wanted, = torch.autograd.grad((expected(x) * weights).sum(), x)
    for call in (turn, torch.compile(turn, backend="aot_eager", fullgraph=True)):
        made = call(x)
        assert torch.allclose(made, expected(x), atol=1e-6)
        found, = torch.autograd.grad((made * weights).sum(), x)
        assert torch.allclose(found, wanted, atol=1e-6)
    if orientations == "cw":
        one = x.detach()[0].clone().requires_grad_()
        turn(one).sum().backward()
        assert torch.allclose(one.grad, torch.autograd.grad(turn(x[:1]).sum(), x)[0][0])
    bytes_ = torch.randint(0, 256, (2, 4, 5, 3), dtype=torch.uint8)
    for dtype in ("float32", "float16", torch.bfloat16):
        plain = qturn.to_planar(bytes_, orientations, dtype=dtype)
        compiled = torch.compile(lambda xs: qturn.to_planar(xs, orientations, dtype=dtype), backend="aot_eager", fullgraph=True)(bytes_)
        assert plain.dtype == compiled.dtype and torch.equal(plain, compiled)
    with pytest.raises(RuntimeError, match="neither a rule for torch.func nor a derivative in forward mode"):
        torch.func.jvp(turn, (x.detach(),), (x.detach(),))


def test_compiled_functions_leave_the_graph_for_what_is_no_operator():
    out = torch.zeros(4, 3)
    compiled = torch.compile(lambda x: qturn.transform(x * 2, 6, out) + 1, backend="aot_eager")
    x = torch.rand(3, 4)
    assert torch.equal(compiled(x), (x * 2).rot90(-1) + 1)


def test_an_older_pytorch_is_left_alone():
    program = """import sys, types
sys.modules["torch"] = types.ModuleType("torch")
import qturn, numpy
assert "qturn.torch" not in sys.modules
print(qturn.transform(numpy.zeros((3, 4)), 6, out=numpy.zeros((4, 3))).shape)"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert run.stdout == "(4, 3)\n", run.stderr
