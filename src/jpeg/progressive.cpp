#include "src/jpeg/progressive.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "src/jpeg/turned_blocks.hpp"

namespace qturn {
namespace {

// More than a block can take, so that the reader need not look for the end within one.
constexpr std::size_t block_reach = 1024;

class Codes {
 public:
  // What is no prefix code leaves codes without a symbol, or with two.
  explicit Codes(const JpegHuffmanTable& table) {
    std::uint32_t code = 0;
    std::size_t symbol = 0;
    for (int length = 1; length <= longest; ++length, code <<= 1) {
      first_code_[length] = code;
      first_symbol_[length] = symbol;
      for (int i = 0; i < table.bits[static_cast<std::size_t>(length)]; ++i, ++code, ++symbol) {
        if (code >> length != 0 || symbol >= symbols_.size()) {
          valid_ = false;
          return;
        }
        symbols_[symbol] = table.symbols[symbol];
        if (length > short_bits) continue;
        const std::uint32_t begin = code << (short_bits - length);
        std::fill_n(short_.begin() + begin, std::size_t{1} << (short_bits - length),
                    static_cast<std::uint16_t>(length << 8 | table.symbols[symbol]));
      }
      end_code_[length] = code;
    }
  }

  bool valid() const { return valid_; }

  // The symbol at the head of `bits`, and how long its code is; 0: there is none.
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

// A scan's bits. Past its end there are zeros for a block's length; is_beyond() says that some were
// used.
class BitReader {
 public:
  explicit BitReader(std::size_t largest_scan)
      : bytes_(new unsigned char[largest_scan + block_reach]) {}

  // False if there are markers among the data.
  bool open(std::span<const std::byte> data) {
    auto* out = reinterpret_cast<std::byte*>(bytes_.get());
    for (std::size_t at = 0; at < data.size();) {
      const void* found = std::memchr(data.data() + at, 0xFF, data.size() - at);
      if (!found) {
        out = std::copy(data.begin() + static_cast<std::ptrdiff_t>(at), data.end(), out);
        break;
      }
      const std::size_t end =
          static_cast<std::size_t>(static_cast<const std::byte*>(found) - data.data()) + 1;
      if (end >= data.size() || data[end] != std::byte{0}) return false;
      out = std::copy_n(data.data() + at, end - at, out);
      at = end + 1;
    }
    end_ = reinterpret_cast<unsigned char*>(out);
    std::fill_n(end_, block_reach, static_cast<unsigned char>(0));
    at_ = bytes_.get();
    bits_ = 0;
    count_ = 0;
    return true;
  }

  // From here on at least 56 bits can be taken.
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
  // At most 56.
  std::uint64_t take(int count) {
    const std::uint64_t taken = bits_ >> 1 >> (63 - count);
    skip(count);
    return taken;
  }

  bool is_beyond() const { return at_ - (count_ >> 3) > end_; }
  // Whether all bytes were used, and nothing beyond.
  bool is_at_end() const { return at_ - (count_ >> 3) == end_; }

 private:
  std::unique_ptr<unsigned char[]> bytes_;
  const unsigned char* at_ = nullptr;
  unsigned char* end_ = nullptr;
  std::uint64_t bits_ = 0;
  int count_ = 0;
};

// The value of `size` bits: those that begin with 0 stand for negative ones. That is as good as
// random, so there is no branch on it.
int extended(std::uint64_t bits, int size) {
  const int value = static_cast<int>(bits);
  const int below = (value >> (size - 1)) - 1;  // -1 for negative ones, else 0
  return value + (below & (1 - (1 << size)));
}

JCOEF shifted(int value, int low) {
  return static_cast<JCOEF>(static_cast<unsigned>(value) << low);
}

// A component, and of each block the coefficients that are not zero.
struct Component {
  const JpegBlockArray* array;
  std::vector<std::uint64_t> nonzero;
};

class Reader {
 public:
  Reader(const JpegPicture& picture, JpegBlocks& blocks, const std::atomic<bool>& stop)
      : picture_(picture),
        stop_(stop),
        in_(std::ranges::max_element(picture.scans, {}, &JpegScan::bytes)->bytes) {
    for (std::size_t i = 0; i < picture.components.size(); ++i) {
      const JpegComponent& component = picture.components[i];
      components_.push_back({&blocks.component(static_cast<int>(i)),
                             std::vector<std::uint64_t>(std::size_t{component.width_in_blocks} *
                                                        component.height_in_blocks)});
    }
  }

