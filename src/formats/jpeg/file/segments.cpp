#include "src/formats/jpeg/file/segments.hpp"

#include <fmt/format.h>

#include <optional>

#include "src/metadata/exif.hpp"
#include "src/picture/image.hpp"

namespace qturn::jpeg {
namespace {

using namespace jpeg_marker;

// Frame types as ITU T.81, table B.1, numbers them.
void check_frame(unsigned char marker, std::span<const std::byte> payload) {
  const int type = marker - sof0;
  if (type == 3 || type == 7 || type == 11 || type == 15) {
    throw ImageFileError("lossless JPEG (a process of its own) is not supported");
  }
  if (type == 5 || type == 6 || type == 13 || type == 14) {
    throw ImageFileError("hierarchical JPEG is not supported");
  }
  if (type == 9 || type == 10) throw ImageFileError("arithmetic-coded JPEG is not supported");
  if (!payload.empty() && payload[0] != std::byte{8}) {
    throw ImageFileError(
        fmt::format("{}-bit JPEG is not supported", std::to_integer<int>(payload[0])));
  }
}

std::string_view text_of(const JpegSegment& segment) {
  return {reinterpret_cast<const char*>(segment.payload.data()), segment.payload.size()};
}

}  // namespace

JpegSegment jpeg_header_segments(std::span<const std::byte> file, JpegMarkers& markers,
                                 std::vector<JpegSegment>& segments) {
  if (!begins_as_jpeg(file)) throw ImageFileError("is not a JPEG");
  while (const std::optional<JpegSegment> segment = markers.next()) {
    if (segment->marker == eoi) throw ImageFileError("ends before the picture begins");
    if (segment->marker == dhp) throw ImageFileError("hierarchical JPEG is not supported");
    if (is_frame(segment->marker)) check_frame(segment->marker, segment->payload);
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
  return segment.marker == app1 && is_exif_signed(text_of(segment));
}

bool is_xmp(const JpegSegment& segment) {
  return segment.marker == app1 && text_of(segment).starts_with(xmp_signature);
}

bool is_manifest(const JpegSegment& segment) {
  return segment.marker == app11 &&
         text_of(segment).substr(0, 64).find("c2pa") != std::string_view::npos;
}

bool is_mpf(const JpegSegment& segment) {
  return segment.marker == app2 && text_of(segment).starts_with(mpf_signature);
}

std::string_view xmp_packet(const JpegSegment& segment) {
  return text_of(segment).substr(xmp_signature.size());
}

}  // namespace qturn::jpeg
