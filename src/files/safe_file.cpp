#include "src/files/safe_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <system_error>

#include "src/files/file_parts.hpp"
#include "src/picture/errors.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view marker = ".qturn-";
constexpr std::string_view temporary_letters = "abcdefghijklmnopqrstuvwxyz012345";  // 32: no bias
constexpr std::size_t run_length = 6, count_length = 4;
/// What is read or written and hashed at a time. It stays in the caches of a core in between
/// (docs/measurements/jpeg-h200.md).
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

FileDescriptor open_folder(const fs::path& folder) {
  return FileDescriptor(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
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

std::string letters_of(std::uint64_t number, std::size_t count) {
  std::string letters;
  for (; count > 0; --count, number /= temporary_letters.size()) {
    letters += temporary_letters[number % temporary_letters.size()];
  }
  return letters;
}

std::string temporary_name(const std::string& name, std::size_t longest) {
  static std::atomic<std::uint64_t> count = 0;
  const std::size_t tail = marker.size() + run_length + count_length;
  std::size_t kept = std::min(name.size(), longest - 1 - tail);
  // Does not cut a UTF-8 character, because some file systems refuse that.
  while (kept < name.size() && kept > 0 && (name[kept] & 0xC0) == 0x80) --kept;
  return fmt::format(".{}{}{}{}", std::string_view(name).substr(0, kept), marker, run_id(),
                     letters_of(count++, count_length));
}

/// What of a file could not be given to another, and why the first of it could not.
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
  // The folder may have given the new file one.
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
Lost make_alike(const fs::path& path, const struct stat& like, int fd, Times which_times) {
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
  if (which_times == Times::of_the_other) {
    const timespec times[] = {like.st_atim, like.st_mtim};
    if (::futimens(fd, times) != 0) lost.add("times");
  }
  return lost;
}

/// Whether the file system cannot do what was asked of renameat2(). NFS is one.
bool is_unknown_rename() { return errno == EINVAL || errno == ENOSYS || errno == ENOTSUP; }

/// Whether any program has the file open for writing. As far as the system tells that: of files of
/// our own, not on network file systems.
bool is_open_for_writing(int fd) {
  // If a program opens it now, the system sends a signal, by default one that ends us.
  ::fcntl(fd, F_SETSIG, SIGURG);
  if (::fcntl(fd, F_SETLEASE, F_RDLCK) != 0) return errno == EAGAIN;
  ::fcntl(fd, F_SETLEASE, F_UNLCK);
  return false;
}

/// The file beside the target, deleted unless it is in its place.
class Temporary {
 public:
  /// In `folder`, to be called `name`. If `same_as` is not empty, it is that file if it can be.
  Temporary(FileDescriptor folder, std::string name, mode_t mode, const fs::path& same_as)
      : folder_(std::move(folder)), target_name_(std::move(name)) {
    const long longest = ::fpathconf(folder_.get(), _PC_NAME_MAX);
    do {
      name_ = temporary_name(target_name_, longest > 64 ? static_cast<std::size_t>(longest) : 255);
      is_linked_ = !same_as.empty() && is_linked_to(same_as);
      if (is_linked_) break;
      file_ = FileDescriptor(::openat(folder_.get(), name_.c_str(),
                                      O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
    } while (!file_ && (errno == EEXIST || errno == EINTR));
    // To flush it.
    if (is_linked_)
      file_ = FileDescriptor(::openat(folder_.get(), name_.c_str(),
                                      O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
    if ((file_ || is_linked_) && !remember()) {
      const int reason = errno;
      ::unlinkat(folder_.get(), name_.c_str(), 0);
      file_ = FileDescriptor();
      errno = reason;
    }
  }
  ~Temporary() {
    if (is_kept_ || is_in_place_) return;
    // Another program's file may have its name by now.
    const auto found = state_of_name(name_);
    if (found ? found->inode == own_.inode : errno != ENOENT)
      ::unlinkat(folder_.get(), name_.c_str(), 0);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  FileDescriptor& file() { return file_; }
  bool is_linked() const { return is_linked_; }
  const FileDescriptor& folder() const { return folder_; }
  const std::string& name() const { return name_; }
  bool is_in_place() const { return is_in_place_; }
  bool is_exchanged() const { return is_exchanged_; }
  std::uint64_t bytes() const { return own_.bytes; }
  bool is(const struct stat& file) const { return own_.inode == file.st_ino; }
  void keep() { is_kept_ = true; }
  bool is_kept() const { return is_kept_; }

  /// To be called when all is written, while the file is open: this is what must be in the place.
  /// False, with errno set, if it cannot be looked at.
  bool remember() {
    struct stat status;
    if (!file_ || ::fstat(file_.get(), &status) != 0) return false;
    own_ = state_of(status);
    return true;
  }

  /// Gives it the name of the target. Returns false, with errno set, if that failed.
  bool rename(IfExists if_exists) {
    const int folder = folder_.get();
    const char* from = name_.c_str();
    const char* to = target_name_.c_str();
    const bool replaces = if_exists == IfExists::replace;
    int failed = replaces ? ::renameat(folder, from, folder, to)
                          : ::renameat2(folder, from, folder, to, RENAME_NOREPLACE);
    // link() never replaces a file.
    if (failed != 0 && !replaces && is_unknown_rename()) {
      failed = ::linkat(folder, from, folder, to, 0);
      if (failed == 0 || is_there()) ::unlinkat(folder, from, 0);
    }
    // NFS may report an error of what it has done.
    is_in_place_ = failed == 0 ? !is_another_there() : is_there();
    if (!is_in_place_ && failed == 0) errno = EBUSY;
    return is_in_place_;
  }

  /// The same if the target is in the state `original`, and no program has it open for writing.
  /// Both are looked at when the two files have exchanged their names, so that no program can come
  /// in between. None: the target is another file, and has its name again.
  std::optional<bool> exchange(const FileState& original) {
    if (!exchange_names() && !is_there()) {
      if (is_unknown_rename()) return rename(IfExists::replace);
      return errno == ENOENT ? std::nullopt : std::optional(false);
    }
    is_exchanged_ = is_in_place_ = true;
    const FileDescriptor out(::openat(folder_.get(), name_.c_str(),
                                      O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
    const int reason = out ? 0 : errno;
    struct stat status;
    if (out && ::fstat(out.get(), &status) == 0 && state_of(status) == original &&
        !is_open_for_writing(out.get())) {
      is_in_place_ = !is_another_there();
      if (!is_in_place_) keep();
      return is_in_place_;
    }
    put_back();
    errno = reason;
    return reason == 0 || reason == ENOENT || reason == ELOOP ? std::nullopt : std::optional(false);
  }

  /// Undoes exchange(). If another program has put a file there since, that stays there.
  void put_back() {
    is_exchanged_ = is_in_place_ = false;
    for (std::optional<FileState> there = own_;;) {
      const auto beside = state_of_name(name_);
      // What is beside the place now has no other name.
      if (!exchange_names() && ::renameat2(folder_.get(), name_.c_str(), folder_.get(),
                                           target_name_.c_str(), RENAME_NOREPLACE) != 0)
        return keep();
      const auto out = state_of_name(name_);
      if (!out || !beside || is_same(*out, *there)) return;
      there = beside;
    }
  }

  /// Ends exchange(). False, with errno set, if the original is still there under name().
  bool remove_original() {
    return !is_exchanged_ || ::unlinkat(folder_.get(), name_.c_str(), 0) == 0 || errno == ENOENT;
  }

 private:
  /// NFS may report an error of a link that it has made.
  bool is_linked_to(const fs::path& file) const {
    if (::linkat(AT_FDCWD, file.c_str(), folder_.get(), name_.c_str(), AT_SYMLINK_FOLLOW) == 0)
      return true;
    struct stat status;
    const auto made = state_of_name(name_);
    return made && ::stat(file.c_str(), &status) == 0 && made->inode == status.st_ino &&
           made->device == status.st_dev;
  }
  std::optional<FileState> state_of_name(const std::string& name) const {
    struct stat status;
    if (::fstatat(folder_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      return std::nullopt;
    return state_of(status);
  }
  /// A network file system may give what was written a later time.
  static bool is_same(const FileState& a, const FileState& b) {
    return a.device == b.device && a.inode == b.inode && a.bytes == b.bytes;
  }
  /// Whether the target is what was written.
  bool is_there() const {
    const int reason = errno;
    const auto found = state_of_name(target_name_);
    errno = reason;
    return found && is_same(*found, own_);
  }
  bool is_another_there() const {
    const auto found = state_of_name(target_name_);
    return found && !is_same(*found, own_);
  }
  bool exchange_names() const {
    return ::renameat2(folder_.get(), name_.c_str(), folder_.get(), target_name_.c_str(),
                       RENAME_EXCHANGE) == 0;
  }

  FileDescriptor folder_;
  std::string target_name_, name_;
  FileDescriptor file_;
  FileState own_;
  bool is_kept_ = false, is_linked_ = false, is_exchanged_ = false, is_in_place_ = false;
};

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

std::vector<std::byte> read_file(const fs::path& path, std::vector<std::byte> memory,
                                 FileState* state) {
  return read_whole(path, opened_to_read(path), std::move(memory), state,
                    [](std::span<const std::byte>) {});
}

FileBytes read_file(const fs::path& path, FileBytes memory, FileState& state, ContentHash& hash) {
  Hasher hasher;
  memory = read_whole(path, opened_to_read(path), std::move(memory), &state,
                      [&](std::span<const std::byte> part) { hasher.add(part); });
  hash = hasher.hash();
  return memory;
}

bool share_blocks(const fs::path& file, int to) {
  const FileDescriptor from = opened_to_read(file);
  return from && ::ioctl(to, FICLONE, from.get()) == 0;
}

struct StagedFiles::File {
  /// Written to `place`; the folder of that is `named` as messages and journals name it.
  File(const NewFile& file, const fs::path& place, fs::path named, FileDescriptor opened_folder)
      : target(file.target),
        folder(std::move(named)),
        like(file.like),
        is_new(file.same_as.empty()),
        like_state(file.like_state),
        temporary(std::move(opened_folder), place.filename().string(),
                  file.like.empty() && file.same_as.empty() ? 0666 : 0600, file.same_as) {}

  /// It is made of the file that it replaces.
  bool replaces_like() const { return like_state && like == target; }

  fs::path target, folder, like;
  bool is_new;                ///< it is the same as no other file
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
    make_alike(like, like_status, opened.get(), file.times).report(target, warnings_);
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

FileBytes StagedFiles::read_back(std::size_t index, FileBytes memory) const try {
  File& file = *files_[index];
  Hasher hasher;
  memory = read_whole(file.target, file.temporary.file(), std::move(memory), nullptr,
                      [&](std::span<const std::byte> part) { hasher.add(part); });
  if (const ContentHash hash = hasher.hash(); hash != file.hash) {
    throw ProofError(
        fmt::format("{} is on the disk with another hash than it was written with: {} "
                    "expected, {} found",
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
  // Whoever reports the error names the first file.
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

void StagedFiles::put_in_place(std::size_t index) {
  File& file = *files_[index];
  const bool is_exchange = if_exists_ == IfExists::replace && file.replaces_like();
  const auto is_done = is_exchange ? file.temporary.exchange(*file.like_state)
                                   : std::optional(file.temporary.rename(if_exists_));
  if (file.temporary.is_kept()) {
    throw FileError(fmt::format("another program has put its file in the place of {}; what was "
                                "there is {}",
                                file.target.string(), temporary(index).string()),
                    file.target, system_code(EBUSY));
  }
  if (!is_done) fail_changed(index, {});
  if (!*is_done) fail_write(file.target);
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
  for (std::size_t i = files_.size(); i-- > 0;) check_original(i);
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
  if (prove) prove(staged);
  std::vector<std::string> warnings = staged.warnings();
  const std::vector<std::string> more = staged.put_in_place();
  warnings.insert(warnings.end(), more.begin(), more.end());
  FlushedFolders flushed;
  staged.flush_folders(flushed, warnings);
  return warnings;
}

std::vector<std::string> write_file(const fs::path& target, std::span<const std::byte> content,
                                    const fs::path& like, IfExists if_exists, Times times) {
  const NewFile file{target, content, like, times, {}};
  return write_files(std::span(&file, 1), if_exists);
}

const std::string& run_id() {
  static const std::string id = [] {
    std::uint64_t random;
    if (::getrandom(&random, sizeof random, 0) != sizeof random) {
      throw std::system_error(system_code(errno));
    }
    return letters_of(random, run_length);
  }();
  return id;
}

bool is_temporary_name(std::string_view name, std::string_view run) {
  const std::size_t tail = marker.size() + run_length + count_length;
  return name.starts_with('.') && name.size() > tail &&
         name.substr(name.size() - tail, marker.size()) == marker &&
         name.substr(name.size() - tail + marker.size()).starts_with(run) &&
         name.find_first_not_of(temporary_letters, name.size() - run_length - count_length) ==
             std::string_view::npos;
}

}  // namespace qturn
