// A file that belongs to a picture and is turned with it: a label, a sidecar, a mask. It goes from
// the plan to the manifest in one list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
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

/// The order here is the order of a picture's companions everywhere.
enum class CompanionKind : std::uint8_t { label, sidecar, mask };

/// What it is, and where it goes with one result of its picture. While that result is made, it has
/// content, as it was read or as it is to be written; in a plan and in an Outcome it has none.
struct Companion {
  CompanionKind kind = CompanionKind::sidecar;
  std::filesystem::path input, output = {};
  std::shared_ptr<const LabelRule> rule = {};  ///< of a label
  ContentHash source = {}, result = {};        ///< of the bytes that were read, and written
  bool is_written = true;  ///< false: the picture is done, but this could not follow it

  std::string text = {};
  std::vector<std::byte> bytes = {};  ///< of a mask or a copy, instead of a text
  FileState state{};                  ///< of the input, when it was read
  /// If a label was mirrored: its classes that are named left or right, and keep that name.
  std::optional<std::set<std::string>> sides = {};
  std::size_t position = 0;  ///< of the input, as its source counts
  bool is_required = true;   ///< its picture is not written without it

  std::span<const std::byte> content() const {
    return bytes.empty() ? std::as_bytes(std::span(text)) : std::span<const std::byte>(bytes);
  }
};

/// Whether a regular file is there; false for a name that is too long. Throws FileError if that
/// cannot be known. A std::filesystem::path for each name took 5 % of the time with small pictures.
bool has_file(const std::string& path);

/// Reads files: their names are paths.
class FileSource : public Source {
 public:
  Original read(const std::filesystem::path& name, FileBytes memory) const override;
  std::uint64_t size(const std::filesystem::path& name) const override;
  std::vector<std::filesystem::path> world_files(
      const std::filesystem::path& picture) const override;
};

/// Reads a companion with its text unchanged. Throws FileError if it cannot be read, ImageFileError
/// if it is larger than any file of this kind.
Companion read_companion(const std::filesystem::path& input, const Source& source = FileSource());

}  // namespace qturn
