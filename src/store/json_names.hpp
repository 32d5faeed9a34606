// Names of files in JSON. Names are bytes, JSON is UTF-8: in a name that is not UTF-8, U+FFFD
// replaces the wrong bytes, and a second member, with "_hex" added to its name, has the exact bytes
// as hexadecimal digits.
#ifndef QTURN_SRC_STORE_JSON_NAMES_HPP
#define QTURN_SRC_STORE_JSON_NAMES_HPP

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace qturn {

using Json = nlohmann::ordered_json;

inline std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

inline void put_name(Json& json, const std::string& member, const std::string& bytes) {
  json[member] = bytes;
  try {
    (void)json[member].dump();
  } catch (const Json::type_error&) {  // not UTF-8
    std::string hex;
    for (const unsigned char byte : bytes) hex += fmt::format("{:02x}", byte);
    json[member + "_hex"] = hex;
  }
}

/// Throws Json::exception, std::invalid_argument or std::out_of_range if there is no such name.
inline std::string get_name(const Json& json, const std::string& member) {
  if (!json.contains(member + "_hex")) return json.at(member).get<std::string>();
  const auto hex = json.at(member + "_hex").get<std::string>();
  std::string bytes;
  for (std::size_t at = 0; at < hex.size(); at += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
  return bytes;
}

}  // namespace qturn

#endif  // QTURN_SRC_STORE_JSON_NAMES_HPP
