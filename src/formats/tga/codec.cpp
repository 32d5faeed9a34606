// TGA in the form it is stored in: bits per pixel, colour map, run lengths, the order of its rows
// and columns, and everything after its pixels (extension area, postage stamp, developer area)
// stay.
//
// The order in which rows and columns are stored is not an orientation that a viewer may forget, as
// a tag is: every reader obeys it. So it stays as it is, and the pixels are moved.
#include "src/formats/table.hpp"

#include <fmt/format.h>
#include <qturn/cpu.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "src/formats/codec/codec.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/packed_pixels.hpp"
#include "src/picture/trailing_data.hpp"

namespace qturn::tga {
namespace {

// What the header of a TGA says, and what its footer leads to.

/// Where fields lie in the file.
namespace tga_field {
constexpr std::size_t type = 2, x_origin = 8, y_origin = 10, width = 12, height = 14,
                      pixel_bits = 16, descriptor = 17, end = 18;
}

enum class TgaKind : std::uint8_t { colour_map = 1, colours = 2, grey = 3 };

struct TgaLayout {
  std::int64_t width = 0, height = 0;
  TgaKind kind = TgaKind::colours;
  bool has_run_lengths = false;
  int pixel_bits = 0;
  int alpha_bits = 0;             ///< as the header declares them
  bool is_top_down = false;       ///< else the lowest row comes first
  bool is_right_to_left = false;  ///< else the left column comes first
  std::size_t map_at = 0;
  std::uint64_t first_colour = 0, colours = 0;  ///< of the colour map
  int colour_bits = 0;
  std::size_t pixels_at = 0;

