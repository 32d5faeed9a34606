// The formats qturn reads and writes: an allow-list, told apart by content, because suffixes lie.
#ifndef QTURN_SRC_FORMATS_FORMAT_HPP
#define QTURN_SRC_FORMATS_FORMAT_HPP

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace qturn {

enum class Format : std::uint8_t { jpeg, png, tiff, openexr, webp, bmp, pnm, tga, hdr };

/// How many leading bytes format_of_content looks at, at the most.
inline constexpr std::size_t format_signature_bytes = 32;

/// The suffix of the path in lower case, with its dot; empty if it has none.
std::string lower_suffix(const std::filesystem::path& path);

/// The format whose signature the bytes carry. `lower_suffix` (".tga") decides for TGA, which has
/// no signature, and tells camera raw files, which are TIFF inside, from TIFF.
std::optional<Format> format_of_content(std::span<const std::byte> head,
                                        std::string_view lower_suffix);

/// The format that a suffix such as ".jpg" or ".JPEG" promises, in any case.
std::optional<Format> format_of_suffix(std::string_view suffix);

/// "jpeg", "png", ...: the names that `--format` takes ("jpg", "tif", "exr" are accepted too).
std::string_view name(Format format);
std::optional<Format> format_of_name(std::string_view name);

/// The suffix given to a file that is converted to the format: ".jpg", ".png", ".tif", ".exr", ...
std::string_view suffix(Format format);

}  // namespace qturn

#endif  // QTURN_SRC_FORMATS_FORMAT_HPP
