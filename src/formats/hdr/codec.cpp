#include "src/formats/hdr/codec.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

#include "src/formats/hdr/scanlines.hpp"
#include "src/picture/trailing_data.hpp"

namespace qturn::hdr {
namespace {

struct HdrExtras final : Extras {
  Bytes lines;            ///< of text, up to the one with the size
  bool is_plain = false;  ///< without run lengths

  std::shared_ptr<Extras> copy() const override { return std::make_shared<HdrExtras>(*this); }
};

struct Layout {
  std::size_t lines_end = 0, pixels_at = 0;
  std::int64_t width = 0, height = 0;  // pixels of a scanline, and scanlines
  Orientation stored = Orientation::identity;

  Page page() const { return {.width = width, .height = height, .channels = 4}; }
};

// "-Y 480 +X 640": where the first scanline lies, how many there are, where the first pixel of each
// lies, how many it has. "-Y": they go down, as y grows upwards; "+X": to the right.
struct Order {
  std::string_view scanlines, pixels;
  Orientation orientation;
};
constexpr Order orders[] = {
    {"-Y ", "+X ", Orientation::identity},   {"-Y ", "-X ", Orientation::flop},
    {"+Y ", "-X ", Orientation::rotate180},  {"+Y ", "+X ", Orientation::flip},
    {"+X ", "-Y ", Orientation::transpose},  {"-X ", "-Y ", Orientation::rotate90},
    {"-X ", "+Y ", Orientation::transverse}, {"+X ", "+Y ", Orientation::rotate270},
};

// Takes `axis` and a number off the line; 0 if they are not there.
std::int64_t take_size(std::string_view& line, std::string_view axis) {
  if (!line.starts_with(axis)) return 0;
  line.remove_prefix(axis.size());
  while (line.starts_with(' ')) line.remove_prefix(1);  // libvips fills up to eight
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), size);
  if (error != std::errc() || size < 0 || size > 0x7FFFFFFF) return 0;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  while (line.starts_with(' ')) line.remove_prefix(1);
  return size;
}

Layout read_layout(std::span<const std::byte> file) {
  const std::string_view text = text_of(file);
  if (!text.starts_with("#?")) throw ImageFileError("not a Radiance picture");
  const std::size_t empty_line = text.find("\n\n");
  const std::size_t line_at = empty_line + 2;
  const std::size_t line_end = empty_line == text.npos ? text.npos : text.find('\n', line_at);
  if (line_end == text.npos) throw ImageFileError("truncated within the Radiance header");
  Layout layout{.lines_end = line_at, .pixels_at = line_end + 1};
  for (const Order& order : orders) {
    std::string_view line = text.substr(line_at, line_end - line_at);
    layout.height = take_size(line, order.scanlines);
    layout.width = take_size(line, order.pixels);
    layout.stored = order.orientation;
    if (layout.width > 0 && layout.height > 0 && line.empty()) break;
    layout.width = 0;
  }
  if (layout.width == 0) throw ImageFileError("damaged: the size of the Radiance picture");
  // A scanline has one pixel at least.
  const std::uint64_t most_rows = (file.size() - layout.pixels_at) / hdr_pixel_bytes;
  if (most_rows < static_cast<std::uint64_t>(layout.height)) {
    throw ImageFileError(fmt::format("truncated after {} of {} rows", 0, layout.height));
  }
  return layout;
}

struct Read {
  std::size_t end = 0;  // of the pixels, in the file
  bool is_plain = true;
};

// Null: nothing is written.
Read read_pixels(const Layout& layout, std::span<const std::byte> file, std::byte* to,
                 const std::atomic<bool>* stop) {
  Read read{.end = layout.pixels_at};
  for (std::int64_t y = 0; y < layout.height; ++y) {
    if (stop && stop->load(std::memory_order_relaxed)) throw Interrupted();
    const HdrScanline line = read_scanline(file.subspan(read.end), layout.width,
                                           to ? to + y * layout.page().row_bytes() : nullptr);
    if (line.bytes == 0) {
      throw ImageFileError(fmt::format("truncated after {} of {} rows", y, layout.height));
    }
    read.end += line.bytes;
    read.is_plain = read.is_plain && line.is_plain;
  }
  return read;
}

Header read_header(std::span<const std::byte> file) {
  const Layout layout = read_layout(file);
  Header header = header_of_size({layout.width, layout.height});
  header.stored = layout.stored;
  header.pixel_bytes_total = hdr_pixel_bytes * header.pixels_total;
  header.shown_bytes_total = 3 * sizeof(float) * header.pixels_total;
  header.decoding_bytes = (1 << 20) + layout.lines_end;
  // A packet has a byte more than its pixels, and a scanline four packets at least.
  header.encoding_bytes = header.decoding_bytes + header.pixel_bytes_total +
                          header.pixel_bytes_total / 64 +
                          8 * static_cast<std::uint64_t>(std::max(layout.width, layout.height));
  return header;
}

