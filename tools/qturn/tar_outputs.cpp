#include "tools/qturn/tar_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/formats/table.hpp"
#include "src/plan/jobs.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// "out-000012.tar" of "out.tar".
bool is_numbered(const fs::path& name, const fs::path& tar) {
  const std::string stem = tar.stem().string() + "-", text = name.filename().string();
  if (!text.starts_with(stem) || !text.ends_with(".tar")) return false;
  const std::string number = text.substr(stem.size(), text.size() - stem.size() - 4);
  return number.size() >= 6 && number.find_first_not_of("0123456789") == std::string::npos;
}

void refuse_numbered(const fs::path& place) {
  const fs::path folder = place.has_parent_path() ? place.parent_path() : ".";
  if (!fs::exists(folder)) return;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_numbered(entry.path(), place))
      throw PlanError(entry.path().string() +
                      ": exists already; remove the tars of the earlier run, or name others");
  }
}

}  // namespace

bool names_a_tar(const fs::path& output) {
  const char* const of_tars[] = {".tar", ".tgz", ".gz", ".tzst", ".zst", ".xz"};
  return std::ranges::find(of_tars, lower_suffix(output)) != std::end(of_tars);
}

void refuse_name_of_tar(const fs::path& output) {
  if (fs::is_directory(output) || !names_a_tar(output)) return;
  throw PlanError(output.string() +
                  ": tars are written uncompressed; name a file that ends in .tar, or a folder");
}

void refuse_existing_output(const CommandLine& line, const fs::path& place) {
  if (line.tar_bytes > 0) return refuse_numbered(place);
  if (place == "-" || !fs::exists(fs::symlink_status(place))) return;
  if (line.unpack) {
    if (fs::is_directory(place)) return;
    throw PlanError(place.string() + ": is not a folder; --unpack needs one");
  }
  if (!fs::is_regular_file(place))
    throw PlanError(place.string() + ": is not a regular file; choose another output");
  if (line.replaces_existing()) return;
  throw PlanError(place.string() + (line.shard
                                        ? ": exists already; choose another output"
                                        : ": exists already; use --overwrite, or another output"));
}

}  // namespace qturn
