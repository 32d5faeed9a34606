#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "src/formats/container/video_matrix.hpp"
#include "src/formats/jpeg/codec.hpp"
#include "src/formats/jpeg/file/jpeg_file.hpp"
#include "src/formats/jpeg/metadata/extended_xmp.hpp"
#include "src/formats/jpeg/metadata/orientation_metadata.hpp"
#include "src/formats/jpeg/metadata/trailing_pictures.hpp"
#include "src/metadata/xmp.hpp"

namespace qturn::jpeg {
namespace {

using namespace jpeg_marker;

std::string name_of(unsigned char marker) {
  if (marker == com) return "the comment";
  if (is_app_or_com(marker)) return fmt::format("the segment APP{}", marker - app0);
  return fmt::format("the segment {:#04x}", marker);
}

FilePart metadata_part(const JpegSegment& segment, Orientation applied) {
  using enum FilePart::Kind;
  const std::string name = name_of(segment.marker);
  const std::string_view text = text_of(segment.payload);
  if (is_exif(segment)) return {exif, name, segment.payload};
  if (is_xmp(segment)) {
    // A packet that names its extension names it by a hash.
    const std::string_view packet = xmp_packet(segment);
    if (packet.find("HasExtendedXMP") != std::string_view::npos) return {other, name, {}};
    return xmp_part(name, packet);
  }
  // These know about the orientation, of lengths, or of a picture that is turned with this one.
  if (is_mpf(segment) || text.starts_with(extended_xmp_signature)) return {other, name, {}};
  if (segment.marker == app0) {
    const auto thumbnail = jfif_thumbnail(segment.payload);
    if (!thumbnail.empty()) return {embedded, "the JFIF thumbnail", thumbnail};
    return FilePart::of_copy(fixed, name, turned_jfif(segment.payload, applied));
  }
  return {fixed, name, segment.payload};
}

// Pictures that follow the first one, and the bytes between them.
void add_trailing(const JpegFile& file, std::vector<FilePart>& parts) {
  std::vector<std::string> unused;
  std::size_t done = file.end;
  const auto add_up_to = [&](std::size_t at) {
    if (at <= done) return;
    parts.emplace_back(FilePart::fixed, "what follows the picture",
                       file.bytes.subspan(done, at - done));
    parts.back().turn_as_seen = turn_videos;
  };
  const TrailingPictures trailing(file, unused);
  for (const TrailingPictures::Picture& picture : trailing.pictures()) {
    const auto at = static_cast<std::size_t>(picture.jpeg.data() - file.bytes.data());
    add_up_to(at);
    parts.emplace_back(FilePart::embedded, std::string(picture.name), picture.jpeg);
    done = at + picture.jpeg.size();
  }
  add_up_to(file.bytes.size());
}

}  // namespace

std::vector<FilePart> jpeg_parts(std::span<const std::byte> bytes, Orientation applied) {
  const JpegFile file(bytes, unlimited);
  std::vector<FilePart> parts;
  for (const JpegSegment& segment : file.markers) parts.push_back(metadata_part(segment, applied));
  for (const JpegSegment& segment : file.segments)
    if (!is_app_or_com(segment.marker))
      parts.emplace_back(FilePart::pixels, name_of(segment.marker), segment.payload);
  if (!file.scans.empty()) {
    const std::size_t at = file.scans.front().data_at;
    parts.emplace_back(FilePart::pixels, "the compressed data", bytes.subspan(at, file.end - at));
  }
  add_trailing(file, parts);
  return parts;
}

}  // namespace qturn::jpeg
