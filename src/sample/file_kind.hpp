// What a file of a sample is, by its name and its content. This alone decides it: for files beside
// a picture, for those of a tar, and for the columns of a row in Python. Whether such a file is
// turned, copied or refused is for them to say.
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

// What a sample is called. The key of a file is its path below the input or in the tar. There are
// two rules, because two things ask:
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
  mask,   ///< a picture that is called as a mask is
  array,  ///< of NumPy: a mask of the picture of its sample
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

/// A picture is known by its suffix or else by its content. A file with the suffix of labels is one
/// if it looks like one, or if it is empty.
KindOfFile kind_of_file(const std::filesystem::path& name, std::span<const std::byte> content);

/// Whether the files of any labels have this suffix, in lower case.
bool is_suffix_of_labels(std::string_view lower_suffix);

/// "a" of "a_mask", "a-mask" or "a_mask_1", in lower case. Nothing if no mask is called so.
std::optional<std::string_view> stem_of_mask(std::string_view lower_stem);

/// "a" of "a_depth" or "a_depth_mask", as DIODE calls the arrays beside a.png, in lower case.
std::optional<std::string_view> stem_of_depth_map(std::string_view lower_stem);

/// Whether a mask belongs to a picture of its sample by its name: a.x_mask.png to a.x.jpg, or
/// a.mask.png, named after the sample, to any picture,
/// as every array does. Case does not matter.
bool is_mask_of(const std::filesystem::path& mask, const std::filesystem::path& picture);

/// Nothing if a picture cannot be read.
std::optional<Header> header_if_readable(std::span<const std::byte> picture,
                                         std::string_view lower_suffix);

/// Throws ImageFileError for an array that is not turned, or that has neither the stored nor the
/// shown size of this picture: boxes, or what a network says of the whole. A picture that cannot be
/// read fails by itself.
void expect_array_of(std::span<const std::byte> array, std::span<const std::byte> picture,
                     std::string_view lower_suffix_of_picture);

}  // namespace qturn
