#include "src/jpeg/bit_reader.hpp"

namespace qturn {

HuffmanSymbols::HuffmanSymbols(const JpegHuffmanTable& table) {
  std::uint32_t code = 0;
  std::size_t symbol = 0;
  for (int length = 1; length <= longest; ++length, code <<= 1) {
    first_code_[length] = code;
    first_symbol_[length] = symbol;
    for (int i = 0; i < table.bits[static_cast<std::size_t>(length)]; ++i, ++code, ++symbol) {
      if (code >> length != 0 || symbol >= symbols_.size()) {
        valid_ = false;
        return;
      }
      symbols_[symbol] = table.symbols[symbol];
      if (length > short_bits) continue;
      const std::uint32_t begin = code << (short_bits - length);
      std::fill_n(short_.begin() + begin, std::size_t{1} << (short_bits - length),
                  static_cast<std::uint16_t>(length << 8 | table.symbols[symbol]));
    }
    end_code_[length] = code;
  }
}

bool BitReader::open(std::span<const std::byte> data) {
  auto* out = reinterpret_cast<std::byte*>(bytes_.get());
  for (std::size_t at = 0; at < data.size();) {
    const void* found = std::memchr(data.data() + at, 0xFF, data.size() - at);
    if (!found) {
      out = std::copy(data.begin() + static_cast<std::ptrdiff_t>(at), data.end(), out);
      break;
    }
    const std::size_t end =
        static_cast<std::size_t>(static_cast<const std::byte*>(found) - data.data()) + 1;
    if (end >= data.size() || data[end] != std::byte{0}) return false;
    out = std::copy_n(data.data() + at, end - at, out);
    at = end + 1;
  }
  end_ = reinterpret_cast<unsigned char*>(out);
  std::fill_n(end_, block_reach, static_cast<unsigned char>(0));
  at_ = bytes_.get();
  bits_ = 0;
  count_ = 0;
  return true;
}

}  // namespace qturn
