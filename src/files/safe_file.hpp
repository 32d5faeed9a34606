// Files that are whole or not there. Writing goes to `.NAME.qturn-XXXXXXXXXX` beside the target, is
// flushed to the disk, and given the original's mode, owner and times. Then it is renamed, and the
// folder is flushed. Whatever stops it on the way (an error, a full disk, a kill) leaves the target
// as it was.
//
// In place, the two files exchange their names, because between a look at the original and a rename
// over it another program could save it. Then the file that came out is checked: if it is not the
// file that was read, or another program has it open for writing, the names are exchanged again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "src/files/content_hash.hpp"
#include "src/files/file_descriptor.hpp"
#include "src/files/real_places.hpp"
#include "src/files/temporary.hpp"
#include "src/picture/file_bytes.hpp"

namespace qturn {

/// The error code of an errno.
inline std::error_code system_code(int number) { return {number, std::generic_category()}; }

/// Why a file could not be read or written. what() is a sentence for the user, with the system's
/// reason if it gave one: "cannot write out/a.jpg: No space left on device".
class FileError : public std::filesystem::filesystem_error {
 public:
  FileError(std::string sentence, const std::filesystem::path& path, std::error_code reason)
      : filesystem_error(sentence, path, reason),
        what_(std::move(sentence) + (reason ? ": " + reason.message() : "")) {}
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};

/// The same for any error of the file system: the system's reason, without a library's own words.
inline std::string sentence_of(const std::filesystem::filesystem_error& error) {
  if (dynamic_cast<const FileError*>(&error)) return error.what();
  return error.path1().string() + ": " + error.code().message();
}

/// Reads a regular file whole. Throws FileError with the system's reason; a file that changes size
/// while it is read is an error too ("Device or resource busy"). `memory` is used for it. `state`,
/// unless null, becomes the file's state before the first byte was read. `hash`, unless null,
/// becomes the hash of the content: each part is hashed while it is in the processor's caches.
FileBytes read_file(const std::filesystem::path& path, FileBytes memory = {},
                    FileState* state = nullptr, ContentHash* hash = nullptr);

/// Makes the empty, open file `to` a reflink of `file`: it has the same content, in the same blocks
/// of the disk. False if the file system cannot.
bool share_blocks(const std::filesystem::path& file, int to);

struct NewFile {
  /// If it is a symbolic link, the link's target is written; with `places`, only if they say so.
  std::filesystem::path target;
  std::span<const std::byte> content;
  /// The file whose mode, times, owner, attributes and access list the new one gets, as far as
  /// the file system and our rights permit (anything else is a warning); empty: it gets the usual
  /// ones. If it replaces a file of the same size and time, its time is a second later, so that a
  /// backup program, which looks at these alone, sees the change.
  std::filesystem::path like = {};
  /// The state of `like` when the content was made from it.
  std::optional<FileState> like_state = {};
  /// Hands over what follows `content`, part by part, for a file that would not fit into memory;
  /// may be null.
  using Append = std::function<void(std::span<const std::byte> part)>;
  std::function<void(const Append& append)> write_more = {};
  const RealPlaces* places = nullptr;  ///< null: links are followed wherever they lead
  /// If not empty, the new file is a hard link to this one. If that fails, it is a copy that is
  /// also like this one, and shares its blocks if possible. `content` is empty then.
  std::filesystem::path same_as = {};
};

/// Folders that are flushed to the disk once, however many files were put into them.
class FlushedFolders {
 public:
  /// Why the folder that is open as `folder` could not be flushed; empty if it could.
  std::error_code flush(int folder);

 private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::error_code> reasons_;  // by device, inode
};

/// Flushes each folder that is there. Throws FileError.
void flush_folders(const std::set<std::filesystem::path>& folders);

/// Opens a folder; an empty path is the current one.
FileDescriptor open_folder(const std::filesystem::path& folder);

/// File systems that were written to.
class FileSystems {
 public:
  void add(const std::filesystem::path& file, int folder);
  /// Does nothing if the folder of the file cannot be opened.
  void add(const std::filesystem::path& file);
  /// Blocks until they are on the disk; returns warnings.
  std::vector<std::string> flush() const;

