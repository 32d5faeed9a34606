// What the headers of a BMP say: Windows' headers of 40, 52, 56, 108 and 124 bytes, OS/2's of 12
// and of 16 to 64 bytes, whose missing fields are 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "src/picture/packed_pixels.hpp"

namespace qturn::bmp {

/// Where fields lie in the file.
namespace bmp_field {
inline constexpr std::size_t file_bytes = 2, pixels_at = 10, header_bytes = 14, width = 18,
                             core_height = 20, height = 22, planes = 26, bits = 28,
                             compression = 30, pixel_bytes = 34, right_resolution = 38,
                             up_resolution = 42, colours = 46, masks = 54, colour_space = 70,
                             profile_at = 126, profile_bytes = 130;
}  // namespace bmp_field

inline constexpr std::size_t bmp_file_header_bytes = 14, bmp_core_header_bytes = 12;

/// Whether a BMP may have a header of so many bytes.
constexpr bool is_bmp_header(std::uint64_t bytes) {
  return bytes == bmp_core_header_bytes || (bytes >= 16 && bytes <= 64) || bytes == 108 ||
         bytes == 124;
}

struct BmpLayout {
  std::size_t header_bytes = 0;
  std::int64_t width = 0, height = 0;
  bool is_top_down = false;  ///< else the lowest row comes first
  int bits = 0;              ///< of a pixel: 1, 2, 4, 8, 16, 24 or 32
  bool has_run_lengths = false;
  ChannelMasks masks = {};       ///< of 16 bits and more
  std::size_t palette_at = 0;    ///< blue, green, red, of a colour
  std::size_t colour_bytes = 4;  ///< in the palette
  std::size_t colours = 0;       ///< in the palette, of those that a pixel can name
  std::size_t pixels_at = 0;
  std::size_t profile_at = 0;  ///< in the file
  std::size_t profile_bytes = 0;
  bool profile_is_linked = false;  ///< it is the name of a file

  bool has_palette() const { return bits <= 8; }
  bool is_core() const { return header_bytes == bmp_core_header_bytes; }
  std::uint64_t row_bytes() const {
    return (static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(bits) + 31) / 32 * 4;
  }
  /// The bytes of the pixels where they are stored without run lengths.
  std::uint64_t plain_bytes() const { return row_bytes() * static_cast<std::uint64_t>(height); }
};

/// Throws ImageFileError for damage, a file that is cut among it, and for what is not supported.
BmpLayout read_bmp_layout(std::span<const std::byte> file);

}  // namespace qturn::bmp
