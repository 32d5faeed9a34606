"""Data sets with YOLO boxes as people train with them: for measure-augment and measure-tar. Needs Pillow."""
import random

from PIL import Image

QUALITY = 90
# PHOTOS/..., suffix, size, number of pictures, how Pillow saves them
SETS = {"JPEG, 500 x 375": ("jpeg", "jpg", (500, 375), 600, {"quality": QUALITY, "subsampling": 2}),
        "PNG, 512 x 512": ("png", "png", (512, 512), 150, {})}


def make_set(photos, folder, suffix, size, count, options):
    """Crops, half of them of pictures made half as large, with one to eight boxes each."""
    draw = random.Random(1)
    for name in ("images", "labels"):
        (folder / name).mkdir(parents=True)
    pictures = [Image.open(path).convert("RGB") for path in sorted(photos.iterdir())]
    pictures = [each for each in pictures if each.width >= 2 * size[0] and each.height >= 2 * size[1]]
    for number in range(count):
        picture, scale = draw.choice(pictures), draw.choice((1, 2))
        x, y = (draw.randrange(picture.width - scale * size[0] + 1), draw.randrange(picture.height - scale * size[1] + 1))
        crop = picture.crop((x, y, x + scale * size[0], y + scale * size[1])).resize(size)
        crop.save(folder / "images" / f"{number:06}.{suffix}", **options)
        lines = []
        for _ in range(draw.randint(1, 8)):
            w, h = draw.uniform(0.05, 0.5), draw.uniform(0.05, 0.5)
            cx, cy = draw.uniform(w / 2, 1 - w / 2), draw.uniform(h / 2, 1 - h / 2)
            lines.append(f"{draw.randrange(80)} {cx:.6f} {cy:.6f} {w:.6f} {h:.6f}\n")
        (folder / "labels" / f"{number:06}.txt").write_text("".join(lines))
