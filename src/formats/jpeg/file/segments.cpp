#include "src/formats/jpeg/file/segments.hpp"

#include <optional>

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