// A mantissa m with the exponent e is m * 2^(e - 136).
Page show(const Page& stored, std::string_view lines, PixelArena& arena) {
  if (lines.find("\nFORMAT=32-bit_rle_xyze") != lines.npos) {
    throw ImageFileError("a Radiance picture of XYZ colours cannot become another format");
  }
  Page shown = stored;
  shown.channels = 3;
  shown.type = SampleFormat::f32;
  shown.pixels = arena.take(shown.bytes());
  const auto* from = static_cast<const std::uint8_t*>(stored.pixels);
  auto* to = static_cast<float*>(shown.pixels);
  for (std::int64_t i = 0; i < stored.width * stored.height; ++i, from += 4) {
    constexpr int bias = 136;
    const float factor = from[3] == 0 ? 0.0F : std::ldexp(1.0F, from[3] - bias);
    for (int k = 0; k < 3; ++k) *to++ = static_cast<float>(from[k]) * factor;
  }
  return shown;
}

void warn_of_lines(std::string_view lines, std::initializer_list<std::string_view> names,
                   std::string_view what, std::vector<std::string>& warnings) {
  for (const std::string_view name : names) {
    if (lines.find(fmt::format("\n{}=", name)) != lines.npos)
      warnings.push_back(fmt::format("its {} {}", name, what));
  }
}

// Whether its pixels are not square. Some writers say about all that they are.
bool has_other_aspect(std::string_view lines) {
  constexpr std::string_view name = "\nPIXASPECT=";
  const std::size_t at = lines.find(name);
  if (at == lines.npos) return false;
  std::string_view value = lines.substr(at + name.size());
  while (value.starts_with(' ')) value.remove_prefix(1);
  double aspect = 0;
  std::from_chars(value.data(), value.data() + value.size(), aspect);
  return aspect != 1;
}

Image decode(std::span<const std::byte> file, Samples samples, PixelArena& arena,
             const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  const Layout layout = read_layout(file);
  Page page = layout.page();
  page.pixels = arena.take(page.bytes());
  const Read read = read_pixels(layout, file, static_cast<std::byte*>(page.pixels), &stop);
  warn_of_trailing_data(file, read.end, warnings);
  auto extras = std::make_shared<HdrExtras>();
  const auto lines = file.first(layout.lines_end);
  extras->lines.assign(lines.begin(), lines.end());
  extras->is_plain = read.is_plain;
  // Four bytes, of which none is alpha.
  extras->meaning = Meaning{};
  if (samples == Samples::for_another_format) {
    page = show(page, text_of(lines), arena);
    warn_of_lines(text_of(lines), {"EXPOSURE", "COLORCORR", "PRIMARIES"},
                  "is not kept, and readers of an HDR heed it", warnings);
  }
  return {.format = &codec, .stored = layout.stored, .pages = {page}, .extras = std::move(extras)};
}

Bytes encode(const Image& image, Orientation applied, const std::atomic<bool>& stop,
             std::vector<std::string>& warnings) {
  const auto* extras = dynamic_cast<const HdrExtras*>(image.extras.get());
  if (image.format != &codec || !extras) {
    throw ImageFileError("hdr stores three colours in four bytes, which no other format does");
  }
  const Page& page = image.pages.front();
  Bytes file = extras->lines;
  if (applied != Orientation::identity) {
    warn_of_lines(text_of(file), {"VIEW"}, "stays, but is not turned", warnings);
  }
  if (swaps_axes(applied) && has_other_aspect(text_of(file))) {
    warnings.emplace_back("its PIXASPECT stays, but is not turned");
  }
  const std::string size = fmt::format("-Y {} +X {}\n", page.height, page.width);
  const auto row_bytes = static_cast<std::size_t>(page.row_bytes());
  file.reserve(file.size() + size.size() + page.bytes() + page.bytes() / 64 +
               8 * static_cast<std::size_t>(page.height));
  file.insert(file.end(), bytes_of(size).begin(), bytes_of(size).end());
  for (std::int64_t y = 0; y < page.height; ++y) {
    if (stop.load(std::memory_order_relaxed)) throw Interrupted();
    const auto* row = static_cast<const std::byte*>(page.pixels) + y * page.row_bytes();
    append_scanline(file, {row, row_bytes}, extras->is_plain);
  }
  return file;
}

void check(std::span<const std::byte> file, MetadataCheck& check) {
  check.trailing_data(file, read_pixels(read_layout(file), file, nullptr, nullptr).end);
}

std::vector<FilePart> parts(std::span<const std::byte> file, Orientation) {
  return {{FilePart::fixed, "the header", file.first(read_layout(file).lines_end)}};
}

bool recognises(std::span<const std::byte> head, std::string_view) {
  const std::string_view text = text_of(head);
  return text.starts_with("#?RADIANCE") || text.starts_with("#?RGBE");
}

}  // namespace

const Codec codec = {
    .name = "hdr",
    .suffixes = {".hdr", ".rgbe"},
    .recognises = recognises,
    .read_header = read_header,
    .decode = decode,
    .encode = encode,
    .check = check,
    .parts = parts,
};

}  // namespace qturn::hdr
