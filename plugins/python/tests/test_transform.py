"""transform() of NumPy's arrays against NumPy."""
import gc
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import qturn
from turned import ORIENTATIONS, picture, same, turned

DTYPES = ["bool", "uint8", "int16", "float16", "uint32", "float32", "int64", "float64", "complex64", "complex128", ">u2",
          "datetime64[s]", "V3", [("left", "u1"), ("right", "f4")]]


@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (3, 5), (33, 65), (5, 4, 1), (17, 31, 3), (16, 16, 4), (2, 9, 8, 3),
                                   (2, 3, 4, 5, 6)])
@pytest.mark.parametrize("layout", ["hwc", "chw"])
def test_every_shape(orientation, shape, layout):
    x = picture(shape)
    assert same(qturn.transform(x, orientation, layout=layout), turned(x, orientation, layout))


@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_type(orientation, dtype):
    x = picture((7, 11, 2), "u1").repeat(np.dtype(dtype).itemsize, axis=2).view(dtype)
    got = qturn.transform(x, orientation)
    assert same(got, turned(x, orientation))
    assert got.dtype == x.dtype


@settings(max_examples=400, deadline=None)
@given(shape=hnp.array_shapes(min_dims=2, max_dims=5, min_side=0, max_side=9), orientation=st.sampled_from(ORIENTATIONS),
       dtype=st.sampled_from(["u1", "f2", "f4", "f8"]), layout=st.sampled_from(["hwc", "chw"]), data=st.data())
def test_views_of_any_shape(shape, orientation, dtype, layout, data):
    """Parts of an array, with axes reversed, exchanged, cut and with gaps."""
    order = data.draw(st.permutations(range(len(shape))))
    whole = picture([side + 2 for side in shape], dtype).transpose(order)
    step = st.sampled_from([1, 1, 1, 2, -1, -2])
    cuts = [slice(1, -1) if data.draw(st.booleans()) else slice(None, None, data.draw(step)) for _ in shape]
    x = whole[tuple(cuts)]
    pixel = x.itemsize * (x.shape[-1] if layout == "hwc" and x.ndim > 2 else 1)
    if pixel > 256:
        with pytest.raises(ValueError, match="expected 1 to 256"):
            qturn.transform(x, orientation, layout=layout)
        return
    before = x.copy()
    assert same(qturn.transform(x, orientation, layout=layout), turned(x, orientation, layout))
    assert same(x, before)


VIEWS = {"columns reversed": lambda x: x[:, ::-1], "rows reversed": lambda x: x[::-1], "both reversed": lambda x: x[::-1, ::-1],
         "transposed": lambda x: x.swapaxes(0, 1), "transposed and reversed": lambda x: x.swapaxes(0, 1)[::-1, ::-1],
         "a part": lambda x: x[1:-1, 2:-2], "a turned part": lambda x: np.rot90(x[2:-2, 1:-1])}


def is_view_taken(x):
    """Whether what qturn makes of it was made without a copy of it: the copy would be more than all that it may take."""
    import tracemalloc
    out = np.empty(turned(x, 1).shape, x.dtype)
    tracemalloc.start()
    qturn.transform(x, 1, out)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most < x.nbytes // 2


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("shape", [(90, 110), (90, 110, 3)])
def test_orientations_of_memory_cost_no_copy(view, shape):
    assert is_view_taken(VIEWS[view](picture(shape)))


def test_what_is_no_orientation_of_memory_is_copied():
    x = picture((90, 110, 3))
    for view in (x[..., ::-1], x[..., 1], x[:, ::2], np.asfortranarray(x), np.broadcast_to(x[:1], (90, 110, 3))):
        assert not is_view_taken(view)
        for orientation in ORIENTATIONS:
            assert same(qturn.transform(view, orientation), turned(view, orientation))
    assert is_view_taken(np.asfortranarray(x[..., 0]))


