#include "src/plan/find_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <istream>
#include <memory>
#include <optional>
#include <system_error>
#include <tuple>

#include "src/files/file_descriptor.hpp"
#include "src/files/safe_file.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

std::string reason_of(int number) { return std::generic_category().message(number); }

FileId id_of(const struct stat& status) { return {status.st_dev, status.st_ino}; }

/// What file managers and photo programs keep for themselves, and no person put there.
bool is_hidden(std::string_view name) {
  return name.starts_with('.') || name == "@eaDir" || name.ends_with(".photoslibrary") ||
         name.ends_with(".lrdata");
}

bool matches(const std::vector<std::string>& globs, const std::string& key,
             const std::string& name) {
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
    return ::fnmatch(glob.c_str(), key.c_str(), 0) == 0 ||
           ::fnmatch(glob.c_str(), name.c_str(), 0) == 0;
  });
}

const char* type_of_irregular(mode_t mode) {
  if (S_ISFIFO(mode)) return "fifo";
  if (S_ISSOCK(mode)) return "socket";
  return "device";
}

/// The last part of a folder's name, also for "photos/" and "..".
std::string base_name(const fs::path& folder) {
  const fs::path normal = fs::absolute(folder).lexically_normal();
  return (normal.has_filename() ? normal : normal.parent_path()).filename().string();
}

class Finder {
 public:
  explicit Finder(const PlanOptions& options) : options_(options) {}

  void take_inputs();
  void take_listed();
  FoundFiles result();

 private:
  struct Folder {
    fs::path path;
    FileId id;
  };

  void walk(const fs::path& folder, const std::string& key_prefix, std::vector<FileId>& ancestors);
  void take_file(int folder, const char* name, const fs::path& path, std::string key,
                 const struct stat& status, bool is_link, bool is_input);
  bool is_selected(const std::string& key, const std::string& name);
  std::string key_of_listed(const fs::path& path) const;
  void cannot_look_into(const fs::path& path, int number) {
    found_.unreadable.push_back(path.string() + ": " + reason_of(number));
  }

  const PlanOptions& options_;
  FoundFiles found_;
};

void refuse_missing(const std::vector<std::string>& missing) {
  if (!missing.empty()) throw PlanError(name_some(missing));
}

void Finder::take_inputs() {
  std::vector<Folder> folders;
  std::vector<std::string> missing;
  for (const fs::path& path : options_.inputs) {
    struct stat status;
    if (::stat(path.c_str(), &status) != 0) {
      missing.push_back(path.string() + ": " + reason_of(errno));
    } else if (S_ISDIR(status.st_mode)) {
      const auto same = [&](const Folder& folder) { return folder.id == id_of(status); };
      if (std::none_of(folders.begin(), folders.end(), same)) {
        folders.push_back({path, id_of(status)});
      }
    } else {
      take_file(AT_FDCWD, path.c_str(), path, path.filename().string(), status,
                fs::is_symlink(fs::symlink_status(path)), true);
    }
  }
  refuse_missing(missing);

  std::map<std::string, fs::path> by_base_name;
  for (const Folder& folder : folders) {
    std::string prefix;
    if (folders.size() > 1) {
      prefix = base_name(folder.path);
      const auto [other, is_new] = by_base_name.emplace(prefix, folder.path);
      if (!is_new && !options_.output.empty()) {
        throw PlanError(fmt::format(
            "{} and {} would both be written under {}; run them one after the other, "
            "each with its own output",
            other->second.string(), folder.path.string(), (options_.output / prefix).string()));
      }
      prefix += '/';
    }
    std::vector<FileId> ancestors = {folder.id};
    walk(folder.path, prefix, ancestors);
    found_.folders.push_back(folder.path);
  }
}

void Finder::take_listed() {
  std::vector<std::string> missing;
  for (const fs::path& path : options_.listed) {
    struct stat status;
    if (::stat(path.c_str(), &status) != 0) {
      missing.push_back(path.string() + ": " + reason_of(errno));
    } else if (S_ISDIR(status.st_mode)) {
      throw PlanError(path.string() + ": is a folder; --files-from takes files only");
    } else {
      std::string key = key_of_listed(path);
      if (!is_selected(key, path.filename().string())) continue;
      take_file(AT_FDCWD, path.c_str(), path, std::move(key), status,
                fs::is_symlink(fs::symlink_status(path)), false);
    }
  }
  refuse_missing(missing);
}

std::string Finder::key_of_listed(const fs::path& path) const {
  const fs::path normal = path.lexically_normal();
  if (options_.output.empty()) return normal.string();  // in place, keys lead nowhere
  if (!path.is_absolute()) {
    if (*normal.begin() == "..") {
      throw PlanError(path.string() + ": leads out of the current folder, and so out of the " +
                      "output; list it as an absolute path and give --base");
    }
    return normal.string();
  }
  if (options_.base.empty()) {
    throw PlanError(path.string() + ": is absolute; --base says which part of it to leave off");
  }
  const fs::path key =
      normal.lexically_relative((fs::absolute(options_.base) / "").lexically_normal());
  if (key.empty() || *key.begin() == "..") {
    throw PlanError(path.string() + ": does not lie under --base " + options_.base.string());
  }
  return key.string();
}

