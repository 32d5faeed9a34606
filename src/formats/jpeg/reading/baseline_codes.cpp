#include "src/formats/jpeg/reading/baseline_codes.hpp"

#include <algorithm>
#include <span>

namespace qturn::jpeg {
namespace {

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
  const JpegStep step = short_[lookup % short_.size()];
  return step.code <= known ? step : JpegStep{};
}

}  // namespace qturn::jpeg
