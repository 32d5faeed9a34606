#include "tools/qturn/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>

#include "tools/qturn/json.hpp"

namespace qturn {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string duration(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

std::string printable(std::string_view path) {
  std::string text;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      text += fmt::format("\\x{:02x}", byte);
    else
      text += c;
  }
  return text;
}

// A standard error that takes nothing is no reason to stop.
void print_message(std::string_view message) {
  std::fputs(fmt::format("qturn: {}\n", message).c_str(), stderr);
}

Report::Report(const CommandLine& line, const Plan& plan, std::string device)
    : line_(line), plan_(plan), device_(std::move(device)), json_(line) {
  for (const Job& job : plan.jobs) {
    outputs_ += job.outputs.size();
    work_ += job.file_bytes * job.outputs.size();
  }
  for (const Skipped& skipped : plan.skipped) json_.put([&] { return json_line(skipped); });
  for (const std::string& reason : plan.unreadable) print_message(printable(reason));
  if (!line.quiet && !line.dry_run)
    watcher_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

void Report::add(const Outcome& outcome) {
  const std::scoped_lock lock(mutex_);
  switch (outcome.status) {
    case Status::done:
      ++done_;
      break;
    case Status::skipped:
      ++skipped_;
      break;
    case Status::failed:
      ++failed_;
      break;
  }
  // --strict fails what is warned of before it is written, so this is of what came after.
  const bool is_incomplete =
      line_.strict && outcome.status == Status::done && !outcome.warnings.empty();
  incomplete_ += is_incomplete ? 1 : 0;
  by_nvjpeg_ += outcome.codec == "nvjpeg" ? 1 : 0;
  ++routes_[static_cast<int>(outcome.route)];
  pixels_ += outcome.pixels;
  work_done_ += outcome.file_bytes;
  json_.put([&] { return json_line(outcome); });

  const std::string input = printable(outcome.input.string());
  std::string text;
  if (outcome.status == Status::failed)
    text += fmt::format("qturn: {}: {}\n", input, printable(outcome.message));
  if (!line_.quiet || is_incomplete)
    for (const std::string& warning : outcome.warnings)
      text += fmt::format("qturn: {}: warning: {}\n", input, printable(warning));
  if (line_.verbose && outcome.status == Status::done)
    text += fmt::format("{} -> {} ({}, {} x {})\n", input, printable(outcome.output.string()),
                        name(outcome.variant), outcome.width, outcome.height);
  if (line_.verbose && outcome.status == Status::skipped)
    text += fmt::format("{}: {}\n", input, outcome.message);
  if (!text.empty()) {
    if (line_is_drawn_) text.insert(0, "\r\033[K");
    line_is_drawn_ = false;
    std::fputs(text.c_str(), stderr);
  }
  if (line_.command == CommandLine::Command::augment && outcome.status == Status::done &&
      outcome.is_picture)
    written_.push_back(outcome);
}

std::string Report::speed(double seconds) const {
  const double megapixels = static_cast<double>(pixels_) / 1e6;
  return fmt::format("{:.0f} MP, {:.1f} MP/s, {:.1f} images/s", megapixels, megapixels / seconds,
                     static_cast<double>(done_) / seconds);
}

// On a terminal one line that is drawn again and again, in a log a line every half minute.
void Report::watch(const std::stop_token& stop) {
  const bool terminal =
      isatty(STDERR_FILENO) && std::getenv("TERM") && std::strcmp(std::getenv("TERM"), "dumb") != 0;
  std::mutex sleep_mutex;
  std::condition_variable_any sleeper;
  std::unique_lock sleep_lock(sleep_mutex);
  while (!sleeper.wait_for(sleep_lock, stop,
                           terminal ? std::chrono::milliseconds(200) : std::chrono::seconds(30),
                           [&] { return stop.stop_requested(); })) {
    const std::scoped_lock lock(mutex_);
    draw(terminal);
  }
}

void Report::draw(bool terminal) {
  const double seconds = seconds_since(start_);
  const std::uint64_t finished = done_ + skipped_ + failed_;
  std::string text = fmt::format("{} of {} files, {}", finished, outputs_, speed(seconds));
  if (work_done_ > 0 && seconds > 1) {
    const double left =
        seconds * static_cast<double>(work_ - work_done_) / static_cast<double>(work_done_);
    text += fmt::format(", {} left", duration(left));
  }
  if (failed_ > 0) text += fmt::format(", {} failed", failed_);
  text = terminal ? "\r" + text + "\033[K" : "qturn: " + text + "\n";
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
  line_is_drawn_ = terminal;
}

void Report::finish(bool interrupted) {
  watcher_ = {};
  if (line_is_drawn_) std::fputs("\r\033[K", stderr);
  line_is_drawn_ = false;
  if (line_.quiet) return;

  const double seconds = seconds_since(start_);
  std::string text =
      fmt::format("{} of {} written", done_, counted(outputs_, "picture", "pictures"));
  const auto part = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  const auto by = [&](Route route) { return routes_[static_cast<int>(route)]; };
  part(by(Route::copied), "of them copied byte for byte");
  part(by(Route::tagged), "of them by their tag alone");
  part(by(Route::lossless), "of them losslessly");
  part(by(Route::planar), "of them encoded anew as JPEGs");
  part(by_nvjpeg_, "of those by nvJPEG");
  part(by(Route::trimmed), "of them with edges trimmed");
  part(skipped_ - by(Route::skipped), "already upright");
  part(by(Route::skipped), "left alone because a turn would not be lossless");
  part(plan_.skipped.size(), "left alone because the output is there");
  part(failed(), "failed");
  if (interrupted) text += fmt::format(", interrupted with {} to do", outputs_ - finished());
  print_message(fmt::format("{}; {:.2f} s, {}, on {}", text, seconds, speed(seconds), device_));
  if (!plan_.others.empty()) {
    std::string kinds;
    for (const auto& [type, count] : plan_.others)
      kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, printable(type));
    print_message(fmt::format("no pictures, left out: {}", kinds));
  }
}

}  // namespace qturn
