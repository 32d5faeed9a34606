#include "tools/qturn/json.hpp"

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

const char* word(Route route) {
  switch (route) {
    case Route::none:
      return "none";
    case Route::reencoded:
      return "reencoded";
    case Route::planar:
      return "planar";
    case Route::lossless:
      return "lossless";
    case Route::trimmed:
      return "trimmed";
    case Route::tagged:
      return "tagged";
    case Route::skipped:
      return "skipped";
    case Route::copied:
      break;
  }
  return "copied";
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

std::string manifest_line(const ManifestEntry& entry) {
  Json json;
  put_name(json, "key", entry.key);
  json["variant"] = name(entry.variant);
  json["orientation"] = static_cast<int>(entry.variant);
  put_name(json, "output", entry.output);
  return dump(json);
}

std::optional<ManifestEntry> read_manifest_line(const std::string& line) try {
  const Json json = Json::parse(line);
  const Json& number = json.at("orientation");
  if (!number.is_number_integer()) return std::nullopt;
  const auto orientation = number.get<std::int64_t>();
  if (orientation < 1 || orientation > 8) return std::nullopt;
  return ManifestEntry{get_name(json, "key"), static_cast<Orientation>(orientation),
                       get_name(json, "output")};
} catch (const std::exception&) {
  return std::nullopt;
}

}  // namespace qturn
