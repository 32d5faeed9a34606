#include "src/plan/places.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "src/files/backup.hpp"
#include "src/files/content_hash.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/folder_layout.hpp"
#include "src/plan/journal_roots.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// Leaves one name to do for each file. Each hard link counts as a file, because each becomes a
/// file of its own.
void leave_out_same_files(FileList& files) {
  std::vector<std::size_t> by_id(files.size());
  std::iota(by_id.begin(), by_id.end(), 0);
  std::ranges::sort(by_id, {}, [&](std::size_t i) {
    const FileId id = files.id(files[i]);
    return std::tuple(id.device, id.inode, i);
  });
  std::optional<FileId> last;
  std::set<fs::path> places;
  for (const std::size_t i : by_id) {
    FoundFile& file = files[i];
    if (file.is_companion) continue;
    const FileId id = files.id(file);
    if (last != id) places.clear();
    const bool is_first = last != id;
    last = id;
    if (file.has_links ? places.insert(fs::canonical(files.path(file))).second : is_first)
      file.to_do.add(Orientation::identity);
  }
}

/// Whether a file has other hard links than its own name and the backups of interrupted runs.
/// `place`: its path in the folder of a run, but with `backups` as that folder; empty: no backups.
bool has_other_names(const fs::path& file, const fs::path& place, const fs::path& backups) {
  std::uintmax_t others = fs::hard_link_count(file) - 1;
  if (others == 0 || place.empty()) return others > 0;
  for (const fs::path& run : runs_in(backups)) {
    std::error_code none;
    others -= fs::equivalent(file, run / place.lexically_relative(backups), none) ? 1 : 0;
  }
  return others > 0;
}

/// Where a companion is kept; empty without --backup.
fs::path backup_of(const PlanOptions& options, const FileList& files, const FoundFile& picture,
                   const fs::path& companion) try {
  if (options.backup.empty()) return {};
  return backup_place(options.backup, files.key(picture), files.path(picture), companion);
} catch (const FileError& error) {
  throw PlanError(error.what());
}

/// A label, a mask or a sidecar that is replaced with its picture.
struct PlacedFile {
  FileId id;
  std::size_t picture;  ///< the number of its file
  const CompanionFiles* among;
  const CompanionFiles::File* file;

  fs::path path() const { return among->path(*file); }
};

/// The first symbolic link in the path of `file`, a companion of `picture`. A link in the path of
/// the picture, or of a folder that the user has named, does not count. Empty if there is none.
fs::path link_to(const fs::path& file, const fs::path& picture, const PlanOptions& options) {
  std::vector<std::string> known = {normal_path(picture)};
  for (const fs::path& named : {options.labels.folder, options.masks.folder})
    if (!named.empty()) known.push_back(normal_path(named / ""));
  fs::path at;
  for (const fs::path& part : fs::path(normal_path(file))) {
    at /= part;
    const auto leads_to = [&](const std::string& path) {
      return path.starts_with((at / "").native());
    };
    if (std::ranges::none_of(known, leads_to) && fs::is_symlink(fs::symlink_status(at)))
      return from_here(at);
  }
  return {};
}

void refuse_link(const fs::path& file, const fs::path& picture, const PlanOptions& options) {
  if (options.follow) return;
  const fs::path link = link_to(file, picture, options);
  if (link.empty()) return;
  throw WithHints<PlanError>(
      {Hint::into_output, Hint::follow_links},
      fmt::format("{} would be turned where the link {} leads, for whoever else uses that, too; "
                  "turn {} into a folder",
                  file.string(), link.string(), picture.string()));
}

