"""What NumPy makes of the eight orientations: the reference of the tests."""
import numpy as np

import qturn

ORIENTATIONS = list(qturn.Orientation)


def row_axis(array, layout):
    return array.ndim - 3 if layout == "hwc" and array.ndim > 2 else array.ndim - 2


def turned(array, orientation, layout="hwc"):
    rows = row_axis(array, layout)
    axes = (rows, rows + 1)
    name = qturn.Orientation(orientation).name
    if name in ("transpose", "transverse"):
        swapped = np.swapaxes(array, *axes)
        return swapped if name == "transpose" else np.rot90(swapped, 2, axes)
    if name in ("flop", "flip"):
        return np.flip(array, axes[name == "flop"])
    return np.rot90(array, {"identity": 0, "rotate90": -1, "rotate180": 2, "rotate270": 1}[name], axes)


def picture(shape, dtype="uint8", seed=0):
    """Every bit pattern, as numbers of this type."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    return np.frombuffer(np.random.default_rng(seed).bytes(size), dtype=dtype).reshape(shape)


def same(got, wanted):
    """Bit for bit, NaN included."""
    got, wanted = np.ascontiguousarray(got), np.ascontiguousarray(wanted)
    return got.shape == wanted.shape and got.dtype == wanted.dtype and got.tobytes() == wanted.tobytes()
