// Decompresses the beginning of a damaged zlib stream. libdeflate gives all of a stream or nothing.
// This is a hundred times as slow, and used only to salvage a picture.
#ifndef QTURN_SRC_FORMATS_PNG_PARTIAL_INFLATE_HPP
#define QTURN_SRC_FORMATS_PNG_PARTIAL_INFLATE_HPP

#include <cstddef>
#include <cstdint>
#include <span>

namespace qturn::png {

/// Decompresses `stream` into `to`, as far as it goes and makes sense, and returns how many bytes
/// that gave. Checksums are not compared.
std::size_t inflate_beginning(std::span<const std::byte> stream, std::span<std::uint8_t> to);

}  // namespace qturn::png

#endif  // QTURN_SRC_FORMATS_PNG_PARTIAL_INFLATE_HPP
