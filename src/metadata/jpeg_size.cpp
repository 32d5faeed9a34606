#include "src/metadata/jpeg_size.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "kernels/jpeg/src/markers.hpp"
#include "src/picture/errors.hpp"

namespace qturn {

std::optional<Size> jpeg_size(std::span<const std::byte> jpeg) {
  if (!begins_as_jpeg(jpeg)) return std::nullopt;
  JpegMarkers markers(jpeg);
  while (const auto segment = markers.next()) {
    if (jpeg_marker::is_frame(segment->marker)) {
      const Size size = size_in_frame(*segment);
      return size == Size{} ? std::nullopt : std::optional(size);
    }
    if (segment->marker == jpeg_marker::sos || segment->marker == jpeg_marker::eoi)
      return std::nullopt;
  }
  return std::nullopt;
}

Size jpeg_thumbnail_size(std::span<const std::byte> jpeg) {
  constexpr std::int64_t most_pixels = 3 << 19;  // 1448 x 1086
  const std::optional<Size> size = jpeg_size(jpeg);
  if (!size) throw ImageFileError("it is not a JPEG");
  if (size->width * size->height > most_pixels) {
    throw ImageFileError(
        fmt::format("{} x {} pixels are more than a thumbnail has", size->width, size->height));
  }
  return *size;
}

}  // namespace qturn