  std::size_t pixel_bytes() const { return static_cast<std::size_t>(pixel_bits + 7) / 8; }
  std::size_t colour_bytes() const { return static_cast<std::size_t>(colour_bits + 7) / 8; }
  std::uint64_t row_bytes() const { return static_cast<std::uint64_t>(width) * pixel_bytes(); }
};

/// What follows the pixels. Places count from the pixels' end.
struct TgaTail {
  /// Where a four-byte offset from the beginning of the file stands that leads beyond the pixels.
  std::vector<std::size_t> offsets;
  std::size_t extension = 0, extension_bytes = 0;  ///< no bytes: there is none
  std::size_t stamp = 0;                           ///< a smaller picture, unless 0
  std::size_t scan_lines = 0;  ///< where the offset of a table of rows stands, unless 0
  int alpha_type = -1;         ///< as the extension area says
};

/// What it ends with if nothing but the pixels is there.
constexpr std::string_view tga_footer{"\0\0\0\0\0\0\0\0TRUEVISION-XFILE.\0", 26};

constexpr std::size_t footer_bytes = tga_footer.size(), signature_at = 8;

bool is_depth(TgaKind kind, int bits) {
  switch (kind) {
    case TgaKind::colour_map:
    case TgaKind::grey:
      return bits == 8 || bits == 16;
    case TgaKind::colours:
      return bits == 15 || bits == 16 || bits == 24 || bits == 32;
  }
  return false;
}

void check_size(const TgaLayout& layout, std::span<const std::byte> file) {
  if (layout.width == 0 || layout.height == 0) throw ImageFileError("a TGA without pixels");
  if (layout.pixels_at > file.size()) throw ImageFileError("truncated: the pixels are missing");
  const std::uint64_t there = file.size() - layout.pixels_at;
  const auto rows = static_cast<std::uint64_t>(layout.height);
  std::uint64_t whole = there / layout.row_bytes();
  if (layout.has_run_lengths) {
    // A run has up to 128 pixels.
    constexpr std::uint64_t longest = 128;
    whole = there / (1 + layout.pixel_bytes()) * longest / static_cast<std::uint64_t>(layout.width);
    if (whole + 1 >= rows) return;
  }
  if (whole < rows) {
    throw ImageFileError(fmt::format("truncated after {} of {} rows", whole, rows));
  }
}

// Throws ImageFileError for damage, a file that is cut among it, and for what is not supported.
TgaLayout read_tga_layout(std::span<const std::byte> file) {
  if (file.size() < tga_field::end) throw ImageFileError("truncated within the TGA header");
  const auto number = [&](std::size_t at, std::size_t bytes) {
    return little_endian(file, at, bytes);
  };
  constexpr std::uint64_t run_lengths = 8, right_to_left = 0x10, top_down = 0x20,
                          interleaved = 0xC0, alpha = 0x0F;
  const std::uint64_t type = number(tga_field::type, 1), kind = type & ~run_lengths;
  const std::uint64_t descriptor = number(tga_field::descriptor, 1);
  TgaLayout layout;
  layout.kind = static_cast<TgaKind>(kind);
  layout.has_run_lengths = (type & run_lengths) != 0;
  layout.width = static_cast<std::int64_t>(number(tga_field::width, 2));
  layout.height = static_cast<std::int64_t>(number(tga_field::height, 2));
  layout.pixel_bits = static_cast<int>(number(tga_field::pixel_bits, 1));
  layout.alpha_bits = static_cast<int>(descriptor & alpha);
  layout.is_right_to_left = (descriptor & right_to_left) != 0;
  layout.is_top_down = (descriptor & top_down) != 0;
  if (kind < 1 || kind > 3 || !is_depth(layout.kind, layout.pixel_bits)) {
    throw ImageFileError(fmt::format("a TGA of type {} with {} bits per pixel is not supported",
                                     type, layout.pixel_bits));
  }
  if ((descriptor & interleaved) != 0) {
    throw ImageFileError("a TGA with interleaved rows is not supported");
  }
  layout.map_at = static_cast<std::size_t>(tga_field::end + number(0, 1));
  if (number(1, 1) != 0) {
    layout.first_colour = number(3, 2);
    layout.colours = number(5, 2);
    layout.colour_bits = static_cast<int>(number(7, 1));
  }
  layout.pixels_at =
      layout.map_at + static_cast<std::size_t>(layout.colours) * layout.colour_bytes();
  if (layout.kind == TgaKind::colour_map &&
      (layout.colours == 0 || !is_depth(TgaKind::colours, layout.colour_bits))) {
    throw ImageFileError(
        fmt::format("a TGA with a colour map of {} colours of {} bits is not "
                    "supported",
                    layout.colours, layout.colour_bits));
  }
  check_size(layout, file);
  return layout;
}

// Whether the file ends as the second version of the format does.
bool has_tga_footer(std::span<const std::byte> file) {
  return file.size() >= tga_field::end + footer_bytes &&
         text_of(file).ends_with(tga_footer.substr(signature_at));
}

// Reads what follows the pixels of a file with a footer. Throws ImageFileError for what leads out
// of the file or into the pixels.
TgaTail read_tga_tail(std::span<const std::byte> file, std::size_t pixels_end,
                      const TgaLayout& layout) {
  TgaTail tail;
  struct Area {
    std::size_t begin, end;
  };
  std::vector<Area> areas = {{file.size() - footer_bytes, file.size()}};
  const auto add_area = [&](std::size_t begin, std::size_t bytes) {
    if (bytes > 0) areas.push_back({begin, begin + bytes});
  };
  // Where the offset that stands at `at` leads; 0 if nowhere. `bytes` must be there.
  const auto follow = [&](std::size_t at, std::size_t bytes, std::string_view what) {
    const auto to = static_cast<std::size_t>(little_endian(file, at, 4));
    if (to == 0) return to;
    if (to < pixels_end || to > file.size() || file.size() - to < bytes) {
      throw ImageFileError(fmt::format("damaged: the {} of the TGA is not after its pixels", what));
    }
    tail.offsets.push_back(at - pixels_end);
    return to;
  };
  if (file.size() - footer_bytes < pixels_end) {
    throw ImageFileError("damaged: the pixels of the TGA reach into its end");
  }
  const std::size_t footer = file.size() - footer_bytes;
  if (const std::size_t at = follow(footer, 2, "extension area"); at != 0) {
    tail.extension = at - pixels_end;
    tail.extension_bytes = static_cast<std::size_t>(little_endian(file, at, 2));
    if (file.size() - at < tail.extension_bytes) {
      throw ImageFileError("truncated: the file ends within the TGA's extension area");
    }
    add_area(at, tail.extension_bytes);
    const auto has = [&](std::size_t field, std::size_t bytes) {
      return field + bytes <= tail.extension_bytes;
    };
    constexpr std::size_t correction_bytes = 2048, stamp_header = 2;
    if (has(482, 4)) {
      const std::size_t table = follow(at + 482, correction_bytes, "colour correction table");
      add_area(table, table != 0 ? correction_bytes : 0);
    }
    const std::size_t stamp = has(486, 4) ? follow(at + 486, stamp_header, "postage stamp") : 0;
    if (stamp != 0) {
      const std::uint64_t pixels =
          little_endian(file, stamp, 1) * little_endian(file, stamp + 1, 1);
      if (file.size() - stamp - stamp_header < pixels * layout.pixel_bytes()) {
        throw ImageFileError("truncated: the file ends within the TGA's postage stamp");
      }
      tail.stamp = stamp - pixels_end;
      add_area(stamp, stamp_header + static_cast<std::size_t>(pixels) * layout.pixel_bytes());
    }
    if (has(490, 4) && little_endian(file, at + 490, 4) != 0)
      tail.scan_lines = at + 490 - pixels_end;
    if (has(494, 1)) tail.alpha_type = static_cast<int>(little_endian(file, at + 494, 1));
  }
  if (const std::size_t at = follow(footer + 4, 2, "developer area"); at != 0) {
    constexpr std::size_t entry_bytes = 10, offset_in_entry = 2, size_in_entry = 6;
    const auto entries = static_cast<std::size_t>(little_endian(file, at, 2));
    if ((file.size() - at - 2) / entry_bytes < entries) {
      throw ImageFileError("truncated: the file ends within the TGA's developer area");
    }
    add_area(at, 2 + entries * entry_bytes);
    for (std::size_t i = 0; i < entries; ++i) {
      const std::size_t entry = at + 2 + i * entry_bytes;
      const auto bytes = static_cast<std::size_t>(little_endian(file, entry + size_in_entry, 4));
      const std::size_t field = follow(entry + offset_in_entry, bytes, "developer area");
      add_area(field, field != 0 ? bytes : 0);
    }
  }
  // An offset that is moved, or a stamp that is turned, must not be a part of something else.
  std::ranges::sort(areas, {}, &Area::begin);
  for (std::size_t i = 1; i < areas.size(); ++i) {
    if (areas[i].begin < areas[i - 1].end) {
      throw ImageFileError("damaged: two areas after the pixels of the TGA overlap");
    }
  }
  return tail;
}

struct TgaExtras final : Extras {
  TgaLayout layout;
  Bytes head;  ///< the file up to its pixels
  Bytes tail;  ///< what follows them, if the file has a footer
  TgaTail places;
  std::size_t pixels_end = 0;  ///< in the file