bool Finder::is_selected(const std::string& key, const std::string& name) {
  const bool selected = (options_.include.empty() || matches(options_.include, key, name)) &&
                        !matches(options_.exclude, key, name);
  if (!selected) ++found_.left_out;
  return selected;
}

void Finder::walk(const fs::path& folder, const std::string& key_prefix,
                  std::vector<FileId>& ancestors) {
  std::vector<Folder> subfolders;
  {
    const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(folder.c_str()), ::closedir);
    if (!opened) return cannot_look_into(folder, errno);
    const int fd = ::dirfd(opened.get());
    errno = 0;
    for (; const dirent* entry = ::readdir(opened.get()); errno = 0) {
      const std::string name = entry->d_name;
      if (name == "." || name == ".." || is_temporary_name(name)) continue;
      if (!options_.hidden && is_hidden(name)) continue;

      const fs::path path = folder / name;
      struct stat status;
      if (::fstatat(fd, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno != ENOENT) cannot_look_into(path, errno);  // gone meanwhile is gone
        continue;
      }
      const bool is_link = S_ISLNK(status.st_mode);
      if (is_link && !options_.follow) {
        ++found_.types["symbolic link"];
        continue;
      }
      if (is_link && ::fstatat(fd, name.c_str(), &status, 0) != 0) {
        cannot_look_into(path, errno);
        continue;
      }
      std::string key = key_prefix + name;
      if (S_ISDIR(status.st_mode)) {
        if (!matches(options_.exclude, key, name)) subfolders.push_back({path, id_of(status)});
      } else if (is_selected(key, name)) {
        take_file(fd, name.c_str(), path, std::move(key), status, is_link, false);
      }
    }
    if (errno != 0) cannot_look_into(folder, errno);
  }
  // With this folder closed, so that a deep tree does not use up the files a process may open.
  for (const Folder& subfolder : subfolders) {
    if (std::find(ancestors.begin(), ancestors.end(), subfolder.id) != ancestors.end()) {
      ++found_.types["symbolic link in a loop"];
      continue;
    }
    ancestors.push_back(subfolder.id);
    walk(subfolder.path, key_prefix + subfolder.path.filename().string() + '/', ancestors);
    ancestors.pop_back();
  }
}

void Finder::take_file(int folder, const char* name, const fs::path& path, std::string key,
                       const struct stat& status, bool is_link, bool is_input) {
  if (!S_ISREG(status.st_mode)) {
    ++found_.types[type_of_irregular(status.st_mode)];
    return;
  }
  std::array<std::byte, format_signature_bytes> head;
  const FileDescriptor file(::openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  const ssize_t length = file ? ::read(file.get(), head.data(), head.size()) : -1;

  std::string suffix = lower_suffix(key);
  bool picture = format_of_suffix(suffix).has_value();
  if (length >= 0) {
    picture |=
        format_of_content({head.data(), static_cast<std::size_t>(length)}, suffix).has_value();
  } else {
    picture |= is_input;
  }
  found_.files.push_back({path, std::move(key), id_of(status),
                          static_cast<std::uint64_t>(status.st_size), status.st_nlink,
                          status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec,
                          std::move(suffix), is_link, picture});
}

FoundFiles Finder::result() {
  auto& files = found_.files;
  const auto key_and_id = [](const FoundFile& file) { return std::tie(file.key, file.id); };
  std::stable_sort(files.begin(), files.end(), [&](const FoundFile& a, const FoundFile& b) {
    return key_and_id(a) < key_and_id(b);
  });
  files.erase(std::unique(files.begin(), files.end(),
                          [&](const FoundFile& a, const FoundFile& b) {
                            return key_and_id(a) == key_and_id(b);
                          }),
              files.end());
  std::sort(found_.unreadable.begin(), found_.unreadable.end());
  return std::move(found_);
}

}  // namespace

FoundFiles find_files(const PlanOptions& options) {
  Finder finder(options);
  finder.take_inputs();
  finder.take_listed();
  return finder.result();
}

std::string name_some(std::span<const std::string> names) {
  constexpr std::size_t shown = 3;
  std::string text = fmt::format("{}", fmt::join(names.first(std::min(shown, names.size())), ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

std::vector<fs::path> read_file_list(std::istream& in, bool nul_separated) {
  std::vector<fs::path> paths;
  for (std::string line; std::getline(in, line, nul_separated ? '\0' : '\n');) {
    if (!line.empty()) paths.emplace_back(line);
  }
  return paths;
}

}  // namespace qturn
