#include "tools/qturn/tar_run.hpp"

#include <fmt/format.h>

#include <utility>

#include "src/companions/label_files.hpp"
#include "src/files/tar/input.hpp"
#include "tools/qturn/label_notices.hpp"
#include "tools/qturn/stop_signals.hpp"
#include "tools/qturn/streams.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t share_of_samples = 4;

/// The memory for the pipeline; the reader of samples has the rest.
RunOptions less_memory(RunOptions options) {
  options.memory_bytes -= options.memory_bytes / share_of_samples;
  return options;
}

/// The options for turning a sample.
PlanOptions sample_options(PlanOptions plan) {
  plan.labels = labels_without_yaml(plan);
  return plan;
}

}  // namespace

void refuse_unfit_for_tars(const CommandLine& line) {
  const std::pair<bool, const char*> unfit[] = {
      {line.believe == Believe::sidecars,
       "in a tar the picture's own orientation decides; leave out --believe sidecar"},
      {!line.html_file.empty(), "--html shows pictures of a folder; unpack the tar first"},
  };
  for (const auto& [is_given, why] : unfit)
    if (is_given) throw PlanError(why);
}

TarRun::TarRun(const CommandLine& line, PlanOptions plan, const RunOptions& options, Plan& found,
               Tell tell)
    : line_(line),
      plan_(sample_options(std::move(plan))),
      options_(less_memory(options)),
      found_(found),
      tell_(std::move(tell)),
      stop_(watch_stop_signals()),
      engine_(options_, stop_) {}

bool TarRun::turn_tar(const std::string& tar, const Bytes& head, const fs::path& place,
                      const SampleWriter& writer) {
  const std::string name = tar == "-" ? "standard input" : tar;
  TarInput input = tar == "-" ? TarInput(head, stop_) : TarInput(tar, stop_);
  std::unique_ptr<MemberReader> members;
  try {
    members = std::make_unique<TarMembers>(input);
  } catch (const TarError& error) {
    fail(fmt::format("{}: {}", name, error.what()));
    return true;
  }
  return turn(name, std::move(members), place, writer);
}

bool TarRun::turn(const std::string& name, std::unique_ptr<MemberReader> reader,
                  const fs::path& place, const SampleWriter& writer) {
  const SampleStreamOptions options{.plan = plan_,
                                    .name = name,
                                    .output = (place / "").string(),
                                    .memory_bytes = options_.memory_bytes / share_of_samples,
                                    .largest_bytes = options_.largest_bytes,
                                    .strict = line_.run.strict,
                                    .is_pipe = is_from_standard_input(line_)};
  SampleStream samples(options, std::move(reader), stop_, keys_);
  const RunEnd end = engine_.run(samples, writer, [&](const Outcome& outcome) {
    tell_(outcome);
    incomplete_ += is_incomplete(line_, outcome) ? 1 : 0;
    if (has_failed(outcome.status)) written_.failed.insert(outcome.key);
  });
  written_.samples += end.variants;
  if (const auto& found = samples.leftover())
    throw LabelsError(found->what() + answers_for_others(line_, found->file()));
  if (!samples.pair().empty() && !options.is_pipe)
    throw PlanError(fmt::format(
        "{}: these pictures may belong together, and would get different variants: "
        "{}{}",
        printable(name), printable(samples.pair()), answers_for_pairs(samples.group_of_pair())));
  if (!samples.problem().empty() && !stop_) fail(samples.problem());
  for (const auto& [type, count] : samples.left_out()) found_.others[type] += count;
  found_.leftovers.label_files += samples.label_files();
  for (const auto& [type, count] : samples.copied()) copied_[type] += count;
  return !stop_ && is_whole(line_, end);
}

std::optional<WrittenTar> TarRun::finish(const fs::path& place, SampleWriter& writer) {
  end_output();
  WrittenTar written = std::exchange(written_, {});
  if (written.samples > 0) {
    say_warnings(writer.finish());
    if (line_.shard) written.bytes = fs::file_size(place);
  } else {
    fail(place.string() + ": not written, because there is no sample for it");
  }
  if (std::exchange(failures_before_, other_failures()) != other_failures()) return std::nullopt;
  return written;
}

void TarRun::fail(const std::string& problem) {
  print_message(printable(problem), Tone::error);
  ++failed_tars_;
}

void TarRun::say_copied() const {
  std::string text;
  for (const auto& [type, count] : copied_)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, printable(type));
  if (!text.empty() && !line_.quiet)
    print_message("other files of samples, copied with each variant of their picture: " + text);
}

int TarRun::end(Report& report, bool all_placed, bool whole) {
  say_copied();
  report.finish(end_watch(all_placed),
                all_placed ? "written" : "turned, but not all tars were written");
  return exit_code_of_run(whole);
}

}  // namespace qturn
