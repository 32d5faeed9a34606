// The frames of an animated PNG (PNG, third edition): the picture itself may be the first of them,
// the others are its like, of any place and size within it.
#pragma once

#include <vector>

#include "src/formats/codec/frame_place.hpp"
#include "src/formats/png/chunks.hpp"

namespace qturn::png {

struct PngFrame {
  FramePlace place;
  std::vector<PngChunk> pixels;  ///< as the IDAT chunks of a picture of its own
};

/// Whether there is an animation.
bool is_animated(const std::vector<PngChunk>& chunks);

/// The frames besides the picture itself; none if the PNG is not animated.
///
/// Throws ImageFileError if they are not as many as it says, not in order, without pixels, or do
/// not lie within the picture.
std::vector<PngFrame> png_frames(const std::vector<PngChunk>& chunks);

/// Where the frame lies that a control chunk (fcTL) of a valid animation describes.
FramePlace png_frame_place(const PngChunk& control);

}  // namespace qturn::png