  bool read(std::span<const std::byte> data, const JpegScan& scan) {
    if (!in_.open(data)) return false;
    const bool whole = scan.first == 0 ? (scan.high == 0 ? read_dc(scan) : refine_dc(scan))
                                       : read_ac_by_best(scan);
    return whole && in_.is_at_end();
  }

 private:
  void check_stop() const {
    if (stop_.load(std::memory_order_relaxed)) throw Interrupted();
  }

  // Calls visit(scan's component, block) for each block, also those that only fill an MCU.
  template <typename Visit>
  bool visit_dc(const JpegScan& scan, Visit visit) {
    const std::vector<int> found = components_of(picture_, scan);
    const Size mcus = mcus_of(picture_, found);
    const bool single = found.size() == 1;
    for (std::int64_t y = 0; y < mcus.height; ++y) {
      check_stop();
      for (std::int64_t x = 0; x < mcus.width; ++x) {
        for (std::size_t i = 0; i < found.size(); ++i) {
          const auto index = static_cast<std::size_t>(found[i]);
          const int wide = single ? 1 : picture_.components[index].h;
          const int high = single ? 1 : picture_.components[index].v;
          for (std::int64_t row = y * high; row < (y + 1) * high; ++row) {
            JBLOCKROW blocks = components_[index].array->row_starts[row];
            for (std::int64_t column = x * wide; column < (x + 1) * wide; ++column) {
              if (in_.is_beyond()) return false;
              in_.refill();
              if (!visit(i, blocks[column])) return false;
            }
          }
        }
      }
    }
    return true;
  }

  bool read_dc(const JpegScan& scan) {
    std::vector<Codes> codes;
    for (const JpegScanComponent& component : scan.components) {
      if (!component.dc) return false;
      codes.emplace_back(*component.dc);
      if (!codes.back().valid()) return false;
    }
    std::vector<int> last(scan.components.size(), 0);
    return visit_dc(scan, [&](std::size_t i, JCOEF* block) {
      const auto [size, length] = codes[i].find(in_.bits());
      if (length == 0 || size > 11) return false;
      in_.skip(length);
      if (size > 0) last[i] += extended(in_.take(static_cast<int>(size)), static_cast<int>(size));
      if (std::abs(last[i]) > 0x7FFF) return false;
      block[0] = shifted(last[i], scan.low);
      return true;
    });
  }

  bool refine_dc(const JpegScan& scan) {
    return visit_dc(scan, [&](std::size_t, JCOEF* block) {
      if (in_.take(1) != 0) block[0] = static_cast<JCOEF>(block[0] | 1 << scan.low);
      return true;
    });
  }

  bool read_ac_by_best(const JpegScan& scan) {
    return with_best_bits([&]<class SetBits>(SetBits) { return read_ac<SetBits>(scan); });
  }

  template <class SetBits>
  bool read_ac(const JpegScan& scan) {
    const std::vector<int> found = components_of(picture_, scan);
    if (found.size() != 1 || !scan.components.front().ac) return false;
    if (scan.high != 0 && scan.low != scan.high - 1) return false;
    const Codes codes(*scan.components.front().ac);
    if (!codes.valid()) return false;
    const auto index = static_cast<std::size_t>(found.front());
    const JpegComponent& component = picture_.components[index];
    std::uint64_t* nonzero = components_[index].nonzero.data();
    unsigned ended = 0;  // blocks that have nothing (more) in this scan
    for (JDIMENSION y = 0; y < component.height_in_blocks; ++y) {
      check_stop();
      JBLOCKROW blocks = components_[index].array->row_starts[y];
      for (JDIMENSION x = 0; x < component.width_in_blocks; ++x, ++nonzero) {
        if (scan.high == 0 && ended > 0) {
          --ended;
          continue;
        }
        if (in_.is_beyond()) return false;
        const bool whole = scan.high == 0
                               ? read_block(codes, scan, blocks[x], *nonzero, ended)
                               : refine_block<SetBits>(codes, scan, blocks[x], *nonzero, ended);
        if (!whole) return false;
      }
    }
    return ended == 0;
  }

  // The count of blocks that a symbol without a value ends.
  unsigned take_ended(unsigned run) {
    return (1U << run) + static_cast<unsigned>(in_.take(static_cast<int>(run)));
  }

  bool read_block(const Codes& codes, const JpegScan& scan, JCOEF* block, std::uint64_t& nonzero,
                  unsigned& ended) {
    for (int k = scan.first; k <= scan.last;) {
      in_.refill();
      const auto [symbol, length] = codes.find(in_.bits());
      if (length == 0) return false;
      in_.skip(length);
      const unsigned run = symbol >> 4;
      const int size = static_cast<int>(symbol & 15);
      if (size == 0 && run < 15) {
        ended = take_ended(run) - 1;
        return true;
      }
      k += static_cast<int>(run);
      if (k > scan.last) return false;
      if (size > 0) {
        block[jpeg_zigzag[static_cast<std::size_t>(k)]] =
            shifted(extended(in_.take(size), size), scan.low);
        nonzero |= coefficient_bit(k);
      }
      ++k;
    }
    return true;
  }

