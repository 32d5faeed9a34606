#include "src/formats/jpeg/writing/writer.hpp"
#include "kernels/jpeg/src/scans.hpp"
#include "src/formats/jpeg/libjpeg/picture.hpp"
#include "src/formats/jpeg/writing/bit_writer.hpp"
#include "src/formats/jpeg/writing/turned_blocks.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "src/formats/jpeg/file/huffman_table.hpp"

namespace qturn::jpeg {
namespace {

// Huffman coding of turned blocks, in one pass over them.
//
// Sequential scans interleave components, and so may the DC coefficients of progressive ones.

// The scans of a progressive picture that hold AC coefficients.
//
// They visit the same blocks many times, each for a few bits. But each holds only one component. So
// all scans of a component are written at once, each into its own bytes: a block is looked at once,
// and each scan needs only a few sets of its coefficients.

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

  // `present` has the coefficients with bits that are coded now or before, that is with a magnitude
  // of at least 1 << low.
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

  // `known`: the coefficients with a higher bit set. `set`: those with this bit set. Each new one
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

// The data of all `scans` of AC coefficients of one component, with `blocks` read in `order`.
// Throws as code_scans().
std::vector<JpegData> code_ac_scans(std::span<const JpegScan* const> scans,
                                    const TurnedBlocks& blocks, const TurnedOrder& order,
                                    const std::atomic<bool>& stop) {
  return with_best_bits(
      [&]<class SetBits>(SetBits) { return code<SetBits>(scans, blocks, order, stop); });
}

template <class Writer, class Codes>
void put_block(Writer& writer, Codes& dc, Codes& ac, const TurnedOrder& order, const JCOEF* block,
               int& last_dc) {
  auto out = writer.begin_block();
  put_dc(out, dc, block[0] - last_dc);
  last_dc = block[0];
  int previous = 0;
  std::uint64_t left = order.at_least(block, 0) & coefficients_from(1);
  while (left != 0) {
    const int k = first_coefficient(left);
    left &= ~coefficient_bit(k);
    put_run_and_value(out, ac, k - previous - 1, order.value(block, k));
    previous = k;
  }
  if (previous != DCTSIZE2 - 1) out.put(ac, 0);
  writer.end_block(out);
}

// Fills a partial MCU: only the DC value of the block before.
template <class Writer, class Codes>
void put_dummy_block(Writer& writer, Codes& dc, Codes& ac) {
  auto out = writer.begin_block();
  out.put(dc, 0);
  out.put(ac, 0);
  writer.end_block(out);
}

// Calls before_mcu(), and visit(scan's component, block) for each block of each MCU, in the order
// of the scan; block is null for one that only fills an MCU. Takes every `row_step`th row of MCUs.
template <typename BeforeMcu, typename Visit>
void visit_blocks(const JpegPicture& picture, const std::vector<int>& components,
                  const std::vector<TurnedBlocks>& blocks, JDIMENSION row_step,
                  const std::atomic<bool>& stop, BeforeMcu before_mcu, Visit visit) {
  const Size mcus = mcus_of(picture, components);
  const bool single = components.size() == 1;
  for (JDIMENSION y = 0; y < mcus.height; y += row_step) {
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
            if (is_there) from.expect(column, row);
            visit(i, is_there ? from.block(column, row) : nullptr);
          }
        }
      }
    }
  }
}

// Writes a scan whose DC coefficients are coded as differences: calls visit(scan's component, its
// last DC value, block) as visit_blocks does.
template <class Writer, typename Visit>
void code_scan(Writer& out, const JpegPicture& picture, const JpegScan& scan,
               const std::vector<TurnedBlocks>& blocks, JDIMENSION row_step,
               const std::atomic<bool>& stop, Visit visit) {
  const std::vector<int> components = components_of(picture, scan);
  std::vector<int> last_dc(components.size(), 0);
  Restarts restarts(scan.restart_interval);
  visit_blocks(
      picture, components, blocks, row_step, stop,
      [&] {
        if (!restarts.due()) return;
        out.put_restart();
        std::ranges::fill(last_dc, 0);
      },
      [&](std::size_t i, const JCOEF* block) { visit(i, last_dc[i], block); });
}

// `dc` and `ac` are for each of the scan's components: HuffmanCodes for a BitWriter, or counts for
// a SymbolCounter.
template <class Writer, class Codes>
void code_sequential(Writer& out, std::vector<Codes>& dc, std::vector<Codes>& ac,
                     const JpegPicture& picture, const JpegScan& scan,
                     const std::vector<TurnedBlocks>& blocks, JDIMENSION row_step,
                     const TurnedOrder& order, const std::atomic<bool>& stop) {
  code_scan(out, picture, scan, blocks, row_step, stop,
            [&](std::size_t i, int& last_dc, const JCOEF* block) {
              if (block) {
                put_block(out, dc[i], ac[i], order, block, last_dc);
              } else {
                put_dummy_block(out, dc[i], ac[i]);
              }
            });
}

