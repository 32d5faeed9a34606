// Standard input, which may be one picture, and standard output.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include "src/files/source.hpp"

namespace qturn {

/// The first bytes of standard input, at most `count`. Throws FileError.
std::vector<std::byte> read_standard_input_head(std::size_t count);

/// Reads standard input to its end; `head` has been read already. Returns all of it. Throws
/// FileError if it has more than `most` bytes.
std::vector<std::byte> read_standard_input(std::span<const std::byte> head, std::uint64_t most);

/// Blocks until all is written. Throws FileError; Interrupted within a tenth of a second if `stop`
/// is raised while nobody reads.
void write_to_standard_output(std::span<const std::byte> bytes, const std::atomic<bool>& stop);

/// The picture that was read from standard input, under any name.
class StandardInput : public Source {
 public:
  explicit StandardInput(std::vector<std::byte> picture) : picture_(std::move(picture)) {}
  std::span<const std::byte> picture() const { return picture_; }
  /// Hands over the bytes instead of copying them, so it can be called once.
  Original read(const std::filesystem::path& name, FileBytes memory) const override;
  std::uint64_t size(const std::filesystem::path&) const override { return picture_.size(); }

 private:
  mutable std::vector<std::byte> picture_;
};

}  // namespace qturn
