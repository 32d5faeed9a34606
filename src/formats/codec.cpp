#include "src/formats/codec.hpp"

#include <fmt/format.h>

#include "src/formats/pnm.hpp"
#include "src/jpeg/codec.hpp"
#include "src/oiio/codec.hpp"
#include "src/png/chunks.hpp"
#include "src/png/codec.hpp"
#include "src/png/zlib.hpp"

namespace qturn {

Header read_header(std::span<const std::byte> file, Format format) {
  switch (format) {
    case Format::jpeg:
      return read_jpeg_header(file);
    case Format::png:
      return read_png_header(file);
    case Format::pnm:
      return read_pnm_header(file);
    default:
      return read_oiio_header(file, format);
  }
}

Image decode(std::span<const std::byte> file, Format format, Format target, PixelArena& arena,
             const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  switch (format) {
    case Format::jpeg:
      return decode_jpeg(file, arena, stop, warnings);
    case Format::png:
      return decode_png(file, target, arena, stop, warnings);
    case Format::pnm:
      return decode_pnm(file, arena);
    default:
      return decode_oiio(file, format, arena, stop, warnings);
  }
}

Bytes encode(const Image& turned, Orientation applied, Format target, const std::atomic<bool>& stop,
             std::vector<std::string>& warnings) {
  if (target == Format::jpeg) return encode_jpeg(turned, stop);
  const bool keeps_metadata =
      target == Format::png || target == Format::tiff || target == Format::webp;
  if (turned.format != target && !keeps_metadata && turned.extras) {
    const Metadata& metadata = turned.extras->metadata;
    if (!metadata.icc.empty() || !metadata.exif.empty() || !metadata.xmp.empty()) {
      warnings.push_back(
          fmt::format("the colour profile, Exif and XMP are not kept in {}", name(target)));
    }
  }
  if (turned.format != target) check_conversion(turned, target);
  if (target == Format::png) return encode_png(turned, applied, stop, warnings);
  if (target == Format::pnm) return encode_pnm(turned);
  return encode_oiio(turned, applied, target, stop);
}

std::optional<Bytes> retag_upright(std::span<const std::byte> file, Format format) {
  if (format == Format::jpeg) return retag_jpeg_upright(file);
  if (format == Format::png) return retag_png_upright(file);
  return std::nullopt;
}

std::string codec_versions() {
  return fmt::format("{}, {}, {}", jpeg_library_version(), zlib_library_version(),
                     oiio_library_version());
}

}  // namespace qturn
