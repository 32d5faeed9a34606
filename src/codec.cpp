#include "src/codec.hpp"

#include "src/jpeg_codec.hpp"
#include "src/oiio_codec.hpp"
#include "src/png_chunks.hpp"

namespace qturn {

Header read_header(std::span<const std::byte> file, Format format) {
  return format == Format::jpeg ? read_jpeg_header(file) : read_oiio_header(file, format);
}

Image decode(std::span<const std::byte> file, Format format, Format target, PixelArena& arena,
             const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  if (format == Format::jpeg) {
    const auto samples =
        target == Format::jpeg ? JpegSamples::as_stored : JpegSamples::for_display;
    return decode_jpeg(file, samples, arena, stop, warnings);
  }
  return decode_oiio(file, format, arena, stop, warnings);
}

Bytes encode(const Image& turned, Orientation applied, Format target, const std::atomic<bool>& stop,
             std::vector<std::string>&) {
  if (target == Format::jpeg) return encode_jpeg(turned, applied, stop);
  return encode_oiio(turned, applied, target, stop);
}

std::optional<Bytes> retag_upright(std::span<const std::byte> file, Format format) {
  if (format == Format::jpeg) return retag_jpeg_upright(file);
  if (format == Format::png) return retag_png_upright(file);
  return std::nullopt;
}

std::string codec_versions() { return jpeg_library_version() + ", " + oiio_library_version(); }

}  // namespace qturn
