#include "src/files/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <string>
#include <utility>

#include "src/files/json_names.hpp"
#include "src/files/safe_file.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

std::string host() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string text_of_this_process() {
  Json json;
  put_name(json, "host", host());
  json["process"] = ::getpid();
  return dump(json) + "\n";
}

/// "process 7" or "process 7 on HOST"
std::string holder_in(int file) try {
  std::string text(4096, '\0');
  const ssize_t length = ::pread(file, text.data(), text.size(), 0);
  text.resize(length < 0 ? 0 : static_cast<std::size_t>(length));
  const Json json = Json::parse(text);
  const std::string on = get_name(json, "host");
  return fmt::format("process {}{}", json.at("process").get<long>(),
                     on == host() ? "" : " on " + on);
} catch (const std::exception&) {
  return "of which nothing is known";
}

struct flock whole_file() {
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return whole;
}

/// Whether this process holds the lock now. False, with errno set, if another one does.
bool lock_now(int file) {
  struct flock whole = whole_file();
  int status = 0;
  do {
    status = ::fcntl(file, F_OFD_SETLK, &whole);
  } while (status != 0 && errno == EINTR);
  return status == 0;
}

/// Whether the open file still has its name. The last holder removes it before it lets go.
bool has_its_name(const FileDescriptor& file, const fs::path& name) {
  struct stat opened, named;
  return ::fstat(file.get(), &opened) == 0 && ::lstat(name.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

/// Makes the file if it is not there; `is_new` tells. O_NONBLOCK: a pipe of this name must not
/// block the run.
FileDescriptor open_or_make(const fs::path& file, bool& is_new) {
  constexpr int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  for (;;) {
    FileDescriptor opened(::open(file.c_str(), flags | O_CREAT | O_EXCL, 0666));
    is_new = static_cast<bool>(opened);
    if (!opened && errno == EEXIST) opened = FileDescriptor(::open(file.c_str(), flags));
    if (opened || (errno != ENOENT && errno != EINTR)) return opened;
    if (errno == ENOENT && !fs::exists(file.parent_path().empty() ? "." : file.parent_path()))
      return opened;
  }
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder) : file_(folder / lock_name) {
  bool is_new = false;
  const auto fail = [&](const char* cannot, std::error_code reason) {
    if (is_new) ::unlink(file_.c_str());
    throw FileError(fmt::format("{} {}", cannot, file_.string()), file_, reason);
  };
  do {
    opened_ = open_or_make(file_, is_new);
    struct stat status;
    if (!opened_ || ::fstat(opened_.get(), &status) != 0)
      fail("cannot lock the folder with", system_code(errno));
    if (!S_ISREG(status.st_mode))
      throw FileError(file_.string() + " is not a regular file; remove it", file_, {});
    if (!lock_now(opened_.get())) {
      if (errno != EAGAIN && errno != EACCES) fail("cannot lock", system_code(errno));
      throw FileError(fmt::format("{}: another qturn ({}) is working here; wait until it ends",
                                  folder.string(), holder_in(opened_.get())),
                      file_, {});
    }
  } while (!has_its_name(opened_, file_));
  is_new = true;  // from here on it is ours
  const std::string text = text_of_this_process();
  if (::ftruncate(opened_.get(), 0) != 0 ||
      !write_all(opened_.get(), std::as_bytes(std::span(text)))) {
    fail("cannot write", system_code(errno));
  }
}

FolderLock::~FolderLock() {
  if (opened_) ::unlink(file_.c_str());
}

bool is_locked(const fs::path& folder) {
  constexpr int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  const FileDescriptor file(::open((folder / lock_name).c_str(), flags));
  struct flock whole = whole_file();
  return file && ::fcntl(file.get(), F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

}  // namespace qturn