BitWriter writer_for(const JpegScan& scan) {
  BitWriter out;
  out.reserve(scan.bytes + scan.bytes / 16);
  return out;
}

JpegData code_sequential(const JpegPicture& picture, const JpegScan& scan,
                         const std::vector<TurnedBlocks>& blocks, const TurnedOrder& order,
                         const std::atomic<bool>& stop) {
  std::vector<HuffmanCodes> dc, ac;
  for (const JpegScanComponent& component : scan.components) {
    dc.emplace_back(*component.dc);
    ac.emplace_back(*component.ac);
  }
  BitWriter out = writer_for(scan);
  code_sequential(out, dc, ac, picture, scan, blocks, 1, order, stop);
  return out.take();
}

JpegData code_dc(const JpegPicture& picture, const JpegScan& scan,
                 const std::vector<TurnedBlocks>& blocks, const std::atomic<bool>& stop) {
  std::vector<HuffmanCodes> codes;
  if (scan.high == 0) {  // what refines has no codes, only bits
    for (const JpegScanComponent& component : scan.components) codes.emplace_back(*component.dc);
  }
  std::vector<int> in_block_before(scan.components.size(), 0);
  BitWriter out = writer_for(scan);
  code_scan(out, picture, scan, blocks, 1, stop,
            [&](std::size_t i, int& last_dc, const JCOEF* block) {
              int& value = in_block_before[i];
              if (block) value = block[0];
              BitCursor cursor = out.begin_block();
              if (scan.high == 0) {
                put_dc(cursor, codes[i], (value >> scan.low) - last_dc);
                last_dc = value >> scan.low;
              } else {
                cursor.put(static_cast<std::uint32_t>(value >> scan.low & 1), 1);
              }
              out.end_block(cursor);
            });
  return out.take();
}

// Rows of MCUs whose symbols are counted. With all rows of a photograph of 12 MP its file would be
// no smaller, and encoding would take a fifth longer.
constexpr std::int64_t enough_rows = 32;

void add(JpegSymbolCounts& sum, const JpegSymbolCounts& counts) {
  std::ranges::transform(sum, counts, sum.begin(), std::plus{});
}

// Gives the scans of a sequential picture the tables that code its blocks in the fewest bits. Of a
// large picture only some rows are counted. Throws as code_scans.
void fit_tables(JpegPicture& picture, const std::vector<TurnedBlocks>& blocks,
                const TurnedOrder& order, const std::atomic<bool>& stop) {
  for (JpegScan& scan : picture.scans) {
    const Size mcus = mcus_of(picture, components_of(picture, scan));
    const auto row_step =
        static_cast<JDIMENSION>(std::max<std::int64_t>(1, mcus.height / enough_rows));
    std::vector<JpegSymbolCounts> dc(scan.components.size()), ac(scan.components.size());
    with_best_bits([&](auto) {
      SymbolCounter counter;
      code_sequential(counter, dc, ac, picture, scan, blocks, row_step, order, stop);
    });
    for (JpegScanComponent& component : scan.components) {
      JpegSymbolCounts dc_sum{}, ac_sum{};
      for (std::size_t i = 0; i < scan.components.size(); ++i) {
        if (scan.components[i].dc_slot == component.dc_slot) add(dc_sum, dc[i]);
        if (scan.components[i].ac_slot == component.ac_slot) add(ac_sum, ac[i]);
      }
      component.dc = best_table(dc_sum);
      component.ac = best_table(ac_sum);
      if (row_step == 1) continue;
      component.dc = complete(*component.dc, JpegSymbols::dc);
      component.ac = complete(*component.ac, JpegSymbols::ac);
    }
  }
}

