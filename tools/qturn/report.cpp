#include "tools/qturn/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <system_error>

#include "src/plan/find_files.hpp"
#include "src/run/flight.hpp"
#include "tools/qturn/hints.hpp"
#include "tools/qturn/json.hpp"
#include "tools/qturn/terminal.hpp"

namespace qturn {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string duration(double seconds) {
  const long whole = std::lround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

namespace {

/// A character of UTF-8 at the beginning of a text. `bytes` is 0 if the text does not begin with
/// one.
struct Utf8 {
  std::size_t bytes = 0;
  char32_t code = 0;
};

Utf8 first_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return {1, first};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return {};
  char32_t code = first & (0x7F >> bytes);
  for (const char c : text.substr(1, bytes - 1)) {
    const auto next = static_cast<unsigned char>(c);
    if ((next & 0xC0) != 0x80) return {};
    code = code << 6 | (next & 0x3F);
  }
  constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < smallest[bytes] || code > 0x10FFFF || is_surrogate ? Utf8{} : Utf8{bytes, code};
}

/// What a terminal obeys instead of showing it: the controls of ASCII and of Latin-1 (U+009B begins
/// a sequence as Escape and [ do), ends of lines, and what changes the direction of the text.
bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E ||
         code == 0x200F || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string sides_in_words(const std::set<std::string>& sides) {
  if (sides.empty()) return "";
  SomeNames names;
  for (const std::string& side : sides) names.add(printable(side));
  return fmt::format(
      "warning: a mirror swaps left and right, but these label classes keep their names: {}; "
      "--swap-pairs swaps them",
      names.text());
}

std::string printable(std::string_view path) {
  std::string text;
  while (!path.empty()) {
    const Utf8 character = first_character(path);
    const std::size_t bytes = std::max<std::size_t>(character.bytes, 1);
    if (character.bytes == 0 || (bytes == 1 && is_control(character.code)))
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(path.front()));
    else if (is_control(character.code))
      text += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(character.code));
    else
      text += path.substr(0, bytes);
    path.remove_prefix(bytes);
  }
  return text;
}

// The run goes on even if standard error cannot be written. No memory is taken, because that there
// is none may be the message.
void print_message(std::string_view message) {
  std::fprintf(stderr, "qturn: %.*s\n", static_cast<int>(message.size()), message.data());
}

void say_why(const CommandLine& line, const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error)) return print_message("out of memory");
  print_message(printable(in_words(line, reason(error))));
}

void say_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) print_message("warning: " + printable(warning));
}

bool say_results(const FileResults& results) {
  for (const std::string& failure : results.failures) print_message(printable(failure));
  say_warnings(results.warnings);
  return results.is_whole;
}

bool is_whole(const CommandLine& line, const RunEnd& end) {
  if (!end.warning.empty()) print_message("warning: " + end.warning);
  if (end.error.text.empty()) return true;
  print_message(
      fmt::format("the run ended before all pictures were done: {}", in_words(line, end.error)));
  return false;
}

Report::Report(const CommandLine& line, const Plan& plan, std::string device)
    : line_(line), plan_(plan), device_(std::move(device)), json_(line) {
  plan.jobs.for_each_skipped(
      [&](const Skipped& skipped) { json_.put([&] { return json_line(skipped); }); });
  for (const Sentence& reason : plan.unreadable) print_message(printable(in_words(line, reason)));
  if (line.quiet || line.dry_run) return;
  try {
    watcher_ = std::jthread([this](const std::stop_token& stop) {
      try {
        watch(stop);
      } catch (const std::bad_alloc&) {  // the pictures need the memory more than this line
      }
    });
  } catch (const std::system_error& error) {
    print_message("warning: no progress is shown: " + error.code().message());
  }
}

