#include "tools/qturn/run_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "src/dataset/shards.hpp"
#include "src/formats/table.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/output_names.hpp"
#include "src/inputs/variants.hpp"
#include "src/run/limits.hpp"
#include "tools/qturn/options.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/tar_outputs.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// The options that decide which results a run has, in the order of its record.
constexpr std::string_view decide_results[] = {"--labels",
                                               "--masks",
                                               "--labels-drawn-on",
                                               "--keypoints",
                                               "--swap-pairs",
                                               "--format",
                                               "--quality",
                                               "--jpeg",
                                               "--jpeg-edges",
                                               "--png",
                                               "--tag-only",
                                               "--sidecars",
                                               "--believe",
                                               "--allow-storage-change",
                                               "--allow-stale-metadata",
                                               "--salvage",
                                               "--others",
                                               "--hidden",
                                               "--follow",
                                               "--include",
                                               "--exclude"};

/// Why nothing can be written, and what was probably meant: `upright a.jpg b.jpg` without the -o.
std::string no_output(const CommandLine& line) {
  std::error_code unknown;
  if (line.inputs.size() > 1 && line.inputs.back() != "-" &&
      fs::symlink_status(line.inputs.back(), unknown).type() == fs::file_type::not_found)
    return fmt::format("no output; did you mean -o {}?", line.inputs.back());
  if (line.command == CommandLine::Command::augment) return "no output; name a folder with -o";
  return "no output; name one with -o, or replace the files with --in-place";
}

/// With a misspelt suffix, the output would become a folder.
void refuse_misspelt_suffix(const fs::path& output) {
  const std::string suffix = lower_suffix(output);
  if (suffix.empty() || is_other_file(suffix) || names_a_tar(output) || fs::is_directory(output))
    return;
  std::vector<std::string> known = {".tar"};
  for (const Codec* codec : codecs()) {
    if (codec->only_if_asked || codec->is_array) continue;
    for (const std::string_view each : codec->suffixes)
      if (!each.empty()) known.emplace_back(each);
  }
  if (std::ranges::count(known, suffix) > 0) return;
  for (std::string& each : known) each.erase(0, 1);
  const std::string meant = nearest_word(suffix.substr(1), known);
  if (meant.empty()) return;
  throw PlanError(
      fmt::format("{}: no picture has this suffix; did you mean .{}? A folder of this name ends "
                  "with a slash: {}/",
                  printable(output.string()), meant, printable(output.string())));
}

/// Those of the named options that differ from their defaults, as they would be typed.
std::vector<std::string> typed(const CommandLine& line, std::span<const std::string_view> names,
                               std::string_view between) {
  std::vector<std::string> words;
  for (const std::string_view name : names) {
    // Whether a run stops for other files, or leaves them, does not change its results.
    if (name == "--others" && line.others != Others::copy) continue;
    const auto option = std::ranges::find(options(), name, &Option::name);
    for (const std::string& value : option->field.typed(line, *option))
      words.push_back(fmt::format("{}{}{}", name, value.empty() ? "" : between, value));
  }
  return words;
}

}  // namespace

PlanOptions input_options(const CommandLine& line) {
  PlanOptions options;
  for (const std::string& input : line.inputs) {
    if (input != "-") options.inputs.emplace_back(input);
  }
  if (line.files_from == "-") {
    options.listed = read_file_list(std::cin, line.nul_separated);
  } else if (!line.files_from.empty()) {
    std::ifstream list(line.files_from, std::ios::binary);
    if (!list)
      throw PlanError(
          fmt::format("{}: cannot read this list of files", printable(line.files_from)));
    options.listed = read_file_list(list, line.nul_separated);
  } else if (line.nul_separated) {
    throw PlanError("-0 needs --files-from");
  }
  options.include = line.include;
  options.exclude = line.exclude;
  options.hidden = line.hidden;
  options.follow = line.follow;
  options.raw = line.raw;
  return options;
}