 private:
  struct Written {
    std::filesystem::path file;  // any file that was written
    FileDescriptor folder;
  };
  std::map<std::uint64_t, Written> by_device_;
};

/// Files that belong together, written beside their targets and not yet in their places. They are
/// one outcome, as far as a file system can do that: all work that takes room or rights is done for
/// every file before the first is in its place. Missing folders are made, and stay. The steps are
/// called in this order; all throw FileError, and then every target is as it was. The destructor
/// deletes files that are not in their places.
class StagedFiles {
 public:
  /// `flushed`: files and folders are on the disk before any step depends on them.
  StagedFiles(std::span<const NewFile> files, IfExists if_exists, bool flushed);
  ~StagedFiles();
  StagedFiles(StagedFiles&&) noexcept;

  /// A sentence for each file that did not get all that its `like` has (owner, mode, times,
  /// attributes).
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// Writes more of a file, after its content.
  void append(std::size_t index, std::span<const std::byte> part);
  /// The file beside the target.
  std::filesystem::path temporary(std::size_t index) const;
  /// The hash of the content that the file was made with.
  const ContentHash& hash(std::size_t index) const;

  /// If another program writes to the file or links to it from now on, it does not get its place.
  void seal(std::size_t index) const;
  /// Seals the file, and reads it back from the file system into `memory`. Throws ProofError if the
  /// content is not the one that was written. Not for a file with `write_more`.
  FileBytes read_back(std::size_t index, FileBytes memory) const;

  /// Closes the files. If they are flushed, blocks until they are on the disk.
  void finish_writing();
  /// Flushes the folders of several files. Otherwise a power cut could keep the first file in its
  /// place and lose the names of files that have not followed it.
  void flush_names(FlushedFolders& flushed) const;
  /// Throws also if a `like` is no longer in its `like_state`, or if a sealed file has changed. If
  /// another file cannot follow the first for any other reason, the first stays in its place.
  /// Returns a sentence for each such file.
  std::vector<std::string> put_in_place();
  /// After put_in_place(): whether the file has followed.
  bool is_in_place(std::size_t index) const;
  /// After put_in_place(): false if a file could not follow the first. A file that exists and must
  /// not be replaced stays, as was asked for, and does not count.
  bool is_whole() const { return is_whole_; }
  /// Keeps files that could not follow beside their places, for a run that resumes this one.
  void keep_rest();
  /// Flushes the folders of the files that are in their places. Warns if it cannot flush one.
  void flush_folders(FlushedFolders& flushed, std::vector<std::string>& warnings) const;
  /// Instead of flush_folders(): adds their file systems, which are flushed later.
  void add_to(FileSystems& written) const;

 private:
  struct File;
  void stage(const NewFile& file);
  [[noreturn]] void fail_changed(std::size_t index, std::error_code reason) const;
  void check_original(std::size_t index) const;
  void check_sealed(std::size_t index) const;
  void put_in_place(std::size_t index);
  bool put_back(std::size_t count);

  IfExists if_exists_;
  bool flushed_;
  bool is_whole_ = true;
  std::vector<std::unique_ptr<File>> files_;
  std::vector<std::string> warnings_;
};

/// Takes all the steps. `prove` may look at the files, which are then sealed, before they are in
/// their places, and its exceptions are passed on. Blocks until the files are on the disk; returns
/// warnings.
std::vector<std::string> write_files(std::span<const NewFile> files, IfExists if_exists,
                                     const std::function<void(const StagedFiles&)>& prove = {});

/// The same for one file.
std::vector<std::string> write_file(const std::filesystem::path& target,
                                    std::span<const std::byte> content,
                                    const std::filesystem::path& like, IfExists if_exists);

}  // namespace qturn
