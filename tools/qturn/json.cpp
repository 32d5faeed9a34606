#include "tools/qturn/json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace qturn {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_utf8(const std::string& bytes) {
  try {
    (void)Json(bytes).dump();
    return true;
  } catch (const Json::type_error&) {
    return false;
  }
}

void put_name(Json& json, const std::string& member, const std::string& bytes) {
  json[member] = bytes;
  if (is_utf8(bytes)) return;
  std::string hex;
  for (const unsigned char byte : bytes) hex += fmt::format("{:02x}", byte);
  json[member + "_hex"] = hex;
}

const char* word(Status status) {
  switch (status) {
    case Status::done:
      return "done";
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
  json["message"] = "the output is there already";
  return dump(json);
}

std::string json_line_planned(const Job& job, const JobOutput& output, Orientation orientation) {
  Json json;
  put_name(json, "input", job.input.string());
  put_name(json, "output", output.path.string());
  json["orientation"] = name(orientation);
  json["status"] = "planned";
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

std::string manifest_line(const Outcome& outcome, const std::filesystem::path& folder) {
  Json json;
  put_name(json, "key", outcome.key);
  json["variant"] = name(outcome.variant);
  json["orientation"] = static_cast<int>(outcome.variant);
  put_name(json, "output", outcome.output.lexically_relative(folder).string());
  return dump(json);
}

}  // namespace qturn