@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("shape", [(9, 9), (9, 9, 3)])
def test_views_are_written(view, orientation, shape):
    x = VIEWS[view](picture(shape))
    wanted = turned(x, orientation)
    for other in VIEWS:
        whole = np.full((20, 20, *shape[2:]), 7, np.uint8)
        out = VIEWS[other](whole)[:wanted.shape[0], :wanted.shape[1]]
        assert qturn.transform(x, orientation, out) is out
        assert same(out, wanted)
        out[:] = 7
        assert (whole == 7).all()


@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("view", ["columns reversed", "both reversed", "transposed", "transposed and reversed"])
@pytest.mark.parametrize("shape", [(9, 9), (9, 9, 3)])
def test_views_are_turned_in_place(view, orientation, shape):
    x = VIEWS[view](picture(shape).copy())
    wanted = turned(x, orientation).copy()
    qturn.transform(x, orientation, x)
    assert same(x, wanted)


@pytest.mark.parametrize("view", VIEWS)
def test_views_in_batches(view):
    xs = [VIEWS[view](picture((9 + i, 12, 3), seed=i)) for i in range(8)]
    for x, orientation, got in zip(xs, ORIENTATIONS, qturn.transform_batch(xs, ORIENTATIONS)):
        assert same(got, turned(x, orientation))
    batch = np.moveaxis(VIEWS[view](np.moveaxis(picture((8, 13, 13, 3)), 0, -1)), -1, 0)
    orientations = [one for one in ORIENTATIONS if one.swaps_axes] * 2
    for x, orientation, got in zip(batch, orientations, qturn.transform_batch(batch, orientations)):
        assert same(got, turned(x, orientation))
    for x, orientation in zip(xs, ORIENTATIONS):
        assert same(qturn.to_planar(x, orientation), qturn.to_planar(np.ascontiguousarray(x), orientation))


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0, 3), (4, 5, 0), (0, 3, 4, 5)])
@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_nothing_is_turned_into_nothing(shape, orientation):
    x = np.zeros(shape, "u1")
    assert qturn.transform(x, orientation).shape == turned(x, orientation).shape


def test_rows_with_a_pitch_are_taken_and_written():
    x = picture((20, 30, 3))[3:17, 4:25]
    whole = np.full((40, 50, 3), 7, np.uint8)
    out = whole[5:26, 6:20]
    assert qturn.transform(x, "rotate90", out=out) is out
    assert same(out, turned(x, 6))
    out[:] = 7
    assert (whole == 7).all()


def test_rows_upside_down_are_taken():
    x = picture((9, 8, 3))[::-1]
    assert same(qturn.transform(x, "transpose"), turned(x, 5))


def test_read_only_arrays_are_taken_and_not_written():
    x = np.frombuffer(bytes(range(12)), np.uint8).reshape(3, 4)
    assert same(qturn.transform(x, "cw"), turned(x, 6))
    with pytest.raises(ValueError, match=r"out of shape \(3, 4\) is read-only"):
        qturn.transform(np.zeros((3, 4), "u1"), "flip", out=x)


@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("layout,shape", [("hwc", (9, 9)), ("hwc", (6, 6, 3)), ("chw", (3, 7, 7)), ("hwc", (2, 5, 5, 3))])
def test_in_place(orientation, layout, shape):
    x = picture(shape).copy()
    wanted = turned(x, orientation, layout).copy()
    assert qturn.transform(x, orientation, out=x, layout=layout) is x
    assert same(x, wanted)


