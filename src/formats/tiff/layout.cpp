#include "src/formats/tiff/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace qturn::tiff {
namespace {

constexpr std::int64_t most_pixels = std::int64_t{1} << 40;

// Signed ones too, as some programs write them.
bool is_integer(std::uint16_t type) {
  constexpr std::array<std::uint16_t, 8> types = {
      tiff_type::u8, tiff_type::u16, tiff_type::u32, tiff_type::u64, 6, 8, 9, 17};
  return std::ranges::find(types, type) != types.end();
}

// The fields that say how samples are stored. If one cannot be read, its default would give other
// pixels.
void check_numbers(const TiffDirectory& page) {
  constexpr std::array places = {tiff_tag::strip_offsets, tiff_tag::strip_byte_counts,
                                 tiff_tag::tile_offsets, tiff_tag::tile_byte_counts};
  constexpr std::array of_samples = {tiff_tag::bits_per_sample, tiff_tag::sample_format,
                                     tiff_tag::extra_samples};
  constexpr std::array single = {tiff_tag::width,          tiff_tag::height,
                                 tiff_tag::compression,    tiff_tag::photometric,
                                 tiff_tag::fill_order,     tiff_tag::orientation,
                                 tiff_tag::rows_per_strip, tiff_tag::samples_per_pixel,
                                 tiff_tag::t4_options,     tiff_tag::planar_configuration,
                                 tiff_tag::t6_options,     tiff_tag::predictor,
                                 tiff_tag::tile_width,     tiff_tag::tile_height};
  constexpr std::uint64_t largest = std::numeric_limits<std::uint32_t>::max();
  const auto check = [&](std::uint16_t tag, std::uint64_t most_values, std::uint64_t most) {
    const TiffField* field = page.find(tag);
    const bool is_unknown = std::ranges::find(page.unknown_types, tag) != page.unknown_types.end();
    if (is_unknown || (field && (!is_integer(field->type) || field->count == 0))) {
      throw ImageFileError(fmt::format("damaged: field {} is not a number", tag));
    }
    if (field && field->count > most_values) {
      throw ImageFileError(
          fmt::format("damaged: field {} has {} values, expected 1", tag, field->count));
    }
    if (std::ranges::any_of(page.integers(tag),
                            [&](std::uint64_t value) { return value > most; })) {
      throw ImageFileError(fmt::format("damaged: field {} is out of range", tag));
    }
  };
  constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint16_t tag : single) check(tag, 1, largest);
  for (const std::uint16_t tag : of_samples) check(tag, any, largest);
  for (const std::uint16_t tag : places) check(tag, any, any);
}

void check_extra_samples(const TiffDirectory& page, std::uint64_t samples) {
  constexpr std::array<std::uint64_t, 4> known = {0, 1, 2, 999};  // the last one is CorelDRAW's
  const auto extra = page.integers(tiff_tag::extra_samples);
  if (extra.size() > samples) {
    throw ImageFileError(
        fmt::format("damaged: {} of {} samples are extra ones", extra.size(), samples));
  }
  for (const std::uint64_t meaning : extra) {
    if (std::ranges::find(known, meaning) == known.end())
      throw ImageFileError(fmt::format("damaged: an extra sample of kind {}", meaning));
  }
}

// Some compressions are for one, two or four bits. If the samples have more, libtiff fills only a
// part of each row.
void check_bits(const TiffLayout& layout) {
  int bits = 0;
  switch (layout.compression) {
    case tiff_compression::ccitt_rle:
    case tiff_compression::ccitt_t4:
    case tiff_compression::ccitt_t6:
    case tiff_compression::jbig:
      bits = 1;
      break;
    case tiff_compression::next:
      bits = 2;
      break;
    case tiff_compression::thunderscan:
      bits = 4;
      break;
    default:
      return;
  }
  if (layout.unit_bits() != bits) {
    throw ImageFileError(fmt::format("damaged: pixels of {} bits in a compression for {}",
                                     layout.unit_bits(), bits));
  }
}

