#include "src/formats/jpeg/file/jpeg_file.hpp"

#include <optional>
#include <utility>

#include "kernels/jpeg/src/header.hpp"
#include "src/metadata/exif.hpp"
#include "src/picture/image.hpp"

namespace qturn::jpeg {
namespace {

using namespace jpeg_marker;

void check_frame(const JpegSegment& frame) {
  const auto refused = refusal_of(frame);
  if (refused && refused->why != JpegRefusal::progressive)
    throw ImageFileError(refused->name + " is not supported");
}

}  // namespace

JpegSegment jpeg_header_segments(std::span<const std::byte> file, JpegMarkers& markers,
                                 std::vector<JpegSegment>& segments) {
  if (!begins_as_jpeg(file)) throw ImageFileError("is not a JPEG");
  while (const std::optional<JpegSegment> segment = markers.next()) {
    if (segment->marker == eoi) throw ImageFileError("ends before the picture begins");
    if (segment->marker == dhp) throw ImageFileError("hierarchical JPEG is not supported");
    if (is_frame(segment->marker)) check_frame(*segment);
    if (segment->marker == sos) return *segment;
    segments.push_back(*segment);
  }
  throw ImageFileError(markers.is_damaged() ? "damaged before the picture begins"
                                            : "truncated before the picture begins");
}

std::vector<JpegSegment> jpeg_header_segments(std::span<const std::byte> file) {
  JpegMarkers markers(file);
  std::vector<JpegSegment> segments;
  jpeg_header_segments(file, markers, segments);
  return segments;
}

Orientation orientation_in(const std::vector<JpegSegment>& segments) {
  for (const JpegSegment& segment : segments) {
    if (is_exif(segment)) return orientation_of_exif(segment.payload);
  }
  return Orientation::identity;
}

bool is_exif(const JpegSegment& segment) {
  return segment.marker == app1 && is_exif_signed(text_of(segment.payload));
}

bool is_xmp(const JpegSegment& segment) {
  return segment.marker == app1 && text_of(segment.payload).starts_with(xmp_signature);
}

bool is_manifest(const JpegSegment& segment) {
  return segment.marker == app11 &&
         text_of(segment.payload).substr(0, 64).find("c2pa") != std::string_view::npos;
}

bool is_mpf(const JpegSegment& segment) {
  return segment.marker == app2 && text_of(segment.payload).starts_with(mpf_signature);
}

std::string_view xmp_packet(const JpegSegment& segment) {
  return text_of(segment.payload).substr(xmp_signature.size());
}

bool is_app_or_com(unsigned char marker) {
  return (marker >= jpeg_marker::app0 && marker <= jpeg_marker::app15) ||
         marker == jpeg_marker::com;
}

namespace {

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

JpegFile::JpegFile(std::span<const std::byte> all, const Limits& limits, Part part)
    : bytes(all), end(all.size()), limits_(limits), rest_(all), metadata_(header_metadata(all)) {
  metadata_.check(limits_);
  const JpegSegment first_scan = jpeg_header_segments(bytes, rest_, segments);
  for (const JpegSegment& each : segments) {
    reader_.take(each);
    if (is_app_or_com(each.marker)) markers.push_back(each);
    if (jpeg_marker::is_frame(each.marker)) size = size_in_frame(each);
  }
  reader_.take(first_scan);
  scan_count = 1;
  scans = reader_.scans();
  if (part == Part::all) complete();
}

void JpegFile::complete() {
  if (is_complete_) return;
  is_complete_ = true;
  lacks_end = true;
  while (const auto segment = rest_.next()) {
    const bool is_scan = segment->marker == jpeg_marker::sos;
    const bool is_end = segment->marker == jpeg_marker::eoi;
    scan_count += is_scan;
    if (!is_scan && !is_end) metadata_.add(segment->payload.size());
    // Beyond the limits they are counted on, for the message.
    if (scan_count <= limits_.scans) reader_.take(*segment);
    if (is_app_or_com(segment->marker) && metadata_.count <= limits_.metadata_count) {
      markers.push_back(*segment);
    }
    if (!is_end) continue;
    end = segment->offset;
    lacks_end = false;
    break;
  }
  if (rest_.is_in_segment()) lacks_end = false;
  constexpr std::size_t marker_bytes = 2;
  if (lacks_end) reader_.take({jpeg_marker::eoi, end + marker_bytes, {}});  // as if it were there
  metadata_.check(limits_);
  check_limit(limits_, &Limits::scans, scan_count);
  scans = reader_.scans();
}

void JpegFile::complete_with(std::size_t data_bytes) {
  constexpr std::size_t marker_bytes = 2;
  is_complete_ = true;
  scans.front().bytes = data_bytes - marker_bytes;
  end = scans.front().data_at + data_bytes;
}

JpegFile JpegFile::without_trailing_data() const {
  JpegFile picture = *this;
  picture.bytes = bytes.first(end);
  return picture;
}

}  // namespace qturn::jpeg
