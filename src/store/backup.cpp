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

namespace {

/// A key without "." and "..", unless it begins with it. An absolute one, of a list, keeps all its
/// folders.
fs::path normal_key(const fs::path& key) { return key.relative_path().lexically_normal(); }

}  // namespace

fs::path backup_place(const fs::path& backup, const fs::path& key) {
  const fs::path normal = normal_key(key);
  if (*normal.begin() == "..") {
    throw FileError("its backup would lie outside of " + backup.string() +
                        "; list the file as an absolute path",
                    key, {});
  }
  return backup / normal;
}

fs::path backup_place(const fs::path& backup, const fs::path& key, const fs::path& picture,
                      const fs::path& companion) {
  const auto absolute = [](const fs::path& path) { return fs::absolute(path).lexically_normal(); };
  const fs::path from = absolute(companion).lexically_relative(absolute(picture).parent_path());
  const fs::path normal = normal_key(normal_key(key).parent_path() / from);
  if (*normal.begin() == "..") {
    throw FileError("the backup of " + companion.string() + " would lie outside of " +
                        backup.string() + "; name as the input the folder that holds it and " +
                        picture.string(),
                    companion, {});
  }
  return backup / normal;
}

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
