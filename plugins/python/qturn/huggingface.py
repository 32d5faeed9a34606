"""Data sets of Hugging Face in Parquet, turned with their boxes and masks: python -m qturn.huggingface IN OUT --variants all

Rows become rows. The schema, the features in its metadata and all other columns stay as they are; a row of several variants is
repeated, and its picture's path gets the name of the variant. What a row says about its picture is turned as a line of metadata.jsonl.
"""
from __future__ import annotations

import argparse
import collections
import concurrent.futures
import contextlib
import functools
import itertools
import json
import os
import pathlib
import re
import sys

from . import _qturn
from ._qturn import PictureError, orientation_of

__all__ = ["main"]

try:
    import pyarrow
    from pyarrow import parquet, types
except ImportError as error:
    raise ImportError(f"{error}; pip install 'qturn[huggingface]' brings it") from None

ROWS, BYTES = 16, 64 << 20  # that are read at once, and that are written at once: the memory that a run takes


def _is_file(type):
    """Whether a column of this type may hold pictures: {"bytes", "path"}, or bytes alone."""
    if types.is_struct(type):
        return {"bytes", "path"} <= {field.name for field in type}
    return types.is_binary(type) or types.is_large_binary(type)


def _is_list(type):
    return types.is_list(type) or types.is_large_list(type)


def _listed(value):
    return value if isinstance(value, list) else [value]


def _bytes_of(file):
    return file["bytes"] if isinstance(file, dict) else file


def _plain(value):
    if isinstance(value, bytes):
        raise PictureError("a column holds files within, which may be masks; --keep COLUMN copies it")
    return str(value)


def _classes_in(features):
    """The lists of names that numbers stand for."""
    if isinstance(features, dict) and features.get("_type") == "ClassLabel":
        yield features["names"]
    elif isinstance(features, (dict, list)):
        for each in features.values() if isinstance(features, dict) else features:
            yield from _classes_in(each)


class _Columns:
    """Which part each column of a schema has."""

    def __init__(self, schema, options):
        files = [field.name for field in schema if _is_file(field.type.value_type if _is_list(field.type) else field.type)]
        known = schema.names
        for name in [*filter(None, [options.picture]), *options.masks, *options.keep]:
            if name not in known:
                raise ValueError(f"has no column {name}, expected one of {', '.join(known)}")
        masks = options.masks or [name for name in files if "mask" in name.lower() and name not in options.keep]
        pictures = [name for name in files if name not in masks and name not in options.keep]
        self.picture = options.picture or ("image" if "image" in pictures else "".join(pictures[:1]))
        if not self.picture or not _is_file(schema.field(self.picture).type):
            raise ValueError(f"has no column with a picture in each row; its columns are {', '.join(known)}")
        self.masks = [name for name in masks if name != self.picture]
        for name in pictures:
            if name != self.picture:
                raise ValueError(f"column {name} holds files, too: --masks {name} turns them with the pictures, --keep {name} copies them")
        self.said = [name for name in schema.names if name not in (self.picture, *self.masks, *options.keep)]
        features = json.loads((schema.metadata or {}).get(b"huggingface", b"{}")).get("info", {}).get("features", {})
        lists = [each for name in self.said for each in _classes_in(features.get(name))]
        if options.swap_pairs and len(lists) > 1:
            raise ValueError(f"has {len(lists)} lists of classes; --keep leaves out a column")
        self.pairs = [tuple(str(self.number_of(name, lists[0])) for name in pair) if lists else pair for pair in options.swap_pairs]

    @staticmethod
    def number_of(name, names):
        if name not in names:
            raise ValueError(f"has no class {name}, expected one of {', '.join(names)}")
        return names.index(name)


def _boxes_in(value):
    """The boxes of a column, which holds them or objects that have some."""
    if isinstance(value, dict):
        for name in value.keys() & {"bbox", "bboxes"}:
            yield from _boxes_in(value[name])
    elif isinstance(value, list):
        if len(value) == 4 and all(isinstance(each, (int, float)) for each in value):
            yield value
        else:
            for each in value:
                yield from _boxes_in(each)


def _size_of(row, picture):
    if row.get("width") and row.get("height"):
        return row["width"], row["height"]
    return _qturn.turn(_bytes_of(row[picture]), "upright").size


