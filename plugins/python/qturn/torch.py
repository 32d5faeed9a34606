"""torch.ops.qturn: operators that PyTorch can compile, capture in a graph and differentiate; a module for batches; and what makes
batches of files.

The operators are registered when qturn is imported after PyTorch, or by `import qturn.torch`.
"""
import torch

from . import _qturn
from ._choice import chosen_from
from ._following import is_compiling, needs_operator
from ._labels import FORMATS, turn_boxes, turn_points
from ._loading import BatchDecoder, CenterCrop, PackedFiles, RandomResizedCrop, collate
from ._qturn import Orientation, orientation_of

__all__ = ["BatchDecoder", "CenterCrop", "PackedFiles", "RandomOrientation", "RandomResizedCrop", "collate", "to_planar", "transform",
           "transform_batch"]

if not hasattr(torch.library, "register_autograd"):
    raise ImportError(f"torch.ops.qturn needs PyTorch 2.4 or later, this is {torch.__version__}")

_library = torch.library.Library("qturn", "DEF")
_library.define("transform(Tensor x, int orientation, str layout) -> Tensor")
_library.define("transform_batch(Tensor xs, int[] orientations, str layout) -> Tensor")
_library.define("to_planar(Tensor xs, int[] orientations, str dtype, float[] mean, float[] std, int[] channels, float? scale) -> Tensor")


def transform(x, orientation, layout="hwc"):
    """qturn.transform() as an operator. Where PyTorch need not see one, the call bypasses its dispatcher, which would take longer."""
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


def to_planar(xs, orientations, dtype, mean, std, channels, scale):
    """qturn.to_planar() of one tensor as an operator. A single orientation is for all images."""
    if _in_torch_func() or _has_tangent(xs):
        raise RuntimeError("qturn.to_planar() has a gradient, but neither a rule for torch.func nor a derivative in forward mode")
    each = [orientations] if _is_one(orientations) else orientations
    return torch.ops.qturn.to_planar(xs, [_number(one) for one in each], dtype, mean, std, channels, scale)


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


def _run_planar(xs, orientations, dtype, mean, std, channels, scale):
    return _qturn.to_planar(xs.detach(), orientations[0] if len(orientations) == 1 else orientations, dtype, mean, std, channels, scale,
                            None, None)


def _planar_like(xs, orientations, dtype, mean, std, channels, scale):
    count, height, width, _ = _four_axes(xs.shape)
    if orientation_of(orientations[0]).swaps_axes:
        height, width = width, height
    return xs.new_empty((count, len(channels), height, width), dtype=getattr(torch, dtype))


def _four_axes(shape):
    return shape if len(shape) == 4 else (1, *shape)


def _keep_planar(ctx, inputs, output):
    xs, ctx.orientations, _, _, ctx.std, ctx.channels, ctx.scale = inputs
    ctx.shape, ctx.dtype = xs.shape, xs.dtype


def _planar_gradient(ctx, gradient):
    """Of samples that are floats. Each plane goes back to the channel that it was made from."""
    std = ctx.std if len(ctx.std) > 1 else ctx.std * len(ctx.channels)
    factors = gradient.new_tensor([(1.0 if ctx.scale is None else ctx.scale) / each for each in std])
    back = [int(Orientation(one).inverse) for one in ctx.orientations]
    planes = gradient * factors.view(1, -1, 1, 1)
    planes = transform_batch(planes, back if len(back) > 1 else back[0], "chw").movedim(1, -1).to(ctx.dtype)
    channels = torch.tensor(ctx.channels, device=gradient.device)
    summed = gradient.new_zeros(_four_axes(ctx.shape), dtype=ctx.dtype).index_add(-1, channels, planes)
    return summed.view(ctx.shape), *[None] * 6


def _keep(ctx, inputs, output):
    _, ctx.orientation, ctx.layout = inputs


def _gradient(ctx, gradient):
    back = int(Orientation(ctx.orientation).inverse)
    return transform(gradient, back, ctx.layout), None, None


def _batch_gradient(ctx, gradient):
    back = [int(Orientation(one).inverse) for one in ctx.orientation]
    return transform_batch(gradient, back, ctx.layout), None, None


