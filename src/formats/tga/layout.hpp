// What the header of a TGA says, and what its footer leads to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace qturn::tga {

/// Where fields lie in the file.
namespace tga_field {
inline constexpr std::size_t type = 2, x_origin = 8, y_origin = 10, width = 12, height = 14,
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

/// Throws ImageFileError for damage, a file that is cut among it, and for what is not supported.
TgaLayout read_tga_layout(std::span<const std::byte> file);

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
inline constexpr std::string_view tga_footer{"\0\0\0\0\0\0\0\0TRUEVISION-XFILE.\0", 26};

/// Whether the file ends as the second version of the format does.
bool has_tga_footer(std::span<const std::byte> file);

/// Reads what follows the pixels of a file with a footer. Throws ImageFileError for what leads out
/// of the file or into the pixels.
TgaTail read_tga_tail(std::span<const std::byte> file, std::size_t pixels_end,
                      const TgaLayout& layout);

}  // namespace qturn::tga