// What LogLuv's pixels are decoded to, or the words that it stores. If the fields say anything
// else, libtiff does not read them.
void check_logluv(const TiffLayout& layout, std::uint16_t planes) {
  using Sample = std::pair<int, std::uint16_t>;  // its bits and its format
  constexpr std::array<Sample, 6> decoded = {{{32, 3}, {16, 1}, {16, 2}, {16, 4}, {8, 1}, {8, 4}}};
  constexpr std::array<Sample, 3> words = {{{32, 1}, {32, 2}, {32, 4}}};
  const bool grey = layout.photometric == tiff_photometric::logl;
  const auto is_among = [&](std::span<const Sample> samples) {
    return std::ranges::find(samples, Sample{layout.bits, layout.sample_format}) != samples.end();
  };
  const bool fits = (layout.samples == (grey ? 1 : 3) && is_among(decoded)) ||
                    (layout.samples == 1 && !grey && is_among(words));
  if (!fits || (planes != 1 && !grey)) {
    throw ImageFileError(
        fmt::format("damaged: {} samples of {} bits, format {}, planar configuration {}, in LogLuv",
                    layout.samples, layout.bits, layout.sample_format, planes));
  }
}

// If not, libtiff and the readers that use it ignore the field.
bool has_predictor(std::uint16_t compression) {
  switch (compression) {
    case tiff_compression::none:
    case tiff_compression::ccitt_rle:
    case tiff_compression::ccitt_t4:
    case tiff_compression::ccitt_t6:
    case tiff_compression::packbits:
      return false;
    default:
      return true;
  }
}

// A page's own value for all its samples, which it says once or for each.
std::uint64_t common(const TiffDirectory& page, std::uint16_t tag, const char* what) {
  const auto values = page.integers(tag);
  const std::uint64_t samples = page.integer(tiff_tag::samples_per_pixel, 1);
  if (values.size() > 1 && values.size() < samples) {
    throw ImageFileError(
        fmt::format("damaged: field {} has {} values, expected {}", tag, values.size(), samples));
  }
  for (const std::uint64_t value : values) {
    if (value != values.front()) {
      throw ImageFileError(fmt::format("samples of different {} are not supported", what));
    }
  }
  return values.empty() ? 1 : values.front();
}

// The most bytes that one compressed byte can stand for; 0: any number. PackBits repeats a byte 128
// times in two, Deflate 258 bytes in two bits, LZW's codes of 9 bits and more stand for at most
// 3837 bytes.
std::uint64_t largest_gain(std::uint16_t compression) {
  switch (compression) {
    case tiff_compression::none:
      return 1;
    case tiff_compression::packbits:
      return 64;
    case tiff_compression::lzw:
      return 3411;
    case tiff_compression::deflate:
    case tiff_compression::old_deflate:
      return 1032;
    default:
      return 0;
  }
}

void check_blocks(const TiffDirectory& page, const TiffLayout& layout) {
  const char* kind = layout.tiled ? "tiles" : "strips";
  const auto offsets =
      page.integers(layout.tiled ? tiff_tag::tile_offsets : tiff_tag::strip_offsets);
  const auto counts =
      page.integers(layout.tiled ? tiff_tag::tile_byte_counts : tiff_tag::strip_byte_counts);
  if (counts.empty() && !offsets.empty()) {
    throw ImageFileError(fmt::format("damaged: it does not say how long its {} are", kind));
  }
  const auto wanted = static_cast<std::uint64_t>(layout.blocks());
  const std::uint64_t there = std::min(offsets.size(), counts.size());
  if (there < wanted) {
    throw ImageFileError(fmt::format("damaged: {} of {} {} are there", there, wanted, kind));
  }
  // In YCbCr, 16 pixels may share their chroma, so that a page has little more than a third of the
  // bytes. It is refused by its name, not as damage.
  const std::uint64_t chroma = layout.photometric == tiff_photometric::ycbcr ? 3 : 1;
  const std::uint64_t gain = chroma * largest_gain(layout.compression);
  for (std::uint32_t i = 0; i < wanted; ++i) {
    if (page.fill && offsets[i] == 0 && counts[i] == 0) continue;
    if (counts[i] == 0) {
      throw ImageFileError(fmt::format("damaged: {} {} of {} are empty", kind, i + 1, wanted));
    }
    if (gain != 0 && counts[i] < tiff_block(layout, i).bytes / gain) {
      throw ImageFileError(fmt::format("damaged: {} bytes cannot hold the {} bytes of {} {} of {}",
                                       counts[i], tiff_block(layout, i).bytes, kind, i + 1,
                                       wanted));
    }
  }
}

}  // namespace

std::size_t TiffLayout::row_bytes() const {
  const auto bits_of_pixel = static_cast<std::size_t>(units() * unit_bits());
  return (static_cast<std::size_t>(block_width) * bits_of_pixel + 7) / 8;
}

