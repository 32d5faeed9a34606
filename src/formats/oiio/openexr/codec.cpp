// OpenEXR, through OpenImageIO, which knows its compressions.
//
// OpenImageIO moves the pixels. What it would change on the way is turned off or corrected here: it
// adds the time of writing and the name of a colour space, leaves out attributes of types that it
// does not know, and does not notice that blocks of pixels are missing.
#include "src/formats/oiio/module.hpp"

#include <OpenImageIO/imageio.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "src/formats/codec/codec.hpp"
#include "src/formats/oiio/memory_files.hpp"
#include "src/formats/oiio/openexr/header.hpp"
#include "src/formats/oiio/spec.hpp"

namespace qturn::openexr {
namespace {

using namespace oiio;

struct ExrExtras final : Extras {
  std::vector<OIIO::ImageSpec> specs;  ///< of each part, as stored
  Bytes headers;                       ///< the file up to its blocks

  std::shared_ptr<Extras> copy() const override { return std::make_shared<ExrExtras>(*this); }
};

// Whether decoded pixels change when they are encoded again. (PXR24 rounds floats, but does not
// change floats that it has rounded before.)
bool is_lossy(const OIIO::ImageSpec& spec) {
  const std::string compression = spec.get_string_attribute("compression");
  return compression.starts_with("b44") || compression.starts_with("dwa");
}

// The change of the first part that has one; empty: there is none.
std::string storage_change_of(const std::vector<OIIO::ImageSpec>& specs) {
  const auto lossy = std::ranges::find_if(specs, is_lossy);
  if (lossy == specs.end()) return {};
  return fmt::format("its lossy compression ({}) becomes ZIP",
                     lossy->get_string_attribute("compression"));
}

void become_zip(OIIO::ImageSpec& spec) {
  spec.attribute("compression", "zip");
  spec.erase_attribute("openexr:dwaCompressionLevel");
}

// The specs of its parts.
std::vector<OIIO::ImageSpec> read_specs(OiioReader& reader, const ExrFile& exr) {
  std::vector<OIIO::ImageSpec> specs;
  // A damaged header is one that OpenImageIO reads in another way.
  const auto check = [](bool is_read_alike) {
    if (!is_read_alike) throw ImageFileError("damaged: the OpenEXR header");
  };
  for (const ExrPage& at : pages_of(exr)) {
    OIIO::ImageSpec spec = reader.spec(at.part, at.level);
    check_spec(spec);
    const ExrHeader& part = exr.parts[static_cast<std::size_t>(at.part)];
    check(at.size == Size{spec.width, spec.height} && part.is_tiled == (spec.tile_width > 0));
    if (at.level > 0) continue;
    // The faces of a cube have another one there.
    if (const auto display = size_of_window(part, "displayWindow")) {
      spec.full_width = static_cast<int>(display->width);
      spec.full_height = static_cast<int>(display->height);
    }
    // It would ask for smaller copies.
    spec.erase_attribute("textureformat");
    specs.push_back(std::move(spec));
    if (orientation_of(specs.back()) != orientation_of(specs.front())) {
      throw ImageFileError("its parts are stored in different orientations");
    }
  }
  check(specs.size() == exr.parts.size() && !reader.has(static_cast<int>(specs.size()), 0));
  return specs;
}

Page page_of(const OIIO::ImageSpec& part, const ExrPage& at, Samples samples) {
  Page page = oiio::page_of(part, samples);
  page.width = at.size.width;
  page.height = at.size.height;
  return page;
}

// The library and the encoder have them in several forms.
std::uint64_t attribute_bytes(const ExrFile& exr) {
  constexpr std::uint64_t each = 1024;
  std::uint64_t bytes = 8 * exr.end;
  for (const ExrHeader& part : exr.parts) bytes += each * part.attributes.size();
  return bytes;
}

Header read_header(std::span<const std::byte> file) {
  const ExrFile exr = read_exr_headers(file);
  check_readable(exr);
  OiioReader reader("openexr", file);
  const std::vector<OIIO::ImageSpec> specs = read_specs(reader, exr);
  check_blocks(file, exr);
  Header header = header_of(specs.front());
  header.pages = 0;
  header.pixels_total = header.pixel_bytes_total = 0;
  std::uint64_t shown = 0;
  for (const ExrPage& at : pages_of(exr)) {
    const OIIO::ImageSpec& spec = specs[static_cast<std::size_t>(at.part)];
    ++header.pages;
    header.pixels_total += static_cast<std::uint64_t>(at.size.width * at.size.height);
    header.pixel_bytes_total += page_of(spec, at, Samples::as_stored).bytes();
    if (at.level == 0) shown += page_of(spec, at, Samples::for_another_format).bytes();
  }
  header.storage_change = storage_change_of(specs);
  header.changes_only_if_allowed = true;
  header.shown_bytes_total = shown == header.pixel_bytes_total ? 0 : shown;
  look_at_attributes(exr, header);
  // The reader has some of the pixels once more. The output is as large as the pixels in the worst
  // case, and exists twice while its blocks are put together.
  constexpr std::uint64_t least = std::uint64_t{4} << 20, most = std::uint64_t{56} << 20;
  const std::uint64_t pixels = header.pixel_bytes_total;
  const std::uint64_t scratch = std::clamp(pixels / 2, least, most);
  const std::uint64_t others = attribute_bytes(exr);
  header.decoding_bytes = pixels + scratch + others;
  header.encoding_bytes = 2 * (pixels + pixels / 16) + scratch + others;
  return header;
}

Image decode(std::span<const std::byte> file, Samples samples, PixelArena& arena,
             const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  const ExrFile exr = read_exr_headers(file);
  check_readable(exr);
  OiioReader reader("openexr", file);
  auto extras = std::make_shared<ExrExtras>();
  extras->specs = read_specs(reader, exr);
  check_blocks(file, exr);
  extras->headers.assign(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(exr.end));
  const OIIO::ImageSpec& first = extras->specs.front();
  const std::vector<ExrPage> places = pages_of(exr);
  const bool is_converted = samples == Samples::for_another_format;
  if (is_converted) {
    if (exr.parts.size() > 1) {
      throw ImageFileError("an OpenEXR file of several parts cannot become another format");
    }
    check_conversion(first);
    if (places.size() > 1) warnings.emplace_back("its smaller copies (mip map) are left out");
  }
  std::vector<Page> pages;
  for (const ExrPage& at : places) {
    if (is_converted && at.level > 0) break;
    const OIIO::ImageSpec& spec = extras->specs[static_cast<std::size_t>(at.part)];
    Page& page = pages.emplace_back(page_of(spec, at, samples));
    page.pixels = arena.take(page.bytes());
    reader.read(spec.nchannels, type_of_samples(spec, samples), page.pixels, stop, at.part,
                at.level);
  }
  extras->metadata.icc = icc_of(first);
  extras->meaning = meaning_of(first, Meaning::Alpha::associated);
  return {.stored = orientation_of(first), .pages = std::move(pages), .extras = std::move(extras)};
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
             std::vector<std::string>& warnings) {
  const auto* extras = dynamic_cast<const ExrExtras*>(image.extras.get());
  if (!extras) {
    check_fits(image, "openexr", capacity);
    OIIO::ImageSpec spec = converted_spec(image, image.pages.front());
    add_nothing(spec);
    return write("openexr", "picture", image.pages.front(), spec, stop);
  }
  const ExrFile exr = read_exr_headers(extras->headers);
  const std::vector<ExrPage> places = pages_of(exr);
  const auto spec_of = [&](std::size_t i) {
    OIIO::ImageSpec spec = turned_spec(extras->specs[static_cast<std::size_t>(places[i].part)],
                                       image.pages[i], applied);
    add_nothing(spec);
    if (is_lossy(spec)) become_zip(spec);
    return spec;
  };
  if (std::string change = storage_change_of(extras->specs); !change.empty())
    warnings.push_back(std::move(change));
  std::vector<Bytes> written;
  for (std::size_t i = 0; i < places.size(); ++i) {
    written.push_back(write("openexr", "picture", image.pages[i], spec_of(i), stop));
  }
  Bytes file = join_pages(extras->headers, std::move(written), applied);
  // What is put together of several is read again by OpenImageIO, as a whole.
  for (std::size_t i = 0; (places.size() > 1 || exr.is_numbered) && i < places.size(); ++i) {
    prove_written("openexr", file, image.pages[i], spec_of(i), Attributes::do_not_count, stop,
                  places[i].part, places[i].level);
  }
  return file;
}

}  // namespace

const ModuleRow row = {.check_limits = check_exr_limits,
                       .read_header = read_header,
                       .decode = decode,
                       .encode = encode,
                       .parts = exr_parts};

}  // namespace qturn::openexr
