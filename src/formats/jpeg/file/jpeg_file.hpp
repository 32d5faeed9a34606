// The markers of a JPEG file, parsed once: the segments of its header, its scans, and where the
// picture ends. libjpeg decodes what lies between (libjpeg/), and does not keep the rest.
//
// A GPU that turns the picture finds its end on the way. So what needs no more than the header may
// leave the rest for later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/jpeg/src/scans.hpp"
#include "src/formats/jpeg/file/segments.hpp"
#include "src/picture/file_limits.hpp"

namespace qturn::jpeg {

/// Whether this is the marker of metadata.
bool is_app_or_com(unsigned char marker);

/// The warning for a picture that is whole without it.
inline constexpr const char* no_end_marker =
    "the marker of its end (EOI) is missing; all rows are there";

struct JpegFile {
  /// How much of it is parsed. To find the end of the picture, all of its data is looked at.
  enum class Part : std::uint8_t { all, header };

  /// Reads the segments of `bytes`, which must outlive this. Throws as jpeg_header_segments();
  /// LimitError.
  explicit JpegFile(std::span<const std::byte> bytes, const Limits& limits = {},
                    Part part = Part::all);

  /// Whether all is parsed. Before that, there is one scan at most, of no length.
  bool is_complete() const { return is_complete_; }
  /// Parses the rest. Throws LimitError.
  void complete();
  /// The same where somebody who has read the data of the only scan knows how long it is, with the
  /// marker of the end.
  void complete_with(std::size_t data_bytes);

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
  /// Whether there is no such marker (EOI), once all is parsed, and nothing else is cut: some
  /// cameras leave it out. Whether all rows are there, whoever reads the data sees.
  bool lacks_end = false;

 private:
  Limits limits_;
  JpegMarkers rest_;  ///< after the header of the first scan
  MetadataCount metadata_;
  JpegScanReader reader_;
  bool is_complete_ = false;
};

}  // namespace qturn::jpeg
