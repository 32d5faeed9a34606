#include "src/formats/jpeg/metadata/extended_xmp.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "src/picture/bytes.hpp"

namespace qturn::jpeg {
namespace {

// RFC 1321, section 3.4: the integer part of 2^32 |sin(i)|.
const std::array<std::uint32_t, 64> sines = [] {
  std::array<std::uint32_t, 64> table{};
  for (int i = 0; i < 64; ++i) {
    table[i] = static_cast<std::uint32_t>(std::floor(std::abs(std::sin(i + 1.0)) * 4294967296.0));
  }
  return table;
}();

void add_block(std::array<std::uint32_t, 4>& state, const char* block) {
  constexpr int shifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  std::array<std::uint32_t, 16> words{};
  for (int i = 0; i < 64; ++i) {
    words[i / 4] |= std::uint32_t{static_cast<unsigned char>(block[i])} << 8 * (i % 4);
  }
  auto [a, b, c, d] = state;
  for (int i = 0; i < 64; ++i) {
    const int round = i / 16;
    const std::uint32_t mixed = round == 0   ? (b & c) | (~b & d)
                                : round == 1 ? (d & b) | (~d & c)
                                : round == 2 ? b ^ c ^ d
                                             : c ^ (b | ~d);
    constexpr int steps[] = {1, 5, 3, 7}, starts[] = {0, 1, 5, 0};
    const std::uint32_t sum = a + mixed + sines[i] + words[(steps[round] * i + starts[round]) % 16];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, shifts[round][i % 4]);
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

}  // namespace

std::string md5(std::string_view data) {
  std::array<std::uint32_t, 4> state = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};
  std::size_t at = 0;
  for (; data.size() - at >= 64; at += 64) add_block(state, data.data() + at);
  std::string rest(data.substr(at));
  rest += '\x80';
  while (rest.size() % 64 != 56) rest += '\0';
  for (int i = 0; i < 8; ++i) {
    rest += static_cast<char>(std::uint64_t{data.size()} * 8 >> 8 * i & 0xFF);
  }
  for (std::size_t i = 0; i < rest.size(); i += 64) add_block(state, rest.data() + i);
  std::string digits;
  for (const std::uint32_t word : state) {
    for (int i = 0; i < 4; ++i) digits += fmt::format("{:02X}", word >> 8 * i & 0xFF);
  }
  return digits;
}

ExtendedXmp read_extended_xmp(const std::vector<JpegSegment>& segments) {
  ExtendedXmp extended;
  for (const JpegSegment& segment : segments) {
    const std::string_view text = text_of(segment.payload);
    if (segment.marker != jpeg_marker::app1 || !text.starts_with(extended_xmp_signature) ||
        text.size() < extended_xmp_part_at) {
      continue;
    }
    const std::string_view name = text.substr(
        extended_xmp_signature.size(), extended_xmp_length_at - extended_xmp_signature.size());
    if (extended.parts.empty()) extended.name = name;
    extended.damaged |=
        name != extended.name ||
        big_endian(segment.payload, extended_xmp_length_at + 4, 4) != extended.packet.size();
    extended.packet += text.substr(extended_xmp_part_at);
    extended.parts.push_back(&segment);
  }
  return extended;
}

}  // namespace qturn::jpeg
