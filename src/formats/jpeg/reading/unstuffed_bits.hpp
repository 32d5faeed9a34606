// The bits of entropy-coded data, without the zero that follows each 0xFF: one window of the data
// at a time, small enough for the cache of a core, so that readers never have to look for 0xFF.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace qturn::jpeg {

/// How much of `data` comes before its first marker.
std::size_t bytes_before_marker(std::span<const std::byte> data);

/// How many bytes `data`, which has no marker and does not end between 0xFF and zero, is without
/// the zeros.
std::size_t unstuffed_size(std::span<const std::byte> data);

class UnstuffedBits {
 public:
  /// Reads `data`, which must hold no marker.
  explicit UnstuffedBits(std::span<const std::byte> data) : rest_(data) { move_on(); }

  /// The 57 bits at `at`, the first one highest, and perhaps some more. After the end they are
  /// zero.
  std::uint64_t word(std::size_t at) const {
    std::uint64_t word;
    std::memcpy(&word, window_.data() + at / 8, sizeof word);
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
    return word << at % 8;
  }

  /// Where reading goes on, in bits from the beginning of the window.
  std::size_t at() const { return at_; }
  void go_to(std::size_t at) { at_ = at; }
  /// How many bytes of the window are data.
  std::size_t have() const { return have_; }

  /// Moves the window on if it is nearly used up. At least `ahead` bytes are ahead then, or the
  /// end and as many zeros.
  void move_on() {
    if (have_ < at_ / 8 + ahead && (!rest_.empty() || have_ == 0)) fill();
  }
  /// More than a block takes: 64 times 27 bits.
  static constexpr std::size_t ahead = 256;

  /// Bits between at() and the data's end if that is in the window; negative after it.
  std::int64_t left() const {
    return static_cast<std::int64_t>(8 * have_) - static_cast<std::int64_t>(at_);
  }
  bool end_is_near() const { return rest_.empty(); }

 private:
  static constexpr std::size_t size = 1 << 15;

  void fill();

  std::span<const std::byte> rest_;  ///< not in the window yet
  std::size_t at_ = 0, have_ = 0;
  std::array<std::byte, size + ahead + 16> window_;
};

}  // namespace qturn::jpeg
