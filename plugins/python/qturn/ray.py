"""`qturn augment` for Ray Data: rows in, rows out, and no files in between. docs/cluster/ray.md is the page to read."""
from __future__ import annotations

import json
import logging
import os
from numbers import Number
from typing import TYPE_CHECKING, Any, Iterable

from . import _qturn, transform
from ._qturn import Orientation, PictureError, orientation_of

if TYPE_CHECKING:
    from ray.data import Dataset

__all__ = ["augment"]

LABELS = {"yolo": ".txt", "voc": ".xml", "labelme": ".json"}


def augment(dataset: Dataset, variants: str | Iterable[Orientation | str | int] = "all", *, random: int | None = None, seed: int = 0,
            group: str | None = None, labels: str = "auto", masks: str | Iterable[str] = "auto", labels_drawn_on: str = "unknown", keypoints: str | None = None,
            swap_pairs: Iterable[tuple[int | str, int | str]] | None = None, picture: str | None = None, base: str = "", jpeg: str = "lossless",
            edges: str = "reencode", png: str = "fast", allow_storage_change: bool = False, limits: dict[str, int | None] | None = None,
            on_error: str = "raise", num_gpus: float | None = None, **ray_options: Any) -> Dataset:
    """Several orientations of each picture of a ray.data.Dataset, with its labels: what `qturn augment` makes of the same files.

    A row is a sample. Rows of ray.data.read_webdataset(..., decoder=None) and read_binary_files(..., include_paths=True) hold
    files, which are turned as the command line turns them, JPEGs without loss. Rows of read_images(..., include_paths=True) and
    read_webdataset() hold arrays, which are turned as they are: their orientation tags are already lost.

    Each row becomes one for each variant: a new `__key__` ("x/a__flop") or `path` ("x/a__flop.jpg"), the picture, its label and
    its masks turned, other columns copied. A column that may say where something is in the picture, and is not known, is an error.

    variants                        "all", "rotations", a list such as "identity,flop", or orientations
    random, seed                    this many for each picture, chosen by its key as --random and --seed do
    group                           what of the key chooses them, as --group says
    labels                          "auto", "yolo", "voc" or "labelme"; "none" turns pictures alone and leaves other columns out
    masks                           "auto" takes columns such as "mask.png"; or a list of columns
    labels_drawn_on                 "stored" or "upright", for pictures with an orientation tag
    keypoints, swap_pairs           of YOLO labels: "none" or "17x3", and [(1, 2), (3, 4)]; of any, classes: [("left", "right")]
    picture                         the column of the picture, where there are several
    base                            the folder that paths are relative to, for the keys of `random`
    jpeg, edges, png, limits...     as for qturn.turn()
    on_error                        "raise" a PictureError that names the sample, or "drop" the sample with a warning in the log
    num_gpus, **ray_options         as for Dataset.flat_map(); with num_gpus, arrays are turned on a GPU, by PyTorch's tensors
    """
    task = _Augmentation(
        variants=_variants(variants, random, group), random=random, seed=seed, group=group, labels=_one_of("labels", labels, ["auto", "none", *LABELS]),
        masks=masks if masks == "auto" else _names(masks), picture=picture, base=base.split("://")[-1].rstrip("/"),
        on_error=_one_of("on_error", on_error, ["raise", "drop"]), device="cuda" if num_gpus else None,
        drawn={"keypoints": keypoints, "swap_pairs": None if swap_pairs is None else list(swap_pairs)},
        options={"jpeg": jpeg, "edges": _one_of("edges", edges, ["reencode", "trim", "tag", "fail"]), "png": png,
                 "allow_storage_change": allow_storage_change, "labels_drawn_on": labels_drawn_on, "limits": limits})
    return dataset.flat_map(task.rows, num_gpus=num_gpus, **ray_options)


def _variants(variants, random, group):
    if random is not None:
        if variants != "all":
            raise ValueError(f"variants is {variants!r} and random is {random}, expected one of them")
        _qturn.random_variants("", random, group=group)
        return None
    if group is not None:
        raise ValueError(f"group is {group!r} and random is None, expected both")
    if isinstance(variants, str):
        return _qturn.variants_of(variants)
    return sorted({orientation_of(each) for each in variants})


def _one_of(name, word, words):
    if word not in words:
        raise ValueError(f"{name} is {word!r}, expected one of {', '.join(words)}")
    return word


