#include "src/files/safe_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <system_error>

#include "src/files/file_descriptor.hpp"
#include "src/picture/errors.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// The bytes that are read or written at a time, and hashed. They stay in a core's caches in
/// between (docs/measurements/jpeg-h200.md).
constexpr std::size_t part_bytes = std::size_t{128} << 10;

[[noreturn]] void fail_write(const fs::path& target, std::error_code reason = system_code(errno)) {
  throw FileError("cannot write " + target.string(), target, reason);
}

/// The path that `target` points to, even if nothing exists there yet.
fs::path follow_links(const fs::path& target) {
  fs::path path = target;
  for (int links = 0; fs::is_symlink(fs::symlink_status(path)); ++links) {
    if (links == 40) fail_write(target, system_code(ELOOP));
    path = path.parent_path() / fs::read_symlink(path);
  }
  return path;
}

/// Opens the folder, and makes it if it is missing. If files are flushed to the disk, so is the
/// name of a new folder. Otherwise a power cut could remove the folder and the file in it.
FileDescriptor open_or_make_folder(const fs::path& folder, bool flushed) {
  FileDescriptor opened = open_folder(folder);
  if (opened || errno != ENOENT || folder.empty()) return opened;
  const FileDescriptor parent = open_or_make_folder(folder.parent_path(), flushed);
  if (!parent) return FileDescriptor();
  if (::mkdirat(parent.get(), folder.filename().c_str(), 0777) == 0) {
    if (flushed) ::fsync(parent.get());
  } else if (errno != EEXIST) {
    return FileDescriptor();
  }
  return open_folder(folder);
}

/// Which attributes of a file could not be given to another, and why the first could not.
class Lost {
 public:
  /// Remembers `what` and errno.
  void add(const char* what) {
    if (what_.empty()) reason_ = system_code(errno);
    if (std::ranges::find(what_, what) == what_.end()) what_.emplace_back(what);
  }

  /// One sentence; none if nothing is lost.
  void report(const fs::path& file, std::vector<std::string>& warnings) const {
    if (what_.empty()) return;
    warnings.push_back(fmt::format("the {} of {} could not be set: {}",
                                   fmt::join(what_, " and the "), file.string(),
                                   reason_.message()));
  }

 private:
  std::vector<std::string> what_;
  std::error_code reason_;
};

/// All attributes, such as ratings and tags of photo managers, and the access list. An original
/// whose file system has none at all (ENOTSUP) loses nothing; one whose attributes the other file
/// system cannot hold does.
void copy_attributes(const fs::path& like, int fd, Lost& lost) {
  constexpr std::size_t longest = 65536;  // what the system allows for the list and for a value
  constexpr char access_list[] = "system.posix_acl_access";
  const char* what = "attributes";
  std::vector<char> names(longest);
  const ssize_t names_length = ::listxattr(like.c_str(), names.data(), names.size());
  if (names_length < 0 && errno != ENOTSUP) lost.add(what);
  bool has_list = names_length < 0;
  for (ssize_t at = 0; at < names_length;) {
    const std::string name(&names[static_cast<std::size_t>(at)]);
    at += static_cast<ssize_t>(name.size()) + 1;
    // These two sign the original's content.
    if (name == "security.ima" || name == "security.evm") continue;
    has_list = has_list || name == access_list;
    std::vector<char> value(longest);
    const ssize_t length = ::getxattr(like.c_str(), name.c_str(), value.data(), value.size());
    if (length < 0 && errno == ENODATA) continue;  // removed since
    const bool is_set = length >= 0 && ::fsetxattr(fd, name.c_str(), value.data(),
                                                   static_cast<std::size_t>(length), 0) == 0;
    // Where users may not label files, the system has labelled the new one.
    if (!is_set && name != "security.selinux" && name != "security.SMACK64") lost.add(what);
  }
  // The folder may have given the new file an access list.
  if (!has_list && ::fremovexattr(fd, access_list) != 0 && errno != ENODATA && errno != ENOTSUP)
    lost.add("access list");
}

