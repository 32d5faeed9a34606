#include "src/files/standard_streams.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <limits>
#include <memory>
#include <utility>

#include "src/files/file_descriptor.hpp"
#include "src/files/safe_file.hpp"
#include "src/picture/errors.hpp"

namespace qturn {
namespace {

bool is_to_be_repeated(int error) { return error == EINTR || error == EAGAIN; }

std::size_t read_some(std::span<std::byte> memory) {
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, memory.data(), memory.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (!is_to_be_repeated(errno))
      throw FileError("cannot read standard input", {}, system_code(errno));
    // The other end of a pipe may have told the system not to block.
    pollfd waited = {STDIN_FILENO, POLLIN, 0};
    if (errno == EAGAIN) ::poll(&waited, 1, -1);
  }
}

/// Standard output. A write to it does not block once something can be written.
struct Output {
  FileDescriptor pipe{-1};
  std::size_t most = std::numeric_limits<std::size_t>::max();  ///< bytes at once

  Output() {
    struct stat status = {};
    if (::fstat(STDOUT_FILENO, &status) != 0 || S_ISREG(status.st_mode)) return;
    // The pipe is opened again, so that O_NONBLOCK does not hold for others who have it. With 4 KiB
    // at once a pipe takes half as much in a second.
    if (S_ISFIFO(status.st_mode))
      pipe = FileDescriptor(::open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    if (!pipe) most = PIPE_BUF;
  }
  int file() const { return pipe ? pipe.get() : STDOUT_FILENO; }
};

/// Waits until something can be written.
void wait_for_reader(int file, const std::atomic<bool>& stop) {
  constexpr int milliseconds = 100;
  pollfd waited = {file, POLLOUT, 0};
  while (::poll(&waited, 1, milliseconds) <= 0)
    if (stop) throw Interrupted();
}

}  // namespace

// A signal does not end a write() that waits for the other end of a pipe.
void write_to_standard_output(std::span<const std::byte> bytes, const std::atomic<bool>& stop) {
  static const Output output;
  while (!bytes.empty()) {
    wait_for_reader(output.file(), stop);
    const ssize_t written =
        ::write(output.file(), bytes.data(), std::min(output.most, bytes.size()));
    if (written >= 0)
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    else if (!is_to_be_repeated(errno))
      throw FileError("cannot write to standard output", {}, system_code(errno));
  }
}

std::vector<std::byte> read_standard_input_head(std::size_t count) {
  std::vector<std::byte> head(count);
  std::size_t have = 0;
  while (have < count) {
    const std::size_t got = read_some(std::span(head).subspan(have));
    if (got == 0) break;
    have += got;
  }
  head.resize(have);
  return head;
}

std::vector<std::byte> read_standard_input(std::span<const std::byte> head, std::uint64_t most) {
  constexpr std::size_t part_bytes = 4 << 20;
  // Parts take memory once, where a growing buffer takes it twice. All but the last are full.
  std::deque<std::unique_ptr<std::byte[]>> parts;
  parts.push_back(std::make_unique_for_overwrite<std::byte[]>(part_bytes));
  std::ranges::copy(head, &parts.front()[0]);
  std::uint64_t bytes = head.size();
  for (;;) {
    const std::size_t in_last = bytes % part_bytes;
    if (in_last == 0 && parts.size() * part_bytes == bytes)
      parts.push_back(std::make_unique_for_overwrite<std::byte[]>(part_bytes));
    const std::size_t got = read_some({&parts.back()[in_last], part_bytes - in_last});
    if (got == 0) break;
    bytes += got;
    if (bytes > most) {
      throw WithHints<FileError>({Hint::more_memory},
                                 fmt::format("standard input has more than {} MiB", most >> 20),
                                 std::filesystem::path(), std::error_code());
    }
  }
  std::vector<std::byte> whole;
  whole.reserve(bytes);
  for (; !parts.empty(); parts.pop_front()) {
    const std::size_t count = std::min<std::uint64_t>(part_bytes, bytes - whole.size());
    whole.insert(whole.end(), &parts.front()[0], &parts.front()[count]);
  }
  return whole;
}

Original StandardInput::read(const std::filesystem::path& name, FileBytes) const {
  Original original{.path = name, .lower_suffix = {}, .bytes = std::exchange(picture_, {})};
  original.hash = hash_of(original.bytes);
  return original;
}

}  // namespace qturn
