// The formats that qturn reads and writes. They are recognised by content, because suffixes can be
// wrong. To add one, write formats/<name>/codec.cpp, which defines its row, declare the row here,
// and add it to table.cpp.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "src/formats/codec/codec.hpp"

namespace qturn {

namespace bmp {
extern const Codec codec;
}
namespace gif {
extern const Codec codec;
}
namespace hdr {
extern const Codec codec;
}
namespace heif {
extern const Codec heic_codec;
extern const Codec avif_codec;
}  // namespace heif
namespace jpeg {
extern const Codec codec;
}
namespace jxl {
extern const Codec codec;
}
namespace npy {
extern const Codec codec;
}
namespace oiio {
extern const Codec jpeg2000, dpx, sgi;
}
namespace openexr {
extern const Codec codec;
}
namespace png {
extern const Codec codec;
}
namespace pnm {
extern const Codec codec;
}
namespace raw {
extern const Codec codec;
/// Raw files that are not built like a TIFF. All are refused.
extern const Codec other_codec;
}  // namespace raw
namespace tga {
extern const Codec codec;
}
namespace tiff {
extern const Codec codec;
}
namespace webp {
extern const Codec codec;
}

/// The rows, in the order in which `--help` names them.
std::span<const Codec* const> codecs();

/// The most bytes at the start of a file that codec_of_content looks at.
inline constexpr std::size_t signature_bytes = 32;

/// The suffix of the path in lower case, with its dot; empty if it has none.
std::string lower_suffix(const std::filesystem::path& path);

/// The codec of a file that begins with `head`; null if qturn does not read it. Only the first
/// signature_bytes count. The suffix (".tga") decides for TGA, which has no signature, and
/// distinguishes camera raw files, which are TIFF inside, from TIFF.
const Codec* codec_of_content(std::span<const std::byte> head, std::string_view lower_suffix);

/// The codec of the format that a suffix such as ".jpg" or ".JPEG" promises, in any case; or null.
const Codec* codec_of_suffix(std::string_view suffix);

/// "its suffix says png, its content jpeg"; empty if the suffix promises no other format.
std::string wrong_suffix(const Codec& content, std::string_view suffix);

/// Whether its suffix says that a file is an array, which belongs to a picture (Codec::is_array).
bool is_array(const std::filesystem::path& name);

/// The codec that is named "jpeg" or "jpg", as `--format` takes it; or null. Formats that are not
/// written from others have no name for it.
const Codec* codec_of_name(std::string_view name);

/// "jpeg, png, ...": all that `--format` takes, in the table's order.
std::string format_names(std::string_view separator);

/// "libjpeg-turbo 2.1.5, libdeflate 1.14, libtiff 4.5.0, OpenImageIO 3.1.10": for --version.
std::string library_versions();

}  // namespace qturn
