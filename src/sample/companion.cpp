#include "src/sample/companion.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"

namespace qturn {

bool has_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return S_ISREG(status.st_mode);
  const int error = errno;
  for (const int absent : {ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP})
    if (error == absent) return false;
  throw FileError("cannot look for " + path, path, {error, std::generic_category()});
}

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