def _names(masks):
    if isinstance(masks, str):
        raise ValueError(f"masks is {masks!r}, expected \"auto\" or a list of columns")
    return list(masks)


def _is_file(value):
    return isinstance(value, (bytes, bytearray, memoryview))


def _is_array(value):
    return hasattr(value, "__array__") and getattr(value, "ndim", 0) > 0


def _is_missing(value):
    return value is None or value != value if not _is_array(value) else False  # pandas has NaN where a sample lacks a column


def _bytes_of(value):
    """A column that Ray may have decoded, as a file has it."""
    if isinstance(value, str):
        return value.encode()
    return json.dumps(value).encode() if isinstance(value, (dict, list)) else value


def _like(value, turned):
    """A turned file in the form that the column had."""
    if isinstance(value, str):
        return turned.decode()
    return json.loads(turned) if isinstance(value, (dict, list)) else turned


class _Sample:
    """A row, and which part each of its columns has."""

    def __init__(self, row, task):
        self.row = row
        self.in_tar = "__key__" in row
        if not self.in_tar and "path" not in row:
            raise ValueError(f"a row has the columns {', '.join(row)}, expected those of read_webdataset(), or of read_images() or "
                             "read_binary_files() with include_paths=True")
        self.name = row["__key__"] if self.in_tar else row["path"]
        self.kinds = {field: self.kind_of(field, task) for field in row if not self.is_about_row(field)}
        self.picture = self.only_picture(task)
        self.key = self.file_name(self.picture)
        if task.base and not self.in_tar:
            if not self.key.startswith(task.base + "/"):
                raise ValueError(f"{self.key} is not below {task.base}, expected base to be the folder of all paths")
            self.key = self.key[len(task.base) + 1:]

    def is_about_row(self, field):
        return field.startswith("__") or _is_missing(self.row[field]) or (not self.in_tar and field == "path")

    def file_name(self, field):
        return f"{self.name}.{field}" if self.in_tar else self.name

    def kind_of(self, field, task):
        value = self.row[field]
        if field == task.picture or (not self.in_tar and field in ("bytes", "image")):
            return "picture"
        if task.masks != "auto" and field in task.masks:
            return "mask"
        if not self.in_tar:
            kind = "other" if isinstance(value, Number) else _qturn.kind_of_file(field, _bytes_of(value)) if \
                isinstance(value, (str, bytes)) else "coordinates"
            return kind if kind in ("other", "picture") else "coordinates"
        if isinstance(value, Number):
            return "other"
        name = self.file_name(field)
        if task.labels in LABELS and name.lower().endswith(LABELS[task.labels]):
            return task.labels
        content = _bytes_of(value)
        kind = _qturn.kind_of_file(name, content if _is_file(content) else b"")
        if kind == "mask" and task.masks != "auto":
            return "picture"
        if not _is_file(content):  # it is decoded, so that its name alone tells
            return kind if kind in ("picture", "mask") else "coordinates"
        return "coordinates" if kind in LABELS and task.labels not in ("auto", "none") else kind

    def only_picture(self, task):
        pictures = [task.picture] if task.picture in self.kinds else self.of_kind("picture")
        if not pictures:
            raise PictureError(f"{self.name}: no picture among its columns {', '.join(self.kinds)}")
        if len(pictures) > 1 or (task.labels != "none" and pictures != self.of_kind("picture")):
            raise PictureError(f"{self.name}: has the pictures {', '.join(self.of_kind('picture'))}; picture= says which one it is, masks= "
                               "which ones are masks, and drop_columns() leaves others out")
        return pictures[0]

    def of_kind(self, *kinds):
        return [field for field, kind in self.kinds.items() if kind in kinds]

    def refuse_unknown(self, task):
        for field in self.of_kind("mask"):
            if task.masks == "auto" and not _qturn.is_mask_of(self.file_name(field), self.key):
                raise PictureError(f"{self.file_name(field)}: has the name of a mask, and its picture is not in its sample; call it as in "
                                   "a.mask.png, or say with masks= which columns are masks")
        for field in self.of_kind("coordinates"):
            raise PictureError(f"{self.file_name(field)}: column {field} may say where something is in the picture, which a copy does not "
                               f"turn; drop_columns({[field]!r}) leaves it out")

    def turned(self, orientation, fields, others):
        """The row of a variant: `fields` are turned, and so many others are kept."""
        row = {field: value for field, value in self.row.items() if self.is_about_row(field) or field in others}
        row = {field: None if _is_missing(value) else value for field, value in row.items()} | fields
        row["__key__" if self.in_tar else "path"] = self.name_of(orientation)
        return {field: row[field] for field in self.row if field in row}  # in their order

    def name_of(self, orientation):
        """As the command line names the variant, without its folder's change."""
        stem, suffix = (self.name, "") if self.in_tar else os.path.splitext(self.name)
        return f"{stem}__{orientation.name}{suffix}"

    def picture_name_of(self, orientation):
        return os.path.basename(self.name_of(orientation)) + (f".{self.picture}" if self.in_tar else "")


