#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "src/carriers/exif.hpp"
#include "src/jpeg/codec.hpp"
#include "src/jpeg/markers.hpp"
#include "src/jpeg/picture.hpp"
#include "src/jpeg/session.hpp"

namespace qturn {
namespace {

constexpr int fresh_quality = 95;
constexpr int rows_at_a_time = 16;

void check_can_be_jpeg(const Image& image) {
  if (image.pages.size() != 1) {
    throw ImageFileError(fmt::format("{} pages cannot be kept in a JPEG", image.pages.size()));
  }
  const Page& page = image.pages.front();
  if (page.type != SampleFormat::u8) {
    throw ImageFileError("only 8-bit samples can be kept in a JPEG");
  }
  if (page.channels == 2 || page.channels == 4) {
    throw ImageFileError("transparency cannot be kept in a JPEG");
  }
  if (page.channels != 1 && page.channels != 3) {
    throw ImageFileError(fmt::format("{} channels cannot be kept in a JPEG", page.channels));
  }
}

void set_fresh(jpeg_compress_struct& info) {
  info.in_color_space = info.input_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, fresh_quality, TRUE);
  for (int i = 0; i < info.num_components; ++i) {
    info.comp_info[i].h_samp_factor = info.comp_info[i].v_samp_factor = 1;
  }
}

// What other formats said, as JPEG's markers.
std::vector<JpegMarker> markers_of(const Metadata& metadata) {
  constexpr std::size_t max_payload = 65533;
  std::vector<JpegMarker> markers;
  const auto add = [&](int code, std::string_view signature, std::span<const std::byte> body) {
    if (body.empty() || signature.size() + body.size() > max_payload) return;
    const auto first = std::as_bytes(std::span(signature.data(), signature.size()));
    JpegMarker marker{code, Bytes(first.begin(), first.end())};
    marker.data.insert(marker.data.end(), body.begin(), body.end());
    markers.push_back(std::move(marker));
  };
  const auto bytes_of = [](const std::string& text) { return std::as_bytes(std::span(text)); };
  add(JPEG_APP0 + 1, exif_signature, metadata.exif);
  add(JPEG_APP0 + 1, xmp_signature, bytes_of(metadata.xmp));
  add(JPEG_COM, "", bytes_of(metadata.comment));
  return markers;
}

}  // namespace

Bytes encode_jpeg(const Image& turned, const std::atomic<bool>& stop) {
  check_can_be_jpeg(turned);
  const Page& page = turned.pages.front();
  const Metadata metadata = turned.extras ? turned.extras->metadata : Metadata{};
  const std::vector<JpegMarker> markers = markers_of(metadata);
  const Bytes& profile = metadata.icc;

  JpegEncoder encoder(&stop, (64 << 10) + page.bytes() / 4);
  jpeg_compress_struct& info = encoder.info;
  guarded(encoder.errors, [&] {
    info.image_width = static_cast<JDIMENSION>(page.width);
    info.image_height = static_cast<JDIMENSION>(page.height);
    info.input_components = page.channels;
    set_fresh(info);
    jpeg_start_compress(&info, TRUE);
    for (std::size_t i = 0; i < markers.size(); ++i) {
      jpeg_write_marker(&info, markers[i].code,
                        reinterpret_cast<const JOCTET*>(markers[i].data.data()),
                        static_cast<unsigned>(markers[i].data.size()));
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

}  // namespace qturn
