"""The transform for torchvision: tensors, boxes, masks and keypoints that go together."""
import numpy
import pytest
from turned import turned as numpy_turned

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip("torchvision", reason="torchvision is not installed")

import PIL.Image
from torchvision import tv_tensors
from torchvision.transforms import v2

import qturn
from qturn import Orientation
from qturn.torchvision import RandomOrientation

HEIGHT, WIDTH = 5, 8


def always(orientation):
    return RandomOrientation(1, orientations=[orientation])


def picture():
    return torch.arange(3 * HEIGHT * WIDTH, dtype=torch.uint8).reshape(3, HEIGHT, WIDTH)


def planes_turned(planes, orientation):
    return torch.tensor(numpy_turned(planes.numpy(), orientation, "chw").copy())


@pytest.mark.parametrize("orientation", Orientation)
def test_images_videos_and_masks(orientation):
    sample = {"image": tv_tensors.Image(picture()), "mask": tv_tensors.Mask(picture()[0] > 20), "label": 3,
              "video": tv_tensors.Video(torch.stack([picture(), picture() + 1]))}
    turned = always(orientation)(sample)
    assert turned["label"] == 3
    for name in ("image", "mask", "video"):
        assert type(turned[name]) is type(sample[name])
        assert turned[name].is_contiguous()
        assert torch.equal(turned[name].as_subclass(torch.Tensor), planes_turned(sample[name].as_subclass(torch.Tensor), orientation))


@pytest.mark.parametrize("orientation", Orientation)
def test_pillow_pictures_and_plain_tensors(orientation):
    pixels = numpy.arange(3 * HEIGHT * WIDTH, dtype=numpy.uint8).reshape(HEIGHT, WIDTH, 3)
    turned = always(orientation)(PIL.Image.fromarray(pixels))
    numpy.testing.assert_array_equal(numpy.asarray(turned), numpy_turned(pixels, orientation))
    assert torch.equal(always(orientation)(picture()), planes_turned(picture(), orientation))


@pytest.mark.parametrize("format", ["XYXY", "XYWH", "CXCYWH"])
@pytest.mark.parametrize("orientation", Orientation)
def test_boxes_lie_around_the_same_pixels(orientation, format):
    mask = torch.zeros(HEIGHT, WIDTH, dtype=torch.bool)
    mask[1:3, 2:7] = True
    boxes = tv_tensors.BoundingBoxes([[2.0, 1.0, 7.0, 3.0]], format="XYXY", canvas_size=(HEIGHT, WIDTH))
    boxes = v2.ConvertBoundingBoxFormat(format)(boxes)
    turned = always(orientation)({"boxes": boxes, "mask": tv_tensors.Mask(mask)})
    assert turned["boxes"].canvas_size == tuple(turned["mask"].shape)
    rows, columns = torch.nonzero(turned["mask"].as_subclass(torch.Tensor), as_tuple=True)
    wanted = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
    assert v2.ConvertBoundingBoxFormat("XYXY")(turned["boxes"]).tolist() == [[float(edge) for edge in wanted]]


@pytest.mark.parametrize("orientation", Orientation)
def test_keypoints_lie_on_the_same_pixels(orientation):
    key_points = getattr(tv_tensors, "KeyPoints", None) or pytest.skip("this torchvision has no keypoints")
    points = key_points([[2, 1], [7, 4]], canvas_size=(HEIGHT, WIDTH))
    turned = always(orientation)({"image": tv_tensors.Image(picture()), "points": points})
    for (x, y), (new_x, new_y) in zip(points.tolist(), turned["points"].tolist()):
        assert torch.equal(turned["image"][:, new_y, new_x], picture()[:, y, x])
    assert turned["points"].canvas_size == tuple(turned["image"].shape[-2:])


def test_boxes_alone_become_a_plain_tensor():
    boxes = tv_tensors.BoundingBoxes([[2, 1, 7, 3]], format="XYXY", canvas_size=(HEIGHT, WIDTH))
    turned = qturn.turn_boxes(boxes, "cw", (WIDTH, HEIGHT), "xyxy")
    assert type(turned) is torch.Tensor and turned.tolist() == [[2, 2, 4, 7]]
    assert type(boxes) is tv_tensors.BoundingBoxes and boxes.tolist() == [[2, 1, 7, 3]]


def test_no_masks_and_crops():
    masks = tv_tensors.Mask(torch.zeros(0, HEIGHT, WIDTH, dtype=torch.uint8))
    assert always("cw")(masks).shape == (0, WIDTH, HEIGHT)
    crop = tv_tensors.Image(picture()[:, 1:4, ::2])
    assert torch.equal(always("cw")(crop).as_subclass(torch.Tensor), planes_turned(crop.as_subclass(torch.Tensor), Orientation.rotate90))


def test_mirrors_are_those_of_torchvision():
    sample = {"image": tv_tensors.Image(picture()),
              "boxes": tv_tensors.BoundingBoxes([[2, 1, 7, 3]], format="XYXY", canvas_size=(HEIGHT, WIDTH))}
    ours, theirs = always("flop")(sample), v2.RandomHorizontalFlip(1)(sample)
    assert all(torch.equal(ours[name], theirs[name]) for name in sample)


def test_a_seed_repeats_and_p_is_a_probability():
    draws = [RandomOrientation(0.5, seed=seed) for seed in (7, 7, 8)]
    made = [[each.make_params([])["orientation"] for _ in range(4000)] for each in draws]
    assert made[0] == made[1] != made[2]
    assert 1800 < sum(each == Orientation.identity for each in made[0]) < 2200
    for orientation in list(Orientation)[1:]:
        assert 200 < made[0].count(orientation) < 380
    torch.manual_seed(1)
    first = [RandomOrientation().make_params([]) for _ in range(20)]
    torch.manual_seed(1)
    assert first == [RandomOrientation().make_params([]) for _ in range(20)]


class Drawn(torch.utils.data.Dataset):
    def __init__(self, seed):
        self.transform = RandomOrientation(1, seed=seed)

    def __len__(self):
        return 32

    def __getitem__(self, index):
        return int(self.transform.make_params([])["orientation"])


def test_the_workers_of_a_loader_draw_different_numbers():
    def epochs(seed):
        torch.manual_seed(3)
        loader = torch.utils.data.DataLoader(Drawn(seed), batch_size=16, num_workers=2)
        return [[batch.tolist() for batch in loader] for _ in range(2)]

    made = epochs(5)
    assert made == epochs(5) != epochs(6)
    assert made[0][0] != made[0][1] and made[0] != made[1]


def test_what_is_refused():
    with pytest.raises(ValueError, match="p is 2, expected a probability"):
        RandomOrientation(2)
    with pytest.raises(ValueError, match='orientation is "left"'):
        RandomOrientation(orientations=["left"])
    with pytest.raises(ValueError, match="orientations is empty, expected one or more"):
        RandomOrientation(orientations=[])
    with pytest.raises(TypeError, match=r"orientations is 'cw', expected a list: \['cw'\]"):
        RandomOrientation(orientations="cw")
    assert RandomOrientation().orientations == list(Orientation)[1:]
    boxes = tv_tensors.BoundingBoxes([[2.0, 1.0, 7.0, 3.0, 30.0]], format="XYWHR", canvas_size=(HEIGHT, WIDTH))
    with pytest.raises(ValueError, match="boxes in the format XYWHR are not turned, only XYXY"):
        always("cw")(boxes)
