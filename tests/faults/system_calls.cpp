#include "tests/faults/system_calls.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#ifndef __x86_64__
#error "The registers of other processors are not known here."
#endif

namespace faults {
namespace {

namespace fs = std::filesystem;
using SystemCallInfo = __ptrace_syscall_info;

/// Where the arguments of a call lie; -1: it has no such argument. A path is relative to the
/// folder before it.
struct Row {
  long number;
  std::string_view name;
  int file = -1, path = -1;
  int to_folder = -1, to_path = -1;
  int length = -1;
  int command = -1;  ///< the second argument, if only calls with this one are meant
};

constexpr Row rows[] = {
    {SYS_open, "open", -1, 0},
    {SYS_openat, "open", 0, 1},
    {SYS_openat2, "open", 0, 1},
    {SYS_creat, "open", -1, 0},
    {SYS_close, "close", 0},
    {SYS_read, "read", 0, -1, -1, -1, 2},
    {SYS_pread64, "read", 0, -1, -1, -1, 2},
    {SYS_readv, "read", 0},
    {SYS_getdents64, "getdents", 0},
    {SYS_write, "write", 0, -1, -1, -1, 2},
    {SYS_pwrite64, "write", 0, -1, -1, -1, 2},
    {SYS_writev, "write", 0},
    {SYS_pwritev, "write", 0},
    {SYS_sendfile, "write", 0},
    {SYS_copy_file_range, "write", 2},
    {SYS_fsync, "fsync", 0},
    {SYS_fdatasync, "fsync", 0},
    {SYS_syncfs, "fsync", 0},
    {SYS_ftruncate, "truncate", 0},
    {SYS_truncate, "truncate", -1, 0},
    {SYS_fallocate, "truncate", 0},
    {SYS_rename, "rename", -1, 0, -1, 1},
    {SYS_renameat, "rename", 0, 1, 2, 3},
    {SYS_renameat2, "rename", 0, 1, 2, 3},
    {SYS_link, "link", -1, 0, -1, 1},
    {SYS_linkat, "link", 0, 1, 2, 3},
    {SYS_unlink, "unlink", -1, 0},
    {SYS_unlinkat, "unlink", 0, 1},
    {SYS_mkdir, "mkdir", -1, 0},
    {SYS_mkdirat, "mkdir", 0, 1},
    {SYS_rmdir, "unlink", -1, 0},
    {SYS_stat, "stat", -1, 0},
    {SYS_lstat, "stat", -1, 0},
    {SYS_fstat, "stat", 0},
    {SYS_newfstatat, "stat", 0, 1},
    {SYS_statx, "stat", 0, 1},
    {SYS_access, "access", -1, 0},
    {SYS_faccessat, "access", 0, 1},
    {SYS_faccessat2, "access", 0, 1},
    {SYS_readlink, "readlink", -1, 0},
    {SYS_readlinkat, "readlink", 0, 1},
    {SYS_chmod, "chmod", -1, 0},
    {SYS_fchmod, "chmod", 0},
    {SYS_fchmodat, "chmod", 0, 1},
    {SYS_chown, "chown", -1, 0},
    {SYS_fchown, "chown", 0},
    {SYS_fchownat, "chown", 0, 1},
    {SYS_utimensat, "utimens", 0, 1},
    {SYS_setxattr, "setxattr", -1, 0},
    {SYS_fsetxattr, "setxattr", 0},
    {SYS_removexattr, "setxattr", -1, 0},
    {SYS_fremovexattr, "setxattr", 0},
    {SYS_getxattr, "getxattr", -1, 0},
    {SYS_fgetxattr, "getxattr", 0},
    {SYS_listxattr, "listxattr", -1, 0},
    {SYS_flistxattr, "listxattr", 0},
    {.number = SYS_fcntl, .name = "lock", .file = 0, .command = F_OFD_SETLK},
    {SYS_mmap, "mmap"},
    {SYS_brk, "brk"},
    {SYS_clone, "clone"},
    {SYS_clone3, "clone"},
};

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// A thread of the program.
class Thread {
 public:
  Thread(pid_t program, pid_t id) : program_(program), id_(id) {}

  void enter(const OnCall& on_call);
  void leave(std::int64_t result, const OnReturn& on_return);
  void go_on(int signal) const { ::ptrace(PTRACE_SYSCALL, id_, nullptr, signal); }

 private:
  fs::path link(const std::string& name) const {
    std::error_code gone;
    return fs::read_symlink("/proc/" + std::to_string(program_) + "/" + name, gone);
  }
  std::string text_at(std::uint64_t address) const;
  std::uint64_t number_at(std::uint64_t address) const;
  fs::path path_of(const SystemCallInfo& info, int file, int path) const;
  SystemCall call_of(const Row& row, const SystemCallInfo& info) const;
  void set(std::size_t offset_of_register, std::uint64_t value) const {
    ::ptrace(PTRACE_POKEUSER, id_, offset_of_register, value);
  }

  /// Until the call ends, because the system leaves these registers as they are.
  void replace_argument(int index, std::uint64_t value, const SystemCallInfo& info) {
    static constexpr std::size_t registers[] = {offsetof(user_regs_struct, rdi),
                                                offsetof(user_regs_struct, rsi),
                                                offsetof(user_regs_struct, rdx)};
    replaced_ = {registers[index], info.entry.args[index]};
    set(registers[index], value);
  }

