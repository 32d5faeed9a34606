#include "src/dataset/manifest_lines.hpp"

#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "src/files/json_names.hpp"
#include "src/turn/route_words.hpp"

namespace qturn {
namespace {

constexpr const char* first_member = "qturn_manifest";
constexpr int manifest_version = 1;

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
ManifestFile read_file_of(const Json& json, const char* name = "output") {
  const auto hash = [&](const char* member) {
    const auto read = hash_of_digits(json.at(member).get<std::string>());
    if (!read) throw std::invalid_argument(member);
    return *read;
  };
  return {get_name(json, name), hash("source"), hash("result")};
}

}  // namespace

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
  for (const ManifestFile& sidecar : entry.sidecars) json["sidecars"].push_back(json_of(sidecar));
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
                      .route = route_of(json.at("route").get<std::string>()).value(),
                      .label = {},
                      .labels_in = get_names(json, "labels_in")};
  if (json.contains("label")) entry.label = read_file_of(json["label"]);
  for (const auto& [name, files] :
       {std::pair("sidecars", &entry.sidecars), std::pair("masks", &entry.masks)})
    if (json.contains(name))
      for (const Json& file : json[name]) files->push_back(read_file_of(file));
  return entry;
} catch (const std::exception&) {
  return std::nullopt;
}

std::string manifest_line(const ManifestHeader& header) {
  Json json;
  json[first_member] = manifest_version;
  json["program"] = header.program;
  if (header.options) put_names(json, "options", *header.options);
  return dump(json);
}

std::string manifest_line(const ManifestFile& file) {
  Json json;
  put_name(json, "file", file.output);
  put_file(json, file);
  return dump(json);
}

std::string manifest_line(const ManifestFailure& failure) {
  Json json;
  put_name(json, "key", failure.key);
  put_name(json, "failed", failure.why);
  return dump(json);
}

std::optional<ManifestHeader> read_manifest_header(const std::string& line) try {
  const Json json = Json::parse(line);
  if (json.at(first_member) != manifest_version) return std::nullopt;
  ManifestHeader header{json.at("program").get<std::string>(), std::nullopt};
  if (json.contains("options")) header.options = get_names(json, "options");
  return header;
} catch (const std::exception&) {
  return std::nullopt;
}

std::optional<ManifestFile> read_manifest_file(const std::string& line) try {
  return read_file_of(Json::parse(line), "file");
} catch (const std::exception&) {
  return std::nullopt;
}

std::optional<ManifestFailure> read_manifest_failure(const std::string& line) try {
  const Json json = Json::parse(line);
  return ManifestFailure{get_name(json, "key"), get_name(json, "failed")};
} catch (const std::exception&) {
  return std::nullopt;
}

}  // namespace qturn
