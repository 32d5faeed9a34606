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
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace qturn {

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

}  // namespace qturn