// The data of every scan of `picture`, whose scans have complete tables, with `blocks` for its
// components, read in `order`.
//
// Throws ImageFileError for coefficients that 8-bit JPEG does not have; Interrupted when `stop` is
// raised.
std::vector<JpegData> code_scans(const JpegPicture& picture,
                                 const std::vector<TurnedBlocks>& blocks, const TurnedOrder& order,
                                 const std::atomic<bool>& stop) {
  std::vector<JpegData> data(picture.scans.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const JpegScan& scan = picture.scans[i];
    if (!picture.progressive) {
      data[i] =
          with_best_bits([&](auto) { return code_sequential(picture, scan, blocks, order, stop); });
    } else if (scan.first == 0) {
      data[i] = code_dc(picture, scan, blocks, stop);
    }
  }
  if (!picture.progressive) return data;

  for (int component = 0; component < static_cast<int>(blocks.size()); ++component) {
    std::vector<const JpegScan*> scans;
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < picture.scans.size(); ++i) {
      const JpegScan& scan = picture.scans[i];
      if (scan.first == 0 || components_of(picture, scan).front() != component) continue;
      scans.push_back(&scan);
      numbers.push_back(i);
    }
    if (scans.empty()) continue;
    std::vector<JpegData> of_scans =
        code_ac_scans(scans, blocks[static_cast<std::size_t>(component)], order, stop);
    for (std::size_t i = 0; i < scans.size(); ++i) data[numbers[i]] = std::move(of_scans[i]);
  }
  return data;
}

using namespace jpeg_marker;

class SegmentWriter {
 public:
  explicit SegmentWriter(Bytes& file) : file_(file) {}

  void put8(unsigned value) { file_.push_back(static_cast<std::byte>(value & 0xFF)); }
  void put16(unsigned value) {
    put8(value >> 8);
    put8(value);
  }
  void put(std::span<const std::byte> bytes) {
    file_.insert(file_.end(), bytes.begin(), bytes.end());
  }
  void marker(int code) {
    put8(0xFF);
    put8(static_cast<unsigned>(code));
  }
  void segment(int code, std::size_t payload_bytes) {
    marker(code);
    put16(static_cast<unsigned>(payload_bytes + 2));
  }

 private:
  Bytes& file_;
};

bool is_16_bit(const JpegTable& table) {
  return std::ranges::any_of(table, [](UINT16 step) { return step > 255; });
}

void put_quantisation(SegmentWriter& out, const JpegPicture& picture) {
  std::vector<int> written;
  for (const JpegComponent& component : picture.components) {
    if (std::ranges::find(written, component.slot) != written.end()) continue;
    written.push_back(component.slot);
    const bool wide = is_16_bit(component.table);
    out.segment(dqt, 1 + DCTSIZE2 * (wide ? 2 : 1));
    out.put8(static_cast<unsigned>((wide ? 16 : 0) + component.slot));
    for (const std::uint8_t at : zigzag) {
      if (wide) {
        out.put16(component.table[at]);
      } else {
        out.put8(component.table[at]);
      }
    }
  }
}

void put_frame(SegmentWriter& out, const JpegPicture& picture) {
  // Baseline has two Huffman tables of each kind, and quantisation in 8 bits.
  const bool extended =
      std::ranges::any_of(picture.components, is_16_bit, &JpegComponent::table) ||
      std::ranges::any_of(picture.scans, [](const JpegScan& scan) {
        return std::ranges::any_of(scan.components, [](const JpegScanComponent& component) {
          return component.dc_slot > 1 || component.ac_slot > 1;
        });
      });
  out.segment(picture.progressive ? sof2
              : extended          ? sof1
                                  : sof0,
              6 + 3 * picture.components.size());
  out.put8(8);
  out.put16(picture.height);
  out.put16(picture.width);
  out.put8(static_cast<unsigned>(picture.components.size()));
  for (const JpegComponent& component : picture.components) {
    out.put8(static_cast<unsigned>(component.id));
    out.put8(static_cast<unsigned>(component.h << 4 | component.v));
    out.put8(static_cast<unsigned>(component.slot));
  }
}

void put_codes(SegmentWriter& out, unsigned kind_and_slot, const JpegHuffmanTable& table) {
  const std::size_t count = table.symbol_count();
  out.segment(dht, 17 + count);
  out.put8(kind_and_slot);
  for (std::size_t length = 1; length <= 16; ++length) out.put8(table.bits[length]);
  for (std::size_t i = 0; i < count; ++i) out.put8(table.symbols[i]);
}

bool needs_dc(const JpegPicture& picture, const JpegScan& scan) {
  return scan.first == 0 && !(picture.progressive && scan.high != 0);
}

bool needs_ac(const JpegPicture& picture, const JpegScan& scan) {
  return !picture.progressive || scan.first != 0;
}

// Each scan's tables with all codes that a turned picture may need.
void complete_tables(JpegPicture& picture) {
  for (JpegScan& scan : picture.scans) {
    const JpegSymbols ac = !picture.progressive ? JpegSymbols::ac
                           : scan.high == 0     ? JpegSymbols::ac_first
                                                : JpegSymbols::ac_refined;
    for (JpegScanComponent& component : scan.components) {
      if (needs_dc(picture, scan)) {
        component.dc = complete(component.dc.value_or(JpegHuffmanTable{}), JpegSymbols::dc);
      }
      if (needs_ac(picture, scan)) {
        component.ac = complete(component.ac.value_or(JpegHuffmanTable{}), ac);
      }
    }
  }
}

