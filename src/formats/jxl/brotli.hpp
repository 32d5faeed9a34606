// Brotli, by its own library, as JPEG XL's containers have boxes compressed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "src/picture/bytes.hpp"

namespace qturn::jxl {

/// What `data` is decompressed to; nothing if it is damaged. If that is more than `most` bytes, it
/// ends somewhere after them.
std::optional<Bytes> decompress_brotli(std::span<const std::byte> data, std::uint64_t most);

/// "libbrotli 1.0.9".
std::string brotli_library_version();

}  // namespace qturn::jxl
