#include "src/formats/jpeg/reading/code_reader.hpp"

#include <algorithm>
#include <span>

namespace qturn::jpeg {
namespace {

// Sums of bytes in a byte, which compilers compute 16 at a time. One by one they would take a tenth
// of the whole time.
constexpr std::size_t some = 128;

const unsigned char* bytes_of(std::span<const std::byte> data) {
  return reinterpret_cast<const unsigned char*>(data.data());
}

}  // namespace

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

std::size_t unstuffed_size(std::span<const std::byte> data) {
  const unsigned char* const bytes = bytes_of(data);
  std::size_t size = 0;
  for (std::size_t at = 0; at < data.size(); at += some) {
    const std::size_t count = std::min(some, data.size() - at);
    unsigned char zeros = 0;
    for (std::size_t i = at; i < at + count; ++i) {
      zeros = static_cast<unsigned char>(zeros + (bytes[i] == 0xFF));
    }
    size += count - zeros;
  }
  return size;
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
