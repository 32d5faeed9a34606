// The scanlines of a Radiance picture: plain, with the run lengths of each byte (since 1991), or
// with repeated pixels (before).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "src/picture/bytes.hpp"

namespace qturn::hdr {

inline constexpr std::size_t hdr_pixel_bytes = 4;

/// Whether a scanline of so many pixels can have run lengths.
constexpr bool can_have_run_lengths(std::int64_t pixels) { return pixels >= 8 && pixels <= 0x7FFF; }

struct HdrScanline {
  std::size_t bytes = 0;  ///< that it takes; 0: the data end within it
  bool is_plain = false;
};

/// Reads the scanline of so many pixels at the beginning of `data`. Null: nothing is written.
/// Throws ImageFileError when run lengths lead out of it.
HdrScanline read_scanline(std::span<const std::byte> data, std::int64_t pixels, std::byte* to);

/// Appends `scanline`, plain if it can be. Throws ImageFileError for one that cannot be written.
void append_scanline(Bytes& file, std::span<const std::byte> scanline, bool plain);

}  // namespace qturn::hdr
