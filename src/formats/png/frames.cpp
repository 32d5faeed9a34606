#include "src/formats/png/frames.hpp"

#include <fmt/format.h>

#include "src/picture/bytes.hpp"

namespace qturn::png {
namespace {

constexpr std::size_t control_bytes = 26, sequence_bytes = 4;

// Control chunks and pixels are numbered together.
void expect_number(const PngChunk& chunk, std::uint32_t& next) {
  if (chunk.data.size() < sequence_bytes || big_endian(chunk.data, 0, sequence_bytes) != next) {
    throw ImageFileError("damaged: the frames of the PNG are not in order");
  }
  ++next;
}

}  // namespace

bool is_animated(const std::vector<PngChunk>& chunks) {
  return find_chunk(chunks, "acTL") != nullptr;
}

FramePlace png_frame_place(const PngChunk& control) {
  const auto number = [&](std::size_t at) {
    return static_cast<std::int64_t>(big_endian(control.data, at, 4));
  };
  return {number(12), number(16), number(4), number(8)};
}

std::vector<PngFrame> png_frames(const std::vector<PngChunk>& chunks) {
  std::vector<PngFrame> frames;
  const PngChunk* animation = find_chunk(chunks, "acTL");
  if (!animation) return frames;
  if (animation->data.size() != 8) throw ImageFileError("damaged: an animated PNG without a count");
  const PngHeader header = png_header(chunks);
  const Size canvas{header.width, header.height};
  std::uint64_t controls = 0;
  std::uint32_t next = 0;
  bool has_picture = false, counted = false;
  for (const PngChunk& chunk : chunks) {
    if (chunk.type == "acTL") {
      if (counted || has_picture) throw ImageFileError("damaged: a misplaced chunk (acTL)");
      counted = true;
    } else if (chunk.type == "IDAT") {
      has_picture = true;
    } else if (chunk.type == "fcTL") {
      expect_number(chunk, next);
      ++controls;
      if (chunk.data.size() != control_bytes) throw ImageFileError("damaged: a frame of the PNG");
      const FramePlace place = png_frame_place(chunk);
      if (!place.is_within(canvas)) {
        throw ImageFileError(
            fmt::format("damaged: a frame of {} x {} pixels at {}, {} in a PNG of {} x {}",
                        place.width, place.height, place.x, place.y, canvas.width, canvas.height));
      }
      const bool is_picture = !has_picture;
      if (is_picture && (controls > 1 || place != FramePlace{0, 0, canvas.width, canvas.height})) {
        throw ImageFileError("damaged: the first frame of the PNG is not the picture");
      }
      if (!is_picture) frames.push_back({place, {}});
    } else if (chunk.type == "fdAT") {
      expect_number(chunk, next);
      if (frames.empty()) throw ImageFileError("damaged: pixels of a PNG without their frame");
      frames.back().pixels.push_back({"IDAT", chunk.data.subspan(sequence_bytes), {}});
    }
  }
  for (const PngFrame& frame : frames) {
    if (frame.pixels.empty()) throw ImageFileError("damaged: a frame of the PNG without pixels");
  }
  if (const std::uint64_t stated = big_endian(animation->data, 0, 4); stated != controls) {
    throw ImageFileError(
        fmt::format("damaged: {} frames in a PNG that says it has {}", controls, stated));
  }
  return frames;
}

}  // namespace qturn::png