/// FAT and shares of Windows have neither owners nor modes of files.
bool has_owners(int fd) {
  struct statfs system;
  if (::fstatfs(fd, &system) != 0) return true;
  constexpr std::uint32_t without[] = {MSDOS_SUPER_MAGIC, 0x2011bab0 /* exFAT */, CIFS_SUPER_MAGIC,
                                       SMB2_SUPER_MAGIC};
  return std::ranges::find(without, static_cast<std::uint32_t>(system.f_type)) == std::end(without);
}

/// Every step is best effort. The mode 0600 of the temporary gives access to nobody else.
Lost make_alike(const fs::path& path, const struct stat& like, int fd) {
  Lost lost;
  struct stat made;
  if (::fstat(fd, &made) != 0) made = {};
  mode_t mode = like.st_mode & 07777;
  const bool owned = has_owners(fd);
  if ((made.st_uid != like.st_uid || made.st_gid != like.st_gid) &&
      ::fchown(fd, like.st_uid, like.st_gid) != 0) {
    if (owned && made.st_uid != like.st_uid) lost.add("owner");
    // A copy with another owner must not have the set-user-ID or set-group-ID bit.
    mode &= 0777;
    // Without the right to give a file away, the group may still be one of ours.
    if (made.st_gid != like.st_gid && ::fchown(fd, static_cast<uid_t>(-1), like.st_gid) != 0 &&
        owned) {
      lost.add("group");
    }
  }
  if (::fchmod(fd, mode) != 0 && owned) lost.add("mode");
  copy_attributes(path, fd, lost);
  const timespec times[] = {like.st_atim, like.st_mtim};
  if (::futimens(fd, times) != 0) lost.add("times");
  return lost;
}

/// Calls `each` with every part that was read, at once.
template <typename Memory, typename Each>
Memory read_whole(const fs::path& path, const FileDescriptor& file, Memory memory, FileState* state,
                  Each each) {
  const auto fail = [&](int number) { throw FileError("cannot read", path, system_code(number)); };
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0) fail(errno);
  if (S_ISDIR(status.st_mode)) fail(EISDIR);
  if (!S_ISREG(status.st_mode)) fail(EINVAL);
  if (state) *state = state_of(status);

  memory.resize(static_cast<std::size_t>(status.st_size));
  std::byte one_more;
  for (std::size_t have = 0;;) {
    const bool all = have == memory.size();
    const auto at = static_cast<off_t>(have);
    const ssize_t got = all ? ::pread(file.get(), &one_more, 1, at)
                            : ::pread(file.get(), memory.data() + have,
                                      std::min(part_bytes, memory.size() - have), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(errno);
    if (all && got == 0) return memory;
    if (all || got == 0) fail(EBUSY);
    each(std::span<const std::byte>(memory.data() + have, static_cast<std::size_t>(got)));
    have += static_cast<std::size_t>(got);
  }
}

FileDescriptor opened_to_read(const fs::path& path) {
  // O_NONBLOCK: a pipe without a writer must not block the run.
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

}  // namespace

FileBytes read_file(const fs::path& path, FileBytes memory, FileState* state, ContentHash* hash) {
  std::optional<Hasher> hasher;
  if (hash) hasher.emplace();
  memory = read_whole(path, opened_to_read(path), std::move(memory), state,
                      [&](std::span<const std::byte> part) {
                        if (hasher) hasher->add(part);
                      });
  if (hash) *hash = hasher->hash();
  return memory;
}