std::size_t TiffLayout::block_bytes() const {
  return row_bytes() * static_cast<std::size_t>(block_height);
}

Page TiffLayout::page() const {
  constexpr std::uint16_t of_floats = 3;
  std::optional<SampleFormat> type;
  switch (bits) {
    case 8:
      type = SampleFormat::u8;
      break;
    case 16:
      type = sample_format == of_floats ? SampleFormat::f16 : SampleFormat::u16;
      break;
    case 32:
      type = sample_format == of_floats ? SampleFormat::f32 : SampleFormat::u32;
      break;
    case 64:
      if (sample_format == of_floats) type = SampleFormat::f64;
      break;
    default:
      break;
  }
  return {.width = width,
          .height = height,
          .channels = type ? samples : pixel_bytes(),
          .type = type.value_or(SampleFormat::u8)};
}

TiffBlock tiff_block(const TiffLayout& layout, std::uint32_t number) {
  const std::int64_t in_plane = layout.across() * layout.down();
  const std::int64_t place = number % in_plane;
  TiffBlock block{.number = number, .plane = static_cast<int>(number / in_plane)};
  block.left = place % layout.across() * layout.block_width;
  block.top = place / layout.across() * layout.block_height;
  block.width = std::min(layout.block_width, layout.width - block.left);
  block.height = std::min(layout.block_height, layout.height - block.top);
  const std::int64_t rows = layout.tiled ? layout.block_height : block.height;
  block.bytes = layout.row_bytes() * static_cast<std::size_t>(rows);
  return block;
}

TiffLayout tiff_layout(const TiffDirectory& page) {
  check_numbers(page);
  const auto u16 = [&](std::uint16_t tag, std::uint16_t otherwise) {
    return static_cast<std::uint16_t>(std::min<std::uint64_t>(page.integer(tag, otherwise), 65535));
  };
  const std::uint64_t width = page.integer(tiff_tag::width, 0),
                      height = page.integer(tiff_tag::height, 0);
  constexpr std::uint64_t longest = std::numeric_limits<std::int32_t>::max();
  if (width == 0 || height == 0) throw ImageFileError("damaged: a page without a size");
  if (width > longest || height > longest ||
      width * height > static_cast<std::uint64_t>(most_pixels)) {
    throw ImageFileError(fmt::format("{} x {} pixels are too many", width, height));
  }
  TiffLayout layout{.width = static_cast<std::int64_t>(width),
                    .height = static_cast<std::int64_t>(height)};
  const std::uint64_t bits = common(page, tiff_tag::bits_per_sample, "sizes");
  const std::uint64_t samples = page.integer(tiff_tag::samples_per_pixel, 1);
  if (bits == 0 || samples == 0) throw ImageFileError("damaged: a page without samples");
  if (bits > 256 * 8 || samples > 256 * 8 || (bits * samples + 7) / 8 > 256) {
    throw ImageFileError(fmt::format(
        "{} samples of {} bits are not supported: a pixel may have 256 bytes", samples, bits));
  }
  check_extra_samples(page, samples);
  layout.bits = static_cast<int>(bits);
  layout.samples = static_cast<int>(samples);
  const std::uint64_t sample_format = common(page, tiff_tag::sample_format, "types");
  layout.sample_format = static_cast<std::uint16_t>(std::min<std::uint64_t>(sample_format, 65535));
  layout.compression = u16(tiff_tag::compression, tiff_compression::none);
  layout.photometric = u16(tiff_tag::photometric, 1);
  // With eight bits, libtiff takes a palette without colours for grey.
  const TiffField* colours = page.find(tiff_tag::colour_map);
  if (layout.photometric == tiff_photometric::palette && layout.bits < 8 &&
      (!colours || !is_integer(colours->type) || colours->count != std::uint64_t{3} << layout.bits))
    throw ImageFileError("damaged: the colours of a TIFF's palette");
  if (has_predictor(layout.compression)) layout.predictor = u16(tiff_tag::predictor, 1);
  layout.fill_order = u16(tiff_tag::fill_order, 1);
  const bool is_t6 = layout.compression == tiff_compression::ccitt_t6;
  layout.fax_options = static_cast<std::uint32_t>(
      page.integer(is_t6 ? tiff_tag::t6_options : tiff_tag::t4_options, 0));
  const std::uint16_t planes = u16(tiff_tag::planar_configuration, 1);
  if (planes != 1 && planes != 2) {
    throw ImageFileError(fmt::format("damaged: planar configuration {}", planes));
  }
  layout.planar = layout.samples > 1 && planes == 2;
  if (layout.pixel_bytes() > 256) {
    throw ImageFileError(fmt::format(
        "{} samples of {} bits are not supported: a pixel may have 256 bytes", samples, bits));
  }
  check_bits(layout);
  // LogLuv is moved in the words that its compression knows.
  if (layout.compression == tiff_compression::sgilog ||
      layout.compression == tiff_compression::sgilog24) {
    check_logluv(layout, planes);
    layout.bits = layout.photometric == tiff_photometric::logl ? 16 : 32;
    layout.samples = 1;
    layout.sample_format = 1;
    layout.planar = false;
  }

  layout.tiled = page.find(tiff_tag::tile_width) != nullptr;
  // libtiff takes the page for tiled if it has any of these fields.
  for (const auto tag :
       {tiff_tag::tile_height, tiff_tag::tile_offsets, tiff_tag::tile_byte_counts}) {
    if (!layout.tiled && page.find(tag)) {
      throw ImageFileError("damaged: a page of strips with a field of tiles");
    }
  }
  std::uint64_t across = width, down = 0;
  if (layout.tiled) {
    across = page.integer(tiff_tag::tile_width, 0);
    down = page.integer(tiff_tag::tile_height, 0);
    // A padded tile is decoded whole.
    if (across > 2 * width + 65536 || down > 2 * height + 65536) across = 0;
  } else {
    down = std::min(page.integer(tiff_tag::rows_per_strip, height), height);
  }
  if (across == 0 || down == 0) {
    throw ImageFileError("damaged: strips or tiles of an impossible size");
  }
  layout.block_width = static_cast<std::int64_t>(across);
  layout.block_height = static_cast<std::int64_t>(down);
  if (layout.compression != tiff_compression::old_jpeg) check_blocks(page, layout);
  return layout;
}

