#include "src/files/safe_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <system_error>

#include "src/files/file_descriptor.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view marker = ".qturn-";
constexpr std::string_view random_letters = "abcdefghijklmnopqrstuvwxyz012345";  // 32: no bias
constexpr std::size_t random_length = 6;

std::error_code reason_of(int number) { return {number, std::generic_category()}; }

[[noreturn]] void fail_write(const fs::path& target, std::error_code reason = reason_of(errno)) {
  throw FileError("cannot write " + target.string(), target, reason);
}

/// The path that `target` stands for, also when the last link points to nothing yet.
fs::path follow_links(const fs::path& target) {
  fs::path path = target;
  for (int links = 0; fs::is_symlink(fs::symlink_status(path)); ++links) {
    if (links == 40) fail_write(target, reason_of(ELOOP));
    path = path.parent_path() / fs::read_symlink(path);
  }
  return path;
}

FileDescriptor open_folder(const fs::path& folder) {
  return FileDescriptor(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/// Opens the folder, which is made where it is missing. A new folder's name is flushed to the disk
/// too, or a power cut could take the folder and the file in it.
FileDescriptor open_or_make_folder(const fs::path& folder) {
  FileDescriptor opened = open_folder(folder);
  if (opened || errno != ENOENT || folder.empty()) return opened;
  const FileDescriptor parent = open_or_make_folder(folder.parent_path());
  if (!parent) return FileDescriptor();
  if (::mkdirat(parent.get(), folder.filename().c_str(), 0777) == 0) {
    ::fsync(parent.get());
  } else if (errno != EEXIST) {
    return FileDescriptor();
  }
  return open_folder(folder);
}

std::string temporary_name(const std::string& name, std::size_t longest) {
  unsigned char random[random_length];
  if (::getrandom(random, sizeof random, 0) != sizeof random)
    throw std::system_error(reason_of(errno));

  std::size_t kept = std::min(name.size(), longest - 1 - marker.size() - random_length);
  // Never half of a UTF-8 character, which some file systems refuse.
  while (kept < name.size() && kept > 0 && (name[kept] & 0xC0) == 0x80) --kept;
  std::string temporary = fmt::format(".{}{}", std::string_view(name).substr(0, kept), marker);
  for (const unsigned char number : random) {
    temporary += random_letters[number % random_letters.size()];
  }
  return temporary;
}

bool write_all(int fd, std::span<const std::byte> content) {
  while (!content.empty()) {
    // write() takes at most 2 GiB at once, and returns early where it likes.
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content = content.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

/// Ratings and tags that photo managers keep beside the picture, and who may read it.
void copy_attributes(const fs::path& like, int fd) {
  constexpr std::size_t longest = 65536;  // what the system allows for the list and for a value
  std::vector<char> names(longest);
  const ssize_t names_length = ::listxattr(like.c_str(), names.data(), names.size());
  for (ssize_t at = 0; at < names_length;) {
    const std::string name(&names[static_cast<std::size_t>(at)]);
    at += static_cast<ssize_t>(name.size()) + 1;
    if (!name.starts_with("user.") && name != "system.posix_acl_access") continue;
    std::vector<char> value(longest);
    const ssize_t length = ::getxattr(like.c_str(), name.c_str(), value.data(), value.size());
    if (length >= 0) {
      ::fsetxattr(fd, name.c_str(), value.data(), static_cast<std::size_t>(length), 0);
    }
  }
}

/// Every step is best effort: file systems without owners or modes refuse, and the temporary's own
/// mode, 0600, opens nothing to anybody.
void make_alike(const fs::path& path, const struct stat& like, int fd, Times which_times) {
  mode_t mode = like.st_mode & 07777;
  if (::fchown(fd, like.st_uid, like.st_gid) != 0) {
    // Running as somebody else must never follow from the copy of a file.
    mode &= 0777;
    // Without the right to give a file away, the group may still be one of ours.
    [[maybe_unused]] const int ignored = ::fchown(fd, static_cast<uid_t>(-1), like.st_gid);
  }
  ::fchmod(fd, mode);
  copy_attributes(path, fd);
  if (which_times == Times::now) return;
  const timespec times[] = {like.st_atim, like.st_mtim};
  ::futimens(fd, times);
}

}  // namespace

std::vector<std::byte> read_file(const fs::path& path, std::vector<std::byte> content) {
  const auto fail = [&](int number) { throw FileError("cannot read", path, reason_of(number)); };
  // O_NONBLOCK: a pipe without a writer must not hold up the run.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0) fail(errno);
  if (S_ISDIR(status.st_mode)) fail(EISDIR);
  if (!S_ISREG(status.st_mode)) fail(EINVAL);

  content.resize(static_cast<std::size_t>(status.st_size));
  std::byte one_more;
  for (std::size_t have = 0;;) {
    const bool all = have == content.size();
    const ssize_t got = all ? ::read(file.get(), &one_more, 1)
                            : ::read(file.get(), content.data() + have, content.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(errno);
    if (all && got == 0) return content;
    if (all || got == 0) fail(EBUSY);
    have += static_cast<std::size_t>(got);
  }
}

/// The file beside the target, deleted unless it was renamed.
class StagedFile::Temporary {
 public:
  /// In `folder`, to be called `name`.
  Temporary(FileDescriptor folder, std::string name, mode_t mode)
      : folder_(std::move(folder)), target_name_(std::move(name)) {
    const long longest = ::fpathconf(folder_.get(), _PC_NAME_MAX);
    do {
      name_ = temporary_name(target_name_, longest > 64 ? static_cast<std::size_t>(longest) : 255);
      file_ = FileDescriptor(::openat(folder_.get(), name_.c_str(),
                                      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
    } while (!file_ && (errno == EEXIST || errno == EINTR));
  }
  ~Temporary() {
    if (!name_.empty()) ::unlinkat(folder_.get(), name_.c_str(), 0);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  FileDescriptor& file() { return file_; }
  const FileDescriptor& folder() const { return folder_; }

  /// Gives it the target's name. False, with errno set, where that failed.
  bool rename(IfExists if_exists) {
    const int folder = folder_.get();
    const char* from = name_.c_str();
    const char* to = target_name_.c_str();
    if (if_exists == IfExists::replace) {
      if (::renameat(folder, from, folder, to) != 0) return false;
    } else if (::renameat2(folder, from, folder, to, RENAME_NOREPLACE) != 0) {
      // NFS and others know no such rename, but a second name for a file never replaces one.
      if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) return false;
      if (::linkat(folder, from, folder, to, 0) != 0) return false;
      ::unlinkat(folder, from, 0);
    }
    name_.clear();
    return true;
  }

 private:
  FileDescriptor folder_;
  std::string target_name_, name_;
  FileDescriptor file_;
};

StagedFile::StagedFile(const fs::path& target, std::span<const std::byte> content,
                       const fs::path& like, Times times) try
    : target_(target) {
  struct stat like_status;
  if (!like.empty() && ::stat(like.c_str(), &like_status) != 0) fail_write(target);

  const fs::path place = follow_links(target);
  FileDescriptor folder = open_or_make_folder(place.parent_path());
  if (!folder) fail_write(target);

  temporary_ = std::make_unique<Temporary>(std::move(folder), place.filename().string(),
                                           like.empty() ? 0666 : 0600);
  FileDescriptor& file = temporary_->file();
  if (!file || !write_all(file.get(), content)) fail_write(target);
  if (!like.empty()) make_alike(like, like_status, file.get(), times);
  if (::fsync(file.get()) != 0) fail_write(target);
  if (file.close() != 0 && errno != EINTR) fail_write(target);
} catch (const FileError&) {
  throw;
} catch (const std::system_error& error) {
  fail_write(target, error.code());
}

StagedFile::~StagedFile() = default;
StagedFile::StagedFile(StagedFile&&) noexcept = default;
StagedFile& StagedFile::operator=(StagedFile&&) noexcept = default;

void StagedFile::put_in_place(IfExists if_exists) {
  if (!temporary_->rename(if_exists)) fail_write(target_);
  // Some network file systems cannot flush a folder, and say so with EINVAL.
  if (::fsync(temporary_->folder().get()) != 0 && errno != EINVAL) fail_write(target_);
}

void write_file(const fs::path& target, std::span<const std::byte> content, const fs::path& like,
                IfExists if_exists, Times times) {
  StagedFile(target, content, like, times).put_in_place(if_exists);
}

bool is_temporary_name(std::string_view name) {
  const std::size_t tail = marker.size() + random_length;
  return name.starts_with('.') && name.size() > tail &&
         name.substr(name.size() - tail, marker.size()) == marker &&
         name.find_first_not_of(random_letters, name.size() - random_length) == name.npos;
}

}  // namespace qturn
