#include "src/plan/outputs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "src/plan/variants.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

std::optional<Format> promised_format(const fs::path& path) {
  return format_of_suffix(path.extension().string());
}

/// "x/a.jpeg" for PNG becomes "x/a.png", for JPEG it stays, and "scan.2024" becomes
/// "scan.2024.png".
fs::path with_suffix_of(const fs::path& key, Format format) {
  const std::optional<Format> promised = promised_format(key);
  if (promised == format) return key;
  fs::path renamed = key;
  if (promised) renamed.replace_extension();
  renamed += suffix(format);
  return renamed;
}

/// "x/a.jpg" becomes "x/a__rotate90.jpg".
fs::path of_variant(const fs::path& path, Orientation variant) {
  return path.parent_path() /
         fmt::format("{}__{}{}", path.stem().string(), name(variant), path.extension().string());
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

/// Where outputs really are, links in the names of their folders followed. A folder is looked at
/// once, however many files go there.
class Places {
 public:
  struct Folder {
    fs::path path;
    bool exists;
  };

  /// The folder a file is in. Throws PlanError where no file can be made there.
  const Folder& folder_of(const fs::path& file) {
    const fs::path named = file.parent_path();
    const auto known = folders_.find(named.native());
    if (known != folders_.end()) return known->second;
    Folder folder;
    folder.path = fs::weakly_canonical(fs::absolute(named.empty() ? "." : named));
    folder.exists = fs::exists(folder.path);
    check_writable(folder.path);
    return folders_.emplace(named.native(), std::move(folder)).first->second;
  }

  const std::map<std::string, Folder>& folders() const { return folders_; }

 private:
  static void check_writable(fs::path folder) {
    while (!fs::exists(folder)) folder = folder.parent_path();
    if (!fs::is_directory(folder)) {
      throw PlanError(folder.string() + ": is a file, and the output needs a folder there");
    }
    if (::eaccess(folder.c_str(), W_OK | X_OK) != 0) {
      throw PlanError(fmt::format("{}: cannot be written to: {}; choose another output",
                                  folder.string(), std::generic_category().message(errno)));
    }
  }

  std::map<std::string, Folder> folders_;
};

void name_outputs(const PlanOptions& options, const FoundFiles& found, Plan& plan) {
  const bool one_file = options.inputs.size() + options.listed.size() == 1 && found.folders.empty();
  const std::optional<Format> promised = promised_format(options.output);
  if (one_file && promised && !fs::is_directory(options.output)) {
    if (options.format && options.format != promised) {
      throw PlanError(fmt::format("{}: its suffix says {}, and --format says {}",
                                  options.output.string(), name(*promised), name(*options.format)));
    }
    if (!options.variants.empty() || options.random_variants > 0) {
      throw PlanError(options.output.string() +
                      ": several pictures cannot go into one file; name a folder");
    }
    plan.jobs.front().target = promised;
    plan.jobs.front().outputs = {{options.output, Orientation::identity}};
    return;
  }

  plan.output_folder = options.output;
  for (Job& job : plan.jobs) {
    fs::path output = options.output / job.key;
    if (job.target) output = with_suffix_of(output, *job.target);
    if (options.random_variants > 0 && !job.copy_verbatim) {
      for (Orientation variant : random_variants(job.key, options.random_variants, options.seed)) {
        job.outputs.push_back({of_variant(output, variant), variant});
      }
    } else if (!options.variants.empty() && !job.copy_verbatim) {
      for (Orientation variant : options.variants) {
        job.outputs.push_back({of_variant(output, variant), variant});
      }
    } else {
      job.outputs.push_back({std::move(output), Orientation::identity});
    }
  }
}

/// No output twice, and none that another one needs to be a folder.
void refuse_collisions(const Plan& plan, Places& places) {
  std::unordered_map<std::string, const Job*> taken;
  for (const Job& job : plan.jobs) {
    for (const JobOutput& output : job.outputs) {
      const Places::Folder& folder = places.folder_of(output.path);
      fs::path place = folder.path / output.path.filename();
      if (folder.exists && fs::is_symlink(fs::symlink_status(place))) {
        if (!fs::exists(place)) {
          throw PlanError(fmt::format(
              "{} is a symbolic link to a file that does not exist; remove it, or choose another "
              "output",
              output.path.string()));
        }
        place = fs::canonical(place);
      }
      const auto [other, is_new] = taken.emplace(place.string(), &job);
      if (!is_new) {
        throw PlanError(fmt::format(
            "{} and {} would both be written to {}; run them one after the other, each with its "
            "own output",
            other->second->input.string(), job.input.string(), output.path.string()));
      }
    }
  }
  for (const auto& [named, folder] : places.folders()) {
    for (fs::path at = folder.path; at.has_relative_path(); at = at.parent_path()) {
      if (const auto file = taken.find(at.native()); file != taken.end()) {
        throw PlanError(fmt::format("{}: the output would be a file, for {}, and a folder as well",
                                    at.string(), file->second->input.string()));
      }
    }
  }
}

/// No output in an input folder, where the next run would take it for an input.
void refuse_inside_inputs(const PlanOptions& options, const FoundFiles& found, Places& places) {
  for (const fs::path& input : found.folders) {
    const fs::path inside = fs::canonical(input);
    if (places.folder_of(options.output / "").path == inside) {
      throw PlanError(fmt::format("{} is both input and output; use --in-place, or another output",
                                  input.string()));
    }
    for (const auto& [named, folder] : places.folders()) {
      if (lies_in(folder.path, inside)) {
        throw PlanError(
            fmt::format("the output {} lies inside the input {}, where the next run "
                        "would read it; choose an output elsewhere",
                        named, input.string()));
      }
    }
  }
}

/// Refuses, leaves out or keeps the outputs that are there already.
void settle_existing(const PlanOptions& options, const FoundFiles& found, Plan& plan,
                     Places& places) {
  std::vector<FileId> inputs;
  for (const FoundFile& file : found.files) inputs.push_back(file.id);
  std::sort(inputs.begin(), inputs.end());

  std::vector<std::string> refused;
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    Job& job = plan.jobs[i];
    std::erase_if(job.outputs, [&](const JobOutput& output) {
      struct stat status;
      if (!places.folder_of(output.path).exists || ::stat(output.path.c_str(), &status) != 0) {
        return false;
      }
      const std::string named = output.path.string();
      if (!S_ISREG(status.st_mode)) {
        throw PlanError(named + ": is no regular file; choose another output");
      }
      if (std::binary_search(inputs.begin(), inputs.end(), FileId{status.st_dev, status.st_ino})) {
        throw PlanError(named + ": is an input as well; use --in-place, or another output");
      }
      const std::int64_t modified_ns =
          status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec;
      const bool skip =
          options.existing == Existing::skip ||
          (options.existing == Existing::update && modified_ns >= found.files[i].modified_ns);
      if (skip)
        plan.skipped.push_back(
            {job.input, output.path, job.key, output.variant, !job.copy_verbatim});
      if (options.existing == Existing::refuse) refused.push_back(named);
      return skip;
    });
  }
  if (!refused.empty()) {
    throw PlanError(fmt::format(
        "{} {} already; use --overwrite, --skip-existing or --update, or another output",
        name_some(refused), refused.size() == 1 ? "exists" : "exist"));
  }
  std::erase_if(plan.jobs, [](const Job& job) { return job.outputs.empty(); });
}

}  // namespace

