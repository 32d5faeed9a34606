#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "src/png/codec.hpp"
#include "src/png/expand.hpp"
#include "src/png/extras.hpp"
#include "src/png/filters.hpp"
#include "src/png/rows.hpp"
#include "src/png/zlib.hpp"

namespace qturn {
namespace {

using std::string_view_literals::operator""sv;
using Chunks = std::vector<PngChunk>;

constexpr int palette_type = 3;

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
    before = chunk.type;
  }
  if (runs_of_pixels == 0) throw ImageFileError("damaged: a PNG without pixels");
  if (runs_of_pixels > 1) throw ImageFileError("damaged: a PNG with pixels in several places");
  if (palettes > 1) throw ImageFileError("damaged: a PNG with several palettes");
}

// Everything that the rest relies on, before any memory is taken.
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
  if (header.colour_type == palette_type) {
    constexpr std::size_t largest_palette = 768;
    const PngChunk* palette = find_chunk(chunks, "PLTE");
    if (!palette || palette->data.empty() || palette->data.size() % 3 != 0 ||
        palette->data.size() > largest_palette) {
      throw ImageFileError("damaged: a PNG without its palette");
    }
  }
  // What deflate makes of one byte is at most this.
  constexpr double most_per_byte = 1032;
  const double bytes = static_cast<double>(header.width) * static_cast<double>(header.height) *
                       static_cast<double>(bits_per_pixel(header)) / 8;
  if (bytes > most_per_byte * static_cast<double>(compressed_bytes(chunks))) {
    throw ImageFileError(fmt::format("damaged: {} x {} pixels cannot come from {} bytes",
                                     header.width, header.height, compressed_bytes(chunks)));
  }
  return header;
}

// The compressed pixels in one piece.
class Stream {
 public:
  explicit Stream(const Chunks& chunks) {
    const auto is_pixels = [](const PngChunk& chunk) { return chunk.type == "IDAT"; };
    if (std::count_if(chunks.begin(), chunks.end(), is_pixels) == 1) {
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
    if (stop) throw Interrupted();
    const std::size_t bytes = row_bytes(header, pass);
    const std::vector<std::uint8_t> zeros(bytes);
    const std::uint8_t* above = zeros.data();
    for (std::int64_t y = 0; y < pass.height; ++y, next += bytes + 1) {
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
    warnings.push_back(fmt::format("{} bytes behind the compressed pixels are not kept",
                                   stream.bytes.size() - inflated.read));
  }
}

// In one block whose beginning the pixels remain in, where the file has them as memory does.
Page decode_stored(const Chunks& chunks, const PngHeader& header, PixelArena& arena,
                   const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  Page page = stored_page(header);
  const auto bytes = static_cast<std::size_t>(filtered_bytes(header));
  std::unique_ptr<std::uint8_t[]> apart;
  std::uint8_t* filtered = nullptr;
  if (header.bit_depth >= 8 && !header.interlaced) {
    page.pixels = arena.take(bytes);
    filtered = static_cast<std::uint8_t*>(page.pixels);
  } else {
    page.pixels = arena.take(page.bytes());
    apart = std::make_unique_for_overwrite<std::uint8_t[]>(bytes);
    filtered = apart.get();
  }
  decompress(chunks, std::as_writable_bytes(std::span(filtered, bytes)), header, warnings);
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
    auto profile = inflate(std::span(name_end + 2, chunk->data.end()), largest);
    if (profile) return std::move(*profile);
  }
  warnings.emplace_back("its colour profile is damaged and is left out");
  return {};
}

void warn_of_bytes_behind(const Chunks& chunks, std::span<const std::byte> file,
                          std::vector<std::string>& warnings) {
  const PngChunk& end = chunks.back();
  const auto bytes = static_cast<std::size_t>(end.whole.data() - file.data()) + end.whole.size();
  if (bytes < file.size()) {
    warnings.push_back(
        fmt::format("{} bytes after the end of the PNG are not kept", file.size() - bytes));
  }
}

}  // namespace

Header read_png_header(std::span<const std::byte> file) {
  const Chunks chunks = png_chunks(file);
  const PngHeader stored = checked_header(chunks);
  Header header;
  header.width = stored.width;
  header.height = stored.height;
  header.stored = png_orientation(chunks);
  header.pixel_bytes_total = stored_page(stored).bytes();
  // The decoder has the compressed pixels in one piece and the rows; the encoder rows, what they
  // are compressed to and the file.
  const std::uint64_t rows = filtered_bytes(stored);
  header.working_bytes = (2 << 20) + std::max(compressed_bytes(chunks) + rows, 3 * rows);
  // Another format has the expanded page, turned too, and twice more while it is written.
  const Page expanded = expanded_page(stored, chunks);
  if (is_expanded(stored, expanded)) {
    header.working_bytes += 4 * static_cast<std::uint64_t>(expanded.bytes());
  }
  return header;
}

Image decode_png(std::span<const std::byte> file, Format target, PixelArena& arena,
                 const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  if (stop) throw Interrupted();
  const Chunks chunks = png_chunks(file);
  auto extras = std::make_shared<PngExtras>();
  extras->header = checked_header(chunks);
  extras->metadata = png_metadata(chunks);
  Page page = decode_stored(chunks, extras->header, arena, stop, warnings);
  if (target == Format::png) {
    extras->skeleton = png_skeleton(chunks);
  } else {
    extras->metadata.icc = icc_profile(chunks, warnings);
    Page expanded = expanded_page(extras->header, chunks);
    if (is_expanded(extras->header, expanded)) {
      expanded.pixels = arena.take(expanded.bytes());
      expand(page, extras->header, chunks, expanded);
      page = expanded;
    }
  }
  warn_of_bytes_behind(chunks, file, warnings);
  return {.format = Format::png,
          .stored = png_orientation(chunks),
          .pages = {page},
          .extras = std::move(extras)};
}

}  // namespace qturn
