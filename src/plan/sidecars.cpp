#include "src/plan/sidecars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "src/carriers/xmp.hpp"
#include "src/files/safe_file.hpp"
#include "src/formats/image.hpp"
#include "src/plan/find_files.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

bool is_xmp(const fs::path& path) {
  return path.extension() == ".xmp" || path.extension() == ".XMP";
}

// Files of the same stem, but for the picture and XMP.
bool is_shared(const fs::path& picture) {
  std::error_code ignored;
  const fs::path folder = picture.has_parent_path() ? picture.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const fs::path& other = entry.path();
    if (other.stem() == picture.stem() && other.filename() != picture.filename() &&
        !is_xmp(other)) {
      return true;
    }
  }
  return false;
}

fs::path named_after(const fs::path& picture, bool after_whole_name, const fs::path& suffix) {
  fs::path path = picture;
  if (!after_whole_name) path.replace_extension();
  path += suffix;
  return path;
}

// The files that have a sidecar's name, not read yet.
std::vector<Sidecar> named_as_sidecars(const fs::path& picture) {
  std::vector<Sidecar> found;
  std::error_code ignored;
  for (const bool after_whole_name : {false, true}) {
    for (const char* suffix : {".xmp", ".XMP"}) {
      const fs::path path = named_after(picture, after_whole_name, suffix);
      if (!fs::is_regular_file(path, ignored)) continue;
      // Where capitals make no difference, both names are one file.
      if (!found.empty() && found.back().after_whole_name == after_whole_name &&
          fs::equivalent(found.back().path, path, ignored)) {
        continue;
      }
      found.push_back({path, after_whole_name, {}});
    }
  }
  return found;
}

}  // namespace

fs::path sidecar_of(const fs::path& picture, const Sidecar& like) {
  return named_after(picture, like.after_whole_name, like.path.extension());
}

std::vector<Sidecar> find_sidecars(const fs::path& picture, std::vector<std::string>& warnings) {
  std::vector<Sidecar> found;
  for (Sidecar& sidecar : named_as_sidecars(picture)) {
    const std::string name = sidecar.path.filename().string();
    try {
      const std::vector<std::byte> bytes = read_file(sidecar.path);
      sidecar.packet.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      if (!read_xmp(sidecar.packet).orientation) continue;
    } catch (const std::runtime_error& error) {
      warnings.push_back(fmt::format("{} beside it cannot be read: {}", name, error.what()));
      continue;
    }
    if (!sidecar.after_whole_name && is_shared(picture)) {
      warnings.push_back(fmt::format(
          "{} beside it holds an orientation, but may belong to another file of that name", name));
      continue;
    }
    found.push_back(std::move(sidecar));
  }
  return found;
}

void refuse_sidecars(const PlanOptions& options, const Plan& plan) {
  // To read them all here, and their folders, would take as long as the run; those in the way do.
  const auto is_sidecar = [](const fs::path& path, const Job& job) {
    std::vector<std::string> ignored;
    return std::ranges::count(find_sidecars(job.input, ignored), path, &Sidecar::path) > 0;
  };
  using Source = std::pair<fs::path, const Job*>;
  std::unordered_map<std::string, Source> taken;
  std::vector<std::string> linked, existing;
  std::error_code ignored;
  const auto look_at = [&](const Sidecar& sidecar, const Job& job, const fs::path& target) {
    const std::string named = target.string();
    if (fs::exists(target, ignored) && is_sidecar(sidecar.path, job)) {
      if (!fs::is_regular_file(target))
        throw PlanError(named + ": is no regular file; choose another output");
      if (fs::equivalent(target, sidecar.path))
        throw PlanError(named + ": is a sidecar of the input as well; choose another output");
      if (options.existing == Existing::refuse) existing.push_back(named);
    }
    const auto [other, is_new] =
        taken.emplace(target.lexically_normal().string(), Source(sidecar.path, &job));
    const auto& [path, owner] = other->second;
    if (!is_new && is_sidecar(path, *owner) && is_sidecar(sidecar.path, job)) {
      throw PlanError(fmt::format(
          "{} and {} would both be written to {}; run them one after the other, each with its own "
          "output",
          path.string(), sidecar.path.string(), named));
    }
  };
  for (const Job& job : plan.jobs) {
    if (job.copy_verbatim) continue;
    for (const Sidecar& sidecar : named_as_sidecars(job.input)) {
      if (options.output.empty()) {
        if (fs::hard_link_count(sidecar.path) > 1 && !options.break_links &&
            is_sidecar(sidecar.path, job)) {
          linked.push_back(sidecar.path.string());
        }
        continue;
      }
      for (const JobOutput& output : job.outputs) {
        look_at(sidecar, job, sidecar_of(output.path, sidecar));
      }
    }
  }
  if (!linked.empty()) {
    throw PlanError(fmt::format(
        "{} {} other names (hard links), which would keep the old orientation; --break-links turns "
        "the named ones only",
        name_some(linked), linked.size() == 1 ? "has" : "have"));
  }
  if (!existing.empty()) {
    throw PlanError(fmt::format(
        "{} {} already; use --overwrite, --skip-existing or --update, or another output",
        name_some(existing), existing.size() == 1 ? "exists" : "exist"));
  }
}

}  // namespace qturn
