#include "src/formats/oiio/openexr/codec.hpp"

#include <OpenImageIO/imageio.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "src/formats/codec/capacity.hpp"
#include "src/formats/oiio/openexr/header.hpp"
#include "src/formats/oiio/reader.hpp"
#include "src/formats/oiio/sink.hpp"
#include "src/formats/oiio/spec.hpp"

namespace qturn::openexr {
namespace {

using namespace oiio;

struct ExrExtras final : Extras {
  OIIO::ImageSpec spec;  ///< as stored
  Bytes header;          ///< the file up to its blocks

  std::shared_ptr<Extras> copy() const override { return std::make_shared<ExrExtras>(*this); }
};

// Throws for what cannot be turned without loss, by name.
void check_exr_spec(const OIIO::ImageSpec& spec) {
  const std::string compression = spec.get_string_attribute("compression");
  if (compression.starts_with("b44") || compression.starts_with("dwa")) {
    throw ImageFileError(
        fmt::format("lossy OpenEXR compression ({}) is not supported", compression));
  }
  check_spec(spec);
}

OIIO::ImageSpec read_spec(OiioReader& reader) {
  OIIO::ImageSpec spec = reader.spec();
  check_exr_spec(spec);
  if (reader.has(0, 1)) {
    throw ImageFileError("a picture with reduced copies of itself (mip map) is not supported");
  }
  if (reader.has(1, 0)) {
    throw ImageFileError("an OpenEXR file of several parts is not supported");
  }
  return spec;
}

// The library and the encoder have them in several forms.
std::uint64_t attribute_bytes(const ExrHeader& header) {
  constexpr std::uint64_t each = 1024;
  return 8 * header.end + each * header.attributes.size();
}

Header read_header(std::span<const std::byte> file) {
  OiioReader reader("openexr", file);
  const OIIO::ImageSpec spec = read_spec(reader);
  const ExrHeader attributes = read_exr_header(file);
  check_blocks(file, attributes);
  Header header = header_of(spec);
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
  OiioReader reader("openexr", file);
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
  extras->meaning = meaning_of(extras->spec, Meaning::Alpha::associated);
  const Orientation stored = orientation_of(extras->spec);
  return {.format = &codec, .stored = stored, .pages = {page}, .extras = std::move(extras)};
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

constexpr Capacity capacity = {
    .samples = bit_of(SampleFormat::u32) | bit_of(SampleFormat::f16) | bit_of(SampleFormat::f32),
    // Its alpha is associated.
    .channels = [](int, Meaning::Alpha alpha) { return alpha != Meaning::Alpha::unassociated; }};

Bytes encode(const Image& image, Orientation applied, const std::atomic<bool>& stop,
             std::vector<std::string>&) {
  const Page& page = image.pages.front();
  const auto* extras =
      image.format == &codec ? dynamic_cast<const ExrExtras*>(image.extras.get()) : nullptr;
  if (!extras) check_fits(image, codec.name, capacity);
  OIIO::ImageSpec spec =
      extras ? turned_spec(extras->spec, page, applied) : converted_spec(image, page);
  add_nothing(spec);
  Bytes written = write("openexr", "picture", page, spec, stop);
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
