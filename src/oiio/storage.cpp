#include "src/oiio/storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <utility>

namespace qturn {
namespace {

using std::string_view_literals::operator""sv;

constexpr int photometric_separated = 5, photometric_cielab = 8, photometric_itulab = 10,
              photometric_logl = 32844, photometric_logluv = 32845;

int photometric_of(const OIIO::ImageSpec& spec) {
  return spec.get_int_attribute("tiff:PhotometricInterpretation", 1);
}

// A description that says nothing but the shape.
OIIO::ImageSpec bare_spec(const Page& page, OIIO::TypeDesc type) {
  OIIO::ImageSpec spec(static_cast<int>(page.width), static_cast<int>(page.height), page.channels,
                       type);
  // Samples are stored as they come, alpha is not multiplied in or out.
  spec.attribute("oiio:UnassociatedAlpha", 1);
  return spec;
}

void set_webp_options(OIIO::ImageSpec& spec, bool lossless) {
  // The encoder's own middle between speed and size.
  spec.attribute("webp:method", 4);
  spec.attribute("compression", lossless ? "lossless" : "webp:95");
}

void swap_tiles(OIIO::ImageSpec& to, const OIIO::ImageSpec& from, Orientation applied) {
  const bool swapped = swaps_axes(applied);
  to.tile_width = swapped ? from.tile_height : from.tile_width;
  to.tile_height = swapped ? from.tile_width : from.tile_height;
}

// The data window is a rectangle in the display window, and turns with it.
void turn_windows(OIIO::ImageSpec& spec, const OIIO::ImageSpec& stored, Orientation applied) {
  const Size display{stored.full_width, stored.full_height};
  const std::int64_t left = stored.x - stored.full_x, top = stored.y - stored.full_y;
  const Position a = destination_of(applied, {left, top}, display);
  const Position b =
      destination_of(applied, {left + stored.width - 1, top + stored.height - 1}, display);
  const Size turned = turned_size(applied, display);
  if (swaps_axes(applied)) std::swap(spec.full_x, spec.full_y);
  spec.full_width = static_cast<int>(turned.width);
  spec.full_height = static_cast<int>(turned.height);
  spec.x = spec.full_x + static_cast<int>(std::min(a.x, b.x));
  spec.y = spec.full_y + static_cast<int>(std::min(a.y, b.y));
}

OIIO::ImageSpec turned_exr_spec(const OIIO::ImageSpec& stored, const Page& page,
                                Orientation applied) {
  OIIO::ImageSpec spec = stored;
  spec.width = static_cast<int>(page.width);
  spec.height = static_cast<int>(page.height);
  turn_windows(spec, stored, applied);
  swap_tiles(spec, stored, applied);
  const float aspect = spec.get_float_attribute("PixelAspectRatio", 1.0F);
  if (swaps_axes(applied) && aspect != 1.0F) {
    spec.attribute("PixelAspectRatio", 1.0F / aspect);
    const float density = spec.get_float_attribute("XResolution", 0.0F);
    // OpenEXR stores the horizontal density; the vertical one is that times the aspect.
    if (density != 0.0F) spec.attribute("XResolution", density * aspect);
    spec.erase_attribute("YResolution");
  }
  return spec;
}

// OpenImageIO adds to an OpenEXR file when it was written, and the name of a colour space that it
// guessed. The first is not done where a date is there, and one of a type that OpenEXR cannot hold
// is left out.
void add_nothing(OIIO::ImageSpec& spec) {
  if (!spec.find_attribute("DateTime")) {
    const std::uint64_t never = 0;
    spec.attribute("DateTime", OIIO::TypeDesc(OIIO::TypeDesc::UINT64), &never);
  }
  spec.erase_attribute("oiio:ColorSpace");
}

// The alpha of a picture that was read by OpenImageIO.
enum class Alpha : std::uint8_t { none, unassociated, associated };

Alpha alpha_of(const OIIO::ImageSpec& spec) {
  if (spec.alpha_channel < 0) return Alpha::none;
  return spec.get_int_attribute("oiio:UnassociatedAlpha", 0) ? Alpha::unassociated
                                                             : Alpha::associated;
}

void check_channels(const Page& page, Format target, Alpha alpha) {
  bool fits = true;
  switch (target) {
    case Format::png:
    case Format::webp:
    case Format::bmp:
    case Format::tga:
    case Format::pnm: {
      const bool grey = page.channels <= 2 && target != Format::webp;
      // OpenImageIO writes a BMP's fourth bytes without the mask that makes them an alpha.
      const bool with_alpha = page.channels == 2 ? target == Format::png
                                                 : target != Format::pnm && target != Format::bmp;
      const bool has_alpha = page.channels == 2 || page.channels == 4;
      fits = page.channels <= 4 && (page.channels >= 3 || grey) &&
             (!has_alpha || (with_alpha && alpha == Alpha::unassociated));
      break;
    }
    case Format::tiff:
      // OpenImageIO would not say there what the second one is.
      fits = page.channels != 2 || alpha != Alpha::none;
      break;
    case Format::openexr:
      fits = alpha != Alpha::unassociated;
      break;
    case Format::hdr:
      fits = false;
      break;
    default:
      break;
  }
  if (!fits) {
    const char* kind = alpha == Alpha::associated     ? " with premultiplied alpha"
                       : alpha == Alpha::unassociated ? " with alpha"
                                                      : "";
    throw ImageFileError(
        fmt::format("{} channels{} cannot be kept in {}", page.channels, kind, name(target)));
  }
}

void check_samples(const Page& page, Format target) {
  const auto one_of = [&](std::initializer_list<SampleFormat> types) {
    return std::find(types.begin(), types.end(), page.type) != types.end();
  };
  bool fits = true;
  switch (target) {
    case Format::png:
    case Format::pnm:
      fits = one_of({SampleFormat::u8, SampleFormat::u16});
      break;
    case Format::webp:
    case Format::bmp:
    case Format::tga:
      fits = one_of({SampleFormat::u8});
      break;
    case Format::openexr:
      fits = one_of({SampleFormat::u32, SampleFormat::f16, SampleFormat::f32});
      break;
    default:
      break;
  }
  if (!fits) {
    throw ImageFileError(fmt::format("samples of type {} cannot be kept in {}",
                                     type_desc(page.type).c_str(), name(target)));
  }
}

}  // namespace

const char* plugin_name(Format format) {
  constexpr std::array names = {"jpeg", "png", "tiff",  "openexr", "webp",
                                "bmp",  "pnm", "targa", "hdr"};
  return names[static_cast<std::size_t>(format)];
}

std::optional<SampleFormat> sample_type(OIIO::TypeDesc type) {
  switch (type.basetype) {
    case OIIO::TypeDesc::UINT8:
    case OIIO::TypeDesc::INT8:
      return SampleFormat::u8;
    case OIIO::TypeDesc::UINT16:
    case OIIO::TypeDesc::INT16:
      return SampleFormat::u16;
    case OIIO::TypeDesc::UINT32:
    case OIIO::TypeDesc::INT32:
      return SampleFormat::u32;
    case OIIO::TypeDesc::HALF:
      return SampleFormat::f16;
    case OIIO::TypeDesc::FLOAT:
      return SampleFormat::f32;
    case OIIO::TypeDesc::DOUBLE:
      return SampleFormat::f64;
    default:
      return std::nullopt;
  }
}

OIIO::TypeDesc type_desc(SampleFormat type) {
  using OIIO::TypeDesc;
  constexpr std::array types = {TypeDesc::UINT8, TypeDesc::UINT16, TypeDesc::UINT32,
                                TypeDesc::HALF,  TypeDesc::FLOAT,  TypeDesc::DOUBLE};
  return types[static_cast<std::size_t>(type)];
}

void check_page(const OIIO::ImageSpec& spec, Format format) {
  if (spec.deep) throw ImageFileError("deep pixels are not supported");
  if (spec.depth > 1)
    throw ImageFileError("a volume (pictures behind one another) is not supported");
  if (!spec.channelformats.empty()) {
    throw ImageFileError("channels of different types are not supported");
  }
  if (!sample_type(spec.format)) {
    throw ImageFileError(fmt::format("samples of type {} are not supported", spec.format.c_str()));
  }
  if (spec.nchannels * spec.format.size() > 256) {
    throw ImageFileError(
        fmt::format("{} channels of {} bytes are not supported: a pixel may have 256 bytes",
                    spec.nchannels, spec.format.size()));
  }
  if (format == Format::tiff) {
    const int photometric = photometric_of(spec);
    if ((photometric >= photometric_cielab && photometric <= photometric_itulab) ||
        photometric == photometric_logl || photometric == photometric_logluv) {
      throw ImageFileError("a TIFF in Lab or Luv colours is not supported");
    }
    if (photometric == photometric_separated &&
        (spec.nchannels != 4 || spec.format != OIIO::TypeDesc::UINT8)) {
      throw ImageFileError("a CMYK TIFF with more than 8 bits or other inks is not supported");
    }
  }
  if (format == Format::openexr) {
    const std::string compression = spec.get_string_attribute("compression");
    if (compression.starts_with("b44") || compression.starts_with("dwa")) {
      throw ImageFileError(
          fmt::format("lossy OpenEXR compression ({}) is not supported", compression));
    }
  }
}

std::string storage_change_of(const OIIO::ImageSpec& spec, Format format) {
  const int bits = spec.get_int_attribute("oiio:BitsPerSample", 0);
  const std::string compression = spec.get_string_attribute("compression");
  switch (format) {
    case Format::bmp:
      if (compression.starts_with("rle")) return "run lengths become plain pixels";
      if (const int pixel_bits = spec.get_int_attribute("bmp:bitsperpixel", 0);
          pixel_bits != 0 && !(pixel_bits == 8 && spec.nchannels == 1)) {
        return fmt::format("{} bits a pixel become 24", pixel_bits);
      }
      return {};
    case Format::tga:
      if (bits != 0 && bits != 8) return fmt::format("{} bits a sample become 8", bits);
      return {};
    default:
      return {};
  }
}

std::vector<std::byte> icc_profile_of(const OIIO::ImageSpec& spec) {
  const OIIO::ParamValue* profile = spec.find_attribute("ICCProfile");
  if (!profile) return {};
  const auto* data = static_cast<const std::byte*>(profile->data());
  return {data, data + profile->type().size()};
}

void check_alpha(const Image& image, Format target) {
  const auto* extras = dynamic_cast<const OiioExtras*>(image.extras.get());
  if (!extras || extras->opaque) return;
  const bool doubted = alpha_of(extras->specs.front()) == Alpha::associated;
  if (image.format == Format::webp && doubted) {
    throw ImageFileError(fmt::format(
        "OpenImageIO {}.{} changes the colours of a WebP with transparency (3.1 keeps them)",
        OIIO_VERSION_MAJOR, OIIO_VERSION_MINOR));
  }
  if (image.format == Format::tga && doubted) {
    throw ImageFileError(
        "a TGA whose alpha is premultiplied, or is not declared in its header, is not supported");
  }
  if (image.format == Format::bmp && target == Format::bmp && extras->structure.alpha_mask) {
    throw ImageFileError("a BMP with alpha cannot be written; --format png can keep it");
  }
}

OIIO::ImageSpec turned_spec(const OiioExtras& extras, std::size_t number, const Page& page,
                            Orientation applied, Format format) {
  const OIIO::ImageSpec& stored = extras.specs[number];
  OIIO::ImageSpec spec;
  switch (format) {
    case Format::webp:
      spec = bare_spec(page, stored.format);
      set_webp_options(spec, extras.structure.lossless);
      break;
    case Format::openexr:
      spec = turned_exr_spec(stored, page, applied);
      add_nothing(spec);
      break;
    default:
      spec = stored;
      spec.width = spec.full_width = static_cast<int>(page.width);
      spec.height = spec.full_height = static_cast<int>(page.height);
      if (swaps_axes(applied)) {
        const float x = spec.get_float_attribute("XResolution", 0.0F);
        const float y = spec.get_float_attribute("YResolution", 0.0F);
        if (x != 0.0F && y != 0.0F) {
          spec.attribute("XResolution", y);
          spec.attribute("YResolution", x);
        }
      }
  }
  spec.erase_attribute("Orientation");
  return spec;
}

OIIO::ImageSpec converted_spec(const Image& image, const Page& page, Format target) {
  // Pixels that come from no file: a second or fourth channel is what it is in a PNG.
  Alpha alpha = Alpha::none;
  if ((page.channels == 2 || page.channels == 4) && target != Format::openexr) {
    alpha = Alpha::unassociated;
  }
  int alpha_channel = alpha == Alpha::none ? -1 : page.channels - 1;
  OIIO::TypeDesc type = type_desc(page.type);
  if (const auto* extras = dynamic_cast<const OiioExtras*>(image.extras.get())) {
    const OIIO::ImageSpec& stored = extras->specs.front();
    if (photometric_of(stored) == photometric_separated) {
      throw ImageFileError(fmt::format("CMYK cannot be kept in {}", name(target)));
    }
    if (stored.format.is_signed() && !stored.format.is_floating_point()) {
      throw ImageFileError(fmt::format("signed samples cannot be kept in {}", name(target)));
    }
    alpha = alpha_of(stored);
    alpha_channel = stored.alpha_channel;
    // OpenImageIO knows no alpha beside grey; a TGA's second channel is nothing else.
    if (image.format == Format::tga && page.channels == 2) {
      alpha = Alpha::unassociated;
      alpha_channel = 1;
    }
  }
  check_samples(page, target);
  check_channels(page, target, alpha);
  OIIO::ImageSpec spec = bare_spec(page, type);
  spec.alpha_channel = alpha_channel;
  if (alpha == Alpha::associated) spec.erase_attribute("oiio:UnassociatedAlpha");
  if (target == Format::webp) set_webp_options(spec, true);
  if (target == Format::tiff) {
    spec.attribute("tiff:half", 1);
    spec.attribute("tiff:write_exif", 0);
  }
  if (target == Format::openexr) add_nothing(spec);
  return spec;
}

}  // namespace qturn
