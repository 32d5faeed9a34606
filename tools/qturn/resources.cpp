#include "tools/qturn/resources.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "src/formats/table.hpp"
#include "src/run/limits.hpp"
#include "tools/qturn/report.hpp"

namespace qturn {
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
