// The hidden file beside a target, `.NAME.qturn-XXXXXXXXXX`, and how it gets the target's name.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "src/files/file_descriptor.hpp"

namespace qturn {

enum class IfExists : std::uint8_t {
  replace,
  fail,
  leave_companions  ///< the first file fails; a companion that is there stays
};

/// The destructor deletes the file unless it is in its place.
class Temporary {
 public:
  /// Makes a file in `folder` for `target`. If `same_as` is not empty, it is that file if possible.
  Temporary(FileDescriptor folder, std::string target, mode_t mode,
            const std::filesystem::path& same_as);
  /// Takes a file that a killed run has left there under this name. It is not deleted. Throws
  /// FileError if the system does not say what it is.
  Temporary(FileDescriptor folder, std::string target, std::string name);
  ~Temporary();
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  FileDescriptor& file() { return file_; }
  bool is_linked() const { return is_linked_; }
  const FileDescriptor& folder() const { return folder_; }
  const std::string& name() const { return name_; }
  bool is_in_place() const { return is_in_place_; }
  /// The state of the file at the target; nothing if there is no file, or it cannot be looked at.
  std::optional<FileState> target_state() const { return state_of_name(target_name_); }
  bool is_exchanged() const { return is_exchanged_; }
  std::uint64_t bytes() const { return own_.bytes; }
  bool is(const struct stat& file) const { return own_.inode == file.st_ino; }
  void keep() { is_kept_ = true; }
  /// True also if another program has put its file in the place of the target: then this file is
  /// the original.
  bool is_kept() const { return is_kept_; }

  /// To be called when all is written, while the file is open: this file must get into the place.
  /// False, with errno set, if it cannot be looked at.
  bool remember();

  /// To be called after our own last change, and before the proof reads the file: from now on
  /// nobody may write to the file, or link to it, until it has the name of the target.
  void seal();
  /// Whether somebody has done so since seal(), as far as the times of the file tell it.
  bool is_touched();

  /// Gives it the name of the target. Returns false, with errno set, if that failed, or if it was
  /// touched: then it has its own name again.
  bool rename(IfExists if_exists);

  /// The same if the target is in the state `original`, and no program has it open for writing.
  /// That is checked after the two files have exchanged their names, so no program can come in
  /// between. Nothing: the target is another file, and has its name again. False as in rename().
  std::optional<bool> exchange(const FileState& original);

  /// Undoes exchange(). If another program has put a file there since, that stays there.
  void put_back();

  /// Ends exchange(). False, with errno set, if the original is still there under name().
  bool remove_original();

 private:
  struct Look : FileState {
    std::int64_t changed_ns = 0;  ///< of the inode: renames change it too
    std::uint64_t links = 0;
    bool operator==(const Look&) const = default;
  };

  bool is_linked_to(const std::filesystem::path& file) const;
  std::optional<Look> state_of_name(const std::string& name) const;
  bool is_touched_there();
  bool is_there() const;
  bool is_another_there() const;
  bool exchange_names() const;

  FileDescriptor folder_;
  std::string target_name_, name_;
  FileDescriptor file_;
  FileState own_;
  std::optional<Look> sealed_;
  bool is_touched_ = false, is_left_ = false, is_kept_ = false, is_linked_ = false,
       is_exchanged_ = false, is_in_place_ = false;
};

/// Six letters that are in the names of this process's temporaries.
const std::string& run_id();

/// The name of a temporary of the run with this id. `last`: letters that tell it from others of the
/// run. `longest`: the most bytes of a name in its folder.
std::string temporary_name(std::string_view target, std::string_view run, std::string_view last,
                           std::size_t longest = 255);

/// Whether a file with this name is a temporary, which a killed run leaves. If `run` is an id, only
/// a temporary of this run counts.
bool is_temporary_name(std::string_view name, std::string_view run = {});

}  // namespace qturn
