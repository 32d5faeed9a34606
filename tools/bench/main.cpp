// qturn-bench: how fast the kernels are, in % of a copy measured in the same run.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "tools/bench/bench.hpp"
#include "tools/bench/entries.hpp"
#include "tools/bench/jpeg_bench.hpp"
#include "tools/bench/ladder_report.hpp"
#include "tools/bench/report.hpp"

namespace qturn::bench {
namespace {

struct Output {
  std::string markdown_file;
  std::string json_file;
};

void add_options(CLI::App& command, int& batches, Output& output) {
  command.add_option("--batches", batches, "How often each is measured")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--markdown", output.markdown_file, "Write the tables to this file");
  command.add_option("--json", output.json_file, "Write all numbers to this file");
}

void add_options(CLI::App& command, Choice& choice, Output& output) {
  command.add_option("--shapes", choice.shapes, "WIDTHxHEIGHT[+PIXELS][/BYTES], comma separated")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--pixels", choice.pixel_sizes, "Bytes of a pixel, comma separated")
      ->delimiter(',')
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command.add_option("--orientations", choice.orientations, "Comma separated")
      ->delimiter(',')
      ->capture_default_str();
  add_options(command, choice.batches, output);
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(path + ": cannot be written");
}

/// `measure(listener)` calls its listener with each result; all of them are returned.
template <class OneResult, class Measure>
std::vector<OneResult> listen(const Machine& machine, Measure measure) {
  std::vector<OneResult> results;
  std::fputs(heading(machine).c_str(), stdout);
  measure([&](const OneResult& result) {
    std::fputs(line(result).c_str(), stdout);
    std::fflush(stdout);
    results.push_back(result);
  });
  return results;
}

/// `remark` is a sentence about the results as a whole.
template <class OneResult>
void put_out(const Output& output, const Machine& machine, const std::vector<OneResult>& results,
             const std::string& remark = {}) {
  if (!remark.empty()) std::puts(remark.c_str());
  if (!output.markdown_file.empty()) {
    write_file(output.markdown_file, heading(machine) + "\n" + markdown(results) +
                                         (remark.empty() ? "" : "\n" + remark + "\n"));
  }
  if (!output.json_file.empty()) write_file(output.json_file, json(machine, results));
}

template <class Measure>
std::vector<Result> run(const Choice& choice, const Machine& machine, Measure measure) {
  const Plan planned = plan(choice);
  return listen<Result>(machine, [&](const Listener& listener) { measure(planned, listener); });
}

struct LadderChoice {
  std::vector<std::string> shapes = {"1024x1024", "2048x1024", "4096x4096", "8192x2048",
                                     "262144x64", "4095x4093", "256x256"};
  int batches = 31;
  bool check_only = false;
  std::string svg_file;
};

void add_options(CLI::App& command, LadderChoice& choice, Output& output) {
  command.add_option("--shapes", choice.shapes, "WIDTHxHEIGHT, comma separated")
      ->delimiter(',')
      ->capture_default_str();
  add_options(command, choice.batches, output);
  command.add_flag("--check", choice.check_only, "Only check the results");
  command.add_option("--svg", choice.svg_file, "Draw a plot into this file");
}

void run(const LadderChoice& choice, const Output& output, int device) {
  const Machine machine = this_gpu(device);
  const auto results = listen<LadderResult>(machine, [&](const auto& listener) {
    measure_ladder(choice.shapes, choice.check_only, device, choice.batches, listener);
  });
  if (choice.check_only) {
    std::fputs("every result is right\n", stdout);
    return;
  }
  put_out(output, machine, results);
  if (!choice.svg_file.empty()) write_file(choice.svg_file, svg(machine, results));
}

int run_program(int argc, char** argv) {
  CLI::App app("How fast the kernels are, in % of a copy measured in the same run.", "qturn-bench");
  app.require_subcommand(1);

  Output output;
  Choice gpu_choice{{"8192x8192", "4096x4096", "6000x4000", "1920x1080", "4095x4093+1", "1108992x4",
                     "4x1108992", "100000x64"},
                    {1, 2, 3, 4, 6, 8, 12, 16, 24, 32},
                    {"transpose", "rotate90", "flop", "rotate180", "flip"},
                    31};
  int device = 0;
  CLI::App* gpu = app.add_subcommand("gpu", "The CUDA kernels, and the host's time for a call");
  add_options(*gpu, gpu_choice, output);
  gpu->add_flag("--against", gpu_choice.against,
                "Also measure cuBLAS, NPP and cudaMemcpy2DAsync, if they are found");
  gpu->add_flag(
      "--after-foreign", gpu_choice.after_foreign,
      "Also measure each kernel after a foreign kernel that does not overlap, in % of a copy "
      "in the same place");
  gpu->add_option("--device", device, "Which GPU")->capture_default_str();

  Choice cpu_choice{{"224x224", "4000x3000"}, {1, 2, 3, 4, 8}, {"rotate90", "flop", "flip"}, 15};
  CLI::App* cpu = app.add_subcommand("cpu", "The CPU kernels on one core");
  add_options(*cpu, cpu_choice, output);

  EntryChoice entry_choice;
  CLI::App* batch = app.add_subcommand("batch", "Batches of pictures in one launch");
  CLI::App* in_place = app.add_subcommand("in-place", "Pictures turned within their own memory");
  CLI::App* planar = app.add_subcommand("planar", "Pictures made planar, and planes turned");
  for (CLI::App* command : {batch, in_place, planar}) {
    command->add_option("--device", device, "Which GPU")->capture_default_str();
    command->add_option("--rows", entry_choice.texts, "Only rows with one of these in their text");
    command->add_option("--pixels", entry_choice.pixel_sizes, "Bytes of a pixel, comma separated")
        ->delimiter(',');
    add_options(*command, entry_choice.batches, output);
  }

  LadderChoice ladder_choice;
  CLI::App* ladder =
      app.add_subcommand("ladder", "Kernels that transpose floats, from the naive one to ours");
  add_options(*ladder, ladder_choice, output);
  ladder->add_option("--device", device, "Which GPU")->capture_default_str();

  JpegChoice jpeg_choice;
  CLI::App* jpeg =
      app.add_subcommand("jpeg", "JPEGs from folder to folder by each route, and on the GPU alone");
  jpeg->add_option("FOLDER", jpeg_choice.photographs, "JPEGs; copies of them are turned")
      ->required();
  jpeg->add_option("--work", jpeg_choice.work, "A folder, best in memory, for copies and results")
      ->required();
  jpeg->add_option("--files", jpeg_choice.files, "How many pictures to turn")
      ->capture_default_str();
  jpeg->add_option("--device", jpeg_choice.device, "cuda, cuda:0,1...")->capture_default_str();
  jpeg->add_option("--routes", jpeg_choice.routes,
                   "gpu, gpu-parts, copy, steps, lossless, lossless-cpu, planar, planar-cpu; comma "
                   "separated")
      ->delimiter(',')
      ->capture_default_str();
  jpeg->add_option("--operations", jpeg_choice.operations, "rotate90, flop...; comma separated")
      ->delimiter(',')
      ->capture_default_str();

  CLI11_PARSE(app, argc, argv);
  if (*gpu) {
    if (gpu_choice.against) {
      for (const std::string& peer : missing_peers(device)) {
        std::printf("not found: %s\n", peer.c_str());
      }
    }
    const Machine machine = this_gpu(device);
    const auto results =
        run(gpu_choice, machine, [&](const Plan& planned, const Listener& listener) {
          measure_gpu(planned, device, listener);
        });
    const HostTimes host = gpu_host_times(device);
    put_out(output, machine, results,
            fmt::format("Host time of a call: {:.2f} us (64x64, 4 bytes); of a bare launch: "
                        "{:.2f} us.",
                        host.call, host.launch));
  } else if (*ladder) {
    run(ladder_choice, output, device);
  } else if (*jpeg) {
    measure_jpeg(jpeg_choice);
  } else if (*batch || *in_place || *planar) {
    const auto measure = *batch ? measure_batches : *in_place ? measure_in_place : measure_planar;
    const Machine machine = this_gpu(device);
    const auto results = listen<EntryResult>(
        machine, [&](const EntryListener& listener) { measure(device, entry_choice, listener); });
    put_out(output, machine, results,
            *batch ? fmt::format("Host time of a call: {:.2f} us (256 pictures).",
                                 batch_call_microseconds(device))
                   : "");
  } else {
    const Machine machine = this_cpu();
    put_out(output, machine, run(cpu_choice, machine, measure_cpu));
  }
  return 0;
}

}  // namespace
}  // namespace qturn::bench

int main(int argc, char** argv) {
  try {
    return qturn::bench::run_program(argc, argv);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "qturn-bench: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "qturn-bench: %s\n", error.what());
    return 1;
  }
}
