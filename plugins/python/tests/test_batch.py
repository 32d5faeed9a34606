"""transform_batch() and to_planar() of NumPy's arrays."""
import numpy as np
import pytest

import qturn
from turned import ORIENTATIONS, picture, same, turned


def test_a_list_of_any_sizes():
    xs = [picture((3 + i, 20 - i, 3), seed=i) for i in range(16)]
    orientations = ORIENTATIONS * 2
    got = qturn.transform_batch(xs, orientations)
    assert isinstance(got, list)
    for x, orientation, y in zip(xs, orientations, got):
        assert same(y, turned(x, orientation))
    assert all(same(y, turned(x, 6)) for x, y in zip(xs, qturn.transform_batch(xs, "cw")))


def test_a_list_into_a_list():
    xs = [picture((3, 5)), picture((4, 2))]
    out = [np.zeros((5, 3), "u1"), np.zeros((4, 2), "u1")]
    assert qturn.transform_batch(xs, ["cw", "flip"], out) is out
    assert same(out[0], turned(xs[0], 6)) and same(out[1], turned(xs[1], 4))
    assert qturn.transform_batch([], "cw") == []


@pytest.mark.parametrize("layout,shape", [("hwc", (8, 5, 5, 3)), ("chw", (8, 3, 5, 5)), ("chw", (8, 5, 5))])
def test_one_array_with_an_orientation_for_each(layout, shape):
    x = picture(shape)
    got = qturn.transform_batch(x, ORIENTATIONS, layout=layout)
    for i, orientation in enumerate(ORIENTATIONS):
        assert same(got[i], turned(x[i], orientation, layout))


def test_one_array_that_all_swap():
    x = picture((4, 6, 9, 3))
    got = qturn.transform_batch(x, [5, 6, 7, 8])
    assert got.shape == (4, 9, 6, 3)
    assert all(same(got[i], turned(x[i], 5 + i)) for i in range(4))
    assert same(qturn.transform_batch(x, "cw"), turned(x, 6))


def test_lists_with_images_that_have_no_pixels():
    xs = [np.zeros((0, 4, 3), "u1"), picture((5, 4, 3)), np.zeros((4, 0, 3), "u1")]
    got = qturn.transform_batch(xs, 6)
    assert [one.shape for one in got] == [(4, 0, 3), (4, 5, 3), (0, 4, 3)] and same(got[1], turned(xs[1], 6))
    assert qturn.to_planar([xs[0], xs[0]], 6).shape == (2, 3, 4, 0)


@pytest.mark.parametrize("call,error,message", [
    (lambda: qturn.transform_batch(np.zeros((2, 6, 9, 3), "u1"), [1, 6]), ValueError, "two shapes, by identity and rotate90"),
    (lambda: qturn.transform_batch(np.zeros((2, 6, 9, 3), "u1"), [1]), ValueError, "1 orientations for 2 images"),
    (lambda: qturn.transform_batch([np.zeros((6, 9), "u1")], 1, []), ValueError, "0 arrays in out for 1 in xs"),
    (lambda: qturn.transform_batch([np.zeros((6, 9), "u1"), np.zeros((6, 9), "f4")], 1), ValueError, "image 1 has pixels of 4 bytes, image 0 of 1"),
    (lambda: qturn.transform_batch(np.zeros((6, 9), "u1"), [1]), ValueError, "is one image"),
])
def test_refusals(call, error, message):
    with pytest.raises(error, match=message):
        call()


def planar(x, orientation, channels, mean, std, scale):
    """One fused multiply-add of floats: a product and a sum in double, rounded once, are the same for these numbers."""
    y = turned(x, orientation)[..., channels].astype(np.float64)
    factor = (scale / np.asarray(std, np.float64)).astype(np.float32).astype(np.float64)
    offset = (-np.asarray(mean, np.float64) / np.asarray(std, np.float64)).astype(np.float32).astype(np.float64)
    return np.moveaxis(y * factor + offset, -1, 0).astype(np.float32)


