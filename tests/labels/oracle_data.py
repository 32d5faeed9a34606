"""What the tests of labels against other programs have in common: pictures, and the eight orientations in numpy."""
import struct
import zlib

import numpy

TURNS = {
    "identity": lambda m: m,
    "flop": lambda m: m[:, ::-1],
    "rotate180": lambda m: m[::-1, ::-1],
    "flip": lambda m: m[::-1],
    "transpose": lambda m: m.T,
    "rotate90": lambda m: numpy.rot90(m, -1),
    "transverse": lambda m: m[::-1, ::-1].T,
    "rotate270": lambda m: numpy.rot90(m),
}
MIRRORS = ("flop", "flip", "transpose", "transverse")


def png(pixels):
    """Of grey pixels, 8 bits each."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = pixels.shape
    rows = zlib.compress(b"".join(b"\0" + row.tobytes() for row in pixels))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
