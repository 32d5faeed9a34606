#include "src/formats/openexr/codec.hpp"

#include <OpenImageIO/imageio.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "src/formats/codec/capacity.hpp"
#include "src/formats/openexr/header.hpp"
#include "src/formats/openexr/reader.hpp"
#include "src/formats/openexr/sink.hpp"
#include "src/metadata/exif.hpp"

namespace qturn::openexr {
namespace {

struct ExrExtras final : Extras {
  OIIO::ImageSpec spec;  ///< as stored
  Bytes header;          ///< the file up to its blocks

  std::shared_ptr<Extras> copy() const override { return std::make_shared<ExrExtras>(*this); }
};

std::optional<SampleFormat> sample_type(OIIO::TypeDesc type) {
  switch (type.basetype) {
    case OIIO::TypeDesc::UINT32:
      return SampleFormat::u32;
    case OIIO::TypeDesc::HALF:
      return SampleFormat::f16;
    case OIIO::TypeDesc::FLOAT:
      return SampleFormat::f32;
    default:
      return std::nullopt;
  }
}

OIIO::TypeDesc type_desc(SampleFormat type) {
  return type == SampleFormat::u32   ? OIIO::TypeDesc::UINT32
         : type == SampleFormat::f16 ? OIIO::TypeDesc::HALF
                                     : OIIO::TypeDesc::FLOAT;
}

// Throws for what cannot be turned without loss, by name.
void check_spec(const OIIO::ImageSpec& spec) {
  const std::string compression = spec.get_string_attribute("compression");
  if (compression.starts_with("b44") || compression.starts_with("dwa")) {
    throw ImageFileError(
        fmt::format("lossy OpenEXR compression ({}) is not supported", compression));
  }
  if (spec.deep) throw ImageFileError("deep pixels are not supported");
  for (int channel = 0; channel < spec.nchannels; ++channel) {
    const OIIO::TypeDesc type = spec.channelformat(channel);
    if (!sample_type(type)) {
      throw ImageFileError(fmt::format("samples of type {} are not supported", type.c_str()));
    }
  }
  constexpr std::size_t most_bytes = 256;
  if (spec.pixel_bytes(true) > most_bytes) {
    throw ImageFileError(
        fmt::format("{} channels of {} bytes are not supported: a pixel may have {} bytes",
                    spec.nchannels, spec.pixel_bytes(true), most_bytes));
  }
}

// Whether channels have different types. Then spec.format is the widest of them.
bool is_mixed(const OIIO::ImageSpec& spec) { return !spec.channelformats.empty(); }

// How OpenImageIO is asked for samples, or gives them: each in the type of its channel, or all in
// one.
OIIO::TypeDesc type_of_samples(const OIIO::ImageSpec& spec, Samples samples) {
  const bool is_each_own = is_mixed(spec) && samples == Samples::as_stored;
  return is_each_own ? OIIO::TypeDesc(OIIO::TypeDesc::UNKNOWN) : spec.format;
}

OIIO::ImageSpec read_spec(OiioReader& reader) {
  OIIO::ImageSpec spec = reader.spec();
  check_spec(spec);
  if (reader.has(0, 1)) {
    throw ImageFileError("a picture with reduced copies of itself (mip map) is not supported");
  }
  if (reader.has(1, 0)) {
    throw ImageFileError("an OpenEXR file of several parts is not supported");
  }
  return spec;
}

// Of channels with different types, a pixel is bytes.
Page page_of(const OIIO::ImageSpec& spec, Samples samples = Samples::as_stored) {
  if (is_mixed(spec) && samples == Samples::as_stored) {
    return {.width = spec.width,
            .height = spec.height,
            .channels = static_cast<int>(spec.pixel_bytes(true)),
            .type = SampleFormat::u8};
  }
  return {.width = spec.width,
          .height = spec.height,
          .channels = spec.nchannels,
          .type = *sample_type(spec.format)};
}

// A half becomes a float exactly; a 32-bit integer does not.
void check_conversion(const OIIO::ImageSpec& spec) {
  const bool has_integers = std::ranges::count(spec.channelformats, OIIO::TypeUInt32) > 0;
  if (is_mixed(spec) && has_integers) {
    throw ImageFileError("channels of integers and of floats cannot become another format");
  }
}

Orientation orientation_of(const OIIO::ImageSpec& spec) {
  const int number = spec.get_int_attribute("Orientation", 1);
  return orientation_of_tag(static_cast<std::uint64_t>(number)).value_or(Orientation::identity);
}

// The library and the encoder have them in several forms.
std::uint64_t attribute_bytes(const ExrHeader& header) {
  constexpr std::uint64_t each = 1024;
  return 8 * header.end + each * header.attributes.size();
}

Header read_header(std::span<const std::byte> file) {
  OiioReader reader(file);
  const OIIO::ImageSpec spec = read_spec(reader);
  const ExrHeader attributes = read_exr_header(file);
  check_blocks(file, attributes);
  Header header;
  header.width = spec.width;
  header.height = spec.height;
  header.stored = orientation_of(spec);
  header.pixels_total = spec.image_pixels();
  header.pixel_bytes_total = page_of(spec).bytes();
  if (is_mixed(spec)) {
    header.shown_bytes_total = page_of(spec, Samples::for_another_format).bytes();
  }
  // The reader has some of the pixels once more. The output is as large as the pixels in the worst
  // case, and exists twice while attributes are put before it.
  constexpr std::uint64_t least = std::uint64_t{4} << 20, most = std::uint64_t{56} << 20;
  const std::uint64_t pixels = header.pixel_bytes_total;
  const std::uint64_t scratch = std::clamp(pixels / 2, least, most);
  const std::uint64_t others = attribute_bytes(attributes);
  header.decoding_bytes = pixels + scratch + others;
  header.encoding_bytes = 2 * (pixels + pixels / 16) + scratch + others;
  return header;
}

Image decode(std::span<const std::byte> file, Samples samples, PixelArena& arena,
             const std::atomic<bool>& stop, std::vector<std::string>&) {
  OiioReader reader(file);
  auto extras = std::make_shared<ExrExtras>();
  extras->spec = read_spec(reader);
  const ExrHeader header = read_exr_header(file);
  check_blocks(file, header);
  extras->header.assign(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(header.end));
  if (samples == Samples::for_another_format) check_conversion(extras->spec);
  Page page = page_of(extras->spec, samples);
  page.pixels = arena.take(page.bytes());
  reader.read(extras->spec.nchannels, type_of_samples(extras->spec, samples), page.pixels, stop);
  if (const OIIO::ParamValue* profile = extras->spec.find_attribute("ICCProfile")) {
    const auto* data = static_cast<const std::byte*>(profile->data());
    extras->metadata.icc.assign(data, data + profile->type().size());
  }
  const int alpha = extras->spec.alpha_channel;
  extras->meaning = Meaning{.alpha = alpha < 0 ? Meaning::Alpha::none : Meaning::Alpha::associated,
                            .alpha_channel = alpha,
                            .refusal = {}};
  const Orientation stored = orientation_of(extras->spec);
  return {.format = &codec, .stored = stored, .pages = {page}, .extras = std::move(extras)};
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
  const Meaning meaning = meaning_of(image);
  OIIO::ImageSpec spec(static_cast<int>(page.width), static_cast<int>(page.height), page.channels,
                       type_desc(page.type));
  spec.alpha_channel = meaning.alpha_channel;
  return spec;
}

// OpenImageIO adds the date of writing, and the name of a colour space that it guessed. It adds no
// date if there is one. So it gets one of a type that OpenEXR cannot hold, which is left out.
void add_nothing(OIIO::ImageSpec& spec) {
  if (!spec.find_attribute("DateTime")) {
    const std::uint64_t never = 0;
    spec.attribute("DateTime", OIIO::TypeDesc(OIIO::TypeDesc::UINT64), &never);
  }
  spec.erase_attribute("oiio:ColorSpace");
}

Bytes write(const Page& page, const OIIO::ImageSpec& spec, const std::atomic<bool>& stop) {
  if (stop) throw Interrupted();
  Bytes encoded;
  // Memory that is not written takes none. To make room later would take twice as much.
  encoded.reserve(page.bytes() + page.bytes() / 16 + 4096);
  OiioSink sink(encoded);
  const auto output = OIIO::ImageOutput::create("openexr");
  if (!output) fail_with(OIIO::geterror());
  output->threads(1);
  output->set_ioproxy(&sink);
  if (!output->open("picture", spec)) fail_with(output->geterror());
  const bool complete = output->write_image(type_of_samples(spec, Samples::as_stored), page.pixels,
                                            OIIO::AutoStride, OIIO::AutoStride, OIIO::AutoStride,
                                            stop_requested, const_cast<std::atomic<bool>*>(&stop));
  if (stop) throw Interrupted();
  if (!complete || !output->close() || output->has_error()) fail_with(output->geterror());
  return encoded;
}

constexpr Capacity capacity = {
    .samples = bit_of(SampleFormat::u32) | bit_of(SampleFormat::f16) | bit_of(SampleFormat::f32),
    // Its alpha is associated.
    .channels = [](int, Meaning::Alpha alpha) { return alpha != Meaning::Alpha::unassociated; }};

Bytes encode(const Image& image, Orientation applied, const std::atomic<bool>& stop,
             std::vector<std::string>&) {
  prepare_oiio();
  const Page& page = image.pages.front();
  const auto* extras =
      image.format == &codec ? dynamic_cast<const ExrExtras*>(image.extras.get()) : nullptr;
  if (!extras) check_fits(image, codec.name, capacity);
  OIIO::ImageSpec spec =
      extras ? turned_spec(extras->spec, page, applied) : converted_spec(image, page);
  add_nothing(spec);
  Bytes written = write(page, spec, stop);
  if (!extras) return written;
  return with_attributes(written, read_exr_header(extras->header), applied);
}

std::string library_version() {
  return fmt::format("OpenImageIO {}.{}.{}", OIIO_VERSION_MAJOR, OIIO_VERSION_MINOR,
                     OIIO_VERSION_PATCH);
}

}  // namespace

const Codec codec = {
    .name = "openexr",
    .alias = "exr",
    .suffixes = {".exr"},
    .recognises = [](std::span<const std::byte> head,
                     std::string_view) { return text_of(head).starts_with("v/1\x01"); },
    .check_limits = check_exr_limits,
    .read_header = read_header,
    .decode = decode,
    .encode = encode,
    .finish = keep_as_encoded,
    .parts = exr_parts,
    .library_version = library_version,
};

}  // namespace qturn::openexr