FileDescriptor open_folder(const fs::path& folder) {
  return FileDescriptor(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

bool share_blocks(const fs::path& file, int to) {
  const FileDescriptor from = opened_to_read(file);
  return from && ::ioctl(to, FICLONE, from.get()) == 0;
}

struct StagedFiles::File {
  /// Written to `place`. Messages and journals call its folder `named`.
  File(const NewFile& file, const fs::path& place, fs::path named, FileDescriptor opened_folder)
      : target(file.target),
        folder(std::move(named)),
        like(file.like),
        is_new(file.same_as.empty()),
        like_state(file.like_state),
        temporary(std::move(opened_folder), place.filename().string(),
                  file.like.empty() && file.same_as.empty() ? 0666 : 0600, file.same_as) {}

  /// Whether it replaces the file that it is made from.
  bool replaces_like() const { return like_state && like == target; }
  /// Whether the file that it replaces has its size, and the time that it is to get.
  bool replaces_one_like(const struct stat& wanted) const {
    const auto replaced = temporary.target_state();
    return replaced && replaced->bytes == written &&
           replaced->modified_ns == state_of(wanted).modified_ns;
  }

  fs::path target, folder, like;
  bool is_new;                ///< it has no `same_as`
  std::uint64_t written = 0;  ///< bytes
  std::optional<FileState> like_state;
  Temporary temporary;
  ContentHash hash = {};
};

StagedFiles::StagedFiles(std::span<const NewFile> files, IfExists if_exists, bool flushed)
    : if_exists_(if_exists), flushed_(flushed) {
  files_.reserve(files.size());
  for (const NewFile& file : files) stage(file);
}

StagedFiles::~StagedFiles() = default;
StagedFiles::StagedFiles(StagedFiles&&) noexcept = default;

void StagedFiles::stage(const NewFile& file) try {
  const fs::path& target = file.target;
  const fs::path& like = file.same_as.empty() ? file.like : file.same_as;
  const bool is_alike = !like.empty();
  struct stat like_status;
  if (is_alike && ::stat(like.c_str(), &like_status) != 0)
    throw FileError("cannot read " + like.string(), like, system_code(errno));

  const auto real = file.places ? file.places->of(target) : std::nullopt;
  const fs::path place = real ? *real : follow_links(target);
  FileDescriptor folder = real ? open_real_folder(place.parent_path(), flushed_)
                               : open_or_make_folder(place.parent_path(), flushed_);
  if (!folder) fail_write(target);

  const bool has_its_name = place.filename() == target.filename();
  const fs::path& named = real && has_its_name ? target : place;
  files_.push_back(std::make_unique<File>(file, place, named.parent_path(), std::move(folder)));
  const FileDescriptor& opened = files_.back()->temporary.file();
  if (!opened) fail_write(target);
  if (files_.back()->temporary.is_linked()) {
    if (!files_.back()->temporary.is(like_status)) fail_write(target, system_code(EBUSY));
    return;
  }
  const auto append_part = [&](std::span<const std::byte> part) {
    append(files_.size() - 1, part);
  };
  Hasher hasher;
  for (auto left = file.content; !left.empty();) {
    const auto part = left.first(std::min(part_bytes, left.size()));
    hasher.add(part);
    append_part(part);
    left = left.subspan(part.size());
  }
  files_.back()->hash = hasher.hash();
  if (file.write_more) file.write_more(append_part);
  if (!file.same_as.empty() && !share_blocks(file.same_as, opened.get())) {
    (void)read_in_parts(file.same_as, [&](std::span<const std::byte> part) {
      append_part(part);
      return true;
    });
  }
  if (is_alike) {
    if (file.same_as.empty() && files_.back()->replaces_one_like(like_status))
      ++like_status.st_mtim.tv_sec;
    make_alike(like, like_status, opened.get()).report(target, warnings_);
  } else {
    // The system's own time counts in ticks: a program that writes in the same tick must not give
    // the file the same time. So the time is taken from the clock.
    timespec times[] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT}, {}};
    if (::clock_gettime(CLOCK_REALTIME, &times[1]) == 0) (void)::futimens(opened.get(), times);
  }
  // The disk begins to write now, so that there is less to wait for later. Without a flush, ext4
  // does this for a file that replaces another one, but not where two exchange their names.
  if (flushed_ || files_.back()->replaces_like())
    ::sync_file_range(opened.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
} catch (const FileError&) {
  throw;
} catch (const std::system_error& error) {
  fail_write(file.target, error.code());
}

void StagedFiles::append(std::size_t index, std::span<const std::byte> part) {
  File& file = *files_[index];
  if (!write_all(file.temporary.file().get(), part)) fail_write(file.target);
  file.written += part.size();
}

void StagedFiles::seal(std::size_t index) const { files_[index]->temporary.seal(); }

FileBytes StagedFiles::read_back(std::size_t index, FileBytes memory) const try {
  File& file = *files_[index];
  seal(index);
  Hasher hasher;
  memory = read_whole(file.target, file.temporary.file(), std::move(memory), nullptr,
                      [&](std::span<const std::byte> part) { hasher.add(part); });
  if (const ContentHash hash = hasher.hash(); hash != file.hash) {
    throw ProofError(fmt::format("{} has a wrong hash on the disk: {} expected, {} found",
                                 file.target.string(), digits_of(file.hash), digits_of(hash)));
  }
  return memory;
} catch (const FileError& error) {
  throw FileError("cannot read back " + error.path1().string(), error.path1(), error.code());
}

void StagedFiles::finish_writing() {
  for (const auto& file : files_) {
    FileDescriptor& opened = file->temporary.file();
    if (flushed_ && ::fsync(opened.get()) != 0) fail_write(file->target);
    if (!file->temporary.remember()) fail_write(file->target);
    // Another program has written to it.
    if (file->is_new && file->temporary.bytes() != file->written)
      fail_write(file->target, system_code(EBUSY));
    if (opened.close() != 0 && errno != EINTR) fail_write(file->target);
  }
}

void StagedFiles::flush_names(FlushedFolders& flushed) const {
  if (files_.size() == 1) return;
  for (const auto& file : files_)
    if (const std::error_code reason = flushed.flush(file->temporary.folder().get()))
      fail_write(file->target, reason);
}

void StagedFiles::fail_changed(std::size_t index, std::error_code reason) const {
  const File& file = *files_[index];
  // The caller that reports the error names the first file.
  std::string sentence = index == 0 ? "" : file.like.string() + " ";
  sentence += reason ? "cannot be looked at once more" : "changed meanwhile";
  sentence += file.like == file.target || index == 0
                  ? " and was left as it is"
                  : fmt::format(", so {} is not written", file.target.string());
  throw FileError(std::move(sentence), file.like, reason);
}

void StagedFiles::check_original(std::size_t index) const {
  const File& file = *files_[index];
  if (!file.like_state) return;
  struct stat status;
  const bool is_found = ::stat(file.like.c_str(), &status) == 0;
  const std::error_code reason = is_found ? std::error_code() : system_code(errno);
  if (is_found && state_of(status) == *file.like_state) return;
  const bool has_changed = is_found || reason == std::errc::no_such_file_or_directory;
  fail_changed(index, has_changed ? std::error_code() : reason);
}

void StagedFiles::check_sealed(std::size_t index) const {
  File& file = *files_[index];
  if (!file.temporary.is_touched()) return;
  throw FileError(fmt::format("the new {} was changed by another program after it was compared, "
                              "so it is not used",
                              file.target.string()),
                  file.target, {});
}

void StagedFiles::put_in_place(std::size_t index) {
  File& file = *files_[index];
  const bool is_exchange = if_exists_ == IfExists::replace && file.replaces_like();
  const auto is_done = is_exchange ? file.temporary.exchange(*file.like_state)
                                   : std::optional(file.temporary.rename(if_exists_));
  const std::error_code reason = system_code(errno);
  if (file.temporary.is_kept()) {
    throw FileError(fmt::format("another program has put its file in the place of {}; what was "
                                "there is {}",
                                file.target.string(), temporary(index).string()),
                    file.target, system_code(EBUSY));
  }
  check_sealed(index);
  if (!is_done) fail_changed(index, {});
  if (!*is_done) fail_write(file.target, reason);
}

/// Puts back the first files. False if that is not possible.
bool StagedFiles::put_back(std::size_t count) {
  const auto first = std::span(files_).first(count);
  if (!std::ranges::all_of(first, [](const auto& file) { return file->temporary.is_exchanged(); }))
    return false;
  for (const auto& file : first) file->temporary.put_back();
  return true;
}

fs::path StagedFiles::temporary(std::size_t index) const {
  return files_[index]->folder / files_[index]->temporary.name();
}

const ContentHash& StagedFiles::hash(std::size_t index) const { return files_[index]->hash; }

std::vector<std::string> StagedFiles::put_in_place() {
  for (std::size_t i = files_.size(); i-- > 0;) {
    check_sealed(i);
    check_original(i);
  }
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    try {
      if (i > 0) check_original(i);
      put_in_place(i);
    } catch (const FileError& error) {
      const bool has_changed = !error.code();
      if (i == 0 || (has_changed && put_back(i))) throw;
      warnings.push_back(fmt::format("{} is written, but not all that belongs to it: {}",
                                     files_.front()->target.string(), error.what()));
      is_whole_ = is_whole_ && if_exists_ == IfExists::leave_companions &&
                  error.code() == std::errc::file_exists;
    }
  }
  for (const auto& file : files_) {
    if (file->temporary.is_in_place() && !file->temporary.remove_original())
      warnings.push_back(
          fmt::format("{} is written, but its original could not be removed ({}) "
                      "and is {}",
                      file->target.string(), system_code(errno).message(),
                      (file->folder / file->temporary.name()).string()));
  }
  return warnings;
}

