#include "tools/qturn/augmentation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tools/qturn/label_pages.hpp"
#include "tools/qturn/labels.hpp"
#include "tools/qturn/manifest.hpp"
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

Augmentation::Augmentation(const CommandLine& line, const Plan& plan, const ReportPlace& json)
    : line_(line), plan_(plan) {
  refuse_other_labels(line, plan);
  refuse_unknown_frames(line, plan);
  refuse_copied_sidecars(line, plan);
  say_labels(line, plan);
  warn_of_sides(line, plan);
  warn_of_pairs(line, plan);
  manifest_ = place_in_output(line, plan, "manifest.jsonl", "the manifest");
  if (line.shard) manifest_ = shard_folder(plan.output_folder, *line.shard) / shard_manifest_name;
  const ReportPlace html = ReportPlace::html(line);
  html.refuse(plan);
  const auto keep_reports_from = [&](const fs::path& file) {
    json.refuse(file);
    html.refuse(file);
  };
  keep_reports_from(manifest_);
  SharedFiles(line_, plan_).check(keep_reports_from);
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
  return SharedFiles(line_, plan_).write(written, listed);
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
  RunRecord record{.header = header_of(line_, options),
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
