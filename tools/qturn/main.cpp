// qturn: the command line over src/. What it accepts is in command_line.cpp, what it says in
// report.cpp.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <span>
#include <system_error>

#include "src/files/safe_file.hpp"
#include "src/nvjpeg/device.hpp"
#include "src/plan/find_files.hpp"
#include "src/plan/labels.hpp"
#include "src/run/limits.hpp"
#include "src/run/pipeline.hpp"
#include "tools/qturn/check.hpp"
#include "tools/qturn/command_line.hpp"
#include "tools/qturn/json.hpp"
#include "tools/qturn/json_lines.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/stop_signals.hpp"

namespace qturn {
namespace {

constexpr int exit_done = 0;
constexpr int exit_some_failed = 1;
constexpr int exit_nothing_started = 2;
constexpr const char* manifest_name = "manifest.jsonl";

PlanOptions input_options(const CommandLine& line) {
  PlanOptions options;
  for (const std::string& input : line.inputs) {
    if (input == "-")
      throw PlanError(
          "a tar on standard input is not supported; for a list of names use --files-from -");
    options.inputs.emplace_back(input);
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
    throw PlanError("-0 says how --files-from separates names, and there is no --files-from");
  }
  options.include = line.include;
  options.exclude = line.exclude;
  options.hidden = line.hidden;
  options.follow = line.follow;
  return options;
}

PlanOptions plan_options(const CommandLine& line) {
  if (line.output.empty() && !line.in_place)
    throw PlanError(
        line.command == CommandLine::Command::augment
            ? "where to? name a folder with -o"
            : "where to? name an output with -o, or replace the files themselves with --in-place");
  if (line.sidecars && line.others == Others::copy)
    throw PlanError("--sidecars writes the XMP files that --others copy would copy; leave one out");
  PlanOptions options = input_options(line);
  options.output = line.output;
  options.base = line.base;
  options.break_links = line.break_links;
  options.sidecars = line.sidecars;
  options.others = line.others;
  options.existing = line.existing;
  options.format = line.format;
  if (line.command == CommandLine::Command::augment) {
    if (line.random > 0)
      options.random_variants = line.random;
    else
      options.variants = parse_variants(line.variants);
    options.seed = line.seed;
  }
  return options;
}

int print_devices() {
  const Devices devices = find_devices();
  const DeviceChoice choice = choose_device("auto", Work::reencodes_jpegs);
  fmt::print("cpu     {} threads\n", available_cores());
  for (const CudaDevice& device : devices.cuda)
    fmt::print("cuda:{}  {}, compute capability {}.{}, {:.0f} GiB: {}\n", device.index, device.name,
               device.compute_capability / 10, device.compute_capability % 10,
               static_cast<double>(device.memory_bytes) / (1 << 30),
               device.problem.empty() ? "usable" : device.problem);
  for (const CudaDevice& device : devices.cuda) {
    if (!device.problem.empty()) continue;
    const NvJpegStatus nv = nvjpeg_status(device.index);
    fmt::print("cuda:{}  {}: {}\n", device.index,
               nv.version.empty() ? "no nvJPEG" : "nvJPEG " + nv.version,
               nv.problem.empty()
                   ? fmt::format("{} hardware decoders, for --jpeg planar", nv.engines)
                   : nv.problem);
  }
  if (!devices.cuda_problem.empty()) fmt::print("cuda    {}\n", devices.cuda_problem);
  const auto cuda_version = [](int number) {
    return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
  };
  if (devices.runtime_version > 0)
    fmt::print("built with CUDA {}; the driver {}\n", cuda_version(devices.runtime_version),
               devices.driver_version > 0 ? "supports CUDA " + cuda_version(devices.driver_version)
                                          : "is missing");
  fmt::print("--device auto takes {}: {}\n",
             choice.cuda.empty() ? "cpu" : "cuda for --jpeg planar and fastest, otherwise cpu",
             choice.why);
  return exit_done;
}

std::string device_name(const DeviceChoice& choice, int threads) {
  std::string name = "cpu";
  if (!choice.cuda.empty()) name = fmt::format("cuda:{}", fmt::join(choice.cuda, ","));
  return fmt::format("{}, {} {}", name, threads, threads == 1 ? "thread" : "threads");
}

int print_plan(const CommandLine& line, const Plan& plan) {
  for (const std::string& reason : plan.unreadable) print_message(printable(reason));
  JsonLines json(line);
  for (const Skipped& skipped : plan.skipped) json.put([&] { return json_line(skipped); });
  for (const Job& job : plan.jobs) {
    for (const JobOutput& output : job.outputs) {
      const Orientation orientation = compose(line.orientation, output.variant);
      json.put([&] { return json_line_planned(job, output, orientation); });
      if (!json.is_standard_output())
        fmt::print("{} -> {} ({})\n", printable(job.input.string()),
                   printable(output.path.string()),
                   job.copy_verbatim                      ? "copied"
                   : orientation == Orientation::identity ? "upright"
                                                          : name(orientation));
    }
  }
  return json.finish() && plan.unreadable.empty() ? exit_done : exit_some_failed;
}

/// What is in OUTPUT already is in the manifest too, and nothing is in the manifest's place
/// unasked.
void check_manifest_place(const CommandLine& line, const Plan& plan) {
  const std::filesystem::path manifest = plan.output_folder / manifest_name;
  for (const Job& job : plan.jobs)
    for (const JobOutput& output : job.outputs)
      if (output.path == manifest)
        throw PlanError(fmt::format("{}: its copy would be in the manifest's place; --exclude '{}'",
                                    job.input.string(), job.key));
  if (std::filesystem::is_symlink(std::filesystem::symlink_status(manifest)))
    throw PlanError(
        fmt::format("{} is a symbolic link, and the manifest would replace what it "
                    "leads to; remove it, or choose another output",
                    manifest.string()));
  if (line.existing == Existing::refuse && std::filesystem::exists(manifest))
    throw PlanError(fmt::format(
        "{} exists already; use --overwrite, --skip-existing or --update, or another output",
        manifest.string()));
}

void write_manifest(const Plan& plan, std::vector<Outcome> written) {
  for (const Skipped& skipped : plan.skipped) {
    if (!skipped.is_picture) continue;
    Outcome& outcome = written.emplace_back();
    outcome.output = skipped.output;
    outcome.key = skipped.key;
    outcome.variant = skipped.variant;
  }
  std::ranges::sort(written, {},
                    [](const Outcome& outcome) { return std::pair(outcome.key, outcome.variant); });
  std::string text;
  for (const Outcome& outcome : written) text += manifest_line(outcome, plan.output_folder) + "\n";
  write_file(plan.output_folder / manifest_name, std::as_bytes(std::span(text)), {},
             IfExists::replace);
}

/// In place nothing is lost unasked: a turn can be tagged, and what upright would turn is tagged
/// already.
JpegEdges default_edges(const CommandLine& line) {
  if (!line.in_place) return JpegEdges::reencode;
  return line.orientation == Orientation::identity ? JpegEdges::skip : JpegEdges::tag;
}

int turn_pictures(const CommandLine& line) {
  const std::atomic<bool>& stop = watch_stop_signals();
  const PlanOptions planned = plan_options(line);
  const Plan plan = qturn::plan(planned);
  if (line.command == CommandLine::Command::augment && !line.ignore_labels)
    if (const auto label = find_label(plan.jobs, planned.inputs))
      throw PlanError(fmt::format(
          "{}: labels, which are not turned along yet; --labels none turns the pictures alone",
          printable(label->string())));
  for (const Job& job : plan.jobs) {
    refuse_json_in_place_of(job.input, line);
    for (const JobOutput& output : job.outputs) refuse_json_in_place_of(output.path, line);
  }
  if (line.command == CommandLine::Command::augment) {
    check_manifest_place(line, plan);
    refuse_json_in_place_of(plan.output_folder / manifest_name, line);
  }
  if (line.dry_run) return print_plan(line, plan);

  RunOptions options;
  options.orientation = line.orientation;
  options.in_place = line.in_place;
  options.replace_existing =
      line.existing == Existing::overwrite || line.existing == Existing::update;
  options.tag_only = line.tag_only;
  options.strict = line.strict;
  options.allow_storage_change = line.allow_storage_change;
  if (line.command == CommandLine::Command::turn)
    options.sidecars = line.sidecars ? Sidecars::turn : Sidecars::report;
  options.threads = line.threads > 0 ? line.threads : available_cores();
  options.memory_bytes = line.memory_bytes > 0 ? line.memory_bytes : available_memory() / 4;
  options.device = choose_device(
      line.device, line.jpeg == JpegMode::lossless ? Work::other : Work::reencodes_jpegs);
  options.jpeg = {line.jpeg, line.jpeg_edges.value_or(default_edges(line))};
  const std::string device = device_name(options.device, options.threads);
  if (line.verbose)
    print_message(fmt::format("on {} ({}), memory {} MiB", device, options.device.why,
                              options.memory_bytes >> 20));

  Report report(line, plan, device);
  run(plan.jobs, options, stop, [&](const Outcome& outcome) { report.add(outcome); });
  bool whole = report.json_is_whole() && report.failed() == 0 && report.incomplete() == 0;
  if (line.command == CommandLine::Command::augment) {
    try {
      write_manifest(plan, report.written());
    } catch (const std::system_error& error) {
      print_message(fmt::format("cannot write the manifest: {}", error.code().message()));
      whole = false;
    }
  }
  report.finish(stop);
  if (stop) return stop_exit_code();
  return whole ? exit_done : exit_some_failed;
}

/// `--json` alone means standard output. CLI11 would take the word behind it for its value.
std::vector<std::string> arguments(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  for (std::string& word : words) {
    if (word == "--") break;
    if (word == "--json") word = "--json=-";
  }
  std::ranges::reverse(words);  // as CLI11 wants them
  return words;
}

/// CLI11 says of an unknown operation only that one is missing.
std::string complaint(const CLI::App& parser, const CLI::ParseError& error, int argc, char** argv) {
  if (!parser.get_subcommands().empty()) return error.what();
  if (argc < 2) return "name an operation";
  return fmt::format("'{}' is no {}", argv[1], *argv[1] == '-' ? "option" : "operation");
}

int run_program(int argc, char** argv) {
  CommandLine line;
  const auto parser = make_parser(line);
  try {
    parser->parse(arguments(argc, argv));
  } catch (const CLI::Success& help) {
    return parser->exit(help);
  } catch (const CLI::ParseError& error) {
    print_message(fmt::format("{}; 'qturn --help' lists what there is",
                              printable(complaint(*parser, error, argc, argv))));
    return exit_nothing_started;
  }
  if (line.command == CommandLine::Command::devices) return print_devices();
  try {
    if (line.command == CommandLine::Command::check)
      return check_pictures(line, input_options(line));
    return turn_pictures(line);
  } catch (const std::exception& error) {
    print_message(printable(error.what()));
    return stop_exit_code() != 0 ? stop_exit_code() : exit_nothing_started;
  }
}

}  // namespace
}  // namespace qturn

int main(int argc, char** argv) {
  // glibc takes the blocks that are freed, up to 32 MB, as a sign to keep the like in a heap for
  // each thread. Pictures are such blocks: 6 of 27 MB on 6 threads then took 641 MiB whatever
  // --memory said, and 178 MiB this way, in less time.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  const int exit_code = qturn::run_program(argc, argv);
  if (std::fflush(stdout) == 0) return exit_code;
  qturn::print_message("standard output could not be written");
  return exit_code == 0 ? 1 : exit_code;
}
