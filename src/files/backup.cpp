#include "src/files/backup.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <exception>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "src/files/content_hash.hpp"
#include "src/files/file_descriptor.hpp"
#include "src/files/real_places.hpp"
#include "src/files/safe_file.hpp"

namespace qturn {

namespace fs = std::filesystem;

namespace {

/// A key without ".", and without ".." except at its beginning. An absolute key, from a list, keeps
/// all its folders.
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
  // If the original is a symbolic link, the file that it leads to is replaced. NFS may report an
  // error although it has made the link.
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

// Makes probes, and no link to the original: a kill may leave it, and it would count as a name.
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

namespace fs = std::filesystem;

fs::path make_run_folder(const fs::path& backups) {
  const auto fail = [&](int number) {
    throw FileError("cannot make a folder in " + backups.string(), backups, system_code(number));
  };
  // Backups are of no use if a power cut takes their folder.
  fs::path real = fs::weakly_canonical(fs::absolute(backups));
  if (!real.has_filename()) real = real.parent_path();
  const FileDescriptor opened = open_real_folder(real, true);
  if (!opened) fail(errno);
  const std::time_t now = std::time(nullptr);
  std::tm local = {};
  char name[32] = {};
  (void)std::strftime(name, sizeof name, "%Y-%m-%dT%H-%M-%S", ::localtime_r(&now, &local));
  for (int number = 1;; ++number) {
    // Another run may have begun in the same second.
    const std::string folder = number == 1 ? name : fmt::format("{}-{}", name, number);
    if (::mkdirat(opened.get(), folder.c_str(), 0777) == 0) {
      if (const std::error_code reason = FlushedFolders().flush(opened.get())) fail(reason.value());
      return real / folder;
    }
    if (errno != EEXIST)
      throw FileError("cannot make " + (backups / folder).string(), backups, system_code(errno));
  }
}

std::vector<fs::path> runs_in(const fs::path& backups) {
  std::vector<fs::path> runs;
  std::error_code error;
  fs::directory_iterator entry(backups, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (is_run_folder(entry->path())) runs.push_back(entry->path());
  }
  if (error && error != std::errc::no_such_file_or_directory)
    throw FileError("cannot read the folder " + backups.string(), backups, error);
  std::ranges::sort(runs);
  return runs;
}

bool is_run_folder(const fs::path& folder) {
  return std::ranges::any_of(record_names, [&](std::string_view name) {
    std::error_code unknown;
    return fs::exists(folder / name, unknown);
  });
}

namespace {

struct Records {
  std::optional<JournalContent> content;
  fs::path file;  // the copy that `content` is from
  bool is_twice = true;
};

Records read_records(const fs::path& folder) {
  Records best;
  std::exception_ptr error;
  std::size_t count = 0;
  for (const std::string_view name : record_names) {
    try {
      auto content = read_journal(folder / name, folder);
      if (!content) continue;
      best.is_twice = ++count == 2 && content->lines == best.content->lines;
      if (best.content && content->lines <= best.content->lines) continue;
      best.content = std::move(content);
      best.file = folder / name;
    } catch (const FileError&) {
      error = std::current_exception();
    }
  }
  if (!best.content && error) std::rethrow_exception(error);
  return best;
}

}  // namespace

std::optional<JournalContent> read_record(const fs::path& folder) {
  return read_records(folder).content;
}

std::optional<JournalContent> read_and_repair_record(const fs::path& folder) {
  Records found = read_records(folder);
  if (!found.content || found.is_twice) return std::move(found.content);
  for (const std::string_view name : record_names)
    if (found.file != folder / name)
      fs::copy_file(found.file, folder / name, fs::copy_options::overwrite_existing);
  return std::move(found.content);
}

KeptRun read_run(const fs::path& folder) {
  KeptRun run{.folder = fs::canonical(folder), .header = {}, .runs = {}, .pictures = {}};
  auto content = read_record(run.folder);
  if (!content) return run;
  run.header = std::move(content->header);
  run.runs = std::move(content->runs);
  run.pictures = std::move(content->kept);
  for (const Intent& picture : run.pictures) {
    for (const IntendedFile& each : picture) {
      const fs::path place = each.backup.lexically_normal().lexically_relative(run.folder);
      if (place.empty() || *place.begin() == ".." || *place.begin() == ".")
        throw FileError(fmt::format("{}: the record says that the original of {} lies elsewhere, "
                                    "at {}; nothing was restored",
                                    folder.string(), each.target.string(), each.backup.string()),
                        folder, {});
    }
  }
  for (const Intent& picture : run.pictures) {
    for (const IntendedFile& each : picture) {
      ++run.files;
      std::error_code error;
      const std::uintmax_t bytes = fs::file_size(each.backup, error);
      if (error) continue;
      ++run.files_kept;
      run.bytes_kept += bytes;
    }
  }
  return run;
}

std::vector<fs::path> originals_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code unknown;
    if (!entry->is_directory(unknown) && !is_temporary_name(name) &&
        std::ranges::find(record_names, name) == std::end(record_names))
      found.push_back(entry->path());
  }
  return found;
}

void move_root(KeptRun& run, const fs::path& to) {
  if (run.header.inputs.size() != 1)
    throw FileError(fmt::format("the run changed {} folders, so none of them can be named",
                                run.header.inputs.size()),
                    to, {});
  const fs::path from = run.header.inputs.front(), now = fs::canonical(to);
  for (Intent& picture : run.pictures) {
    for (IntendedFile& file : picture) {
      const fs::path place = file.target.lexically_relative(from);
      if (!place.empty() && *place.begin() != "..") file.target = now / place;
    }
  }
  run.header.inputs = {now.string()};
}

std::set<fs::path> held_by_later_runs(const KeptRun& run) {
  std::set<fs::path> held;
  for (const fs::path& folder : runs_in(run.folder.parent_path())) {
    if (folder <= run.folder) continue;
    for (const Intent& picture : read_run(folder).pictures) {
      for (const IntendedFile& file : picture) {
        std::error_code unknown;
        if (fs::exists(file.backup, unknown)) held.insert(file.target);
      }
    }
  }
  return held;
}

void tidy(const KeptRun& run) {
  std::set<fs::path> originals;
  for (const std::string_view name : record_names) originals.insert(run.folder / name);
  for (const Intent& picture : run.pictures)
    for (const IntendedFile& file : picture) originals.insert(file.backup);
  for (const fs::path& folder : folders_below(run.folder)) {
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      const fs::path& path = entry->path();
      std::error_code unknown;
      if (entry->is_directory(unknown) || originals.contains(path)) continue;
      // A killed run has left it: a hard link to a file that it did not replace.
      const std::uintmax_t names = entry->hard_link_count(unknown);
      if ((!unknown && names > 1) || is_temporary_name(path.filename().string()))
        ::unlink(path.c_str());
    }
  }
  remove_empty_folders(run.folder);
}

std::set<fs::path> folders_below(const fs::path& folder) {
  std::set<fs::path> folders = {folder};
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
    if (!entry->is_symlink(error) && entry->is_directory(error)) folders.insert(entry->path());
  return folders;
}

void remove_empty_folders(const fs::path& folder) {
  const std::set<fs::path> folders = folders_below(folder);
  const std::vector<fs::path> innermost_first(folders.rbegin(), folders.rend());
  for (const fs::path& each : innermost_first) ::rmdir(each.c_str());
}

}  // namespace qturn