bool StagedFiles::is_in_place(std::size_t index) const {
  return files_[index]->temporary.is_in_place();
}

void StagedFiles::keep_rest() {
  for (const auto& file : files_) file->temporary.keep();
}

void StagedFiles::flush_folders(FlushedFolders& flushed, std::vector<std::string>& warnings) const {
  for (const auto& file : files_) {
    if (!file->temporary.is_in_place()) continue;
    if (const std::error_code reason = flushed.flush(file->temporary.folder().get())) {
      warnings.push_back(fmt::format(
          "{} is written, but its folder could not be flushed to the disk ({}); a power cut may "
          "undo it",
          file->target.string(), reason.message()));
    }
  }
}

void StagedFiles::add_to(FileSystems& written) const {
  for (const auto& file : files_) written.add(file->target, file->temporary.folder().get());
}

void FileSystems::add(const fs::path& file, int folder) {
  struct stat status;
  if (::fstat(folder, &status) != 0) return;
  const auto [place, is_new] = by_device_.try_emplace(status.st_dev);
  if (is_new) place->second = {file, FileDescriptor(::fcntl(folder, F_DUPFD_CLOEXEC, 0))};
}

void FileSystems::add(const fs::path& file) {
  if (const FileDescriptor folder = open_folder(file.parent_path())) add(file, folder.get());
}

