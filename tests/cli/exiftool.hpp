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

#include <qturn/orientation.hpp>

#include "tests/cli/program.hpp"

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

/// What became of a file: how it was stored, how its pixels were turned, and what its tag is.
struct Expected {
  qturn::Orientation stored, pixels, tag;
};

/// Does every operation with the files in the folder in, with `option`, and by the tag alone. What
/// is expected of each file then, those that were there among them.
inline std::map<std::string, Expected> after_every_operation(
    const Workplace& workplace, const std::map<std::string, qturn::Orientation>& stored,
    const std::string& option) {
  using qturn::compose, qturn::Orientation;
  std::map<std::string, Expected> expected;
  const auto expect = [&](const std::string& folder, Orientation turn, bool is_by_tag) {
    for (const auto& [name, was] : stored) {
      const Orientation seen = compose(was, turn), none = Orientation::identity;
      expected[folder + "/" + name] =
          is_by_tag ? Expected{was, none, seen} : Expected{was, seen, none};
    }
  };
  expect("in", Orientation::identity, true);
  for (const Orientation turn : qturn::all_orientations) {
    const bool upright = turn == Orientation::identity;
    const std::string word = upright ? "upright" : std::string(qturn::name(turn));
    workplace.done({word, "in", option, "-o", word});
    expect(word, turn, false);
    if (upright) continue;
    workplace.done({word, "in", "--tag-only", option, "-o", word + "-tag"});
    expect(word + "-tag", turn, true);
  }
  return expected;
}

/// As text; "absent" where it is missing.
inline std::string value(const Json& file, const std::string& tag) {
  if (!file.contains(tag)) return "absent";
  const Json& found = file[tag];
  return found.is_string() ? found.get<std::string>() : found.dump();
}

}  // namespace cli