class Companions {
 public:
  Companions(const PlanOptions& options, const CompanionFiles::All& all, const FileList& files)
      : options_(options), files_(files) {
    for (const CompanionFiles* among : all) {
      for (const CompanionFiles::File& companion : *among) {
        const fs::path path = among->path(companion);
        struct stat status;
        if (::stat(path.c_str(), &status) != 0)
          throw PlanError(fmt::format("{}: {}", path.string(), system_code(errno).message()));
        companions_.push_back(
            {{status.st_dev, status.st_ino}, companion.picture, among, &companion});
      }
    }
    std::ranges::sort(companions_, {}, [](const PlacedFile& each) {
      return std::tuple(each.id.device, each.id.inode, each.picture);
    });
  }

  void refuse_wrong_turns() const {
    for (auto first = companions_.begin(); first != companions_.end();) {
      const auto last = std::find_if(first, companions_.end(),
                                     [&](const PlacedFile& each) { return each.id != first->id; });
      refuse_wrong_turns(first, last);
      first = last;
    }
  }

  void refuse_links() const {
    std::set<std::pair<const CompanionFiles*, std::uint32_t>> seen;  // places
    for (const PlacedFile& each : companions_) {
      const bool is_new = seen.insert({each.among, each.file->place}).second;
      if (is_new || fs::is_symlink(fs::symlink_status(each.path())))
        refuse_link(each.path(), files_.path(file_of(each)), options_);
    }
  }

  /// Adds the companions that have more hard links than their backups.
  void find_linked(SomeNames& linked) const {
    for (const PlacedFile& each : companions_) {
      const fs::path path = each.path();
      const fs::path backup = backup_of(options_, files_, file_of(each), path);
      if (!options_.break_links && has_other_names(path, backup, options_.backup))
        linked.add(path.string());
    }
  }

 private:
  using At = std::vector<PlacedFile>::const_iterator;

  /// The companions from `first` to `last` are names of one file.
  void refuse_wrong_turns(At first, At last) const {
    const auto is_to_do = [&](const PlacedFile& each) { return !file_of(each).to_do.empty(); };
    const auto own = std::find_if(first, last, is_to_do);
    if (own == last) {
      throw WithHints<PlanError>({Hint::into_output},
                                 fmt::format("{} would stay as it is, because {} is another name "
                                             "of a picture that is turned; turn both into a folder",
                                             first->path().string(), files_.path(file_of(*first))));
    }
    const auto other = std::find_if(first, last, [&](const PlacedFile& each) {
      return each.picture != own->picture &&
             (is_to_do(each) || files_.id(file_of(each)) != files_.id(file_of(*own)));
    });
    if (other == last) return;
    throw WithHints<PlanError>(
        {Hint::into_output}, fmt::format("{} belongs to {} and to {}, and would be turned twice; "
                                         "turn them one after the other, each into its own output",
                                         own->path().string(), files_.path(file_of(*own)),
                                         files_.path(file_of(*other))));
  }

  const FoundFile& file_of(const PlacedFile& each) const { return files_[each.picture]; }

  const PlanOptions& options_;
  const FileList& files_;
  std::vector<PlacedFile> companions_;
};

/// A picture that is a symbolic link is replaced where the link leads.
void add_places(const PlanOptions& options, const CompanionFiles::All& companions,
                const FileList& files, RealPlaces& places) {
  if (!options.backup.empty()) places.add_folder(options.backup);
  for (std::size_t i = 0; i < files.folder_count(); ++i) places.add_folder(files.folder_at(i).path);
  for (const FoundFile& file : files) {
    if (file.is_link) places.add_folder(fs::canonical(files.path(file)).parent_path());
    if (!options.sidecars || !file.picture || !files.folder_of(file).may_hold_sidecars) continue;
    for (const Sidecar& sidecar : named_as_sidecars(files.path(file)))
      places.add_file(sidecar.path);
  }
  for (const CompanionFiles* among : companions) {
    for (const CompanionFiles::File& companion : *among) {
      places.add_folder(among->place_of(companion).folder.path);
      places.add_file(among->path(companion));
    }
  }
}

