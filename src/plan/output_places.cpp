#include "src/plan/output_places.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "src/files/file_descriptor.hpp"
#include "src/files/safe_file.hpp"
#include "src/inputs/options.hpp"

namespace qturn {

namespace fs = std::filesystem;

namespace {

void check_writable(fs::path folder) {
  while (!fs::exists(folder)) folder = folder.parent_path();
  if (!fs::is_directory(folder)) {
    throw PlanError(folder.string() + ": is a file, and the output needs a folder there");
  }
  if (::eaccess(folder.c_str(), W_OK | X_OK) != 0) {
    throw PlanError(fmt::format("{}: cannot be written to: {}; choose another output",
                                folder.string(), std::generic_category().message(errno)));
  }
}

}  // namespace

const OutputPlaces::Folder& OutputPlaces::folder_of(const FileList::Folder& inputs) {
  const Folder*& known = by_inputs_[&inputs];
  if (!known) known = &folder(names_.folder_of(inputs));
  return *known;
}

bool OutputPlaces::folds_case(const FileList::Folder& inputs) {
  fs::path folder = folder_of(inputs).path;
  while (!fs::exists(folder)) folder = folder.parent_path();
  const auto [known, is_new] = folds_.try_emplace(folder);
  if (is_new) {
    const fs::path probe = folder / fmt::format(".probe.qturn-{}aaac", run_id());
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    const FileDescriptor made(::open(probe.c_str(), flags, 0600));
    known->second = made && fs::exists(folder / fmt::format(".PROBE.qturn-{}aaac", run_id()));
    if (made) ::unlink(probe.c_str());
  }
  return known->second;
}

const OutputPlaces::Folder& OutputPlaces::folder(const fs::path& named) {
  const fs::path name = named.parent_path();
  const auto known = folders_.find(name.native());
  if (known != folders_.end()) return known->second;
  Folder folder;
  folder.path = fs::weakly_canonical(fs::absolute(name.empty() ? "." : name));
  folder.prefix = folder.path / "";
  folder.exists = fs::exists(folder.path);
  check_writable(folder.path);
  return folders_.emplace(name.native(), std::move(folder)).first->second;
}

}  // namespace qturn
