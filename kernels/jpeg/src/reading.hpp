// Entropy-coded data, read from any bit on.
//
// A thread reads a subsequence: a fixed number of bits, wherever codes begin. All it needs to know
// of the data before is a state of three numbers: how far the last code reaches into its
// subsequence, and which coefficient of which block of an MCU comes next. With a wrong state it
// reads nonsense, but Huffman codes synchronise by themselves: after a few hundred bits it is most
// likely in the right state.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/jpeg/src/layout.hpp"
#include "kernels/jpeg/src/machine.hpp"
#include "kernels/jpeg/src/tables.hpp"

namespace qturn::jpeg {

/// Bits from words of data. Reads up to three words after the one with the last bit.
class BitReader {
 public:
  constexpr BitReader(const std::uint32_t* words, std::uint32_t bit)
      : words_(words + bit / 32), position_(bit) {
    high_ = load(0);
    low_ = load(1);
    next_ = load(2);
  }

  constexpr std::uint32_t position() const { return position_; }
  /// The next 32 bits.
  constexpr std::uint32_t peek() const { return funnel(high_, low_, position_); }
  /// Up to 31 bits. The word that is needed next was loaded long before.
  constexpr void skip(std::uint32_t bits) {
    const std::uint32_t before = position_;
    position_ += bits;
    if ((before ^ position_) < 32) return;
    ++words_;
    high_ = low_;
    low_ = next_;
    next_ = load(2);
  }

 private:
  constexpr std::uint32_t load(std::uint32_t at) const { return big_endian(words_[at]); }

  const std::uint32_t* words_;
  std::uint32_t position_, high_ = 0, low_ = 0, next_ = 0;
};

/// Before the first bit of a subsequence.
struct State {
  std::uint32_t bit = 0;          ///< where the next code begins
  std::uint32_t block = 0;        ///< of an MCU
  std::uint32_t coefficient = 0;  ///< 0: the DC coefficient comes next

  /// The bit counted from `begin`, after which it is at most 31 bits.
  constexpr std::uint32_t packed(std::uint32_t begin) const {
    return (bit - begin) | block << 8 | coefficient << 16;
  }
  static constexpr State unpacked(std::uint32_t packed, std::uint32_t begin) {
    return {begin + (packed & 255), packed >> 8 & 255, packed >> 16};
  }
};

/// The tables of a scan. For each block of an MCU it has the numbers of two tables.
struct ReadTables {
  const ReadTable* tables;
  const std::uint8_t* table_of;  ///< [2 * block], and the next one for AC coefficients
  std::uint32_t blocks_in_mcu;

  constexpr const ReadTable& of(std::uint32_t block, std::uint32_t coefficient) const {
    return tables[table_of[2 * block + (coefficient != 0 ? 1 : 0)]];
  }
};

/// Goes on from `state` to the first code that begins at `end` or later, and counts the blocks that
/// end. Where the bits are not a code, it goes on at an arbitrary place.
constexpr std::uint32_t pass(const std::uint32_t* words, const ReadTables& tables, State& state,
                             std::uint32_t end) {
  BitReader in(words, state.bit);
  std::uint32_t blocks = 0, block = state.block, coefficient = state.coefficient;
  const ReadTable* dc = &tables.of(block, 0);
  const ReadTable* ac = &tables.of(block, 1);
  while (in.position() < end) {
    Entry entry = (coefficient == 0 ? dc : ac)->find(in.peek());
    if (entry.empty()) entry = Entry(longest_code, 0, end_of_block_advance);
    std::uint32_t bits = entry.leap_bits(), next = coefficient + entry.leap_advance();
    // Where a subsequence ends must not depend on how it was reached.
    const bool leaps = bits != 0 && next < coefficients && in.position() + bits <= end;
    if (!leaps) {
      bits = entry.bits();
      next = coefficient + entry.advance();
    }
    in.skip(bits);
    coefficient = next;
    if (next < coefficients && !(leaps && entry.leap_ends())) continue;
    coefficient = 0;
    ++blocks;
    if (++block == tables.blocks_in_mcu) block = 0;
    dc = &tables.of(block, 0);
    ac = &tables.of(block, 1);
  }
  state = {in.position(), block, coefficient};
  return blocks;
}

/// More than the bits of a block: 63 coefficients of 16 + 10, and one of 16 + 11. A subsequence has
/// at least as many, so that no block lies in more than two.
inline constexpr std::uint32_t most_block_bits = 1696;

/// The blocks of a scan, by their numbers. The coefficients that are not zero lie one after the
/// other, so that most blocks touch one sector of memory. If a block lies in two subsequences, its
/// second reader does not know how many the first one finds. So it begins where the first one ends
/// at the latest: `parted` coefficients come before it.
struct ReadBlocks {
  std::int16_t* dc;      ///< differences
  std::int16_t* values;  ///< 64 for each block
  std::uint64_t* sets;   ///< which coefficients are not zero
  std::uint8_t* parted;  ///< the last coefficient of the first part; 0 if there is only one
};

/// Puts the values of a block where they belong, eight at a time.
class ValueWriter {
 public:
  /// After `before` coefficients, which are another reader's.
  constexpr ValueWriter(std::int16_t* block, std::uint32_t before)
      : block_(block), count_(before), is_second_part_(before != 0) {}

  constexpr void put(std::int32_t value) {
    const auto bits = static_cast<std::uint16_t>(value);
    if (is_second_part_) {
      block_[count_++] = static_cast<std::int16_t>(bits);
      return;
    }
    low_ = low_ >> 16 | high_ << 48;
    high_ = high_ >> 16 | std::uint64_t{bits} << 48;
    if (++count_ % 8 == 0) store_eight(block_ + count_ - 8, low_, high_);
  }

