#include "src/formats/jpeg/reading/sequential_reader.hpp"
#include "src/formats/jpeg/file/huffman_table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "src/formats/jpeg/libjpeg/picture.hpp"
#include "src/formats/jpeg/writing/turned_blocks.hpp"

namespace qturn::jpeg {
namespace {

// Reads the codes between two markers, without a branch for each byte.

// The bits of entropy-coded data, without the zero that follows each 0xFF: one window of the data
// at a time, small enough for the cache of a core, so that readers never have to look for 0xFF.

class UnstuffedBits {
 public:
  /// Reads `data`, which must hold no marker.
  explicit UnstuffedBits(std::span<const std::byte> data) : rest_(data) { move_on(); }

  /// The 57 bits at `at`, the first one highest, and perhaps some more. After the end they are
  /// zero.
  std::uint64_t word(std::size_t at) const {
    std::uint64_t word;
    std::memcpy(&word, window_.data() + at / 8, sizeof word);
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
    return word << at % 8;
  }

  /// Where reading goes on, in bits from the beginning of the window.
  std::size_t at() const { return at_; }
  void go_to(std::size_t at) { at_ = at; }
  /// How many bytes of the window are data.
  std::size_t have() const { return have_; }

  /// Moves the window on if it is nearly used up. At least `ahead` bytes are ahead then, or the
  /// end and as many zeros.
  void move_on() {
    if (have_ < at_ / 8 + ahead && (!rest_.empty() || have_ == 0)) fill();
  }
  /// More than a block takes: 64 times 27 bits.
  static constexpr std::size_t ahead = 256;

  /// Bits between at() and the data's end if that is in the window; negative after it.
  std::int64_t left() const {
    return static_cast<std::int64_t>(8 * have_) - static_cast<std::int64_t>(at_);
  }
  bool end_is_near() const { return rest_.empty(); }

 private:
  static constexpr std::size_t size = 1 << 15;

  void fill();

  std::span<const std::byte> rest_;  ///< not in the window yet
  std::size_t at_ = 0, have_ = 0;
  std::array<std::byte, size + ahead + 16> window_;
};

// The codes of baseline data, looked up by the bits that come next.

/// What one code stands for.
struct JpegStep {
  std::uint8_t code = 0;     ///< its bits; 0: there is no such code
  std::uint8_t bits = 0;     ///< of code and value
  std::uint8_t advance = 0;  ///< coefficients, those that are zero included
  bool ends = false;         ///< the rest of the block is zero
};

constexpr unsigned jpeg_coefficients = 64;
constexpr unsigned jpeg_lookup_bits = 11;  ///< longer codes take a search

/// The codes of a table. Values that 8-bit samples cannot give have no code; a table that is not a
/// prefix code has none at all.
class JpegCodes {
 public:
  JpegCodes(const JpegHuffmanTable& table, bool dc);

  /// Looks up the step that the next 16 bits ask for.
  JpegStep find(unsigned next) const;

  /// Within a lookup of whose bits, at the top, `known` are known.
  JpegStep find_within(unsigned lookup, unsigned known) const;

 private:
  std::array<JpegStep, 1 << jpeg_lookup_bits> short_{};
  std::array<JpegStep, 256> steps_{};
  std::array<unsigned, 17> first_{}, count_{};
  std::array<std::size_t, 17> offset_{};
};

// The codes of sequential data with their values, two at a time where they are short.
//
// The length of a code is not known before the code is looked up, and the next code begins after
// it. So a lookup and a shift are the time that a code takes at least, whatever else is done beside
// them. Two codes in one lookup take half of it.

/// What the next bits stand for: one or two codes, in a word. The value after the last of them need
/// not be among the bits that were looked up; that after the first one is.
///
///     bits 0 to 5    how many bits they take
///     bits 8 to 13   63 less the bits of the last value
///     bits 16 to 21  where the last value begins
///     bits 24 to 31  how far from here the first coefficient is
///     bits 32 to 39  how far the last one is, which may be the same; or one of the below
///     bits 48 to 63  the first value, if it is not the last one
class JpegCodePair {
 public:
  static constexpr unsigned end_of_block = 128, not_found = 192;

  JpegCodePair() = default;
  /// One code.
  explicit JpegCodePair(JpegStep step) : JpegCodePair(0, step.advance, 0, step, step.advance) {}
  /// Some bits, whose last value is at `first` from here; then `last`.
  JpegCodePair(unsigned bits, unsigned first, std::int16_t value, JpegStep last, unsigned advance)
      : word_((bits + last.bits) | (63U + last.code - last.bits) << 8 | (bits + last.code) << 16 |
              first << 24 | std::uint64_t{advance} << 32 |
              static_cast<std::uint64_t>(static_cast<std::uint16_t>(value)) << 48) {}

  unsigned bits() const { return word_ & 63; }
  unsigned first() const { return word_ >> 24 & 0xFF; }
  unsigned last() const { return word_ >> 32 & 0xFF; }
  std::int16_t first_value() const { return static_cast<std::int16_t>(word_ >> 48); }

