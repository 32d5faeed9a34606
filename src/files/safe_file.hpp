// Files that are whole or not there. Writing goes to `.NAME.qturn-XXXXXX` beside the target, is
// flushed to the disk, given the original's mode, owner and times, and renamed over the target;
// then the folder is flushed. Whatever stops it on the way (an error, a full disk, a kill) leaves
// the target as it was.
#ifndef QTURN_SRC_FILES_SAFE_FILE_HPP
#define QTURN_SRC_FILES_SAFE_FILE_HPP

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qturn {

/// What the system said when a file could not be read or written. what() is a sentence for the
/// user, "cannot read: Permission denied" or "cannot write out/a.jpg: No space left on device".
class FileError : public std::filesystem::filesystem_error {
 public:
  FileError(std::string sentence, const std::filesystem::path& path, std::error_code reason)
      : filesystem_error(sentence, path, reason),
        what_(std::move(sentence) + ": " + reason.message()) {}
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};

enum class IfExists : std::uint8_t { replace, fail };

/// Whether a file that is made like another gets its times too. A file that changes and keeps its
/// size must not keep its time as well, or no backup would ever notice.
enum class Times : std::uint8_t { of_the_other, now };

/// Reads a regular file whole. Throws FileError with the system's reason; a file that changes size
/// while it is read is an error too ("Device or resource busy"). `memory` is used for it.
std::vector<std::byte> read_file(const std::filesystem::path& path,
                                 std::vector<std::byte> memory = {});

/// Writes `content` to `target` as described above; blocks until it is on the disk. `like` (may be
/// empty): the file whose mode, times, owner, user attributes and access list the new file gets, as
/// far as the file system and our rights permit; without it the file is made as any other. A
/// `target` that is a symbolic link is written through to what it points to. Missing folders are
/// made, and stay.
///
/// Throws FileError; then the target is as it was and no temporary is left behind. The one
/// exception is a folder that cannot be flushed after the rename: the new file is in place then.
void write_file(const std::filesystem::path& target, std::span<const std::byte> content,
                const std::filesystem::path& like, IfExists if_exists,
                Times times = Times::of_the_other);

/// The same in two steps, for files that belong together: all are staged before the first is put in
/// its place.
class StagedFile {
 public:
  /// Everything but the rename. Blocks until the content is on the disk. Throws FileError; then no
  /// temporary is left behind.
  StagedFile(const std::filesystem::path& target, std::span<const std::byte> content,
             const std::filesystem::path& like, Times times);
  /// Deletes the temporary, unless it was put in place.
  ~StagedFile();
  StagedFile(StagedFile&& other) noexcept;
  StagedFile& operator=(StagedFile&& other) noexcept;

  /// The rename, at most once; throws as write_file() does.
  void put_in_place(IfExists if_exists);

 private:
  class Temporary;

  std::filesystem::path target_;
  std::unique_ptr<Temporary> temporary_;
};

/// Whether a file of this name is a temporary that a killed run has left behind.
bool is_temporary_name(std::string_view name);

}  // namespace qturn

#endif  // QTURN_SRC_FILES_SAFE_FILE_HPP
