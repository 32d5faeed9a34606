// A TIFF for another format, and a TIFF of a picture from another format.
//
// Another format gets what a viewer shows of the samples. Most stay as they are. If zero is white,
// samples are inverted. The indices of a palette become its colours. Samples of fewer than 8 or 16
// bits are stretched to the full range: by whole factors for 1, 2, 4, 8 and 16 bits, rounded for
// others. Samples with a meaning that no other format has are refused by name.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "src/formats/codec/codec.hpp"
#include "src/formats/table.hpp"
#include "src/formats/tiff/codec.hpp"
#include "src/formats/tiff/layout.hpp"
#include "src/formats/tiff/metadata.hpp"
#include "src/formats/tiff/page_pixels.hpp"
#include "src/formats/tiff/storage.hpp"
#include "src/picture/trailing_data.hpp"

namespace qturn::tiff {
namespace {

namespace photometric = tiff_photometric;

[[noreturn]] void refuse(std::string_view what) {
  throw ImageFileError(fmt::format("{} of a TIFF cannot be kept in another format", what));
}

// JPEG's own colours, which its decoder converts to RGB.
bool is_ycbcr_in_jpeg(const TiffLayout& layout) {
  return layout.photometric == photometric::ycbcr && layout.compression == tiff_compression::jpeg;
}

// Samples of a pixel that are colours, or indices of them. The others are alpha, or unknown.
int colours_of(const TiffLayout& layout) {
  switch (layout.photometric) {
    case photometric::white_is_zero:
    case photometric::black_is_zero:
    case photometric::palette:
      return 1;
    case photometric::rgb:
      return 3;
    case photometric::mask:
      refuse("a transparency mask");
    case photometric::separated:
      refuse("CMYK");
    case photometric::ycbcr:
      if (is_ycbcr_in_jpeg(layout)) return 3;
      refuse("YCbCr without JPEG compression");
    case photometric::cielab:
    case photometric::icclab:
    case photometric::itulab:
      refuse("Lab colours");
    case photometric::logl:
    case photometric::logluv:
      refuse("LogLuv colours");
    default:
      refuse(fmt::format("photometric interpretation {}", layout.photometric));
  }
}

SampleFormat type_of(const TiffLayout& layout) {
  constexpr std::uint16_t is_signed = 2, is_float = 3, is_complex_integer = 5, is_complex = 6;
  switch (layout.sample_format) {
    case is_signed:
      refuse("signed samples");
    case is_complex_integer:
    case is_complex:
      refuse("complex samples");
    case is_float:
      if (layout.photometric == photometric::white_is_zero) refuse("floats with white as zero");
      if (layout.bits == 16) return SampleFormat::f16;
      if (layout.bits == 32) return SampleFormat::f32;
      if (layout.bits == 64) return SampleFormat::f64;
      refuse(fmt::format("floats of {} bits", layout.bits));
    default:
      if (layout.bits <= 8) return SampleFormat::u8;
      if (layout.bits <= 16) return SampleFormat::u16;
      if (layout.bits == 32) return SampleFormat::u32;
      refuse(fmt::format("samples of {} bits", layout.bits));
  }
}

// The page's layout in memory, each sample in bytes of its own, and what its samples mean.
struct ShownLayout {
  TiffLayout layout;
  Page page;
  int colours = 1;
};

ShownLayout shown_layout(const TiffDirectory& directory) {
  ShownLayout shown{.layout = tiff_layout(directory), .page = {}, .colours = 1};
  TiffLayout& layout = shown.layout;
  shown.colours = colours_of(layout);
  if (layout.samples < shown.colours) {
    throw ImageFileError(
        fmt::format("damaged: {} samples for {} colours", layout.samples, shown.colours));
  }
  const SampleFormat type = type_of(layout);
  if (layout.photometric == photometric::palette &&
      (layout.samples > 1 || sample_bytes(type) > 2)) {
    refuse("a palette with other samples beside its indices");
  }
  layout.samples_apart = true;
  constexpr int most_pixel_bytes = 256;
  if (layout.pixel_bytes() > most_pixel_bytes) {
    refuse(fmt::format("{} samples of {} bits", layout.samples, layout.bits));
  }
  shown.page = {
      .width = layout.width, .height = layout.height, .channels = layout.samples, .type = type};
  return shown;
}

Meaning meaning_of(const TiffDirectory& directory, const ShownLayout& shown) {
  constexpr std::uint64_t associated = 1, unassociated = 2;
  Meaning meaning;
  const auto extra = directory.integers(tiff_tag::extra_samples);
  const auto others = static_cast<std::size_t>(shown.layout.samples - shown.colours);
  for (std::size_t i = 0; i < std::min(extra.size(), others); ++i) {
    if (extra[i] != associated && extra[i] != unassociated) continue;
    meaning.alpha =
        extra[i] == associated ? Meaning::Alpha::associated : Meaning::Alpha::unassociated;
    meaning.alpha_channel = shown.colours + static_cast<int>(i);
    break;
  }
  return meaning;
}

// 9 to 15 bits, in memory eight in the first byte and the others in the second, as numbers.
void join_bytes(const Page& page, int bits) {
  auto* bytes = static_cast<std::uint8_t*>(page.pixels);
  auto* samples = static_cast<std::uint16_t*>(page.pixels);
  const std::size_t count = page.bytes() / 2;
  for (std::size_t i = 0; i < count; ++i) {
    samples[i] = static_cast<std::uint16_t>(bytes[2 * i] << (bits - 8) | bytes[2 * i + 1]);
  }
}

// A sample of `bits` as one of the whole type, rounded.
template <typename Sample>
Sample stretched(std::uint32_t sample, int bits) {
  const std::uint32_t largest = (std::uint32_t{1} << bits) - 1;
  constexpr std::uint32_t all = std::numeric_limits<Sample>::max();
  return static_cast<Sample>((std::uint64_t{sample} * all + largest / 2) / largest);
}

template <typename Sample>
void stretch(const ShownLayout& shown) {
  const int bits = shown.layout.bits;
  const bool inverted = shown.layout.photometric == photometric::white_is_zero;
  if (bits == 8 * static_cast<int>(sizeof(Sample)) && !inverted) return;
  std::vector<Sample> colour(std::size_t{1} << bits), other(colour.size());
  for (std::size_t i = 0; i < colour.size(); ++i) {
    other[i] = stretched<Sample>(static_cast<std::uint32_t>(i), bits);
    colour[i] =
        static_cast<Sample>(inverted ? std::numeric_limits<Sample>::max() - other[i] : other[i]);
  }
  auto* sample = static_cast<Sample*>(shown.page.pixels);
  const Sample* end = sample + shown.page.bytes() / sizeof(Sample);
  while (sample != end) {
    for (int i = 0; i < shown.page.channels; ++i, ++sample) {
      *sample = i < shown.colours ? colour[*sample] : other[*sample];
    }
  }
}

// Colours of 16 bits are shown with their upper 8. A map of 8-bit colours is told, as by libtiff,
// by having no larger ones.
std::vector<std::uint8_t> palette_of(const TiffDirectory& directory, int bits) {
  const TiffField* field = directory.find(tiff_tag::colour_map);
  const std::size_t count = std::size_t{1} << bits;
  if (!field || field->type != tiff_type::u16 || field->count < 3 * count) {
    throw ImageFileError("damaged: the colours of a TIFF's palette");
  }
  const std::vector<std::uint64_t> map = directory.integers(tiff_tag::colour_map);
  const bool small = std::ranges::all_of(map, [](std::uint64_t c) { return c < 256; });
  std::vector<std::uint8_t> palette;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < 3; ++k) {
      palette.push_back(static_cast<std::uint8_t>(map[k * count + i] >> (small ? 0 : 8)));
    }
  }
  return palette;
}