  /// The value of the last coefficient, if these are the next bits.
  std::int16_t last_value(std::uint64_t next) const {
    const std::uint64_t rest = next << (word_ >> 16 & 63);
    // A value whose first bit is zero is negative: its bits are the magnitude's, inverted.
    const auto negative = ~static_cast<std::uint64_t>(static_cast<std::int64_t>(rest) >> 63);
    const std::uint64_t magnitude = (rest ^ negative) >> 1 >> (word_ >> 8 & 63);
    return static_cast<std::int16_t>((magnitude ^ negative) - negative);
  }

 private:
  std::uint64_t word_ = std::uint64_t{not_found} << 32 | 1 << 24;
};

/// The codes of a table, one or two by the next bits.
class JpegCodePairs {
 public:
  JpegCodePairs(const JpegHuffmanTable& table, bool dc);

  /// Looks up the pair of codes that the next bits begin with. The first bit is the highest.
  JpegCodePair find(std::uint64_t next) const { return pairs_[next >> (64 - bits)]; }

  /// One code, however long it is.
  JpegStep find_one(std::uint64_t next) const {
    return codes_.find(static_cast<unsigned>(next >> 48));
  }

 private:
  // A table for 11 bits is no faster, and takes twice the room.
  static constexpr unsigned bits = 10;

  JpegCodePair pair(unsigned next, bool dc) const;
  JpegStep step(unsigned next, unsigned at) const;

  JpegCodes codes_;
  std::array<JpegCodePair, 1 << bits> pairs_;
};

/// The next bits, highest first. Whoever reads a block does so with a copy, which stays in
/// registers.
class JpegCodeCursor {
 public:
  /// A cursor begins at the source's at().
  explicit JpegCodeCursor(const UnstuffedBits& source) : source_(&source), next_(source.at() / 8) {
    refill();
    word_ <<= source.at() % 8;
    count_ -= source.at() % 8;
  }

  /// Loads bits until there are at least 56, which hold two codes with their values.
  void refill() {
    word_ |= source_->word(8 * next_) >> (count_ & 63);
    next_ += (~count_ & 63) >> 3;
    count_ |= 56;
  }

  JpegCodePair find(const JpegCodePairs& table) const { return table.find(word_); }
  JpegStep find_one(const JpegCodePairs& table) const { return table.find_one(word_); }

  /// Passes what `pair` stands for, and gives the last value.
  std::int16_t take(JpegCodePair pair) {
    const std::int16_t value = pair.last_value(word_);
    word_ <<= pair.bits();
    count_ -= pair.bits();
    return value;
  }

  /// The byte of the source's window that is to be loaded next.
  std::size_t next() const { return next_; }
  std::size_t at() const { return 8 * next_ - (count_ & 63); }

 private:
  const UnstuffedBits* source_;
  std::uint64_t word_ = 0, count_ = 0;  // only the lowest six bits of the count are right
  std::size_t next_;
};

/// The bits between two markers.
class JpegCodeReader {
 public:
  explicit JpegCodeReader(std::span<const std::byte> data) : source_(data), cursor_(source_) {
    find_enough();
  }
  JpegCodeReader(const JpegCodeReader&) = delete;
  JpegCodeReader& operator=(const JpegCodeReader&) = delete;

  /// Is called before each block. Returns false if the data has ended before it.
  bool begin_block() {
    if (cursor_.next() <= enough_) return true;
    source_.go_to(cursor_.at());
    source_.move_on();
    cursor_ = JpegCodeCursor(source_);
    find_enough();
    return source_.left() >= 0;
  }
  JpegCodeCursor cursor() const { return cursor_; }
  void end_block(const JpegCodeCursor& cursor) { cursor_ = cursor; }

  /// Whether less than a byte is left, which fills the last byte of the data.
  bool is_at_end() {
    source_.go_to(cursor_.at());
    return source_.end_is_near() && source_.left() >= 0 && source_.left() < 8;
  }

 private:
  // When the data ends, the cursor may still hold up to a word, with zeros after it.
  void find_enough() {
    const std::size_t have = source_.have();
    enough_ = source_.end_is_near() ? have + 8 : have - UnstuffedBits::ahead;
  }

