#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "src/formats/codec/capacity.hpp"
#include "src/formats/jpeg/codec.hpp"
#include "src/formats/jpeg/file/segments.hpp"
#include "src/formats/jpeg/libjpeg/picture.hpp"
#include "src/formats/jpeg/libjpeg/session.hpp"
#include "src/metadata/exif.hpp"
#include "src/metadata/resolution.hpp"

namespace qturn::jpeg {
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

// JFIF has whole numbers, per inch or per centimetre: those that are nearer.
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

}  // namespace qturn::jpeg