  pid_t program_, id_;
  std::optional<SystemCall> call_;  // that it is in, if it is one of the table
  // Of that call: its result, if not the system's, and a register to be restored.
  std::optional<std::int64_t> result_;
  std::optional<std::pair<std::size_t, std::uint64_t>> replaced_;
};

std::string Thread::text_at(std::uint64_t address) const {
  std::string text;
  // No further than to the end of a page, for the next may not be there.
  constexpr std::uint64_t page = 4096;
  for (std::array<char, page> part;;) {
    const std::size_t length = page - address % page;
    const iovec here{part.data(), length};
    const iovec there{reinterpret_cast<void*>(address), length};  // NOLINT: in the program
    const ssize_t got = ::process_vm_readv(id_, &here, 1, &there, 1, 0);
    if (got <= 0) return text;
    auto* const end = std::find(part.begin(), part.begin() + got, '\0');
    text.append(part.begin(), end);
    if (end != part.begin() + got) return text;
    address += static_cast<std::uint64_t>(got);
  }
}

std::uint64_t Thread::number_at(std::uint64_t address) const {
  std::uint64_t number = 0;
  const iovec here{&number, sizeof number};
  const iovec there{reinterpret_cast<void*>(address), sizeof number};  // NOLINT: in the program
  if (::process_vm_readv(id_, &here, 1, &there, 1, 0) != sizeof number) fail("process_vm_readv");
  return number;
}

fs::path Thread::path_of(const SystemCallInfo& info, int file, int path) const {
  fs::path named;
  if (path >= 0 && info.entry.args[path] != 0) named = text_at(info.entry.args[path]);
  if (named.is_absolute()) return named.lexically_normal();
  const int number = file < 0 ? AT_FDCWD : static_cast<int>(info.entry.args[file]);
  const fs::path folder = link(number == AT_FDCWD ? "cwd" : "fd/" + std::to_string(number));
  return named.empty() ? folder : (folder / named).lexically_normal();
}

SystemCall Thread::call_of(const Row& row, const SystemCallInfo& info) const {
  SystemCall call;
  call.name = row.name;
  if (row.file >= 0 || row.path >= 0) call.path = path_of(info, row.file, row.path);
  if (row.to_path >= 0) call.to = path_of(info, row.to_folder, row.to_path);
  call.number = row.number;
  std::copy_n(info.entry.args, call.arguments.size(), call.arguments.begin());
  if (row.number == SYS_openat2)
    call.arguments[2] = number_at(info.entry.args[2] + offsetof(open_how, flags));
  const bool has_path = row.path >= 0 && info.entry.args[row.path] != 0;
  if (row.file >= 0 && !has_path) call.file = static_cast<int>(info.entry.args[row.file]);
  call.thread = id_;
  return call;
}

void Thread::enter(const OnCall& on_call) {
  SystemCallInfo info;
  if (::ptrace(PTRACE_GET_SYSCALL_INFO, id_, sizeof info, &info) <= 0) return;
  const Row* row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& each) {
    return each.number == static_cast<long>(info.entry.nr) &&
           (each.command < 0 || static_cast<int>(info.entry.args[1]) == each.command);
  });
  if (row == std::end(rows)) return;
  call_ = call_of(*row, info);
  const Effect effect = on_call(*call_);
  if (effect.signal != 0) ::kill(program_, effect.signal);
  if (effect.is_short && row->length >= 0) {
    replace_argument(row->length, info.entry.args[row->length] / 2, info);
  }
  if (effect.error != 0 && row->number == SYS_brk) {
    replace_argument(0, 0, info);  // it answers as when it refuses
    return;
  }
  if (effect.error == 0 && !effect.is_skipped) return;
  result_ = -effect.error;
  // A close() that reports an error has closed the file all the same.
  if (row->number != SYS_close && !effect.is_made) {
    set(offsetof(user_regs_struct, orig_rax), static_cast<std::uint64_t>(-1));
  }
}

void Thread::leave(std::int64_t result, const OnReturn& on_return) {
  if (call_ && on_return) on_return(*call_, result_.value_or(result));
  call_.reset();
  if (result_) set(offsetof(user_regs_struct, rax), static_cast<std::uint64_t>(*result_));
  if (replaced_) set(replaced_->first, replaced_->second);
  result_.reset();
  replaced_.reset();
}

}  // namespace

void be_followed(unsigned seconds) {
  ::alarm(seconds);
  if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(cannot_be_followed);
  ::raise(SIGSTOP);
}

int follow(pid_t child, const OnCall& on_call, const OnReturn& on_return) {
  int status = 0;
  if (::waitpid(child, &status, 0) != child) fail("waitpid");
  if (!WIFSTOPPED(status)) return status;
  constexpr long options =
      PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  if (::ptrace(PTRACE_SETOPTIONS, child, nullptr, options) != 0) fail("ptrace");
  std::map<pid_t, Thread> threads;
  threads.try_emplace(child, child, child).first->second.go_on(0);

  for (;;) {
    const pid_t id = ::waitpid(-1, &status, __WALL);
    if (id < 0 && errno == EINTR) continue;
    if (id < 0) fail("waitpid");
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      if (id == child) return status;
      threads.erase(id);
      continue;
    }
    const auto [found, is_new] = threads.try_emplace(id, child, id);
    Thread& thread = found->second;
    const int signal = WSTOPSIG(status);
    if (signal == (SIGTRAP | 0x80)) {
      SystemCallInfo info;
      const bool is_known = ::ptrace(PTRACE_GET_SYSCALL_INFO, id, sizeof info, &info) > 0;
      if (is_known && info.op == PTRACE_SYSCALL_INFO_ENTRY) thread.enter(on_call);
      if (is_known && info.op == PTRACE_SYSCALL_INFO_EXIT) thread.leave(info.exit.rval, on_return);
      thread.go_on(0);
    } else {
      // A new thread begins with SIGSTOP, and events are told by SIGTRAP: neither is for the
      // program.
      const bool is_event = status >> 16 != 0;
      thread.go_on(is_event || (is_new && signal == SIGSTOP) ? 0 : signal);
    }
  }
}

}  // namespace faults
