// qturn: the command line. parser.cpp defines what it accepts, report.cpp what it prints.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <new>

#include "src/dataset/shards.hpp"
#include "src/dataset/shared_files.hpp"
#include "src/formats/table.hpp"
#include "src/plan/find_files.hpp"
#include "src/plan/variants.hpp"
#include "src/run/limits.hpp"
#include "src/run/pipeline.hpp"
#include "src/store/safe_file.hpp"
#include "src/store/standard_streams.hpp"
#include "tools/qturn/augmentation.hpp"
#include "tools/qturn/check.hpp"
#include "tools/qturn/command_line.hpp"
#include "tools/qturn/journaling.hpp"
#include "tools/qturn/json.hpp"
#include "tools/qturn/json_lines.hpp"
#include "tools/qturn/label_notices.hpp"
#include "tools/qturn/label_options.hpp"
#include "tools/qturn/merge.hpp"
#include "tools/qturn/packing.hpp"
#include "tools/qturn/parse.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/resources.hpp"
#include "tools/qturn/shard_source.hpp"
#include "tools/qturn/sharding.hpp"
#include "tools/qturn/stop_signals.hpp"
#include "tools/qturn/streams.hpp"
#include "tools/qturn/tars.hpp"
#include "tools/qturn/ways_out.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

constexpr int exit_done = 0;
constexpr int exit_some_failed = 1;
constexpr int exit_nothing_started = 2;

void say_why(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error)) return print_message("out of memory");
  const auto* const disk = dynamic_cast<const fs::filesystem_error*>(&error);
  const bool is_ours = !disk || dynamic_cast<const FileError*>(&error);
  print_message(
      printable(is_ours ? error.what()
                        : fmt::format("{}: {}", disk->path1().string(), disk->code().message())));
}

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

/// Why nothing can be written, and what was probably meant: `upright a.jpg b.jpg` without the -o.
std::string no_output(const CommandLine& line) {
  std::error_code unknown;
  if (line.inputs.size() > 1 && line.inputs.back() != "-" &&
      fs::symlink_status(line.inputs.back(), unknown).type() == fs::file_type::not_found)
    return fmt::format("no output; did you mean -o {}?", line.inputs.back());
  if (line.command == CommandLine::Command::augment) return "no output; name a folder with -o";
  return "no output; name one with -o, or replace the files with --in-place";
}

PlanOptions plan_options(const CommandLine& line) {
  if (line.quality && !line.format->takes_quality) {
    throw PlanError(fmt::format(
        "--quality is for --format jpeg and webp; {} is written without loss", line.format->name));
  }
  if (line.output.empty() && !line.in_place) throw PlanError(no_output(line));
  if (line.sidecars && line.others == Others::copy)
    throw PlanError("--sidecars writes the XMP files that --others copy would copy; leave one out");
  PlanOptions options = input_options(line);
  options.output = line.output;
  options.base = line.base;
  options.break_links = line.break_links;
  options.backup = line.backup;
  options.sidecars = line.sidecars;
  options.others = line.others;
  if (line.shard) refuse_other_run(line.output, *line.shard);
  const bool resumes = line.resume && (!line.shard || is_begun(line.output, *line.shard));
  options.existing =
      resumes && line.existing == Existing::refuse ? Existing::resume : line.existing;
  options.format = line.format;
  if (line.command == CommandLine::Command::augment) {
    if (line.random > 0)
      options.random_variants = line.random;
    else
      options.variants = parse_variants(line.variants);
    options.seed = line.seed;
    options.shard = line.shard;
  }
  options.labels = line.labels;
  options.masks = mask_options(line);
  return options;
}