/// The folders that have a journal each.
class Roots {
 public:
  explicit Roots(const PlanOptions& options) {
    for (const JournalRoot& root : roots_in_place(options))
      folders_.push_back(normal_path(root.folder / ""));
  }
  /// The deepest that holds the file, whose journal has its line; empty if none does.
  std::string_view of(const fs::path& file) const {
    std::string_view deepest;
    const std::string path = normal_path(file);
    for (const std::string& folder : folders_)
      if (folder.size() > deepest.size() && path.starts_with(folder)) deepest = folder;
    return deepest;
  }

 private:
  std::vector<std::string> folders_;
};

/// A shared file and its pictures have one journal, and every run that replaces the file sees it.
/// Adds files that have more hard links than their backups to `linked`.
void place_shared(const PlanOptions& options, const SharedLabels& shared, const FileList& files,
                  SomeNames& linked) {
  const Roots roots(options);
  std::map<std::pair<std::uint64_t, std::uint64_t>, fs::path> names;  // by device and inode
  shared.for_each_replaced([&](const SharedLabels::File& file) {
    const std::string_view root = roots.of(file.input);
    const FoundFile& first = files[file.first_picture()];
    for (const auto& number : file.pictures) {
      if (!number) continue;
      const FoundFile& picture = files[*number];
      const std::string path = files.path(picture);
      if (picture.to_do.empty())
        throw WithHints<PlanError>(
            {Hint::into_output},
            fmt::format("the labels of {} in {} would stay as they are, because it is another "
                        "name of a picture that is turned; turn both into a folder",
                        path, file.input.string()));
      const fs::path target = picture.is_link ? files.link_target(picture) : path;
      if (root.empty() || roots.of(target) != root)
        throw LabelsError(
            fmt::format("{} lies outside of the input and is not turned in place; name as the "
                        "input the folder that holds it and {}, or write the turned pictures and "
                        "labels into a folder",
                        file.input.string(), path),
            {Hint::into_output, Hint::correct_labels});
    }
    const std::string path = files.path(first);
    refuse_link(file.input, path, options);
    struct stat status;
    if (::stat(file.input.c_str(), &status) != 0)
      throw PlanError(fmt::format("{}: {}", file.input.string(), system_code(errno).message()));
    const auto [other, is_new] = names.emplace(std::pair(status.st_dev, status.st_ino), file.input);
    if (!is_new)
      throw WithHints<PlanError>({Hint::into_output},
                                 fmt::format("{} and {} are one file, and its labels would be "
                                             "turned twice; turn the pictures into a folder",
                                             other->second.string(), file.input.string()));
    const fs::path backup = backup_of(options, files, first, file.input);
    if (!options.break_links && has_other_names(file.input, backup, options.backup))
      linked.add(file.input.string());
  });
}

/// Two pictures have one key if they lie in different folders that their keys do not name.
void refuse_one_backup_of_two(const PlanOptions& options, const FileList& files) {
  if (options.backup.empty()) return;
  PathSet keys;
  const auto for_each = [&](auto visit) {
    for (const FoundFile& file : files)
      if (!file.to_do.empty()) visit(file, fs::path(files.key(file)).relative_path().string());
  };
  for_each([&](const FoundFile&, const std::string& key) { keys.add(key); });
  keys.sort();
  const PathSet repeated = keys.repeated();
  if (repeated.empty()) return;
  SomeNames names;
  for_each([&](const FoundFile& file, const std::string& key) {
    if (repeated.contains(key)) names.add(files.path(file));
  });
  throw PlanError(
      fmt::format("{}: their backups would have one name; name the folder above them "
                  "as the input, or list them as absolute paths",
                  names.text()));
}

class Room {
 public:
  explicit Room(const fs::path& run) : run_(run) {}

  void add(const fs::path& original, const fs::path& backup, std::uint64_t device,
           std::uint64_t bytes) {
    const auto [known, is_new] = takes_none_.try_emplace(device);
    if (is_new) known->second = takes_no_room(original, run_);
    std::error_code none;
    if (!known->second && !fs::exists(backup, none)) needed_ += bytes;
  }