void Report::add(const Outcome& of_run) {
  const Outcome outcome = in_words(line_, of_run);
  const std::scoped_lock lock(mutex_);
  switch (outcome.status) {
    case Status::done:
      ++done_;
      break;
    case Status::salvaged:
      ++done_;
      ++salvaged_;
      break;
    case Status::done_before:
      ++done_before_;
      break;
    case Status::skipped:
      ++skipped_;
      break;
    case Status::rejected:
      ++rejected_;
      [[fallthrough]];
    case Status::failed:
      ++failed_;
      break;
  }
  // With --strict a warning before the file is written is a failure. So these warnings came after
  // it was written.
  const bool is_incomplete = outcome.status == Status::done &&
                             (!outcome.is_whole || (line_.strict && !outcome.warnings.empty()));
  incomplete_ += is_incomplete ? 1 : 0;
  if (outcome.status == Status::done || outcome.status == Status::salvaged)
    for (const CompanionOutcome& companion : outcome.companions)
      companions_[static_cast<int>(companion.kind)] += companion.is_written ? 1 : 0;
  if (!outcome.is_picture) {
    ++others_;
    others_written_ += outcome.status == Status::done ? 1 : 0;
  }
  if (outcome.loss == Loss::unasked)
    ++(outcome.route == Route::planar ? lossy_jpegs_ : lossy_others_);
  if (outcome.loss == Loss::asked_for && line_.format) ++lossy_asked_;
  sides_.insert(outcome.sides.begin(), outcome.sides.end());
  routes_[static_cast<int>(outcome.route)] += outcome.is_picture ? 1 : 0;
  pixels_ += outcome.pixels;
  work_done_ += outcome.file_bytes;
  json_.put([&] { return json_line(outcome); });

  const std::string input = printable(outcome.input.string());
  const bool is_upright =
      line_.command == CommandLine::Command::turn && line_.orientation == Orientation::identity;
  std::string text;
  if (has_failed(outcome.status))
    text += once(fmt::format("qturn: {}: {}\n", input, printable(outcome.message)));
  if (outcome.status == Status::salvaged) {
    text +=
        fmt::format("qturn: {}: only a part is salvaged: {}\n", input, printable(outcome.message));
  }
  const bool stays_by_default =
      outcome.route == Route::skipped && line_.in_place && !line_.jpeg_edges;
  left_jpegs_ += stays_by_default ? 1 : 0;
  if (!line_.quiet || is_incomplete)
    for (const Sentence& warning : outcome.warnings)
      text += once(fmt::format("qturn: {}: warning: {}\n", input, printable(warning.text)));
  // It may be all that is ever said about a file that others trust, so --quiet keeps it.
  if (!outcome.stale_metadata.empty())
    text +=
        once(fmt::format("qturn: {}: warning: no longer true after the turn: {}\n", input,
                         printable(fmt::format("{}", fmt::join(outcome.stale_metadata, ", ")))));
  stale_ += outcome.stale_metadata.empty() ? 0 : 1;
  if (line_.verbose && outcome.status == Status::done)
    text += fmt::format("{} -> {} ({}, {} x {}{})\n", input, printable(outcome.output.string()),
                        is_upright ? "upright" : name(outcome.variant), outcome.width,
                        outcome.height, outcome.loss == Loss::none ? "" : ", with loss");
  const bool is_left = outcome.status == Status::skipped || outcome.status == Status::done_before;
  if (line_.verbose && is_left)
    text += fmt::format("{}: {}{}\n", input, stays_by_default ? "left as it is: it " : "",
                        outcome.message);
  if (!text.empty()) {
    if (line_is_drawn_) text.insert(0, "\r\033[K");
    line_is_drawn_ = false;
    std::fputs(text.c_str(), stderr);
  }
}

std::string Report::once(std::string line) {
  return said_.insert(std::hash<std::string>()(line)).second ? std::move(line) : "";
}

/// "8 of 12 variants of 3 pictures written"
std::string Report::done_in_words(std::string_view done) const {
  std::uint64_t others = 0, pictures = 0;
  for (const FoundFile& file : plan_.jobs.files()) {
    if (!file.picture) others += static_cast<std::uint64_t>(file.to_do.size());
    pictures += file.picture && !file.to_do.empty() ? 1 : 0;
  }
  if (plan_.jobs.empty()) others = others_;
  const std::uint64_t total = outputs() - others, written = done_ - others_written_;
  if (line_.command != CommandLine::Command::augment)
    return fmt::format("{} of {} {}", written,
                       counted(total + plan_.unreadable.size(), "picture", "pictures"), done);
  const std::string variants = counted(total, "variant", "variants");
  const std::string of =
      pictures > 0 ? fmt::format(" of {}", counted(pictures, "picture", "pictures")) : "";
  return fmt::format("{} of {}{} {}", written, variants, of, done);
}

void Report::print_others() const {
  std::string text;
  const auto add = [&](CompanionKind kind, const char* one, const char* many) {
    const std::uint64_t count = companions_[static_cast<int>(kind)];
    if (count > 0) text += (text.empty() ? "" : ", ") + counted(count, one, many);
  };
  add(CompanionKind::label, "label", "labels");
  add(CompanionKind::mask, "mask", "masks");
  add(CompanionKind::sidecar, "sidecar", "sidecars");
  if (!text.empty()) print_message("written with them: " + text);
  if (others_written_ > 0)
    print_message("copied as they are: " + counted(others_written_, "other file", "other files"));
}

