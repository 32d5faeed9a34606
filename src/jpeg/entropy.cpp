#include "src/jpeg/entropy.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

namespace qturn {
namespace {

constexpr int largest_dc_size = 11, largest_ac_size = 10;
constexpr unsigned char sixteen_zeros = 0xF0;
constexpr unsigned longest_end_of_band = 0x7FFF;
constexpr std::size_t max_block_bytes = 1024;  // 64 times 27 bits, waiting ones, and more

struct Codes {
  std::array<std::uint32_t, 256> code{};
  std::array<std::uint8_t, 256> length{};

  explicit Codes(const JpegHuffmanTable& table) {
    std::uint32_t next = 0;
    std::size_t symbol = 0;
    for (std::size_t bits = 1; bits < table.bits.size(); ++bits, next <<= 1) {
      for (int i = 0; i < table.bits[bits]; ++i, ++symbol, ++next) {
        code[table.symbols[symbol]] = next;
        length[table.symbols[symbol]] = static_cast<std::uint8_t>(bits);
      }
    }
  }
};

// Bits into bytes, most significant first. A coder of a block works on a copy, which stays in
// registers.
struct BitCursor {
  std::uint64_t waiting = 0;  // from the highest bit on
  int waiting_count = 0;      // below 8 between calls
  unsigned char* at = nullptr;

  // `count` is at most 32, and `bits` has no others set. Always writes eight bytes, of which those
  // that are whole stay: a branch on how many would be guessed wrong too often.
  void put(std::uint32_t bits, int count) {
    waiting_count += count;
    waiting |= std::uint64_t{bits} << (64 - waiting_count) % 64;
    const std::uint64_t swapped = __builtin_bswap64(waiting);
    std::memcpy(at, &swapped, sizeof swapped);
    at += waiting_count >> 3;
    waiting <<= waiting_count & ~7;
    waiting_count &= 7;
  }

  void put(const Codes& codes, unsigned symbol) { put(codes.code[symbol], codes.length[symbol]); }

  // The code, and behind it the `size` low bits of `bits`.
  void put(const Codes& codes, unsigned symbol, std::uint32_t bits, int size) {
    const std::uint32_t low = bits & ((std::uint32_t{1} << size) - 1);
    put(codes.code[symbol] << size | low, codes.length[symbol] + size);
  }

  // At most 64 bits.
  void put_long(std::uint64_t bits, int count) {
    if (count > 32) {
      put(static_cast<std::uint32_t>(bits >> 32), count - 32);
      count = 32;
    }
    put(static_cast<std::uint32_t>(bits), count);
  }
};

class BitWriter {
 public:
  void reserve(std::size_t bytes) { data_.room(bytes); }

  // Room for a block, for which the cursor need not look.
  BitCursor begin_block() {
    cursor_.at = data_.room(max_block_bytes);
    return cursor_;
  }
  void end_block(const BitCursor& cursor) {
    cursor_ = cursor;
    data_.set_end(cursor.at);
  }

