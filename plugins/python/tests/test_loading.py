"""Boxes and orientations at random against torchvision's, and batches of three loaders against decode_batch()."""
import pathlib
import pickle

import numpy
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import qturn
from qturn.torch import BatchDecoder, CenterCrop, PackedFiles, RandomResizedCrop, collate

SAMPLES = pathlib.Path(__file__).parents[3] / "testdata" / "samples" / "camera roll"
FILES = sorted(SAMPLES.glob("*.jpg"))
DATA = [path.read_bytes() for path in FILES]
NORMALISED = {"mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225)}
SIZES = [(375, 500), (500, 375), (1, 1), (3, 1000), (1000, 3), (17, 16), (4032, 3024)]


def generator(seed=3):
    return torch.Generator().manual_seed(seed)


def resized(files, **arguments):
    return torch.from_numpy(qturn.decode_batch(files, layout="chw", **{"size": (8, 12), **arguments}))


@pytest.mark.parametrize("arguments", [{}, {"scale": (0.5, 0.9), "ratio": (1.0, 1.0)}, {"scale": (2.0, 3.0), "ratio": (0.9, 1.1)}])
def test_the_same_numbers_make_the_boxes_of_torchvision(arguments, monkeypatch):
    v2 = pytest.importorskip("torchvision.transforms.v2", reason="torchvision is not installed")
    theirs, ours = v2.RandomResizedCrop(8, **arguments), RandomResizedCrop(**arguments)
    sizes = SIZES * 25
    numbers = torch.rand(len(sizes), ours.draws, generator=generator(), dtype=torch.float64)
    wanted = []
    for size, row in zip(sizes, numbers):
        tried, places = zip(row[:10].tolist(), row[10:20].tolist()), iter(row[20:].tolist())
        left = iter([each for pair in tried for each in pair])
        monkeypatch.setattr(torch.Tensor, "uniform_", lambda self, low, high: torch.tensor(
            float(low) + (float(high) - float(low)) * next(left), dtype=torch.float64))
        monkeypatch.setattr(torch, "randint", lambda low, high, size: torch.tensor(int(next(places) * (high - low)) + low))
        box = theirs.make_params([torch.empty(3, *size)])
        wanted.append([box["left"], box["top"], box["left"] + box["width"], box["top"] + box["height"]])
    assert ours.boxes(sizes, numbers).tolist() == wanted
    monkeypatch.undo()
    torch.manual_seed(3)
    assert torch.equal(ours(sizes), ours.boxes(sizes, numbers)) and torch.equal(ours(sizes, generator()), ours.boxes(sizes, numbers))
    assert ours([(0, 0), (7, 7)])[0].tolist() == [0, 0, 0, 0] and not len(ours([]))


def test_the_box_in_the_middle_is_that_of_torchvision():
    v2 = pytest.importorskip("torchvision.transforms.v2", reason="torchvision is not installed")
    functional = pytest.importorskip("torchvision.transforms.functional", reason="torchvision is not installed")
    for size in (11, (12, 7), (13, 13)):
        for height, width in ((13, 13), (40, 30), (31, 44), (14, 1000)):
            places = torch.arange(height * width).reshape(1, height, width)
            wanted = v2.CenterCrop(size)(places)[0]
            left, top, right, bottom = map(int, CenterCrop(size).box(height, width))
            assert torch.equal(places[0, top:bottom, left:right].squeeze(), wanted.squeeze())
            # Resized first: the same part of the picture, but for what a float of 32 bits rounds.
            box = CenterCrop(size, resized=50).box(height, width)
            h, w = functional.resize(torch.empty(1, height, width), 50).shape[1:]
            part = v2.CenterCrop(size)(torch.arange(h * w).reshape(1, h, w))[0]
            first, last = part.min().item(), part.max().item() + 1
            corners = first % w * width / w, first // w * height / h, ((last - 1) % w + 1) * width / w, ((last - 1) // w + 1) * height / h
            assert numpy.allclose(box, corners, rtol=1e-12)
    with pytest.raises(ValueError, match="a crop of 9 x 8 is larger than a picture of 12 x 7; resized="):
        CenterCrop((8, 9))([(7, 12)])
    with pytest.raises(ValueError, match="larger than a picture of 30 x 20, resized to 12 x 8"):
        CenterCrop(9, resized=8)([(20, 30)])


def test_validation_is_within_a_level_of_torchvision():
    v2 = pytest.importorskip("torchvision.transforms.v2", reason="torchvision is not installed")
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    ops = pytest.importorskip("PIL.ImageOps", reason="Pillow is not installed")
    pillow = int(image.__version__.split(".")[0])
    got = BatchDecoder(64, crop=CenterCrop(64, resized=72), scale=1.0, pillow=pillow)((FILES,))[0]
    prepared = v2.Compose([v2.Resize(72), v2.CenterCrop(64), v2.PILToTensor()])
    wanted = torch.stack([prepared(ops.exif_transpose(image.open(path)).convert("RGB")) for path in FILES]).float()
    differences = (got - wanted).abs()
    assert differences.max() <= 1 and (differences > 0).float().mean() < 0.005


def test_what_is_drawn_goes_into_the_batch():
    decoder = BatchDecoder((8, 12), crop=RandomResizedCrop(), p=0.5, orientations=["flop", "cw"], generator=generator(9), **NORMALISED)
    (batch,) = decoder((DATA,))
    numbers = torch.rand(len(DATA), 24, generator=generator(9), dtype=torch.float64)
    turns = [["flop", "cw"][int(2 * which)] if turned < 0.5 else 1 for turned, which, *_ in numbers.tolist()]
    assert {*turns} == {"flop", "cw", 1}
    sizes = [qturn.decode(path).shape[:2] for path in FILES]
    assert torch.equal(batch, resized(FILES, orientations=turns, crop=RandomResizedCrop().boxes(sizes, numbers[:, 2:]), **NORMALISED))
    assert not torch.equal(batch, decoder((DATA,))[0])  # the generator goes on
    whole = BatchDecoder((8, 12), p=1, orientations=["flip"], dtype="float16", channels="bgr")((FILES,))[0]
    assert torch.equal(whole, resized(FILES, orientations="flip", dtype="float16", channels="bgr"))
    assert BatchDecoder(5, dtype=torch.bfloat16, channels=(1,))((FILES,))[0].shape == (len(FILES), 1, 5, 5)


@pytest.mark.parametrize("seed", [0, 7])
def test_with_a_seed_the_batch_and_the_order_do_not_count(seed):
    decoder = BatchDecoder((8, 12), crop=RandomResizedCrop(), p=0.5, seed=seed)
    together = decoder((DATA,))[0]
    assert torch.equal(decoder((DATA,))[0], together)
    packed, _ = collate([(file, 0) for file in DATA])
    sent = pickle.loads(pickle.dumps(decoder))
    for files in (DATA, packed, [numpy.frombuffer(file, "u1") for file in DATA]):
        assert torch.equal(sent((files,))[0], together)
    assert torch.equal(decoder((DATA[::-1],))[0], together.flip(0))
    assert torch.equal(decoder((FILES[2:],))[0], decoder((FILES,))[0][2:])
    other = BatchDecoder((8, 12), crop=RandomResizedCrop(), p=0.5, seed=seed + 1)((DATA,))[0]
    assert all(not torch.equal(one, another) for one, another in zip(together, other))
    assert len({tuple(one.flatten().tolist()) for one in decoder(([DATA[0] + bytes([i]) for i in range(9)],))[0]}) > 5


def test_processes_that_would_draw_the_same_are_refused():
    for arguments in ({"crop": RandomResizedCrop()}, {"p": 0.5}, {"p": 0.5, "generator": generator()}):
        with pytest.raises(TypeError, match="only with seed="):
            pickle.dumps(BatchDecoder(8, **arguments))
    pickle.dumps(BatchDecoder(8, crop=CenterCrop(8)))


class Files(torch.utils.data.Dataset):
    def __init__(self, read):
        self.read = read

    def __len__(self):
        return len(FILES)

    def __getitem__(self, index):
        return self.read(FILES[index]), index, {"name": FILES[index].name}


@pytest.mark.parametrize("read", [pathlib.Path.read_bytes, pathlib.Path, str])
@pytest.mark.parametrize("workers", [0, 2])
def test_the_workers_of_a_loader_only_read(read, workers, device):
    loader = torch.utils.data.DataLoader(Files(read), 3, num_workers=workers, collate_fn=collate, timeout=60 if workers else 0)
    wanted = resized(FILES)
    seen = 0
    for images, index, names in map(BatchDecoder((8, 12), device=device), loader):
        assert images.device.type == device and torch.equal(images.cpu(), wanted[index]) and names["name"] == [FILES[i].name for i in index]
        seen += len(images)
    assert seen == len(FILES)


@pytest.mark.parametrize("ahead", [1, 3])
@pytest.mark.parametrize("seed", [None, 5])
def test_batches_ahead_are_those_of_map(ahead, seed, device):
    loader = torch.utils.data.DataLoader(Files(pathlib.Path), 1, collate_fn=collate)

    def decoder(**more):
        return BatchDecoder((8, 12), crop=RandomResizedCrop(), p=0.5, seed=seed, generator=None if seed else generator(), **more)

    wanted = list(map(decoder(), loader))
    for got, (images, index, names) in zip(decoder(device=device).batches(loader, ahead), wanted, strict=True):
        assert got[0].device.type == device and torch.equal(got[0].cpu(), images) and got[1] == index and got[2] == names
    rows = [{"jpg": numpy.array([file], object)} for file in (*DATA[:2], b"no picture", DATA[2])]
    got = list(decoder(errors="none", device=device).batches(rows, ahead))
    assert [row["mask"].tolist() for row in got] == [[True], [True], [False], [True]]
    assert numpy.array_equal(got[1]["jpg"], wanted[1][0].numpy()) or seed  # its key is the bytes, not the path
    begun = []
    seen = decoder(device=device).batches((begun.append(row) or row for row in rows), ahead)
    next(seen), next(seen)
    with pytest.raises(qturn.PictureError, match="picture 0: "):
        next(seen)
    assert len(begun) == min(3 + ahead, len(rows)) and list(seen) == []
    assert list(decoder(device=device).batches([])) == []


def test_files_are_packed():
    packed, targets = collate([(b"ab", 1), (bytearray(b""), 2), (b"cde", 3)])
    assert isinstance(packed, PackedFiles) and bytes(packed.data.numpy()) == b"abcde" and packed.offsets == [0, 2, 2, 5]
    assert targets.tolist() == [1, 2, 3]
    assert collate([(b"", 1)])[0].offsets == [0, 0]
    with pytest.raises(qturn.PictureError, match="picture 1: the file is empty"):
        BatchDecoder(8)(collate([(DATA[0], 0), (b"", 0)]))


def test_what_is_damaged_is_told_by_a_mask(device):
    decoder = BatchDecoder((8, 12), crop=RandomResizedCrop(), p=0.5, errors="none", generator=generator(), device=device)
    batch, targets, mask = decoder(collate([(DATA[0], 4), (b"no picture", 5), (DATA[1][:9000], 6), (DATA[1], 7)]))
    assert mask.tolist() == [True, False, False, True] and targets.tolist() == [4, 5, 6, 7]
    assert not batch[1:3].any() and batch[0].any() and batch[3].any()
    with pytest.raises(qturn.PictureError, match="picture 1: "):
        BatchDecoder(8)(([DATA[0], b"no picture"],))


def test_samples_of_webdataset(tmp_path, device):
    wds = pytest.importorskip("webdataset", reason="webdataset is not installed")
    tar = tmp_path / "a.tar"
    with wds.TarWriter(str(tar)) as writer:
        for i, file in enumerate(DATA):
            writer.write({"__key__": f"{i:03}", "jpg": file, "cls": i})
    samples = wds.WebDataset(str(tar), shardshuffle=False, nodesplitter=None).decode()  # without a name it leaves pictures as they are
    wanted = resized(FILES)
    decoder = BatchDecoder((8, 12), device=device)
    rows = [row for row in map(decoder, samples.batched(3, collation_fn=collate))]
    assert torch.equal(torch.cat([row["jpg"] for row in rows]).cpu(), wanted)
    assert torch.cat([row["cls"] for row in rows]).tolist() == [*range(len(DATA))] and rows[0]["__key__"] == ["000", "001", "002"]
    pairs = samples.to_tuple("jpg", "cls").batched(3, collation_fn=collate)
    loader = wds.WebLoader(pairs, batch_size=None, num_workers=1, timeout=60)
    for images, targets in map(decoder, loader):
        assert torch.equal(images.cpu(), wanted[targets])


def test_rows_of_ray(device):
    rows = {"bytes": numpy.array(DATA, object), "label": numpy.arange(len(DATA))}
    batch = BatchDecoder((8, 12), p=0.5, seed=1, errors="none", device=device)(rows)
    assert {type(column) for column in batch.values()} == {numpy.ndarray} and batch["mask"].all()
    assert torch.equal(torch.from_numpy(batch["bytes"]), BatchDecoder((8, 12), p=0.5, seed=1)((DATA,))[0])
    assert rows["bytes"][0] == DATA[0] and batch["label"] is rows["label"]
    named = BatchDecoder((8, 12), picture="x", device=device)({"x": FILES, "jpg": 1})
    assert torch.equal(named["x"].cpu(), resized(FILES)) and named["jpg"] == 1
    for columns in ({"x": FILES}, {"jpg": FILES, "png": FILES}):
        with pytest.raises(ValueError, match="are pictures by their names, expected one of .*picture= says"):
            BatchDecoder(8)(columns)


def test_arguments_that_are_wrong():
    for call, message in [(lambda: RandomResizedCrop(scale=(0, 1)), "scale is .*expected"), (lambda: BatchDecoder(8, p=2), "p is 2"),
                          (lambda: RandomResizedCrop(ratio=(2, 1)), "ratio is .*expected"),
                          (lambda: BatchDecoder(8, seed=1, generator=generator()), "a generator or a seed, not both"),
                          (lambda: BatchDecoder(8, resample="lanczos")((DATA,)), "resample is 'lanczos'")]:
        with pytest.raises(ValueError, match=message):
            call()
