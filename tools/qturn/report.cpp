#include "tools/qturn/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <new>

#include "src/inputs/find_files.hpp"
#include "src/run/flight.hpp"
#include "tools/qturn/json_lines.hpp"
#include "tools/qturn/progress.hpp"
#include "tools/qturn/terminal.hpp"

namespace qturn {
namespace {

/// So many files are named with one reason: each of 2,000 photographs of a camera may have it.
constexpr std::uint32_t most_named = 10;

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

/// Characters that a terminal obeys instead of showing them: the controls of ASCII and of Latin-1
/// (U+009B begins a sequence as Escape and [ do), ends of lines, and changes of direction.
bool is_control(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E ||
         code == 0x200F || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

/// How results are made, in the order of the summary. A result that no turn has made has no way.
constexpr std::array<std::string_view, 6> ways = {
    "copied byte for byte", "by the orientation tag alone", "losslessly",
    "with edges trimmed",   "re-encoded without loss",      "re-encoded with loss"};
constexpr std::size_t no_way = ways.size();

std::size_t way_of(const Outcome& outcome) {
  switch (outcome.route) {
    case Route::copied:
      return 0;
    case Route::tagged:
      return 1;
    case Route::lossless:
      return 2;
    case Route::trimmed:
      return 3;
    case Route::reencoded:
    case Route::planar:
      return outcome.loss == Loss::none ? 4 : 5;
    case Route::none:
    case Route::skipped:
      break;
  }
  return no_way;
}

}  // namespace

std::string turn_in_words(const CommandLine& line, const Outcome& outcome) {
  if (!outcome.is_picture) return "copied";
  const bool is_upright =
      line.command == CommandLine::Command::turn && line.orientation == Orientation::identity;
  const std::size_t way = way_of(outcome);
  return fmt::format("{}{}{}", is_upright ? "upright" : name(outcome.variant),
                     way == no_way ? "" : ", ", way == no_way ? "" : ways[way]);
}

void warn_of_sides(const std::set<std::string>& sides) {
  if (sides.empty()) return;
  SomeNames names;
  for (const std::string& side : sides) names.add(printable(side));
  print_message(
      "a mirror swaps left and right, but these label classes keep their names: " + names.text(),
      Tone::warning, "--swap-pairs swaps them");
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

std::string line_of(Tone tone, std::string_view message) {
  static const bool colours = shows_colours(STDERR_FILENO);
  constexpr std::string_view words[] = {"", "hint:", "warning:", "error:"};
  constexpr int codes[] = {0, 36, 33, 31};  // cyan, yellow, red
  const auto number = static_cast<std::size_t>(tone);
  if (tone == Tone::note) return fmt::format("qturn: {}\n", message);
  if (!colours) return fmt::format("qturn: {} {}\n", words[number], message);
  return fmt::format("qturn: \033[1;{}m{}\033[0m {}\n", codes[number], words[number], message);
}

// The run goes on even if standard error cannot be written.
void print_message(std::string_view message, Tone tone, std::string_view hint) {
  std::fputs(line_of(tone, message).c_str(), stderr);
  if (!hint.empty()) std::fputs(line_of(Tone::hint, hint).c_str(), stderr);
}

void say(const CommandLine& line, Tone tone, const Sentence& sentence) {
  const Advice words = advice(line, sentence);
  print_message(printable(words.text), tone, printable(words.hint));
}

void say_why(const CommandLine& line, const std::exception& error) {
  // To put a line together would take memory.
  if (dynamic_cast<const std::bad_alloc*>(&error)) {
    std::fputs("qturn: error: out of memory\n", stderr);
    return;
  }
  Advice words = advice(line, reason(error));
  // A message that refuses a command line ends with what to type.
  const std::size_t end = words.hint.empty() ? words.text.rfind("; ") : std::string::npos;
  if (end != std::string::npos && words.text.find(": ", end) == std::string::npos) {
    words.hint = words.text.substr(end + 2);
    words.text.resize(end);
  }
  print_message(printable(words.text), Tone::error, printable(words.hint));
}

void say_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) print_message(printable(warning), Tone::warning);
}

int say_is_done(const CommandLine& line) {
  if (!line.quiet)
    print_message(line.shard ? "this shard is already complete" : "this run is already complete");
  return 0;
}

bool say_results(const FileResults& results) {
  for (const std::string& failure : results.failures)
    print_message(printable(failure), Tone::error);
  say_warnings(results.warnings);
  return results.is_whole;
}

Report::Report(const CommandLine& line, const Plan& plan, std::string device)
    : line_(line),
      plan_(plan),
      device_(std::move(device)),
      json_(line),
      progress_(line, plan.jobs.output_count(), plan.jobs.work_bytes()) {
  plan.jobs.for_each_skipped([&](const Skipped& skipped) {
    json_.put([&] { return json_line(skipped); });
    if (line.verbose)
      std::fputs(fmt::format("{}: left alone: {} exists\n", printable(skipped.input.string()),
                             printable(skipped.output.string()))
                     .c_str(),
                 stderr);
  });
  for (const Sentence& sentence : plan.unreadable) {
    const std::size_t end = std::min(sentence.text.find(": "), sentence.text.size());
    const Sentence reason{sentence.text.substr(std::min(end + 2, sentence.text.size())),
                          sentence.hints};
    std::fputs(lines_about(sentence.text.substr(0, end), Tone::error, advice(line, reason)).c_str(),
               stderr);
  }
}

void Report::add(const Outcome& of_run) {
  const Outcome outcome = in_words(line_, of_run);
  progress_.add(outcome);
  ++(outcome.is_picture ? pictures_ : others_)[static_cast<std::size_t>(outcome.status)];
  const bool is_in_part = is_incomplete(line_, outcome);
  incomplete_ += is_in_part ? 1 : 0;
  if (outcome.status == Status::done || outcome.status == Status::salvaged)
    for (const Companion& companion : outcome.companions)
      companions_[static_cast<int>(companion.kind)] += companion.is_written ? 1 : 0;
  if (outcome.loss == Loss::unasked)
    ++(outcome.route == Route::planar ? lossy_jpegs_ : lossy_others_);
  if (outcome.loss == Loss::asked_for && line_.format) ++lossy_asked_;
  sides_.insert(outcome.sides.begin(), outcome.sides.end());
  if (outcome.is_picture && outcome.status == Status::done) ++ways_[way_of(outcome)];
  left_as_lossy_ += outcome.route == Route::skipped ? 1 : 0;
  left_as_there_ += outcome.output_exists ? 1 : 0;

  const std::string input = printable(outcome.input.string());
  std::string text;
  if (has_failed(outcome.status))
    text += lines_about(outcome.input, Tone::error, advice(line_, {of_run.message, of_run.hints}));
  if (outcome.status == Status::salvaged)
    text += lines_about(outcome.input, Tone::warning,
                        {"only a part is salvaged: " + outcome.message, {}});
  const bool stays_by_default =
      outcome.route == Route::skipped && line_.in_place && !line_.jpeg_edges;
  left_jpegs_ += stays_by_default ? 1 : 0;
  if (!line_.quiet || is_in_part)
    for (const Sentence& warning : of_run.warnings)
      text += lines_about(outcome.input, Tone::warning, advice(line_, warning));
  // --quiet keeps this warning: other programs trust the file, and nothing else may say it.
  if (!outcome.stale_metadata.empty())
    text += lines_about(
        outcome.input, Tone::warning,
        {fmt::format("no longer true after the turn: {}", fmt::join(outcome.stale_metadata, ", ")),
         {}});
  stale_ += outcome.stale_metadata.empty() ? 0 : 1;
  if (line_.verbose && !outcome.kept_unknown.empty())
    text += lines_about(
        outcome.input, Tone::note,
        {fmt::format("kept, and not known: {}", fmt::join(outcome.kept_unknown, ", ")), {}});
  unknown_ += outcome.kept_unknown.empty() ? 0 : 1;
  if (line_.verbose && outcome.status == Status::done)
    text += fmt::format(
        "{} -> {} ({}{})\n", input, printable(outcome.output.string()),
        turn_in_words(line_, outcome),
        outcome.is_picture ? fmt::format(", {} x {}", outcome.width, outcome.height) : "");
  const bool is_left = outcome.status == Status::skipped || outcome.status == Status::done_before;
  if (line_.verbose && is_left)
    text += fmt::format("{}: {}{}\n", input, stays_by_default ? "left as it is: it " : "",
                        outcome.message);
  if (text.empty() && !line_.json) return;
  const auto no_bar = progress_.pause();
  json_.put([&] { return json_line(outcome); });
  std::fputs(text.c_str(), stderr);
}

std::string Report::lines_about(const std::string& input, Tone tone, const Advice& reason) {
  const std::hash<std::string> hash;
  const auto once = [&](std::string text) {
    return said_.insert(hash(text)).second ? std::move(text) : "";
  };
  const std::string sentence = printable(input + ": " + reason.text);
  std::string lines = once(line_of(tone, sentence));
  if (lines.empty()) return lines;  // another variant of the picture has said it
  if (!line_.verbose) {
    std::string same = reason.text;
    std::erase_if(same, [](char c) { return c >= '0' && c <= '9'; });
    const std::size_t number = hash(same);
    if (++reasons_[number] == most_named + 1) many_.push_back({number, tone, sentence});
    if (reasons_[number] > most_named) return "";
  }
  if (!reason.hint.empty()) lines += once(line_of(Tone::hint, printable(reason.hint)));
  return lines;
}

/// "8 of 12 variants of 3 pictures written (8 losslessly), 3 failed". The parts add up.
std::string Report::done_in_words(bool interrupted, std::string_view done) const {
  const bool has_variants = line_.command == CommandLine::Command::augment;
  std::uint64_t inputs = 0, planned = 0, kept = 0;
  for (const FoundFile& file : plan_.jobs.files()) {
    if (!file.picture) continue;
    planned += static_cast<std::uint64_t>(file.to_do.size());
    kept += static_cast<std::uint64_t>(file.kept.size());
    inputs += (file.to_do | file.kept).empty() ? 0 : 1;
  }
  const auto by = [&](Status status) { return pictures_[static_cast<std::size_t>(status)]; };
  const std::uint64_t finished = sum(pictures_), written = by(Status::done) + by(Status::salvaged);
  if (plan_.jobs.empty()) planned = finished;
  // If a file cannot be read, the number of its variants is not known.
  const std::uint64_t unreadable = has_variants ? 0 : plan_.unreadable.size();
  const std::uint64_t total = planned + kept + unreadable;
  std::string text = fmt::format(
      "{} of {}", written,
      has_variants ? counted(total, "variant", "variants") : counted(total, "picture", "pictures"));
  if (has_variants && inputs > 0)
    text += fmt::format(" of {}", counted(inputs, "picture", "pictures"));
  std::string how;
  const auto way = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) how += fmt::format("{}{} {}", how.empty() ? "" : ", ", count, what);
  };
  for (std::size_t i = 0; i < ways.size(); ++i) way(ways_[i], ways[i]);
  way(by(Status::salvaged), "salvaged from damaged files");
  text += fmt::format(" {}{}", done, how.empty() ? "" : " (" + how + ")");
  const auto part = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  part(by(Status::skipped) - left_as_lossy_ - left_as_there_, "already upright");
  part(left_as_lossy_, "left alone because a turn would not be lossless");
  part(kept + left_as_there_, "left alone because the output exists");
  part(by(Status::done_before), "done before the interruption");
  part(by(Status::failed) + unreadable, "failed");
  part(by(Status::rejected), "rejected because the result was wrong");
  if (interrupted) text += ", interrupted";
  if (const std::uint64_t left = planned - finished; left > 0)
    text += fmt::format("{}{}", interrupted ? " with " : ", ",
                        fmt::format("{} {}", left, interrupted ? "to do" : "not done"));
  if (has_variants && !plan_.unreadable.empty())
    text +=
        fmt::format("; {} could not be read", counted(plan_.unreadable.size(), "input", "inputs"));
  return text;
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
  const auto say = [&](const char* what, Status status) {
    const std::uint64_t count = others_[static_cast<std::size_t>(status)];
    if (count > 0) print_message(what + counted(count, "other file", "other files"));
  };
  say("copied as they are: ", Status::done);
  say("not copied: ", Status::failed);
}

