// Radiance HDR: three mantissas and an exponent of a byte each, which are moved as four bytes. The
// lines of text before them (exposure, view and others) stay as they are.
//
// OpenImageIO makes floats of them and back, in which the smallest values become 0, and does not
// read the run lengths of before 1991.
#include "src/formats/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/trailing_data.hpp"

namespace qturn::hdr {
namespace {

// The scanlines of a Radiance picture: plain, with the run lengths of each byte (since 1991), or
// with repeated pixels (before).

constexpr std::size_t hdr_pixel_bytes = 4;

/// Whether a scanline of so many pixels can have run lengths.
constexpr bool can_have_run_lengths(std::int64_t pixels) { return pixels >= 8 && pixels <= 0x7FFF; }

struct HdrScanline {
  std::size_t bytes = 0;  ///< that it takes; 0: the data end within it
  bool is_plain = false;
};

constexpr std::size_t longest_run = 127, longest_plain = 128;

[[noreturn]] void leads_out() {
  throw ImageFileError("damaged: run lengths lead out of a scanline");
}

bool has_run_lengths(std::span<const std::byte> data, std::int64_t pixels) {
  return can_have_run_lengths(pixels) && data.size() >= hdr_pixel_bytes &&
         data[0] == std::byte{2} && data[1] == std::byte{2} && std::to_integer<int>(data[2]) < 128;
}

// One byte of all pixels after the other.
HdrScanline read_run_lengths(std::span<const std::byte> data, std::int64_t pixels, std::byte* to) {
  const auto count = static_cast<std::size_t>(pixels);
  const std::size_t said =
      std::to_integer<std::size_t>(data[2]) << 8 | std::to_integer<std::size_t>(data[3]);
  if (said != count) leads_out();
  std::size_t at = hdr_pixel_bytes;
  for (std::size_t channel = 0; channel < hdr_pixel_bytes; ++channel) {
    for (std::size_t x = 0; x < count;) {
      if (at == data.size()) return {};
      const auto code = std::to_integer<std::size_t>(data[at++]);
      const bool is_run = code > longest_plain;
      const std::size_t length = is_run ? code - longest_plain : code;
      const std::size_t stored = is_run ? 1 : length;
      if (length == 0 || length > count - x) leads_out();
      if (data.size() - at < stored) return {};
      for (std::size_t i = 0; to && i < length; ++i) {
        to[(x + i) * hdr_pixel_bytes + channel] = data[at + (is_run ? 0 : i)];
      }
      at += stored;
      x += length;
    }
  }
  return {at, false};
}

// Three mantissas of 1 say how often the pixel before is repeated; several in a row make one
// number, the lowest byte first.
HdrScanline read_pixels(std::span<const std::byte> data, std::int64_t pixels, std::byte* to) {
  constexpr std::byte one{1};
  const auto count = static_cast<std::size_t>(pixels);
  HdrScanline line{.bytes = 0, .is_plain = true};
  std::size_t at = 0;
  int shift = 0;
  for (std::size_t x = 0; x < count; at += hdr_pixel_bytes) {
    if (data.size() - at < hdr_pixel_bytes) return {};
    const std::byte* const pixel = &data[at];
    if (pixel[0] != one || pixel[1] != one || pixel[2] != one) {
      if (to) std::memcpy(to + x * hdr_pixel_bytes, pixel, hdr_pixel_bytes);
      ++x;
      shift = 0;
      continue;
    }
    line.is_plain = false;
    constexpr int most_bits = 24;
    const std::size_t length =
        shift > most_bits ? 0 : std::to_integer<std::size_t>(pixel[3]) << shift;
    if (x == 0 || shift > most_bits || length > count - x) leads_out();
    for (std::size_t i = 0; to && i < length; ++i) {
      std::memcpy(to + (x + i) * hdr_pixel_bytes, to + (x - 1) * hdr_pixel_bytes, hdr_pixel_bytes);
    }
    x += length;
    shift += 8;
  }
  line.bytes = at;
  return line;
}

void append_run_lengths(Bytes& file, std::span<const std::byte> scanline) {
  const std::size_t count = scanline.size() / hdr_pixel_bytes;
  for (const std::size_t value : {std::size_t{2}, std::size_t{2}, count >> 8, count & 255}) {
    file.push_back(static_cast<std::byte>(value));
  }
  for (std::size_t channel = 0; channel < hdr_pixel_bytes; ++channel) {
    const auto value = [&](std::size_t x) { return scanline[x * hdr_pixel_bytes + channel]; };
    const auto run_at = [&](std::size_t x) {
      std::size_t length = 1;
      while (length < longest_run && x + length < count && value(x + length) == value(x)) ++length;
      return length;
    };
    // A shorter run would not make up for the packet that it ends.
    constexpr std::size_t shortest_run = 4;
    for (std::size_t x = 0; x < count;) {
      std::size_t length = run_at(x);
      if (length >= shortest_run) {
        file.push_back(static_cast<std::byte>(longest_plain + length));
        file.push_back(value(x));
      } else {
        length = 1;
        while (length < longest_plain && x + length < count && run_at(x + length) < shortest_run) {
          ++length;
        }
        file.push_back(static_cast<std::byte>(length));
        for (std::size_t i = 0; i < length; ++i) file.push_back(value(x + i));
      }
      x += length;
    }
  }
}

// Whether a reader takes no pixel of it for something else.
bool can_be_plain(std::span<const std::byte> scanline) {
  constexpr std::byte one{1};
  for (std::size_t at = 0; at < scanline.size(); at += hdr_pixel_bytes) {
    if (scanline[at] == one && scanline[at + 1] == one && scanline[at + 2] == one) return false;
  }
  return !has_run_lengths(scanline, static_cast<std::int64_t>(scanline.size() / hdr_pixel_bytes));
}

// Reads the scanline of so many pixels at the beginning of `data`. Null: nothing is written.
// Throws ImageFileError when run lengths lead out of it.
HdrScanline read_scanline(std::span<const std::byte> data, std::int64_t pixels, std::byte* to) {
  return has_run_lengths(data, pixels) ? read_run_lengths(data, pixels, to)
                                       : read_pixels(data, pixels, to);
}

// Appends `scanline`, plain if it can be. Throws ImageFileError for one that cannot be written.
void append_scanline(Bytes& file, std::span<const std::byte> scanline, bool plain) {
  const bool can_run =
      can_have_run_lengths(static_cast<std::int64_t>(scanline.size() / hdr_pixel_bytes));
  if ((plain || !can_run) && can_be_plain(scanline)) {
    file.insert(file.end(), scanline.begin(), scanline.end());
  } else if (can_run) {
    append_run_lengths(file, scanline);
  } else {
    throw ImageFileError("a pixel of the HDR would mean a repetition in a row of so many pixels");
  }
}

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
  // Four bytes without alpha.
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
