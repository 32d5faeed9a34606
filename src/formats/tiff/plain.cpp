// A TIFF of a picture from another format: Deflate with a predictor, in strips.
#include <bit>
#include <utility>
#include <vector>

#include "src/formats/codec/capacity.hpp"
#include "src/formats/tiff/codec.hpp"
#include "src/formats/tiff/layout.hpp"
#include "src/formats/tiff/metadata.hpp"
#include "src/formats/tiff/page_pixels.hpp"

namespace qturn::tiff {
namespace {

constexpr std::int64_t rows_per_strip = 32;

TiffLayout plain_layout(const Page& page) {
  constexpr std::uint16_t is_integer = 1, is_float = 3;
  constexpr std::uint16_t no_predictor = 1, of_integers = 2, of_floats = 3;
  const bool floats = page.type >= SampleFormat::f16;
  const int bytes = sample_bytes(page.type);
  return {
      .width = page.width,
      .height = page.height,
      .bits = 8 * bytes,
      .samples = page.channels,
      .sample_format = floats ? is_float : is_integer,
      .compression = tiff_compression::deflate,
      .photometric = page.channels < 3 ? tiff_photometric::black_is_zero : tiff_photometric::rgb,
      .predictor = floats       ? of_floats
                   : bytes <= 2 ? of_integers
                                : no_predictor,
      .block_width = page.width,
      .block_height = std::min(rows_per_strip, page.height)};
}

// What each sample beside the colours is: nothing that is known, or an alpha.
std::vector<std::uint64_t> extra_samples(const TiffLayout& layout, const Meaning& meaning) {
  const int colours = layout.photometric == tiff_photometric::rgb ? 3 : 1;
  std::vector<std::uint64_t> extra(static_cast<std::size_t>(layout.samples - colours), 0);
  if (meaning.alpha != Meaning::Alpha::none && meaning.alpha_channel >= colours) {
    extra[static_cast<std::size_t>(meaning.alpha_channel - colours)] =
        meaning.alpha == Meaning::Alpha::associated ? 1 : 2;
  }
  return extra;
}

TiffDirectory plain_directory(const TiffLayout& layout, const Meaning& meaning) {
  TiffDirectory directory;
  const auto add = [&](std::uint16_t tag, std::uint16_t type, std::uint64_t value,
                       std::size_t count = 1) {
    directory.fields.push_back(tiff_integers(tag, type, std::vector(count, value)));
  };
  const auto samples = static_cast<std::size_t>(layout.samples);
  add(tiff_tag::width, tiff_type::u32, static_cast<std::uint64_t>(layout.width));
  add(tiff_tag::height, tiff_type::u32, static_cast<std::uint64_t>(layout.height));
  add(tiff_tag::bits_per_sample, tiff_type::u16, static_cast<std::uint64_t>(layout.bits), samples);
  add(tiff_tag::compression, tiff_type::u16, layout.compression);
  add(tiff_tag::photometric, tiff_type::u16, layout.photometric);
  add(tiff_tag::samples_per_pixel, tiff_type::u16, samples);
  add(tiff_tag::rows_per_strip, tiff_type::u32, static_cast<std::uint64_t>(layout.block_height));
  add(tiff_tag::planar_configuration, tiff_type::u16, 1);
  if (layout.predictor != 1) add(tiff_tag::predictor, tiff_type::u16, layout.predictor);
  if (const auto extra = extra_samples(layout, meaning); !extra.empty()) {
    directory.fields.push_back(tiff_integers(tiff_tag::extra_samples, tiff_type::u16, extra));
  }
  add(tiff_tag::sample_format, tiff_type::u16, layout.sample_format, samples);
  return directory;
}

}  // namespace

Bytes encode_plain_tiff(const Image& turned, const std::atomic<bool>& stop,
                        std::vector<std::string>& warnings) {
  static const Metadata none;
  TiffFile described = tiff_description(turned.extras ? turned.extras->metadata : none, warnings);
  const TiffDirectory& description = described.pages.front();
  const Meaning meaning = meaning_of(turned);
  // A MakerNote may have the byte order of its block, and does not say so.
  const bool little =
      described.fixed.empty() ? std::endian::native == std::endian::little : described.little;
  TiffFile tiff{.big = false, .pages = {}, .little = little, .fixed = std::move(described.fixed)};
  std::vector<Bytes> encoded;
  for (const Page& page : turned.pages) {
    const TiffLayout layout = plain_layout(page);
    TiffDirectory directory = plain_directory(layout, meaning);
    encoded.push_back(encode_tiff_page(page, layout, {}, little, directory, stop));
    directory.children = description.children;
    directory.fields.insert(directory.fields.end(), description.fields.begin(),
                            description.fields.end());
    tiff.pages.push_back(std::move(directory));
  }
  const std::vector<std::span<const std::byte>> pixels(encoded.begin(), encoded.end());
  return write_tiff(tiff, pixels, warnings);
}

}  // namespace qturn::tiff
