"""Boxes and points against pixels: what is painted, then turned by NumPy, is found where the function says."""
import numpy
import pytest
from hypothesis import given, strategies as st
from turned import turned as numpy_turned

import qturn
from qturn import Orientation

FORMATS = ["xyxy", "xywh", "cxcywh", "yolo"]
orientations = st.sampled_from(list(Orientation))


@st.composite
def picture_with_box(draw):
    """(width, height), and the edges of a box in it."""
    width, height = draw(st.integers(1, 40)), draw(st.integers(1, 40))
    left, top = draw(st.integers(0, width - 1)), draw(st.integers(0, height - 1))
    return (width, height), (left, top, draw(st.integers(left + 1, width)), draw(st.integers(top + 1, height)))


def in_format(edges, format, size):
    left, top, right, bottom = edges
    if format == "xyxy":
        return edges
    if format == "xywh":
        return left, top, right - left, bottom - top
    box = ((left + right) / 2, (top + bottom) / 2, right - left, bottom - top)
    return box if format == "cxcywh" else tuple(number / size[axis % 2] for axis, number in enumerate(box))


@given(picture_with_box(), orientations, st.sampled_from(FORMATS))
def test_a_box_lies_around_the_same_pixels(picture, orientation, format):
    (width, height), (left, top, right, bottom) = picture
    painted = numpy.zeros((height, width), bool)
    painted[top:bottom, left:right] = True
    rows, columns = numpy.nonzero(numpy_turned(painted, orientation))
    wanted = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
    size = (width, height)
    found = qturn.turn_boxes([in_format((left, top, right, bottom), format, size)], orientation, size, format)
    numpy.testing.assert_allclose(found[0], in_format(wanted, format, orientation.turned_size(size)), atol=1e-12)


@given(picture_with_box(), orientations)
def test_a_point_lies_on_the_same_pixel(picture, orientation):
    (width, height), (x, y, _, _) = picture
    painted = numpy.zeros((height, width), bool)
    painted[y, x] = True
    (row,), (column,) = numpy.nonzero(numpy_turned(painted, orientation))
    assert qturn.turn_points([(x, y)], orientation, (width, height), indices=True) == [(column, row)]
    assert qturn.turn_points([(x + 0.5, y + 0.5)], orientation, (width, height)) == [(column + 0.5, row + 0.5)]


@given(st.lists(st.tuples(*[st.integers(-2**40, 2**40)] * 4)), orientations, st.sampled_from(FORMATS[:3]),
       st.integers(0, 2**30), st.integers(0, 2**30))
def test_whole_numbers_come_back_exactly(boxes, orientation, format, width, height):
    array = numpy.array(boxes, numpy.int64).reshape(-1, 4)
    turned = qturn.turn_boxes(array, orientation, (width, height), format)
    assert turned.dtype == numpy.int64
    back = qturn.turn_boxes(turned, orientation.inverse, orientation.turned_size((width, height)), format)
    numpy.testing.assert_array_equal(back, array)
    assert [tuple(box) for box in turned.tolist()] == qturn.turn_boxes(boxes, orientation, (width, height), format)


@given(st.lists(st.tuples(*[st.floats(0, 1, width=32)] * 4), min_size=1), orientations, orientations)
def test_fractions_turn_twice_as_once(boxes, first, then):
    array = numpy.array(boxes, numpy.float32)
    twice = qturn.turn_boxes(qturn.turn_boxes(array, first, (1, 1), "yolo"), then, (1, 1), "yolo")
    assert twice.dtype == numpy.float32
    numpy.testing.assert_allclose(twice, qturn.turn_boxes(array, first.compose(then), (1, 1), "yolo"), atol=1e-6)


def test_what_follows_the_numbers_stays_and_the_source_too():
    boxes = numpy.array([[1, 2, 3, 5, 77]])
    assert qturn.turn_boxes(boxes, "cw", (10, 20), "xyxy").tolist() == [[15, 1, 18, 3, 77]]
    assert boxes.tolist() == [[1, 2, 3, 5, 77]]
    assert qturn.turn_boxes([(1, 2, 3, 5, "cat")], "cw", (10, 20), "xyxy") == [(15, 1, 18, 3, "cat")]
    points = numpy.array([[[1.0, 2.0, 9.0]]])
    assert qturn.turn_points(points, "rotate270", (10, 20)).tolist() == [[[2.0, 9.0, 9.0]]]


def test_no_boxes_are_no_boxes():
    assert qturn.turn_boxes(numpy.zeros((0, 4)), "cw", (10, 20), "xywh").shape == (0, 4)
    assert qturn.turn_boxes(numpy.array([]), "cw", (10, 20), "xywh").shape == (0,)
    assert qturn.turn_boxes([], "cw", (10, 20), "xywh") == []
    assert qturn.turn_boxes(numpy.zeros((0, 4), "uint8"), "cw", (10, 20), "xywh").dtype == numpy.uint8