@pytest.mark.parametrize("call,error,message", [
    (lambda: qturn.transform(np.zeros((3, 4), "u1"), "cw", out=np.zeros((3, 4), "u1")), ValueError,
     r"out of shape \(3, 4\) does not fit x of shape \(3, 4\), expected \(4, 3\)"),
    (lambda: qturn.transform(np.zeros((3, 4), "u1"), "cw", out=np.zeros((4, 3), "i1")), TypeError,
     r"out of shape \(4, 3\) is int8, expected uint8 for x of shape \(3, 4\)"),
    (lambda: qturn.transform(np.zeros((8, 4, 3), "u1"), 1, np.zeros((8, 8, 3), "u1")[:, ::2]), ValueError,
     r"out of shape \(8, 4, 3\) has strides of \(24, 6, 1\).*; pass a copy in C order"),
    (lambda: qturn.transform(np.zeros(5, "u1"), 1), ValueError, r"shape \(5,\) has no rows and columns"),
    (lambda: qturn.transform(np.zeros((3, 480, 640), "u1"), 1), ValueError, r'pixels of 640 bytes, expected 1 to 256; .*layout="chw"'),
    (lambda: qturn.transform(np.array([[None]]), 1), TypeError, "holds Python objects"),
    (lambda: qturn.transform([[1, 2]], 1), TypeError, "type <class 'list'>, expected an array"),
    (lambda: qturn.transform(np.zeros((2, 2)), "up"), ValueError, 'orientation is "up"'),
    (lambda: qturn.transform(np.zeros((2, 2)), 1, layout="nhwc"), ValueError, 'layout is "nhwc", expected hwc or chw'),
    (lambda: qturn.transform(np.zeros((2, 2)), 1, stream="first"), TypeError, "stream is of type <class 'str'>"),
    (lambda: qturn.transform(np.zeros((1,) * 9, "u1"), 1), ValueError, "more than 8 axes"),
    (lambda: qturn.transform(np.zeros((2, 2)), 1, [1]), TypeError, "out is of type <class 'list'>"),
    (lambda: qturn.transform(np.zeros((2, 2)), 1, np.zeros((2, 2), object)), TypeError, "out holds Python objects"),
    (lambda: qturn.transform(np.zeros((2, 3)), 6, np.broadcast_to(np.zeros(2), (3, 2))), ValueError, "out of shape .* is read-only"),
    (lambda: qturn.transform(np.zeros((2, 3), "u1"), 6, np.lib.stride_tricks.as_strided(np.zeros(9, "u1"), (3, 2), (1, 1))), ValueError,
     r"out of shape \(3, 2\) has strides of \(1, 1\) bytes"),
])
def test_refusals_say_what_was_given(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("source,out", [("<u2", ">u2"), (">u2", "<u2"), ([("a", "<i4"), ("b", "<f4")], [("x", "<f8")])], ids=str)
def test_types_of_one_size_are_not_one_type(source, out):
    with pytest.raises(TypeError, match=r"out of shape \(3, 4\) is .*, expected "):
        qturn.transform(np.zeros((3, 4), source), 1, np.zeros((3, 4), out))
    with pytest.raises(TypeError, match="out of shape"):
        qturn.transform_batch([np.zeros((3, 4), source)], 1, [np.zeros((3, 4), out)])


def test_overlaps_are_refused():
    whole = np.zeros((4, 30, 30), "u1")
    with pytest.raises(ValueError, match="overlap in memory"):
        qturn.transform(whole[0, :10, :10], "flip", out=whole[0, 5:15, 5:15])
    with pytest.raises(ValueError, match=r"x of shape \(2, 30, 30\) and out of shape \(2, 30, 30\) overlap"):
        qturn.transform(whole[:2], "flip", out=whole[1:3], layout="chw")


def test_images_of_out_that_overlap_each_other_are_refused():
    images = np.zeros((3, 4, 4), "u1")
    repeated = np.lib.stride_tricks.as_strided(np.zeros((4, 4), "u1"), (3, 4, 4), (0, 4, 1))
    unequal = np.lib.stride_tricks.as_strided(np.zeros(200, "u1"), (2, 3, 4, 4), (16, 16, 4, 1))
    for call in (lambda: qturn.transform(images, "flip", repeated, layout="chw"), lambda: qturn.transform(repeated, "flip", repeated, layout="chw"),
                 lambda: qturn.transform_batch(images, [1, 2, 3], repeated, layout="chw"),
                 lambda: qturn.transform(np.zeros((2, 3, 4, 4), "u1"), 2, unequal, layout="chw")):
        with pytest.raises(ValueError, match=r"out of shape \(.*, 4, 4\) has images that overlap each other in memory"):
            call()
    a, b = images[:2]
    with pytest.raises(ValueError, match=r"image \d+ of out \(\d+ x \d+ pixels\) and image \d+ of out \(\d+ x \d+ pixels\) overlap in memory$"):
        qturn.transform_batch([a, b], 6, [images[2], images[2]])
    with pytest.raises(ValueError, match=r"image \d+ of xs \(\d+ x \d+ pixels\) and image \d+ of out \(\d+ x \d+ pixels\) overlap in memory: pass copies"):
        qturn.transform_batch([a, b], 6, [b, a])
    planes = np.lib.stride_tricks.as_strided(np.zeros((3, 4, 4), "f4"), (2, 3, 4, 4), (0, 64, 16, 4))
    with pytest.raises(ValueError, match="overlap each other"):
        qturn.to_planar(np.zeros((2, 4, 4, 3), "u1"), out=planes)
    assert not (images.any() or repeated.any() or unequal.any() or planes.any())


@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_parts_side_by_side_do_not_overlap(orientation):
    x = picture((3, 8, 8))
    whole = np.zeros((3, 8, 16), "u1")
    whole[..., :8] = x
    qturn.transform(whole[..., :8], orientation, whole[..., 8:], layout="chw")
    assert same(whole[..., 8:], turned(x, orientation, "chw")) and same(whole[..., :8], x)
    mosaic = np.zeros((16, 24), "u1")
    parts = [mosaic[:8, :8], mosaic[:8, 8:16], mosaic[8:, 16:]]
    qturn.transform_batch(list(x), orientation, parts)
    assert all(same(part, turned(one, orientation)) for part, one in zip(parts, x))
    assert mosaic.sum() == x.sum()
    with pytest.raises(ValueError, match=r"image \d+ of out \(\d+ x \d+ pixels\) and image \d+ of out \(\d+ x \d+ pixels\) overlap in memory$"):
        qturn.transform_batch(list(x), orientation, [mosaic[:8, :8], mosaic[8:, 16:], mosaic[7:15, 7:15]])


def test_one_channel_may_have_an_axis_or_not():
    x = picture((3, 5))
    assert same(qturn.transform(x, 6, np.zeros((5, 3, 1), "u1"))[..., 0], turned(x, 6))
    assert same(qturn.transform(x[..., None], 6, np.zeros((5, 3), "u1")), turned(x, 6))
    with pytest.raises(ValueError, match="does not fit"):
        qturn.transform(x, 6, np.zeros((5, 3, 1), "u1"), layout="chw")


def test_planes_at_unequal_distances():
    x = picture((4, 5, 6, 7))[:, 1:4]
    for orientation in ORIENTATIONS:
        assert same(qturn.transform(x, orientation, layout="chw"), turned(x, orientation, "chw"))


def test_threads_turn_at_the_same_time():
    x = picture((301, 203, 3))
    wrong = []

    def turn(orientation):
        wanted = turned(x, orientation)
        for _ in range(50):
            if not same(qturn.transform(x, orientation), wanted):
                wrong.append(orientation)

    threads = [threading.Thread(target=turn, args=[orientation]) for orientation in ORIENTATIONS * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_a_million_calls_leak_nothing():
    x = picture((4, 6, 3))
    out = np.zeros((6, 4, 3), "u1")
    wrong = np.zeros((2, 2, 300), "u1")

    def call(times):
        for _ in range(times):
            qturn.transform(x, 6)
            qturn.transform(x, 6, out)
            try:
                qturn.transform(wrong, 6)
            except ValueError:
                pass

    call(10_000)
    gc.collect()
    before = resident_bytes()
    references = [sys.getrefcount(one) for one in (x, out, wrong, x.dtype, None)]
    call(330_000)
    gc.collect()
    # A few more of None are anybody's.
    assert all(abs(sys.getrefcount(one) - count) < 100 for one, count in zip((x, out, wrong, x.dtype, None), references))
    # A million leaks of anything are 16 MB or more.
    assert resident_bytes() - before < 4 << 20


def test_a_masked_array_is_refused_by_name():
    masked = np.ma.masked_less(np.zeros((2, 3)), 1)
    for call in (lambda: qturn.transform(masked, 6), lambda: qturn.transform_batch([masked], 6), lambda: qturn.to_planar(masked)):
        with pytest.raises(TypeError, match="a masked array of NumPy would lose its mask"):
            call()
