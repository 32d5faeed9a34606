#include "tools/qturn/json.hpp"

#include "src/files/json_names.hpp"
#include "src/turn/route_words.hpp"

namespace qturn {
namespace {

const char* word(Status status) {
  switch (status) {
    case Status::done:
      return "done";
    case Status::salvaged:
      return "salvaged";
    case Status::done_before:
    case Status::skipped:
      return "skipped";
    case Status::rejected:
      return "rejected";
    case Status::failed:
      break;
  }
  return "failed";
}

void put_companions(Json& json, const Outcome& outcome) {
  const auto all_of = [&](CompanionKind kind) {
    Json all = Json::array();
    for (const CompanionOutcome& each : outcome.companions) {
      if (each.kind != kind || !each.is_written) continue;
      Json& one = all.emplace_back();
      put_name(one, "input", each.input.string());
      put_name(one, "output", each.output.string());
    }
    return all;
  };
  if (Json label = all_of(CompanionKind::label); !label.empty()) json["label"] = label.front();
  if (Json masks = all_of(CompanionKind::mask); !masks.empty()) json["masks"] = masks;
  if (Json sidecars = all_of(CompanionKind::sidecar); !sidecars.empty())
    json["sidecars"] = sidecars;
  std::vector<std::string> shared;
  for (const std::filesystem::path& file : outcome.shared_labels) shared.push_back(file.string());
  put_names(json, "labels_in", shared);
}

}  // namespace

std::string json_line(const Outcome& outcome) {
  Json json;
  put_name(json, "input", outcome.input.string());
  put_name(json, "output", outcome.output.string());
  json["orientation"] = name(outcome.variant);
  json["applied"] = name(outcome.applied);
  json["width"] = outcome.width;
  json["height"] = outcome.height;
  json["route"] = word(outcome.route);
  json["lossy"] = outcome.loss != Loss::none;
  if (!outcome.codec.empty()) json["codec"] = outcome.codec;
  json["seconds"] = outcome.seconds;
  json["status"] = word(outcome.status);
  json["message"] = outcome.message;
  json["warnings"] = Json::array();
  for (const Sentence& warning : outcome.warnings) json["warnings"].push_back(warning.text);
  if (!outcome.stale_metadata.empty()) json["stale_metadata"] = outcome.stale_metadata;
  put_companions(json, outcome);
  return dump(json);
}

std::string json_line(const Skipped& skipped) {
  Json json;
  put_name(json, "input", skipped.input.string());
  put_name(json, "output", skipped.output.string());
  json["status"] = "skipped";
  json["message"] = "the output exists";
  return dump(json);
}

std::string json_line_planned(const Outcome& outcome) {
  Json json;
  put_name(json, "input", outcome.input.string());
  put_name(json, "output", outcome.output.string());
  json["orientation"] = name(outcome.variant);
  json["route"] = word(outcome.route);
  json["lossy"] = outcome.loss != Loss::none;
  json["status"] = outcome.status == Status::done ? "planned" : word(outcome.status);
  json["message"] = outcome.message;
  if (!outcome.stale_metadata.empty()) json["stale_metadata"] = outcome.stale_metadata;
  put_companions(json, outcome);
  return dump(json);
}

std::string json_line_checked(const std::filesystem::path& input,
                              const std::vector<std::string>& findings,
                              const std::string& failure) {
  Json json;
  put_name(json, "input", input.string());
  json["status"] = !failure.empty() ? "failed" : findings.empty() ? "agrees" : "disagrees";
  json["findings"] = findings;
  json["message"] = failure;
  return dump(json);
}

std::string json_line_compared(const Outcome& outcome) {
  Json json;
  put_name(json, "input", outcome.input.string());
  const bool agrees = outcome.status == Status::done;
  json["status"] = agrees ? "agrees" : outcome.status == Status::rejected ? "disagrees" : "failed";
  if (agrees) json["applied"] = name(outcome.applied);
  json["message"] = outcome.message;
  return dump(json);
}

}  // namespace qturn