// On a terminal, one line that is drawn again; in a log, a new line every half minute.
void Report::watch(const std::stop_token& stop) {
  const char* kind = std::getenv("TERM");
  const bool terminal = isatty(STDERR_FILENO) && kind && std::string_view(kind) != "dumb";
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

/// "12 of 300 pictures, 1 failed, 10 s left, 34 MP/s", without what does not fit.
std::string Report::progress(std::size_t width) const {
  const double seconds = seconds_since(start_);
  std::string text = fmt::format("{} of {}", finished(), counted(outputs(), "picture", "pictures"));
  const auto add = [&](const std::string& part) {
    if (text.size() + 2 + part.size() <= width) text += ", " + part;
  };
  if (failed_ > 0) add(fmt::format("{} failed", failed_));
  if (work_done_ > 0 && seconds > 1 && plan_.jobs.work_bytes() > 0) {
    const double left = seconds * static_cast<double>(plan_.jobs.work_bytes() - work_done_) /
                        static_cast<double>(work_done_);
    add(duration(left) + " left");
  }
  add(fmt::format("{:.1f} MP/s", static_cast<double>(pixels_) / 1e6 / seconds));
  return text.substr(0, width);
}

void Report::draw(bool terminal) {
  // A line that fills the terminal would be broken, and its beginning not drawn again.
  const std::string text =
      progress(terminal ? terminal_width(STDERR_FILENO) - 1 : std::string::npos);
  std::fputs((terminal ? "\r" + text + "\033[K" : "qturn: " + text + "\n").c_str(), stderr);
  std::fflush(stderr);
  line_is_drawn_ = terminal;
}

void Report::print_losses() const {
  if (stale_ > 0) {
    print_message(fmt::format("of {}, some metadata is no longer true; --strict refuses that",
                              counted(stale_, "picture", "pictures")));
  }
  if (left_jpegs_ > 0) {
    print_message(fmt::format(
        "{} left as {}, because a turn would not be lossless; viewers still apply the orientation "
        "tag; --jpeg-edges reencode or trim turns {}, -v names {}",
        counted(left_jpegs_, "JPEG was", "JPEGs were"), left_jpegs_ == 1 ? "it was" : "they were",
        left_jpegs_ == 1 ? "it" : "them", left_jpegs_ == 1 ? "it" : "them"));
  }
  if (lossy_jpegs_ > 0) {
    print_message(
        fmt::format("{} could not be turned losslessly and {} re-encoded; --jpeg-edges trim or tag "
                    "avoids that, -v names them",
                    counted(lossy_jpegs_, "JPEG", "JPEGs"), lossy_jpegs_ == 1 ? "was" : "were"));
  }
  if (lossy_others_ > 0) {
    print_message(
        fmt::format("{} compressed again with loss; --format png avoids that for still pictures",
                    counted(lossy_others_, "WebP was", "WebPs were")));
  }
  if (lossy_asked_ > 0) {
    const bool is_by_quality = line_.quality && !line_.format->is_lossy;
    print_message(fmt::format(
        "{} written with loss, as {}", counted(lossy_asked_, "picture was", "pictures were"),
        is_by_quality ? fmt::format("--quality says; without it {} is lossless", line_.format->name)
                      : fmt::format("--format {} says", line_.format->name)));
  }
}

void Report::finish(bool interrupted, std::string_view done, bool resumes) {
  watcher_ = {};
  if (line_is_drawn_) std::fputs("\r\033[K", stderr);
  line_is_drawn_ = false;
  if (line_.quiet) return;

  const double seconds = seconds_since(start_);
  std::string text = done_in_words(done);
  const auto part = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  const auto by = [&](Route route) { return routes_[static_cast<int>(route)]; };
  part(salvaged_, "of them salvaged from damaged files");
  part(by(Route::copied), "of them copied byte for byte");
  part(by(Route::tagged), "of them by the orientation tag alone");
  part(by(Route::lossless), "of them losslessly");
  part(by(Route::planar), "of them re-encoded as JPEG");
  part(by(Route::trimmed), "of them with edges trimmed");
  part(skipped_ - by(Route::skipped), "already upright");
  part(by(Route::skipped), "left alone because a turn would not be lossless");
  part(plan_.jobs.skipped_count(), "left alone because the output exists");
  part(done_before_, "done before the interruption");
  part(failed() - rejected_, "failed");
  part(rejected_, "rejected because the result was wrong");
  if (interrupted) text += ", interrupted";
  if (interrupted && !plan_.jobs.empty())
    text += fmt::format(" with {} to do", outputs() - finished());
  text += fmt::format("; {:.2f} s", seconds);
  if (line_.verbose) {
    const double megapixels = static_cast<double>(pixels_) / 1e6;
    text += fmt::format(", {:.0f} MP, {:.1f} MP/s, {:.1f} pictures/s, on {}", megapixels,
                        megapixels / seconds, static_cast<double>(done_) / seconds, device_);
  }
  print_message(text);
  if (line_.verify == false) print_message("the results were not verified, as --no-verify says");
  if (interrupted && resumes)
    print_message("the same command with --resume goes on where this run was interrupted");
  print_others();
  print_losses();
  if (const std::string warning = sides_in_words(sides_); !warning.empty()) print_message(warning);
  std::string others, raw;
  for (const auto& [type, count] : plan_.others) {
    std::string& kinds = is_camera_raw(type) ? raw : others;
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, printable(type));
  }
  if (!others.empty()) {
    print_message(fmt::format("left out, because they are not pictures: {}", others));
  }
  if (!raw.empty()) {
    print_message(fmt::format(
        "left out, because they are camera raw files, whose orientation tag --raw --tag-only "
        "changes: {}",
        raw));
  }
}

}  // namespace qturn
