"""What PyTorch follows: whether a call needs an operator that PyTorch knows."""
import sys

from . import _qturn


def is_compiling():
    """Whether PyTorch compiles the caller. It asks this before functions of C++, which it cannot look into."""
    compiler = getattr(sys.modules.get("torch"), "compiler", None)
    return compiler is not None and compiler.is_compiling()


def needs_operator(xs):
    """Whether PyTorch has to see an operator of its own."""
    if "torch" not in sys.modules:  # there are no tensors
        return False
    if not is_compiling():
        return _qturn.followed(xs, None) is not None
    kind = sys.modules["torch"].Tensor
    return any([isinstance(x, kind) for x in (xs if isinstance(xs, (list, tuple)) else (xs,))])
