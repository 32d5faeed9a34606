// A file that belongs to a picture and is turned with it: an XMP sidecar, a label. Both become one
// outcome.
#ifndef QTURN_SRC_STORE_COMPANION_HPP
#define QTURN_SRC_STORE_COMPANION_HPP

#include <filesystem>
#include <string>

#include "src/store/content_hash.hpp"
#include "src/store/safe_file.hpp"

namespace qturn {

struct Companion {
  std::filesystem::path input, output = {};
  std::string text = {};
  FileState state{};         ///< of the input, when it was read
  ContentHash hash{};        ///< of what was read
  bool is_required = false;  ///< without it, its picture is not written
};

/// Its input with its text as it is. Throws FileError if it cannot be read, ImageFileError if it is
/// larger than a file of this kind ever is.
Companion read_companion(const std::filesystem::path& input);

}  // namespace qturn

#endif  // QTURN_SRC_STORE_COMPANION_HPP