SparseBlocks sparse_blocks(const TiffDirectory& page, const TiffLayout& layout) {
  const auto offsets =
      page.integers(layout.tiled ? tiff_tag::tile_offsets : tiff_tag::strip_offsets);
  SparseBlocks sparse(static_cast<std::size_t>(layout.blocks()));
  for (std::size_t i = 0; i < sparse.size(); ++i) sparse[i] = page.fill && offsets[i] == 0;
  if (std::ranges::find(sparse, true) == sparse.end()) return {};
  return sparse;
}

SparseBlocks turned_sparse_blocks(const SparseBlocks& sparse, const TiffLayout& layout,
                                  const TiffLayout& turned, Orientation applied) {
  if (sparse.empty()) return {};
  SparseBlocks result(static_cast<std::size_t>(turned.blocks()));
  const Size size{layout.width, layout.height};
  const auto is_sparse = [&](const TiffBlock& block) {
    const Position a = source_of(applied, {block.left, block.top}, size);
    const Position b =
        source_of(applied, {block.left + block.width - 1, block.top + block.height - 1}, size);
    const auto [left, right] = std::minmax({a.x / layout.block_width, b.x / layout.block_width});
    const auto [top, bottom] = std::minmax({a.y / layout.block_height, b.y / layout.block_height});
    for (std::int64_t y = top; y <= bottom; ++y)
      for (std::int64_t x = left; x <= right; ++x)
        if (!sparse[static_cast<std::size_t>((block.plane * layout.down() + y) * layout.across() +
                                             x)])
          return false;
    return true;
  };
  for (std::uint32_t i = 0; i < result.size(); ++i) result[i] = is_sparse(tiff_block(turned, i));
  return result;
}

TiffLayout turned_layout(const TiffLayout& layout, Orientation applied) {
  TiffLayout turned = layout;
  if (!swaps_axes(applied)) return turned;
  std::swap(turned.width, turned.height);
  if (layout.tiled) {
    std::swap(turned.block_width, turned.block_height);
  } else {
    turned.block_width = turned.width;
    turned.block_height = turned.height;
    if (layout.block_height < layout.height) {
      turned.block_height = std::clamp<std::int64_t>(
          layout.block_height * layout.width / turned.width, 1, turned.height);
    }
  }
  return turned;
}

}  // namespace qturn::tiff