def _may_be_corners(shards, options, pool):
    """Whether boxes may as well be x, y, x, y, as far as their numbers tell; and a row with a box that goes beyond its picture
    otherwise, with its file. Nothing in a data set of Hugging Face says which they are."""
    def rows(more):
        for at in shards:
            with parquet.ParquetFile(at) as file:
                columns = _Columns(file.schema_arrow, options)
                boxes = [name for name in columns.said if name in ("objects", "bbox", "bboxes")]
                if boxes:
                    sizes = [name for name in ("width", "height") if name in columns.said]
                    picture = [] if len(sizes) == 2 or not more else [columns.picture]
                    number = 0
                    for batch in file.iter_batches(ROWS, columns=boxes + sizes + picture):
                        for row in batch.to_pylist():
                            found = list(_boxes_in([row[name] for name in boxes]))
                            if found:
                                yield at, number, row, columns.picture, found
                            number += 1

    are_pixels = False
    for _, _, _, _, boxes in rows(False):
        if any(box[2] < box[0] or box[3] < box[1] for box in boxes):
            return False, None
        are_pixels = are_pixels or any(max(x + w, y + h) > 2 for x, y, w, h in boxes)
    if not are_pixels:
        return False, None

    def beyond(of):
        at, number, row, picture, boxes = of
        try:
            width, height = _size_of(row, picture)
        except (PictureError, TypeError):  # it has none, and the row fails
            return None
        return (at, number) if any(x + w > width or y + h > height for x, y, w, h in boxes) else None

    each = rows(True)
    while some := list(itertools.islice(each, ROWS)):
        for found in pool.map(beyond, some):
            if found:
                return True, found
    return True, None


class _Rows:
    """The rows of a file. Each becomes a row for each variant."""

    def __init__(self, options, columns, key):
        self.options, self.columns, self.key = options, columns, key

    def orientations(self, number):
        if self.options.random:
            return _qturn.random_variants(f"{self.key}/{number}", self.options.random, self.options.seed)
        return self.options.orientations

    def new_path(self, path, orientation):
        if not path or self.options.turn:
            return path
        stem, suffix = os.path.splitext(path)
        return f"{stem}__{orientation.name}{suffix}"

    def turned(self, number, row):
        """Of each variant: the columns that are not as before. And warnings."""
        columns, picture = self.columns, row[self.columns.picture]
        data, path = _bytes_of(picture) if picture else None, (picture["path"] if isinstance(picture, dict) else None) or "row"
        if data is None:
            raise PictureError(f"column {columns.picture} has no bytes")
        said = {"file_name": path} | {name: row[name] for name in columns.said}
        text, format = json.dumps(said, default=_plain), self.options.format
        files = []
        if any(said.get(name) is not None for name in ("width", "height", "objects", "bbox", "bboxes")):
            files = [("row.jsonl", format, text.encode())]
        else:  # no frame and no size matter, and what else may say where something is is refused
            _qturn.turn_labels(text, format, "rotate180", (1, 1))
        own = len(files)
        masks = [(name, at) for name in columns.masks for at, mask in enumerate(_listed(row[name])) if mask]
        files += [(f"{name}.{at}", "mask", _bytes_of(_listed(row[name])[at])) for name, at in masks]
        orientations = self.orientations(number)
        names = [os.path.basename(self.new_path(path, each)) for each in orientations]
        variants, warnings = [], []
        for orientation, (bytes, is_lossy, parts, of_this) in zip(orientations, _qturn.turn_row(
                (os.path.basename(path), data), files, orientations, names, jpeg="lossless", edges="reencode", png="fast",
                allow_storage_change=False, labels_drawn_on=self.options.labels_drawn_on, keypoints=None,
                swap_pairs=columns.pairs or None, limits=None)):
            changed = self.changed(text, parts[0].decode()) if own else {}
            changed[columns.picture] = self.file(picture, bytes, orientation)
            for (name, at), part in zip(masks, parts[own:]):
                turned = list(_listed(changed.get(name, row[name])))
                turned[at] = self.file(turned[at], part, orientation)
                changed[name] = turned if isinstance(row[name], list) else turned[0]
            variants.append(changed)
            warnings += of_this + ["pictures were re-encoded with loss"] * is_lossy
        return variants, warnings

    def file(self, before, bytes, orientation):
        return {**before, "bytes": bytes, "path": self.new_path(before["path"], orientation)} if isinstance(before, dict) else bytes

    def changed(self, before, after):
        before, after = json.loads(before), json.loads(after)
        return {name: after[name] for name in self.columns.said if after[name] != before[name]}

    def batch(self, batch, first, pool, warnings):
        rows = batch.to_pylist()
        values, of_rows = [], []

        def turned(at):
            try:
                return self.turned(first + at, rows[at])
            except PictureError as error:
                raise PictureError(f"row {first + at}: {re.sub('^(row.jsonl: ?)?([0-9]+:[0-9]+: )?', '', str(error))}") from None

        for at, (variants, said) in enumerate(pool.map(turned, range(len(rows)))):
            values += variants
            of_rows += [at] * len(variants)
            warnings.update(said)

        def column(field):
            if not any(field.name in each for each in values):
                return batch.column(field.name).take(pyarrow.array(of_rows, pyarrow.int64()))
            return pyarrow.array([each.get(field.name, rows[at][field.name]) for at, each in zip(of_rows, values)], field.type)

        return pyarrow.Table.from_arrays([column(field) for field in batch.schema], schema=batch.schema)


