#include "tools/qturn/augmentation.hpp"

#include <string>
#include <utility>
#include <vector>

#include "src/dataset/manifest.hpp"
#include "src/dataset/shard_parts.hpp"
#include "src/dataset/shards.hpp"
#include "src/dataset/shared_files.hpp"
#include "tools/qturn/label_notices.hpp"
#include "tools/qturn/label_pages.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/run_options.hpp"
#include "tools/qturn/version.hpp"

namespace qturn {

namespace fs = std::filesystem;

Augmentation::Augmentation(const CommandLine& line, const Plan& plan, const ReportPlace& json)
    : line_(line), plan_(plan) {
  refuse_leftovers(line, plan);
  refuse_pairs(line, plan);
  refuse_unknown_frames(line, plan);
  refuse_copied_sidecars(line, plan);
  say_labels(line, plan);
  warn_of_sides(line, plan);
  const IfExists if_exists = line.if_shared_files_exist();
  manifest_ = place_in_output(plan, "manifest.jsonl", if_exists, "the manifest");
  if (line.shard) manifest_ = shard_folder(plan.output_folder, *line.shard) / shard_manifest_name;
  const ReportPlace html = ReportPlace::html(line);
  html.refuse(plan);
  const auto keep_reports_from = [&](const fs::path& file) {
    json.refuse(file);
    html.refuse(file);
  };
  keep_reports_from(manifest_);
  check_shared_files(plan, if_exists, keep_reports_from);
  html.refuse_all_but_pages();
}

FileResults Augmentation::write_files_of_all(const RunOptions& options,
                                             const WrittenPictures& written,
                                             std::vector<ManifestFile>& listed) const {
  if (!line_.shard)
    return write_shared_files(plan_, options, written, line_.if_shared_files_exist(), listed);
  FileResults results{.is_whole = plan_.jobs.shared_labels().broken().empty()};
  if (!results.is_whole) return results;
  results.add([&] {
    return write_shard_parts(manifest_.parent_path() / shard_parts_name, plan_, options, written);
  });
  return results;
}

bool Augmentation::finish(const WrittenPictures& written, const RunOptions& options,
                          const Journals* journals, bool is_interrupted) const {
  // A shard has a manifest even if it has no pictures.
  const bool needs_pictures = !line_.shard || is_interrupted;
  if (needs_pictures && plan_.jobs.skipped_count() == 0 && written.empty()) return true;
  RunRecord record{.header = {version, result_options(line_, options.jpeg.edges, "=")},
                   .written = written,
                   .options = options,
                   .journals = journals,
                   .is_interrupted = is_interrupted,
                   .files = {}};
  FileResults results;
  if (!is_interrupted) results = write_files_of_all(options, written, record.files);
  const IfExists if_exists = line_.shard ? IfExists::replace : line_.if_shared_files_exist();
  results.add([&] { return write_manifest(manifest_, plan_, record, if_exists); });
  const bool is_whole = say_results(results);
  if (line_.html_file.empty() || is_interrupted) return is_whole;
  return write_augment_page(line_, plan_, written.variants()) && is_whole;
}

}  // namespace qturn
