// The bytes of a scan, written a Huffman code at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "src/formats/jpeg/file/huffman_table.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"

namespace qturn::jpeg {

/// The entropy-coded data of a scan, as it grows, without byte stuffing and restart markers.
class JpegData {
 public:
  std::size_t size() const { return size_; }

  /// Appends the data to `file`: with a zero byte after each 0xFF, and with the restart markers.
  void append_to(Bytes& file) const;

  /// Room for `more` bytes after the ones there are; throws std::bad_alloc.
  unsigned char* room(std::size_t more) {
    if (capacity_ - size_ < more) grow(more);
    return bytes_.get() + size_;
  }
  void set_end(const unsigned char* end) { size_ = static_cast<std::size_t>(end - bytes_.get()); }

  /// A restart marker belongs after the bytes that there are.
  void restart_here() { restarts_.push_back(size_); }

 private:
  void grow(std::size_t more);

  std::unique_ptr<unsigned char[]> bytes_;
  std::size_t size_ = 0, capacity_ = 0;
  std::vector<std::size_t> restarts_;
};

/// More than the room that put_block() may take: 64 times 27 bits, and the bits that waited.
inline constexpr std::size_t max_block_bytes = 1024;

inline void JpegData::append_to(Bytes& file) const {
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= restarts_.size(); ++i) {
    const std::size_t end = i < restarts_.size() ? restarts_[i] : size_;
    while (begin < end) {
      const void* found = std::memchr(bytes_.get() + begin, 0xFF, end - begin);
      const auto* first = reinterpret_cast<const std::byte*>(bytes_.get()) + begin;
      const auto* last = found ? static_cast<const std::byte*>(found) + 1
                               : reinterpret_cast<const std::byte*>(bytes_.get()) + end;
      file.insert(file.end(), first, last);
      if (found) file.push_back(std::byte{0});
      begin += static_cast<std::size_t>(last - first);
    }
    if (i == restarts_.size()) break;
    file.push_back(std::byte{0xFF});
    file.push_back(static_cast<std::byte>(0xD0 + i % 8));
  }
}

// Is rare, and stays out of the loops that call room().
[[gnu::noinline]] inline void JpegData::grow(std::size_t more) {
  const std::size_t capacity = std::max(2 * capacity_, size_ + more + max_block_bytes);
  std::unique_ptr<unsigned char[]> larger(new unsigned char[capacity]);
  std::copy_n(bytes_.get(), size_, larger.get());
  bytes_ = std::move(larger);
  capacity_ = capacity;
}

/// A string of at most 64 bits. The last bit is the lowest.
struct BitString {
  std::uint64_t bits;
  int count;
};

/// Bits into bytes, most significant first. A coder of a block works on a copy, which stays in
/// registers.
struct BitCursor {
  std::uint64_t waiting = 0;  ///< from the highest bit on
  int waiting_count = 0;      ///< below 8 between calls
  unsigned char* at = nullptr;

  /// `count` is at most 56, and `bits` has no others set. Always writes eight bytes and keeps the
  /// complete ones. A branch on their number would be mispredicted too often.
  void put(std::uint64_t bits, int count) {
    waiting_count += count;
    waiting |= bits << (64 - waiting_count) % 64;
    const std::uint64_t swapped = __builtin_bswap64(waiting);
    std::memcpy(at, &swapped, sizeof swapped);
    at += waiting_count >> 3;
    waiting <<= waiting_count & ~7;
    waiting_count &= 7;
  }

  /// Writes a code without a value.
  void put(const HuffmanCodes& codes, unsigned symbol) {
    put(codes.code[symbol], codes.length[symbol]);
  }

  /// A code, and after it `size` bits, which are the low ones of `bits`.
  void put(const HuffmanCodes& codes, unsigned symbol, std::uint32_t bits, int size) {
    const std::uint32_t low = bits & ((std::uint32_t{1} << size) - 1);
    put(codes.code[symbol] << size | low, codes.length[symbol] + size);
  }

