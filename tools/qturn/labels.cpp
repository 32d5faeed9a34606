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
      plan.jobs.labels().empty() ? "" : ", --labels yolo only the YOLO labels with it"));
}

void say_labels(const CommandLine& line, const Plan& plan) {
  const LabelFiles& labels = plan.jobs.labels();
  if (labels.empty() || line.quiet) return;
  const std::optional<Keypoints>& keypoints = labels.place_of(*labels.begin()).keypoints;
  std::string kind = "no YAML file says whether they have keypoints";
  if (keypoints && keypoints->count == 0) kind = "without keypoints";
  if (keypoints && keypoints->count > 0)
    kind = fmt::format("{} keypoints of {} values each", keypoints->count, keypoints->values);
  const auto pictures = std::ranges::count_if(
      plan.jobs.files(), [](const FoundFile& file) { return file.picture != 0; });
  print_message(fmt::format("YOLO labels of {} of {} pictures turn with them; {}", labels.size(),
                            pictures, kind));
}

std::string label_in_words(const Plan& plan, const Outcome& outcome) {
  const LabelFiles& labels = plan.jobs.labels();
  const LabelFiles::Label* label = labels.of(outcome.job);
  if (!label) return "";
  return fmt::format(", with {} -> {}", printable(labels.path(*label).string()),
                     printable(plan.jobs.label_of(*label, outcome.variant).string()));
}

}  // namespace qturn
