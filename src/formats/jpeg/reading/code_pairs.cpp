#include "src/formats/jpeg/reading/code_pairs.hpp"

namespace qturn::jpeg {

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

}  // namespace qturn::jpeg
