#include "src/plan/output_places.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "src/plan/options.hpp"

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
