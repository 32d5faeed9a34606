// The markers of a JPEG file, parsed once: the segments of its header, its scans, and where the
// picture ends. libjpeg decodes what lies between (libjpeg/), and does not keep the rest.
#ifndef QTURN_SRC_FORMATS_JPEG_FILE_JPEG_FILE_HPP
#define QTURN_SRC_FORMATS_JPEG_FILE_JPEG_FILE_HPP

#include <cstddef>
#include <span>
#include <vector>

#include "src/formats/jpeg/file/scans.hpp"
#include "src/formats/jpeg/file/segments.hpp"
#include "src/picture/file_limits.hpp"

namespace qturn {

struct JpegFile {
  /// Of `bytes`, which must outlive this. Throws as jpeg_header_segments(); LimitError.
  explicit JpegFile(std::span<const std::byte> bytes, const Limits& limits = {});

  /// The picture alone.
  JpegFile without_trailing_data() const;

  /// What follows the picture: previews, a gain map, a video.
  std::span<const std::byte> trailing_data() const { return bytes.subspan(end); }

  std::span<const std::byte> bytes;
  std::vector<JpegSegment> segments;  ///< before the first scan, in order
  Size size;                          ///< as the frame header says it
  std::vector<JpegSegment> markers;   ///< APPn and COM, in order, also between the scans
  std::vector<JpegScan> scans;        ///< as far as they can be read
  std::size_t scan_count = 0;         ///< with those that cannot
  std::size_t end;                    ///< after the marker for it; without one the end of the file
};

}  // namespace qturn

#endif  // QTURN_SRC_FORMATS_JPEG_FILE_JPEG_FILE_HPP