  /// A code, then the sign of a coefficient that is now 1 or -1, then the bits of the coefficients
  /// before it.
  void put(const HuffmanCodes& codes, unsigned symbol, bool negative, const BitString& bits) {
    const std::uint64_t head = codes.code[symbol] << 1 | (negative ? 0U : 1U);
    const int head_count = codes.length[symbol] + 1;
    if (head_count + bits.count <= 56) {
      put(head << bits.count | bits.bits, head_count + bits.count);
    } else {
      put(head, head_count);
      put(bits);
    }
  }

  void put(const BitString& string) {
    int count = string.count;
    if (count > 32) {
      put(string.bits >> 32, count - 32);
      count = 32;
    }
    put(string.bits & ((std::uint64_t{1} << count) - 1), count);
  }
};

class BitWriter {
 public:
  void reserve(std::size_t bytes) { data_.room(bytes); }

  /// Makes room for a block, so that the cursor need not check.
  BitCursor begin_block() {
    cursor_.at = data_.room(max_block_bytes);
    return cursor_;
  }
  void end_block(const BitCursor& cursor) {
    cursor_ = cursor;
    data_.set_end(cursor.at);
  }

  /// Fills the last byte with ones.
  void align() {
    BitCursor out = begin_block();
    const int open = (8 - out.waiting_count) % 8;
    out.put((1U << open) - 1, open);
    end_block(out);
  }

  void put_restart() {
    align();
    data_.restart_here();
  }

  JpegData take() {
    align();
    return std::move(data_);
  }

 private:
  BitCursor cursor_;
  JpegData data_;
};

/// Takes the place of a BitWriter and its cursor to count symbols instead.
struct SymbolCounter {
  static SymbolCounter begin_block() { return {}; }
  static void end_block(SymbolCounter) {}
  static void put_restart() {}

  static void put(JpegSymbolCounts& counts, unsigned symbol) { ++counts[symbol]; }
  static void put(JpegSymbolCounts& counts, unsigned symbol, std::uint32_t, int) {
    ++counts[symbol];
  }
};

/// Counts MCUs, and says when a restart marker is due before the next one.
class Restarts {
 public:
  explicit Restarts(unsigned interval) : interval_(interval), left_(interval) {}
  bool due() {
    if (interval_ == 0) return false;
    if (left_-- > 0) return false;
    left_ = interval_ - 1;
    return true;
  }

 private:
  unsigned interval_, left_;
};

inline constexpr unsigned char jpeg_sixteen_zeros = 0xF0;

/// How many bits a value takes. Throws ImageFileError if it takes more than `largest`.
inline int checked_size(int value, int largest) {
  const auto size =
      static_cast<int>(std::bit_width(static_cast<unsigned>(value < 0 ? -value : value)));
  if (size > largest) throw ImageFileError("damaged: a coefficient is larger than 8-bit JPEG has");
  return size;
}

/// An AC coefficient after `run` zeros: to a BitCursor with HuffmanCodes, or to a SymbolCounter.
template <class Out, class Codes>
void put_run_and_value(Out& out, Codes& codes, int run, int value) {
  constexpr int largest_size = 10;
  for (; run > 15; run -= 16) out.put(codes, jpeg_sixteen_zeros);
  const int size = checked_size(value, largest_size);
  out.put(codes, static_cast<unsigned>(run << 4 | size),
          static_cast<std::uint32_t>(value - (value < 0)), size);
}

/// A DC coefficient's difference to the one before, as put_run_and_value().
template <class Out, class Codes>
void put_dc(Out& out, Codes& codes, int difference) {
  constexpr int largest_size = 11;
  const int size = checked_size(difference, largest_size);
  out.put(codes, static_cast<unsigned>(size),
          static_cast<std::uint32_t>(difference - (difference < 0)), size);
}

}  // namespace qturn::jpeg
