#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "kernels/jpeg/src/header.hpp"
#include "src/formats/jpeg/codec.hpp"
#include "src/formats/jpeg/file/segments.hpp"
#include "src/formats/jpeg/libjpeg/header.hpp"
#include "src/formats/jpeg/libjpeg/picture.hpp"
#include "src/formats/jpeg/libjpeg/session.hpp"
#include "src/formats/jpeg/metadata/trailing_pictures.hpp"
#include "src/metadata/exif.hpp"
#include "src/metadata/resolution.hpp"

namespace qturn::jpeg {
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
  if (std::ranges::any_of(rest, [](std::byte byte) { return byte != std::byte{0}; })) {
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

}  // namespace qturn::jpeg
