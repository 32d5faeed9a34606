#include "src/store/backup.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "src/store/content_hash.hpp"
#include "src/store/file_descriptor.hpp"
#include "src/store/safe_file.hpp"

namespace qturn {

namespace fs = std::filesystem;

Backup::Backup(const fs::path& original, fs::path place, bool flushed) {
  const auto fail = [&](std::error_code reason) {
    throw FileError("cannot keep a backup at " + place.string(), place, reason);
  };
  const fs::path folder = place.parent_path();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail(error);
  // A link in the place of the original leads to the file that is replaced.
  if (::linkat(AT_FDCWD, original.c_str(), AT_FDCWD, place.c_str(), AT_SYMLINK_FOLLOW) != 0) {
    if (errno == EEXIST) {
      if (hash_of_file(place) == hash_of_file(original)) return;
      fail(system_code(EEXIST));
    }
    (void)write_file(place, read_file(original), original, IfExists::fail);
  } else if (flushed) {
    const FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (const std::error_code reason = FlushedFolders().flush(opened.get())) {
      ::unlink(place.c_str());
      fail(reason);
    }
  }
  made_ = std::move(place);
}

Backup::~Backup() {
  if (!made_.empty()) ::unlink(made_.c_str());
}

}  // namespace qturn
