#include "tools/qturn/sample_run.hpp"

#include <fmt/format.h>

#include <exception>
#include <functional>
#include <span>
#include <utility>

#include "src/companions/label_files.hpp"
#include "src/dataset/manifest.hpp"
#include "src/dataset/shared_files.hpp"
#include "src/dataset/turned_shared_labels.hpp"
#include "src/files/real_places.hpp"
#include "src/files/tar/input.hpp"
#include "src/sinks/file_sample_writer.hpp"
#include "src/sinks/tar_sample_writer.hpp"
#include "src/sources/folder_samples.hpp"
#include "src/sources/sample_stream.hpp"
#include "tools/qturn/findings.hpp"
#include "tools/qturn/label_notices.hpp"
#include "tools/qturn/streams.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

RunOptions without_reader(RunOptions options) {
  options.memory_bytes -= bytes_of_reader(options);
  return options;
}

bool are_shared_labels(const LeftoverError& file) {
  return file.hints().front().kind == Hint::name_shared_labels;
}

/// The options for turning a sample.
PlanOptions sample_options(PlanOptions plan) {
  if (plan.labels.take != TakeLabels::one_file) plan.labels = labels_without_yaml(plan);
  return plan;
}

/// With --tar-size the tars are numbered: out-000000.tar, out-000001.tar, ... for out.tar.
std::unique_ptr<SampleWriter> open_output(const CommandLine& line, const SampleInput& input,
                                          const SampleWork& work, RealPlaces& folders,
                                          const std::atomic<bool>& stop) {
  const IfExists if_exists = work.replaces ? IfExists::replace : IfExists::fail;
  if (line.unpack) {
    folders.add_folder(input.output);
    return std::make_unique<FileSampleWriter>(
        FileWriterOptions{
            .inputs_are_files = false,
            .is_ordered = true,
            .if_exists = line.existing == Existing::skip ? IfExists::leave_companions : if_exists,
            .existing = line.existing,
            .fsync = line.fsync.value_or(Fsync::end),
            .places = &folders},
        work.journals);
  }
  return std::make_unique<TarSampleWriter>(
      TarWriterOptions{.place = input.output,
                       .largest_bytes = line.tar_bytes,
                       .if_exists = line.tar_bytes > 0 ? IfExists::fail : if_exists,
                       .flushed = line.fsync != Fsync::never,
                       .verifies = line.verifies(),
                       .record = input.record ? input.record->begin() : nullptr},
      stop);
}

}  // namespace

SampleRun::SampleRun(const CommandLine& line, PlanOptions plan, const RunOptions& options,
                     Plan& found, Run::Tell tell)
    : line_(line),
      plan_(sample_options(std::move(plan))),
      options_(without_reader(options)),
      reader_bytes_(bytes_of_reader(options)),
      found_(found),
      tell_(std::move(tell)),
      run_(line, options_) {}

bool SampleRun::turn(const SampleInput& input, const Bytes& head, const SampleWriter& writer) {
  if (input.tar.empty())
    return turn("", std::make_unique<FolderSamples>(input.listed->jobs, files_), input, writer);
  const std::string name = input.tar == "-" ? "standard input" : input.tar;
  TarInput tar = input.tar == "-" ? TarInput(head, stop()) : TarInput(input.tar, stop());
  std::unique_ptr<MemberReader> members;
  try {
    members = std::make_unique<TarMembers>(tar);
  } catch (const TarError& error) {
    fail(fmt::format("{}: {}", name, error.what()));
    return true;
  }
  return turn(name, std::move(members), input, writer);
}

bool SampleRun::turn(const std::string& name, std::unique_ptr<MemberReader> reader,
                     const SampleInput& input, const SampleWriter& writer) {
  plan_.output = input.output;
  const Plan* const listed = input.listed.get();
  const bool has_shared_labels = listed && !listed->jobs.shared_labels().empty();
  const SampleStreamOptions options{
      .plan = plan_,
      .name = name,
      .output = (input.output / "").string(),
      .memory_bytes = reader_bytes_ / 4 * 3,
      .largest_bytes = options_.largest_bytes,
      .label_bytes = reader_bytes_ / 4,
      .strict = line_.run.strict,
      .is_pipe = is_from_standard_input(line_),
      .listed = has_shared_labels || !input.tar.empty() ? listed : nullptr};
  SampleStream samples(options, std::move(reader), stop(), keys_);
  std::optional<WrittenPictures> written;
  if (has_shared_labels) written.emplace(listed->jobs);
  if (samples.labels()) written.emplace();
  const bool is_whole = run_.turn(samples, writer, [&](const Outcome& outcome) {
    tell_(outcome);
    incomplete_ += is_incomplete(line_, outcome) ? 1 : 0;
    if (has_failed(outcome.status)) written_.failed.insert(outcome.key);
    if (has_shared_labels || (samples.labels() && samples.labels()->any())) written->add(outcome);
  });
  written_.samples += run_.variants();
  if (const auto& found = samples.leftover())
    throw LabelsError(found->what() + answers_for_others(line_, found->file()),
                      are_shared_labels(*found) ? found->hints() : Hints{Hint::correct_labels});
  if (samples.labels_problem()) throw LabelsError(*samples.labels_problem());
  if (!samples.pair().empty() && !options.is_pipe)
    throw PlanError(fmt::format(
        "{}: these pictures may belong together, and would get different variants: "
        "{}{}",
        printable(name), printable(samples.pair()), answers_for_pairs(samples.group_of_pair())));
  if (!samples.problem().empty() && !stop()) fail(samples.problem());
  for (const auto& [type, count] : samples.left_out()) found_.others[type] += count;
  found_.leftovers.label_files += samples.label_files();
  for (const auto& [type, count] : samples.copied()) copied_[type] += count;
  if (stop() || !is_whole) return false;
  if (has_shared_labels) write_shared_labels(*listed, *written, writer);
  if (samples.labels() && samples.labels()->any()) {
    Plan plan = samples.labels()->plan();
    if (line_.unpack) plan.places.add_folder(input.output);
    say_labels(line_, plan);
    warn_of_sides(line_, plan);
    written->resize(plan.jobs.files().size());
    write_shared_labels(plan, *written, writer);
  }
  return true;
}

