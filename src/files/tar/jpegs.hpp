// How many bytes of JPEGs a tar may have, before it is read.
#pragma once

#include <cstdint>
#include <filesystem>

namespace qturn {

/// The size of the file, as it is or compressed, if there is a JPEG among its first members; 0 if
/// there is none, or if they cannot be read. All that a pipe may give, which cannot be looked at.
std::uint64_t jpeg_bytes_at_most(const std::filesystem::path& tar);

}  // namespace qturn
