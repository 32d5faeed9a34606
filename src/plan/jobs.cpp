#include "src/plan/jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/formats/table.hpp"
#include "src/plan/find_files.hpp"
#include "src/plan/outputs.hpp"

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
  SomeNames places;
  for (const fs::path& input : options.inputs) places.add(input.string());
  if (!options.listed.empty()) places.add("the list");
  if (places.count() == 0) throw PlanError("no input files");

  std::string message = "no pictures in " + places.text();
  SomeNames types;
  for (const auto& [type, count] : plan.others) types.add(fmt::format("{} {}", count, type));
  if (types.count() > 0) message += "; found only " + types.text();
  const bool any_raw = std::ranges::any_of(plan.others, [](const auto& type) {
    const Codec* codec = codec_of_suffix(type.first);
    return codec && codec->only_if_asked;
  });
  if (any_raw) message += "; --raw --tag-only changes the orientation tag of camera raw files";
  if (found.left_out > 0) {
    message += fmt::format("; --include and --exclude left out {}", found.left_out);
  }
  SomeNames unreadable;
  for (const std::string& reason : plan.unreadable) unreadable.add(reason);
  if (unreadable.count() > 0) message += "; cannot look into " + unreadable.text();
  throw PlanError(message);
}

}  // namespace

JobList::JobList(FileList files, OutputNames names)
    : files_(std::move(files)), names_(std::move(names)) {
  for (std::size_t number = 0; number < files_.size(); ++number) {
    const FoundFile& file = files_[number];
    const auto outputs = static_cast<std::uint64_t>(file.to_do.size());
    output_count_ += outputs;
    skipped_count_ += static_cast<std::uint64_t>(file.kept.size());
    work_bytes_ += outputs * file.bytes;
    if (outputs > 0) order_.push_back(number);
  }
  // Files have ascending keys, so their numbers decide ties by key.
  std::ranges::sort(order_, {},
                    [&](std::size_t number) { return std::pair(~files_[number].bytes, number); });
}

Job JobList::operator[](std::size_t index) const {
  const std::size_t number = order_[index];
  const FoundFile& file = files_[number];
  Job job{.number = number,
          .input = files_.path(file),
          .key = files_.key(file),
          .file_bytes = file.bytes,
          .target = file.picture ? names_.target() : nullptr,
          .outputs = {},
          .copy_verbatim = !file.picture};
  file.to_do.for_each([&](Orientation variant) {
    job.outputs.push_back({names_.path_of(files_, file, variant), variant});
  });
  return job;
}

Skipped JobList::skipped(const FoundFile& file, Orientation variant) const {
  return {files_.path(file), names_.path_of(files_, file, variant), files_.key(file), variant,
          file.picture != 0};
}

Plan plan(const PlanOptions& options) try {
  refuse_unfit_options(options);
  FoundFiles found = find_files(options);
  const bool in_place = options.output.empty();
  const bool copy_others = options.others == Others::copy && !in_place;

  Plan plan;
  plan.unreadable = found.unreadable;
  plan.journals = found.journals;
  plan.others = found.types;
  const auto is_picture = [](const FoundFile& file) { return file.picture != 0; };
  const bool any_picture = std::ranges::any_of(found.files, is_picture);
  found.files.erase_if([&](const FoundFile& file) {
    if (file.picture || copy_others) return false;
    if (file.is_named && any_picture) {
      plan.unreadable.push_back(not_a_picture(found.files.path(file)));
      return true;
    }
    const std::string suffix = lower_suffix(file.name);
    ++plan.others[suffix.empty() ? "no suffix" : suffix];
    return true;
  });
  if (!any_picture) refuse_no_pictures(options, found, plan);

  const bool one_file = options.inputs.size() + options.listed.size() == 1 && found.folders.empty();
  OutputNames names(options, one_file);
  if (in_place) {
    place_in_place(options, found.files);
  } else {
    place_outputs(options, names, found);
  }
  plan.output_folder = names.folder();
  plan.jobs = JobList(std::move(found.files), std::move(names));
  return plan;
} catch (const fs::filesystem_error& error) {
  throw PlanError(error.path1().string() + ": " + error.code().message());
}

}  // namespace qturn