  std::shared_ptr<Extras> copy() const override { return std::make_shared<TgaExtras>(*this); }
};

// A pixel's bytes, in the order of the file.
Page stored_page(const TgaLayout& layout) {
  return {.width = layout.width,
          .height = layout.height,
          .channels = static_cast<int>(layout.pixel_bytes())};
}

// From the order of the file to the order of the screen, and back.
void reorder(const TgaLayout& layout, const Page& page) {
  const auto row = static_cast<std::size_t>(page.row_bytes());
  const auto pixel = static_cast<std::size_t>(page.pixel_bytes());
  auto* const pixels = static_cast<std::byte*>(page.pixels);
  const auto height = static_cast<std::size_t>(page.height);
  for (std::size_t y = 0; !layout.is_top_down && y < height / 2; ++y) {
    std::swap_ranges(pixels + y * row, pixels + (y + 1) * row, pixels + (height - 1 - y) * row);
  }
  for (std::size_t y = 0; layout.is_right_to_left && y < height; ++y) {
    std::byte* left = pixels + y * row;
    for (std::byte* right = left + row - pixel; left < right; left += pixel, right -= pixel) {
      std::swap_ranges(left, left + pixel, right);
    }
  }
}

// All pixels in the order of the file; returns how many bytes they take there. Runs may go on in
// the next row, as they did before the second version of the format.
std::size_t read_run_lengths(const TgaLayout& layout, std::span<const std::byte> data,
                             std::span<std::byte> pixels, const std::atomic<bool>& stop) {
  const std::size_t pixel = layout.pixel_bytes();
  std::size_t at = 0, done = 0;
  while (done < pixels.size()) {
    if (stop.load(std::memory_order_relaxed)) throw Interrupted();
    const auto packet = at < data.size() ? std::to_integer<std::size_t>(data[at]) : 0;
    const bool is_run = packet >= 128;
    const std::size_t bytes = (packet % 128 + 1) * pixel, stored = is_run ? pixel : bytes;
    if (at == data.size() || data.size() - at - 1 < stored) {
      // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a width of 0 was refused
      const std::size_t rows = done / layout.row_bytes();
      throw ImageFileError(fmt::format("truncated after {} of {} rows", rows, layout.height));
    }
    if (bytes > pixels.size() - done) {
      throw ImageFileError("damaged: run lengths lead out of the picture");
    }
    for (std::size_t i = 0; i < bytes; i += stored) {
      std::memcpy(&pixels[done + i], &data[at + 1], stored);
    }
    done += bytes;
    at += 1 + stored;
  }
  return at;
}

void append_run_lengths(Bytes& file, std::span<const std::byte> bytes, std::size_t pixel) {
  const std::byte* const row = bytes.data();
  const std::size_t pixels = bytes.size() / pixel;
  constexpr std::size_t longest = 128;
  // Two bytes for two pixels of a byte would gain nothing, and end a packet.
  const std::size_t shortest = pixel == 1 ? 3 : 2;
  const auto run_at = [&](std::size_t x) {
    std::size_t length = 1;
    while (length < longest && x + length < pixels &&
           std::memcmp(row + x * pixel, row + (x + length) * pixel, pixel) == 0) {
      ++length;
    }
    return length;
  };
  for (std::size_t x = 0; x < pixels;) {
    std::size_t length = run_at(x);
    const bool is_run = length >= shortest;
    if (!is_run) {
      length = 1;
      while (length < longest && x + length < pixels && run_at(x + length) < shortest) ++length;
    }
    file.push_back(static_cast<std::byte>(length - 1 + (is_run ? 128 : 0)));
    file.insert(file.end(), row + x * pixel, row + (x + (is_run ? 1 : length)) * pixel);
    x += length;
  }
}

void check_indices(const TgaLayout& layout, std::span<const std::byte> pixels) {
  if (layout.kind != TgaKind::colour_map) return;
  const std::uint64_t end = layout.first_colour + layout.colours;
  for (std::size_t at = 0; at < pixels.size(); at += layout.pixel_bytes()) {
    const std::uint64_t index = little_endian(pixels, at, layout.pixel_bytes());
    if (index < layout.first_colour || index >= end) {
      throw ImageFileError(fmt::format("damaged: colour {} of a colour map of {} to {}", index,
                                       layout.first_colour, end - 1));
    }
  }
}

// What the extension area says about alpha.
constexpr int no_alpha = 0, alpha_to_ignore = 1, premultiplied = 4;

// Whether the last byte of each pixel or colour, a fourth one or grey's second, is alpha.
bool last_byte_is_alpha(const TgaLayout& layout, int alpha_type, std::span<const std::byte> pixels,
                        std::size_t pixel_bytes, std::vector<std::string>& warnings) {
  const bool declared = layout.alpha_bits > 0;
  if (alpha_type == alpha_to_ignore || (alpha_type == no_alpha && !declared)) return false;
  if (declared) return true;
  const Bits last = bits_everywhere(pixels, pixel_bytes, 0xFFU << 8 * (pixel_bytes - 1));
  if (last == Bits::mixed) {
    warnings.push_back(
        fmt::format("its header does not declare the {} byte, which is taken for alpha",
                    pixel_bytes == 2 ? "second" : "fourth"));
  }
  return last != Bits::zeros;
}

// The channels of colours, a pixel's or the colour map's, for another format.
ChannelMasks masks_of(const TgaLayout& layout, int alpha_type, std::span<const std::byte> colours,
                      int bits, std::vector<std::string>& warnings) {
  if (bits <= 16) {
    return masks_of_555(bits == 16 && layout.alpha_bits > 0 && alpha_type != alpha_to_ignore);
  }
  return masks_of_888(bits == 32 && last_byte_is_alpha(layout, alpha_type, colours, 4, warnings));
}

Page show_grey(const Page& stored, const TgaLayout& layout, std::span<const std::byte> pixels,
               int alpha_type, PixelArena& arena, std::vector<std::string>& warnings) {
  if (stored.channels == 1 || last_byte_is_alpha(layout, alpha_type, pixels, 2, warnings)) {
    return stored;
  }
  Page shown = stored;
  shown.channels = 1;
  shown.pixels = arena.take(shown.bytes());
  auto* const to = static_cast<std::byte*>(shown.pixels);
  for (std::size_t i = 0; i < shown.bytes(); ++i) to[i] = pixels[2 * i];
  return shown;
}

void show_indices(const TgaLayout& layout, std::span<const std::byte> indices,
                  std::span<const std::uint8_t> colours, int channels, std::uint8_t* to) {
  for (std::size_t at = 0; at < indices.size(); at += layout.pixel_bytes()) {
    const std::uint64_t index = little_endian(indices, at, layout.pixel_bytes());
    const auto from =
        static_cast<std::size_t>(index - layout.first_colour) * static_cast<std::size_t>(channels);
    to = std::copy_n(&colours[from], channels, to);
  }
}

Page show(const Page& stored, const TgaLayout& layout, std::span<const std::byte> file,
          int alpha_type, PixelArena& arena, std::vector<std::string>& warnings) {
  const std::span pixels(static_cast<const std::byte*>(stored.pixels), stored.bytes());
  if (layout.kind == TgaKind::grey) {
    return show_grey(stored, layout, pixels, alpha_type, arena, warnings);
  }
  const bool mapped = layout.kind == TgaKind::colour_map;
  const int bits = mapped ? layout.colour_bits : layout.pixel_bits;
  const std::span colours =
      mapped ? file.subspan(layout.map_at, layout.pixels_at - layout.map_at) : pixels;
  const ChannelMasks masks = masks_of(layout, alpha_type, colours, bits, warnings);
  Page shown = stored;
  shown.channels = masks.channels();
  shown.pixels = arena.take(shown.bytes());
  auto* const to = static_cast<std::uint8_t*>(shown.pixels);
  const std::size_t bytes = mapped ? layout.colour_bytes() : layout.pixel_bytes();
  if (!mapped) {
    expand_channels(masks, colours, bytes, to);
    return shown;
  }
  std::vector<std::uint8_t> table(colours.size() / bytes *
                                  static_cast<std::size_t>(shown.channels));
  expand_channels(masks, colours, bytes, table.data());
  show_indices(layout, pixels, table, shown.channels, to);
  return shown;
}

std::uint64_t shown_channels(const TgaLayout& layout) {
  if (layout.kind == TgaKind::grey) return layout.pixel_bytes();
  const int bits = layout.kind == TgaKind::colour_map ? layout.colour_bits : layout.pixel_bits;
  return bits == 15 || bits == 24 ? 3 : 4;
}

Header read_header(std::span<const std::byte> file) {
  const TgaLayout layout = read_tga_layout(file);
  Header header = header_of_size({layout.width, layout.height});
  header.pixel_bytes_total = stored_page(layout).bytes();
  header.shown_bytes_total = shown_channels(layout) * header.pixels_total;
  // What stands around the pixels.
  const std::uint64_t rest = file.size() - (layout.has_run_lengths ? 0 : header.pixel_bytes_total);
  header.decoding_bytes = (1 << 20) + rest;
  // A packet has a byte more than its pixels, and each row begins one.
  header.encoding_bytes =
      header.decoding_bytes + header.pixel_bytes_total + header.pixels_total / 128 + 65536;
  return header;
}

Image decode(std::span<const std::byte> file, Samples samples, PixelArena& arena,
             const std::atomic<bool>& stop, std::vector<std::string>& warnings) {
  auto extras = std::make_shared<TgaExtras>();
  const TgaLayout& layout = extras->layout = read_tga_layout(file);
  Page page = stored_page(layout);
  page.pixels = arena.take(page.bytes());
  const std::span pixels(static_cast<std::byte*>(page.pixels), page.bytes());
  const std::span data = file.subspan(layout.pixels_at);
  std::size_t end = layout.pixels_at + pixels.size();
  if (layout.has_run_lengths) {
    end = layout.pixels_at + read_run_lengths(layout, data, pixels, stop);
  } else {
    std::memcpy(pixels.data(), data.data(), pixels.size());
  }
  if (stop) throw Interrupted();
  check_indices(layout, pixels);
  reorder(layout, page);
  extras->pixels_end = end;
  if (has_tga_footer(file)) {
    extras->places = read_tga_tail(file, end, layout);
  } else {
    warn_of_trailing_data(file, end, warnings);
  }
  if (samples == Samples::for_another_format) {
    page = show(page, layout, file, extras->places.alpha_type, arena, warnings);
    extras->meaning = meaning_of_channels(page.channels);
    if (extras->places.alpha_type == premultiplied && extras->meaning->alpha_channel >= 0) {
      extras->meaning->alpha = Meaning::Alpha::associated;
    }
  } else {
    extras->head.assign(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(layout.pixels_at));
    if (has_tga_footer(file)) {
      extras->tail.assign(file.begin() + static_cast<std::ptrdiff_t>(end), file.end());
    }
  }
  return {.format = &codec,
          .stored = Orientation::identity,
          .pages = {page},
          .extras = std::move(extras)};
}

// The smaller picture, which is stored as the large one is, without run lengths.
void turn_stamp(const TgaLayout& layout, std::span<std::byte> stamp, Orientation applied) {
  Page page{.width = std::to_integer<std::int64_t>(stamp[0]),
            .height = std::to_integer<std::int64_t>(stamp[1]),
            .channels = static_cast<int>(layout.pixel_bytes())};
  if (page.width == 0 || page.height == 0) return;
  Bytes pixels(page.bytes());
  std::copy_n(stamp.begin() + 2, pixels.size(), pixels.begin());
  page.pixels = pixels.data();
  reorder(layout, page);
  Page turned = page;
  if (swaps_axes(applied)) std::swap(turned.width, turned.height);
  turned.pixels = &stamp[2];
  transform(page.view(), turned.view(), applied);
  reorder(layout, turned);
  stamp[0] = static_cast<std::byte>(turned.width);
  stamp[1] = static_cast<std::byte>(turned.height);
}

// Where the lower left corner lies on a screen, counted from the screen's. Some writers say the
// corner where the pixels begin instead, as if the picture filled the screen.
void turn_origin(Bytes& head, const TgaLayout& layout, Size turned, Orientation applied,
                 std::vector<std::string>& warnings) {
  const Position stored{static_cast<std::int64_t>(little_endian(head, tga_field::x_origin, 2)),
                        static_cast<std::int64_t>(little_endian(head, tga_field::y_origin, 2))};
  const auto first_corner = [&](Size size) {
    return Position{layout.is_right_to_left ? size.width : 0, layout.is_top_down ? size.height : 0};
  };
  Position place{0, 0};
  if (applied == Orientation::identity || stored == place) return;
  if (stored == first_corner({layout.width, layout.height})) {
    place = first_corner(turned);
  } else if (applied == Orientation::transverse) {  // around the diagonal through both corners
    place = {stored.y, stored.x};
  } else {
    warnings.push_back(
        fmt::format("its place on a screen ({}, {}) is not kept, because the size of the screen is "
                    "not known",
                    stored.x, stored.y));
  }
  put_little_endian(head, tga_field::x_origin, 2, static_cast<std::uint64_t>(place.x));
  put_little_endian(head, tga_field::y_origin, 2, static_cast<std::uint64_t>(place.y));
}

// What follows the pixels, which now end at `end` and not where they did.
void append_tail(Bytes& file, const TgaExtras& extras, Orientation applied) {
  const std::size_t end = file.size();
  const TgaTail& places = extras.places;
  file.insert(file.end(), extras.tail.begin(), extras.tail.end());
  const std::span tail = std::span(file).subspan(end);
  for (const std::size_t at : places.offsets) {
    const std::uint64_t moved = little_endian(tail, at, 4) - extras.pixels_end + end;
    if (moved > 0xFFFFFFFF) throw ImageFileError("a TGA has at most 4 GiB");
    put_little_endian(tail, at, 4, moved);
  }
  constexpr std::size_t aspect = 474;
  if (swaps_axes(applied) && places.extension_bytes >= aspect + 4) {
    const auto ratio = tail.subspan(places.extension + aspect, 4);
    std::rotate(ratio.begin(), ratio.begin() + 2, ratio.end());
  }
  if (places.stamp != 0) turn_stamp(extras.layout, tail.subspan(places.stamp), applied);
  // The rows lie elsewhere now, and a reader finds them without it.
  if (places.scan_lines != 0) put_little_endian(tail, places.scan_lines, 4, 0);
}

// Appends the pixels to the header; `is_rgb`: red comes before blue, as in other formats.
Bytes write(const Page& page, const TgaLayout& layout, Bytes file, std::size_t more_bytes,
            bool is_rgb, const std::atomic<bool>& stop) {
  constexpr std::int64_t most = 65535;
  if (page.width > most || page.height > most) {
    throw ImageFileError(fmt::format("a TGA has at most {} rows and columns", most));
  }
  put_little_endian(file, tga_field::width, 2, static_cast<std::uint64_t>(page.width));
  put_little_endian(file, tga_field::height, 2, static_cast<std::uint64_t>(page.height));
  const std::size_t pixel = layout.pixel_bytes(), width = static_cast<std::size_t>(page.width),
                    height = static_cast<std::size_t>(page.height);
  file.reserve(file.size() + page.bytes() + width * height / 128 + height + more_bytes);
  Bytes bytes(static_cast<std::size_t>(page.row_bytes()));
  Page row{.pixels = bytes.data(), .width = page.width, .height = 1, .channels = page.channels};
  for (std::int64_t y = 0; y < page.height; ++y) {
    if (stop.load(std::memory_order_relaxed)) throw Interrupted();
    const std::int64_t from = layout.is_top_down ? y : page.height - 1 - y;
    std::memcpy(bytes.data(), static_cast<const std::byte*>(page.pixels) + from * page.row_bytes(),
                bytes.size());
    reorder(layout, row);
    for (std::size_t at = 0; is_rgb && at < bytes.size(); at += pixel) {
      std::swap(bytes[at], bytes[at + 2]);
    }
    if (layout.has_run_lengths) {
      append_run_lengths(file, bytes, pixel);
    } else {
      file.insert(file.end(), bytes.begin(), bytes.end());
    }
  }
  return file;
}

constexpr Capacity capacity = {
    .samples = bit_of(SampleFormat::u8), .channels = [](int count, Meaning::Alpha alpha) {
      return count == 1 || count == 3 ||
             ((count == 2 || count == 4) && alpha == Meaning::Alpha::unassociated);
    }};

Bytes encode_converted(const Page& page, const std::atomic<bool>& stop) {
  const bool grey = page.channels <= 2, alpha = page.channels % 2 == 0;
  const TgaLayout layout{.kind = grey ? TgaKind::grey : TgaKind::colours,
                         .pixel_bits = 8 * page.channels,
                         .is_top_down = true};
  constexpr int top_down = 0x20, eight_bits_of_alpha = 8;
  Bytes head(tga_field::end);
  head[tga_field::type] = static_cast<std::byte>(layout.kind);
  head[tga_field::pixel_bits] = static_cast<std::byte>(layout.pixel_bits);
  head[tga_field::descriptor] =
      static_cast<std::byte>(top_down | (alpha ? eight_bits_of_alpha : 0));
  Bytes file = write(page, layout, std::move(head), tga_footer.size(), !grey, stop);
  file.insert(file.end(), bytes_of(tga_footer).begin(), bytes_of(tga_footer).end());
  return file;
}

Bytes encode(const Image& image, Orientation applied, const std::atomic<bool>& stop,
             std::vector<std::string>& warnings) {
  const Page& page = image.pages.front();
  const auto* extras = dynamic_cast<const TgaExtras*>(image.extras.get());
  if (image.format != &codec || !extras || extras->head.empty()) {
    check_fits(image, codec.name, capacity);
    return encode_converted(page, stop);
  }
  Bytes head = extras->head;
  turn_origin(head, extras->layout, {page.width, page.height}, applied, warnings);
  Bytes file = write(page, extras->layout, std::move(head), extras->tail.size(), false, stop);
  append_tail(file, *extras, applied);
  return file;
}

void check(std::span<const std::byte> file, MetadataCheck& check) {
  const TgaLayout layout = read_tga_layout(file);
  if (layout.has_run_lengths || has_tga_footer(file)) return;
  check.trailing_data(file, layout.pixels_at + stored_page(layout).bytes());
}

// The header with its colour map, without place and size.
std::vector<FilePart> parts(std::span<const std::byte> file, Orientation) {
  const TgaLayout layout = read_tga_layout(file);
  Bytes head(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(layout.pixels_at));
  std::fill(&head[tga_field::x_origin], &head[tga_field::pixel_bits], std::byte{0});
  std::vector<FilePart> parts = {
      FilePart::of_copy(FilePart::fixed, "the header with its colour map", head)};
  if (has_tga_footer(file)) parts.emplace_back(FilePart::other, "the footer", file.last(0));
  return parts;
}

// TGA has no signature. Its fixed header must at least make sense: a known image type, a colour map
// only where the type has one, and a size.
bool recognises(std::span<const std::byte> head, std::string_view lower_suffix) {
  if (lower_suffix != ".tga" || head.size() < tga_field::end) return false;
  const auto number = [&](std::size_t at, std::size_t bytes) {
    return little_endian(head, at, bytes);
  };
  const std::uint64_t type = number(tga_field::type, 1), depth = number(tga_field::pixel_bits, 1);
  const bool known = type == 1 || type == 2 || type == 3 || type == 9 || type == 10 || type == 11;
  return number(1, 1) <= 1 && known && number(tga_field::width, 2) > 0 &&
         number(tga_field::height, 2) > 0 &&
         (depth == 8 || depth == 15 || depth == 16 || depth == 24 || depth == 32);
}

}  // namespace

const Codec codec = {
    .name = "tga",
    .suffixes = {".tga"},
    .recognises = recognises,
    .read_header = read_header,
    .decode = decode,
    .encode = encode,
    .check = check,
    .parts = parts,
};

}  // namespace qturn::tga
