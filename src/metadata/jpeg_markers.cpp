#include "src/metadata/jpeg_markers.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "src/picture/endian.hpp"
#include "src/picture/errors.hpp"

namespace qturn {
namespace {

using namespace jpeg_marker;

// Has no segment. Zero stands for 0xFF in entropy-coded data.
bool stands_alone(unsigned char marker) {
  return marker == 0 || marker == tem || marker == soi || (marker >= rst0 && marker <= rst7);
}

unsigned char byte_of(std::span<const std::byte> bytes, std::size_t at) {
  return std::to_integer<unsigned char>(bytes[at]);
}

}  // namespace

std::optional<JpegSegment> JpegMarkers::next() {
  while (at_ < file_.size()) {
    const void* found = std::memchr(file_.data() + at_, 0xFF, file_.size() - at_);
    if (!found) break;
    at_ = static_cast<std::size_t>(static_cast<const std::byte*>(found) - file_.data());
    while (at_ < file_.size() && byte_of(file_, at_) == 0xFF) ++at_;
    if (at_ == file_.size()) break;
    const unsigned char marker = byte_of(file_, at_++);
    if (stands_alone(marker)) continue;
    if (marker == eoi) return JpegSegment{marker, at_, {}};
    if (file_.size() - at_ < 2) break;
    const auto length = static_cast<std::size_t>(big_endian(file_, at_, 2));
    is_damaged_ = length < 2;
    if (is_damaged_ || file_.size() - at_ < length) break;
    const JpegSegment segment{marker, at_ + 2, file_.subspan(at_ + 2, length - 2)};
    at_ += length;
    return segment;
  }
  at_ = file_.size();
  return std::nullopt;
}

bool begins_as_jpeg(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && byte_of(bytes, 0) == 0xFF && byte_of(bytes, 1) == soi;
}

Size size_in_frame(const JpegSegment& frame) {
  if (frame.payload.size() < 5) return {};
  return {static_cast<std::int64_t>(big_endian(frame.payload, 3, 2)),
          static_cast<std::int64_t>(big_endian(frame.payload, 1, 2))};
}

std::optional<Size> jpeg_size(std::span<const std::byte> jpeg) {
  if (!begins_as_jpeg(jpeg)) return std::nullopt;
  JpegMarkers markers(jpeg);
  while (const auto segment = markers.next()) {
    if (is_frame(segment->marker)) {
      const Size size = size_in_frame(*segment);
      return size == Size{} ? std::nullopt : std::optional(size);
    }
    if (segment->marker == sos || segment->marker == eoi) return std::nullopt;
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
