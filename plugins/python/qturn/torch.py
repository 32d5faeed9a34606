"""torch.ops.qturn: operators that PyTorch can compile, capture in a graph and differentiate.

Registered when qturn is imported after PyTorch, or by `import qturn.torch`.
"""
import torch

from . import _qturn
from ._following import is_compiling, needs_operator
from ._qturn import Orientation, orientation_of

if not hasattr(torch.library, "register_autograd"):
    raise ImportError(f"torch.ops.qturn needs PyTorch 2.4 or later, this is {torch.__version__}")

_library = torch.library.Library("qturn", "DEF")
_library.define("transform(Tensor x, int orientation, str layout) -> Tensor")
_library.define("transform_batch(Tensor xs, int[] orientations, str layout) -> Tensor")


def transform(x, orientation, layout="hwc"):
    """qturn.transform() as an operator. Where PyTorch need not see one, the call goes past its dispatcher, which takes longer."""
    if type(x) is torch.Tensor and not needs_operator(x):
        try:
            return _qturn.transform(x, orientation, None, layout, None)
        except (TypeError, ValueError):
            pass  # what only the operator takes: views that PyTorch resolves, meta tensors
    if _in_torch_func() or _has_tangent(x):
        return _Mapped.apply(x, _number(orientation), layout)
    return torch.ops.qturn.transform(x, _number(orientation), layout)


def transform_batch(xs, orientations, layout="hwc"):
    """qturn.transform_batch() of one tensor, or of a list, as operators."""
    if isinstance(xs, (list, tuple)):
        each = [orientations] * len(xs) if _is_one(orientations) else list(orientations)
        if len(each) != len(xs):
            raise ValueError(f"{len(each)} orientations for {len(xs)} images")
        return [transform(x, orientation, layout) if needs_operator(x) else _qturn.transform(x, orientation, None, layout, None)
                for x, orientation in zip(xs, each)]
    if _is_one(orientations):
        return transform(xs, orientations, layout)
    if _in_torch_func() or _has_tangent(xs):
        if len(orientations) != len(xs):
            raise ValueError(f"{len(orientations)} orientations for {len(xs)} images")
        return torch.stack([transform(x, one, layout) for x, one in zip(xs, orientations)])
    return torch.ops.qturn.transform_batch(xs, [_number(one) for one in orientations], layout)


def _in_torch_func():
    return not is_compiling() and torch._C._functorch.peek_interpreter_stack() is not None


def _has_tangent(x):
    forward_ad = torch.autograd.forward_ad
    return forward_ad._current_level >= 0 and (is_compiling() or forward_ad.unpack_dual(x).tangent is not None)


# torch.compile reads dictionaries, but not functions of C++.
_NUMBERS = {name: int(orientation_of(name)) for name in
            [*(one.name for one in Orientation), "hflip", "vflip", "cw", "ccw", "anti-transpose"]}


def _number(orientation):
    if not isinstance(orientation, str):
        return int(orientation)
    if orientation not in _NUMBERS:
        orientation_of(orientation)  # says what is wrong with it
    return _NUMBERS[orientation]


def _is_one(orientations):
    return isinstance(orientations, str) or not hasattr(orientations, "__len__")


def _run(x, orientation, layout):
    return _qturn.transform(x.detach(), orientation, None, layout, None)


def _run_batch(xs, orientations, layout):
    return _qturn.transform_batch(xs.detach(), orientations, None, layout, None)


def _turned_like(x, orientation, layout):
    """What _run() would make, without its contents."""
    rows = x.dim() - 3 if layout == "hwc" and x.dim() > 2 else x.dim() - 2
    shape = list(x.shape)
    if orientation_of(orientation).swaps_axes:
        shape[rows], shape[rows + 1] = shape[rows + 1], shape[rows]
    if x.dim() < 3 or layout != "chw" or not _is_interleaved(x):
        return x.new_empty(shape)
    return x.new_empty([*shape[:-3], *shape[-2:], shape[-3]]).movedim(-1, -3)


def _is_interleaved(x):
    channels, height, width = x.shape[-3:]
    if channels < 2 or x.stride(-3) != 1 or 0 in x.shape:
        return False

    def lies(distance):  # its pixels side by side, in rows or in columns that do not overlap
        rows = width == 1 or (x.stride(-1) == distance and (height == 1 or x.stride(-2) >= width * distance))
        return rows or (height > 1 and x.stride(-2) == distance and x.stride(-1) >= height * distance)

    return lies(channels) and not lies(1)


def _batch_turned_like(xs, orientations, layout):
    return _turned_like(xs, orientations[0] if orientations else 1, layout)


def _keep(ctx, inputs, output):
    _, ctx.orientation, ctx.layout = inputs


def _gradient(ctx, gradient):
    back = int(Orientation(ctx.orientation).inverse)
    return transform(gradient, back, ctx.layout), None, None


def _batch_gradient(ctx, gradient):
    back = [int(Orientation(one).inverse) for one in ctx.orientation]
    return transform_batch(gradient, back, ctx.layout), None, None


class _Mapped(torch.autograd.Function):
    """The operator for torch.func and for derivatives in forward mode: PyTorch gives an operator tangents of zeros, without a word."""

    @staticmethod
    def forward(x, orientation, layout):
        return (transform if _in_torch_func() else torch.ops.qturn.transform)(x, orientation, layout)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _keep(ctx, inputs, output)

    @staticmethod
    def backward(ctx, gradient):
        return _gradient(ctx, gradient)

    @staticmethod
    def jvp(ctx, tangent, orientation, layout):
        return transform(tangent, ctx.orientation, ctx.layout)

    @staticmethod
    def vmap(info, axes, x, orientation, layout):
        return _mapped(info, axes, x, orientation, layout)


def _mapped(info, axes, x, orientation, layout):
    """All at once: the axis that is mapped over counts images, and what was rows and columns alone is a plane."""
    x = x.movedim(axes[0], 0)
    return transform(x, orientation, layout if x.dim() > 3 else "chw"), 0


for _device in ("CPU", "CUDA"):
    _library.impl("transform", _run, _device)
    _library.impl("transform_batch", _run_batch, _device)
torch.library.register_fake("qturn::transform", _turned_like, lib=_library)
torch.library.register_fake("qturn::transform_batch", _batch_turned_like, lib=_library)
if hasattr(torch.library, "register_vmap"):  # since 2.5; before, PyTorch calls the operator for one after another
    torch.library.register_vmap("qturn::transform", _mapped, lib=_library)
torch.library.register_autograd("qturn::transform", _gradient, setup_context=_keep, lib=_library)
torch.library.register_autograd("qturn::transform_batch", _batch_gradient, setup_context=_keep, lib=_library)
