#include "src/jpeg/intact.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <memory>

namespace qturn {
namespace {

constexpr unsigned lookup_bits = 12, lookup = 1 << lookup_bits;
constexpr int coefficients = 64;

/// What one symbol does, or several in a row.
struct Step {
  std::uint8_t bits = 0;     ///< that go with it, codes and values; 0: there is no such code
  std::uint8_t advance = 0;  ///< coefficients, those that are zero included
  bool ends = false;         ///< the rest of the block is zero
};

// Larger values than 8-bit samples can give are damage, too.
Step step_of(bool dc, unsigned symbol, int length) {
  const unsigned run = dc ? 0 : symbol >> 4, size = dc ? symbol : symbol & 15;
  if (size > (dc ? 11 : 10)) return {};
  if (!dc && size == 0 && symbol != 0 && symbol != 0xF0) return {};
  const bool ends = !dc && symbol == 0;
  return {static_cast<std::uint8_t>(length + static_cast<int>(size)),
          static_cast<std::uint8_t>(ends ? 0 : run + 1), ends};
}

/// The codes of a table, by the bits that come next.
class Codes {
 public:
  Codes(const JpegHuffmanTable& table, bool dc) {
    unsigned code = 0;
    std::size_t next = 0;
    for (std::size_t length = 1; length <= 16; ++length, code <<= 1) {
      const unsigned count = table.bits[length];
      first_[length] = code;
      count_[length] = count;
      offset_[length] = next;
      for (unsigned i = 0; i < count && next < steps_.size(); ++i, ++code, ++next) {
        steps_[next] = step_of(dc, table.symbols[next], static_cast<int>(length));
        if (length > lookup_bits) continue;
        const unsigned shift = lookup_bits - static_cast<unsigned>(length);
        const std::size_t at = std::size_t{code} << shift;
        for (std::size_t r = 0; r < std::size_t{1} << shift && at + r < lookup; ++r) {
          single_[at + r] = steps_[next];
        }
      }
    }
    if (dc) return;
    for (unsigned bits = 0; bits < lookup; ++bits) several_[bits] = as_many_as_fit(bits);
  }

  /// One symbol. `next` are the next 16 bits.
  Step find(unsigned next) const {
    const Step step = single_[next >> (16 - lookup_bits)];
    return step.bits != 0 ? step : find_long(next);
  }

  /// All symbols whose bits are whole within a lookup; none if that is less than one.
  Step find_several(unsigned next) const { return several_[next >> (16 - lookup_bits)]; }

 private:
  Step as_many_as_fit(unsigned bits) const {
    Step all;
    while (!all.ends) {
      const Step step = single_[bits << all.bits & (lookup - 1)];
      if (step.bits == 0 || all.bits + step.bits > lookup_bits) break;
      if (all.advance + step.advance >= coefficients) break;
      all = {static_cast<std::uint8_t>(all.bits + step.bits),
             static_cast<std::uint8_t>(all.advance + step.advance), step.ends};
    }
    return all;
  }

  Step find_long(unsigned next) const {
    for (std::size_t length = 1; length <= 16; ++length) {
      const unsigned code = next >> (16 - length);
      if (code >= first_[length] && code - first_[length] < count_[length]) {
        return steps_[offset_[length] + code - first_[length]];
      }
    }
    return {};
  }

  std::array<Step, lookup> several_{}, single_{};
  std::array<Step, 256> steps_{};
  std::array<unsigned, 17> first_{}, count_{};
  std::array<std::size_t, 17> offset_{};
};

/// The bits of entropy-coded data, without the zeros that follow each 0xFF, up to a marker.
class Bits {
 public:
  explicit Bits(std::span<const std::byte> data)
      : at_(reinterpret_cast<const unsigned char*>(data.data())), end_(at_ + data.size()) {}

  /// Afterwards at least 32 of the next bits are known; behind the marker they are zero.
  void refill() {
    if (count_ > 32) return;
    if (end_ - at_ >= 8) {
      std::uint64_t next;
      std::memcpy(&next, at_, sizeof next);
      if (((~next - 0x0101010101010101U) & next & 0x8080808080808080U) == 0) {  // none is 0xFF
        // What does not count yet is read once more, the same bits into the same places.
        const int bytes = (64 - count_) / 8;
        bits_ |= __builtin_bswap64(next) >> count_;
        count_ += 8 * bytes;
        at_ += bytes;
        return;
      }
    }
    refill_slowly();
  }

  unsigned next16() const { return static_cast<unsigned>(bits_ >> 48); }
  void drop(int bits) {
    bits_ <<= bits;
    count_ -= bits;
  }

  /// Whether what is left of the data is less than a byte, and EOI follows.
  bool is_at_end() {
    refill_slowly();
    return at_marker_ && !is_past_end() && count_ - past_ < 8 && end_ - at_ >= 2 && at_[1] == 0xD9;
  }
  /// Whether bits behind the marker were taken.
  bool is_past_end() const { return count_ < past_; }
  const unsigned char* marker() const { return at_; }

 private:
  void refill_slowly() {
    while (count_ <= 56) {
      unsigned char byte = 0;
      if (!at_marker_ && at_ < end_ && !(*at_ == 0xFF && (end_ - at_ < 2 || at_[1] != 0))) {
        byte = *at_;
        at_ += byte == 0xFF ? 2 : 1;
      } else {
        at_marker_ = true;
        past_ += 8;
      }
      bits_ |= std::uint64_t{byte} << (56 - count_);
      count_ += 8;
    }
  }

  const unsigned char* at_;
  const unsigned char* end_;
  std::uint64_t bits_ = 0;  ///< the next ones first
  int count_ = 0;
  int past_ = 0;  ///< of the bits, those that were made up behind the marker
  bool at_marker_ = false;
};

}  // namespace

bool is_intact(std::span<const std::byte> data, const std::vector<BaselineComponent>& components,
               std::uint64_t mcus, std::size_t& after) {
  struct Block {
    const Codes* dc;
    const Codes* ac;
  };
  std::vector<std::unique_ptr<Codes>> tables;
  std::vector<Block> blocks;
  for (const BaselineComponent& component : components) {
    const Codes* dc = tables.emplace_back(std::make_unique<Codes>(*component.dc, true)).get();
    const Codes* ac = tables.emplace_back(std::make_unique<Codes>(*component.ac, false)).get();
    blocks.insert(blocks.end(), static_cast<std::size_t>(component.blocks), {dc, ac});
  }
  Bits bits(data);
  for (std::uint64_t mcu = 0; mcu < mcus; ++mcu) {
    for (const Block& block : blocks) {
      bits.refill();
      Step step = block.dc->find(bits.next16());
      if (step.bits == 0) return false;
      bits.drop(step.bits);
      int k = 1;
      while (k < coefficients) {
        bits.refill();
        step = block.ac->find_several(bits.next16());
        // A block that is full has no symbol for its end, and what follows is the next one's.
        if (step.bits == 0 || k + step.advance >= coefficients) {
          step = block.ac->find(bits.next16());
          if (step.bits == 0) return false;
        }
        bits.drop(step.bits);
        k += step.advance;
        if (step.ends) break;
      }
      if (k > coefficients) return false;
    }
    if (bits.is_past_end()) return false;
  }
  if (!bits.is_at_end()) return false;
  after = static_cast<std::size_t>(bits.marker() + 2 -
                                   reinterpret_cast<const unsigned char*>(data.data()));
  return true;
}

}  // namespace qturn