void Report::print_losses() const {
  if (stale_ > 0)
    print_message(fmt::format("of {}, some metadata is no longer true",
                              counted(stale_, "picture", "pictures")),
                  Tone::warning, "--strict refuses that");
  if (unknown_ > 0)
    print_message(fmt::format("of {}, metadata is kept that qturn does not know; -v names it",
                              counted(unknown_, "picture", "pictures")));
  const auto them = [](std::uint64_t count) { return count == 1 ? "it" : "them"; };
  const auto were = [](std::uint64_t count) { return count == 1 ? "was" : "were"; };
  if (left_jpegs_ > 0)
    print_message(
        fmt::format("{} left as {} {}, because a turn would not be lossless; viewers still apply "
                    "the orientation tag",
                    counted(left_jpegs_, "JPEG was", "JPEGs were"),
                    left_jpegs_ == 1 ? "it" : "they", were(left_jpegs_)),
        Tone::warning,
        fmt::format("--jpeg-edges reencode or trim turns {}, -v names {}", them(left_jpegs_),
                    them(left_jpegs_)));
  if (lossy_jpegs_ > 0)
    print_message(
        fmt::format("{} could not be turned losslessly and {} re-encoded",
                    counted(lossy_jpegs_, "JPEG", "JPEGs"), were(lossy_jpegs_)),
        Tone::warning,
        fmt::format("--jpeg-edges trim or tag avoids that, -v names {}", them(lossy_jpegs_)));
  if (lossy_others_ > 0)
    print_message(fmt::format("{} compressed again with loss",
                              counted(lossy_others_, "WebP was", "WebPs were")),
                  Tone::warning, "--format png avoids that for still pictures");
  if (lossy_asked_ > 0) {
    const bool is_by_quality = line_.run.quality && !line_.format->is_lossy;
    const std::string_view format = line_.format->name;
    print_message(fmt::format("{} written with loss, as {} says",
                              counted(lossy_asked_, "picture was", "pictures were"),
                              is_by_quality ? "--quality" : fmt::format("--format {}", format)),
                  Tone::note,
                  is_by_quality ? fmt::format("without --quality, {} is lossless", format) : "");
  }
}

