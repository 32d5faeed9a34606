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
constexpr std::size_t max_block_bytes = 1024;  // 64 times 27 bits, each byte stuffed, and more

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

// Bits into bytes, most significant first, a zero byte behind each of 0xFF.
class BitWriter {
 public:
  void reserve(std::size_t bytes) { data_.room(bytes); }

  // Room for a block, after which put() need not look.
  void begin_block() { at_ = data_.room(max_block_bytes); }
  void end_block() { data_.set_end(at_); }

  // `count` is at most 32, and `bits` has no others set.
  void put(std::uint32_t bits, int count) {
    waiting_ = waiting_ << count | bits;
    waiting_count_ += count;
    if (waiting_count_ < 32) return;
    waiting_count_ -= 32;
    const auto word = static_cast<std::uint32_t>(waiting_ >> waiting_count_);
    // Any byte of all ones?
    if ((word & 0x80808080U & ~(word + 0x01010101U)) == 0) {
      const std::uint32_t swapped = __builtin_bswap32(word);
      std::memcpy(at_, &swapped, sizeof swapped);
      at_ += sizeof swapped;
    } else {
      for (int shift = 24; shift >= 0; shift -= 8) put_byte(word >> shift & 0xFF);
    }
  }

  void put(const Codes& codes, unsigned symbol) { put(codes.code[symbol], codes.length[symbol]); }

  // The code, and behind it the `size` low bits of `bits`.
  void put(const Codes& codes, unsigned symbol, std::uint32_t bits, int size) {
    const std::uint32_t low = bits & ((std::uint32_t{1} << size) - 1);
    put(codes.code[symbol] << size | low, codes.length[symbol] + size);
  }

  // Fills the last byte with ones.
  void align() {
    begin_block();
    if (const int open = waiting_count_ % 8; open != 0) put((1U << (8 - open)) - 1, 8 - open);
    while (waiting_count_ > 0) {
      waiting_count_ -= 8;
      put_byte(static_cast<unsigned>(waiting_ >> waiting_count_) & 0xFF);
    }
    end_block();
  }

  void put_restart(unsigned number) {
    align();
    begin_block();
    *at_++ = 0xFF;
    *at_++ = static_cast<unsigned char>(0xD0 + number % 8);
    end_block();
  }

  JpegData take() {
    align();
    return std::move(data_);
  }

 private:
  void put_byte(unsigned byte) {
    *at_++ = static_cast<unsigned char>(byte);
    if (byte == 0xFF) *at_++ = 0;
  }

  std::uint64_t waiting_ = 0;
  int waiting_count_ = 0;  // below 32 between calls
  unsigned char* at_ = nullptr;
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
  unsigned next_number() { return number_++; }

 private:
  unsigned interval_, left_, number_ = 0;
};

void check_size(int size, int largest) {
  if (size > largest) throw ImageFileError("damaged: a coefficient is larger than 8-bit JPEG has");
}

int size_of(int value) { return std::bit_width(static_cast<unsigned>(value < 0 ? -value : value)); }

void put_dc(BitWriter& out, const Codes& codes, int difference) {
  const int size = size_of(difference);
  check_size(size, largest_dc_size);
  out.put(codes, static_cast<unsigned>(size),
          static_cast<std::uint32_t>(difference - (difference < 0)), size);
}

void put_run_and_value(BitWriter& out, const Codes& codes, int run, int value) {
  for (; run > 15; run -= 16) out.put(codes, sixteen_zeros);
  const int size = size_of(value);
  check_size(size, largest_ac_size);
  out.put(codes, static_cast<unsigned>(run << 4 | size),
          static_cast<std::uint32_t>(value - (value < 0)), size);
}

void put_block(BitWriter& out, const Codes& dc, const Codes& ac, const TurnedOrder& order,
               const JCOEF* block, int& last_dc) {
  out.begin_block();
  put_dc(out, dc, block[0] - last_dc);
  last_dc = block[0];
  int previous = 0;
  for (std::uint64_t left = order.at_least(block, 0) >> 1 << 1; left != 0; left &= left - 1) {
    const int k = std::countr_zero(left);
    put_run_and_value(out, ac, k - previous - 1, order.value(block, k));
    previous = k;
  }
  if (previous != DCTSIZE2 - 1) out.put(ac, 0);
  out.end_block();
}

// What fills a partial MCU: nothing but the DC value of the block before.
void put_dummy_block(BitWriter& out, const Codes& dc, const Codes& ac) {
  out.begin_block();
  out.put(dc, 0);
  out.put(ac, 0);
  out.end_block();
}

