#!/usr/bin/env python3
"""Compares turned coordinates with what GDAL and the readers of OME-TIFF find: coordinates_oracle.py QTURN

GeoTIFFs with a scale, a matrix, control points and rational polynomials, of areas and of points; PNGs with a world file and with notes of GDAL; OME-TIFFs.
After each turn, a painted pixel lies where it lay on the map; after the turn back, GDAL finds the same six numbers, or the next
doubles. Without rasterio, tifffile and ome-types the exit status is 4.
"""
import math
import pathlib
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy
    import ome_types
    import rasterio
    import rasterio.control
    import rasterio.rpc
    import rasterio.transform
    import tifffile
except ImportError as error:
    print(f"skipped: {error}; pip install rasterio tifffile ome-types")
    sys.exit(4)

warnings.simplefilter("ignore")
TURNS = {"flop": lambda a: a[:, ::-1], "rotate180": lambda a: a[::-1, ::-1], "flip": lambda a: a[::-1], "transpose": lambda a: a.T,
         "rotate90": lambda a: numpy.rot90(a, -1), "transverse": lambda a: a[::-1, ::-1].T, "rotate270": numpy.rot90}
BACK = {"rotate90": "rotate270", "rotate270": "rotate90"}
WIDTH, HEIGHT = 37, 23
PAINTED = (5, 11)  # row, column
GCPS = [rasterio.control.GroundControlPoint(row=r, col=c, x=10 + c / 7 + r / 9, y=50 - r / 5) for r, c in [(0, 0), (0.5, 36.5), (23, 3), (20, 37)]]
RPCS = rasterio.rpc.RPC(
    height_off=120, height_scale=500, lat_off=40, lat_scale=0.1, long_off=-100, long_scale=0.2, line_off=11, line_scale=12, samp_off=18,
    samp_scale=19, line_num_coeff=[0.01, 0.1, -1.1] + [0.001 * i for i in range(17)], line_den_coeff=[1] + [0.0002 * i for i in range(19)],
    samp_num_coeff=[-0.02, 1.05, 0.2] + [0.0015 * i for i in range(17)], samp_den_coeff=[1] + [0.0003 * i for i in range(19)],
    err_bias=None, err_rand=None)


def picture():
    pixels = numpy.zeros((HEIGHT, WIDTH), numpy.uint8)
    pixels[PAINTED] = 255
    return pixels


def write(path, area_or_point=None, **profile):
    with rasterio.open(path, "w", driver=profile.pop("driver", "GTiff"), width=WIDTH, height=HEIGHT, count=1, dtype="uint8", **profile) as file:
        if area_or_point:
            file.update_tags(AREA_OR_POINT=area_or_point)
        file.write(picture(), 1)


def turn(qturn, root, word, source, output):
    subprocess.run([qturn, word, source, "-o", output, "-q", "--strict"], cwd=root, check=True, stdin=subprocess.DEVNULL)


def painted(path):
    with rasterio.open(path) as file:
        rows, columns = numpy.nonzero(file.read(1))
        assert len(rows) == 1, path
        return rows[0], columns[0]


def place(path):
    row, column = painted(path)
    with rasterio.open(path) as file:
        return file.transform * (column + 0.5, row + 0.5)


def check_affine(qturn, root, name, word, compared):
    was, found = place(root / name), place(root / word / name)
    assert all(math.isclose(a, b, rel_tol=1e-15) for a, b in zip(was, found)), (name, word, was, found)
    turn(qturn, root, BACK.get(word, word), f"{word}/{name}", f"back-{word}/{name}")
    with rasterio.open(root / name) as before, rasterio.open(root / f"back-{word}" / name) as after:
        assert (before.read() == after.read()).all()
        assert before.tags().get("AREA_OR_POINT") == after.tags().get("AREA_OR_POINT")
        for a, b in zip(before.transform, after.transform):
            assert abs(a - b) <= math.ulp(a), (name, word, before.transform, after.transform)
    compared.append((name, word))


def turned_point(word, row, column):
    """Of raster coordinates, by the corners of the picture."""
    if word in ("flop", "rotate180"):
        column = WIDTH - column
    if word in ("flip", "rotate180"):
        row = HEIGHT - row
    return {"transpose": (column, row), "rotate90": (column, HEIGHT - row), "rotate270": (WIDTH - column, row),
            "transverse": (WIDTH - column, HEIGHT - row)}.get(word, (row, column))


