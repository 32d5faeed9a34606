#include "src/files/tar/input.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "src/files/file_parts.hpp"
#include "src/files/safe_file.hpp"

namespace qturn {

Bytes read_head(const std::filesystem::path& file, std::size_t count) {
  Bytes head;
  read_in_parts(file, [&](std::span<const std::byte> part) {
    const std::size_t taken = std::min(part.size(), count - head.size());
    head.insert(head.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(taken));
    return head.size() < count;
  });
  return head;
}

TarInput::TarInput(const std::filesystem::path& file, const std::atomic<bool>& stop)
    : name_(file), file_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)), stop_(stop) {
  if (!file_) throw FileError("cannot read " + file.string(), file, system_code(errno));
}

TarInput::TarInput(Bytes head, const std::atomic<bool>& stop)
    : name_("standard input"), file_(-1), head_(std::move(head)), stop_(stop) {}

std::size_t TarInput::read_some(std::span<std::byte> memory) {
  if (taken_ < head_.size()) {
    const std::size_t count = std::min(memory.size(), head_.size() - taken_);
    std::copy_n(&head_[taken_], count, memory.begin());
    taken_ += count;
    return count;
  }
  const int file = file_ ? file_.get() : STDIN_FILENO;
  while (!stop_) {
    // A signal does not end a read() that waits for the other end of a pipe.
    constexpr int milliseconds = 100;
    pollfd waited = {file, POLLIN, 0};
    const int ready = ::poll(&waited, 1, milliseconds);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t got = ::read(file, memory.data(), memory.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR && errno != EAGAIN)
      throw FileError("cannot read " + name_.string(), name_, system_code(errno));
  }
  return 0;
}

}  // namespace qturn
