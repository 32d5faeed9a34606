#include "src/files/kept_run.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <string>
#include <system_error>
#include <utility>

#include "src/files/file_descriptor.hpp"
#include "src/files/real_places.hpp"
#include "src/files/safe_file.hpp"

namespace qturn {

namespace fs = std::filesystem;

fs::path make_run_folder(const fs::path& backups) {
  const auto fail = [&](int number) {
    throw FileError("cannot make a folder in " + backups.string(), backups, system_code(number));
  };
  // What is kept is of no use if a power cut takes the folder.
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
    std::error_code unknown;
    if (fs::exists(entry->path() / record_name, unknown)) runs.push_back(entry->path());
  }
  if (error && error != std::errc::no_such_file_or_directory)
    throw FileError("cannot read the folder " + backups.string(), backups, error);
  std::ranges::sort(runs);
  return runs;
}

KeptRun read_run(const fs::path& folder) {
  KeptRun run{.folder = fs::canonical(folder), .header = {}, .pictures = {}};
  const fs::path file = folder / record_name;
  auto content = read_journal(file, run.folder);
  if (!content) return run;
  run.header = std::move(content->header);
  run.pictures = std::move(content->kept);
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

void tidy(const KeptRun& run) {
  std::set<fs::path> originals = {run.folder / record_name};
  for (const Intent& picture : run.pictures)
    for (const IntendedFile& file : picture) originals.insert(file.backup);
  for (const fs::path& folder : folders_below(run.folder)) {
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      const fs::path& path = entry->path();
      std::error_code unknown;
      if (entry->is_directory(unknown) || originals.contains(path)) continue;
      // A kill has left it. It is another name of a file that is where it was.
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
