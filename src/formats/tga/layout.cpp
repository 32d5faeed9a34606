#include "src/formats/tga/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"

namespace qturn::tga {
namespace {

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

}  // namespace

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

bool has_tga_footer(std::span<const std::byte> file) {
  return file.size() >= tga_field::end + footer_bytes &&
         text_of(file).ends_with(tga_footer.substr(signature_at));
}

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
  // Where the offset that stands at `at` leads, `bytes` of which must be there; 0 if nowhere.
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

}  // namespace qturn::tga
