// A file that may be too large for the memory, read part by part.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

#include "src/files/safe_file.hpp"

namespace qturn {

/// Hands over the bytes of a regular file in their order, as long as `take` returns true. Returns
/// what the file was before the first was read. Throws FileError.
FileState read_in_parts(const std::filesystem::path& file,
                        const std::function<bool(std::span<const std::byte> part)>& take);

/// The same with all of it, as text.
FileState read_text_in_parts(const std::filesystem::path& file,
                             const std::function<void(std::string_view part)>& take);

}  // namespace qturn
