#include "tools/qturn/augmentation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tools/qturn/label_pages.hpp"
#include "tools/qturn/labels.hpp"
#include "tools/qturn/manifest.hpp"
#include "tools/qturn/orientation_labels.hpp"
#include "tools/qturn/result_options.hpp"
#include "tools/qturn/shard_parts.hpp"
#include "tools/qturn/shards.hpp"
#include "tools/qturn/shared_files.hpp"
#include "tools/qturn/shared_labels.hpp"
#include "tools/qturn/version.hpp"

namespace qturn {

namespace fs = std::filesystem;

namespace {

ManifestHeader header_of(const CommandLine& line, const RunOptions& run) {
  ManifestHeader header{version, std::vector<std::string>()};
  for (const TypedOption& option : result_options(line, run.jpeg.edges))
    header.options->push_back(option.value.empty() ? option.name
                                                   : option.name + "=" + option.value);
  return header;
}

}  // namespace

Augmentation::Augmentation(const CommandLine& line, const Plan& plan, const ReportPlace& json,
                           const Replay* replay)
    : line_(line), plan_(plan), replay_(replay) {
  if (replay_) {
    const std::uint64_t others = replay_->check(plan);
    if (others > 0 && !line.quiet) {
      print_message(fmt::format("left out, because the manifest does not list them: {} {}", others,
                                others == 1 ? "picture" : "pictures"));
    }
  }
  refuse_other_labels(line, plan);
  refuse_copied_sidecars(line, plan);
  say_labels(line, plan);
  manifest_ = place_in_output(line, plan, "manifest.jsonl", "the manifest");
  if (line.shard) manifest_ = shard_folder(plan.output_folder, *line.shard) / shard_manifest_name;
  std::error_code absent;
  if (replay_ && fs::equivalent(manifest_, replay_->manifest(), absent)) {
    throw PlanError(
        fmt::format("--replay {} would replace this manifest by its own; name another "
                    "output, or replay a copy of it",
                    printable(manifest_.string())));
  }
  const ReportPlace html = ReportPlace::html(line);
  html.refuse(plan);
  const auto keep_reports_from = [&](const fs::path& file) {
    json.refuse(file);
    html.refuse(file);
  };
  keep_reports_from(manifest_);
  orientations_ = orientation_labels_place(line, plan);
  keep_reports_from(orientations_);
  SharedFiles(line_, plan_, replay_).check(keep_reports_from);
  html.refuse_all_but_pages();
}

bool Augmentation::write_shared_files(const Report& report,
                                      std::vector<ManifestFile>& listed) const {
  const WrittenPictures written{report.written(), report.stored()};
  if (line_.shard) {
    return plan_.jobs.shared_labels().broken().empty() && write_and_warn([&] {
             return write_shard_parts(manifest_.parent_path() / shard_parts_name, line_, plan_,
                                      written);
           });
  }
  bool is_whole = SharedFiles(line_, plan_, replay_).write(written, listed);
  if (!orientations_.empty()) {
    is_whole = write_and_warn([&] {
                 return write_orientation_labels(orientations_, plan_, report.written());
               }) &&
               is_whole;
  }
  return is_whole;
}

bool Augmentation::finish(Report& report, const RunOptions& options, const Journals* journals,
                          bool is_interrupted) const {
  const auto is_empty = [](OrientationSet variants) { return variants.empty(); };
  // A shard has a manifest even if it has no pictures.
  const bool needs_pictures = !line_.shard || is_interrupted;
  if (needs_pictures && plan_.jobs.skipped_count() == 0 &&
      std::ranges::all_of(report.written(), is_empty))
    return true;
  report.made().finish();
  bool is_whole = true;
  RunRecord record{.header = replay_ ? replay_->header() : header_of(line_, options),
                   .written = report.written(),
                   .made = report.made(),
                   .options = options,
                   .journals = journals,
                   .is_interrupted = is_interrupted,
                   .files = {}};
  if (!is_interrupted) is_whole = write_shared_files(report, record.files);
  is_whole = write_and_warn([&] { return write_manifest(manifest_, plan_, record); }) && is_whole;
  if (line_.html_file.empty() || is_interrupted) return is_whole;
  return write_augment_page(line_, plan_, report.written()) && is_whole;
}

}  // namespace qturn
