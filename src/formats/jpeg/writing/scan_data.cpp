#include "src/formats/jpeg/writing/scan_data.hpp"

#include <algorithm>
#include <functional>

#include "src/formats/jpeg/file/huffman_table.hpp"
#include "src/formats/jpeg/writing/ac_scans.hpp"

namespace qturn::jpeg {
namespace {

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

}  // namespace

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

}  // namespace qturn::jpeg
