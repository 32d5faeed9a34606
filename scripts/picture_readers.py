"""Pictures as other programs read them, upright: for measure-formats. Needs ImageMagick and djxl."""
import pathlib
import re
import struct
import subprocess
import tempfile
import warnings

import numpy
import pillow_heif
import tifffile
from PIL import Image, ImageOps, ImageSequence, PngImagePlugin

# What a turn makes of rows and columns.
turned = {
    "identity": lambda a: a,
    "flop": lambda a: a[:, ::-1],
    "rotate180": lambda a: a[::-1, ::-1],
    "flip": lambda a: a[::-1],
    "transpose": lambda a: a.swapaxes(0, 1),
    "rotate90": lambda a: a[::-1].swapaxes(0, 1),
    "transverse": lambda a: a[::-1, ::-1].swapaxes(0, 1),
    "rotate270": lambda a: a[:, ::-1].swapaxes(0, 1),
}
Image.MAX_IMAGE_PIXELS = 200_000_000
PngImagePlugin.MAX_TEXT_CHUNK = 1 << 26
warnings.simplefilter("ignore")  # Pillow's, of damaged files
pillow_heif.register_heif_opener()


def of_tag(value):
    """The orientation that a tag says."""
    return list(turned)[(int(value) if value and 1 <= int(value) <= 8 else 1) - 1]


def without_xmp(image):
    for key in ("xmp", "XML:com.adobe.xmp", "Raw profile type xmp"):
        image.info.pop(key, None)  # whose orientation only Pillow obeys
    return image


def by_pillow(path):
    with Image.open(path) as image:
        if len(image.getbands()) > 1 and re.search(r"\w;16|65535", str(image.tile)):
            raise ValueError("Pillow reads 16 bits as 8")
        frames = []
        # Only the first picture counts: a HEIC's others are not turned, a JPEG's do not become another format.
        for frame in [image] if image.format in ("HEIF", "MPO") else ImageSequence.Iterator(image):
            frame = ImageOps.exif_transpose(without_xmp(frame))
            if frame.mode in ("P", "PA") or (image.format == "PNG" and "transparency" in frame.info):
                frame = frame.convert("RGBA")
            frames.append(numpy.asarray(frame).copy())
        return frames


def by_tifffile(path):
    with tifffile.TiffFile(path) as tiff:
        frames = []
        for page in tiff.pages:
            pixels = page.asarray()
            if pixels.ndim == 3 and page.planarconfig == 2:
                pixels = numpy.moveaxis(pixels, 0, 2)
            tag = page.tags.get(274)
            frames.append(turned[of_tag(tag and tag.value)](pixels))
        return frames


def by_imagemagick(path):
    done = subprocess.run(["convert", str(path), "-auto-orient", "-depth", "16", "-endian", "MSB", "pam:-"],
                          capture_output=True, timeout=60)
    if done.returncode:
        raise ValueError(done.stderr.decode(errors="replace"))
    frames, data = [], done.stdout
    while data:
        head, data = data.split(b"ENDHDR\n", 1)
        said = dict(re.findall(rb"(WIDTH|HEIGHT|DEPTH|MAXVAL) (\d+)", head))
        width, height, depth, most = (int(said[key]) for key in (b"WIDTH", b"HEIGHT", b"DEPTH", b"MAXVAL"))
        sample = numpy.dtype(">u2" if most > 255 else "u1")
        size = width * height * depth * sample.itemsize
        frames.append(numpy.frombuffer(data[:size], sample).reshape(height, width, depth))
        data = data[size:]
    return frames


