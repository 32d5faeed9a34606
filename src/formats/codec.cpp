#include "src/formats/codec.hpp"

#include <fmt/format.h>

#include <utility>

#include "src/carriers/exif.hpp"
#include "src/carriers/metadata.hpp"
#include "src/formats/pnm.hpp"
#include "src/jpeg/carriers.hpp"
#include "src/jpeg/codec.hpp"
#include "src/jpeg/turn.hpp"
#include "src/oiio/codec.hpp"
#include "src/png/carriers.hpp"
#include "src/png/chunks.hpp"
#include "src/png/codec.hpp"
#include "src/png/zlib.hpp"
#include "src/tiff/carriers.hpp"
#include "src/tiff/codec.hpp"
#include "src/tiff/library.hpp"
#include "src/webp/carriers.hpp"
#include "src/webp/chunks.hpp"

namespace qturn {

Header read_header(std::span<const std::byte> file, Format format) {
  switch (format) {
    case Format::jpeg:
      return read_jpeg_header(file);
    case Format::png:
      return read_png_header(file);
    case Format::pnm:
      return read_pnm_header(file);
    case Format::tiff:
      return read_tiff_header(file);
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
      return decode_pnm(file, arena, warnings);
    case Format::tiff:
      if (target == Format::tiff) return decode_tiff(file, arena, stop, warnings);
      [[fallthrough]];
    default:
      return decode_oiio(file, format, target, arena, stop, warnings);
  }
}

namespace {

// What one format tells another, turned with the pixels.
Image with_turned_metadata(const Image& turned, Orientation applied,
                           std::vector<std::string>& warnings) {
  const Page& page = turned.pages.front();
  const std::shared_ptr<Extras> extras = turned.extras->copy();
  extras->metadata = turn_metadata(turned.extras->metadata,
                                   {.stored = turned.stored,
                                    .pixels = applied,
                                    .size = {page.width, page.height},
                                    .turn_jpeg = turn_jpeg},
                                   warnings);
  Image image = turned;
  image.extras = extras;
  return image;
}

}  // namespace

Bytes encode(const Image& image, Orientation applied, Format target, const std::atomic<bool>& stop,
             std::vector<std::string>& warnings) {
  const bool is_converted = image.format != target && image.extras;
  const Image turned = is_converted ? with_turned_metadata(image, applied, warnings) : image;
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
  if (target == Format::tiff && is_stored_tiff(turned)) {
    return encode_tiff(turned, applied, stop, warnings);
  }
  return encode_oiio(turned, applied, target, stop);
}

Bytes finish(Bytes encoded, Format format, Orientation stored, Orientation applied, Size size,
             std::vector<std::string>& warnings) {
  const CarrierTurn turn{.stored = stored, .pixels = applied, .size = size, .turn_jpeg = turn_jpeg};
  switch (format) {
    case Format::png:
      return turn_png_carriers(std::move(encoded), turn, MissingTag::stays_absent, warnings);
    case Format::webp:
      return turn_webp_carriers(std::move(encoded), turn, MissingTag::stays_absent, warnings);
    case Format::tiff:
      return turn_tiff_carriers(std::move(encoded), turn, MissingTag::stays_absent, warnings);
    default:
      return encoded;
  }
}

std::optional<Bytes> retag(std::span<const std::byte> file, Format format, Orientation tag,
                           MissingTag missing, std::vector<std::string>& warnings) {
  const auto tagged_from = [&](Orientation stored, Size size) {
    return CarrierTurn{.stored = stored, .tag = tag, .size = size, .turn_jpeg = turn_jpeg};
  };
  switch (format) {
    case Format::jpeg:
      return retag_jpeg(file, tag, missing, turn_jpeg, warnings);
    case Format::png: {
      const std::vector<PngChunk> chunks = png_chunks(file);
      const PngHeader header = png_header(chunks);
      return turn_png_carriers(Bytes(file.begin(), file.end()),
                               tagged_from(png_orientation(chunks), {header.width, header.height}),
                               missing, warnings);
    }
    case Format::webp: {
      const Header header = read_header(file, format);
      return turn_webp_carriers(Bytes(file.begin(), file.end()),
                                tagged_from(header.stored, {header.width, header.height}), missing,
                                warnings);
    }
    case Format::tiff:
      return turn_tiff_carriers(Bytes(file.begin(), file.end()),
                                tagged_from(stored_orientation(file).value, {}), missing, warnings);
    default:
      return std::nullopt;
  }
}

std::string codec_versions() {
  return fmt::format("{}, {}, {}, {}", jpeg_library_version(), zlib_library_version(),
                     tiff_library_version(), oiio_library_version());
}

}  // namespace qturn
