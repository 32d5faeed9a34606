#include "tools/qturn/labels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/plan/labels.hpp"
#include "tools/qturn/report.hpp"

namespace qturn {

void refuse_other_labels(const CommandLine& line, const Plan& plan) {
  if (line.labels.take != TakeLabels::found) return;
  const auto label = find_label(plan, line.random > 0 ? Variants::drawn_for_each : Variants::alike);
  if (!label) return;
  throw PlanError(fmt::format(
      "{}: labels or masks, which are not turned with their pictures yet; --labels none "
      "turns each picture by itself{}",
      printable(label->string()),
      plan.jobs.labels().empty() ? "" : ", --labels yolo or voc only those labels with it"));
}

void say_labels(const CommandLine& line, const Plan& plan) {
  const LabelFiles& labels = plan.jobs.labels();
  if (line.quiet) return;
  const auto pictures = std::ranges::count_if(
      plan.jobs.files(), [](const FoundFile& file) { return file.picture != 0; });
  for (const LabelFormat& format : label_formats) {
    const auto is_of = [&](const LabelFiles::Label& label) {
      return labels.place_of(label).format == &format;
    };
    const auto first = std::ranges::find_if(labels, is_of);
    if (first == labels.end()) continue;
    const std::optional<Keypoints>& keypoints = labels.place_of(*first).keypoints;
    std::string kind;
    if (format.option == "yolo") {
      kind = "; no YAML file says whether they have keypoints";
      if (keypoints && keypoints->count == 0) kind = "; without keypoints";
      if (keypoints && keypoints->count > 0)
        kind = fmt::format("; {} keypoints of {} values each", keypoints->count, keypoints->values);
    }
    print_message(fmt::format("{} labels of {} of {} pictures turn with them{}", format.name,
                              std::ranges::count_if(labels, is_of), pictures, kind));
  }
}

std::string label_in_words(const Plan& plan, const Outcome& outcome) {
  const LabelFiles& labels = plan.jobs.labels();
  const LabelFiles::Label* label = labels.of(outcome.job);
  if (!label) return "";
  return fmt::format(", with {} -> {}", printable(labels.path(*label).string()),
                     printable(plan.jobs.label_of(*label, outcome.variant).string()));
}

}  // namespace qturn