std::vector<std::string> FileSystems::flush() const {
  std::vector<std::string> warnings;
  for (const auto& [device, written] : by_device_) {
    if (::syncfs(written.folder.get()) == 0) continue;
    warnings.push_back(fmt::format(
        "{} and others are written, but could not be flushed to the disk ({}); a power cut may "
        "undo them",
        written.file.string(), system_code(errno).message()));
  }
  return warnings;
}

std::error_code FlushedFolders::flush(int folder) {
  struct stat status;
  if (::fstat(folder, &status) != 0) return system_code(errno);
  const auto [known, is_new] = reasons_.try_emplace({status.st_dev, status.st_ino});
  // Some network file systems cannot flush a folder, and say so with EINVAL.
  if (is_new && ::fsync(folder) != 0 && errno != EINVAL) known->second = system_code(errno);
  return known->second;
}

void flush_folders(const std::set<fs::path>& folders) {
  FlushedFolders flushed;
  for (const fs::path& folder : folders) {
    const FileDescriptor opened = open_folder(folder);
    if (!opened) continue;
    if (const std::error_code reason = flushed.flush(opened.get()))
      throw FileError(fmt::format("cannot flush the folder {} to the disk",
                                  folder.empty() ? "." : folder.string()),
                      folder, reason);
  }
}

std::vector<std::string> write_files(std::span<const NewFile> files, IfExists if_exists,
                                     const std::function<void(const StagedFiles&)>& prove) {
  StagedFiles staged(files, if_exists, true);
  staged.finish_writing();
  if (prove) {
    for (std::size_t i = 0; i < files.size(); ++i) staged.seal(i);
    prove(staged);
  }
  std::vector<std::string> warnings = staged.warnings();
  const std::vector<std::string> more = staged.put_in_place();
  warnings.insert(warnings.end(), more.begin(), more.end());
  FlushedFolders flushed;
  staged.flush_folders(flushed, warnings);
  return warnings;
}

std::vector<std::string> write_file(const fs::path& target, std::span<const std::byte> content,
                                    const fs::path& like, IfExists if_exists) {
  const NewFile file{target, content, like, {}};
  return write_files(std::span(&file, 1), if_exists);
}

}  // namespace qturn
