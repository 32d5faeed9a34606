#include "src/files/temporary.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "src/files/safe_file.hpp"

namespace qturn {
namespace {

constexpr std::string_view marker = ".qturn-";
constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz012345";  // 32: no bias
constexpr std::size_t run_length = 6, count_length = 4;

std::string letters_of(std::uint64_t number, std::size_t count) {
  std::string text;
  for (; count > 0; --count, number /= letters.size()) text += letters[number % letters.size()];
  return text;
}

std::string next_letters() {
  static std::atomic<std::uint64_t> count = 0;
  return letters_of(count++, count_length);
}

/// Whether the file system cannot do what was asked of renameat2(). NFS is one.
bool is_unknown_rename() { return errno == EINVAL || errno == ENOSYS || errno == ENOTSUP; }

/// Whether any program has the file open for writing, as far as the system tells: it does so for
/// our own files, but not on network file systems.
bool is_open_for_writing(int fd) {
  // If a program opens it now, the system sends a signal, by default one that ends us.
  ::fcntl(fd, F_SETSIG, SIGURG);
  if (::fcntl(fd, F_SETLEASE, F_RDLCK) != 0) return errno == EAGAIN;
  ::fcntl(fd, F_SETLEASE, F_UNLCK);
  return false;
}

/// Times do not count: a network file system may give a written file a later one.
bool is_same(const FileState& a, const FileState& b) {
  return a.device == b.device && a.inode == b.inode && a.bytes == b.bytes;
}

}  // namespace

std::string temporary_name(std::string_view target, std::string_view run, std::string_view last,
                           std::size_t longest) {
  std::size_t kept =
      std::min(target.size(), longest - 1 - marker.size() - run.size() - last.size());
  // Does not cut a UTF-8 character, because some file systems refuse that.
  while (kept < target.size() && kept > 0 && (target[kept] & 0xC0) == 0x80) --kept;
  return fmt::format(".{}{}{}{}", target.substr(0, kept), marker, run, last);
}

Temporary::Temporary(FileDescriptor folder, std::string target, mode_t mode,
                     const std::filesystem::path& same_as)
    : folder_(std::move(folder)), target_name_(std::move(target)) {
  const long longest = ::fpathconf(folder_.get(), _PC_NAME_MAX);
  do {
    name_ = temporary_name(target_name_, run_id(), next_letters(),
                           longest > 64 ? static_cast<std::size_t>(longest) : 255);
    is_linked_ = !same_as.empty() && is_linked_to(same_as);
    if (is_linked_) break;
    file_ = FileDescriptor(::openat(folder_.get(), name_.c_str(),
                                    O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  } while (!file_ && (errno == EEXIST || errno == EINTR));
  // The file is opened to flush it.
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

Temporary::Temporary(FileDescriptor folder, std::string target, std::string name)
    : folder_(std::move(folder)),
      target_name_(std::move(target)),
      name_(std::move(name)),
      is_left_(true) {
  const auto found = state_of_name(name_);
  // A file that is not known now cannot be told from another program's file afterwards.
  if (!found && errno != ENOENT)
    throw FileError("cannot look at " + name_, name_, system_code(errno));
  own_ = found.value_or(Look());
}

Temporary::~Temporary() {
  if (is_left_ || is_kept_ || is_in_place_) return;
  // Another program's file may have its name by now.
  const auto found = state_of_name(name_);
  if (found ? found->inode == own_.inode : errno != ENOENT)
    ::unlinkat(folder_.get(), name_.c_str(), 0);
}

bool Temporary::remember() {
  struct stat status;
  if (!file_ || ::fstat(file_.get(), &status) != 0) return false;
  own_ = state_of(status);
  return true;
}

void Temporary::seal() { sealed_ = state_of_name(name_).value_or(Look()); }

bool Temporary::is_touched() {
  if (is_in_place_ || !sealed_) return is_touched_;
  const auto found = state_of_name(name_);
  return is_touched_ = is_touched_ || (found && *found != *sealed_);
}

/// The same after the rename, by what a rename does not change. False if the times say that the
/// file was written after the rename: the writer used the new name, so the change belongs there.
bool Temporary::is_touched_there() {
  const auto found = state_of_name(target_name_);
  if (!sealed_ || !found || found->inode != sealed_->inode || FileState(*found) == *sealed_ ||
      found->modified_ns >= found->changed_ns)
    return false;
  own_ = *found;
  return is_touched_ = true;
}

bool Temporary::rename(IfExists if_exists) {
  if (is_touched()) return false;
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
  const int reason = failed == 0 ? EBUSY : errno;
  // NFS may report an error and have done it.
  is_in_place_ = failed == 0 ? !is_another_there() : is_there();
  if (is_touched_there()) {
    is_in_place_ = false;
    ::renameat2(folder, to, folder, from, RENAME_NOREPLACE);
  }
  if (!is_in_place_) errno = reason;
  return is_in_place_;
}

std::optional<bool> Temporary::exchange(const FileState& original) {
  if (is_touched()) return false;
  if (!exchange_names() && !is_there()) {
    if (is_unknown_rename()) return rename(IfExists::replace);
    return errno == ENOENT ? std::nullopt : std::optional(false);
  }
  is_exchanged_ = is_in_place_ = true;
  const FileDescriptor out(::openat(folder_.get(), name_.c_str(),
                                    O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat status;
  const bool is_known = out && ::fstat(out.get(), &status) == 0;
  const int reason = is_known ? 0 : errno;
  if (is_known && state_of(status) == original && !is_open_for_writing(out.get()) &&
      !is_touched_there()) {
    is_in_place_ = !is_another_there();
    if (!is_in_place_) keep();
    return is_in_place_;
  }
  put_back();
  errno = reason;
  return reason == 0 || reason == ENOENT || reason == ELOOP ? std::nullopt : std::optional(false);
}

void Temporary::put_back() {
  is_exchanged_ = is_in_place_ = false;
  sealed_.reset();  // our own renames have changed a time
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

bool Temporary::remove_original() {
  return !is_exchanged_ || ::unlinkat(folder_.get(), name_.c_str(), 0) == 0 || errno == ENOENT;
}

/// NFS may report an error of a link that it has made.
bool Temporary::is_linked_to(const std::filesystem::path& file) const {
  if (::linkat(AT_FDCWD, file.c_str(), folder_.get(), name_.c_str(), AT_SYMLINK_FOLLOW) == 0)
    return true;
  struct stat status;
  const auto made = state_of_name(name_);
  return made && ::stat(file.c_str(), &status) == 0 && made->inode == status.st_ino &&
         made->device == status.st_dev;
}

std::optional<Temporary::Look> Temporary::state_of_name(const std::string& name) const {
  struct stat status;
  if (::fstatat(folder_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return std::nullopt;
  return Look{state_of(status), status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec,
              status.st_nlink};
}

/// Whether the target is what was written.
bool Temporary::is_there() const {
  const int reason = errno;
  const auto found = state_of_name(target_name_);
  errno = reason;
  return found && is_same(*found, own_);
}

/// True also if it is the same file, but somebody has written to it there.
bool Temporary::is_another_there() const {
  const auto found = state_of_name(target_name_);
  if (!found) return false;
  return !is_same(*found, own_) || (sealed_ && FileState(*found) != *sealed_);
}

bool Temporary::exchange_names() const {
  return ::renameat2(folder_.get(), name_.c_str(), folder_.get(), target_name_.c_str(),
                     RENAME_EXCHANGE) == 0;
}

const std::string& run_id() {
  static const std::string id = [] {
    std::uint64_t random;
    if (::getrandom(&random, sizeof random, 0) != sizeof random)
      throw std::system_error(errno, std::generic_category());
    return letters_of(random, run_length);
  }();
  return id;
}

bool is_temporary_name(std::string_view name, std::string_view run) {
  const std::size_t tail = marker.size() + run_length + count_length;
  return name.starts_with('.') && name.size() > tail &&
         name.substr(name.size() - tail, marker.size()) == marker &&
         name.substr(name.size() - tail + marker.size()).starts_with(run) &&
         name.find_first_not_of(letters, name.size() - run_length - count_length) ==
             std::string_view::npos;
}

}  // namespace qturn
