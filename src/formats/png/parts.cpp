#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "src/formats/png/chunks.hpp"
#include "src/formats/png/codec.hpp"
#include "src/formats/png/frames.hpp"
#include "src/formats/png/raw_profile.hpp"
#include "src/picture/bytes.hpp"

namespace qturn::png {
namespace {

void put(Bytes& data, std::size_t at, std::int64_t value) {
  put_big_endian(data, at, 4, static_cast<std::uint64_t>(value));
}

// Of a chunk that begins with a number for each axis.
void swap_axes(Bytes& data) { std::swap_ranges(data.begin(), data.begin() + 4, data.begin() + 4); }

// A frame's size, place and how it is shown, without its number.
FilePart frame_part(const PngChunk& chunk, Orientation applied, Size canvas) {
  Bytes data(chunk.data.begin(), chunk.data.end());
  const FramePlace place = turned(png_frame_place(chunk), applied, canvas);
  std::size_t at = 0;
  for (const std::int64_t value : {std::int64_t{0}, place.width, place.height, place.x, place.y}) {
    put(data, at, value);
    at += 4;
  }
  return FilePart::of_copy(FilePart::fixed, "the chunk fcTL", data);
}

}  // namespace

std::vector<FilePart> png_parts(std::span<const std::byte> file, Orientation applied) {
  using enum FilePart::Kind;
  const std::vector<PngChunk> chunks = png_chunks(file);
  const PngHeader header = png_header(chunks);
  const Size canvas{header.width, header.height}, size = turned_size(applied, canvas);
  const bool animated = is_animated(chunks), swapped = swaps_axes(applied);
  std::vector<FilePart> parts;
  for (const PngChunk& chunk : chunks) {
    const std::string name = fmt::format("the chunk {}", chunk.type);
    Bytes data(chunk.data.begin(),
               chunk.data.begin() + std::min<std::ptrdiff_t>(std::ssize(chunk.data), 64));
    if (chunk.type == "IHDR") {
      put(data, 0, size.width);
      put(data, 4, size.height);
      parts.push_back(FilePart::of_copy(fixed, name, data));
    } else if (chunk.type == "IDAT" || chunk.type == "iDOT" || chunk.type == "fdAT") {
      parts.emplace_back(pixels, name, chunk.data);
    } else if (chunk.type == "fcTL") {
      if (animated) parts.push_back(frame_part(chunk, applied, canvas));
    } else if (chunk.type == "oFFs") {
      // A place on a page whose size is not known cannot be turned in another way.
      const bool is_turned = applied == Orientation::transpose && data.size() == 9;
      if (is_turned) swap_axes(data);
      if (is_turned || applied == Orientation::identity)
        parts.push_back(FilePart::of_copy(fixed, name, data));
    } else if (chunk.type == "pHYs") {
      if (swapped && data.size() == 9) swap_axes(data);
      parts.push_back(FilePart::of_copy(fixed, name, data));
    } else if (chunk.type == "eXIf") {
      parts.emplace_back(exif, name, chunk.data);
    } else if (is_png_xmp(chunk)) {
      parts.push_back(xmp_part(name, png_xmp(chunk)));
    } else if (png_ornt(chunk) || is_raw_exif(chunk) || (chunk.type == "sCAL")) {
      parts.emplace_back(other, name, chunk.data);
    } else {
      parts.emplace_back(fixed, name, chunk.data);
    }
  }
  return parts;
}

}  // namespace qturn::png
