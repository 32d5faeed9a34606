#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "src/formats/codec/zlib.hpp"
#include "src/formats/png/chunks.hpp"
#include "src/formats/png/codec.hpp"
#include "src/formats/png/orientation_metadata.hpp"
#include "src/formats/png/rows.hpp"
#include "src/formats/table.hpp"
#include "src/picture/image.hpp"

namespace qturn::png {
namespace {

// A PNG's samples as other formats store them: colours instead of palette indices, 8 bits instead
// of fewer, an alpha channel instead of a transparent colour.

using Byte = std::uint8_t;

// If there is an alpha channel, tRNS has no meaning and is ignored.
bool is_transparent(const PngHeader& header, const std::vector<PngChunk>& chunks) {
  return (header.colour_type & 4) == 0 && find_chunk(chunks, "tRNS") != nullptr;
}

void expand_palette(const Page& stored, const std::vector<PngChunk>& chunks, const Page& expanded) {
  std::array<std::array<Byte, 4>, 256> colours;
  const auto palette = find_chunk(chunks, "PLTE")->data;
  const PngChunk* transparency = find_chunk(chunks, "tRNS");
  for (std::size_t i = 0; i < palette.size() / 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) colours[i][k] = std::to_integer<Byte>(palette[3 * i + k]);
    colours[i][3] = transparency && i < transparency->data.size()
                        ? std::to_integer<Byte>(transparency->data[i])
                        : Byte{255};
  }
  const std::span indices(static_cast<const Byte*>(stored.pixels), stored.bytes());
  auto* to = static_cast<Byte*>(expanded.pixels);
  for (const Byte index : indices) {
    if (index >= palette.size() / 3)
      throw ImageFileError("damaged: a pixel has no colour in the palette");
    to = std::copy_n(colours[index].data(), expanded.channels, to);
  }
}

// The factor of samples that keeps the largest value the largest.
int scale_to_8_bits(int depth) { return depth < 8 ? 255 / ((1 << depth) - 1) : 1; }

// Appends an alpha channel: 0 where a pixel has the colour of tRNS.
template <typename Sample>
void expand_colour_key(const Page& stored, const PngHeader& header, const PngChunk& key,
                       const Page& expanded) {
  const auto channels = static_cast<std::size_t>(stored.channels);
  if (key.data.size() != 2 * channels) throw ImageFileError("damaged: transparency (tRNS)");
  std::array<Sample, 3> transparent{};
  for (std::size_t k = 0; k < channels; ++k) {
    transparent[k] = static_cast<Sample>(std::to_integer<int>(key.data[2 * k]) << 8 |
                                         std::to_integer<int>(key.data[2 * k + 1]));
  }
  const auto* from = static_cast<const Sample*>(stored.pixels);
  const auto* end = from + stored.bytes() / sizeof(Sample);
  auto* to = static_cast<Sample*>(expanded.pixels);
  const auto scale = static_cast<Sample>(scale_to_8_bits(header.bit_depth));
  for (; from != end; from += channels) {
    const bool equal = std::equal(from, from + channels, transparent.begin());
    for (std::size_t k = 0; k < channels; ++k) *to++ = static_cast<Sample>(from[k] * scale);
    *to++ = equal ? Sample{0} : static_cast<Sample>(-1);
  }
}

// The expanded page, without memory. It is the stored one if there is nothing to expand.
Page expanded_page(const PngHeader& header, const std::vector<PngChunk>& chunks) {
  Page page = stored_page(header);
  if (header.colour_type == palette_type) page.channels = 3;
  if (is_transparent(header, chunks)) ++page.channels;
  return page;
}

// Fills `expanded`, which has memory of its own, from the stored page. Throws ImageFileError if a
// pixel has no colour in the palette, or the transparent colour is damaged.
void expand(const Page& stored, const PngHeader& header, const std::vector<PngChunk>& chunks,
            const Page& expanded) {
  if (header.colour_type == palette_type) {
    expand_palette(stored, chunks, expanded);
  } else if (is_transparent(header, chunks)) {
    const PngChunk& key = *find_chunk(chunks, "tRNS");
    if (stored.type == SampleFormat::u16) {
      expand_colour_key<std::uint16_t>(stored, header, key, expanded);
    } else {
      expand_colour_key<Byte>(stored, header, key, expanded);
    }
  } else {
    const int scale = scale_to_8_bits(header.bit_depth);
    const std::span samples(static_cast<const Byte*>(stored.pixels), stored.bytes());
    std::transform(samples.begin(), samples.end(), static_cast<Byte*>(expanded.pixels),
                   [&](Byte sample) { return static_cast<Byte>(sample * scale); });
  }
}

using std::string_view_literals::operator""sv;
using Chunks = std::vector<PngChunk>;

std::size_t compressed_bytes(const Chunks& chunks) {
  std::size_t bytes = 0;
  for (const PngChunk& chunk : chunks) {
    if (chunk.type == "IDAT") bytes += chunk.data.size();
  }
  return bytes;
}

void check_order(const Chunks& chunks) {
  constexpr std::array critical = {"IHDR"sv, "PLTE"sv, "IDAT"sv, "IEND"sv};
  int palettes = 0;
  int runs_of_pixels = 0;
  std::string_view before;
  for (const PngChunk& chunk : chunks) {
    const bool is_critical = chunk.type[0] >= 'A' && chunk.type[0] <= 'Z';
    if (is_critical && std::find(critical.begin(), critical.end(), chunk.type) == critical.end()) {
      throw ImageFileError(fmt::format("a PNG with {} chunks is not supported", chunk.type));
    }
    palettes += chunk.type == "PLTE";
    runs_of_pixels += chunk.type == "IDAT" && before != "IDAT";
    if (chunk.type == "PLTE" && runs_of_pixels > 0) {
      throw ImageFileError("damaged: a PNG with a palette after its pixels");
    }
    before = chunk.type;
  }
  if (runs_of_pixels == 0) throw ImageFileError("damaged: a PNG without pixels");
  if (runs_of_pixels > 1) throw ImageFileError("damaged: a PNG with pixels in several places");
  if (palettes > 1) throw ImageFileError("damaged: a PNG with several palettes");
}

void check_plausible(const PngHeader& header, const Chunks& pixels) {
  // The most bytes that deflate can make of one byte.
  constexpr double most_per_byte = 1032;
  const double bytes = static_cast<double>(header.width) * static_cast<double>(header.height) *
                       static_cast<double>(bits_per_pixel(header)) / 8;
  if (bytes > most_per_byte * static_cast<double>(compressed_bytes(pixels))) {
    throw ImageFileError(fmt::format("damaged: {} x {} pixels cannot come from {} bytes",
                                     header.width, header.height, compressed_bytes(pixels)));
  }
}

// Checks everything that the rest relies on, before any memory is allocated.
PngHeader checked_header(const Chunks& chunks) {
  const PngHeader header = png_header(chunks);
  const auto has_depth = [&](std::initializer_list<int> depths) {
    return std::find(depths.begin(), depths.end(), header.bit_depth) != depths.end();
  };
  const bool known = header.colour_type == 0              ? has_depth({1, 2, 4, 8, 16})
                     : header.colour_type == palette_type ? has_depth({1, 2, 4, 8})
                     : header.colour_type == 2 || header.colour_type == 4 || header.colour_type == 6
                         ? has_depth({8, 16})
                         : false;
  const auto methods = chunks.front().data.subspan(10);
  if (!known || methods[0] != std::byte{0} || methods[1] != std::byte{0} ||
      methods[2] > std::byte{1}) {
    throw ImageFileError("damaged: a PNG header that makes no sense");
  }
  constexpr std::uint32_t largest_side = 0x7FFFFFFF;
  if (header.width == 0 || header.height == 0 || header.width > largest_side ||
      header.height > largest_side) {
    throw ImageFileError(
        fmt::format("damaged: a PNG of {} x {} pixels", header.width, header.height));
  }
  check_order(chunks);
  const PngChunk* palette = find_chunk(chunks, "PLTE");
  constexpr int has_colours = 2;
  // Where it only suggests colours, libpng ignores what is wrong with it, but not that it has none.
  if (palette && palette->data.empty() && (header.colour_type & has_colours) != 0) {
    throw ImageFileError("damaged: a PNG with an empty palette");
  }
  if (header.colour_type == palette_type) {
    constexpr std::size_t largest_palette = 768;
    if (!palette || palette->data.size() % 3 != 0 || palette->data.size() > largest_palette) {
      throw ImageFileError("damaged: a PNG without its palette");
    }
  }
  check_plausible(header, chunks);
  return header;
}

// The frame as a picture of its own.
PngHeader header_of_frame(const PngHeader& header, const PngFrame& frame) {
  PngHeader its = header;
  its.width = static_cast<std::uint32_t>(frame.place.width);
  its.height = static_cast<std::uint32_t>(frame.place.height);
  check_plausible(its, frame.pixels);
  return its;
}

bool is_pixels(const PngChunk& chunk) { return chunk.type == "IDAT"; }

bool has_several_parts(const Chunks& chunks) {
  return std::count_if(chunks.begin(), chunks.end(), is_pixels) > 1;
}

// Whether the rows with their filters, and then the page, may take the same memory.
bool is_filtered_in_place(const PngHeader& header) {
  return header.bit_depth >= 8 && !header.interlaced;
}

// The compressed pixels in one piece.
class Stream {
 public:
  explicit Stream(const Chunks& chunks) {
    if (!has_several_parts(chunks)) {
      bytes = std::find_if(chunks.begin(), chunks.end(), is_pixels)->data;
      return;
    }
    joined_.reserve(compressed_bytes(chunks));
    for (const PngChunk& chunk : chunks) {
      if (is_pixels(chunk)) joined_.insert(joined_.end(), chunk.data.begin(), chunk.data.end());
    }
    bytes = joined_;
  }

