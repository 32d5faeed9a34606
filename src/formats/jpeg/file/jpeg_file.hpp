// The markers of a JPEG file, parsed once: the segments of its header, its scans, and where the
// picture ends. libjpeg decodes what lies between (libjpeg/), and does not keep the rest.
//
// A GPU that turns the picture finds its end on the way. So what needs no more than the header may
// leave the rest for later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <qturn/orientation.hpp>

#include "kernels/jpeg/src/markers.hpp"
#include "kernels/jpeg/src/scans.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/file_limits.hpp"

namespace qturn::jpeg {

// The segments of a JPEG's header, read without decoding: what kind of JPEG it is, and where its
// metadata lies in the file.

/// What APPn payloads begin with.
inline constexpr std::string_view xmp_signature{"http://ns.adobe.com/xap/1.0/\0", 29};
inline constexpr std::string_view icc_signature{"ICC_PROFILE\0", 12};
inline constexpr std::string_view mpf_signature{"MPF\0", 4};

/// The segments between the start of the file and its first scan, in order.
///
/// Throws ImageFileError when this is not a JPEG or its header is cut, and for the kinds of JPEG
/// that are not supported, by name: arithmetic coding, lossless, hierarchical, 12 bits.
std::vector<JpegSegment> jpeg_header_segments(std::span<const std::byte> file);

/// The same by `markers`, which are at the start of `file` and then after the header of its first
/// scan. Returns that.
JpegSegment jpeg_header_segments(std::span<const std::byte> file, JpegMarkers& markers,
                                 std::vector<JpegSegment>& segments);

/// Whether the segment is an Exif block, an XMP packet, or an index of several pictures.
bool is_exif(const JpegSegment& segment);
bool is_xmp(const JpegSegment& segment);
bool is_manifest(const JpegSegment& segment);  ///< a signed one (C2PA)
bool is_mpf(const JpegSegment& segment);

/// The packet of a segment that is XMP.
std::string_view xmp_packet(const JpegSegment& segment);

/// The orientation of the first Exif block, which readers look at. Throws ImageFileError if it
/// cannot be told.
Orientation orientation_in(const std::vector<JpegSegment>& segments);

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
  std::size_t scan_count = 0;         ///< also of scans that cannot be read
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