  // Fills the last byte with ones.
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

// Counts MCUs, and says when a restart marker is due before the next one.
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

void check_size(int size, int largest) {
  if (size > largest) throw ImageFileError("damaged: a coefficient is larger than 8-bit JPEG has");
}

int size_of(int value) { return std::bit_width(static_cast<unsigned>(value < 0 ? -value : value)); }

void put_dc(BitCursor& out, const Codes& codes, int difference) {
  const int size = size_of(difference);
  check_size(size, largest_dc_size);
  out.put(codes, static_cast<unsigned>(size),
          static_cast<std::uint32_t>(difference - (difference < 0)), size);
}

void put_run_and_value(BitCursor& out, const Codes& codes, int run, int value) {
  for (; run > 15; run -= 16) out.put(codes, sixteen_zeros);
  const int size = size_of(value);
  check_size(size, largest_ac_size);
  out.put(codes, static_cast<unsigned>(run << 4 | size),
          static_cast<std::uint32_t>(value - (value < 0)), size);
}

void put_block(BitWriter& writer, const Codes& dc, const Codes& ac, const TurnedOrder& order,
               const JCOEF* block, int& last_dc) {
  BitCursor out = writer.begin_block();
  put_dc(out, dc, block[0] - last_dc);
  last_dc = block[0];
  int previous = 0;
  for (std::uint64_t left = order.at_least(block, 0) >> 1 << 1; left != 0; left &= left - 1) {
    const int k = std::countr_zero(left);
    put_run_and_value(out, ac, k - previous - 1, order.value(block, k));
    previous = k;
  }
  if (previous != DCTSIZE2 - 1) out.put(ac, 0);
  writer.end_block(out);
}

// What fills a partial MCU: nothing but the DC value of the block before.
void put_dummy_block(BitWriter& writer, const Codes& dc, const Codes& ac) {
  BitCursor out = writer.begin_block();
  out.put(dc, 0);
  out.put(ac, 0);
  writer.end_block(out);
}

// In a turn the next blocks of a row lie in rows of their own, where the processor does not expect
// them.
void expect(const TurnedBlocks& blocks, JDIMENSION x, JDIMENSION y) {
  constexpr JDIMENSION ahead = 6;
  if (x + ahead >= blocks.width) return;
  const JCOEF* later = blocks.block(x + ahead, y);
  __builtin_prefetch(later);
  __builtin_prefetch(later + DCTSIZE2 / 2);
}

// Calls before_mcu(), and visit(scan's component, block) for each block of each MCU, in the order
// of the scan; block is null for one that only fills an MCU.
template <typename BeforeMcu, typename Visit>
void visit_blocks(const JpegPicture& picture, const std::vector<int>& components,
                  const std::vector<TurnedBlocks>& blocks, const std::atomic<bool>& stop,
                  BeforeMcu before_mcu, Visit visit) {
  const Size mcus = mcus_of(picture, components);
  const bool single = components.size() == 1;
  for (JDIMENSION y = 0; y < mcus.height; ++y) {
    if (stop.load(std::memory_order_relaxed)) throw Interrupted();
    for (JDIMENSION x = 0; x < mcus.width; ++x) {
      before_mcu();
      for (std::size_t i = 0; i < components.size(); ++i) {
        const auto index = static_cast<std::size_t>(components[i]);
        const TurnedBlocks& from = blocks[index];
        const auto wide = static_cast<JDIMENSION>(single ? 1 : picture.components[index].h);
        const auto high = static_cast<JDIMENSION>(single ? 1 : picture.components[index].v);
        for (JDIMENSION row = y * high; row < (y + 1) * high; ++row) {
          for (JDIMENSION column = x * wide; column < (x + 1) * wide; ++column) {
            const bool is_there = column < from.width && row < from.height;
            if (is_there) expect(from, column, row);
            visit(i, is_there ? from.block(column, row) : nullptr);
          }
        }
      }
    }
  }
}

JpegData code_sequential(const JpegPicture& picture, const JpegScan& scan,
                         const std::vector<TurnedBlocks>& blocks, const TurnedOrder& order,
                         const std::atomic<bool>& stop) {
  const std::vector<int> components = components_of(picture, scan);
  std::vector<Codes> dc, ac;
  for (const JpegScanComponent& component : scan.components) {
    dc.emplace_back(*component.dc);
    ac.emplace_back(*component.ac);
  }
  std::vector<int> last_dc(components.size(), 0);
  BitWriter out;
  out.reserve(scan.bytes + scan.bytes / 16);
  Restarts restarts(scan.restart_interval);
  visit_blocks(
      picture, components, blocks, stop,
      [&] {
        if (!restarts.due()) return;
        out.put_restart();
        std::ranges::fill(last_dc, 0);
      },
      [&](std::size_t i, const JCOEF* block) {
        if (block) {
          put_block(out, dc[i], ac[i], order, block, last_dc[i]);
        } else {
          put_dummy_block(out, dc[i], ac[i]);
        }
      });
  return out.take();
}

JpegData code_dc(const JpegPicture& picture, const JpegScan& scan,
                 const std::vector<TurnedBlocks>& blocks, const std::atomic<bool>& stop) {
  const std::vector<int> components = components_of(picture, scan);
  std::vector<Codes> codes;
  if (scan.high == 0) {  // what refines has no codes, only bits
    for (const JpegScanComponent& component : scan.components) codes.emplace_back(*component.dc);
  }
  std::vector<int> last_dc(components.size(), 0);
  BitWriter out;
  out.reserve(scan.bytes + scan.bytes / 16);
  Restarts restarts(scan.restart_interval);
  std::vector<int> in_block_before(components.size(), 0);
  visit_blocks(
      picture, components, blocks, stop,
      [&] {
        if (!restarts.due()) return;
        out.put_restart();
        std::ranges::fill(last_dc, 0);
      },
      [&](std::size_t i, const JCOEF* block) {
        int& value = in_block_before[i];
        if (block) value = block[0];
        BitCursor cursor = out.begin_block();
        if (scan.high == 0) {
          put_dc(cursor, codes[i], (value >> scan.low) - last_dc[i]);
          last_dc[i] = value >> scan.low;
        } else {
          cursor.put(static_cast<std::uint32_t>(value >> scan.low & 1), 1);
        }
        out.end_block(cursor);
      });
  return out.take();
}

// A progressive scan of one component's AC coefficients.
class AcScan {
 public:
  AcScan(const JpegScan& scan)
      : codes_(*scan.components.front().ac),
        band_((~std::uint64_t{0} >> (DCTSIZE2 - 1 - scan.last)) & ~std::uint64_t{0} << scan.first),
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
    for (; present != 0; present &= present - 1) {
      const int k = std::countr_zero(present);
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
    present &= band_;
    std::uint64_t fresh = present & ~known;
    known &= band_;
    int after = first_;  // where the coefficients that are not yet coded begin
    if (fresh != 0) {
      BitCursor out = writer_.begin_block();
      put_ended_blocks(out);
      for (; fresh != 0; fresh &= fresh - 1) {
        const int k = std::countr_zero(fresh);
        const std::uint64_t before = (std::uint64_t{1} << k) - 1;
        std::uint64_t passed = known & before & ~std::uint64_t{0} << after;
        Bits bits = picked(set, passed);
        int run = k - after - bits.count;
        // Sixteen zeros at a time, each time with the bits of the known ones among them.
        for (; run > 15; run -= 16) {
          out.put(codes_, sixteen_zeros);
          std::uint64_t zeros = ~passed & before & ~std::uint64_t{0} << after;
          for (int i = 0; i < 15; ++i) zeros &= zeros - 1;
          const int sixteenth = std::countr_zero(zeros);
          const std::uint64_t up_to = passed & ((std::uint64_t{1} << sixteenth) - 1);
          put_bits(out, picked(set, up_to));
          passed &= ~up_to;
          after = sixteenth + 1;
          bits = picked(set, passed);
        }
        out.put(codes_, static_cast<unsigned>(run << 4 | 1), negative >> k & 1 ? 0 : 1, 1);
        put_bits(out, bits);
        after = k + 1;
      }
      writer_.end_block(out);
      if (after > last_) return;
    }
    const std::uint64_t left = after >= DCTSIZE2 ? 0 : known & ~std::uint64_t{0} << after;
    if (left != 0) {
      waiting_.push_back(picked(set, left));
      waiting_count_ += waiting_.back().count;
    }
    end_block_early();
  }

