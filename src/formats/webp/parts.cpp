#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "src/formats/webp/chunks.hpp"
#include "src/formats/webp/codec.hpp"

namespace qturn::webp {

std::vector<FilePart> webp_parts(std::span<const std::byte> file, Orientation applied) {
  using enum FilePart::Kind;
  const std::vector<WebpChunk> chunks = webp_chunks(file);
  std::vector<FilePart> parts;
  for (const WebpChunk& chunk : chunks) {
    const std::string name = fmt::format("the chunk {}", chunk.type);
    if (chunk.type == "VP8X" || chunk.type == "ANMF") continue;  // sizes, flags; see below
    if (is_webp_pixels(chunk)) {
      parts.emplace_back(pixels, name, chunk.data);
    } else if (chunk.type == "EXIF") {
      parts.emplace_back(exif, name, chunk.data);
    } else if (chunk.type == "XMP ") {
      parts.push_back(xmp_part(name, text_of(chunk.data)));
    } else {
      parts.emplace_back(fixed, name, chunk.data);
    }
  }
  const std::optional<Size> canvas = webp_canvas(chunks);
  if (!canvas) return parts;
  const std::vector<WebpFrame> frames = webp_frames(chunks);
  // Where one would come to an odd place, each becomes a whole picture.
  const bool stay = std::ranges::all_of(frames, [&](const WebpFrame& frame) {
    return (canvas->width - frame.place.width) % 2 == 0 &&
           (canvas->height - frame.place.height) % 2 == 0;
  });
  const Size turned_canvas = turned_size(applied, *canvas);
  for (const WebpFrame& frame : frames) {
    const FramePlace place = stay ? turned(frame.place, applied, *canvas)
                                  : FramePlace{0, 0, turned_canvas.width, turned_canvas.height};
    constexpr std::size_t delay_at = 12, delay_bytes = 3;
    const auto delay = text_of(frame.described).substr(delay_at, delay_bytes);
    parts.push_back(said_part("a frame", fmt::format("{} {} {} {} {}", place.x, place.y,
                                                     place.width, place.height, delay)));
  }
  return parts;
}

}  // namespace qturn::webp
