// Follows a program from system call to system call (ptrace), so that a test can see each of them,
// have it fail, or end the program there. That needs nothing in the program, and misses nothing:
// what the C library calls by itself (getdents for readdir, write for printf) is seen as well.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

namespace faults {

/// One of the calls in the table of system_calls.cpp: those that name a file, use one, take memory
/// ("mmap", "brk") or start a thread ("clone").
struct SystemCall {
  std::string_view name;
  std::filesystem::path path;  ///< absolute, of the file or folder; empty if there is none
  std::filesystem::path to;    ///< of renames and links: the other path
  // For who looks closer.
  long number = 0;                              ///< the system's
  std::array<std::uint64_t, 6> arguments = {};  ///< openat2: as of openat, with the flags
  int file = -1;  ///< the descriptor of the file that it uses, if it has no path
  pid_t thread = 0;
};

/// What becomes of a call.
struct Effect {
  int error = 0;            ///< it is not made, and fails with this number (close: is made, too)
  bool is_made = false;     ///< it is made nevertheless, as over NFS, whose answer may be lost
  bool is_short = false;    ///< it reads or writes half of what was asked for, if that is a number
  bool is_skipped = false;  ///< it is not made, and returns 0
  int signal = 0;           ///< sent to the program before the call; SIGKILL: it is not made
};

using OnCall = std::function<Effect(const SystemCall&)>;
/// When the call returns, before the thread goes on: its result, or a negative errno.
using OnReturn = std::function<void(const SystemCall&, std::int64_t result)>;

/// The exit status of a child that the system does not let anybody follow.
inline constexpr int cannot_be_followed = 125;

/// To be called by the child after fork(). Waits until the parent follows it. After `seconds` the
/// child is ended by SIGALRM, also after it has become another program.
void be_followed(unsigned seconds);

/// Follows the child and its threads to their end, and returns its status as waitpid() does.
int follow(pid_t child, const OnCall& on_call, const OnReturn& on_return);

}  // namespace faults