  JpegData take() {
    finish_band();
    return writer_.take();
  }

 private:
  struct Bits {
    std::uint64_t bits;
    int count;
  };

  // The bits of `set` at the places of `mask`, moved together, the first place highest.
  static Bits picked(std::uint64_t set, std::uint64_t mask) {
    Bits picked{0, 0};
    for (; mask != 0; mask &= mask - 1, ++picked.count) {
      picked.bits = picked.bits << 1 | (set >> std::countr_zero(mask) & 1);
    }
    return picked;
  }

  static void put_bits(BitCursor& out, const Bits& bits) { out.put_long(bits.bits, bits.count); }

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

  // Blocks that end early are counted, and coded together with their waiting bits, which are
  // bounded, so that they fit in the room for a block.
  void end_block_early() {
    ++ended_blocks_;
    if (ended_blocks_ == longest_end_of_band || waiting_count_ > 1000 - DCTSIZE2) finish_band();
  }

  void put_ended_blocks(BitCursor& out) {
    if (ended_blocks_ == 0) return;
    const int size = std::bit_width(ended_blocks_) - 1;
    out.put(codes_, static_cast<unsigned>(size << 4), ended_blocks_, size);
    ended_blocks_ = 0;
    for (const Bits& bits : waiting_) put_bits(out, bits);
    waiting_.clear();
    waiting_count_ = 0;
  }

