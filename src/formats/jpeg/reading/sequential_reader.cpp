#include "src/formats/jpeg/reading/sequential_reader.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "src/formats/jpeg/libjpeg/picture.hpp"
#include "src/formats/jpeg/reading/code_reader.hpp"
#include "src/formats/jpeg/writing/turned_blocks.hpp"

namespace qturn::jpeg {
namespace {

constexpr unsigned last_coefficient = jpeg_coefficients - 1;

/// A component of the scan.
struct Component {
  const JpegCodePairs* dc;
  const JpegCodePairs* ac;
  unsigned h, v;  ///< blocks in an MCU
  const JpegBlockArray* blocks;
  int last_dc = 0;
};

/// Where coefficient k lies in a block. One beyond the last is damage, which is found a little
/// later.
constexpr auto places = [] {
  std::array<std::uint8_t, 2 * jpeg_coefficients> found{};
  found.fill(zigzag[last_coefficient]);
  std::ranges::copy(zigzag, found.begin());
  return found;
}();

// As libjpeg would read it, or false.
bool read_block(JpegCodeReader& bits, Component& component, JCOEF* block) {
  if (!bits.begin_block()) return false;
  JpegCodeCursor in = bits.cursor();
  in.refill();
  JpegCodePair pair = in.find(*component.dc);
  if (pair.last() == JpegCodePair::not_found) {
    const JpegStep step = in.find_one(*component.dc);
    if (step.code == 0) return false;
    pair = JpegCodePair(step);
  }
  component.last_dc += in.take(pair);
  block[0] = static_cast<JCOEF>(component.last_dc);
  if (block[0] != component.last_dc) return false;

  unsigned k = 0;
  const auto take_some = [&] {
    pair = in.find(*component.ac);
    block[places[k + pair.first()]] = pair.first_value();
    if (k + pair.last() >= last_coefficient) return false;
    k += pair.last();
    block[zigzag[k]] = in.take(pair);
    return true;
  };
  while (true) {
    in.refill();
    bool goes_on = take_some();
    if (goes_on) goes_on = take_some();
    if (goes_on) continue;
    if (pair.last() == JpegCodePair::end_of_block && k + pair.first() < last_coefficient) {
      in.take(pair);
      break;
    }
    // A long code, the last coefficients, or damage: one code.
    in.refill();
    const JpegStep step = in.find_one(*component.ac);
    if (step.code == 0) return false;
    const JCOEF value = in.take(JpegCodePair(step));
    if (step.ends) break;
    k += step.advance;
    if (k > last_coefficient) return false;
    block[zigzag[k]] = value;
    if (k == last_coefficient) break;
  }
  bits.end_block(in);
  return true;
}

/// The data of a scan, between its restart markers.
class Segments {
 public:
  Segments(std::span<const std::byte> data, unsigned interval)
      : rest_(data), interval_(interval), left_(interval) {
    begin();
  }

  /// The bits of the next MCU; nothing if a restart marker is due and is not there.
  JpegCodeReader* next_mcu(std::vector<Component>& components) {
    if (interval_ == 0) return &*bits_;
    if (left_ == 0) {
      const auto expected = static_cast<unsigned char>(jpeg_marker::rst0 + number_);
      if (!end(expected)) return nullptr;
      number_ = (number_ + 1) % 8;
      left_ = interval_;
      begin();
      for (Component& component : components) component.last_dc = 0;
    }
    --left_;
    return &*bits_;
  }

  /// Whether the data before a marker is used up, and this marker follows.
  bool end(unsigned char marker) {
    if (!bits_->is_at_end()) return false;
    if (rest_.size() < 2 || rest_[1] != std::byte{marker}) return false;
    rest_ = rest_.subspan(2);
    return true;
  }

  std::size_t left() const { return rest_.size(); }

 private:
  void begin() {
    const std::size_t size = bytes_before_marker(rest_);
    bits_.emplace(rest_.first(size));
    rest_ = rest_.subspan(size);
  }