/// Whether turning the JPEGs takes all cores longer than a GPU takes to start.
bool has_many_jpegs(const Plan& plan, int threads) {
  // 0.8 s of a core (docs/measurements/jpeg.md).
  const std::uint64_t enough = static_cast<std::uint64_t>(threads) * (16 << 20);
  std::uint64_t bytes = 0;
  const Codec* const jpeg = codec_of_name("jpeg");
  for (const Job& job : plan.jobs) {
    if (codec_of_suffix(lower_suffix(job.input)) == jpeg) bytes += job.file_bytes;
    if (bytes >= enough) return true;
  }
  return false;
}

int print_devices() {
  const Devices devices = find_devices();
  const DeviceChoice jpegs = choose_device("auto", Work::many_jpegs);
  fmt::print("cpu     {} threads\n", available_cores());
  for (const CudaDevice& device : devices.cuda)
    fmt::print("cuda:{}  {}, compute capability {}.{}, {:.0f} GiB: {}\n", device.index, device.name,
               device.compute_capability / 10, device.compute_capability % 10,
               static_cast<double>(device.memory_bytes) / (1 << 30),
               device.problem.empty() ? "usable" : device.problem);
  if (!devices.cuda_problem.empty()) fmt::print("cuda    {}\n", devices.cuda_problem);
  const auto cuda_version = [](int number) {
    return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
  };
  if (devices.runtime_version > 0)
    fmt::print("built with CUDA {}; the driver {}\n", cuda_version(devices.runtime_version),
               devices.driver_version > 0 ? "supports CUDA " + cuda_version(devices.driver_version)
                                          : "is missing");
  fmt::print("--device auto takes {} for many JPEGs: {}\n", jpegs.cuda.empty() ? "cpu" : "cuda",
             jpegs.cuda.empty() ? jpegs.why : "its kernels turn them as they are compressed");
  fmt::print("--device auto takes cpu for all else\n");
  return exit_done;
}

/// How an output would be made.
std::string in_words(const Outcome& outcome) {
  if (outcome.status == Status::skipped) return "left alone: " + outcome.message;
  if (!outcome.is_picture) return "copied";
  const std::string turn =
      outcome.variant == Orientation::identity ? "upright" : std::string(name(outcome.variant));
  switch (outcome.route) {
    case Route::copied:
      return turn + ", copied byte for byte";
    case Route::tagged:
      return turn + ", by the tag alone";
    case Route::trimmed:
      return turn + ", losslessly, with edges trimmed";
    default:
      return turn + (outcome.loss == Loss::none ? ", losslessly" : ", re-encoded with loss");
  }
}

/// From the headers alone. One file at a time, so that they are in order.
int print_plan(const CommandLine& line, const Plan& plan, const Source& source,
               RunOptions options) {
  for (const std::string& reason : plan.unreadable) print_message(printable(reason));
  JsonLines json(line);
  plan.jobs.for_each_skipped(
      [&](const Skipped& skipped) { json.put([&] { return json_line(skipped); }); });
  options.plan_only = true;
  options.threads = 1;
  const FileSink asked_for_sidecars(
      {.in_place = line.in_place, .sidecars = line.sidecars ? Sidecars::turn : Sidecars::ignore},
      nullptr);
  std::uint64_t failed = 0;
  const std::atomic<bool>& stop = watch_stop_signals();
  const RunEnd end =
      run(plan.jobs, source, asked_for_sidecars, options, stop, [&](const Outcome& outcome) {
        json.put([&] { return json_line_planned(outcome); });
        const std::string input = printable(outcome.input.string());
        if (outcome.status == Status::failed) {
          ++failed;
          print_message(fmt::format("{}: {}", input, printable(outcome.message)));
        } else if (!json.is_standard_output()) {
          fmt::print("{} -> {} ({}{})\n", input, printable(outcome.output.string()),
                     in_words(outcome), label_in_words(plan, outcome));
        }
      });
  const bool whole = json.finish() && is_whole(end);
  if (stop) return stop_exit_code();
  return whole && failed == 0 && plan.unreadable.empty() ? exit_done : exit_some_failed;
}

