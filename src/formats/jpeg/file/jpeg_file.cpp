#include "src/formats/jpeg/file/jpeg_file.hpp"

#include <optional>
#include <utility>

namespace qturn {
namespace {

bool is_app_or_com(unsigned char marker) {
  return (marker >= jpeg_marker::app0 && marker <= jpeg_marker::app15) ||
         marker == jpeg_marker::com;
}

// The segments before the first scan. They are counted before they are kept, for there may be
// millions.
MetadataCount header_metadata(std::span<const std::byte> file) {
  MetadataCount metadata;
  JpegMarkers walk(file);
  for (auto segment = walk.next(); segment && segment->marker != jpeg_marker::sos;
       segment = walk.next()) {
    metadata.add(segment->payload.size());
  }
  return metadata;
}

}  // namespace

JpegFile::JpegFile(std::span<const std::byte> all, const Limits& limits)
    : bytes(all), end(all.size()) {
  MetadataCount metadata = header_metadata(bytes);
  metadata.check(limits);
  JpegMarkers walk(bytes);
  std::optional<JpegSegment> segment = jpeg_header_segments(bytes, walk, segments);
  JpegScanReader reader;
  for (const JpegSegment& each : segments) {
    reader.take(each);
    if (is_app_or_com(each.marker)) markers.push_back(each);
    if (jpeg_marker::is_frame(each.marker)) size = size_in_frame(each);
  }
  for (; segment; segment = walk.next()) {
    const bool is_scan = segment->marker == jpeg_marker::sos;
    const bool is_end = segment->marker == jpeg_marker::eoi;
    scan_count += is_scan;
    if (!is_scan && !is_end) metadata.add(segment->payload.size());
    // Beyond the limits they are counted on, for the message.
    if (scan_count <= limits.scans) reader.take(*segment);
    if (is_app_or_com(segment->marker) && metadata.count <= limits.metadata_count) {
      markers.push_back(*segment);
    }
    if (!is_end) continue;
    end = segment->offset;
    break;
  }
  metadata.check(limits);
  check_limit(limits, &Limits::scans, scan_count);
  scans = reader.scans();
}

JpegFile JpegFile::without_trailing_data() const {
  JpegFile picture = *this;
  picture.bytes = bytes.first(end);
  return picture;
}

}  // namespace qturn