  std::span<const std::byte> rest_;
  const unsigned interval_;
  unsigned left_, number_ = 0;
  std::optional<JpegCodeReader> bits_;
};

bool read_row(Segments& segments, std::vector<Component>& components, JDIMENSION mcus,
              JDIMENSION row) {
  // All at once: for a block alone the processor would read what is then overwritten.
  for (const Component& component : components) {
    std::memset(component.blocks->row_starts[row * component.v], 0,
                std::size_t{component.v} * component.blocks->blocks_per_row * sizeof(JBLOCK));
  }
  for (JDIMENSION mcu = 0; mcu < mcus; ++mcu) {
    JpegCodeReader* in = segments.next_mcu(components);
    if (!in) return false;
    for (Component& component : components) {
      for (unsigned y = 0; y < component.v; ++y) {
        JBLOCK* blocks = component.blocks->row_starts[row * component.v + y] + mcu * component.h;
        for (unsigned x = 0; x < component.h; ++x) {
          if (!read_block(*in, component, blocks[x])) return false;
        }
      }
    }
  }
  return true;
}

// Whether the picture is one scan that this reads, with all that it needs.
bool is_readable(const JpegDecoder& decoder) {
  const jpeg_decompress_struct& info = decoder.info;
  if (info.progressive_mode || info.arith_code || info.data_precision != 8) return false;
  if (info.comps_in_scan != info.num_components || decoder.file.scans.size() != 1) return false;
  if (info.Ss != 0 || info.Se != DCTSIZE2 - 1 || info.Ah != 0 || info.Al != 0) return false;
  int blocks = 0;
  for (int i = 0; i < info.num_components; ++i) {
    const jpeg_component_info& component = info.comp_info[i];
    if (info.cur_comp_info[i] != &component) return false;
    const auto is_slot = [](int slot) { return slot >= 0 && slot < NUM_HUFF_TBLS; };
    if (!is_slot(component.quant_tbl_no) || !info.quant_tbl_ptrs[component.quant_tbl_no] ||
        !is_slot(component.dc_tbl_no) || !info.dc_huff_tbl_ptrs[component.dc_tbl_no] ||
        !is_slot(component.ac_tbl_no) || !info.ac_huff_tbl_ptrs[component.ac_tbl_no]) {
      return false;
    }
    blocks += component.h_samp_factor * component.v_samp_factor;
  }
  if (info.num_components > 1 && blocks > D_MAX_BLOCKS_IN_MCU) return false;
  // Where libjpeg and our own walk over the markers agree about the scan.
  const std::byte* data = decoder.file.bytes.data() + decoder.file.scans.front().data_at;
  return reinterpret_cast<const std::byte*>(info.src->next_input_byte) == data;
}

std::vector<JpegBlockArray> sizes_of(const jpeg_decompress_struct& info) {
  std::vector<JpegBlockArray> sizes;
  for (int i = 0; i < info.num_components; ++i) {
    const jpeg_component_info& component = info.comp_info[i];
    const auto padded = [](JDIMENSION size, int factor) {
      const auto step = static_cast<JDIMENSION>(factor);
      return (size + step - 1) / step * step;
    };
    sizes.push_back({.blocks_per_row = padded(component.width_in_blocks, component.h_samp_factor),
                     .rows = padded(component.height_in_blocks, component.v_samp_factor)});
  }
  return sizes;
}

/// Tables that several components share are made once.
class Tables {
 public:
  const JpegCodePairs* of(const JHUFF_TBL* table, bool dc) {
    auto& made = made_[dc ? 1 : 0];
    auto found = std::ranges::find(made, table, &Made::from);
    if (found != made.end()) return found->table.get();
    made.push_back({table, std::make_unique<JpegCodePairs>(huffman_table_of(*table), dc)});
    return made.back().table.get();
  }

 private:
  struct Made {
    const JHUFF_TBL* from;
    std::unique_ptr<JpegCodePairs> table;
  };
  std::array<std::vector<Made>, 2> made_;
};

bool read_scan(const JpegDecoder& decoder, const JpegBlocks& blocks) {
  const jpeg_decompress_struct& info = decoder.info;
  const bool alone = info.num_components == 1;  // then an MCU is a block
  Tables tables;
  std::vector<Component> components;
  std::vector<int> numbers;
  for (int i = 0; i < info.num_components; ++i) {
    const jpeg_component_info& from = info.comp_info[i];
    components.push_back({.dc = tables.of(info.dc_huff_tbl_ptrs[from.dc_tbl_no], true),
                          .ac = tables.of(info.ac_huff_tbl_ptrs[from.ac_tbl_no], false),
                          .h = alone ? 1U : static_cast<unsigned>(from.h_samp_factor),
                          .v = alone ? 1U : static_cast<unsigned>(from.v_samp_factor),
                          .blocks = &blocks.component(i)});
    numbers.push_back(i);
  }
  const Size mcus = mcus_of(layout_of(info), numbers);
  const auto data = decoder.file.bytes.subspan(decoder.file.scans.front().data_at);
  const auto segments = std::make_unique<Segments>(data, info.restart_interval);
  for (std::int64_t row = 0; row < mcus.height; ++row) {
    if (decoder.errors.stop && decoder.errors.stop->load(std::memory_order_relaxed)) {
      throw Interrupted();
    }
    const bool whole = with_best_bits([&](auto) {
      return read_row(*segments, components, static_cast<JDIMENSION>(mcus.width),
                      static_cast<JDIMENSION>(row));
    });
    if (!whole) return false;
  }
  return segments->end(jpeg_marker::eoi) && segments->left() == decoder.file.trailing_data().size();
}

}  // namespace

bool read_sequential(JpegDecoder& decoder, JpegBlocks& blocks) {
  if (!is_readable(decoder)) return false;
  jpeg_decompress_struct& info = decoder.info;
  try {
    blocks.lay_out(sizes_of(info));
  } catch (const std::bad_alloc&) {
    return false;  // as libjpeg says it
  }
  if (!read_scan(decoder, blocks)) return false;
  for (int i = 0; i < info.num_components; ++i) {
    info.comp_info[i].quant_table = info.quant_tbl_ptrs[info.comp_info[i].quant_tbl_no];
  }
  return true;
}

}  // namespace qturn::jpeg
