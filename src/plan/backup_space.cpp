#include "src/plan/backup_space.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cstdint>
#include <map>

#include "src/files/backup.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

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

void refuse_full_backup(const Plan& plan, const fs::path& run) {
  Room room(run);
  const FileList& files = plan.jobs.files();
  for (const FoundFile& file : files) {
    if (file.to_do.empty()) continue;
    room.add(files.path(file), backup_place(run, files.key(file)), files.id(file).device,
             file.bytes);
  }
  for (const CompanionFiles* among : plan.jobs.companions()) {
    for (const CompanionFiles::File& each : *among) {
      const FoundFile& picture = files[each.file];
      const fs::path path = among->path(each);
      struct stat status;
      if (::stat(path.c_str(), &status) != 0) continue;  // its picture will fail
      room.add(path, backup_place(run, files.key(picture), files.path(picture), path),
               status.st_dev, static_cast<std::uint64_t>(status.st_size));
    }
  }
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
