// JPEG's row of the table.
#include "src/formats/jpeg/codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/formats/jpeg/file/jpeg_file.hpp"
#include "src/formats/jpeg/metadata/extended_xmp.hpp"
#include "src/formats/jpeg/metadata/orientation_metadata.hpp"
#include "src/formats/jpeg/metadata/trailing_pictures.hpp"
#include "src/formats/jpeg/turn.hpp"
#include "src/metadata/exif.hpp"

namespace qturn::jpeg {
namespace {

// The only picture, or one that follows it.
void check_picture(const JpegFile& file, MetadataCheck& check) {
  for (const JpegSegment& segment : file.segments) {
    if (is_exif(segment)) check.exif(segment.payload);
  }
  for (const JpegSegment& segment : file.segments) {
    if (is_xmp(segment)) check.xmp("XMP", xmp_packet(segment));
  }
  const ExtendedXmp extended = read_extended_xmp(file.segments);
  if (extended.damaged) {
    check.add("the extended XMP is damaged");
  } else if (!extended.parts.empty()) {
    check.xmp("extended XMP", extended.packet);
  }
  std::vector<std::string> damage;
  const TrailingPictures trailing(file, damage);
  for (std::string& sentence : damage) check.add(std::move(sentence));
  // Each with itself, as any JPEG, and with the first one.
  for (const TrailingPictures::Picture& picture : trailing.pictures()) {
    try {
      // What follows this picture in turn does not matter.
      const JpegFile whole(picture.jpeg);
      if (whole.lacks_end)
        check.add(fmt::format("{}: the marker of its end (EOI) is missing", picture.name));
      const JpegFile alone = whole.without_trailing_data();
      const Header header = read_jpeg_header(alone.bytes);
      MetadataCheck own(header);
      check_picture(alone, own);
      for (const std::string& finding : own.findings()) {
        check.add(fmt::format("{}: {}", picture.name, finding));
      }
      std::optional<Orientation> tag;
      const auto exif = std::ranges::find_if(alone.segments, is_exif);
      if (exif != alone.segments.end()) tag = read_exif(exif_body(exif->payload)).orientation;
      check.smaller(picture.name, header.size(), tag);
    } catch (const ImageFileError& error) {
      check.add(fmt::format("{} cannot be read: {}", picture.name, error.what()));
    }
  }
}

}  // namespace

const Codec codec = {
    .name = "jpeg",
    .alias = "jpg",
    .suffixes = {".jpg", ".jpeg", ".jpe", ".jfif", ".jif"},
    .recognises = [](std::span<const std::byte> head,
                     std::string_view) { return text_of(head).starts_with("\xff\xd8\xff"); },
    .check_limits = [](std::span<const std::byte> file,
                       const Limits& limits) { JpegFile(file, limits); },
    .read_header = read_jpeg_header,
    .decode =
        [](std::span<const std::byte> file, Samples, PixelArena& arena,
           const std::atomic<bool>& stop,
           std::vector<std::string>& warnings) { return decode_jpeg(file, arena, stop, warnings); },
    .decode_pixels = decode_jpeg_pixels,
    .device_decoding = jpeg_to_decode,
    .encode = [](const Image& image, Orientation, const std::atomic<bool>& stop,
                 std::vector<std::string>& warnings) { return encode_jpeg(image, stop, warnings); },
    .is_lossy = true,
    .takes_quality = true,
    .keeps_metadata = true,
    .retag = retag_jpeg,
    // It finishes what it turns.
    .turn_compressed = [](std::span<const std::byte> file, const JpegOptions& options,
                          const Limits& limits) -> std::unique_ptr<CompressedTurn> {
      return std::make_unique<JpegTurn>(file, options, limits);
    },
    .turn_embedded = turn_embedded_jpeg,
    .check = [](std::span<const std::byte> file,
                MetadataCheck& check) { check_picture(JpegFile(file, unlimited), check); },
    .parts = jpeg_parts,
    .salvage = [](std::span<const std::byte> file, PixelArena& arena, const std::atomic<bool>& stop,
                  std::vector<std::string>&) { return salvage_jpeg(file, arena, stop); },
    .library_version = jpeg_library_version,
};

}  // namespace qturn::jpeg
