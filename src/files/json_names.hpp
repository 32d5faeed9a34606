// Names of files in JSON. Names are bytes, JSON is UTF-8: in a name that is not UTF-8, U+FFFD
// replaces the wrong bytes, and a second member, with "_hex" added to its name, has the exact bytes
// as hexadecimal digits.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace qturn {

using Json = nlohmann::ordered_json;

inline std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

inline std::string hex_of(const std::string& bytes) {
  std::string hex;
  for (const unsigned char byte : bytes) hex += fmt::format("{:02x}", byte);
  return hex;
}

/// Throws std::invalid_argument or std::out_of_range.
inline std::string bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t at = 0; at < hex.size(); at += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
  return bytes;
}

inline void put_name(Json& json, const std::string& member, const std::string& bytes) {
  json[member] = bytes;
  try {
    (void)json[member].dump();
  } catch (const Json::type_error&) {  // not UTF-8
    json[member + "_hex"] = hex_of(bytes);
  }
}

/// Throws Json::exception, std::invalid_argument or std::out_of_range if there is no such name.
inline std::string get_name(const Json& json, const std::string& member) {
  if (!json.contains(member + "_hex")) return json.at(member).get<std::string>();
  return bytes_of_hex(json.at(member + "_hex").get<std::string>());
}

/// An array of names; no member if there are none. If one is not UTF-8, all are in "_hex", too.
inline void put_names(Json& json, const std::string& member,
                      const std::vector<std::string>& names) {
  Json shown = Json::array(), exact = Json::array();
  bool is_exact = true;
  for (const std::string& name : names) {
    Json one;
    put_name(one, "name", name);
    is_exact = is_exact && !one.contains("name_hex");
    shown.push_back(one["name"]);
    exact.push_back(hex_of(name));
  }
  if (names.empty()) return;
  json[member] = shown;
  if (!is_exact) json[member + "_hex"] = exact;
}

/// Throws as get_name(); none if there is no such member.
inline std::vector<std::string> get_names(const Json& json, const std::string& member) {
  std::vector<std::string> names;
  const bool is_exact = !json.contains(member + "_hex");
  const std::string from = is_exact ? member : member + "_hex";
  if (!json.contains(from)) return names;
  for (const Json& name : json.at(from)) {
    const auto text = name.get<std::string>();
    names.push_back(is_exact ? text : bytes_of_hex(text));
  }
  return names;
}

}  // namespace qturn