def by_djxl(path):
    """Pillow's plugin has a newer library, which dithers, so that a turned picture differs by 1."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["djxl", str(path), f"{folder}/a.apng"], check=True, capture_output=True, timeout=60)
        with Image.open(f"{folder}/a.apng") as image:
            return [numpy.asarray(frame).copy() for frame in ImageSequence.Iterator(image)]


def nearest(values, largest, most):
    return (values.astype("u8") * (2 * most) + largest) // (2 * largest)


def masks_of_bmp(file):
    """Of the channels of a pixel of 16 or 32 bits, and its bytes, if not all have 8 bits or none."""
    header, bits = int.from_bytes(file[14:18], "little"), int.from_bytes(file[28:30], "little")
    method = int.from_bytes(file[30:34], "little") if header >= 40 else 0
    masks = [0x7C00, 0x3E0, 0x1F]
    if method in (3, 6):
        count = 4 if method == 6 or header >= 56 else 3
        masks = [mask for mask in struct.unpack_from(f"<{count}I", file, 54) if mask]
    if bits not in (16, 32) or (bits == 32 and method == 0) or all(mask.bit_count() == 8 for mask in masks):
        raise ValueError("others read it")
    return masks, bits // 8


def by_bits(path):
    """Each sample becomes the nearest of 8 bits, or of 16 if it has more than 8."""
    file = path.read_bytes()
    if file[:2] == b"BM":
        masks, pixel = masks_of_bmp(file)
        at, width, height = struct.unpack_from("<Iii", file, 10)[0], *struct.unpack_from("<ii", file, 18)
        rows = numpy.frombuffer(file, "u1", abs(height) * ((width * pixel + 3) // 4 * 4), at).reshape(abs(height), -1)
        words = numpy.ascontiguousarray(rows[:, :width * pixel]).view(f"<u{pixel}")[::1 if height < 0 else -1]
    elif path.suffix.lower() == ".tga":
        kind, pixel, descriptor = file[2], file[16], file[17]
        if kind not in (2, 10) or pixel not in (15, 16):
            raise ValueError("others read it")
        width, height = struct.unpack_from("<HH", file, 12)
        at, data = 18 + file[0], bytearray()
        if kind == 2:
            data = file[at:]
        while len(data) < 2 * width * height:  # packets
            run, count = file[at] >= 128, file[at] % 128 + 1
            data += file[at + 1:at + 3] * count if run else file[at + 1:at + 1 + 2 * count]
            at += 3 if run else 1 + 2 * count
        words = numpy.frombuffer(data, "<u2", width * height).reshape(height, width)
        words = words[::1 if descriptor & 32 else -1, ::-1 if descriptor & 16 else 1]
        masks = [0x7C00, 0x3E0, 0x1F] + ([0x8000] if descriptor & 15 else [])
    else:
        said = re.match(rb"P([567])\s(?:WIDTH )?(\d+)\s(?:HEIGHT )?(\d+)\s(?:DEPTH (\d+)\s)?(?:MAXVAL )?(\d+)\s"
                        rb"(?:TUPLTYPE \w+\nENDHDR\n)?", file)
        if not said or int(said[5]) in (255, 65535):
            raise ValueError("others read it")
        channels = {b"5": 1, b"6": 3, b"7": int(said[4] or 0)}[said[1]]
        width, height, largest = int(said[2]), int(said[3]), int(said[5])
        samples = numpy.frombuffer(file, "u1" if largest < 256 else ">u2", width * height * channels, said.end())
        most = 255 if largest < 256 else 65535
        return [nearest(samples, largest, most).astype("u1" if most == 255 else "u2").reshape(height, width, channels)]
    most = 255 if max(mask.bit_count() for mask in masks) <= 8 else 65535
    samples = [nearest((words & mask) // (mask & -mask), mask // (mask & -mask), most) for mask in masks]
    return [numpy.stack(samples, 2).astype("u1" if most == 255 else "u2")]


# The others read any.
of_suffix = {"djxl": (".jxl",), "tifffile": (".tif", ".tiff"), "this": (".bmp", ".tga", ".pam", ".pgm", ".ppm", ".pnm")}
decoders = {"djxl": by_djxl, "this": by_bits, "Pillow": by_pillow, "tifffile": by_tifffile, "ImageMagick": by_imagemagick}


def reads(name, path):
    """Whether it is to be asked at all; what is not in the table reads any file."""
    return path.suffix.lower() in of_suffix.get(name, (path.suffix.lower(),))


def decoded(path):
    """The frames, upright, and who read them."""
    for name, decode in decoders.items():
        if not reads(name, path):
            continue
        try:
            frames = decode(path)
            if frames:
                return name, frames
        except Exception:  # whatever a decoder does not read
            continue
    return None, []


def same(one, other):
    """Alike, or alike but for an alpha that is opaque everywhere, a grey in three channels, or wider samples."""
    if one.ndim == 2:
        one = one[:, :, None]
    if other.ndim == 2:
        other = other[:, :, None]
    if one.shape[:2] != other.shape[:2]:
        return False

    def plain(a):
        if a.dtype == bool:
            a = a.astype("u1") * 255
        if a.dtype.kind in "ui" and a.dtype.itemsize == 1:
            a = a.astype("u2") * 257
        if a.shape[2] in (1, 2):
            a = numpy.concatenate([a[:, :, :1]] * 3 + [a[:, :, 1:]], 2)
        if a.shape[2] == 3:
            a = numpy.concatenate([a, numpy.full_like(a[:, :, :1], 65535)], 2)
        return a
    equal_nan = one.dtype.kind == other.dtype.kind == "f"
    return (numpy.array_equal(one, other, equal_nan=equal_nan)
            or numpy.array_equal(plain(one), plain(other), equal_nan=equal_nan))
