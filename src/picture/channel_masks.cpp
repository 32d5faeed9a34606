#include "src/picture/channel_masks.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "src/picture/endian.hpp"

namespace qturn {
namespace {

// The scaled value of each value that a channel can have.
template <typename Sample>
struct Scale {
  std::uint32_t mask;
  int shift;
  std::vector<Sample> values;

  explicit Scale(std::uint32_t bits) : mask(bits), shift(bits == 0 ? 0 : std::countr_zero(bits)) {
    const std::uint64_t most = mask >> shift, full = static_cast<Sample>(-1);
    for (std::uint64_t value = 0; value <= most; ++value) {
      values.push_back(static_cast<Sample>(most == 0 ? 0 : (value * full + most / 2) / most));
    }
  }
  Sample operator()(std::uint32_t pixel) const { return values[(pixel & mask) >> shift]; }
};

template <typename Sample>
void expand(const ChannelMasks& masks, std::span<const std::byte> from, std::size_t pixel_bytes,
            Sample* to) {
  std::vector<Scale<Sample>> scales;
  for (int channel = 0; channel < masks.channels(); ++channel) {
    scales.emplace_back(masks.of[static_cast<std::size_t>(channel)]);
  }
  for (std::size_t at = 0; at + pixel_bytes <= from.size(); at += pixel_bytes) {
    const auto pixel = static_cast<std::uint32_t>(little_endian(from, at, pixel_bytes));
    for (const Scale<Sample>& scale : scales) *to++ = scale(pixel);
  }
}

}  // namespace

SampleFormat ChannelMasks::type() const {
  const bool any_wide =
      std::ranges::any_of(of, [](std::uint32_t mask) { return std::popcount(mask) > 8; });
  return any_wide ? SampleFormat::u16 : SampleFormat::u8;
}

bool ChannelMasks::can_expand() const {
  return std::ranges::all_of(of, [](std::uint32_t mask) {
    if (mask == 0) return true;
    const std::uint32_t low = mask >> std::countr_zero(mask);
    return std::popcount(mask) <= 16 && (low & (low + 1)) == 0;
  });
}

void expand_channels(const ChannelMasks& masks, std::span<const std::byte> from,
                     std::size_t pixel_bytes, void* to) {
  if (masks.type() == SampleFormat::u8) {
    expand(masks, from, pixel_bytes, static_cast<std::uint8_t*>(to));
  } else {
    expand(masks, from, pixel_bytes, static_cast<std::uint16_t*>(to));
  }
}

Bits bits_everywhere(std::span<const std::byte> pixels, std::size_t pixel_bytes,
                     std::uint32_t mask) {
  bool all_zeros = true, all_ones = true;
  for (std::size_t at = 0; at + pixel_bytes <= pixels.size(); at += pixel_bytes) {
    const auto bits = static_cast<std::uint32_t>(little_endian(pixels, at, pixel_bytes)) & mask;
    all_zeros = all_zeros && bits == 0;
    all_ones = all_ones && bits == mask;
  }
  return all_zeros ? Bits::zeros : all_ones ? Bits::ones : Bits::mixed;
}

}  // namespace qturn
