#include "tools/qturn/json.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>

#include "src/store/json_names.hpp"

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
    case Status::failed:
      break;
  }
  return "failed";
}

/// In the order of Route.
constexpr std::array<const char*, route_count> routes = {
    "none", "reencoded", "planar", "lossless", "trimmed", "tagged", "copied", "skipped"};
static_assert(static_cast<int>(Route::skipped) == 7);

const char* word(Route route) { return routes[static_cast<std::size_t>(route)]; }

Route route_of(const std::string& word) {
  const auto* found = std::ranges::find(routes, word);
  if (found == routes.end()) throw std::invalid_argument(word);
  return static_cast<Route>(found - routes.begin());
}

void put_companions(Json& json, const Outcome& outcome) {
  const auto all_of = [&](CompanionKind kind) {
    Json all = Json::array();
    for (const CompanionOutcome& each : outcome.companions) {
      if (each.kind != kind) continue;
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

void put_file(Json& json, const ManifestFile& file) {
  json["source"] = digits_of(file.source);
  json["result"] = digits_of(file.result);
}

Json json_of(const ManifestFile& file) {
  Json json;
  put_name(json, "output", file.output);
  put_file(json, file);
  return json;
}

/// Throws an exception of any kind if it is not one.
ManifestFile read_file_of(const Json& json) {
  const auto hash = [&](const char* member) {
    const auto read = hash_of_digits(json.at(member).get<std::string>());
    if (!read) throw std::invalid_argument(member);
    return *read;
  };
  return {get_name(json, "output"), hash("source"), hash("result")};
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
  json["warnings"] = outcome.warnings;
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

std::weak_ordering ManifestEntry::operator<=>(const ManifestEntry& other) const {
  return std::tie(key, variant, picture.output) <=>
         std::tie(other.key, other.variant, other.picture.output);
}

std::string manifest_line(const ManifestEntry& entry) {
  Json json;
  put_name(json, "key", entry.key);
  json["variant"] = name(entry.variant);
  json["orientation"] = static_cast<int>(entry.variant);
  put_name(json, "output", entry.picture.output);
  json["route"] = word(entry.route);
  put_file(json, entry.picture);
  if (entry.label) json["label"] = json_of(*entry.label);
  for (const ManifestFile& mask : entry.masks) json["masks"].push_back(json_of(mask));
  put_names(json, "labels_in", entry.labels_in);
  return dump(json);
}

std::optional<ManifestEntry> read_manifest_line(const std::string& line) try {
  const Json json = Json::parse(line);
  const Json& number = json.at("orientation");
  if (!number.is_number_integer()) return std::nullopt;
  const auto orientation = number.get<std::int64_t>();
  if (orientation < 1 || orientation > 8) return std::nullopt;
  ManifestEntry entry{.key = get_name(json, "key"),
                      .variant = static_cast<Orientation>(orientation),
                      .picture = read_file_of(json),
                      .route = route_of(json.at("route").get<std::string>()),
                      .label = {},
                      .masks = {},
                      .labels_in = get_names(json, "labels_in")};
  if (json.contains("label")) entry.label = read_file_of(json["label"]);
  if (json.contains("masks"))
    for (const Json& mask : json["masks"]) entry.masks.push_back(read_file_of(mask));
  return entry;
} catch (const std::exception&) {
  return std::nullopt;
}

}  // namespace qturn
