// Loaded into the program by LD_PRELOAD, so that its calls of the system meet what a test asks
// for.
// QTURN_TEST_FLUSH=fails: no folder can be flushed to the disk; =later: none after a file
// has been put into its place.
// QTURN_TEST_EDIT=FILE: another program saves FILE while ours flushes what it wrote.
// QTURN_TEST_METADATA=fails: a file's mode, times and attributes cannot be set.
// QTURN_TEST_ATTRIBUTES=unsupported: no attribute can be set, because the file system has none.
// QTURN_TEST_FLUSHES=FILE: gets a line for each flush, with what is flushed. QTURN_TEST_KILL=N: the
// N-th call that changes what is on the disk (write, fsync, rename, link, unlink) kills the program
// before it does anything.
// QTURN_TEST_SIGNAL=N and QTURN_TEST_SIGNAL_AT=END: the program gets signal N as soon as a file has
// been put into its place whose name ends in END, once. QTURN_TEST_SIGNAL_BEFORE=END: right before.
// QTURN_TEST_RENAME=END: no file whose name ends in END can be put into its place.
// QTURN_TEST_SPOIL=NAME: of each part that is written to a temporary of the file NAME, the byte in
// the middle is another one.
// QTURN_TEST_TOUCH=NAME: another program changes the last byte of a temporary of the file NAME,
// once, before it is flushed; with QTURN_TEST_TOUCH_AT=rename: right before it gets its
// name; =link: instead, it links to it before it is flushed.
// QTURN_TEST_FOLD=1: names that differ only in case are one file.
// QTURN_TEST_SIGNAL_IN_WAIT=1: when it first waits in poll() for its standard input or output.
// (CUDA waits for other files.)
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

/// Also if it was opened again.
bool is_standard_stream(int file) {
  struct stat status = {}, stream = {};
  if (::fstat(file, &status) != 0) return false;
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO})
    if (::fstat(standard, &stream) == 0 && status.st_dev == stream.st_dev &&
        status.st_ino == stream.st_ino)
      return true;
  return false;
}

void log_flush(std::string_view what) {
  const char* log = std::getenv("QTURN_TEST_FLUSHES");
  if (!log) return;
  const int file = ::open(log, O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (file < 0 || ::syscall(SYS_write, file, what.data(), what.size()) < 0 || ::close(file) != 0)
    std::abort();
}

/// Whether the file NAME of the variable has this temporary.
bool is_temporary_of(const char* variable, const std::string& path) {
  const char* name = std::getenv(variable);
  return name && path.find("/." + std::string(name) + ".qturn-") != std::string::npos;
}

std::string path_of(int file) {
  char path[4096] = {};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  return {path, static_cast<std::size_t>(
                    std::max<ssize_t>(::readlink(link.c_str(), path, sizeof path - 1), 0))};
}

/// As another program that works on the temporary, `when` the variable says.
void touch(const std::string& path, std::string_view when) {
  const char* at = std::getenv("QTURN_TEST_TOUCH_AT");
  static std::atomic<bool> is_done = false;
  if (!is_temporary_of("QTURN_TEST_TOUCH", path) || (at ? at : "flush") != when ||
      is_done.exchange(true))
    return;
  if (when == "link") {
    if (::syscall(SYS_linkat, AT_FDCWD, path.c_str(), AT_FDCWD, (path + "-2").c_str(), 0) != 0)
      std::abort();
    return;
  }
  const int other = ::open(path.c_str(), O_RDWR);
  const off_t last = ::lseek(other, -1, SEEK_END);
  char byte = 0;
  if (::pread(other, &byte, 1, last) != 1) std::abort();
  byte = static_cast<char>(byte ^ 1);
  if (::pwrite(other, &byte, 1, last) != 1 || ::close(other) != 0) std::abort();
  // The times of files have steps of a few milliseconds: the rename gets a later one.
  const timespec later = {0, 20'000'000};
  ::nanosleep(&later, nullptr);
}

void count_call() {
  static std::atomic<int> calls = 0;
  const char* last = std::getenv("QTURN_TEST_KILL");
  if (last && ++calls == std::atoi(last)) ::kill(::getpid(), SIGKILL);
}

/// Sends the signal, once, to the thread that calls, which has it before it goes on. False if it
/// has been sent.
bool send_signal() {
  static std::atomic<bool> sent = false;
  const char* number = std::getenv("QTURN_TEST_SIGNAL");
  if (!number || sent.exchange(true)) return false;
  if (std::raise(std::atoi(number)) != 0) std::abort();
  return true;
}

/// If `variable` is how the name ends.
void signal_if(const char* variable, std::string_view name) {
  const char* end = std::getenv(variable);
  if (end && name.ends_with(end)) send_signal();
}

/// The path that is meant: what is there and differs only in case, if names are folded.
std::string meant(int folder, const char* path) {
  std::string found = path;
  struct stat status;
  if (!std::getenv("QTURN_TEST_FOLD") ||
      ::syscall(SYS_newfstatat, folder, path, &status, AT_SYMLINK_NOFOLLOW) == 0)
    return found;
  const std::size_t end = found.rfind('/') + 1;  // 0: there is none
  const std::string parent = end == 0 ? "." : found.substr(0, end);
  const long opened = ::syscall(SYS_openat, folder, parent.c_str(), O_RDONLY | O_DIRECTORY);
  if (opened < 0) return found;
  DIR* const names = ::fdopendir(static_cast<int>(opened));
  while (const dirent* name = ::readdir(names))
    if (::strcasecmp(name->d_name, path + end) == 0) found.replace(end, found.npos, name->d_name);
  ::closedir(names);
  return found;
}

std::atomic<bool> is_any_in_place = false;

/// As the system call `number`, which puts a file into its place.
template <typename... Arguments>
int put_in_place(std::string_view name, long number, Arguments... arguments) {
  count_call();
  signal_if("QTURN_TEST_SIGNAL_BEFORE", name);
  if (const char* end = std::getenv("QTURN_TEST_RENAME"); end && name.ends_with(end)) {
    errno = EIO;
    return -1;
  }
  const long result = ::syscall(number, arguments...);
  if (result == 0) {
    is_any_in_place = true;
    signal_if("QTURN_TEST_SIGNAL_AT", name);
  }
  return static_cast<int>(result);
}

/// As the system call `number`, unless metadata fails.
template <typename... Arguments>
int set_metadata(long number, Arguments... arguments) {
  if (std::getenv("QTURN_TEST_METADATA")) {
    errno = EPERM;
    return -1;
  }
  return static_cast<int>(::syscall(number, arguments...));
}

}  // namespace