void Report::finish(bool interrupted, std::string_view done, bool resumes) {
  progress_.end();
  for (const auto& [reason, tone, example] : many_)
    print_message(fmt::format("{} more, such as {}", reasons_[reason] - most_named, example), tone);
  if (!many_.empty()) print_message("-v names all", Tone::hint);
  if (line_.quiet) return;

  const double seconds = progress_.seconds();
  std::string text = done_in_words(interrupted, done);
  text += fmt::format("; {:.2f} s", seconds);
  if (line_.verbose) {
    const double megapixels = static_cast<double>(progress_.pixels()) / 1e6;
    text += fmt::format(
        ", {:.0f} MP, {:.1f} MP/s, {:.1f} pictures/s, on {}", megapixels, megapixels / seconds,
        static_cast<double>(count(Status::done) + count(Status::salvaged)) / seconds, device_);
  }
  print_message(text);
  if (line_.verify == false) print_message("the results were not verified, as --no-verify says");
  if (interrupted && resumes)
    print_message("the same command with --resume goes on where this run was interrupted",
                  Tone::hint);
  print_others();
  print_losses();
  warn_of_sides(sides_);
  if (const std::uint64_t labels = plan_.leftovers.label_files; labels > 0) {
    print_message(line_.in_place ? counted(labels, "label file does not fit its pictures any more",
                                           "label files do not fit their pictures any more")
                                 : counted(labels, "label file was not turned with its pictures",
                                           "label files were not turned with their pictures"),
                  Tone::warning);
  }
  std::string others, raw;
  for (const auto& [type, count] : plan_.others) {
    std::string& kinds = is_camera_raw(type) ? raw : others;
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, printable(type));
  }
  if (!others.empty()) {
    print_message(fmt::format("left out, because they are not pictures: {}", others));
  }
  if (!raw.empty()) {
    print_message("left out, because they are camera raw files: " + raw, Tone::note,
                  "--raw --tag-only changes their orientation tag");
  }
}

}  // namespace qturn