class _Mapped(torch.autograd.Function):
    """The operator for torch.func and for derivatives in forward mode: PyTorch silently gives an operator tangents of zeros."""

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
    _library.impl("to_planar", _run_planar, _device)
torch.library.register_fake("qturn::transform", _turned_like, lib=_library)
torch.library.register_fake("qturn::transform_batch", _batch_turned_like, lib=_library)
if hasattr(torch.library, "register_vmap"):  # since 2.5; before, PyTorch calls the operator for one after another
    torch.library.register_vmap("qturn::transform", _mapped, lib=_library)
torch.library.register_autograd("qturn::transform", _gradient, setup_context=_keep, lib=_library)
torch.library.register_fake("qturn::to_planar", _planar_like, lib=_library)
torch.library.register_autograd("qturn::to_planar", _planar_gradient, setup_context=_keep_planar, lib=_library)
torch.library.register_autograd("qturn::transform_batch", _batch_gradient, setup_context=_keep, lib=_library)


class RandomOrientation(torch.nn.Module):
    """Turns each image of a batch with probability `p` by one of `orientations`, all equally likely, on the batch's device.

    p: 0 to 1.
    orientations: default all seven that change an image. Those that swap the axes are for square images, or for `same_on_batch`.
    same_on_batch: one orientation for all images, instead of one for each.
    box_format: "xyxy", "xywh", "cxcywh" or "yolo", as in qturn.turn_boxes().
    seed: of its own generator; without it, PyTorch's default generator for the CPU is used.
    """

    def __init__(self, p=0.5, *, orientations=None, same_on_batch=False, box_format="xyxy", seed=None):
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"p is {p}, expected a probability: 0 to 1")
        if box_format not in FORMATS:
            raise ValueError(f"box_format is {box_format!r}, expected one of {', '.join(FORMATS)}")
        self.p, self.same_on_batch, self.box_format = p, same_on_batch, box_format
        self.orientations = chosen_from(orientations)
        self._generator = None if seed is None else torch.Generator().manual_seed(seed)

    def forward(self, images, boxes=None, masks=None, keypoints=None):
        """What was given, turned: one tensor, or a tuple in this order.

        images: N x C x H x W. masks: N x H x W or N x C x H x W. boxes: N x M x 4. keypoints: N x M x 2, pixels from (0, 0) to
        (W - 1, H - 1); further numbers of a box or a keypoint stay.
        """
        if images.dim() != 4:
            raise ValueError(f"images have the shape {tuple(images.shape)}, expected N x C x H x W")
        height, width = images.shape[-2:]
        chosen = self._chosen(len(images))
        if not self.same_on_batch and height != width and any(one.swaps_axes for one in self.orientations):
            raise ValueError(f"images of {width} x {height} pixels would have two shapes: pass orientations that keep the axes "
                             '("flop", "rotate180", "flip"), or same_on_batch=True')

        def turned(tensor, turn):
            """Each part of the batch that has one orientation, by one call."""
            if len(tensor) != len(images):
                raise ValueError(f"{len(tensor)} for {len(images)} images: the shape is {tuple(tensor.shape)}")
            result = tensor.clone()
            for orientation in {*chosen} - {Orientation.identity}:
                at = torch.tensor([i for i, one in enumerate(chosen) if one == orientation], device=tensor.device)
                result[at] = turn(tensor[at], orientation, (width, height))
            return result

        results = [transform_batch(images, chosen, layout="chw")]
        if boxes is not None:
            results.append(turned(boxes, lambda part, orientation, size: turn_boxes(part, orientation, size, self.box_format)))
        if masks is not None:
            results.append(transform_batch(masks, chosen, layout="chw"))
        if keypoints is not None:
            results.append(turned(keypoints, lambda part, orientation, size: turn_points(part, orientation, size, indices=True)))
        return results[0] if len(results) == 1 else tuple(results)

    def _chosen(self, count):
        draws = 1 if self.same_on_batch else count
        turns = torch.rand(draws, generator=self._generator) < self.p
        which = torch.randint(len(self.orientations), (draws,), generator=self._generator)
        chosen = [self.orientations[index] if turn else Orientation.identity for turn, index in zip(turns.tolist(), which.tolist())]
        return chosen * count if self.same_on_batch else chosen
