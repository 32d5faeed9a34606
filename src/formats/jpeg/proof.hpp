// A turned JPEG compared with its original: it must have the original's coefficients, or what the
// original's samples give. Nothing here is shared with the code that turns: it knows what a turn is
// only from destination_of() and from the formula of the transform.
#pragma once

#include <qturn/orientation.hpp>

#include <atomic>

#include "src/formats/jpeg/libjpeg/blocks.hpp"
#include "src/formats/jpeg/libjpeg/picture.hpp"

namespace qturn::jpeg {

/// What a picture is, and its coefficients.
struct DescribedBlocks {
  const JpegPicture& picture;
  const JpegBlocks& blocks;
};

/// Throws ProofError unless `result` has the components of `source` with sampling and tables
/// turned, and the size.
void prove_layout(const JpegPicture& source, const JpegPicture& result, Orientation orientation);

/// Throws ProofError unless every coefficient of `source`, as far as its size goes, is at its place
/// in `result`; Interrupted.
void prove_coefficients(const DescribedBlocks& source, const DescribedBlocks& result,
                        Orientation orientation, const std::atomic<bool>& stop);

/// Samples of one component of a JPEG, in whole blocks; `width` x `height` belong to the picture.
struct JpegSamples {
  const JSAMPLE* samples = nullptr;
  std::int64_t width = 0, height = 0, pitch = 0, rows = 0;
};

/// An axis of the original: its pixels, and how many of them share a sample of the component.
struct JpegAxis {
  std::int64_t pixels = 0;
  int shared = 1;
};

/// Throws ProofError unless each coefficient of the component `index` of `result` is what the
/// turned `source` is quantised to, after docs/jpeg.md's rule for cut chroma: half a step away, or
/// as much more as libjpeg's transform may be wrong; Interrupted.
void prove_reencoded(const JpegSamples& source, const DescribedBlocks& result, std::size_t index,
                     Orientation orientation, JpegAxis x_axis, JpegAxis y_axis,
                     const std::atomic<bool>& stop);

}  // namespace qturn::jpeg
