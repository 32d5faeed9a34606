// The markers of a JPEG, one after the other, without decoding what lies between them.
//
// A JPEG is a row of segments, each with a marker (0xFF and a byte), a length and a payload. The
// segment that starts a scan is followed by entropy-coded data, in which 0xFF is followed by zero
// or by the number of a restart. So the walk passes over it by looking for the next marker that has
// a segment, and over stray bytes as well, as libjpeg does. This is the only such walk:
// it reads the headers for a GPU, the files that are turned and the thumbnails inside
// other files.
#pragma once

#include <qturn/orientation.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace qturn {

/// Markers as ITU T.81, table B.1, numbers them.
namespace jpeg_marker {
inline constexpr unsigned char tem = 0x01, sof0 = 0xC0, sof1 = 0xC1, sof2 = 0xC2, dht = 0xC4,
                               jpg = 0xC8, dac = 0xCC, sof15 = 0xCF, rst0 = 0xD0, rst7 = 0xD7,
                               soi = 0xD8, eoi = 0xD9, sos = 0xDA, dqt = 0xDB, dri = 0xDD,
                               dhp = 0xDE, app0 = 0xE0, app1 = 0xE1, app2 = 0xE2, app11 = 0xEB,
                               app14 = 0xEE, app15 = 0xEF, com = 0xFE;

/// Whether a segment is a frame header: SOF0 to SOF15.
constexpr bool is_frame(unsigned char marker) {
  return marker >= sof0 && marker <= sof15 && marker != dht && marker != jpg && marker != dac;
}

/// Whether it has no segment. Zero stands for 0xFF in entropy-coded data.
constexpr bool stands_alone(unsigned char marker) {
  return marker == 0 || marker == tem || marker == soi || (marker >= rst0 && marker <= rst7);
}
/// The byte, or the number of two bytes, at `at`.
inline unsigned char byte_at(std::span<const std::byte> bytes, std::size_t at) {
  return std::to_integer<unsigned char>(bytes[at]);
}
inline unsigned word_at(std::span<const std::byte> bytes, std::size_t at) {
  return byte_at(bytes, at) * 256u + byte_at(bytes, at + 1);
}
}  // namespace jpeg_marker

struct JpegSegment {
  unsigned char marker = 0;            ///< 0xE1 is APP1
  std::size_t offset = 0;              ///< of the payload in the file
  std::span<const std::byte> payload;  ///< without marker and length
};

class JpegMarkers {
 public:
  /// `file` begins with SOI.
  explicit JpegMarkers(std::span<const std::byte> file) : file_(file) {}

  /// The next segment; for the end of the picture (EOI) an empty one. Nothing if the file ends
  /// before that, or if a segment is cut or damaged.
  std::optional<JpegSegment> next() {
    while (at_ < file_.size()) {
      const void* found = std::memchr(file_.data() + at_, 0xFF, file_.size() - at_);
      if (!found) break;
      at_ = static_cast<std::size_t>(static_cast<const std::byte*>(found) - file_.data());
      while (at_ < file_.size() && jpeg_marker::byte_at(file_, at_) == 0xFF) ++at_;
      if (at_ == file_.size()) break;
      const unsigned char marker = jpeg_marker::byte_at(file_, at_++);
      if (jpeg_marker::stands_alone(marker)) continue;
      if (marker == jpeg_marker::eoi) return JpegSegment{marker, at_, {}};
      is_in_segment_ = true;
      if (file_.size() - at_ < 2) break;
      const std::size_t length = jpeg_marker::word_at(file_, at_);
      is_damaged_ = length < 2;
      if (is_damaged_ || file_.size() - at_ < length) break;
      is_in_segment_ = false;
      const JpegSegment segment{marker, at_ + 2, file_.subspan(at_ + 2, length - 2)};
      at_ += length;
      return segment;
    }
    at_ = file_.size();
    return std::nullopt;
  }

  /// Whether next() found nothing because a segment has an impossible length.
  bool is_damaged() const { return is_damaged_; }
  /// Whether the file ends within a segment, or that is damaged.
  bool is_in_segment() const { return is_in_segment_; }

 private:
  std::span<const std::byte> file_;
  std::size_t at_ = 2;
  bool is_damaged_ = false, is_in_segment_ = false;
};

/// Whether these bytes begin with SOI.
inline bool begins_as_jpeg(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && jpeg_marker::byte_at(bytes, 0) == 0xFF &&
         jpeg_marker::byte_at(bytes, 1) == jpeg_marker::soi;
}

/// The size that a frame header says; 0 x 0 if it is cut.
inline Size size_in_frame(const JpegSegment& frame) {
  if (frame.payload.size() < 5) return {};
  return {jpeg_marker::word_at(frame.payload, 3), jpeg_marker::word_at(frame.payload, 1)};
}

}  // namespace qturn