def check_points(root, name, word, compared):
    with rasterio.open(root / name) as before, rasterio.open(root / word / name) as after:
        for was, found in zip(before.gcps[0], after.gcps[0], strict=True):
            wanted = turned_point(word, was.row, was.col)
            assert (found.row, found.col, found.x, found.y) == (*wanted, was.x, was.y), (name, word, was, found)
    compared.append((name, word))


def check_polynomials(root, name, word, compared):
    with rasterio.open(root / name) as before, rasterio.open(root / word / name) as after:
        for x, y, z in [(-100.05, 40.02, 100), (-99.9, 39.95, 300), (-100, 40, 0)]:
            def found_in(file):
                with rasterio.transform.RPCTransformer(file.rpcs) as rpcs:
                    rows, columns = rpcs.rowcol([x], [y], [z], op=float)
                    return rows[0], columns[0]
            wanted = turned_point(word, *found_in(before))
            assert numpy.allclose(found_in(after), wanted, rtol=0, atol=1e-9), (word, wanted, found_in(after))
    compared.append((name, word))


def check_ome(root, name, word, compared):
    before, after = root / name, root / word / name
    with tifffile.TiffFile(before) as was, tifffile.TiffFile(after) as found:
        assert found.is_ome and found.series[0].axes == was.series[0].axes, (word, found.series[0].axes)
        a, b = was.asarray(), found.asarray()
        planes = a.reshape(-1, *a.shape[-2:])
        wanted = numpy.stack([TURNS[word](plane) for plane in planes]).reshape(b.shape)
        assert (wanted == b).all(), word
        texts = was.ome_metadata, found.ome_metadata
    a, b = (ome_types.from_xml(text).images[0].pixels for text in texts)
    swaps = word in ("transpose", "rotate90", "transverse", "rotate270")
    across = (a.size_x, a.physical_size_x, a.physical_size_x_unit), (a.size_y, a.physical_size_y, a.physical_size_y_unit)
    found = (b.size_x, b.physical_size_x, b.physical_size_x_unit), (b.size_y, b.physical_size_y, b.physical_size_y_unit)
    assert found == (across[::-1] if swaps else across), (word, found)
    compared.append((name, word))


def main():
    qturn = str(pathlib.Path(sys.argv[1]).resolve())
    compared = []
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        north_up = rasterio.Affine(0.1, 0, 440720.123456789, 0, -1 / 3, 3751320.987654321)
        rotated = rasterio.Affine(8.1, -6.3, 500000.5, -6.2, -8.4, 4000000.25)
        affine = []
        for kind in ("Area", "Point"):
            for form, transform in (("scale", north_up), ("matrix", rotated)):
                affine.append(f"{form}-{kind}.tif")
                write(root / affine[-1], kind, transform=transform, crs="EPSG:32633")
            write(root / f"points-{kind}.tif", kind, gcps=GCPS, crs="EPSG:4326")
        write(root / "rpc.tif", rpcs=RPCS)
        affine.append("world.png")
        write(root / "world.png", driver="PNG", transform=rotated, WORLDFILE="YES")
        (root / "world.png.aux.xml").unlink(missing_ok=True)
        (root / "world.wld").rename(root / "world.pgw")
        affine.append("notes.png")
        write(root / "notes.png", driver="PNG", transform=rotated, crs="EPSG:32633")
        write(root / "notes-points.png", driver="PNG", gcps=GCPS, crs="EPSG:4326")
        assert all((root / f"{name}.png.aux.xml").exists() for name in ("notes", "notes-points"))
        metadata = {"axes": "CYX", "PhysicalSizeX": 0.65, "PhysicalSizeXUnit": "nm", "PhysicalSizeY": 1.3, "PhysicalSizeYUnit": "µm"}
        stack = numpy.arange(2 * HEIGHT * WIDTH, dtype=numpy.uint16).reshape(2, HEIGHT, WIDTH)
        tifffile.imwrite(root / "stack.ome.tif", stack, metadata=metadata, ome=True, photometric="minisblack")
        for word in TURNS:
            for path in sorted(root.glob("*.tif")) + sorted(root.glob("*.png")):
                turn(qturn, root, word, path.name, f"{word}/{path.name}")
            for name in affine:
                check_affine(qturn, root, name, word, compared)
            for name in ("points-Area.tif", "points-Point.tif", "notes-points.png"):
                check_points(root, name, word, compared)
            check_polynomials(root, "rpc.tif", word, compared)
            check_ome(root, "stack.ome.tif", word, compared)
    print(f"{len(compared)} turned files agree with GDAL {rasterio.__gdal_version__}, tifffile {tifffile.__version__} and ome-types")


if __name__ == "__main__":
    main()