  UnstuffedBits source_;
  JpegCodeCursor cursor_;
  std::size_t enough_ = 0;  // if the next byte is no later, a block's bits are in the window
};

// Sums of bytes in a byte, which compilers compute 16 at a time. One by one they would take a tenth
// of the whole time.
constexpr std::size_t some = 128;

const unsigned char* bytes_of(std::span<const std::byte> data) {
  return reinterpret_cast<const unsigned char*>(data.data());
}

// How much of `data` comes before its first marker.
std::size_t bytes_before_marker(std::span<const std::byte> data) {
  const unsigned char* const bytes = bytes_of(data);
  std::size_t at = 0;
  for (; at + some < data.size(); at += some) {
    unsigned char markers = 0;
    for (std::size_t i = at; i < at + some; ++i) {
      markers |= static_cast<unsigned char>(bytes[i] == 0xFF) &
                 static_cast<unsigned char>(bytes[i + 1] != 0);
    }
    if (markers != 0) break;
  }
  while (at < data.size() &&
         !(bytes[at] == 0xFF && (at + 1 == data.size() || bytes[at + 1] != 0))) {
    ++at;
  }
  return at;
}

void UnstuffedBits::fill() {
  const std::size_t used = std::min(at_ / 8, have_);
  have_ -= used;
  std::memmove(window_.data(), window_.data() + used, have_);
  at_ -= 8 * used;
  while (have_ < size && !rest_.empty()) {
    const std::size_t most = std::min(size - have_, rest_.size());
    const void* stuffed = std::memchr(rest_.data(), 0xFF, most);
    const std::size_t count =
        stuffed
            ? static_cast<std::size_t>(static_cast<const std::byte*>(stuffed) + 1 - rest_.data())
            : most;
    std::memcpy(window_.data() + have_, rest_.data(), count);
    have_ += count;
    rest_ = rest_.subspan(count + (stuffed ? 1 : 0));
  }
  std::memset(window_.data() + have_, 0, window_.size() - size);
}

// Values that are larger than 8-bit samples can give are damage too.
JpegStep step_of(bool dc, unsigned symbol, unsigned length) {
  const unsigned run = dc ? 0 : symbol >> 4, size = dc ? symbol : symbol & 15;
  if (size > (dc ? 11 : 10)) return {};
  if (!dc && size == 0 && symbol != 0 && symbol != 0xF0) return {};
  const bool ends = !dc && symbol == 0;
  return {static_cast<std::uint8_t>(length), static_cast<std::uint8_t>(length + size),
          static_cast<std::uint8_t>(ends ? 0 : run + 1), ends};
}

// As libjpeg has it: codes do not overlap, and no code is all ones.
bool is_prefix_code(const JpegHuffmanTable& table, bool dc) {
  unsigned code = 0, count = 0;
  for (unsigned length = 1; length <= 16; ++length, code <<= 1) {
    code += table.bits[length];
    count += table.bits[length];
    if (code >= 1U << length || count > table.symbols.size()) return false;
  }
  const auto used = std::span(table.symbols).first(count);
  return !dc || std::ranges::all_of(used, [](unsigned symbol) { return symbol < 16; });
}

JpegCodes::JpegCodes(const JpegHuffmanTable& table, bool dc) {
  if (!is_prefix_code(table, dc)) return;
  unsigned code = 0;
  std::size_t next = 0;
  for (unsigned length = 1; length <= 16; ++length, code <<= 1) {
    const unsigned count = table.bits[length];
    first_[length] = code;
    count_[length] = count;
    offset_[length] = next;
    for (unsigned i = 0; i < count; ++i, ++code, ++next) {
      steps_[next] = step_of(dc, table.symbols[next], length);
      if (length > jpeg_lookup_bits) continue;
      const unsigned shift = jpeg_lookup_bits - length;
      const std::size_t at = std::size_t{code} << shift;
      std::fill_n(short_.begin() + static_cast<std::ptrdiff_t>(at), 1 << shift, steps_[next]);
    }
  }
}

JpegStep JpegCodes::find(unsigned next) const {
  const JpegStep step = short_[next >> (16 - jpeg_lookup_bits)];
  if (step.code != 0) return step;
  for (unsigned length = jpeg_lookup_bits + 1; length <= 16; ++length) {
    const unsigned code = next >> (16 - length);
    if (code >= first_[length] && code - first_[length] < count_[length]) {
      return steps_[offset_[length] + code - first_[length]];
    }
  }
  return {};
}

JpegStep JpegCodes::find_within(unsigned lookup, unsigned known) const {
  const JpegStep step = short_[lookup % short_.size()];
  return step.code <= known ? step : JpegStep{};
}

JpegCodePairs::JpegCodePairs(const JpegHuffmanTable& table, bool dc) : codes_(table, dc) {
  for (unsigned next = 0; next < pairs_.size(); ++next) pairs_[next] = pair(next, dc);
}

JpegStep JpegCodePairs::step(unsigned next, unsigned at) const {
  return codes_.find_within(next << (jpeg_lookup_bits - bits + at), bits - at);
}

JpegCodePair JpegCodePairs::pair(unsigned next, bool dc) const {
  const JpegStep first = step(next, 0);
  if (first.code == 0) return {};
  if (first.ends) return {0, 1, 0, first, JpegCodePair::end_of_block};
  const JpegCodePair alone(first);
  if (dc || first.bits >= bits) return alone;
  const JpegStep second = step(next, first.bits);
  if (second.code == 0) return alone;
  const std::int16_t value = alone.last_value(std::uint64_t{next} << (64 - bits));
  return {first.bits, first.advance, value, second,
          second.ends ? JpegCodePair::end_of_block : first.advance + second.advance};
}

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

// Reads a block as libjpeg would; false if it cannot.
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