/// In place the originals are gone after it. In a new folder nothing is lost that could not be made
/// again, so one flush at the end is enough.
Fsync default_fsync(const CommandLine& line, const Plan& plan) {
  return line.in_place || plan.output_folder.empty() ? Fsync::each : Fsync::end;
}

bool say_shared_files(const Plan& plan, const RunOptions& options, const WrittenPictures& written) {
  std::vector<ManifestFile> listed;
  return say_results(write_shared_files(plan, options, written, listed));
}

int turn_pictures(const CommandLine& line) {
  RunOptions options = turn_options(line);
  PlanOptions wanted = plan_options(line);
  Bytes head;
  if (is_from_standard_input(line)) head = read_standard_input_head(tar_head_bytes);
  if (are_tars(line, head)) {
    const std::string device = set_device(line, false, options);
    return turn_tars(line, std::move(wanted), options, head, device);
  }
  if (is_packed(line)) {
    const std::string device = set_device(line, false, options);
    return turn_and_pack(line, std::move(wanted), options, device);
  }
  refuse_what_is_for_tars(line);
  std::optional<StandardInput> standard_input;
  if (is_from_standard_input(line)) {
    standard_input.emplace(read_standard_input(head, options.largest_bytes));
    wanted.standard_input = standard_input->picture();
  }
  if (standard_input || is_to_standard_output(line)) leave_labels(line, wanted);
  const FileSource files;
  const Source& source = standard_input ? static_cast<const Source&>(*standard_input) : files;
  const Plan plan = qturn::plan(wanted);
  refuse_unmerged_inputs(wanted);
  const ReportPlace json_place = ReportPlace::json(line);
  json_place.refuse(plan);

  std::optional<ShardOfRun> shard;
  if (line.shard)
    shard.emplace(shard_options(line, wanted, options.jpeg.edges), plan.output_folder,
                  Dealt::samples, keys_of(plan, *line.shard));
  else
    refuse_unmerged_shards(plan.output_folder);
  if (shard && !line.quiet) print_message(shard->in_words());
  if (shard && shard->is_complete()) return say_shard_is_done(line);
  std::optional<Augmentation> augmentation;
  if (line.command == CommandLine::Command::augment)
    augmentation.emplace(line, plan, json_place);
  else if (wanted.labels.take != TakeLabels::none || wanted.masks.take)
    check_labels_of_turn(line, plan, json_place);
  if (line.dry_run) return print_plan(line, plan, source, options);
  const std::string device = set_device(line, has_many_jpegs(plan, options.threads), options);

  const bool replaces =
      line.in_place || line.existing == Existing::overwrite || line.existing == Existing::update;
  Sidecars sidecars = line.sidecars ? Sidecars::turn : Sidecars::report;
  if (line.command == CommandLine::Command::augment || standard_input) sidecars = Sidecars::ignore;
  const Fsync fsync = line.fsync.value_or(default_fsync(line, plan));
  const std::atomic<bool>& stop = watch_stop_signals();
  const std::unique_ptr<Journals> journals =
      open_journals(line, wanted, plan, options.jpeg.edges, fsync == Fsync::each);
  // Others may have begun since, before the lock was held.
  if (!shard) refuse_unmerged_shards(plan.output_folder);
  if (shard && !begin_shard(*shard)) return say_shard_is_done(line);
  FileSink sink({.in_place = line.in_place,
                 .source = standard_input ? &*standard_input : nullptr,
                 .if_exists = replaces ? IfExists::replace : IfExists::fail,
                 .sidecars = sidecars,
                 .fsync = fsync,
                 .backup = line.backup,
                 .places = &plan.places},
                journals.get());
  Report report(line, plan, device);
  WrittenPictures written(plan.jobs);
  if (journals) journals->begin([&] { return result_folders(plan); });
  const StandardOutput standard_output(sink, stop);
  const Sink& results =
      is_to_standard_output(line) ? static_cast<const Sink&>(standard_output) : sink;
  const RunEnd end = run(plan.jobs, source, results, options, stop, [&](const Outcome& outcome) {
    report.add(outcome);
    written.add(outcome);
  });
  written.finish();
  bool whole = is_whole(end);
  // Pictures may have been replaced. So an error is not the end of a run that never started.
  try {
    // Who interrupts the run does not wait for the disk, and --resume compares what is there.
    if (!stop) {
      for (const std::string& warning : sink.flush()) {
        print_message("warning: " + printable(warning));
      }
    }
    whole = report.json_is_whole() && report.failed() == 0 && report.salvaged() == 0 &&
            report.incomplete() == 0 && whole;
    bool are_shared_written = true;
    if (augmentation)
      are_shared_written =
          augmentation->finish(written, options, journals.get(), stop || !end.error.empty());
    else if (!stop && end.error.empty())
      are_shared_written = say_shared_files(plan, options, written);
    whole = whole && are_shared_written;
    if (shard && whole && !stop)
      say_warnings(shard->complete({shard_manifest_name, shard_parts_name}));
    if (journals) {
      const bool all_done = !stop && end.error.empty() && report.failed() == 0 &&
                            report.incomplete() == 0 && are_shared_written && (whole || !shard);
      for (const std::string& warning : journals->finish(all_done))
        print_message("warning: " + printable(warning));
    }
    report.finish(stop, "written", journals != nullptr);
  } catch (const std::exception& error) {
    say_why(error);
    whole = false;
  }
  if (stop) return stop_exit_code();
  return whole ? exit_done : exit_some_failed;
}

