// A file that belongs to a picture and is turned with it: an XMP sidecar, a label, a mask. Both
// become one outcome.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "src/files/content_hash.hpp"
#include "src/files/safe_file.hpp"
#include "src/files/source.hpp"
#include "src/labels/one/label.hpp"

namespace qturn {

enum class CompanionKind : std::uint8_t { sidecar, label, mask };

/// What a file is to its sample, if that is known from where it lay.
struct MemberRole {
  std::optional<CompanionKind> companion = {};  ///< nothing: it is the picture
  LabelRule rule = {};                          ///< of a label
};

struct Companion {
  std::filesystem::path input, output = {};
  std::string text = {};
  std::vector<std::byte> bytes = {};  ///< of a mask or a copy, instead of a text
  FileState state{};                  ///< of the input, when it was read
  ContentHash hash{};                 ///< of what was read
  CompanionKind kind = CompanionKind::sidecar;
  /// Of a label that was mirrored: names of classes that are left or right, and stay so.
  std::set<std::string> sides = {};
  std::size_t position = 0;  ///< of the input, as its source counts
  bool is_required = true;   ///< its picture is not written without it

  std::span<const std::byte> content() const {
    return bytes.empty() ? std::as_bytes(std::span(text)) : std::span<const std::byte>(bytes);
  }
};

/// Whether a regular file is there; none has a name that is too long. Throws FileError if that
/// cannot be known. Of small pictures, a path for each name took a twentieth of the time.
bool has_file(const std::string& path);

/// Names are paths of files.
class FileSource : public Source {
 public:
  Original read(const std::filesystem::path& name, FileBytes memory) const override;
  std::uint64_t size(const std::filesystem::path& name) const override;
  std::vector<std::filesystem::path> world_files(
      const std::filesystem::path& picture) const override;
};

/// Its input with its text as it is. Throws FileError if it cannot be read, ImageFileError if it is
/// larger than a file of this kind ever is.
Companion read_companion(const std::filesystem::path& input, const Source& source = FileSource());

}  // namespace qturn