void put_scan_header(SegmentWriter& out, const JpegPicture& picture, const JpegScan& scan) {
  out.segment(sos, 4 + 2 * scan.components.size());
  out.put8(static_cast<unsigned>(scan.components.size()));
  for (const JpegScanComponent& component : scan.components) {
    out.put8(static_cast<unsigned>(component.id));
    const int dc = needs_dc(picture, scan) ? component.dc_slot : 0;
    const int ac = needs_ac(picture, scan) ? component.ac_slot : 0;
    out.put8(static_cast<unsigned>(dc << 4 | ac));
  }
  out.put8(static_cast<unsigned>(scan.first));
  out.put8(static_cast<unsigned>(scan.last));
  out.put8(static_cast<unsigned>(scan.high << 4 | scan.low));
}

/// A file up to the data of a scan, one scan after the other.
class FileWriter {
 public:
  /// `file` and `picture` must outlive this.
  FileWriter(Bytes& file, const JpegPicture& picture) : out_(file), picture_(picture) {
    out_.marker(soi);
    for (const JpegMarker& marker : picture.markers) {
      out_.segment(marker.code, marker.data.size());
      out_.put(marker.data);
    }
    put_quantisation(out_, picture);
    put_frame(out_, picture);
  }

  void begin_scan(const JpegScan& scan) {
    for (const JpegScanComponent& component : scan.components) {
      if (needs_dc(picture_, scan)) define(0, component.dc_slot, *component.dc);
      if (needs_ac(picture_, scan)) define(1, component.ac_slot, *component.ac);
    }
    if (scan.restart_interval != restart_interval_) {
      restart_interval_ = scan.restart_interval;
      out_.segment(dri, 2);
      out_.put16(restart_interval_);
    }
    put_scan_header(out_, picture_, scan);
  }

  void end() { out_.marker(eoi); }

 private:
  void define(int kind, int slot, const JpegHuffmanTable& table) {
    const auto which = static_cast<unsigned>(kind << 4 | slot);
    const auto found = defined_.find(which);
    if (found != defined_.end() && found->second == table) return;
    defined_[which] = table;
    put_codes(out_, which, table);
  }

  SegmentWriter out_;
  const JpegPicture& picture_;
  std::map<unsigned, JpegHuffmanTable> defined_;
  unsigned restart_interval_ = 0;
};

std::size_t marker_bytes(const JpegPicture& picture) {
  std::size_t bytes = 0;
  for (const JpegMarker& marker : picture.markers) bytes += 4 + marker.data.size();
  return bytes;
}

}  // namespace

JpegPicture written_picture(const JpegPicture& stored, Orientation orientation) {
  JpegPicture picture = turned(stored, orientation);
  complete_tables(picture);
  return picture;
}

Bytes header_before_scan(const JpegPicture& picture) {
  Bytes file;
  file.reserve(marker_bytes(picture) + 4096);
  FileWriter(file, picture).begin_scan(picture.scans.front());
  return file;
}

Bytes write_jpeg(const JpegPicture& stored, const JpegBlocks& blocks, Orientation orientation,
                 JpegTables tables, const std::atomic<bool>& stop) {
  JpegPicture picture = turned(stored, orientation);
  std::vector<TurnedBlocks> components;
  for (std::size_t i = 0; i < stored.components.size(); ++i) {
    components.push_back(turned_blocks(blocks.component(static_cast<int>(i)),
                                       stored.components[i].width_in_blocks,
                                       stored.components[i].height_in_blocks, orientation));
  }
  const TurnedOrder& order = TurnedOrder::of(orientation);
  if (tables == JpegTables::fitted && !picture.progressive) {
    fit_tables(picture, components, order, stop);
  } else {
    complete_tables(picture);
  }
  const std::vector<JpegData> data = code_scans(picture, components, order, stop);

  std::size_t size = 4096 + marker_bytes(picture);
  for (const JpegData& of_scan : data) size += 1024 + of_scan.size() + of_scan.size() / 64;
  Bytes file;
  file.reserve(size);
  FileWriter writer(file, picture);
  for (std::size_t i = 0; i < data.size(); ++i) {
    writer.begin_scan(picture.scans[i]);
    data[i].append_to(file);
  }
  writer.end();
  return file;
}

}  // namespace qturn::jpeg
