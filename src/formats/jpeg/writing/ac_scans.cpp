#include "src/formats/jpeg/writing/ac_scans.hpp"

#include <algorithm>

#include "src/formats/jpeg/file/huffman_table.hpp"

namespace qturn::jpeg {
namespace {

constexpr unsigned longest_end_of_band = 0x7FFF;

// One scan.
template <class SetBits>
class AcScan {
 public:
  explicit AcScan(const JpegScan& scan)
      : codes_(*scan.components.front().ac),
        band_(coefficients_from(scan.first) & ~(coefficients_from(scan.last) >> 1)),
        first_(scan.first),
        last_(scan.last),
        low_(scan.low),
        refines_(scan.high != 0),
        restarts_(scan.restart_interval) {
    writer_.reserve(scan.bytes + scan.bytes / 16);
  }

  int low() const { return low_; }
  bool refines() const { return refines_; }

  // `present` has the coefficients of which bits have been or are now coded, that is of at least
  // 1 << low.
  void put_first(const TurnedOrder& order, const JCOEF* block, std::uint64_t present) {
    restart_if_due();
    present &= band_;
    if (present == 0) return end_block_early();
    BitCursor out = writer_.begin_block();
    put_ended_blocks(out);
    int previous = first_ - 1;
    while (present != 0) {
      const int k = first_coefficient(present);
      present &= ~coefficient_bit(k);
      const int value = order.value(block, k);
      const int shifted = value < 0 ? -(-value >> low_) : value >> low_;
      put_run_and_value(out, codes_, k - previous - 1, shifted);
      previous = k;
    }
    writer_.end_block(out);
    if (previous != last_) end_block_early();
  }

  // `known` are those of which a higher bit is set, `set` those with this bit set. Each new one
  // comes with the bits of the known ones before it.
  void put_refinement(std::uint64_t present, std::uint64_t known, std::uint64_t set,
                      std::uint64_t negative) {
    restart_if_due();
    std::uint64_t fresh = present & band_ & ~known;
    known &= band_;
    if (fresh != 0) {
      BitCursor out = writer_.begin_block();
      put_ended_blocks(out);
      int after = first_;  // where the coefficients begin that are not yet coded
      while (fresh != 0) {
        const int k = first_coefficient(fresh);
        fresh &= ~coefficient_bit(k);
        std::uint64_t passed = known & coefficients_before(k);
        int run = k - after - std::popcount(passed);
        for (; run > 15; run -= 16) {
          const std::uint64_t up_to = put_sixteen_zeros(out, after, passed, set);
          passed &= ~up_to;
          known &= ~up_to;
        }
        out.put(codes_, static_cast<unsigned>(run << 4 | 1), (negative & coefficient_bit(k)) != 0,
                bits_of(set, passed));
        known &= ~passed;
        after = k + 1;
      }
      writer_.end_block(out);
      if (after > last_) return;
    }
    if (known != 0) {
      waiting_.push_back(bits_of(set, known));
      waiting_count_ += waiting_.back().count;
    }
    end_block_early();
  }

  JpegData take() {
    finish_band();
    return writer_.take();
  }

 private:
  static BitString bits_of(std::uint64_t set, std::uint64_t places) {
    return {SetBits::gathered(set, places), std::popcount(places)};
  }

  // With the bits of the `passed` ones among them, which are returned; moves `after` past them.
  std::uint64_t put_sixteen_zeros(BitCursor& out, int& after, std::uint64_t passed,
                                  std::uint64_t set) {
    out.put(codes_, jpeg_sixteen_zeros);
    std::uint64_t zeros = ~passed & coefficients_from(after);
    for (int i = 0; i < 15; ++i) zeros &= ~coefficient_bit(first_coefficient(zeros));
    const int sixteenth = first_coefficient(zeros);
    const std::uint64_t among = passed & coefficients_before(sixteenth);
    out.put(bits_of(set, among));
    after = sixteenth + 1;
    return among;
  }

  void restart_if_due() {
    if (!restarts_.due()) return;
    finish_band();
    writer_.put_restart();
  }

  void finish_band() {
    BitCursor out = writer_.begin_block();
    put_ended_blocks(out);
    writer_.end_block(out);
  }

  // Blocks that end early are counted, and coded together with their waiting bits. The number of
  // waiting bits is bounded, so that they fit in the room for a block.
  void end_block_early() {
    ++ended_blocks_;
    if (ended_blocks_ == longest_end_of_band || waiting_count_ > 1000 - DCTSIZE2) finish_band();
  }

  void put_ended_blocks(BitCursor& out) {
    if (ended_blocks_ == 0) return;
    const int size = std::bit_width(ended_blocks_) - 1;
    out.put(codes_, static_cast<unsigned>(size << 4), ended_blocks_, size);
    ended_blocks_ = 0;
    for (const BitString& bits : waiting_) out.put(bits);
    waiting_.clear();
    waiting_count_ = 0;
  }

  HuffmanCodes codes_;
  std::uint64_t band_;
  int first_, last_, low_;
  bool refines_;
  Restarts restarts_;
  BitWriter writer_;
  unsigned ended_blocks_ = 0;
  std::vector<BitString> waiting_;  // of ended blocks
  int waiting_count_ = 0;
};

template <class SetBits>
std::vector<JpegData> code(std::span<const JpegScan* const> wanted, const TurnedBlocks& blocks,
                           const TurnedOrder& order, const std::atomic<bool>& stop) {
  std::vector<AcScan<SetBits>> scans;
  int lowest = DCTSIZE2, highest = 0;
  bool refines = false;
  for (const JpegScan* scan : wanted) {
    scans.emplace_back(*scan);
    lowest = std::min(lowest, scan->low);
    highest = std::max(highest, scan->low + 1);
    refines |= scan->high != 0;
  }
  constexpr std::uint64_t ac = coefficients_from(1);
  std::array<std::uint64_t, 16> present{}, set{};
  std::uint64_t negative = 0;
  for (JDIMENSION y = 0; y < blocks.height; ++y) {
    if (stop.load(std::memory_order_relaxed)) throw Interrupted();
    for (JDIMENSION x = 0; x < blocks.width; ++x) {
      const JCOEF* block = blocks.block(x, y);
      blocks.expect(x, y);
      present.fill(0);
      present[static_cast<std::size_t>(lowest)] = order.at_least(block, lowest) & ac;
      if (present[static_cast<std::size_t>(lowest)] != 0) {
        for (int low = lowest + 1; low <= highest; ++low) {
          present[static_cast<std::size_t>(low)] = order.at_least(block, low) & ac;
        }
        if (refines) {
          negative = order.negative(block);
          for (int low = lowest; low < highest; ++low) {
            set[static_cast<std::size_t>(low)] = order.with_bit(block, low);
          }
        }
      }
      for (AcScan<SetBits>& scan : scans) {
        const auto low = static_cast<std::size_t>(scan.low());
        if (scan.refines()) {
          scan.put_refinement(present[low], present[low + 1], set[low], negative);
        } else {
          scan.put_first(order, block, present[low]);
        }
      }
    }
  }
  std::vector<JpegData> data;
  for (AcScan<SetBits>& scan : scans) data.push_back(scan.take());
  return data;
}

}  // namespace

std::vector<JpegData> code_ac_scans(std::span<const JpegScan* const> scans,
                                    const TurnedBlocks& blocks, const TurnedOrder& order,
                                    const std::atomic<bool>& stop) {
  return with_best_bits(
      [&]<class SetBits>(SetBits) { return code<SetBits>(scans, blocks, order, stop); });
}

}  // namespace qturn::jpeg