void SampleRun::write_shared_labels(const Plan& listed, const WrittenPictures& written,
                                    const SampleWriter& writer) {
  if (options_.plan_only || written.empty()) return;
  if (line_.unpack) {
    std::vector<ManifestFile> unlisted;
    const FileResults results =
        write_shared_files(listed, options_, written, line_.if_shared_files_exist(), unlisted);
    failed_tars_ += say_results(results) ? 0 : 1;
    return;
  }
  for (const SharedLabels::File& file : listed.jobs.shared_labels().files()) {
    if (file.found == 0) continue;
    VariantsInPlace variants(file, listed.jobs, options_, written);
    const std::string text =
        turned_shared_labels(file, std::ref(variants), options_.memory_bytes, options_.verify);
    say_warnings(writer.add_file(file.output, std::as_bytes(std::span(text))));
  }
}

std::optional<WrittenTar> SampleRun::finish(const fs::path& place, SampleWriter& writer) {
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

void SampleRun::fail(const std::string& problem) {
  print_message(printable(problem), Tone::error);
  ++failed_tars_;
}

void SampleRun::say_copied() const {
  std::string text;
  for (const auto& [type, count] : copied_)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, printable(type));
  if (!text.empty() && !line_.quiet)
    print_message("other files of samples, copied with each variant of their picture: " + text);
}

int SampleRun::end(Report& report, bool all_placed, bool whole) {
  say_copied();
  report.finish(end_watch(all_placed),
                all_placed ? "written" : "turned, but not all tars were written");
  return exit_code_of_run(whole);
}

void refuse_unfit_for_tars(const CommandLine& line) {
  const std::pair<bool, const char*> unfit[] = {
      {line.believe == Believe::sidecars,
       "in a tar the picture's own orientation decides; leave out --believe sidecar"},
      {!line.html_file.empty(), "--html shows pictures of a folder; unpack the tar first"},
  };
  for (const auto& [is_given, why] : unfit)
    if (is_given) throw PlanError(why);
}

int print_samples(const CommandLine& line, PlanOptions plan, const RunOptions& options,
                  SampleWork& work) {
  DryRun dry_run(line, work.found);
  SampleRun run(line, std::move(plan), DryRun::options(options), work.found,
                [&](const Outcome& planned) { dry_run.add(planned); });
  const FileSampleWriter unused({.existing = line.unpack ? line.existing : Existing::refuse});
  for (std::size_t i = 0; i < work.inputs.size(); ++i) {
    if (i > 0 && work.inputs[i].output != work.inputs[i - 1].output) run.end_output();
    if (!run.turn(work.inputs[i], {}, unused)) return dry_run.end(false);
  }
  return dry_run.end(run.other_failures() == 0);
}

int turn_samples(const CommandLine& line, PlanOptions plan, const RunOptions& options,
                 SampleWork& work, Report& report) {
  const std::vector<SampleInput>& inputs = work.inputs;
  SampleRun run(line, std::move(plan), options, work.found,
                [&](const Outcome& outcome) { report.add(outcome); });
  RealPlaces folders;
  std::unique_ptr<SampleWriter> output;
  const auto begin = [&](const SampleInput& input) {
    output = open_output(line, input, work, folders, run.stop());
  };
  // A failure here is an error before anything was started.
  if (!inputs.empty()) begin(inputs.front());
  bool whole = true, all_placed = false, is_any_placed = false;
  try {
    for (std::size_t i = 0; i < inputs.size() && whole; ++i) {
      const SampleInput& input = inputs[i];
      if (!output) begin(input);
      whole = run.turn(input, work.head, *output);
      const bool is_last = i + 1 == inputs.size() || inputs[i + 1].output != input.output;
      if (!whole || !is_last) continue;
      const std::optional<WrittenTar> written = run.finish(input.output, *output);
      is_any_placed = true;
      output.reset();
      if (input.record && written && written->failed.empty() && report.salvaged() == 0)
        input.record->end();
      if (work.shard && written) say_warnings(work.shard->add(input.output.filename(), *written));
    }
    all_placed = whole;
    const bool are_tars_whole = report.json_is_whole() && run.other_failures() == 0 && whole;
    if (work.shard && are_tars_whole) say_warnings(work.shard->complete());
    whole = are_tars_whole && report.failed() + report.salvaged() == 0;
  } catch (const FileError& error) {
    say_why(line, error);
    whole = false;
  } catch (const LabelsError& error) {
    // Such labels were found in the middle of a tar. A tar that is not finished leaves nothing.
    const bool goes_out_at_once = line.unpack || line.tar_bytes > 0 || is_to_standard_output(line);
    if (!is_any_placed && !(goes_out_at_once && run.has_samples())) throw;
    throw WithHints<UnfinishedError>(error.hints(), error.what());
  } catch (const std::exception& error) {
    rethrow_unfinished(error, work.journals);
  }
  const int exit_code = run.end(report, all_placed, whole);
  if (work.journals) say_warnings(work.journals->finish(whole));
  return exit_code;
}

}  // namespace qturn
