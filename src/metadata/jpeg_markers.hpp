// The markers of a JPEG, one after the other, without decoding what lies between them.
//
// A JPEG is a row of segments, each with a marker (0xFF and a byte), a length and a payload. The
// segment that starts a scan is followed by entropy-coded data, in which 0xFF is followed by zero
// or by the number of a restart. So the walk passes over it by looking for the next marker that has
// a segment, and over stray bytes as well, as libjpeg does. This is the only such walk: the files
// that are turned and the thumbnails inside other files are all read by it.
#ifndef QTURN_SRC_METADATA_JPEG_MARKERS_HPP
#define QTURN_SRC_METADATA_JPEG_MARKERS_HPP

#include <qturn/orientation.hpp>

#include <cstddef>
#include <optional>
#include <span>

namespace qturn {

/// Markers as ITU T.81, table B.1, numbers them.
namespace jpeg_marker {
inline constexpr unsigned char tem = 0x01, sof0 = 0xC0, sof1 = 0xC1, sof2 = 0xC2, dht = 0xC4,
                               jpg = 0xC8, dac = 0xCC, sof15 = 0xCF, rst0 = 0xD0, rst7 = 0xD7,
                               soi = 0xD8, eoi = 0xD9, sos = 0xDA, dqt = 0xDB, dri = 0xDD,
                               dhp = 0xDE, app0 = 0xE0, app1 = 0xE1, app2 = 0xE2, app11 = 0xEB,
                               app15 = 0xEF, com = 0xFE;

/// Whether a segment is a frame header: SOF0 to SOF15.
constexpr bool is_frame(unsigned char marker) {
  return marker >= sof0 && marker <= sof15 && marker != dht && marker != jpg && marker != dac;
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
  std::optional<JpegSegment> next();

  /// Whether next() found nothing because a segment has an impossible length.
  bool is_damaged() const { return is_damaged_; }

 private:
  std::span<const std::byte> file_;
  std::size_t at_ = 2;
  bool is_damaged_ = false;
};

/// Whether these bytes begin with SOI.
bool begins_as_jpeg(std::span<const std::byte> bytes);

/// The size that a frame header says; 0 x 0 if it is cut.
Size size_in_frame(const JpegSegment& frame);

/// The size that a JPEG's frame header says; nothing if there is no such header.
std::optional<Size> jpeg_size(std::span<const std::byte> jpeg);

/// The same for a thumbnail, for which no memory is planned. Throws ImageFileError if it is not a
/// JPEG, or is larger than thumbnails are.
Size jpeg_thumbnail_size(std::span<const std::byte> jpeg);

}  // namespace qturn

#endif  // QTURN_SRC_METADATA_JPEG_MARKERS_HPP
