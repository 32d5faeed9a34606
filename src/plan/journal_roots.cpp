#include "src/plan/journal_roots.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "src/files/content_hash.hpp"
#include "src/inputs/folder_layout.hpp"

namespace qturn {

namespace fs = std::filesystem;

namespace {

fs::path normal(const fs::path& path) { return without_slash(normal_path(path)); }

/// Names of a list, or their number and hash if they are many.
std::vector<std::string> in_short(std::set<std::string> names) {
  constexpr std::size_t few = 20;
  if (names.size() <= few) return {names.begin(), names.end()};
  const std::string all = fmt::format("{}", fmt::join(names, "\n"));
  return {fmt::format("{} files with the hash {}", names.size(),
                      digits_of(hash_of(std::as_bytes(std::span(all)))))};
}

fs::path common_folder(const NameList& files) {
  fs::path common;
  bool is_first = true;
  files.for_each([&](std::string_view file) {
    const fs::path folder = normal(fs::path(file)).parent_path();
    if (is_first) common = folder;
    is_first = false;
    fs::path shared;
    for (auto a = common.begin(), b = folder.begin();
         a != common.end() && b != folder.end() && *a == *b; ++a, ++b) {
      shared /= *a;
    }
    common = shared;
  });
  return common;
}

}  // namespace

std::vector<JournalRoot> roots_in_place(const PlanOptions& options) {
  struct Root {
    fs::path folder;
    std::set<std::string> inputs;
  };
  std::map<fs::path, Root> roots;  // by the real path, because a folder may have several names
  const auto add = [&](fs::path folder, const std::string& input) {
    if (folder.empty()) folder = ".";
    Root& root = roots[fs::canonical(folder)];
    if (root.folder.empty()) root.folder = folder;
    root.inputs.insert(input);
  };
  for (const fs::path& input : options.inputs) {
    if (fs::is_directory(input)) {
      add(without_slash(input), ".");
    } else {
      add(input.parent_path(), input.filename().string());
    }
  }
  if (!options.listed.empty()) {
    const fs::path common = common_folder(options.listed);
    options.listed.for_each([&](std::string_view file) {
      add(common, normal(fs::path(file)).lexically_relative(common).string());
    });
  }
  std::vector<JournalRoot> result;
  for (auto& [real, root] : roots)
    result.push_back({root.folder, in_short(std::move(root.inputs))});
  return result;
}

std::vector<std::string> absolute_inputs(const PlanOptions& options) {
  std::set<std::string> names;
  for (const fs::path& input : options.inputs) names.insert(normal(input).string());
  options.listed.for_each(
      [&](std::string_view file) { names.insert(normal(fs::path(file)).string()); });
  return in_short(std::move(names));
}

std::set<fs::path> result_folders(const Plan& plan) {
  std::set<fs::path> folders = plan.with_temporaries;
  const FileList& files = plan.jobs.files();
  for (const FoundFile& file : files) {
    (file.to_do | file.kept).for_each([&](Orientation variant) {
      folders.insert(plan.jobs.names().path_of(files, file, variant).parent_path());
    });
  }
  for (const CompanionFiles* among : plan.jobs.companions())
    for (const CompanionFiles::File& each : *among)
      folders.insert(plan.jobs.output_of(*among, each, Orientation::identity).parent_path());
  plan.jobs.for_each_made_once(
      [&](const fs::path&, const fs::path& output) { folders.insert(output.parent_path()); });
  return folders;
}

}  // namespace qturn
