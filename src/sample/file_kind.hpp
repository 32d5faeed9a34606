// The one place that decides what a file of a sample is, by its name and its content: a file beside
// a picture, a member of a tar, or a column of a row in Python. The callers decide whether such a
// file is turned, copied or refused.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "src/labels/one/label.hpp"
#include "src/picture/image.hpp"

namespace qturn {

// The name of a sample. The key of a file is its path below the input or in the tar. There are two
// rules, for two purposes:
//
//   sample_key("x/a.b.jpg")      x/a.b   the last dot: for variants and shards. Two
//                                        photographs, "1.5 m.jpg" and "1.6 m.jpg", are two samples
//   webdataset_key("x/a.b.jpg")  x/a     the first dot: for tars, where
//                                        WebDataset's readers take x/a.b.jpg and x/a.cls for one
//
// They agree unless a stem has a dot. A folder that would be packed into other samples than it has
// is refused (sources/folder_samples.hpp).

/// "x/a" of "x/a.jpg". A dot that begins a name does not begin a suffix.
inline std::string_view sample_key(std::string_view key) {
  const std::size_t base = key.rfind('/') + 1, dot = key.rfind('.');
  return dot == std::string_view::npos || dot <= base ? key : key.substr(0, dot);
}

/// "x/a" of "x/a.mask.png". A dot that begins a name does not end it.
inline std::string_view webdataset_key(std::string_view key) {
  const std::size_t base = key.rfind('/') + 1;
  return key.substr(0, std::min(key.find('.', base + 1), key.size()));
}

enum class FileKind : std::uint8_t {
  picture,
  mask,   ///< a picture with the name of a mask
  array,  ///< NumPy's: a mask of its sample's picture
  xmp,
  label,
  world_file,   ///< says where on a map the pixels lie
  coordinates,  ///< neither turned nor known to be harmless (harmless.hpp)
  other
};

struct KindOfFile {
  FileKind kind = FileKind::other;
  const LabelFormat* format = nullptr;  ///< of a label

  bool is_picture() const { return kind == FileKind::picture || kind == FileKind::mask; }
};

/// A picture is known by its suffix or else by its content. A file with the suffix of labels is a
/// label if it looks like one, or if it is empty.
KindOfFile kind_of_file(const std::filesystem::path& name, std::span<const std::byte> content);

/// Whether the files of any labels have this suffix, in lower case.
bool is_suffix_of_labels(std::string_view lower_suffix);

/// "a" of "a_mask", "a-mask" or "a_mask_1", in lower case. Nothing if it is not a mask's name.
std::optional<std::string_view> stem_of_mask(std::string_view lower_stem);

/// "a" of "a_depth" or "a_depth_mask", as DIODE calls the arrays beside a.png, in lower case.
std::optional<std::string_view> stem_of_depth_map(std::string_view lower_stem);

/// Whether a mask belongs to this picture of its sample by its name: a.x_mask.png belongs to
/// a.x.jpg. A mask that is named after the sample, a.mask.png, belongs to any picture of it, and so
/// does every array. Case does not matter.
bool is_mask_of(const std::filesystem::path& mask, const std::filesystem::path& picture);

/// Nothing if a picture cannot be read.
std::optional<Header> header_if_readable(std::span<const std::byte> picture,
                                         std::string_view lower_suffix);

/// Throws ImageFileError for an array that cannot be turned, or that has neither the stored nor the
/// shown size of this picture: it may hold boxes, or features of the whole picture. A picture that
/// cannot be read fails by itself.
void expect_array_of(std::span<const std::byte> array, std::span<const std::byte> picture,
                     std::string_view lower_suffix_of_picture);

}  // namespace qturn
