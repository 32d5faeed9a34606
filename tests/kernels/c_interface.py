"""qturn.h from another language: the shared library by ctypes. usage: c_interface.py LIBRARY"""
import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])


class View(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("width", ctypes.c_int64), ("height", ctypes.c_int64), ("pitch", ctypes.c_int64),
                ("pixel_bytes", ctypes.c_int)]


library.qturn_last_error.restype = library.qturn_orientation_name.restype = ctypes.c_char_p

# Each as the rows of the turned picture, of the rows of a picture.
expected = {
    b"identity": lambda rows: rows,
    b"flop": lambda rows: [row[::-1] for row in rows],
    b"rotate180": lambda rows: [row[::-1] for row in rows[::-1]],
    b"flip": lambda rows: rows[::-1],
    b"transpose": lambda rows: [list(column) for column in zip(*rows)],
    b"rotate90": lambda rows: [list(column) for column in zip(*rows[::-1])],
    b"transverse": lambda rows: [list(column)[::-1] for column in zip(*rows)][::-1],
    b"rotate270": lambda rows: [list(column) for column in zip(*rows)][::-1],
}
width, height = 7, 5
for number, (name, turned_rows) in enumerate(expected.items(), start=1):
    assert library.qturn_orientation_name(number) == name and library.qturn_orientation_of_name(name) == number
    pixels = [[bytes([x, y, x ^ y]) for x in range(width)] for y in range(height)]
    source = ctypes.create_string_buffer(b"".join(b"".join(row) for row in pixels), width * height * 3)
    result = ctypes.create_string_buffer(width * height * 3)
    new_width, new_height = (height, width) if library.qturn_swaps_axes(number) else (width, height)
    src = View(ctypes.addressof(source), width, height, width * 3, 3)
    dst = View(ctypes.addressof(result), new_width, new_height, new_width * 3, 3)
    assert library.qturn_transform(ctypes.byref(src), ctypes.byref(dst), number) == 0, library.qturn_last_error()
    assert result.raw == b"".join(b"".join(row) for row in turned_rows(pixels)), name
    dst.width += 1
    assert library.qturn_transform(ctypes.byref(src), ctypes.byref(dst), number) == 1
    assert b"expected" in library.qturn_last_error()
print("ctypes: all eight orientations")
