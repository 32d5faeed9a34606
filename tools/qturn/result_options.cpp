#include "tools/qturn/result_options.hpp"

#include <fmt/format.h>

#include "tools/qturn/label_options.hpp"

namespace qturn {

std::vector<TypedOption> result_options(const CommandLine& line, JpegEdges edges) {
  std::vector<TypedOption> options = label_words(line);
  const auto flag = [&](bool is_set, const char* option) {
    if (is_set) options.push_back({option, ""});
  };
  const auto value = [&](const char* option, const auto& given) {
    options.push_back({option, fmt::format("{}", given)});
  };
  if (line.format) value("--format", line.format->name);
  if (line.quality) value("--quality", *line.quality);
  constexpr const char* modes[] = {"lossless", "planar"};
  constexpr const char* edge_words[] = {"reencode", "trim", "tag", "skip", "fail"};
  value("--jpeg", modes[static_cast<int>(line.jpeg)]);
  value("--jpeg-edges", edge_words[static_cast<int>(edges)]);
  value("--png", line.png_mode() == PngMode::fast ? "fast" : "small");
  flag(line.tag_only, "--tag-only");
  flag(line.sidecars, "--sidecars");
  if (line.believe != Believe::neither)
    value("--believe", line.believe == Believe::picture ? "exif" : "sidecar");
  flag(line.allow_storage_change, "--allow-storage-change");
  flag(line.allow_stale_metadata, "--allow-stale-metadata");
  flag(line.salvage, "--salvage");
  if (line.others == Others::copy) value("--others", "copy");
  flag(line.hidden, "--hidden");
  flag(line.follow, "--follow");
  for (const std::string& glob : line.include) value("--include", glob);
  for (const std::string& glob : line.exclude) value("--exclude", glob);
  return options;
}

std::vector<std::string> words_of_results(const CommandLine& line, JpegEdges edges) {
  std::vector<std::string> words;
  for (const TypedOption& option : result_options(line, edges))
    words.push_back(option.value.empty() ? option.name : option.name + "=" + option.value);
  return words;
}

std::string operation_of(const CommandLine& line, JpegEdges edges) {
  std::string text = line.command == CommandLine::Command::augment ? "augment"
                     : line.orientation == Orientation::identity
                         ? "upright"
                         : std::string(name(line.orientation));
  const auto flag = [&](bool is_set, const char* option) {
    if (is_set) text += fmt::format(" {}", option);
  };
  const auto value = [&](const char* option, const auto& given) {
    text += fmt::format(" {} {}", option, given);
  };
  if (line.command == CommandLine::Command::augment) {
    if (line.random > 0) {
      value("--random", line.random);
      value("--seed", line.seed);
    } else {
      value("--variants", line.variants.empty() ? "all" : line.variants);
    }
  }
  for (const TypedOption& option : result_options(line, edges)) {
    text += " " + option.name;
    if (!option.value.empty()) text += " " + option.value;
  }
  flag(line.strict, "--strict");
  flag(line.break_links, "--break-links");
  if (!line.backup.empty()) value("--backup", line.backup);
  return text;
}

}  // namespace qturn