@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("dtype,scale", [("uint8", 1 / 255), ("uint16", 1 / 65535), ("float32", 1)])
def test_to_planar(orientation, dtype, scale):
    x = np.abs(np.nan_to_num(picture((2, 6, 6, 3), "uint16"))).astype(dtype)
    mean, std = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
    got = qturn.to_planar(x, orientation, mean=mean, std=std, channels="bgr")
    assert got.dtype == np.float32 and got.shape == (2, 3, 6, 6)
    for i in range(2):
        np.testing.assert_allclose(got[i], planar(x[i], orientation, [2, 1, 0], mean, std, scale), rtol=1e-6, atol=1e-6)


def test_to_planar_of_a_list_into_halves():
    xs = [picture((4, 6, 4)), picture((6, 4, 4))]
    got = qturn.to_planar(xs, ["cw", "flip"], dtype=np.float16, channels=(3,), scale=1)
    assert got.dtype == np.float16 and got.shape == (2, 1, 6, 4)
    assert same(got[1, 0], turned(xs[1], 4)[..., 3].astype("f2"))
    out = np.zeros((2, 1, 6, 4), "f2")
    assert qturn.to_planar(xs, ["cw", "flip"], dtype="float16", channels=(3,), scale=1, out=out) is out
    assert same(out, got)


@pytest.mark.parametrize("orientation", ORIENTATIONS)
def test_to_planar_of_bytes(orientation):
    x = picture((2, 6, 6, 3))
    got = qturn.to_planar(x, orientation, dtype="uint8", channels="bgr")
    assert same(got, np.stack([np.moveaxis(turned(each, orientation)[..., ::-1], -1, 0) for each in x]))


def test_to_planar_rounds_and_limits_bytes():
    x = np.array([-1e9, -0.5, 0.5, 1.5, 2.5, 254.5, 255.5, 1e9, np.nan, np.inf], "f4").reshape(1, 10, 1)
    assert qturn.to_planar(x, dtype=np.uint8, channels=(0,)).ravel().tolist() == [0, 0, 0, 2, 2, 254, 255, 255, 0, 255]
    x = np.array([0, 128, 129, 65535], "u2").reshape(1, 4, 1)
    assert qturn.to_planar(x, dtype="uint8", channels=(0,)).ravel().tolist() == [0, 0, 1, 255]


@pytest.mark.parametrize("call,error,message", [
    (lambda x: qturn.to_planar([x, x[:2]]), ValueError, "image 1 becomes 6x2, image 0 6x4"),
    (lambda x: qturn.to_planar(x, dtype="int8"), TypeError, "dtype is int8, expected"),
    (lambda x: qturn.to_planar(x.view("i1")), TypeError, "x is int8, expected"),
    (lambda x: qturn.to_planar(x.astype(">u2")), TypeError, "x is >u2, expected"),
    (lambda x: qturn.to_planar([x.astype("<u2"), x.astype(">u2")]), TypeError, r"uint16 \(4, 6, 3\) and >u2 \(4, 6, 3\), expected one type"),
    (lambda x: qturn.to_planar(x, channels="rgbx"), ValueError, 'channels is "rgbx"'),
    (lambda x: qturn.to_planar(x, channels=(0, 3)), ValueError, "channel"),
    (lambda x: qturn.to_planar(x, mean=(1, 2)), ValueError, "2 values of mean for 3 planes"),
    (lambda x: qturn.to_planar([x, x.astype("u2")]), TypeError, r"uint8 \(4, 6, 3\) and uint16 \(4, 6, 3\), expected one type"),
    (lambda x: qturn.to_planar([]), ValueError, "no images"),
    (lambda x: qturn.to_planar(x, out=np.zeros((1, 3, 4, 5), "f4")), ValueError, r"out of shape \(1, 3, 4, 5\).*expected \(1, 3, 4, 6\)"),
])
def test_to_planar_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call(picture((4, 6, 3)))
