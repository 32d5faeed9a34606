// What module.cpp binds, one function for each file.
#pragma once

#include <nanobind/nanobind.h>

namespace qturn::python {

/// Orientation: names, numbers, compose, inverse; sizes, points and boxes.
void bind_orientations(nanobind::module_& module);

/// Whole pictures in memory: turn, orientation, check; Turned and PictureError.
void bind_pictures(nanobind::module_& module);

/// Pictures decoded: what decode() and decode_batch() are made of.
void bind_decode(nanobind::module_& module);

/// Pictures with their labels and masks: turn_labels(), and what qturn.ray is made of.
void bind_samples(nanobind::module_& module);

/// followed(): whether PyTorch has to see what is done to arrays.
void bind_following(nanobind::module_& module);

/// transform() and transform_batch() of arrays.
void bind_transform(nanobind::module_& module);

/// to_planar() of arrays.
void bind_planar(nanobind::module_& module);

}  // namespace qturn::python