@given(picture_with_box(), orientations)
def test_tensors_stay_tensors(picture, orientation):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    size, edges = picture
    tensor = torch.tensor([edges], dtype=torch.float32, requires_grad=True)
    turned = qturn.turn_boxes(tensor, orientation, size, "xyxy")
    assert turned.detach().numpy().tolist() == qturn.turn_boxes(tensor.detach().numpy(), orientation, size, "xyxy").tolist()
    turned.sum().backward()
    assert tensor.grad is not None


@pytest.mark.parametrize("call,message", [
    (lambda: qturn.turn_boxes([(1, 2, 3, 4)], "cw", (9, 9), "ltrb"), "format is 'ltrb', expected one of xyxy, xywh, cxcywh, yolo"),
    (lambda: qturn.turn_boxes(numpy.zeros((2, 3)), "cw", (9, 9), "xyxy"), r"boxes have the shape \(2, 3\), expected \(\.\.\., 4\)"),
    (lambda: qturn.turn_boxes([1, 2, 3, 4], "cw", (9, 9), "xyxy"), "boxes have 1, expected 4 numbers"),
    (lambda: qturn.turn_points([(1, )], "cw", (9, 9)), r"points have \(1,\), expected 2 numbers"),
    (lambda: qturn.turn_points([(1, 2)], "cw", (-9, 9)), r"size is -9 x 9, expected \(width, height\)"),
])
def test_what_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def arrays_of(library):
    """What makes an array of it from a list, and the name of a type."""
    if library == "numpy":
        return numpy.array
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    return lambda rows, dtype: torch.tensor(rows, dtype=getattr(torch, dtype))


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int8", "int16", "int32", "uint32", "uint64", "int64"])
def test_small_and_unsigned_types_are_exact(library, dtype):
    array = arrays_of(library)
    boxes = array([[1, 2, 3, 5]], dtype)
    for size in ((120, 110), (numpy.uint8(120), numpy.uint8(110)), (120.0, 110.0)):
        turned = qturn.turn_boxes(boxes, "rotate180", size, "xyxy")
        assert turned.dtype == boxes.dtype and turned.tolist() == [[117, 105, 119, 108]]
    # The size does not fit the type, the results do.
    assert qturn.turn_boxes(array([[100, 2, 30, 5]], dtype), "rotate180", (256, 110), "xywh").tolist() == [[126, 103, 30, 5]]


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("dtype,boxes,size,number,most", [
    ("uint8", [[1, 2, 3, 4]], (640, 480), 637, "0 to 255"),
    ("int8", [[1, 2, 3, 4]], (200, 100), 197, "-128 to 127"),
    ("uint16", [[1, 2, 30, 4]], (20, 20), -10, "0 to 65535"),
    ("int32", [[-2**31, 0, 0, 0]], (1, 1), 2**31 + 1, f"-{2**31} to {2**31 - 1}"),
])
def test_whole_numbers_that_do_not_fit_are_refused(library, dtype, boxes, size, number, most):
    with pytest.raises(ValueError, match=f"boxes have {number} after the turn, and .*{dtype} holds {most}"):
        qturn.turn_boxes(arrays_of(library)(boxes, dtype), "flop", size, "xyxy")


@pytest.mark.parametrize("dtype,number", [("uint64", 2**63 + 1), ("int64", -2**62), ("int64", 2**62), ("uint64", 2**62)])
def test_numbers_beyond_all_pictures_are_refused(dtype, number):
    with pytest.raises(ValueError, match=f"boxes have a number beyond {2**61}"):
        qturn.turn_boxes(numpy.array([[number, 0, 1, 1]], dtype), "flop", (10, 10), "xyxy")


def test_fractional_sizes_are_for_fractional_boxes():
    with pytest.raises(ValueError, match=r"size is 640.5 x 480 and boxes are whole numbers \(int32\), expected whole edges"):
        qturn.turn_boxes(numpy.array([[1, 2, 3, 4]], "int32"), "flop", (640.5, 480), "xyxy")
    with pytest.raises(ValueError, match="size is nan x 480"):
        qturn.turn_points(numpy.array([[1, 2]], "int32"), "flop", (float("nan"), 480))
    assert qturn.turn_boxes([(1, 2, 3, 4)], "flop", (640.5, 480), "xyxy") == [(637.5, 2, 639.5, 4)]
    with pytest.raises(TypeError, match="points are of type bool, expected numbers"):
        qturn.turn_points(numpy.array([[True, False]]), "flop", (2, 2))


def test_rows_of_small_types_in_a_list():
    rows = [numpy.array([1, 2, 3, 5], "uint8")]
    assert qturn.turn_boxes(rows, "flop", (640, 480), "xyxy") == [(637, 2, 639, 5)]
    assert qturn.turn_points(rows, "flop", (numpy.uint8(0), 9), indices=True) == [(-2, 2, 3, 5)]