// Calls before_mcu(), and visit(scan's component, block) for each block of each MCU, in the order
// of the scan; block is null for one that only fills an MCU.
template <typename BeforeMcu, typename Visit>
void visit_blocks(const JpegPicture& picture, const std::vector<int>& components,
                  const std::vector<TurnedBlocks>& blocks, const std::atomic<bool>& stop,
                  BeforeMcu before_mcu, Visit visit) {
  const Size mcus = mcus_of(picture, components);
  const bool single = components.size() == 1;
  constexpr JDIMENSION ahead = 4;  // blocks; in a turn they lie in rows of their own
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
            if (is_there && column + ahead < from.width) {
              const JCOEF* later = from.block(column + ahead, row);
              __builtin_prefetch(later);
              __builtin_prefetch(later + DCTSIZE2 / 2);
            }
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
        out.put_restart(restarts.next_number());
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
  for (const JpegScanComponent& component : scan.components) codes.emplace_back(*component.dc);
  std::vector<int> last_dc(components.size(), 0);
  BitWriter out;
  out.reserve(scan.bytes + scan.bytes / 16);
  Restarts restarts(scan.restart_interval);
  std::vector<int> in_block_before(components.size(), 0);
  visit_blocks(
      picture, components, blocks, stop,
      [&] {
        if (!restarts.due()) return;
        out.put_restart(restarts.next_number());
        std::ranges::fill(last_dc, 0);
      },
      [&](std::size_t i, const JCOEF* block) {
        int& value = in_block_before[i];
        if (block) value = block[0];
        out.begin_block();
        if (scan.high == 0) {
          put_dc(out, codes[i], (value >> scan.low) - last_dc[i]);
          last_dc[i] = value >> scan.low;
        } else {
          out.put(static_cast<std::uint32_t>(value >> scan.low & 1), 1);
        }
        out.end_block();
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
    out_.reserve(scan.bytes + scan.bytes / 16);
  }

  int low() const { return low_; }
  bool refines() const { return refines_; }

  // `present` has the coefficients of which bits have been or are now coded, that is of at least
  // 1 << low.
  void put_first(const TurnedOrder& order, const JCOEF* block, std::uint64_t present) {
    begin_block();
    present &= band_;
    int previous = first_ - 1;
    if (present != 0) put_ended_blocks();
    for (; present != 0; present &= present - 1) {
      const int k = std::countr_zero(present);
      const int value = order.value(block, k);
      const int shifted = value < 0 ? -(-value >> low_) : value >> low_;
      put_run_and_value(out_, codes_, k - previous - 1, shifted);
      previous = k;
    }
    if (previous != last_) end_block_early();
    out_.end_block();
  }

  // `known` are those of which a higher bit is set, `set` those with this bit set. Each new one
  // comes with the bits of the known ones before it.
  void put_refinement(std::uint64_t present, std::uint64_t known, std::uint64_t set,
                      std::uint64_t negative) {
    begin_block();
    present &= band_;
    const std::uint64_t fresh = present & ~known;
    const int last_fresh = fresh == 0 ? -1 : 63 - std::countl_zero(fresh);
    std::uint64_t bits = 0;  // of known ones, not yet written
    int bit_count = 0, run = 0, previous = first_ - 1;
    const auto put_bits = [&] {
      put_long(bits, bit_count);
      bits = 0;
      bit_count = 0;
    };
    for (; present != 0; present &= present - 1) {
      const int k = std::countr_zero(present);
      run += k - previous - 1;
      previous = k;
      for (; run > 15 && k <= last_fresh; run -= 16) {
        put_ended_blocks();
        out_.put(codes_, sixteen_zeros);
        put_bits();
      }
      if (known >> k & 1) {
        bits = bits << 1 | (set >> k & 1);
        ++bit_count;
        continue;
      }
      put_ended_blocks();
      out_.put(codes_, static_cast<unsigned>(run << 4 | 1), negative >> k & 1 ? 0 : 1, 1);
      put_bits();
      run = 0;
    }
    if (previous != last_ || run > 0 || bit_count > 0) {
      for (int i = bit_count; i-- > 0;) waiting_bits_.push_back(bits >> i & 1);
      end_block_early();
    }
    out_.end_block();
  }

  JpegData take() {
    finish_band();
    return out_.take();
  }

 private:
  void begin_block() {
    if (restarts_.due()) {
      finish_band();
      out_.put_restart(restarts_.next_number());
    }
    out_.begin_block();
  }

  void finish_band() {
    out_.begin_block();
    put_ended_blocks();
    out_.end_block();
  }

  // Blocks that end early are counted, and coded together. Their waiting bits are bounded, so that
  // they fit in the room for a block.
  void end_block_early() {
    ++ended_blocks_;
    if (ended_blocks_ == longest_end_of_band || waiting_bits_.size() > 1000 - DCTSIZE2) {
      put_ended_blocks();
    }
  }

  void put_ended_blocks() {
    if (ended_blocks_ == 0) return;
    const int size = std::bit_width(ended_blocks_) - 1;
    out_.put(codes_, static_cast<unsigned>(size << 4), ended_blocks_, size);
    ended_blocks_ = 0;
    for (const bool bit : waiting_bits_) out_.put(bit, 1);
    waiting_bits_.clear();
  }

  void put_long(std::uint64_t bits, int count) {
    if (count > 32) {
      out_.put(static_cast<std::uint32_t>(bits >> 32), count - 32);
      count = 32;
    }
    out_.put(static_cast<std::uint32_t>(bits), count);
  }

  Codes codes_;
  std::uint64_t band_;
  int first_, last_, low_;
  bool refines_;
  Restarts restarts_;
  BitWriter out_;
  unsigned ended_blocks_ = 0;
  std::vector<unsigned char> waiting_bits_;  // one each
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
