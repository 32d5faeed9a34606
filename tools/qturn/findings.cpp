#include "tools/qturn/findings.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "src/sample/companion.hpp"
#include "tools/qturn/hints.hpp"
#include "tools/qturn/report.hpp"
#include "tools/qturn/run.hpp"

namespace qturn {
namespace {

std::uint64_t bytes_of(const FileList& files) {
  std::uint64_t bytes = 0;
  for (const FoundFile& file : files) bytes += file.bytes;
  return bytes;
}

std::string labels_in_words(const Outcome& outcome) {
  std::string words;
  for (const Companion& each : outcome.companions)
    words += fmt::format(", with {} -> {}", printable(each.input.string()),
                         printable(each.output.string()));
  for (const std::filesystem::path& file : outcome.shared_labels)
    words += fmt::format(", with its labels in {}", printable(file.string()));
  return words;
}

}  // namespace

Findings::Findings(const CommandLine& line, const FileList& files) : Findings(line) {
  progress_.emplace(line, files.size(), bytes_of(files));
}

std::unique_lock<std::mutex> Findings::pause() {
  return progress_ ? progress_->pause() : std::unique_lock<std::mutex>();
}

void Findings::add(const std::vector<Sentence>& unreadable) {
  const auto no_bar = pause();
  failed_ += unreadable.size();
  for (const Sentence& reason : unreadable) say(line_, Tone::error, reason);
}

void Findings::add(const std::vector<std::string>& words, const MakeJson& json) {
  std::unique_lock<std::mutex> no_bar;
  if (json_.is_standard_output() || !words.empty()) no_bar = pause();
  json_.put(json);
  if (json_.is_standard_output()) return;
  for (const std::string& each : words) fmt::print("{}\n", each);
}

void Findings::add(const Outcome& of_run, bool is_failure, const std::vector<std::string>& words,
                   const MakeJson& json) {
  if (progress_) progress_->add(of_run);
  if (is_failure) {
    const auto no_bar = pause();
    ++failed_;
    say(line_, Tone::error, {of_run.input.string() + ": " + of_run.message, of_run.hints});
  }
  add(words, json);
}

void Findings::summarize(const std::string& text) {
  if (progress_) progress_->end();
  if (!line_.quiet) print_message(text);
}

int Findings::end(bool whole) {
  whole = json_.finish() && whole;
  return exit_code_of_run(whole && failed_ == 0);
}

DryRun::DryRun(const CommandLine& line, const Plan& plan) : line_(line), findings_(line) {
  findings_.add(plan.unreadable);
  plan.jobs.for_each_skipped(
      [&](const Skipped& skipped) { findings_.add({}, [&] { return json_line(skipped); }); });
}

RunOptions DryRun::options(RunOptions options) {
  options.plan_only = true;
  options.threads = 1;
  return options;
}

void DryRun::add(const Outcome& planned) {
  const Outcome outcome = in_words(line_, planned);
  const bool is_failure = has_failed(outcome.status);
  std::vector<std::string> words;
  if (!is_failure)
    words = {fmt::format("{} -> {} ({}{})", printable(outcome.input.string()),
                         printable(outcome.output.string()),
                         outcome.status == Status::skipped ? "left alone: " + outcome.message
                                                           : turn_in_words(line_, outcome),
                         labels_in_words(outcome))};
  findings_.add(planned, is_failure, words, [&] { return json_line_planned(outcome); });
}

}  // namespace qturn
