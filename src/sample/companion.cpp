#include "src/sample/companion.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "src/files/safe_file.hpp"
#include "src/formats/table.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {

namespace fs = std::filesystem;

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
  Companion companion;
  companion.input = input;
  const Original original = source.read(input, {});
  companion.state = original.state;
  companion.source = original.hash;
  companion.text = text_of(original.bytes);
  return companion;
}

Original FileSource::read(const fs::path& name, FileBytes memory) const {
  Original original{.path = name, .lower_suffix = lower_suffix(name), .bytes = {}};
  original.bytes = read_file(name, std::move(memory), &original.state, &original.hash);
  return original;
}

std::uint64_t FileSource::size(const fs::path& name) const {
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(name, error);
  if (error) throw FileError(fmt::format("{} cannot be read", name.string()), name, error);
  return bytes;
}

std::vector<fs::path> FileSource::world_files(const fs::path& picture) const {
  return world_files_beside(picture);
}

}  // namespace qturn