/// A lock is put into its place when its file is made.
EXPORTED int open(const char* name, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (flags & O_EXCL) signal_if("QTURN_TEST_SIGNAL_BEFORE", name);
  const long file = ::syscall(SYS_openat, AT_FDCWD, meant(AT_FDCWD, name).c_str(), flags, mode);
  if ((flags & O_EXCL) && file >= 0) signal_if("QTURN_TEST_SIGNAL_AT", name);
  return static_cast<int>(file);
}

EXPORTED int fchmod(int file, mode_t mode) { return set_metadata(SYS_fchmod, file, mode); }

EXPORTED int fsetxattr(int file, const char* name, const void* value, size_t size, int flags) {
  if (std::getenv("QTURN_TEST_ATTRIBUTES")) {
    errno = ENOTSUP;
    return -1;
  }
  return set_metadata(SYS_fsetxattr, file, name, value, size, flags);
}

EXPORTED int futimens(int file, const timespec* times) {
  return set_metadata(SYS_utimensat, file, nullptr, times, 0);
}

EXPORTED int rename(const char* from, const char* to) {
  return put_in_place(to, SYS_rename, from, to);
}

EXPORTED int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  touch(path_of(from_folder) + "/" + from, "rename");
  return put_in_place(to, SYS_renameat, from_folder, from, to_folder, meant(to_folder, to).c_str());
}

EXPORTED int renameat2(int from_folder, const char* from, int to_folder, const char* to,
                       unsigned flags) {
  touch(path_of(from_folder) + "/" + from, "rename");
  return put_in_place(to, SYS_renameat2, from_folder, from, to_folder, meant(to_folder, to).c_str(),
                      flags);
}

EXPORTED int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  return put_in_place(to, SYS_linkat, from_folder, from, to_folder, to, flags);
}

EXPORTED int fstatat(int folder, const char* name, struct stat* status, int flags) {
  return static_cast<int>(
      ::syscall(SYS_newfstatat, folder, meant(folder, name).c_str(), status, flags));
}

EXPORTED int stat(const char* name, struct stat* status) {
  return ::fstatat(AT_FDCWD, name, status, 0);
}

EXPORTED int lstat(const char* name, struct stat* status) {
  return ::fstatat(AT_FDCWD, name, status, AT_SYMLINK_NOFOLLOW);
}

EXPORTED int unlink(const char* name) {
  count_call();
  return static_cast<int>(::syscall(SYS_unlink, name));
}

EXPORTED int unlinkat(int folder, const char* name, int flags) {
  count_call();
  return static_cast<int>(::syscall(SYS_unlinkat, folder, name, flags));
}

EXPORTED ssize_t write(int file, const void* bytes, size_t count) {
  if (file > 2) count_call();
  if (count > 0 && is_temporary_of("QTURN_TEST_SPOIL", path_of(file))) {
    std::string other(static_cast<const char*>(bytes), count);
    other[count / 2] = static_cast<char>(other[count / 2] ^ 1);
    return ::syscall(SYS_write, file, other.data(), count);
  }
  return ::syscall(SYS_write, file, bytes, count);
}

EXPORTED int poll(pollfd* files, nfds_t count, int milliseconds) {
  const timespec none = {};
  const timespec most = {milliseconds / 1000, milliseconds % 1000 * 1'000'000L};
  if (std::getenv("QTURN_TEST_SIGNAL_IN_WAIT") && is_standard_stream(files->fd) &&
      ::ppoll(files, count, &none, nullptr) == 0 && send_signal()) {
    errno = EINTR;
    return -1;
  }
  return ::ppoll(files, count, milliseconds < 0 ? nullptr : &most, nullptr);
}

EXPORTED int syncfs(int file) {
  log_flush("file system\n");
  return static_cast<int>(::syscall(SYS_syncfs, file));
}

EXPORTED int fsync(int file) {
  count_call();
  struct stat status;
  if (::fstat(file, &status) != 0) return -1;
  log_flush(S_ISDIR(status.st_mode) ? "folder\n" : "file\n");
  const char* flush = std::getenv("QTURN_TEST_FLUSH");
  if (S_ISDIR(status.st_mode) && flush) {
    if (std::string_view(flush) == "fails" || is_any_in_place) {
      errno = EIO;
      return -1;
    }
  }
  if (const char* edited = std::getenv("QTURN_TEST_EDIT"); edited && S_ISREG(status.st_mode)) {
    const int other = ::open(edited, O_WRONLY | O_APPEND);
    if (other < 0 || ::write(other, "saved", 5) != 5 || ::close(other) != 0) std::abort();
  }
  touch(path_of(file), "flush");
  touch(path_of(file), "link");
  return static_cast<int>(::syscall(SYS_fsync, file));
}
