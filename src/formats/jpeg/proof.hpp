// A turned JPEG compared with its original, by their coefficients or by their samples. Nothing here
// is shared with the code that turns: it knows what a turn is only from destination_of() and from
// the formula of the transform.
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

/// Samples of one component of a JPEG.
struct JpegSamples {
  const JSAMPLE* samples = nullptr;
  std::int64_t width = 0, height = 0, pitch = 0;
};

/// Throws ProofError if a block of `result` is farther from the turned `source` than the steps of
/// its `table` allow; Interrupted. Along an axis that is `blended`, samples were made of two
/// neighbours, and may lie anywhere between them.
void prove_samples(int component, const JpegSamples& source, const JpegSamples& result,
                   const JpegTable& table, Orientation orientation, bool blended_x, bool blended_y,
                   const std::atomic<bool>& stop);

}  // namespace qturn::jpeg
