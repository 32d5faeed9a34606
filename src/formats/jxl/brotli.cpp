#include "src/formats/jxl/brotli.hpp"

#include <brotli/decode.h>
#include <fmt/format.h>

#include <array>
#include <memory>
#include <new>

namespace qturn::jxl {

std::optional<Bytes> decompress_brotli(std::span<const std::byte> data, std::uint64_t most) {
  const std::unique_ptr<BrotliDecoderState, decltype(&BrotliDecoderDestroyInstance)> decoder(
      BrotliDecoderCreateInstance(nullptr, nullptr, nullptr), BrotliDecoderDestroyInstance);
  if (!decoder) throw std::bad_alloc();
  std::size_t left = data.size();
  const auto* next = reinterpret_cast<const std::uint8_t*>(data.data());
  Bytes made;
  while (made.size() <= most) {
    std::array<std::uint8_t, 1 << 14> part;
    std::size_t room = part.size();
    std::uint8_t* to = part.data();
    const BrotliDecoderResult result =
        BrotliDecoderDecompressStream(decoder.get(), &left, &next, &room, &to, nullptr);
    const auto bytes = std::as_bytes(std::span(part).first(part.size() - room));
    made.insert(made.end(), bytes.begin(), bytes.end());
    if (result == BROTLI_DECODER_RESULT_SUCCESS) break;
    if (result != BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) return std::nullopt;
  }
  return made;
}

std::string brotli_library_version() {
  const std::uint32_t version = BrotliDecoderVersion();
  return fmt::format("libbrotli {}.{}.{}", version >> 24, version >> 12 & 0xFFF, version & 0xFFF);
}

}  // namespace qturn::jxl
