// What another program, ExifTool, reads in files that ours has turned.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace cli {

using Json = nlohmann::json;

inline bool succeeds(const std::string& command) { return std::system(command.c_str()) == 0; }

inline bool has_exiftool() { return succeeds("exiftool -ver > /dev/null 2>&1"); }

/// What it says of all files below the folder, by their path, with what `options` ask for.
inline std::map<std::string, Json> read_by_exiftool(const std::filesystem::path& folder,
                                                    const std::string& options) {
  const std::string command =
      "cd '" + folder.string() + "' && exiftool -r -j -n -struct " + options + " . 2> /dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(command.c_str(), "r"),
                                                             ::pclose);
  std::string text;
  for (std::array<char, 65536> part;
       std::size_t got = std::fread(part.data(), 1, part.size(), pipe.get());) {
    text.append(part.data(), got);
  }
  std::map<std::string, Json> files;
  const std::size_t begin = text.find('['), end = text.rfind(']');
  if (begin == std::string::npos) throw std::runtime_error("exiftool says nothing");
  for (const Json& file : Json::parse(text.substr(begin, end - begin + 1))) {
    files[file["SourceFile"].get<std::string>().substr(2)] = file;
  }
  return files;
}

/// As text; "absent" where it is missing.
inline std::string value(const Json& file, const std::string& tag) {
  if (!file.contains(tag)) return "absent";
  const Json& found = file[tag];
  return found.is_string() ? found.get<std::string>() : found.dump();
}

}  // namespace cli
