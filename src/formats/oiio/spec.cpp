#include "src/formats/oiio/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/formats/codec/codec.hpp"
#include "src/metadata/exif.hpp"
#include "src/picture/errors.hpp"

namespace qturn::oiio {
namespace {

constexpr std::pair<OIIO::TypeDesc::BASETYPE, SampleFormat> types[] = {
    {OIIO::TypeDesc::UINT8, SampleFormat::u8},   {OIIO::TypeDesc::UINT16, SampleFormat::u16},
    {OIIO::TypeDesc::UINT32, SampleFormat::u32}, {OIIO::TypeDesc::HALF, SampleFormat::f16},
    {OIIO::TypeDesc::FLOAT, SampleFormat::f32},  {OIIO::TypeDesc::DOUBLE, SampleFormat::f64}};

OIIO::TypeDesc type_desc(SampleFormat type) {
  return std::ranges::find(types, type, &std::pair<OIIO::TypeDesc::BASETYPE, SampleFormat>::second)
      ->first;
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

}  // namespace

std::optional<SampleFormat> sample_type(OIIO::TypeDesc type) {
  for (const auto& [base, format] : types) {
    if (base == type.basetype) return format;
  }
  return std::nullopt;
}

OIIO::TypeDesc type_of_samples(const OIIO::ImageSpec& spec, Samples samples) {
  const bool is_each_own = is_mixed(spec) && samples == Samples::as_stored;
  return is_each_own ? OIIO::TypeDesc(OIIO::TypeDesc::UNKNOWN) : spec.format;
}

Page page_of(const OIIO::ImageSpec& spec, Samples samples) {
  const std::optional<SampleFormat> type = sample_type(spec.format);
  if ((is_mixed(spec) && samples == Samples::as_stored) || !type) {
    return {.width = spec.width,
            .height = spec.height,
            .channels = static_cast<int>(spec.pixel_bytes(true)),
            .type = SampleFormat::u8};
  }
  return {.width = spec.width, .height = spec.height, .channels = spec.nchannels, .type = *type};
}

void check_spec(const OIIO::ImageSpec& spec) {
  if (spec.deep) throw ImageFileError("deep pixels are not supported");
  constexpr std::size_t most_bytes = 256;
  if (spec.pixel_bytes(true) > most_bytes) {
    throw ImageFileError(
        fmt::format("{} channels of {} bytes are not supported: a pixel may have {} bytes",
                    spec.nchannels, spec.pixel_bytes(true), most_bytes));
  }
}

void check_conversion(const OIIO::ImageSpec& spec) {
  if (!sample_type(spec.format)) {
    throw ImageFileError(
        fmt::format("samples of type {} cannot become another format", spec.format.c_str()));
  }
  const bool has_integers = std::ranges::count(spec.channelformats, OIIO::TypeUInt32) > 0;
  if (is_mixed(spec) && has_integers) {
    throw ImageFileError("channels of integers and of floats cannot become another format");
  }
}

Orientation orientation_of(const OIIO::ImageSpec& spec) {
  const int number = spec.get_int_attribute("Orientation", 1);
  return orientation_of_tag(static_cast<std::uint64_t>(number)).value_or(Orientation::identity);
}

Meaning meaning_of(const OIIO::ImageSpec& spec, Meaning::Alpha alpha) {
  return {.alpha = spec.alpha_channel < 0 ? Meaning::Alpha::none : alpha,
          .alpha_channel = spec.alpha_channel,
          .refusal = {}};
}

Bytes icc_of(const OIIO::ImageSpec& spec) {
  const OIIO::ParamValue* profile = spec.find_attribute("ICCProfile");
  if (!profile) return {};
  const auto* data = static_cast<const std::byte*>(profile->data());
  return {data, data + profile->type().size()};
}

OIIO::ImageSpec turned_spec(const OIIO::ImageSpec& stored, const Page& page, Orientation applied) {
  OIIO::ImageSpec spec = stored;
  spec.width = static_cast<int>(page.width);
  spec.height = static_cast<int>(page.height);
  turn_windows(spec, stored, applied);
  if (swaps_axes(applied)) std::swap(spec.tile_width, spec.tile_height);
  const float aspect = spec.get_float_attribute("PixelAspectRatio", 1.0F);
  if (swaps_axes(applied) && aspect != 1.0F) {
    spec.attribute("PixelAspectRatio", 1.0F / aspect);
    const float density = spec.get_float_attribute("XResolution", 0.0F);
    // OpenEXR stores the horizontal density; the vertical one is that times the aspect.
    if (density != 0.0F) spec.attribute("XResolution", density * aspect);
    spec.erase_attribute("YResolution");
  }
  spec.erase_attribute("Orientation");
  return spec;
}

OIIO::ImageSpec converted_spec(const Image& image, const Page& page) {
  OIIO::ImageSpec spec(static_cast<int>(page.width), static_cast<int>(page.height), page.channels,
                       type_desc(page.type));
  spec.alpha_channel = qturn::meaning_of(image).alpha_channel;
  return spec;
}

Header header_of(const OIIO::ImageSpec& spec) {
  Header header = header_of_size({spec.width, spec.height});
  header.stored = orientation_of(spec);
  header.pixel_bytes_total = page_of(spec).bytes();
  if (is_mixed(spec)) {
    header.shown_bytes_total = page_of(spec, Samples::for_another_format).bytes();
  }
  return header;
}

}  // namespace qturn::oiio
