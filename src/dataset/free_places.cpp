#include "src/dataset/free_places.hpp"

#include <fmt/format.h>

#include "src/picture/errors.hpp"

namespace qturn {

namespace fs = std::filesystem;

void check_place(const fs::path& place, IfExists if_exists, std::string_view what) {
  if (fs::is_symlink(fs::symlink_status(place)))
    throw PlanError(
        fmt::format("{} is a symbolic link, and {} would replace what it leads to; remove it, or "
                    "choose another output",
                    place.string(), what));
  if (if_exists != IfExists::replace && fs::exists(place))
    throw WithHints<PlanError>({Hint::replace_or_skip}, place.string() + " exists already");
}

fs::path place_in_output(const Plan& plan, const std::string& name, IfExists if_exists,
                         std::string_view what) {
  fs::path place = plan.output_folder / name;
  // Names of pictures end with a variant.
  const FileList& files = plan.jobs.files();
  for (const FoundFile& file : files)
    if (!file.picture && !file.is_companion && files.key(file) == name)
      throw WithHints<PlanError>(
          {{Hint::exclude, name}},
          fmt::format("{}: its copy would be in the place of {}", files.path(file), what));
  check_place(place, if_exists, what);
  return place;
}

}  // namespace qturn
