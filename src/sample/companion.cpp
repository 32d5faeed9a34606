#include "src/sample/companion.hpp"

#include <fmt/format.h>

#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"

namespace qturn {

Companion read_companion(const std::filesystem::path& input, const Source& source) {
  constexpr std::uint64_t largest = std::uint64_t{64} << 20;
  if (source.size(input) > largest) {
    throw ImageFileError(fmt::format("it is larger than {} MiB", largest >> 20));
  }
  Companion companion{.input = input};
  const Original original = source.read(input, {});
  companion.state = original.state;
  companion.hash = original.hash;
  companion.text = text_of(original.bytes);
  return companion;
}

}  // namespace qturn
