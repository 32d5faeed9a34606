#include "src/files/backup.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <set>
#include <span>
#include <system_error>

#include "src/files/content_hash.hpp"
#include "src/files/file_descriptor.hpp"
#include "src/files/safe_file.hpp"

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

Backup::Backup(const fs::path& original, fs::path place, const fs::path& run, bool flushed,
               const RealPlaces* places) {
  const auto fail = [&](std::error_code reason) {
    throw FileError("cannot keep a backup at " + place.string(), place, reason);
  };
  const auto known = places ? places->of(place) : std::nullopt;
  const fs::path real =
      known ? *known : fs::weakly_canonical(place.parent_path()) / place.filename();
  const FileDescriptor folder = open_real_folder(fs::absolute(real).parent_path(), flushed);
  if (!folder) fail(system_code(errno));
  if (flushed) {
    std::set<fs::path> above;
    for (fs::path at = place.parent_path(); at != run && at.has_relative_path();)
      above.insert(at = at.parent_path());
    flush_folders(above);
  }
  // A link in the place of the original leads to the file that is replaced. NFS may report an error
  // of a link that it has made.
  std::error_code unknown;
  if (::linkat(AT_FDCWD, original.c_str(), folder.get(), real.filename().c_str(),
               AT_SYMLINK_FOLLOW) != 0 &&
      (errno == EEXIST || !fs::equivalent(real, original, unknown))) {
    if (errno == EEXIST) {
      if (hash_of_file(place) == hash_of_file(original)) return;
      fail(system_code(EEXIST));
    }
    const NewFile copy{.target = place, .content = {}, .places = places, .same_as = original};
    (void)write_files(std::span(&copy, 1), IfExists::fail);
  } else if (flushed) {
    if (const std::error_code reason = FlushedFolders().flush(folder.get())) {
      ::unlinkat(folder.get(), real.filename().c_str(), 0);
      fail(reason);
    }
  }
  made_ = std::move(place);
}

// Probes do not count as names of the original: a kill may leave some.
bool takes_no_room(const fs::path& original, const fs::path& folder) {
  const fs::path probe = folder / fmt::format(".probe.qturn-{}aaaa", run_id());
  const fs::path link = folder / fmt::format(".probe.qturn-{}aaab", run_id());
  const FileDescriptor made(::open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  struct stat here = {}, there = {};
  const bool is_near = made && ::fstat(made.get(), &here) == 0 &&
                       ::stat(original.c_str(), &there) == 0 && here.st_dev == there.st_dev;
  const bool takes_none = (is_near && ::link(probe.c_str(), link.c_str()) == 0) ||
                          (made && share_blocks(original, made.get()));
  ::unlink(link.c_str());
  ::unlink(probe.c_str());
  return takes_none;
}

Backup::~Backup() {
  if (!made_.empty()) ::unlink(made_.c_str());
}

}  // namespace qturn