PlanOptions plan_options(const CommandLine& line) {
  if (line.run.quality && !line.format->takes_quality) {
    throw PlanError(fmt::format(
        "--quality is for --format jpeg and webp; {} is written without loss", line.format->name));
  }
  if (line.output.empty() && !line.in_place) throw PlanError(no_output(line));
  if (!line.in_place) refuse_misspelt_suffix(line.output);
  if (line.sidecars && line.others == Others::copy)
    throw PlanError("--sidecars and --others copy would both write the XMP files; leave one out");
  PlanOptions options = input_options(line);
  options.output = line.output;
  options.base = line.base;
  options.break_links = line.break_links;
  options.others = line.others;
  options.format = line.format;
  options.labels = line.labels;
  options.backup = line.backup;
  options.sidecars = line.sidecars || line.in_place;
  options.only_tagged =
      line.command == CommandLine::Command::turn && line.orientation == Orientation::identity;
  if (line.shard) refuse_other_run(line.output, *line.shard);
  const bool resumes = line.resume && (!line.shard || is_begun(line.output, *line.shard));
  options.existing =
      resumes && line.existing == Existing::refuse ? Existing::resume : line.existing;
  if (line.command == CommandLine::Command::augment) {
    if (line.random > 0)
      options.random_variants = line.random;
    else
      options.variants = parse_variants(line.variants);
    options.seed = line.seed;
    options.group = line.group;
    options.shard = line.shard;
  }
  options.masks = line.mask_options();
  return options;
}

std::vector<std::string> result_options(CommandLine line, JpegEdges edges,
                                        std::string_view between) {
  line.jpeg_edges = edges;
  line.png = line.png_mode();
  return typed(line, decide_results, between);
}

std::string operation_of(const CommandLine& line, JpegEdges edges) {
  constexpr std::string_view draw[] = {"--random", "--seed", "--group"}, list[] = {"--variants"},
                             others[] = {"--strict", "--break-links", "--backup"};
  const bool augments = line.command == CommandLine::Command::augment;
  std::string text = augments ? "augment"
                     : line.orientation == Orientation::identity
                         ? "upright"
                         : std::string(name(line.orientation));
  const auto add = [&](const std::vector<std::string>& options) {
    for (const std::string& option : options) text += " " + option;
  };
  if (augments) add(line.random > 0 ? typed(line, draw, " ") : typed(line, list, " "));
  add(result_options(line, edges, " "));
  add(typed(line, others, " "));
  return text;
}

namespace {

/// In place nothing is lost unless the user asks for it: a turn can be stored in the tag, and a
/// picture that `upright` would turn has a tag already.
JpegEdges default_edges(const CommandLine& line) {
  if (!line.in_place) return JpegEdges::reencode;
  return line.orientation == Orientation::identity ? JpegEdges::skip : JpegEdges::tag;
}

std::string device_name(const DeviceChoice& choice, int threads) {
  std::string name = "cpu";
  if (!choice.cuda.empty()) name = fmt::format("cuda:{}", fmt::join(choice.cuda, ","));
  return fmt::format("{}, {} {}", name, threads, threads == 1 ? "thread" : "threads");
}

}  // namespace

void set_resources(const CommandLine& line, RunOptions& options) {
  options.threads = line.threads > 0 ? line.threads : available_cores();
  if (line.memory_bytes > 0) {
    options.memory_bytes = options.largest_bytes = line.memory_bytes;
  } else {
    const std::uint64_t available = available_memory();
    options.memory_bytes = available / 4;
    options.largest_bytes = available / 4 * 3;
  }
  options.limits = line.run.limits;
  options.seconds = line.run.seconds;
}

RunOptions turn_options(const CommandLine& line) {
  RunOptions options = line.run;
  set_resources(line, options);
  options.orientation = line.orientation;
  options.in_place = line.in_place;
  options.raw = line.raw;
  options.believe = line.believe;
  options.verify = line.verifies();
  options.png = line.png_mode();
  options.jpeg = {line.jpeg, line.jpeg_edges.value_or(default_edges(line))};
  return options;
}

std::uint64_t jpeg_bytes(const Plan& plan) {
  std::uint64_t bytes = 0;
  const Codec* const jpeg = codec_of_name("jpeg");
  for (const FoundFile& file : plan.jobs.files())
    if (codec_of_suffix(lower_suffix(file.name)) == jpeg)
      bytes += file.bytes * static_cast<std::uint64_t>(file.to_do.size());
  return bytes;
}

std::string set_device(const CommandLine& line, const std::function<std::uint64_t()>& jpeg_bytes,
                       RunOptions& options) {
  const bool asks = line.device == "auto" && !line.run.tag_only;
  options.device =
      choose_device(line.device, asks ? work_of(jpeg_bytes(), options.threads) : Work::other);
  const bool names_devices = line.device.starts_with("cuda:");
  if (line.local_rank && !names_devices)
    options.device = device_of_rank(std::move(options.device), *line.local_rank);
  std::string device = device_name(options.device, options.threads);
  if (line.verbose)
    print_message(fmt::format("on {} ({}), memory {} MiB", device, options.device.why,
                              options.memory_bytes >> 20));
  return device;
}

}  // namespace qturn