  // There is a bit for each coefficient of `known`, set for those that move away from zero.
  template <class SetBits>
  std::uint64_t take_corrections(std::uint64_t known) {
    constexpr std::uint64_t half = coefficients_before(DCTSIZE2 / 2);
    in_.refill();
    if (std::popcount(known) <= 56) return take_set<SetBits>(known);
    const std::uint64_t corrected = take_set<SetBits>(known & half);
    in_.refill();
    return corrected | take_set<SetBits>(known & ~half);
  }

  template <class SetBits>
  std::uint64_t take_set(std::uint64_t places) {
    return SetBits::scattered(in_.take(std::popcount(places)), places);
  }

  template <class SetBits>
  bool refine_block(const Codes& codes, const JpegScan& scan, JCOEF* block, std::uint64_t& nonzero,
                    unsigned& ended) {
    const std::uint64_t band = coefficients_from(scan.first) & ~(coefficients_from(scan.last) >> 1);
    std::uint64_t known = nonzero & band;  // those of which the bits are still to come
    std::uint64_t zeros = ~nonzero & band;
    std::uint64_t corrected = 0;
    int k = scan.first;
    while (ended == 0 && k <= scan.last) {
      in_.refill();
      const auto [symbol, length] = codes.find(in_.bits());
      if (length == 0) return false;
      in_.skip(length);
      const unsigned run = symbol >> 4;
      const unsigned size = symbol & 15;
      if (size > 1) return false;
      if (size == 0 && run < 15) {
        ended = take_ended(run);
        break;
      }
      const bool negative = size == 1 && in_.take(1) == 0;
      const std::uint64_t bit = SetBits::nth(zeros, run);
      if (bit == 0) return false;
      k = first_coefficient(bit);
      corrected |= take_corrections<SetBits>(known & coefficients_before(k));
      known &= coefficients_from(k);
      zeros &= coefficients_from(k) >> 1;
      if (size == 1) {
        block[jpeg_zigzag[static_cast<std::size_t>(k)]] = shifted(negative ? -1 : 1, scan.low);
        nonzero |= bit;
      }
      ++k;
    }
    if (ended > 0) {
      corrected |= take_corrections<SetBits>(known);
      --ended;
    }
    correct(block, corrected, scan.low);
    return true;
  }

  // Moves coefficients away from zero.
  static void correct(JCOEF* block, std::uint64_t corrected, int low) {
    const int step = 1 << low;
    while (corrected != 0) {
      const int k = first_coefficient(corrected);
      corrected &= ~coefficient_bit(k);
      JCOEF& value = block[jpeg_zigzag[static_cast<std::size_t>(k)]];
      const int sign = value >> 15;  // 0 or -1
      value = static_cast<JCOEF>(value + ((step ^ sign) - sign));
    }
  }

  const JpegPicture& picture_;
  const std::atomic<bool>& stop_;
  BitReader in_;
  std::vector<Component> components_;
};

void make_blocks(const JpegPicture& picture, JpegBlocks& blocks) {
  std::vector<std::pair<JDIMENSION, JDIMENSION>> sizes;
  for (const JpegComponent& component : picture.components) {
    const auto padded = [](JDIMENSION count, int factor) {
      const auto unit = static_cast<JDIMENSION>(factor);
      return (count + unit - 1) / unit * unit;
    };
    sizes.emplace_back(padded(component.width_in_blocks, component.h),
                       padded(component.height_in_blocks, component.v));
  }
  blocks.make(sizes);
}

}  // namespace

std::optional<PlainPicture> read_progressive(const JpegDecoder& decoder,
                                             std::span<const std::byte> file, JpegBlocks& blocks,
                                             const std::atomic<bool>& stop) {
  if (!decoder.info.progressive_mode) return std::nullopt;
  std::optional<PlainPicture> plain = describe_plain(decoder, file);
  if (!plain) return std::nullopt;
  make_blocks(plain->picture, blocks);
  Reader reader(plain->picture, blocks, stop);
  const bool in_order = std::ranges::all_of(plain->picture.scans, [&](const JpegScan& scan) {
    return reader.read(file.subspan(scan.data_at, scan.bytes), scan);
  });
  if (!in_order) plain.reset();
  return plain;
}

}  // namespace qturn
