"""decode_batch() and what is built on it on a GPU: the pixels equal the CPU's, bit for bit."""
import concurrent.futures

import numpy
import pytest

import qturn
from test_decode import DEEP, FILES, GREY, PNM, ROCKET, damaged, drawn_box, drawn_size, made_by_pillow
from turned import ORIENTATIONS, same

NORMALISED = {"mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225)}


def test_a_gpu_makes_the_same_pixels(cuda):
    files = [path.read_bytes() for path in FILES] * 5 + [GREY, DEEP, PNM]
    each = [ORIENTATIONS[i % 8] for i in range(len(files))]
    for orientations in ("upright", each):
        got = qturn.decode_batch(files, orientations, device="cuda")
        assert all(same(one.cpu().numpy(), wanted) for one, wanted in zip(got, qturn.decode_batch(files, orientations)))
    tensor = qturn.decode(FILES[0], device="cuda")
    assert tensor.is_cuda and same(tensor.cpu().numpy(), qturn.decode(FILES[0]))


def test_a_gpu_makes_the_same_planes(cuda):
    files = [ROCKET.read_bytes(), damaged(ROCKET), qturn.turn(ROCKET.read_bytes(), format="png").bytes] * 30
    arguments = {"orientations": "rotate180", "layout": "chw", "dtype": "float16", "mean": 0.4, "std": 0.2, "errors": "none"}
    wanted, mask = qturn.decode_batch(files, **arguments)
    stream = cuda.cuda.Stream()
    with cuda.cuda.stream(stream):
        got, same_mask = qturn.decode_batch(files, device="cuda", **arguments)
        out = cuda.full_like(got, 7)
        assert qturn.decode_batch(files, device="cuda", out=out, **arguments)[0] is out
    stream.synchronize()
    assert mask == same_mask == [True, False, True] * 30
    assert same(got.cpu().numpy(), wanted) and same(out.cpu().numpy(), wanted)


def test_a_gpu_decodes_for_many_threads_within_its_memory(cuda):
    files = [path.read_bytes() for path in FILES] * 3
    wanted = qturn.decode_batch(files)

    def decode(i):
        return qturn.decode_batch(files, device="cuda", device_bytes=64 << 20 if i % 2 else None)

    with concurrent.futures.ThreadPoolExecutor(6) as threads:
        for got in threads.map(decode, range(12)):
            assert all(same(one.cpu().numpy(), each) for one, each in zip(got, wanted))


def test_damage_is_damage_on_a_gpu_too(cuda):
    data = ROCKET.read_bytes()
    chance = numpy.random.default_rng(5)
    files = []
    for _ in range(300):
        file = bytearray(data[:chance.integers(len(data) // 2, len(data))] if chance.random() < 0.3 else data)
        for _ in range(chance.integers(0, 4)):
            file[chance.integers(2, len(file))] = chance.integers(256)
        files.append(bytes(file))
    got, wanted = (qturn.decode_batch(files, device=device, errors="none") for device in ("cuda", "cpu"))
    assert [one is None for one in got] == [one is None for one in wanted]
    assert all(same(one.cpu().numpy(), each) for one, each in zip(got, wanted) if each is not None)


def with_damage(file, chance):
    file = bytearray(file[:chance.integers(len(file) // 2, len(file))])
    file[chance.integers(2, len(file))] ^= 1 << chance.integers(8)
    return bytes(file)


@pytest.mark.parametrize("pillow", [12, 13])
@pytest.mark.parametrize("resample", ["nearest", "bilinear", "bicubic"])
@pytest.mark.parametrize("arguments", [{"dtype": "float16", **NORMALISED}, {"dtype": "bfloat16", "mean": 0.4, "std": 0.2, "channels": "bgr"},
                                       {"dtype": "float32", "scale": 1.0, "channels": (1,)}, {"dtype": "uint8", "mean": -20.0, "std": 0.9}])
def test_a_gpu_crops_resizes_turns_and_normalises_as_the_cpu_does(cuda, arguments, resample, pillow):
    chance = numpy.random.default_rng(len(resample) * pillow)
    samples = [path.read_bytes() for path in FILES]
    large = [qturn.turn(file, "upright").bytes for file in samples if file[:2] == b"\xff\xd8"] * 12  # parts of a batch
    for i in range(12):
        files = [*samples, GREY, DEEP, PNM, b"", b"no picture", *(made_by_pillow(chance) for _ in range(40)), *(large if i % 4 == 0 else ())]
        files = [with_damage(file, chance) if len(file) > 99 and chance.random() < 0.1 else file for file in files]
        size = (224, 224) if i % 4 == 0 else drawn_size(chance)
        each = [ORIENTATIONS[k] for k in chance.integers(0, 8, len(files))]
        boxes = []
        asked = {"layout": "chw", "size": size, "resample": resample, "pillow": pillow, "errors": "none", **arguments}
        shape = (len(files), len(arguments.get("channels", "rgb")), *size)
        out = numpy.full(shape, 7, "f4") if arguments["dtype"] == "float32" else cuda.full(shape, 7, dtype=getattr(cuda, arguments["dtype"]))

        def drawn(sizes):
            boxes.extend(drawn_box(*size, chance) if all(size) else (0, 0, 0, 0) for size in sizes)
            return boxes

        wanted, mask = qturn.decode_batch(files, each, crop=drawn, out=out, **asked)
        got, same_mask = qturn.decode_batch(files, each, device="cuda", crop=boxes, **asked)
        assert mask == same_mask and 0 < sum(mask) < len(mask)
        wanted, got = cuda.as_tensor(wanted), got.cpu()
        for k, at in enumerate(mask):
            assert cuda.equal(wanted[k].view(cuda.uint8), got[k].view(cuda.uint8)), (k, at, boxes[k], size, each[k])


def test_crops_of_many_threads_and_streams_and_of_paths(cuda):
    paths = [path for path in FILES for _ in range(20)]
    arguments = {"layout": "chw", "size": (40, 56), "dtype": "float16", "orientations": "cw", **NORMALISED}
    wanted = qturn.decode_batch(paths, **arguments)
    stream = cuda.cuda.Stream()

    def decode(i):
        if i % 3 == 0:
            return qturn.decode_batch(paths, device="cuda", device_bytes=64 << 20, **arguments).cpu().numpy()
        with cuda.cuda.stream(stream if i % 3 == 1 else cuda.cuda.Stream()):
            out = cuda.full(wanted.shape, 7, dtype=cuda.float16, device="cuda")
            assert qturn.decode_batch(paths, device="cuda:0", out=out, **arguments) is out
            return out.cpu().numpy()

    with concurrent.futures.ThreadPoolExecutor(6) as threads:
        for got in threads.map(decode, range(18)):
            assert same(got, wanted)


def test_what_cannot_be_cropped_is_refused_on_a_gpu_too(cuda):
    for arguments, why in [({"crop": []}, "0 boxes for 1 pictures"), ({"crop": [(0, 0, 3, 2.5)]}, r"the crop of picture 0 is 0 0 3 2.5"),
                           ({"crop": [(2, 0, 1, 2)]}, "the crop of picture 0"), ({"resample": "lanczos"}, "resample is 'lanczos'")]:
        with pytest.raises(ValueError, match=why):
            qturn.decode_batch([PNM], device="cuda", **{"layout": "chw", "size": 5, **arguments})


def test_each_device_and_the_current_one(cuda):
    if cuda.cuda.device_count() < 2:
        pytest.skip("fewer than two GPUs")
    from qturn.torch import BatchDecoder
    paths = FILES * 3
    wanted = qturn.decode_batch(paths, layout="chw", size=50)
    decoder = BatchDecoder(50, device="cuda")
    for number in (1, 0):
        got = qturn.decode_batch(paths, device=f"cuda:{number}", layout="chw", size=50)
        assert got.device.index == number and same(got.cpu().numpy(), wanted)
        with cuda.cuda.device(number):  # as a process of torchrun sets it from LOCAL_RANK
            results = [decoder((paths,)), *decoder.batches([(paths,)] * 5)]
            assert qturn.decode_batch(paths, device="cuda", layout="chw", size=50).device.index == number
        assert len(results) == 6
        for (got,) in results:
            assert got.device.index == number and same(got.cpu().numpy(), wanted)
    both = [decoder, BatchDecoder(50, device="cuda:1")] * 4
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        for (got,) in threads.map(lambda one: one((paths,)), both):
            assert same(got.cpu().numpy(), wanted)
