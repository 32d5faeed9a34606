#include "src/jpeg/progressive.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "src/jpeg/bit_reader.hpp"
#include "src/jpeg/turned_blocks.hpp"

namespace qturn {
namespace {

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
    std::vector<HuffmanSymbols> codes;
    for (const JpegScanComponent& component : scan.components) {
      if (!component.dc || !codes_dc_sizes(*component.dc)) return false;
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
    const HuffmanSymbols codes(*scan.components.front().ac);
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

  bool read_block(const HuffmanSymbols& codes, const JpegScan& scan, JCOEF* block,
                  std::uint64_t& nonzero, unsigned& ended) {
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
  bool refine_block(const HuffmanSymbols& codes, const JpegScan& scan, JCOEF* block,
                    std::uint64_t& nonzero, unsigned& ended) {
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
