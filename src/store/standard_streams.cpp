#include "src/store/standard_streams.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "src/store/file_descriptor.hpp"

namespace qturn {
namespace {

class StagedPicture : public StagedResult {
 public:
  explicit StagedPicture(std::span<const std::byte> picture)
      : picture_(picture.begin(), picture.end()), hash_(hash_of(picture)) {}
  const std::vector<std::string>& warnings() const override { return warnings_; }
  std::vector<ContentHash> hashes() const override { return {hash_}; }
  std::vector<std::string> put_in_place() override {
    if (!write_all(STDOUT_FILENO, picture_))
      throw FileError("cannot write to standard output", {}, system_code(errno));
    return {};
  }

 private:
  std::vector<std::byte> picture_;
  ContentHash hash_;
  std::vector<std::string> warnings_;
};

}  // namespace

std::vector<std::byte> read_standard_input(std::uint64_t most) {
  constexpr std::size_t step = 1 << 20;
  std::vector<std::byte> bytes;
  for (std::size_t have = 0;;) {
    if (have == bytes.size()) bytes.resize(std::max(step, 2 * have));
    const ssize_t got = ::read(STDIN_FILENO, bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw FileError("cannot read standard input", {}, system_code(errno));
    have += static_cast<std::size_t>(got);
    if (have > most) {
      throw FileError(
          fmt::format("standard input has more than the {} MiB that --memory permits", most >> 20),
          {}, {});
    }
    if (got == 0) {
      bytes.resize(have);
      return bytes;
    }
  }
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
  return std::make_unique<StagedPicture>(result.bytes);
}

}  // namespace qturn
