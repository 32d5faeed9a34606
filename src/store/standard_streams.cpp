#include "src/store/standard_streams.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <utility>

namespace qturn {
namespace {

/// Blocks where the other end of a pipe has told the system not to. Returns false for other errors.
bool wait_after_error(int stream, short event) {
  if (errno == EINTR) return true;
  if (errno != EAGAIN) return false;
  pollfd waited = {stream, event, 0};
  ::poll(&waited, 1, -1);
  return true;
}

std::size_t read_some(std::span<std::byte> memory) {
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, memory.data(), memory.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (!wait_after_error(STDIN_FILENO, POLLIN))
      throw FileError("cannot read standard input", {}, system_code(errno));
  }
}

class WrittenPicture : public StagedResult {
 public:
  explicit WrittenPicture(std::span<const std::byte> picture) : hash_(hash_of(picture)) {}
  const std::vector<std::string>& warnings() const override { return warnings_; }
  std::vector<ContentHash> hashes() const override { return {hash_}; }
  std::vector<std::string> put_in_place() override { return {}; }

 private:
  ContentHash hash_;
  std::vector<std::string> warnings_;
};

}  // namespace

void write_to_standard_output(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    } else if (!wait_after_error(STDOUT_FILENO, POLLOUT)) {
      throw FileError("cannot write to standard output", {}, system_code(errno));
    }
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
  // So that no memory is taken twice; all but the last are full.
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
      throw FileError(
          fmt::format("standard input has more than {} MiB; a larger --memory permits that",
                      most >> 20),
          {}, {});
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

Original StandardInput::read(const std::filesystem::path& name, std::vector<std::byte>) const {
  Original original{.path = name, .lower_suffix = {}, .bytes = std::exchange(picture_, {})};
  original.hash = hash_of(original.bytes);
  return original;
}

std::unique_ptr<StagedResult> StandardOutput::stage(const Result& result,
                                                    const Companions& companions) const {
  if (!companions.empty())
    throw FileError("standard output takes one file alone", {}, system_code(EINVAL));
  write_to_standard_output(result.bytes);
  return std::make_unique<WrittenPicture>(result.bytes);
}

}  // namespace qturn
