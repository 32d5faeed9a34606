"""torch.ops.qturn: operators that PyTorch can compile, capture in a graph and differentiate.

Registered when qturn is imported after PyTorch, or by `import qturn.torch`.
"""
import torch

from . import _qturn
from ._following import needs_operator
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
    if torch.autograd.forward_ad._current_level >= 0:  # PyTorch would make its tangents zeros without a word
        raise RuntimeError("qturn.transform() has a gradient, but no derivative in forward mode (jvp, jacfwd)")
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
    return torch.ops.qturn.transform_batch(xs, [_number(one) for one in orientations], layout)


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
    return torch.ops.qturn.transform(gradient, back, ctx.layout), None, None


def _batch_gradient(ctx, gradient):
    back = [int(Orientation(one).inverse) for one in ctx.orientation]
    return torch.ops.qturn.transform_batch(gradient, back, ctx.layout), None, None


for _device in ("CPU", "CUDA"):
    _library.impl("transform", _run, _device)
    _library.impl("transform_batch", _run_batch, _device)
torch.library.register_fake("qturn::transform", _turned_like, lib=_library)
torch.library.register_fake("qturn::transform_batch", _batch_turned_like, lib=_library)
torch.library.register_autograd("qturn::transform", _gradient, setup_context=_keep, lib=_library)
torch.library.register_autograd("qturn::transform_batch", _batch_gradient, setup_context=_keep, lib=_library)
