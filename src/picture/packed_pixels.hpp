// Pixels whose samples are not whole bytes: some bits of a byte, or of a little-endian number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "src/picture/image.hpp"

namespace qturn {

// Converts between rows of pixels smaller than a byte, most significant bit first as PNG and TIFF
// store them, and pixels of whole bytes, which can be moved.

/// Puts each of `count` groups of `bits` from `row` into (bits + 7) / 8 bytes, at `to` and then
/// every `step` bytes. The first bits fill whole bytes, the rest are the lowest bits of the last
/// byte.
void unpack_bits(const std::uint8_t* row, int bits, std::int64_t count, std::uint8_t* to,
                 std::int64_t step);

/// The opposite. Bits after the last group, up to a whole byte, are 0.
void pack_bits(const std::uint8_t* from, std::int64_t step, int bits, std::int64_t count,
               std::uint8_t* row);

// Pixels that are little-endian numbers of 2 to 4 bytes, each channel some of their bits, as BMP
// and TGA store them. A move keeps them packed; another format gets whole samples.

/// The bits of red, green, blue and alpha. A colour without bits is 0 everywhere; a picture without
/// bits of alpha has three channels.
struct ChannelMasks {
  std::array<std::uint32_t, 4> of;

  int channels() const { return of[3] != 0 ? 4 : 3; }
  /// 8 bits if that is enough for every channel, else 16.
  SampleFormat type() const;
  /// Whether each channel is at most 16 bits side by side.
  bool can_expand() const;
};

/// The masks of pixels of 15 or 16 bits, with five bits for each colour. `alpha` says whether the
/// last bit is alpha.
constexpr ChannelMasks masks_of_555(bool alpha) {
  return {{0x7C00, 0x03E0, 0x001F, alpha ? 0x8000U : 0U}};
}
/// The masks of pixels of 24 or 32 bits, with eight bits for each colour.
constexpr ChannelMasks masks_of_888(bool alpha) {
  return {{0xFF0000, 0x00FF00, 0x0000FF, alpha ? 0xFF000000U : 0U}};
}

/// Writes the channels of each pixel of `from` to `to`, which has room for them. A channel of n
/// bits is scaled so that its largest value becomes the largest, and rounded, which keeps different
/// values different. can_expand() must be true of `masks`.
void expand_channels(const ChannelMasks& masks, std::span<const std::byte> from,
                     std::size_t pixel_bytes, void* to);

/// What the bits of `mask` are in all pixels.
enum class Bits : std::uint8_t { zeros, ones, mixed };
Bits bits_everywhere(std::span<const std::byte> pixels, std::size_t pixel_bytes,
                     std::uint32_t mask);

}  // namespace qturn
