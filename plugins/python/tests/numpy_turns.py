"""The eight orientations by NumPy, as another program has them: docs/orientations.md."""
import numpy

TURNS = {"identity": lambda x: x,
         "flop": numpy.fliplr,
         "rotate180": lambda x: numpy.rot90(x, 2),
         "flip": numpy.flipud,
         "transpose": lambda x: numpy.swapaxes(x, 0, 1),
         "rotate90": lambda x: numpy.rot90(x, -1),
         "transverse": lambda x: numpy.rot90(numpy.swapaxes(x, 0, 1), 2),
         "rotate270": numpy.rot90}


def numpy_turned(picture, orientation):
    """Of shape (height, width, ...)."""
    return TURNS[orientation.name](picture)
