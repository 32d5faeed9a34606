#include "tools/qturn/orientation_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "src/labels/csv_text.hpp"
#include "src/store/safe_file.hpp"
#include "tools/qturn/manifest.hpp"

namespace qturn {

namespace fs = std::filesystem;

namespace {

/// Of results that an earlier run has turned by their tag alone, a row would not be true.
void refuse_kept_tags(const Plan& plan) {
  if (plan.jobs.skipped_count() == 0) return;
  const fs::path manifest = plan.output_folder / "manifest.jsonl";
  const auto options = options_of_kept(manifest, plan);
  if (!options) {
    throw PlanError(fmt::format(
        "--label-orientation says how pixels were turned, and {} does not tell with which options "
        "the results were made that are there; use --overwrite, or another output",
        manifest.string()));
  }
  if (std::ranges::find(*options, "--jpeg-edges=tag") == options->end()) return;
  throw PlanError(fmt::format(
      "--label-orientation says how pixels were turned, and results that are there were made with "
      "--jpeg-edges tag, which turns some by their tag alone; use --overwrite, or another output"));
}

}  // namespace

fs::path orientation_labels_place(const CommandLine& line, const Plan& plan) {
  if (!line.label_orientation) return {};
  if (line.jpeg_edges == JpegEdges::tag) {
    throw PlanError(
        "--label-orientation says how pixels were turned, and --jpeg-edges tag turns some by their "
        "tag alone; leave one out");
  }
  fs::path place = place_in_output(line, plan, orientation_labels_name, "the orientations");
  refuse_kept_tags(plan);
  for (const SharedLabels::File& file : plan.jobs.shared_labels().files())
    if (file.output == place)
      throw PlanError(
          fmt::format("{}: the orientations would be in the place of its labels; give "
                      "it another name, or leave out --label-orientation",
                      file.input.string()));
  return place;
}

std::string orientation_row(const std::string& output, Orientation variant) {
  return fmt::format("{},{},{},{}\n", csv_field(output, ','), static_cast<int>(variant),
                     name(variant), static_cast<int>(inverse(variant)));
}

std::vector<std::string> write_orientation_labels(const fs::path& place, const Plan& plan,
                                                  const std::vector<OrientationSet>& written) {
  const FileList& files = plan.jobs.files();
  bool is_any = false;
  const auto write = [&](const NewFile::Append& append) {
    std::string rows = orientation_labels_header;
    const auto flush = [&] {
      append(std::as_bytes(std::span(rows)));
      rows.clear();
    };
    for (std::size_t number = 0; number < files.size(); ++number) {
      if (!files[number].picture) continue;
      (files[number].kept | written[number]).for_each([&](Orientation variant) {
        constexpr std::size_t many = 1 << 16;
        const fs::path output = plan.jobs.names().path_of(files, files[number], variant);
        rows += orientation_row(output.lexically_relative(plan.output_folder).string(), variant);
        if (rows.size() >= many) flush();
      });
    }
    flush();
  };
  for (std::size_t number = 0; number < files.size() && !is_any; ++number)
    is_any = files[number].picture && !(files[number].kept | written[number]).empty();
  if (!is_any) return {};
  const NewFile made{.target = place, .content = {}, .write_more = write, .places = &plan.places};
  return write_files(std::span(&made, 1), IfExists::replace);
}

}  // namespace qturn
