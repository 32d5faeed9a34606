#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "src/carriers/exif.hpp"
#include "src/jpeg/codec.hpp"
#include "src/jpeg/header.hpp"
#include "src/jpeg/markers.hpp"
#include "src/jpeg/picture.hpp"
#include "src/jpeg/session.hpp"

namespace qturn {
namespace {

constexpr int rows_at_a_time = 16;

Metadata metadata_of(const std::vector<JpegMarker>& markers) {
  Metadata metadata;
  std::array<std::span<const std::byte>, 256> profile;  // its parts by their number
  for (const JpegMarker& marker : markers) {
    const std::span<const std::byte> data(marker.data);
    const std::string_view text(reinterpret_cast<const char*>(data.data()), data.size());
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

}  // namespace

Image decode_jpeg(std::span<const std::byte> file, PixelArena& arena, const std::atomic<bool>& stop,
                  std::vector<std::string>& warnings) {
  const std::vector<JpegSegment> segments = jpeg_header_segments(file);
  JpegDecoder decoder(file, &stop);
  jpeg_decompress_struct& info = decoder.info;
  check_header(info, file.size());
  if (info.num_components == 4) {
    throw ImageFileError("a CMYK JPEG can only be written as a JPEG");
  }
  info.out_color_space = info.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  // Smoothing would guess what the scans of a progressive file did not say.
  info.do_block_smoothing = FALSE;

  Image image{
      .format = Format::jpeg, .stored = orientation_in(segments), .pages = {}, .extras = {}};
  Page page{.width = info.image_width,
            .height = info.image_height,
            .channels = info.num_components,
            .type = SampleFormat::u8};
  page.pixels = arena.take(page.bytes());
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
    // What is kept of the file below is gone once the decoder is finished: only look for the end.
    while (jpeg_consume_input(&info) != JPEG_REACHED_EOI) {
    }
  });
  check_complete(info);
  image.pages.push_back(page);
  auto extras = std::make_shared<Extras>();
  extras->metadata = metadata_of(upright_markers(decoder));
  image.extras = extras;
  add_notes(decoder, warnings);
  const std::span<const std::byte> rest = rest_of(decoder);
  if (std::ranges::any_of(rest, [](std::byte byte) { return byte != std::byte{0}; })) {
    warnings.push_back(fmt::format(
        "{} bytes after the end of the picture (previews, a gain map, a video) are not kept",
        rest.size()));
  }
  return image;
}

}  // namespace qturn
