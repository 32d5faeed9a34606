// Deflate as RFC 1951 describes it, bit by bit.
#include "src/formats/png/partial_inflate.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace qturn::png {
namespace {

class Bits {
 public:
  explicit Bits(std::span<const std::byte> stream) : stream_(stream) {}

  /// Zeros once the stream has ended.
  unsigned take(int count) {
    unsigned value = 0;
    for (int i = 0; i < count; ++i) value |= next() << i;
    return value;
  }

  void skip_to_byte() { at_ = (at_ + 7) / 8 * 8; }
  bool have_ended() const { return ended_; }

 private:
  unsigned next() {
    if (at_ / 8 >= stream_.size()) {
      ended_ = true;
      return 0;
    }
    const unsigned bit = std::to_integer<unsigned>(stream_[at_ / 8]) >> at_ % 8 & 1;
    ++at_;
    return bit;
  }

  std::span<const std::byte> stream_;
  std::size_t at_ = 0;
  bool ended_ = false;
};

// A canonical Huffman code, by the lengths of its symbols' codes. Lengths that make no sense give
// a code that some bits are not in.
class Code {
 public:
  explicit Code(std::span<const std::uint8_t> lengths) {
    for (const std::uint8_t length : lengths) ++counts_[length];
    counts_[0] = 0;
    for (std::size_t length = 1; length < counts_.size(); ++length) {
      for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
        if (lengths[symbol] == length) symbols_.push_back(static_cast<unsigned>(symbol));
      }
    }
  }

  std::optional<unsigned> read(Bits& bits) const {
    std::size_t code = 0, first = 0, before = 0;
    for (std::size_t length = 1; length < counts_.size(); ++length) {
      code = code << 1 | bits.take(1);
      first <<= 1;
      if (code < first) return std::nullopt;
      if (code - first < counts_[length]) return symbols_[before + code - first];
      before += counts_[length];
      first += counts_[length];
    }
    return std::nullopt;
  }

 private:
  std::array<std::size_t, 16> counts_{};
  std::vector<unsigned> symbols_;
};

struct Codes {
  Code symbols, distances;
};

Codes fixed_codes() {
  std::array<std::uint8_t, 288> lengths;
  std::fill_n(lengths.begin(), 144, std::uint8_t{8});
  std::fill_n(lengths.begin() + 144, 112, std::uint8_t{9});
  std::fill_n(lengths.begin() + 256, 24, std::uint8_t{7});
  std::fill_n(lengths.begin() + 280, 8, std::uint8_t{8});
  std::array<std::uint8_t, 30> distances;
  distances.fill(5);
  return {Code(lengths), Code(distances)};
}

std::optional<Codes> read_codes(Bits& bits) {
  constexpr std::array<std::size_t, 19> order = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                 11, 4,  12, 3, 13, 2, 14, 1, 15};
  const std::size_t symbols = 257 + bits.take(5), distances = 1 + bits.take(5);
  const std::size_t given = 4 + bits.take(4);
  std::array<std::uint8_t, 19> of_lengths{};
  for (std::size_t i = 0; i < given; ++i) {
    of_lengths[order[i]] = static_cast<std::uint8_t>(bits.take(3));
  }
  const Code code(of_lengths);
  std::vector<std::uint8_t> lengths;
  while (lengths.size() < symbols + distances) {
    const auto symbol = code.read(bits);
    if (!symbol || bits.have_ended()) return std::nullopt;
    if (*symbol < 16) {
      lengths.push_back(static_cast<std::uint8_t>(*symbol));
    } else if (*symbol == 16) {
      if (lengths.empty()) return std::nullopt;
      const std::uint8_t last = lengths.back();
      lengths.insert(lengths.end(), 3 + bits.take(2), last);
    } else {
      lengths.insert(lengths.end(), *symbol == 17 ? 3 + bits.take(3) : 11 + bits.take(7), 0);
    }
  }
  if (lengths.size() > symbols + distances) return std::nullopt;
  const std::span all(lengths);
  return Codes{Code(all.first(symbols)), Code(all.subspan(symbols))};
}

class Inflater {
 public:
  Inflater(std::span<const std::byte> stream, std::span<std::uint8_t> to)
      : bits_(stream), to_(to) {}

  std::size_t inflate() {
    bool is_last = false;
    while (!is_last) {
      is_last = bits_.take(1) == 1;
      const unsigned kind = bits_.take(2);
      constexpr unsigned stored = 0, fixed = 1, described = 2;
      bool whole = false;
      if (kind == stored) {
        whole = read_stored();
      } else if (kind == fixed) {
        whole = read_compressed(fixed_codes());
      } else if (kind == described) {
        const auto codes = read_codes(bits_);
        whole = codes && read_compressed(*codes);
      }
      if (!whole) break;
    }
    return written_;
  }

 private:
  bool put(unsigned byte) {
    if (bits_.have_ended() || written_ == to_.size()) return false;
    to_[written_++] = static_cast<std::uint8_t>(byte);
    return true;
  }

  bool read_stored() {
    bits_.skip_to_byte();
    const unsigned length = bits_.take(16);
    if ((length ^ bits_.take(16)) != 0xFFFF) return false;
    for (unsigned i = 0; i < length; ++i) {
      if (!put(bits_.take(8))) return false;
    }
    return !bits_.have_ended();
  }

  bool read_compressed(const Codes& codes) {
    constexpr unsigned end_of_block = 256;
    while (!bits_.have_ended()) {
      const auto symbol = codes.symbols.read(bits_);
      if (!symbol) return false;
      if (*symbol == end_of_block) return !bits_.have_ended();
      if (!(*symbol < end_of_block ? put(*symbol) : repeat(*symbol - 257, codes.distances))) {
        return false;
      }
    }
    return false;
  }

  bool repeat(unsigned length_symbol, const Code& distances) {
    constexpr std::array<std::uint16_t, 29> lengths = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                                       15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                                       67, 83, 99, 115, 131, 163, 195, 227, 258};
    constexpr std::array<std::uint16_t, 30> distance_bases = {
        1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
        193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    if (length_symbol >= lengths.size()) return false;
    const bool is_longest = length_symbol == lengths.size() - 1;
    const int length_bits =
        length_symbol < 8 || is_longest ? 0 : static_cast<int>(length_symbol / 4 - 1);
    const unsigned length = lengths[length_symbol] + bits_.take(length_bits);
    const auto symbol = distances.read(bits_);
    if (!symbol || *symbol >= distance_bases.size()) return false;
    const unsigned distance =
        distance_bases[*symbol] + bits_.take(*symbol < 4 ? 0 : static_cast<int>(*symbol / 2 - 1));
    if (distance > written_) return false;
    for (unsigned i = 0; i < length; ++i) {
      if (!put(to_[written_ - distance])) return false;
    }
    return true;
  }

  Bits bits_;
  std::span<std::uint8_t> to_;
  std::size_t written_ = 0;
};

}  // namespace

std::size_t inflate_beginning(std::span<const std::byte> stream, std::span<std::uint8_t> to) {
  constexpr std::size_t zlib_header = 2;
  if (stream.size() <= zlib_header) return 0;
  return Inflater(stream.subspan(zlib_header), to).inflate();
}

}  // namespace qturn::png
