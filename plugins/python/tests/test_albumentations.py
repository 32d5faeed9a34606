"""The transform for Albumentations: pictures, masks, boxes and keypoints that go together, and its own D4 on squares."""
import json

import numpy
import pytest
from turned import turned as numpy_turned

albumentations = pytest.importorskip("albumentations", reason="Albumentations is not installed")

from qturn import Orientation
from qturn.albumentations import RandomOrientation

HEIGHT, WIDTH = 30, 48
D4 = {"identity": "e", "rotate270": "r90", "rotate180": "r180", "rotate90": "r270", "flip": "v", "flop": "h",
      "transpose": "t", "transverse": "hvt"}


def always(orientation):
    return albumentations.Compose([RandomOrientation(1, orientations=[orientation])],
                                  bbox_params=albumentations.BboxParams("pascal_voc", label_fields=["labels"]),
                                  keypoint_params=albumentations.KeypointParams("xyas"))


def picture(height=HEIGHT, width=WIDTH):
    return numpy.random.default_rng(1).integers(0, 256, (height, width, 3), numpy.uint8)


@pytest.mark.parametrize("orientation", Orientation)
def test_all_that_belongs_together_turns_together(orientation):
    mask = numpy.zeros((HEIGHT, WIDTH), numpy.uint8)
    mask[6:17, 9:40] = 1
    turned = always(orientation)(image=picture(), mask=mask, bboxes=[(9, 6, 40, 17)], labels=["cat"], keypoints=[(3, 4, 0, 1)])
    numpy.testing.assert_array_equal(turned["image"], numpy_turned(picture(), orientation))
    numpy.testing.assert_array_equal(turned["mask"], numpy_turned(mask, orientation))
    rows, columns = numpy.nonzero(turned["mask"])
    wanted = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
    numpy.testing.assert_allclose(turned["bboxes"][0], wanted, atol=1e-4)
    x, y = (round(float(number)) for number in turned["keypoints"][0][:2])
    numpy.testing.assert_array_equal(turned["image"][y, x], picture()[4, 3])
    assert turned["labels"] == ["cat"]


@pytest.mark.parametrize("orientation", Orientation)
def test_an_angle_points_to_the_same_pixel(orientation):
    angle, reach = 33, 12  # degrees, pixels: from one keypoint to the other
    start = numpy.array([20.0, 10.0])
    end = start + reach * numpy.array([numpy.cos(numpy.radians(angle)), numpy.sin(numpy.radians(angle))])
    turned = always(orientation)(image=picture(), bboxes=[], labels=[], keypoints=[(*start, angle, 1), (*end, 0, 1)])["keypoints"]
    direction = numpy.subtract(turned[1][:2], turned[0][:2])
    wanted = numpy.degrees(numpy.arctan2(direction[1], direction[0])) % 360
    assert turned[0][2] == pytest.approx(wanted, abs=0.01)


@pytest.mark.parametrize("orientation", Orientation)
def test_on_squares_it_is_one_of_d4(orientation):
    square = picture(31, 31)
    numpy.testing.assert_array_equal(albumentations.D4().apply(square, D4[orientation.name]),
                                     RandomOrientation().apply(square, orientation))
    boxes = numpy.array([[0.1, 0.2, 0.5, 0.9, 7]])
    numpy.testing.assert_allclose(albumentations.D4().apply_to_bboxes(boxes, D4[orientation.name]),
                                  RandomOrientation().apply_to_bboxes(boxes, orientation))


@pytest.mark.parametrize("nothing", [[], numpy.zeros((0, 4))])
def test_no_boxes_and_no_keypoints(nothing):
    turned = always("cw")(image=picture(), bboxes=nothing, labels=[], keypoints=nothing)
    assert turned["image"].shape == (WIDTH, HEIGHT, 3)
    assert len(turned["bboxes"]) == len(turned["keypoints"]) == 0


def test_lists_of_masks_and_volumes():
    masks = [picture()[..., 0], picture()[..., 1]]
    turned = albumentations.Compose([RandomOrientation(1, orientations=["cw"])])(
        image=picture(), masks=masks, volume=numpy.stack([picture()] * 2), mask3d=numpy.stack(masks))
    for mask, whole in zip(turned["masks"], turned["mask3d"]):
        numpy.testing.assert_array_equal(mask, whole)
    numpy.testing.assert_array_equal(turned["masks"][1], numpy_turned(masks[1], Orientation.rotate90))
    numpy.testing.assert_array_equal(turned["volume"][1], numpy_turned(picture(), Orientation.rotate90))


def test_a_replay_from_json_does_the_same():
    compose = albumentations.ReplayCompose([RandomOrientation(1, orientations=["cw"])],
                                           keypoint_params=albumentations.KeypointParams("xy"))
    made = compose(image=picture(), keypoints=[(3, 4)])
    (transform,) = made["replay"]["transforms"]
    stored = json.loads(json.dumps(transform["params"]))
    again = albumentations.ReplayCompose.replay({**made["replay"], "transforms": [{**transform, "params": stored}]},
                                                image=picture(), keypoints=[(3, 4)])
    numpy.testing.assert_array_equal(made["image"], again["image"])
    numpy.testing.assert_array_equal(made["keypoints"], again["keypoints"])


def test_the_seed_of_compose_repeats():
    def made(seed):
        compose = albumentations.Compose([RandomOrientation(0.5)], seed=seed)
        return [compose(image=picture())["image"].tobytes() for _ in range(30)]

    assert made(4) == made(4) != made(5)


def test_it_can_be_stored_and_loaded():
    transform = RandomOrientation(0.7, orientations=["cw", Orientation.flop])
    loaded = albumentations.from_dict(albumentations.to_dict(transform))
    assert isinstance(loaded, RandomOrientation)
    assert (loaded.p, loaded.orientations) == (0.7, ["rotate90", "flop"])


@pytest.mark.parametrize("orientations,error", [([], ValueError), ("cw", TypeError), (Orientation.flop, TypeError)])
def test_orientations_that_are_not_a_list_with_some(orientations, error):
    with pytest.raises(error, match="orientations is "):
        RandomOrientation(orientations=orientations)
