// What a PlanarFormat means, for the CPU and for the GPU.
#pragma once

#include <qturn/planar.hpp>

namespace qturn {

/// A sample x becomes fma(x, factor[c], offset[c]).
struct PlanarArithmetic {
  float factor[4];
  float offset[4];
  int channel[4];
  int planes;
};

PlanarArithmetic arithmetic_of(const PlanarFormat& format);

/// Throws std::invalid_argument unless `format` makes sense for sources of `channels` samples.
void check_format(const PlanarFormat& format, int channels);

/// Throws std::invalid_argument unless `src` has 1 to 4 samples of the format's type, else returns
/// how many.
int channels_of(ConstView src, const PlanarFormat& format);

/// Throws std::invalid_argument unless `dst` can hold `src` seen in `orientation` and no two
/// planes share a byte, nor any with `src`.
void check_planar_shapes(ConstView src, PlanarView dst, Orientation orientation,
                         const PlanarFormat& format);

/// The same for a source of another size: throws unless addresses and pitches are multiples of
/// their samples' size, and no two planes share a byte, nor any with `src`.
void check_planes(ConstView src, PlanarView dst, const PlanarFormat& format);

/// Throws std::invalid_argument, with the number of the image, unless all `count` images, at least
/// one, have as many channels and pass the checks above; returns how many channels.
int check_images(const PlanarImage* images, std::size_t count, const PlanarFormat& format);

/// A plane as a view whose pixels are samples of `bytes`.
ConstView plane_of(ConstPlanarView view, int plane, int bytes);

/// Throws std::invalid_argument unless that is the size of `src` seen in `orientation`.
void check_turned_size(Size dst, Size src, Orientation orientation);

/// Throws std::invalid_argument unless a kernel can count the columns and the rows as integers.
void check_side(Size size);

/// Throws std::invalid_argument unless `image` can be made of so many planes; returns the size of a
/// sample.
int check_interleaved(const InterleavedImage& image, int planes);

/// The same of `count` images, at least one, with the number of the image, unless all have samples
/// of one size.
int check_interleaved(const InterleavedImage* images, std::size_t count, int planes);

}  // namespace qturn