  /// The rest, if the block is this reader's alone: up to the next eight.
  constexpr void end() const {
    const std::uint32_t open = count_ % 8, shift = 16 * (4 - open % 4) % 64;
    if (is_second_part_ || open == 0) return;
    std::int16_t* const to = block_ + count_ - open;
    if (open <= 4) return store_four(to, high_ >> shift);
    store_eight(to, shift == 0 ? low_ : low_ >> shift | high_ << (64 - shift), high_ >> shift);
  }

  /// The rest, if another reader's values may follow at once.
  constexpr void interrupt() const {
    if (is_second_part_) return;
    for (std::uint32_t open = count_ % 8; open > 0; --open) {
      const std::uint64_t half = open <= 4 ? high_ : low_;
      block_[count_ - open] = static_cast<std::int16_t>(half >> 16 * (3 - (open - 1) % 4));
    }
  }

 private:
  std::int16_t* block_;
  std::uint32_t count_;
  bool is_second_part_;
  std::uint64_t low_ = 0, high_ = 0;  ///< the last eight values
};

/// Puts DC differences and sets of whole blocks where they belong, four and two at a time.
class BlockWriter {
 public:
  constexpr explicit BlockWriter(const ReadBlocks& to) : to_(to) {}

  /// Each block is the one after the one before.
  constexpr void put(std::uint32_t number, std::int32_t dc, std::uint64_t set) {
    dc_ = dc_ >> 16 | std::uint64_t{static_cast<std::uint16_t>(dc)} << 48;
    ++waiting_;
    if (number % 4 == 3) {
      if (waiting_ == 4) {
        store_four(to_.dc + number - 3, dc_);
        waiting_ = 0;
      } else {
        put_waiting_dc(number + 1);
      }
    }
    if (number % 2 == 0) {
      set_ = set;
      is_set_waiting_ = true;
    } else if (is_set_waiting_) {
      store_two(to_.sets + number - 1, set_, set);
      is_set_waiting_ = false;
    } else {
      to_.sets[number] = set;
    }
  }

  /// Writes what still waits; `number` is the next block's.
  constexpr void end(std::uint32_t number) {
    put_waiting_dc(number);
    if (is_set_waiting_) to_.sets[number - 1] = set_;
  }

 private:
  constexpr void put_waiting_dc(std::uint32_t number) {
    for (; waiting_ > 0; --waiting_) {
      to_.dc[number - waiting_] = static_cast<std::int16_t>(dc_ >> 16 * (4 - waiting_));
    }
  }

  const ReadBlocks& to_;
  std::uint64_t dc_ = 0;  ///< the last four
  std::uint32_t waiting_ = 0;
  std::uint64_t set_ = 0;
  bool is_set_waiting_ = false;
};

/// Reads the coefficients from `state` to the first code that begins at `end` or later, or to the
/// end of the block before number `last`. The first one is `number`, which goes on with them.
/// Returns whether there was nothing but codes that exist. The sets of all blocks, and `parted`,
/// are 0 before.
constexpr bool read(const std::uint32_t* words, const ReadTables& tables, State& state,
                    std::uint32_t end, std::uint32_t& number, std::uint32_t last,
                    const ReadBlocks& to) {
  BitReader in(words, state.bit);
  std::uint32_t block = state.block, coefficient = state.coefficient;
  std::uint64_t set = 0;
  std::int32_t dc = 0;
  bool whole = coefficient == 0, broken = false;
  const std::uint32_t before = whole ? 0 : coefficient - 1;
  if (before != 0) to.parted[number] = static_cast<std::uint8_t>(before);
  ValueWriter values(to.values + std::size_t{number} * coefficients, before);
  BlockWriter blocks(to);
  const ReadTable* dc_table = &tables.of(block, 0);
  const ReadTable* ac_table = &tables.of(block, 1);
  while (in.position() < end && number != last) {
    // In nearly every round a thread of the warp reaches the end of its block, and the others wait
    // for it. So threads wait there for the next multiple of four codes, and end blocks at once.
    for (int i = 0; i < 4 && coefficient < coefficients && in.position() < end; ++i) {
      const std::uint32_t next = in.peek();
      const bool is_dc = coefficient == 0;
      Entry entry = (is_dc ? dc_table : ac_table)->find(next);
      if (entry.empty()) {
        entry = Entry(longest_code, 0, end_of_block_advance);
        broken = true;
      }
      in.skip(entry.bits());
      coefficient += entry.advance();
      const std::int32_t value = entry.value(next);
      if (is_dc) dc = value;
      if (!is_dc && entry.size() != 0) {
        values.put(value);
        set |= std::uint64_t{1} << (coefficient - 1) % coefficients;
      }
    }
    if (coefficient < coefficients) continue;
    broken |= coefficient > coefficients && coefficient < end_of_block_advance;
    values.end();
    if (whole) {
      blocks.put(number, dc, set);
    } else {
      add_bits(to.sets[number], set);
    }
    coefficient = 0;
    set = 0;
    whole = true;
    ++number;
    values = ValueWriter(to.values + std::size_t{number} * coefficients, 0);
    if (++block == tables.blocks_in_mcu) block = 0;
    dc_table = &tables.of(block, 0);
    ac_table = &tables.of(block, 1);
  }
  if (broken) return false;
  blocks.end(number);
  if (coefficient != 0) {
    values.interrupt();
    if (whole) to.dc[number] = static_cast<std::int16_t>(dc);
    add_bits(to.sets[number], set);
  }
  state = {in.position(), block, coefficient};
  return true;
}

}  // namespace qturn::jpeg