template <typename Index>
void look_up(const Page& indices, const std::vector<std::uint8_t>& palette, const Page& colours) {
  const auto* index = static_cast<const Index*>(indices.pixels);
  const Index* end = index + indices.bytes() / sizeof(Index);
  for (auto* to = static_cast<std::uint8_t*>(colours.pixels); index != end; ++index, to += 3) {
    std::copy_n(&palette[std::size_t{3} * *index], 3, to);
  }
}

// Converts the samples in `shown.page` to what is shown, in the same memory if there is room.
Page show(const TiffDirectory& directory, const ShownLayout& shown, PixelArena& arena) {
  const Page& page = shown.page;
  const int bits = shown.layout.bits;
  if (bits > 8 && bits < 16) join_bytes(page, bits);
  if (shown.layout.photometric == photometric::palette) {
    const std::vector<std::uint8_t> palette = palette_of(directory, bits);
    Page colours = page;
    colours.channels = 3;
    colours.type = SampleFormat::u8;
    colours.pixels = arena.take(colours.bytes());
    (page.type == SampleFormat::u8 ? look_up<std::uint8_t> : look_up<std::uint16_t>)(page, palette,
                                                                                     colours);
    return colours;
  }
  if (page.type == SampleFormat::u8) stretch<std::uint8_t>(shown);
  if (page.type == SampleFormat::u16) stretch<std::uint16_t>(shown);
  if (page.type == SampleFormat::u32 && shown.layout.photometric == photometric::white_is_zero) {
    auto* samples = static_cast<std::uint32_t*>(page.pixels);
    const auto pixels = static_cast<std::size_t>(page.width * page.height);
    for (std::size_t i = 0; i < pixels; ++i) {
      std::uint32_t& grey = samples[i * static_cast<std::size_t>(page.channels)];
      grey = ~grey;
    }
  }
  return page;
}

