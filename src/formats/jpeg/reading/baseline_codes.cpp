#include "src/formats/jpeg/reading/baseline_codes.hpp"

#include <algorithm>

namespace qturn {
namespace {

constexpr unsigned lookups = 1 << jpeg_lookup_bits;

// Values that are larger than 8-bit samples can give are damage too.
JpegStep step_of(bool dc, unsigned symbol, unsigned length) {
  const unsigned run = dc ? 0 : symbol >> 4, size = dc ? symbol : symbol & 15;
  if (size > (dc ? 11 : 10)) return {};
  if (!dc && size == 0 && symbol != 0 && symbol != 0xF0) return {};
  const bool ends = !dc && symbol == 0;
  return {static_cast<std::uint8_t>(length), static_cast<std::uint8_t>(length + size),
          static_cast<std::uint8_t>(ends ? 0 : run + 1), ends};
}

// As libjpeg has it: codes that do not overlap, and none of ones only.
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

JpegLeap leap_of(unsigned lookup, std::span<const JpegBlockCodes> mcu, unsigned block) {
  const unsigned next_block = (block + 1) % static_cast<unsigned>(mcu.size());
  unsigned bits = 0, advance = 0, next = 0;  // the coefficient of the next block; 0: not there yet
  while (bits < jpeg_lookup_bits) {
    const JpegBlockCodes& codes = mcu[next == 0 ? block : next_block];
    JpegStep step = codes.ac->find_within(lookup << bits, jpeg_lookup_bits - bits);
    if (step.ends) {
      if (next != 0 || bits + step.bits >= jpeg_lookup_bits) break;
      const unsigned known = jpeg_lookup_bits - bits - step.bits;
      const JpegStep dc = mcu[next_block].dc->find_within(lookup << bits << step.bits, known);
      if (dc.code == 0) break;
      step.bits = static_cast<std::uint8_t>(step.bits + dc.bits);
    }
    if (step.code == 0 || bits + step.bits > JpegLeap::most_bits) break;
    // The rest of a block that has not ended must fit into the fields of a leap.
    if ((next == 0 ? advance : next) + step.advance > jpeg_coefficients - 2) break;
    bits += step.bits;
    if (step.ends) {
      next = 1;
    } else {
      (next == 0 ? advance : next) += step.advance;
    }
  }
  if (bits == 0) return {};
  return next == 0 ? JpegLeap(bits, block, advance) : JpegLeap(bits, next_block, advance, next);
}

}  // namespace

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
  const JpegStep step = short_[lookup & (lookups - 1)];
  return step.code <= known ? step : JpegStep{};
}

std::vector<JpegLeap> jpeg_leaps(std::span<const JpegBlockCodes> mcu) {
  std::vector<JpegLeap> leaps;
  leaps.reserve(mcu.size() * lookups);
  for (unsigned block = 0; block < mcu.size(); ++block) {
    for (unsigned lookup = 0; lookup < lookups; ++lookup) {
      leaps.push_back(leap_of(lookup, mcu, block));
    }
  }
  return leaps;
}

}  // namespace qturn