  std::span<const std::byte> bytes;

 private:
  std::vector<std::byte> joined_;
};

// The rows in `filtered`, one pass after the other, to the page, which may lie in the same memory:
// a row is moved when the one below, which is predicted from it, is done.
void unfilter(const PngHeader& header, std::span<std::uint8_t> filtered, const Page& page,
              const std::atomic<bool>& stop) {
  const std::size_t step = filter_step(header);
  std::uint8_t* next = filtered.data();
  for (const PngPass& pass : png_passes(header)) {
    const std::size_t bytes = row_bytes(header, pass);
    const std::vector<std::uint8_t> zeros(bytes);
    const std::uint8_t* above = zeros.data();
    for (std::int64_t y = 0; y < pass.height; ++y, next += bytes + 1) {
      if (stop.load(std::memory_order_relaxed)) throw Interrupted();
      if (*next > static_cast<int>(PngFilter::paeth)) {
        throw ImageFileError(fmt::format("damaged: row {} has an unknown filter", y));
      }
      undo_filter(static_cast<PngFilter>(*next), {next + 1, bytes}, above, step);
      if (y > 0) unpack_row(header, pass, above, y - 1, page);
      above = next + 1;
    }
    unpack_row(header, pass, above, pass.height - 1, page);
  }
}

void decompress(const Chunks& chunks, std::span<std::byte> filtered, const PngHeader& header,
                std::vector<std::string>& warnings) {
  const Stream stream(chunks);
  const Inflated inflated = inflate(stream.bytes, filtered);
  if (inflated.result == Inflated::Result::damaged) {
    throw ImageFileError("damaged: the pixels cannot be decompressed, or are not what was stored");
  }
  if (inflated.result == Inflated::Result::too_large) {
    throw ImageFileError(
        fmt::format("damaged: more pixels than {} x {}", header.width, header.height));
  }
  if (inflated.written < filtered.size()) {
    throw ImageFileError(fmt::format("truncated: {} of {} bytes of the pixels are there",
                                     inflated.written, filtered.size()));
  }
  if (inflated.read < stream.bytes.size()) {
    warnings.push_back(fmt::format("{} bytes after the compressed pixels are not kept",
                                   stream.bytes.size() - inflated.read));
  }
}

// By zlib, which does not look at the checksum here: the rows are compared.
void decompress_otherwise(const Chunks& chunks, std::span<std::byte> filtered,
                          const PngHeader& header, std::vector<std::string>& /*warnings*/) {
  const Stream stream(chunks);
  const std::size_t written = inflate_beginning(
      stream.bytes, {reinterpret_cast<std::uint8_t*>(filtered.data()), filtered.size()});
  if (written == filtered.size()) return;
  throw ImageFileError(fmt::format("{} of {} bytes of {} x {} pixels could be decompressed",
                                   written, filtered.size(), header.width, header.height));
}

// Decompresses whole rows up to the first with an unknown filter; the rest is zero.
void decompress_beginning(const Chunks& chunks, std::span<std::byte> filtered,
                          const PngHeader& header, std::vector<std::string>& warnings) {
  const Stream stream(chunks);
  auto* bytes = reinterpret_cast<std::uint8_t*>(filtered.data());
  const std::size_t written = inflate_beginning(stream.bytes, {bytes, filtered.size()});
  std::size_t at = 0;
  std::int64_t whole = 0, all = 0;
  bool goes_on = true;
  for (const PngPass& pass : png_passes(header)) {
    const std::size_t row = row_bytes(header, pass) + 1;
    for (std::int64_t y = 0; y < pass.height; ++y) {
      goes_on = goes_on && at + row <= written && bytes[at] <= static_cast<int>(PngFilter::paeth);
      if (!goes_on) break;
      at += row;
      ++whole;
    }
    all += pass.height;
  }
  if (whole == 0) throw ImageFileError("damaged before the first row");
  std::fill(bytes + at, bytes + filtered.size(), std::uint8_t{0});
  warnings.push_back(fmt::format("{} of {} rows could be decompressed", whole, all));
}

// In one block. If the file stores the pixels as memory does, they stay at its beginning.
Page decode_stored(const Chunks& chunks, const PngHeader& header, decltype(decompress)& fill,
                   PixelArena& arena, const std::atomic<bool>& stop,
                   std::vector<std::string>& warnings) {
  Page page = stored_page(header);
  const auto bytes = static_cast<std::size_t>(filtered_bytes(header));
  std::unique_ptr<std::uint8_t[]> apart;
  std::uint8_t* filtered = nullptr;
  if (is_filtered_in_place(header)) {
    page.pixels = arena.take(bytes);
    filtered = static_cast<std::uint8_t*>(page.pixels);
  } else {
    page.pixels = arena.take(page.bytes());
    apart = std::make_unique_for_overwrite<std::uint8_t[]>(bytes);
    filtered = apart.get();
  }
  fill(chunks, std::as_writable_bytes(std::span(filtered, bytes)), header, warnings);
  unfilter(header, {filtered, bytes}, page, stop);
  return page;
}

bool is_expanded(const PngHeader& header, const Page& expanded) {
  return header.bit_depth < 8 || expanded.channels != channels(header);
}

std::vector<std::byte> icc_profile(const Chunks& chunks, std::vector<std::string>& warnings) {
  const PngChunk* chunk = find_chunk(chunks, "iCCP");
  if (!chunk) return {};
  // A name, its end, the method of compression.
  const auto name_end = std::find(chunk->data.begin(), chunk->data.end(), std::byte{0});
  if (chunk->data.end() - name_end > 2) {
    constexpr std::size_t largest = 64 << 20;
    auto profile = bytes_of_zlib(std::span(name_end + 2, chunk->data.end()), largest);
    if (profile) return std::move(*profile);
  }
  warnings.emplace_back("its colour profile is damaged and is left out");
  return {};
}

void warn_of_trailing_data(const Chunks& chunks, std::span<const std::byte> file,
                           std::vector<std::string>& warnings) {
  if (const std::size_t rest = bytes_after_png(chunks, file); rest > 0) {
    warnings.push_back(fmt::format("{} bytes after the end of the PNG are not kept", rest));
  }
}

Header header_of(const Chunks& chunks) {
  const PngHeader stored = checked_header(chunks);
  Header header = header_of_size({stored.width, stored.height});
  header.stored = png_orientation(chunks);
  look_at_chunks(chunks, header);
  header.pixel_bytes_total = stored_page(stored).bytes();
  // The decoder has the compressed pixels in one piece, and rows that are not as in memory apart.
  // The encoder has the rows and what they are compressed to, then that and the file, then the file
  // twice while metadata are turned.
  const std::uint64_t rows = filtered_bytes(stored), compressed = compressed_bytes(chunks);
  std::uint64_t others = 2 << 20;
  for (const PngChunk& chunk : chunks) {
    if (!is_pixels(chunk)) others += 4 * chunk.whole.size();
  }
  header.decoding_bytes = others + (has_several_parts(chunks) ? compressed : 0) +
                          (is_filtered_in_place(stored) ? stored.height : rows);
  header.encoding_bytes = others + 2 * (rows + rows / 64);
  // All streams of an animation are there when the file is made of them.
  for (const PngFrame& frame : png_frames(chunks)) {
    const PngHeader its = header_of_frame(stored, frame);
    const std::uint64_t its_rows = filtered_bytes(its);
    ++header.pages;
    header.pixels_total += std::uint64_t{its.width} * its.height;
    header.pixel_bytes_total += stored_page(its).bytes();
    header.decoding_bytes += compressed_bytes(frame.pixels) + its_rows;
    header.encoding_bytes += 4 * (its_rows + its_rows / 64);
  }
  const Page expanded = expanded_page(stored, chunks);
  if (is_expanded(stored, expanded)) header.shown_bytes_total = expanded.bytes();
  return header;
}

// The page as another format gets it.
Page show(const Page& page, const PngHeader& header, const Chunks& chunks, PixelArena& arena) {
  Page expanded = expanded_page(header, chunks);
  if (!is_expanded(header, expanded)) return page;
  expanded.pixels = arena.take(expanded.bytes());
  expand(page, header, chunks, expanded);
  return expanded;
}

}  // namespace

