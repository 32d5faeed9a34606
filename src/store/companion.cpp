#include "src/store/companion.hpp"

#include <fmt/format.h>

#include "src/picture/errors.hpp"

namespace qturn {

Companion read_companion(const std::filesystem::path& input) {
  constexpr std::uintmax_t largest = std::uintmax_t{64} << 20;
  if (std::filesystem::file_size(input) > largest) {
    throw ImageFileError(fmt::format("it is larger than {} MiB", largest >> 20));
  }
  Companion companion{.input = input};
  const std::vector<std::byte> bytes = read_file(input, {}, &companion.state);
  companion.hash = hash_of(bytes);
  companion.text = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  return companion;
}

}  // namespace qturn
