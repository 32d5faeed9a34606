#include "src/plan/jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "src/plan/find_files.hpp"
#include "src/plan/outputs.hpp"
#include "src/plan/sidecars.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

void refuse_unfit_options(const PlanOptions& options) {
  if (!options.output.empty()) return;
  if (options.format) {
    throw PlanError(
        "--format gives a file another suffix, so it cannot work in place; name an "
        "output with -o");
  }
  if (!options.variants.empty() || options.random_variants > 0) {
    throw PlanError("several pictures cannot take the place of one; name an output with -o");
  }
}

[[noreturn]] void refuse_no_pictures(const PlanOptions& options, const FoundFiles& found,
                                     const Plan& plan) {
  std::vector<std::string> places;
  for (const fs::path& input : options.inputs) places.push_back(input.string());
  if (!options.listed.empty()) places.push_back("the list");
  if (places.empty()) throw PlanError("no input files");

  std::string message = "no pictures in " + name_some(places);
  std::vector<std::string> types;
  for (const auto& [type, count] : plan.others) types.push_back(fmt::format("{} {}", count, type));
  if (!types.empty()) message += "; found only " + name_some(types);
  if (found.left_out > 0) {
    message += fmt::format("; --include and --exclude left out {}", found.left_out);
  }
  if (!plan.unreadable.empty()) message += "; cannot look into " + name_some(plan.unreadable);
  throw PlanError(message);
}

}  // namespace

Plan plan(const PlanOptions& options) try {
  refuse_unfit_options(options);
  FoundFiles found = find_files(options);
  const bool in_place = options.output.empty();
  const bool copy_others = options.others == Others::copy && !in_place;

  Plan plan;
  plan.unreadable = found.unreadable;
  plan.others = found.types;
  bool any_picture = false;
  std::erase_if(found.files, [&](const FoundFile& file) {
    any_picture |= file.picture;
    if (file.picture || copy_others) return false;
    ++plan.others[file.suffix.empty() ? "no suffix" : file.suffix];
    return true;
  });
  if (!any_picture) refuse_no_pictures(options, found, plan);

  for (const FoundFile& file : found.files) {
    Job job;
    job.input = file.path;
    job.key = file.key;
    job.file_bytes = file.bytes;
    job.copy_verbatim = !file.picture;
    if (file.picture) job.target = options.format;
    plan.jobs.push_back(std::move(job));
  }
  if (in_place) {
    place_in_place(options, found, plan);
  } else {
    place_outputs(options, found, plan);
  }
  if (options.sidecars) refuse_sidecars(options, plan);

  std::sort(plan.jobs.begin(), plan.jobs.end(), [](const Job& a, const Job& b) {
    return std::tie(b.file_bytes, a.key, a.input) < std::tie(a.file_bytes, b.key, b.input);
  });
  return plan;
} catch (const fs::filesystem_error& error) {
  throw PlanError(error.path1().string() + ": " + error.code().message());
}

}  // namespace qturn
