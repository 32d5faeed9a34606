#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "src/formats/gif/blocks.hpp"
#include "src/formats/gif/codec.hpp"

namespace qturn::gif {

std::vector<FilePart> gif_parts(std::span<const std::byte> file, Orientation applied) {
  const GifBlocks gif = gif_blocks(file);
  std::vector<FilePart> parts;
  Bytes head(gif.head.begin(), gif.head.end());
  constexpr std::size_t size_at = 6, size_bytes = 4, aspect_at = 12;
  std::fill_n(&head[size_at], size_bytes, std::byte{0});
  head[aspect_at] = std::byte{0};  // of which not all can be stated the other way round
  parts.push_back(FilePart::of_copy(FilePart::fixed, "the global palette", head));
  for (const GifBlock& block : gif.blocks) {
    if (block.is_frame) {
      const FramePlace place = turned(block.place, applied, gif.canvas);
      parts.push_back(
          said_part("a frame", fmt::format("{} {} {} {} {}", place.x, place.y, place.width,
                                           place.height, block.interlaced)));
      parts.emplace_back(FilePart::fixed, "a palette", block.palette);
    } else if (is_gif_xmp(block)) {
      parts.push_back(xmp_part("the XMP", gif_xmp(block)));
    } else {
      parts.emplace_back(FilePart::fixed, fmt::format("the extension {:#04x}", block.label),
                         block.whole);
    }
  }
  return parts;
}

}  // namespace qturn::gif
