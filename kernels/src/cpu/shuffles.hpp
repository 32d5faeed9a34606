// What the vector code needs to know about pixels, the same for every instruction set: which byte
// goes where in blocks of 16, and how much is done at a time.
#pragma once

#include <cstdint>
#include <type_traits>

namespace qturn {

inline constexpr int block_bytes = 16;
inline constexpr int line_bytes = 64;

/// Which byte of a block goes to each place of another.
struct BlockTable {
  alignas(block_bytes) std::uint8_t index[block_bytes] = {};
};

/// In a table: this place becomes zero.
inline constexpr std::uint8_t nothing_taken = 0x80;

/// A mirror moves a group of whole pixels and whole blocks at a time: one block, or three if a
/// pixel has 3, 6 or 12 bytes. Each block of the result takes bytes from some blocks of the group.
template <int pixel_bytes>
struct MirrorGroup {
  static constexpr int blocks = block_bytes % pixel_bytes == 0 ? 1 : 3;
  static constexpr int bytes = blocks * block_bytes;

  struct Places : BlockTable {
    bool any = false;
  };

  /// What block `to` of the result takes from block `from`.
  static constexpr Places places(int to, int from) {
    Places found;
    for (int i = 0; i < block_bytes; ++i) {
      const int at = to * block_bytes + i;
      const int source =
          bytes - (at / pixel_bytes + 1) * pixel_bytes + at % pixel_bytes - from * block_bytes;
      const bool inside = source >= 0 && source < block_bytes;
      found.index[i] = inside ? static_cast<std::uint8_t>(source) : nothing_taken;
      found.any = found.any || inside;
    }
    return found;
  }
};

/// How pixels lie in the blocks of a transpose. A pixel of 3, 6 or 12 bytes gets a lane of 4, 8 or
/// 16 bytes.
template <int pixel_bytes>
struct PixelLanes {
  static constexpr bool spread = pixel_bytes % 3 == 0;
  static constexpr int bytes = spread ? pixel_bytes / 3 * 4 : pixel_bytes;
  static constexpr int count = block_bytes / bytes;
  using Type = std::conditional_t<
      bytes == 1, std::uint8_t,
      std::conditional_t<bytes == 2, std::uint16_t,
                         std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>>;

  /// From pixels side by side to pixels in lanes, and back.
  static constexpr BlockTable to_lanes() {
    BlockTable table;
    for (int i = 0; i < block_bytes; ++i) {
      if (i % bytes < pixel_bytes) {
        table.index[i] = static_cast<std::uint8_t>(i / bytes * pixel_bytes + i % bytes);
      }
    }
    return table;
  }

  static constexpr BlockTable to_pixels() {
    BlockTable table;
    for (int i = 0; i < count * pixel_bytes; ++i) {
      table.index[i] = static_cast<std::uint8_t>(i / pixel_bytes * bytes + i % pixel_bytes);
    }
    return table;
  }
};

/// For transposes past the caches: bytes of a row of the result that are collected, and how far
/// ahead in its row the source is asked for.
struct StripTuning {
  int strip_bytes;
  int ahead_bytes;
};

// Best of 256 and 512 by 0, 64 and 128 over 4000x3000, 3000x4000 and 6000x4000, rotate90, one core
// of a Xeon with AVX-512 and 2 MB of second-level cache, 2026-11-21.
constexpr StripTuning strip_tuning(int pixel_bytes) {
  switch (pixel_bytes) {
    case 1:
    case 2:
      return {256, 64};
    case 8:
    case 16:
      return {256, 128};
    default:
      return {512, 64};
  }
}

}  // namespace qturn
