#include "src/files/real_places.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace qturn {
namespace {

namespace fs = std::filesystem;

fs::path without_dots(const fs::path& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

constexpr int to_use = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

// Opens the folder in one system call. None if that fails, as it does on an older system.
FileDescriptor open_without_links(const fs::path& folder) {
  const open_how how{.flags = to_use, .mode = 0, .resolve = RESOLVE_NO_SYMLINKS};
  return FileDescriptor(
      static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, folder.c_str(), &how, sizeof how)));
}

}  // namespace

void RealPlaces::add_folder(const fs::path& folder) {
  const fs::path named = without_dots(folder.empty() ? "." : folder);
  if (const auto [place, is_new] = folders_.try_emplace(named.native()); is_new)
    place->second = without_dots(fs::weakly_canonical(named));
}

void RealPlaces::add_file(const fs::path& file) {
  if (fs::is_symlink(fs::symlink_status(file)))
    links_.emplace(without_dots(file).native(), fs::weakly_canonical(file));
}

std::optional<fs::path> RealPlaces::of(const fs::path& target) const {
  const fs::path named = without_dots(target);
  if (const auto link = links_.find(named.native()); link != links_.end()) return link->second;
  fs::path rest;
  for (fs::path at = named; at.has_relative_path();) {
    rest = rest.empty() ? at.filename() : at.filename() / rest;
    at = at.parent_path();
    if (const auto known = folders_.find(at.native()); known != folders_.end())
      return known->second / rest;
  }
  return std::nullopt;
}

FileDescriptor open_real_folder(const fs::path& folder, bool flushed) {
  if (FileDescriptor whole = open_without_links(folder)) return whole;
  constexpr int on_the_way = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  FileDescriptor at(::open("/", on_the_way));
  for (const fs::path& part : folder.relative_path()) {
    FileDescriptor next(::openat(at.get(), part.c_str(), on_the_way));
    if (!next && errno == ENOENT) {
      if (::mkdirat(at.get(), part.c_str(), 0777) != 0 && errno != EEXIST) return FileDescriptor();
      if (flushed) ::fsync(FileDescriptor(::openat(at.get(), ".", to_use)).get());
      next = FileDescriptor(::openat(at.get(), part.c_str(), on_the_way));
    }
    if (!next) return next;
    at = std::move(next);
  }
  return FileDescriptor(::openat(at.get(), ".", to_use));
}

}  // namespace qturn