@contextlib.contextmanager
def _new_file(path):
    """A file that has its name when it is whole."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.rename(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _turn_shard(source, target, key, options, pool, warnings):
    with parquet.ParquetFile(source) as file:
        schema = file.schema_arrow
        rows = _Rows(options, _Columns(schema, options), key)
        groups = [file.metadata.row_group(number) for number in range(file.num_row_groups)]
        compression = {column.path_in_schema: column.compression.replace("UNCOMPRESSED", "NONE")
                       for group in groups[:1] for column in map(group.column, range(group.num_columns))}
        first = 0
        with _new_file(target) as output, parquet.ParquetWriter(output, schema, compression=compression or "snappy") as writer:
            for number in range(len(groups)):
                turned = []
                for batch in file.iter_batches(ROWS, row_groups=[number]):
                    turned.append(rows.batch(batch, first, pool, warnings))
                    first += batch.num_rows
                    if sum(table.nbytes for table in turned) >= BYTES:
                        writer.write_table(pyarrow.concat_tables(turned))
                        turned = []
                if turned:
                    writer.write_table(pyarrow.concat_tables(turned))
    return first


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m qturn.huggingface", description=__doc__.partition(":")[0])
    names = functools.partial(str.split, sep=",")
    parser.add_argument("input", type=pathlib.Path, metavar="IN", help="a folder with Parquet files, or one file")
    parser.add_argument("output", type=pathlib.Path, metavar="OUT", help="a new folder")
    how = parser.add_mutually_exclusive_group(required=True)
    how.add_argument("--turn", metavar="OPERATION", help="one row for each, turned by rotate90, flop, ...")
    how.add_argument("--variants", help="a row for each of all, rotations, or a list of orientations")
    how.add_argument("--random", type=int, metavar="N", help="N rows for each, chosen by the seed, the file's name and the row's number")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--picture", metavar="COLUMN", help="default: image, or the only column with pictures")
    parser.add_argument("--masks", type=names, default=[], metavar="COLUMNS", help="default: those with mask in their names")
    parser.add_argument("--keep", type=names, default=[], metavar="COLUMNS", help="columns that do not depend on the turn")
    parser.add_argument("--bbox", choices=["coco", "voc"], help="x, y, width, height, or x, y, x, y; default: the first, unless a box is none then")
    parser.add_argument("--swap-pairs", type=lambda text: [tuple(map(str.strip, pair.split(":"))) for pair in names(text)], default=[],
                        metavar="LEFT:RIGHT,...", help="classes that change places in a mirror")
    parser.add_argument("--labels-drawn-on", choices=["stored", "upright"], default="unknown",
                        help="on which pixels boxes and masks were drawn, of pictures with an orientation tag")
    options = parser.parse_args(arguments)
    if any(len(pair) != 2 for pair in options.swap_pairs):
        parser.error("--swap-pairs takes pairs such as left:right")
    options.format = "huggingface:voc" if options.bbox == "voc" else "huggingface"
    shards = sorted(options.input.rglob("*.parquet")) if options.input.is_dir() else [options.input]
    base = options.input if options.input.is_dir() else options.input.parent
    warnings, rows, at = collections.Counter(), 0, options.input
    try:
        options.orientations = [orientation_of(options.turn)] if options.turn else _qturn.variants_of(options.variants or "all")
        if not shards:
            raise ValueError("holds no Parquet files")
        options.output.mkdir(parents=True)
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            is_assumed, beyond = (False, None) if options.bbox else _may_be_corners(shards, options, pool)
            if beyond:
                at, number = beyond
                raise ValueError(f"row {number}: a box goes beyond the picture, so its numbers may not be x, y, width and height; "
                                 "--bbox voc reads x, y, x, y, --bbox coco x, y, width, height")
            for at in shards:
                name = at.relative_to(base)
                (options.output / name).parent.mkdir(parents=True, exist_ok=True)
                rows += _turn_shard(at, options.output / name, name.with_suffix("").as_posix(), options, pool, warnings)
    except (ValueError, PictureError, pyarrow.ArrowException, OSError) as error:
        print(f"qturn: {at}: {error}", file=sys.stderr)
        return 1
    if is_assumed:
        print("qturn: boxes were taken for x, y, width and height, but nothing tells; --bbox voc reads x, y, x, y", file=sys.stderr)
    for warning, count in warnings.most_common():
        print(f"qturn: {warning}" + (f" ({count} rows)" if count > 1 else ""), file=sys.stderr)
    print(f"{rows} rows of {len(shards)} files turned", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