Header read_png_header(std::span<const std::byte> file) { return header_of(png_chunks(file)); }

Header read_damaged_png_header(std::span<const std::byte> file) {
  return header_of(damaged_png_chunks(file));
}

Image salvage_png(std::span<const std::byte> file, PixelArena& arena, const std::atomic<bool>& stop,
                  std::vector<std::string>& warnings) {
  const Chunks chunks = damaged_png_chunks(file);
  const PngHeader header = checked_header(chunks);
  auto extras = std::make_shared<Extras>();
  extras->metadata = png_metadata(chunks);
  extras->metadata.icc = icc_profile(chunks, warnings);
  const Page page = decode_stored(chunks, header, decompress_beginning, arena, stop, warnings);
  return {.format = nullptr,
          .stored = png_orientation(chunks),
          .pages = {show(page, header, chunks, arena)},
          .extras = std::move(extras)};
}

namespace {

Image decode_by(decltype(decompress)& fill, std::span<const std::byte> file, Samples samples,
                PixelArena& arena, const std::atomic<bool>& stop,
                std::vector<std::string>& warnings) {
  if (stop) throw Interrupted();
  const Chunks chunks = png_chunks(file);
  auto extras = std::make_shared<PngExtras>();
  extras->header = checked_header(chunks);
  extras->metadata = png_metadata(chunks);
  const std::vector<PngFrame> frames = png_frames(chunks);
  if (samples == Samples::for_another_format && is_animated(chunks)) {
    throw ImageFileError("an animated PNG can only stay a PNG");
  }
  Page page = decode_stored(chunks, extras->header, fill, arena, stop, warnings);
  std::vector<Page> pages_of_frames;
  for (const PngFrame& frame : frames) {
    pages_of_frames.push_back(decode_stored(frame.pixels, header_of_frame(extras->header, frame),
                                            fill, arena, stop, warnings));
  }
  if (samples == Samples::as_stored) {
    extras->skeleton = png_skeleton(chunks);
  } else {
    extras->metadata.icc = icc_profile(chunks, warnings);
    page = show(page, extras->header, chunks, arena);
  }
  warn_of_trailing_data(chunks, file, warnings);
  std::vector<Page> pages = {page};
  pages.insert(pages.end(), pages_of_frames.begin(), pages_of_frames.end());
  return {.format = &codec,
          .stored = png_orientation(chunks),
          .pages = std::move(pages),
          .extras = std::move(extras)};
}

}  // namespace

Image decode_png(std::span<const std::byte> file, Samples samples, PixelArena& arena,
                 const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  return decode_by(decompress, file, samples, arena, stop, warnings);
}

Image decode_png_otherwise(std::span<const std::byte> file, PixelArena& arena,
                           const std::atomic<bool>& stop) {
  std::vector<std::string> unused;
  return decode_by(decompress_otherwise, file, Samples::as_stored, arena, stop, unused);
}

}  // namespace qturn::png
