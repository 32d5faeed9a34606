#include "src/files/file_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "src/files/safe_file.hpp"
#include "src/picture/bytes.hpp"

namespace qturn {

FileState read_in_parts(const std::filesystem::path& file,
                        const std::function<bool(std::span<const std::byte> part)>& take,
                        std::size_t part_bytes) {
  const auto fail = [&](int number) {
    throw FileError("cannot read " + file.string(), file, system_code(number));
  };
  const FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status;
  if (!opened || ::fstat(opened.get(), &status) != 0) fail(errno);
  if (S_ISDIR(status.st_mode)) fail(EISDIR);
  if (!S_ISREG(status.st_mode)) fail(EINVAL);
  const auto part = std::make_unique_for_overwrite<std::byte[]>(part_bytes);
  for (;;) {
    const ssize_t got = ::read(opened.get(), part.get(), part_bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(errno);
    if (got == 0 || !take(std::span(part.get(), static_cast<std::size_t>(got)))) {
      return state_of(status);
    }
  }
}

FileState read_text_in_parts(const std::filesystem::path& file,
                             const std::function<void(std::string_view part)>& take) {
  return read_in_parts(file, [&](std::span<const std::byte> part) {
    take(text_of(part));
    return true;
  });
}

}  // namespace qturn