  Codes codes_;
  std::uint64_t band_;
  int first_, last_, low_;
  bool refines_;
  Restarts restarts_;
  BitWriter writer_;
  unsigned ended_blocks_ = 0;
  std::vector<Bits> waiting_;  // of ended blocks
  int waiting_count_ = 0;
};

// All scans of the AC coefficients of one component.
void code_ac(std::span<AcScan> scans, const TurnedBlocks& blocks, const TurnedOrder& order,
             const std::atomic<bool>& stop) {
  int lowest = DCTSIZE2, highest = 0;
  bool refines = false;
  for (const AcScan& scan : scans) {
    lowest = std::min(lowest, scan.low());
    highest = std::max(highest, scan.low() + 1);
    refines |= scan.refines();
  }
  std::array<std::uint64_t, 16> present{}, set{};
  std::uint64_t negative = 0;
  for (JDIMENSION y = 0; y < blocks.height; ++y) {
    if (stop.load(std::memory_order_relaxed)) throw Interrupted();
    for (JDIMENSION x = 0; x < blocks.width; ++x) {
      const JCOEF* block = blocks.block(x, y);
      expect(blocks, x, y);
      present.fill(0);
      present[static_cast<std::size_t>(lowest)] = order.at_least(block, lowest) >> 1 << 1;
      if (present[static_cast<std::size_t>(lowest)] != 0) {
        for (int low = lowest + 1; low <= highest; ++low) {
          present[static_cast<std::size_t>(low)] = order.at_least(block, low) >> 1 << 1;
        }
        if (refines) {
          negative = order.negative(block);
          for (int low = lowest; low < highest; ++low) {
            set[static_cast<std::size_t>(low)] = order.with_bit(block, low);
          }
        }
      }
      for (AcScan& scan : scans) {
        const auto low = static_cast<std::size_t>(scan.low());
        if (scan.refines()) {
          scan.put_refinement(present[low], present[low + 1], set[low], negative);
        } else {
          scan.put_first(order, block, present[low]);
        }
      }
    }
  }
}

}  // namespace

void JpegData::append_to(Bytes& file) const {
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

void JpegData::grow(std::size_t more) {
  const std::size_t capacity = std::max(2 * capacity_, size_ + more + max_block_bytes);
  std::unique_ptr<unsigned char[]> larger(new unsigned char[capacity]);
  std::copy_n(bytes_.get(), size_, larger.get());
  bytes_ = std::move(larger);
  capacity_ = capacity;
}

std::vector<JpegData> code_scans(const JpegPicture& picture,
                                 const std::vector<TurnedBlocks>& blocks, const TurnedOrder& order,
                                 const std::atomic<bool>& stop) {
  std::vector<JpegData> data(picture.scans.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const JpegScan& scan = picture.scans[i];
    if (!picture.progressive) {
      data[i] = code_sequential(picture, scan, blocks, order, stop);
    } else if (scan.first == 0) {
      data[i] = code_dc(picture, scan, blocks, stop);
    }
  }
  if (!picture.progressive) return data;

  for (int component = 0; component < static_cast<int>(blocks.size()); ++component) {
    std::vector<AcScan> scans;
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < picture.scans.size(); ++i) {
      const JpegScan& scan = picture.scans[i];
      if (scan.first == 0 || components_of(picture, scan).front() != component) continue;
      scans.emplace_back(scan);
      numbers.push_back(i);
    }
    if (scans.empty()) continue;
    code_ac(scans, blocks[static_cast<std::size_t>(component)], order, stop);
    for (std::size_t i = 0; i < scans.size(); ++i) data[numbers[i]] = scans[i].take();
  }
  return data;
}

}  // namespace qturn