class _Augmentation:
    """What Ray sends to its workers."""

    def __init__(self, **settings):
        self.__dict__.update(settings)

    def rows(self, row: dict[str, Any]) -> list[dict[str, Any]]:
        try:
            sample = _Sample(row, self)
            if self.labels != "none":
                sample.refuse_unknown(self)
            orientations = self.variants or _qturn.random_variants(sample.key, self.random, self.seed, self.group)
            value = row[sample.picture]
            if _is_file(value):
                return list(self.of_files(sample, orientations))
            if _is_array(value):
                return list(self.of_arrays(sample, orientations))
            raise TypeError(f"{sample.file_name(sample.picture)} is of type {type(value)}, expected bytes or an array")
        except PictureError as error:
            if self.on_error == "raise":
                raise
            logging.getLogger("qturn.ray").warning("dropped %s", error)
            return []

    def companions(self, sample, *kinds):
        return [] if self.labels == "none" else sample.of_kind(*kinds)

    def of_files(self, sample, orientations):
        if self.device:
            raise ValueError(f"{sample.file_name(sample.picture)} is a file, and files are turned on the CPU, expected no num_gpus")
        row, fields = sample.row, self.companions(sample, "mask", "xmp", "world_file", *LABELS)
        for field in fields:
            if _is_array(row[field]):
                raise TypeError(f"{sample.file_name(field)} is an array beside the file {sample.picture}, expected bytes, too")
        names = [sample.file_name(field) if sample.in_tar else f"{field} of {sample.name}" for field in fields]
        files = [(name, sample.kinds[field], _bytes_of(row[field])) for name, field in zip(names, fields)]
        turned = _qturn.turn_row((sample.key, row[sample.picture]), files, orientations,
                                 [sample.picture_name_of(each) for each in orientations], **self.drawn, **self.options)
        others = self.companions(sample, "other")
        for orientation, (picture, _, parts, warnings) in zip(orientations, turned):
            for warning in warnings:
                logging.getLogger("qturn.ray").warning("%s: %s", sample.key, warning)
            parts = {field: _like(row[field], part) for field, part in zip(fields, parts)}
            yield sample.turned(orientation, {sample.picture: picture, **parts}, others)

    def of_arrays(self, sample, orientations):
        row, masks = sample.row, self.companions(sample, "mask")
        shape = row[sample.picture].shape[:2]
        for field in masks:
            if not _is_array(row[field]) or row[field].shape[:2] != shape:
                raise PictureError(f"{sample.file_name(field)}: is not an array of {shape[1]} x {shape[0]} pixels, as the picture is")
        for field in self.companions(sample, "xmp", "world_file"):
            raise PictureError(f"{sample.file_name(field)}: belongs to a file, expected read_webdataset(..., decoder=None)")
        arrays = {field: self.turned_arrays(row[field], orientations) for field in [sample.picture, *masks]}
        others = self.companions(sample, "other")
        for number, orientation in enumerate(orientations):
            texts = {field: self.turned_label(sample, field, orientation, shape[::-1]) for field in self.companions(sample, *LABELS)}
            yield sample.turned(orientation, {**{field: each[number] for field, each in arrays.items()}, **texts}, others)

    def turned_arrays(self, array, orientations):
        if not self.device:
            return [transform(array, orientation) for orientation in orientations]
        import torch
        tensor = torch.from_numpy(array).to(self.device)
        return [transform(tensor, orientation).cpu().numpy() for orientation in orientations]

    def turned_label(self, sample, field, orientation, size):
        value = sample.row[field]
        try:
            turned = _qturn.turn_labels(_bytes_of(value), sample.kinds[field], orientation, size,
                                        name=sample.picture_name_of(orientation), **self.drawn)
        except PictureError as error:
            raise PictureError(f"{sample.file_name(field)}:{error}") from None
        return _like(value, turned)
