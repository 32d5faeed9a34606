// JPEG's row of the table.
#include "src/formats/jpeg/codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/jpeg/src/header.hpp"
#include "src/formats/codec/codec.hpp"
#include "src/formats/container/video_matrix.hpp"
#include "src/formats/jpeg/file/jpeg_file.hpp"
#include "src/formats/jpeg/libjpeg/picture.hpp"
#include "src/formats/jpeg/libjpeg/session.hpp"
#include "src/formats/jpeg/metadata/orientation_metadata.hpp"
#include "src/formats/jpeg/metadata/trailing_pictures.hpp"
#include "src/formats/jpeg/turn.hpp"
#include "src/formats/table.hpp"
#include "src/metadata/exif.hpp"
#include "src/metadata/exif_thumbnail.hpp"
#include "src/metadata/photoshop_resources.hpp"
#include "src/metadata/resolution.hpp"
#include "src/metadata/xmp.hpp"

namespace qturn::jpeg {
namespace {

using namespace jpeg_marker;

std::string name_of(unsigned char marker) {
  if (marker == com) return "the comment";
  if (is_app_or_com(marker)) return fmt::format("the segment APP{}", marker - app0);
  return fmt::format("the segment {:#04x}", marker);
}

void add_metadata(const JpegSegment& segment, Orientation applied, std::vector<FilePart>& parts) {
  using enum FilePart::Kind;
  const std::string name = name_of(segment.marker);
  if (is_exif(segment)) {
    parts.emplace_back(exif, name, segment.payload);
  } else if (is_xmp(segment)) {
    // A packet that names its extension names it by a hash.
    const std::string_view packet = xmp_packet(segment);
    add_xmp_parts(name, packet, parts);
    if (packet.find("HasExtendedXMP") != std::string_view::npos)
      parts.back() = FilePart(other, name, {});
  } else if (is_mpf(segment)) {
    parts.emplace_back(other, name, std::span<const std::byte>());  // lengths
  } else if (segment.marker != app0) {
    parts.emplace_back(fixed, name, segment.payload);
  } else if (const auto thumbnail = jfif_thumbnail(segment.payload); !thumbnail.empty()) {
    parts.emplace_back(embedded, "the JFIF thumbnail", thumbnail);
  } else {
    parts.push_back(FilePart::of_copy(fixed, name, turned_jfif(segment.payload, applied)));
  }
}

// What goes on from one segment to the next, and may take more of them after a turn.
void add_spread_metadata(const JpegFile& file, Orientation applied, std::vector<FilePart>& parts) {
  using enum FilePart::Kind;
  const ExtendedXmp extended = read_extended_xmp(file.segments);
  if (extended.damaged) {
    parts.push_back(FilePart::of_copy(fixed, "the extended XMP", bytes_of(extended.packet)));
  } else if (!extended.parts.empty()) {
    add_xmp_parts("the extended XMP", extended.packet, parts);
  }
  const PhotoshopResources photoshop = photoshop_resources(file.segments);
  if (photoshop.parts.empty()) return;
  const ResourceParts resources = parts_of_resources(photoshop.whole, applied);
  parts.push_back(FilePart::of_copy(fixed, "the resources of Photoshop", resources.rest));
  for (const auto& thumbnail : resources.thumbnails)
    parts.push_back(FilePart::with_copy(embedded, "the thumbnail of Photoshop", thumbnail));
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
  const std::size_t header_end = file.segments.empty() ? 0 : file.segments.back().offset;
  for (const JpegSegment& segment : file.markers) {
    const bool is_spread =
        is_photoshop(segment) || text_of(segment.payload).starts_with(extended_xmp_signature);
    if (!is_spread || segment.offset > header_end) add_metadata(segment, applied, parts);
  }
  add_spread_metadata(file, applied, parts);
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

namespace {

constexpr int fresh_quality = 95;

// What the pixels of another format may be.
constexpr Capacity jpeg_capacity = {
    .samples = bit_of(SampleFormat::u8),
    .channels = [](int count, Meaning::Alpha) { return count == 1 || count == 3; }};

void set_fresh(jpeg_compress_struct& info, int quality) {
  info.in_color_space = info.input_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  for (int i = 0; i < info.num_components; ++i) {
    info.comp_info[i].h_samp_factor = info.comp_info[i].v_samp_factor = 1;
  }
}

// JFIF has whole numbers, per inch or per centimetre: the unit with the nearer numbers is taken.
void set_resolution(jpeg_compress_struct& info, const Resolution& resolution) {
  constexpr double most = 65535;
  const PixelsPerInch inch = pixels_per_inch(resolution);
  const double x_cm = resolution.x * metres_per_centimetre,
               y_cm = resolution.y * metres_per_centimetre;
  const auto error = [](double x, double y) {
    return std::abs(x - std::round(x)) / x + std::abs(y - std::round(y)) / y;
  };
  const bool by_inch = error(inch.x, inch.y) <= error(x_cm, y_cm);
  const double x = std::round(by_inch ? inch.x : x_cm), y = std::round(by_inch ? inch.y : y_cm);
  if (x < 1 || y < 1 || x > most || y > most) return;
  info.density_unit = by_inch ? 1 : 2;
  info.X_density = static_cast<UINT16>(x);
  info.Y_density = static_cast<UINT16>(y);
}

// What other formats said, as JPEG's markers.
std::vector<JpegMarker> markers_of(const Metadata& metadata, std::vector<std::string>& warnings) {
  constexpr std::size_t max_payload = 65533;
  std::vector<JpegMarker> markers;
  const auto add = [&](const char* what, int code, std::string_view signature,
                       std::span<const std::byte> body) {
    if (body.empty()) return;
    if (signature.size() + body.size() > max_payload) {
      warnings.push_back(fmt::format("its {} is left out: {} bytes do not fit into a JPEG's 64 KiB",
                                     what, body.size()));
      return;
    }
    const auto first = bytes_of(signature);
    JpegMarker marker{code, Bytes(first.begin(), first.end())};
    marker.data.insert(marker.data.end(), body.begin(), body.end());
    markers.push_back(std::move(marker));
  };
  add("Exif block", JPEG_APP0 + 1, exif_signature, metadata.exif);
  add("XMP", JPEG_APP0 + 1, xmp_signature, bytes_of(metadata.xmp));
  add("comment", JPEG_COM, "", bytes_of(metadata.comment));
  return markers;
}

}  // namespace

Bytes encode_jpeg(const Image& turned, const std::atomic<bool>& stop,
                  std::vector<std::string>& warnings) {
  check_fits(turned, "jpeg", jpeg_capacity);
  const Page& page = turned.pages.front();
  const Metadata metadata = turned.extras ? turned.extras->metadata : Metadata{};
  const std::vector<JpegMarker> markers = markers_of(metadata, warnings);
  const Bytes& profile = metadata.icc;

  JpegEncoder encoder(&stop, (64 << 10) + page.bytes() / 4);
  jpeg_compress_struct& info = encoder.info;
  guarded(encoder.errors, [&] {
    info.image_width = static_cast<JDIMENSION>(page.width);
    info.image_height = static_cast<JDIMENSION>(page.height);
    info.input_components = page.channels;
    set_fresh(info, turned.quality.value_or(fresh_quality));
    if (metadata.resolution) set_resolution(info, *metadata.resolution);
    jpeg_start_compress(&info, TRUE);
    for (const auto& marker : markers) {
      jpeg_write_marker(&info, marker.code, reinterpret_cast<const JOCTET*>(marker.data.data()),
                        static_cast<unsigned>(marker.data.size()));
    }
    if (!profile.empty()) {
      jpeg_write_icc_profile(&info, reinterpret_cast<const JOCTET*>(profile.data()),
                             static_cast<unsigned>(profile.size()));
    }
    JSAMPROW rows[rows_at_a_time];
    while (info.next_scanline < info.image_height) {
      check_stop(encoder.errors);
      const JDIMENSION count =
          std::min<JDIMENSION>(rows_at_a_time, info.image_height - info.next_scanline);
      for (JDIMENSION i = 0; i < count; ++i) {
        rows[i] = static_cast<JSAMPLE*>(page.pixels) +
                  static_cast<std::size_t>(page.row_bytes()) * (info.next_scanline + i);
      }
      jpeg_write_scanlines(&info, rows, count);
    }
    jpeg_finish_compress(&info);
  });
  return encoder.take();
}

namespace {

Metadata metadata_of(const std::vector<JpegMarker>& markers) {
  Metadata metadata;
  std::array<std::span<const std::byte>, 256> profile;  // its parts by their number
  for (const JpegMarker& marker : markers) {
    const std::span<const std::byte> data(marker.data);
    const std::string_view text = text_of(data);
    const JpegSegment segment{static_cast<unsigned char>(marker.code), 0, data};
    if (is_exif(segment) && metadata.exif.empty()) {
      const auto body = exif_body(data);
      metadata.exif.assign(body.begin(), body.end());
    } else if (marker.code == JPEG_APP0 + 1 && text.starts_with(xmp_signature)) {
      metadata.xmp = text.substr(xmp_signature.size());
    } else if (marker.code == JPEG_APP0 + 2 && text.starts_with(icc_signature) &&
               text.size() >= icc_signature.size() + 2) {
      const auto number = std::to_integer<std::size_t>(data[icc_signature.size()]);
      profile[number] = data.subspan(icc_signature.size() + 2);
    } else if (marker.code == JPEG_COM && metadata.comment.empty()) {
      metadata.comment = text.substr(0, text.find('\0'));
    }
  }
  for (const auto part : profile) metadata.icc.insert(metadata.icc.end(), part.begin(), part.end());
  return metadata;
}

// JFIF's; where it states only the shape of a pixel, Exif's.
std::optional<Resolution> resolution_of(const jpeg_decompress_struct& info,
                                        const Metadata& metadata) {
  constexpr int inch = 1, centimetre = 2;
  if (info.saw_JFIF_marker && (info.density_unit == inch || info.density_unit == centimetre)) {
    return resolution_in(info.X_density, info.Y_density,
                         info.density_unit == inch ? metres_per_inch : metres_per_centimetre);
  }
  return resolution_of_exif(metadata.exif);
}

constexpr const char* cmyk_stays = "a CMYK JPEG can only be written as a JPEG";

void refuse_cmyk(const JpegDecoder& decoder) {
  if (decoder.info.num_components == 4) throw ImageFileError(cmyk_stays);
}

Page page_of(JpegDecoder& decoder, PixelArena& arena) {
  jpeg_decompress_struct& info = decoder.info;
  info.out_color_space = info.num_components == 1   ? JCS_GRAYSCALE
                         : info.num_components == 3 ? JCS_RGB
                                                    : JCS_CMYK;
  Page page{.width = info.image_width,
            .height = info.image_height,
            .channels = info.num_components,
            .type = SampleFormat::u8};
  page.pixels = arena.take(page.bytes());
  return page;
}

void read_rows(JpegDecoder& decoder, const Page& page) {
  jpeg_decompress_struct& info = decoder.info;
  guarded(decoder.errors, [&] {
    jpeg_start_decompress(&info);
    JSAMPROW rows[rows_at_a_time];
    while (info.output_scanline < info.output_height) {
      check_stop(decoder.errors);
      const JDIMENSION count =
          std::min<JDIMENSION>(rows_at_a_time, info.output_height - info.output_scanline);
      for (JDIMENSION i = 0; i < count; ++i) {
        rows[i] = static_cast<JSAMPLE*>(page.pixels) +
                  static_cast<std::size_t>(page.row_bytes()) * (info.output_scanline + i);
      }
      jpeg_read_scanlines(&info, rows, count);
    }
    // The parts of the file that are needed below are gone once the decoder is finished. So only
    // look for the end.
    while (jpeg_consume_input(&info) != JPEG_REACHED_EOI) {
    }
  });
}

Image image_of(const JpegDecoder& decoder, const Page& page) {
  auto extras = std::make_shared<Extras>();
  extras->metadata = metadata_of(upright_markers(decoder.file));
  extras->metadata.resolution = resolution_of(decoder.info, extras->metadata);
  return {.format = &codec,
          .stored = orientation_in(decoder.file.segments),
          .pages = {page},
          .extras = std::move(extras)};
}

}  // namespace

Image decode_jpeg(std::span<const std::byte> file, PixelArena& arena, const std::atomic<bool>& stop,
                  std::vector<std::string>& warnings) {
  JpegDecoder decoder(file, &stop, unlimited);  // check_limits() has looked at it
  refuse_cmyk(decoder);
  const Page page = page_of(decoder, arena);
  // Smoothing would invent coefficients that the scans of a progressive file lack.
  decoder.info.do_block_smoothing = FALSE;
  read_rows(decoder, page);
  check_complete(decoder);
  Image image = image_of(decoder, page);
  add_notes(decoder, warnings);
  const std::span<const std::byte> rest = decoder.file.trailing_data();
  std::vector<std::string> unused;
  const TrailingPictures trailing(decoder.file, unused);  // throws if one of them is cut
  if (!all_zero(rest)) {
    warnings.push_back(fmt::format(
        "{} bytes after the end of the picture (previews, a gain map, a video) are not kept",
        rest.size()));
  }
  return image;
}

Image decode_jpeg_pixels(std::span<const std::byte> file, const Limits& limits, PixelArena& arena,
                         const std::atomic<bool>& stop) {
  JpegDecoder decoder(file, &stop, limits);
  const std::uint64_t pixels = std::uint64_t{decoder.info.image_width} * decoder.info.image_height;
  check_size(limits, pixels, pixels * static_cast<unsigned>(decoder.info.num_components),
             file.size());
  const Page page = page_of(decoder, arena);
  decoder.info.do_block_smoothing = FALSE;
  read_rows(decoder, page);
  check_complete(decoder);
  Image image{.format = &codec, .stored = orientation_in(decoder.file.segments), .pages = {page}};
  if (page.channels == 4) {
    // They are stored as Adobe's programs do it, the other way round.
    const std::span samples(static_cast<std::uint8_t*>(page.pixels), page.bytes());
    for (std::uint8_t& sample : samples) sample = static_cast<std::uint8_t>(~sample);
    auto extras = std::make_shared<Extras>();
    extras->meaning = {.refusal = cmyk_stays, .is_cmyk = true};
    image.extras = std::move(extras);
  }
  return image;
}

std::optional<JpegToDecode> jpeg_to_decode(std::span<const std::byte> file, const Limits& limits) {
  try {
    JpegMarkers markers(file);
    std::vector<JpegSegment> segments;
    const JpegSegment scan = jpeg_header_segments(file, markers, segments);
    HeaderReader reader;
    MetadataCount metadata;
    for (const JpegSegment& segment : segments) {
      reader.take(segment);
      metadata.add(segment.payload.size());
    }
    metadata.check(limits);
    reader.take(scan);
    JpegToDecode found{reader.header(), orientation_in(segments)};
    const JpegScanLayout& layout = found.header.scan;
    if (layout.components != 1 && !found.header.is_ycbcr) return std::nullopt;
    check_limit(limits, &Limits::scans, 1);
    const std::uint64_t pixels = static_cast<std::uint64_t>(layout.size.width) *
                                 static_cast<std::uint64_t>(layout.size.height);
    check_size(limits, pixels, pixels * static_cast<unsigned>(layout.components), file.size());
    return found;
  } catch (const JpegRefused&) {
    return std::nullopt;
  } catch (const ImageFileError&) {
    return std::nullopt;
  }
}

Image salvage_jpeg(std::span<const std::byte> file, PixelArena& arena,
                   const std::atomic<bool>& stop) {
  JpegDecoder decoder(file, &stop, unlimited);
  decoder.errors.goes_on = true;
  refuse_cmyk(decoder);
  const Page page = page_of(decoder, arena);
  constexpr int grey = 128;
  std::memset(page.pixels, grey, page.bytes());
  try {
    read_rows(decoder, page);
  } catch (const ImageFileError&) {
    if (decoder.info.output_scanline == 0) throw;
  }
  if (decoder.errors.nothing_read) throw ImageFileError("damaged before the first row");
  Image image = image_of(decoder, page);
  image.format = nullptr;
  return image;
}

namespace {

// The only picture, or one that follows it.
void check_picture(const JpegFile& file, MetadataCheck& check) {
  for (const JpegSegment& segment : file.segments) {
    if (is_exif(segment)) check.exif(segment.payload);
  }
  for (const JpegSegment& segment : file.segments) {
    if (is_xmp(segment)) check.xmp("XMP", xmp_packet(segment));
  }
  for (const JpegSegment& segment : file.segments)
    if (segment.marker == app0)
      check.smaller("the JFIF thumbnail", jpeg_size(jfif_thumbnail(segment.payload)), std::nullopt);
  check.photoshop(photoshop_resources(file.segments).whole);
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
      if (!begins_as_jpeg(picture.jpeg)) {
        const auto png = embedded_size(picture.jpeg);
        if (!png) throw ImageFileError("is not a JPEG");
        check.smaller(picture.name, png, std::nullopt);
        continue;
      }
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
