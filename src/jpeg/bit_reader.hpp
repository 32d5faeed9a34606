// Reading the bits of a scan: the other end of bit_writer.hpp.
#ifndef QTURN_SRC_JPEG_BIT_READER_HPP
#define QTURN_SRC_JPEG_BIT_READER_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "src/jpeg/huffman.hpp"

namespace qturn {

/// More than a block can take, so that a reader need not look for the end within one.
inline constexpr std::size_t block_reach = 1024;

/// The symbols of a Huffman table, by the bits of their codes.
class HuffmanSymbols {
 public:
  explicit HuffmanSymbols(const JpegHuffmanTable& table);

  /// Whether the table is a prefix code.
  bool valid() const { return valid_; }

  /// The symbol at the head of `bits`, and how long its code is; 0: there is none.
  std::pair<unsigned, int> find(std::uint64_t bits) const {
    const std::uint16_t entry = short_[bits >> (64 - short_bits)];
    if (entry != 0) return {entry & 0xFFU, entry >> 8};
    for (int length = short_bits + 1; length <= longest; ++length) {
      const auto code = static_cast<std::uint32_t>(bits >> (64 - length));
      if (code < end_code_[length] && code >= first_code_[length]) {
        return {symbols_[first_symbol_[length] + code - first_code_[length]], length};
      }
    }
    return {0, 0};
  }

 private:
  static constexpr int longest = 16, short_bits = 12;

  std::array<std::uint16_t, std::size_t{1} << short_bits> short_{};  // length, symbol
  std::array<std::uint32_t, longest + 1> first_code_{}, end_code_{};
  std::array<std::size_t, longest + 1> first_symbol_{};
  std::array<std::uint8_t, 256> symbols_{};
  bool valid_ = true;
};

/// A scan's bits. Past its end there are zeros for a block's length; is_beyond() says that some
/// were used.
class BitReader {
 public:
  explicit BitReader(std::size_t largest_scan)
      : bytes_(new unsigned char[largest_scan + block_reach]) {}

  /// False if there are markers among the data.
  bool open(std::span<const std::byte> data);

  /// From here on at least 56 bits can be taken.
  void refill() {
    std::uint64_t next;
    std::memcpy(&next, at_, sizeof next);
    bits_ |= __builtin_bswap64(next) >> count_;
    at_ += (63 - count_) >> 3;
    count_ |= 56;
  }
  std::uint64_t bits() const { return bits_; }
  void skip(int count) {
    bits_ <<= count;
    count_ -= count;
  }
  /// The next `count` bits, at most 56.
  std::uint64_t take(int count) {
    const std::uint64_t taken = bits_ >> 1 >> (63 - count);
    skip(count);
    return taken;
  }

  bool is_beyond() const { return at_ - (count_ >> 3) > end_; }
  /// Whether all bytes were used, and nothing beyond.
  bool is_at_end() const { return at_ - (count_ >> 3) == end_; }

 private:
  std::unique_ptr<unsigned char[]> bytes_;
  const unsigned char* at_ = nullptr;
  unsigned char* end_ = nullptr;
  std::uint64_t bits_ = 0;
  int count_ = 0;
};

/// The value of `size` bits, at least one: those that begin with 0 stand for negative ones. That is
/// as good as random, so there is no branch on it.
inline int extended(std::uint64_t bits, int size) {
  const int value = static_cast<int>(bits);
  const int below = (value >> (size - 1)) - 1;  // -1 for negative ones, else 0
  return value + (below & (1 - (1 << size)));
}

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_BIT_READER_HPP