void warn_of_losses(const TiffFile& tiff, const TiffLayout& layout,
                    std::vector<std::string>& warnings) {
  const TiffDirectory& first = tiff.pages.front();
  if (!first.pictures.empty()) {
    warnings.emplace_back("pictures in sub-directories of the TIFF are left out");
  }
  if (is_georeferenced(first)) {
    warnings.emplace_back("its map coordinates (GeoTIFF) are left out");
  }
  const int bits = layout.bits;
  if (layout.photometric != photometric::palette && bits < 16 && 16 % bits != 0) {
    warnings.push_back(
        fmt::format("samples of {} bits are stretched to {}", bits, bits < 8 ? 8 : 16));
  }
}

}  // namespace

Image decode_shown_tiff(std::span<const std::byte> file, PixelArena& arena,
                        const std::atomic<bool>& stop, std::vector<std::string>& warnings,
                        MissingPixels missing) {
  const bool is_damaged = missing == MissingPixels::are_left_out;
  const TiffFile tiff = read_tiff(file, missing);
  refuse_unsupported_pages(tiff);
  if (!is_damaged) warn_of_trailing_data(file, tiff.end, warnings);
  auto extras = std::make_shared<Extras>();
  extras->metadata = tiff_metadata(tiff, warnings);
  Image image{.format = is_damaged ? nullptr : &codec,
              .stored = tiff_orientation(tiff.pages.front()),
              .pages = {},
              .extras = {}};
  std::uint64_t damaged = 0, blocks = 0;
  for (const TiffDirectory& directory : tiff.pages) {
    ShownLayout shown = shown_layout(directory);
    if (image.pages.empty()) {
      extras->meaning = meaning_of(directory, shown);
      warn_of_losses(tiff, shown.layout, warnings);
    }
    shown.page.ahead = ahead_of(directory, tiff);
    shown.page.pixels = arena.take(shown.page.bytes());
    if (is_damaged) {
      damaged += salvage_tiff_page(file, directory, shown.layout, tiff.little, shown.page, stop);
      blocks += shown.layout.blocks();
    } else {
      decode_tiff_page(file, directory, shown.layout, tiff.little, shown.page, stop);
    }
    image.pages.push_back(show(directory, shown, arena));
  }
  if (is_damaged) {
    warnings.push_back(
        fmt::format("{} of {} strips or tiles are missing or damaged", damaged, blocks));
  }
  image.extras = std::move(extras);
  return image;
}

// --- From another format: Deflate with a predictor, in strips.

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