void take_shard_of_environment(CommandLine& line) {
  const ShardSource source = shard_source([](const char* name) { return std::getenv(name); });
  line.shard = source.shard;
  line.shard_variables = source.variables;
  line.local_rank = source.local_rank;
}

int turn(CommandLine& line) try {
  begin_if_nothing_to_resume(line);
  return turn_pictures(line);
} catch (const PlanError& error) {
  throw with_ways_out(line, error);
}

int run_program(int argc, char** argv) {
  CommandLine line;
  if (const auto exit_code = parse(words_of(argc, argv), line)) return *exit_code;
  if (line.command == CommandLine::Command::devices) return print_devices();
  ignore_write_signals();
  refuse_unfit_for_streams(line);
  if (line.command == CommandLine::Command::merge) return merge(line);
  if (line.command == CommandLine::Command::check) {
    if (are_tars(line, {})) throw PlanError("check does not look into tars; unpack them");
    PlanOptions inputs = input_options(line);
    inputs.labels = line.check_labels ? line.labels : LabelOptions();
    inputs.masks = line.check_labels ? mask_options(line) : MaskOptions();
    return check_pictures(line, inputs);
  }
  if (line.shard_is_auto) take_shard_of_environment(line);
  return turn(line);
}

}  // namespace
}  // namespace qturn

int main(int argc, char** argv) {
  // When a block of up to 32 MB is freed, glibc keeps later blocks of that size in a heap for each
  // thread. Pictures are such blocks: 6 of 27 MB on 6 threads took 641 MiB, whatever --memory was,
  // and 178 MiB this way, in less time.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  qturn::take_closed_streams();
  int exit_code = qturn::exit_nothing_started;
  try {
    exit_code = qturn::run_program(argc, argv);
  } catch (const qturn::UnfinishedError& error) {
    qturn::say_why(error);
    exit_code = qturn::exit_some_failed;
  } catch (const qturn::CommandLineError& error) {
    qturn::print_message(fmt::format("{}; see 'qturn --help'", qturn::printable(error.what())));
  } catch (const std::exception& error) {
    qturn::say_why(error);
  }
  if (std::fflush(stdout) == 0) return exit_code;
  qturn::print_message("standard output could not be written");
  return exit_code == 0 ? 1 : exit_code;
}