  std::uint64_t needed() const { return needed_; }

 private:
  const fs::path& run_;
  std::map<std::uint64_t, bool> takes_none_;  // by device
  std::uint64_t needed_ = 0;
};

}  // namespace

void place_in_place(const PlanOptions& options, const CompanionFiles::All& companions,
                    const SharedLabels& shared, FoundFiles& found, RealPlaces& places) {
  FileList& files = found.files;
  leave_out_same_files(files);
  refuse_one_backup_of_two(options, files);
  add_places(options, companions, files, places);
  SomeNames linked;
  for (const FoundFile& file : files) {
    if (file.to_do.empty()) continue;
    const std::string path = files.path(file);
    if (file.is_link) files.set_link_target(file, fs::canonical(path).native());
    const fs::path backup = options.backup.empty()
                                ? fs::path()
                                : options.backup / fs::path(files.key(file)).relative_path();
    if (!options.break_links && file.has_links && has_other_names(path, backup, options.backup))
      linked.add(path);
    if (!options.sidecars || !file.picture || !files.folder_of(file).may_hold_sidecars) continue;
    for (const Sidecar& sidecar : named_as_sidecars(path)) {
      const fs::path kept = backup.empty() ? backup : sidecar_of(backup, sidecar);
      const bool is_linked =
          !options.break_links && has_other_names(sidecar.path, kept, options.backup);
      if ((!is_linked && !fs::is_symlink(sidecar.path)) ||
          !is_sidecar(sidecar.path, path, *found.shared_stems))
        continue;
      refuse_link(sidecar.path, path, options);
      if (is_linked) linked.add(sidecar.path.string());
    }
  }
  place_shared(options, shared, files, linked);
  const Companions turned_with_them(options, companions, files);
  turned_with_them.refuse_links();
  turned_with_them.refuse_wrong_turns();
  turned_with_them.find_linked(linked);
  if (linked.count() > 0) {
    throw WithHints<PlanError>(
        {Hint::break_links},
        fmt::format("{} {} other names (hard links), which would stay as they are", linked.text(),
                    linked.count() == 1 ? "has" : "have"));
  }
}

void refuse_full_backup(const JobList& jobs, const fs::path& run) {
  Room room(run);
  const FileList& files = jobs.files();
  for (const FoundFile& file : files) {
    if (file.to_do.empty()) continue;
    room.add(files.path(file), backup_place(run, files.key(file)), files.id(file).device,
             file.bytes);
  }
  for (const CompanionFiles* among : jobs.companions()) {
    for (const CompanionFiles::File& each : *among) {
      const FoundFile& picture = files[each.picture];
      const fs::path path = among->path(each);
      struct stat status;
      if (::stat(path.c_str(), &status) != 0) continue;  // its picture will fail
      room.add(path, backup_place(run, files.key(picture), files.path(picture), path),
               status.st_dev, static_cast<std::uint64_t>(status.st_size));
    }
  }
  jobs.shared_labels().for_each_replaced([&](const SharedLabels::File& file) {
    const FoundFile& picture = files[file.first_picture()];
    struct stat status;
    if (::stat(file.input.c_str(), &status) != 0) return;  // it is not written
    room.add(file.input, backup_place(run, files.key(picture), files.path(picture), file.input),
             status.st_dev, static_cast<std::uint64_t>(status.st_size));
  });
  struct statvfs system;
  if (room.needed() == 0 || ::statvfs(run.c_str(), &system) != 0) return;
  const std::uint64_t free = std::uint64_t{system.f_bavail} * system.f_frsize;
  if (room.needed() <= free) return;
  throw PlanError(fmt::format(
      "the originals that are kept may need {} MB in {}, and {} MB are free there; choose a folder "
      "on the file system of the pictures, where they need no room",
      room.needed() / 1'000'000, run.parent_path().string(), free / 1'000'000));
}

}  // namespace qturn