void place_outputs(const PlanOptions& options, const FoundFiles& found, Plan& plan) {
  if (options.output == "-" || options.output.extension() == ".tar") {
    throw PlanError(options.output.string() +
                    ": archives cannot be written yet; name a folder as output");
  }
  name_outputs(options, found, plan);
  Places places;
  refuse_collisions(plan, places);
  refuse_inside_inputs(options, found, places);
  settle_existing(options, found, plan, places);
}

void place_in_place(const PlanOptions& options, const FoundFiles& found, Plan& plan) {
  std::vector<std::string> linked;
  std::set<std::pair<FileId, std::string>> taken;
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    const FoundFile& file = found.files[i];
    // The names of a file with hard links are told apart: each becomes a file of its own.
    const bool has_links = file.names > 1;
    const fs::path target = file.is_link ? fs::canonical(file.path) : file.path;
    const bool is_new =
        taken.emplace(file.id, has_links ? fs::canonical(target).string() : "").second;
    if (!is_new) continue;
    if (has_links && !options.break_links) linked.push_back(file.path.string());
    plan.jobs[i].outputs = {{target, Orientation::identity}};
  }
  if (!linked.empty()) {
    throw PlanError(fmt::format(
        "{} {} other names (hard links), which would keep the old picture; --break-links turns the "
        "named ones only",
        name_some(linked), linked.size() == 1 ? "has" : "have"));
  }
  std::erase_if(plan.jobs, [](const Job& job) { return job.outputs.empty(); });
}

}  // namespace qturn
