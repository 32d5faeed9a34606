#include "tools/qturn/json_lines.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

#include "src/files/json_names.hpp"
#include "src/run/outcome.hpp"
#include "tools/qturn/report.hpp"

namespace qturn {
namespace {

const char* word(Status status) {
  switch (status) {
    case Status::done:
      return "done";
    case Status::salvaged:
      return "salvaged";
    case Status::done_before:
    case Status::skipped:
      return "skipped";
    case Status::rejected:
      return "rejected";
    case Status::failed:
      break;
  }
  return "failed";
}

void put_companions(Json& json, const Outcome& outcome) {
  const auto all_of = [&](CompanionKind kind) {
    Json all = Json::array();
    for (const Companion& each : outcome.companions) {
      if (each.kind != kind || !each.is_written) continue;
      Json& one = all.emplace_back();
      put_name(one, "input", each.input.string());
      put_name(one, "output", each.output.string());
    }
    return all;
  };
  if (Json label = all_of(CompanionKind::label); !label.empty()) json["label"] = label.front();
  if (Json masks = all_of(CompanionKind::mask); !masks.empty()) json["masks"] = masks;
  if (Json sidecars = all_of(CompanionKind::sidecar); !sidecars.empty())
    json["sidecars"] = sidecars;
  std::vector<std::string> shared;
  for (const std::filesystem::path& file : outcome.shared_labels) shared.push_back(file.string());
  put_names(json, "labels_in", shared);
}

/// `is_planned`: nothing is made, so there are no sizes and times.
std::string line_of_output(const Outcome& outcome, bool is_planned) {
  Json json;
  put_name(json, "input", outcome.input.string());
  put_name(json, "output", outcome.output.string());
  json["orientation"] = name(outcome.variant);
  if (!is_planned) {
    json["applied"] = name(outcome.applied);
    json["width"] = outcome.width;
    json["height"] = outcome.height;
  }
  json["route"] = word(outcome.route);
  json["lossy"] = outcome.loss != Loss::none;
  if (!is_planned && !outcome.codec.empty()) json["codec"] = outcome.codec;
  if (!is_planned) json["seconds"] = outcome.seconds;
  json["status"] = is_planned && outcome.status == Status::done ? "planned" : word(outcome.status);
  json["message"] = outcome.message;
  if (!is_planned) {
    json["warnings"] = Json::array();
    for (const Sentence& warning : outcome.warnings) json["warnings"].push_back(warning.text);
  }
  if (!outcome.stale_metadata.empty()) json["stale_metadata"] = outcome.stale_metadata;
  if (!outcome.kept_unknown.empty()) json["kept_unknown"] = outcome.kept_unknown;
  if (outcome.kept_maker_note) json["kept_maker_note"] = true;
  put_companions(json, outcome);
  return dump(json);
}

}  // namespace

std::string json_line(const Outcome& outcome) { return line_of_output(outcome, false); }

std::string json_line_planned(const Outcome& outcome) { return line_of_output(outcome, true); }

std::string json_line(const Skipped& skipped) {
  Json json;
  put_name(json, "input", skipped.input.string());
  put_name(json, "output", skipped.output.string());
  json["status"] = "skipped";
  json["message"] = "the output exists";
  return dump(json);
}

std::string json_line_checked(const std::filesystem::path& input,
                              const std::vector<std::string>& findings,
                              const std::string& failure) {
  Json json;
  put_name(json, "input", input.string());
  json["status"] = !failure.empty() ? "failed" : findings.empty() ? "agrees" : "disagrees";
  json["findings"] = findings;
  json["message"] = failure;
  return dump(json);
}

std::string json_line_compared(const Outcome& outcome) {
  Json json;
  put_name(json, "input", outcome.input.string());
  const bool agrees = outcome.status == Status::done;
  json["status"] = agrees ? "agrees" : outcome.status == Status::rejected ? "disagrees" : "failed";
  if (agrees) json["applied"] = name(outcome.applied);
  json["message"] = outcome.message;
  return dump(json);
}

namespace fs = std::filesystem;

namespace {

std::optional<FileId> id_of(const fs::path& file) {
  struct stat status;
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return FileId{status.st_dev, status.st_ino};
}

}  // namespace

ReportPlace::ReportPlace(std::string option, const std::string& file) : option_(std::move(option)) {
  if (file.empty()) return;
  wanted_ = fs::absolute(file).lexically_normal();
  id_ = id_of(wanted_);
}

ReportPlace ReportPlace::json(const CommandLine& line) {
  ReportPlace place("--json", line.json_file);
  place.refuse_read_by(line);
  place.refuse(line.html_file);
  return place;
}

ReportPlace ReportPlace::html(const CommandLine& line) {
  ReportPlace place("--html", line.html_file);
  place.refuse_read_by(line);
  return place;
}

void ReportPlace::refuse_all_but_pages() const {
  if (!id_ || !fs::is_regular_file(wanted_) || fs::file_size(wanted_) == 0) return;
  constexpr std::string_view start = "<!DOCTYPE html>";
  std::string first(start.size(), '\0');
  std::ifstream(wanted_).read(first.data(), static_cast<std::streamsize>(first.size()));
  if (first == start) return;
  throw PlanError(fmt::format("{} would replace {}, which is not an HTML page; name another file",
                              option_, printable(wanted_.string())));
}

void ReportPlace::refuse_read_by(const CommandLine& line) const {
  refuse(line.files_from);
  refuse(line.labels.swap_pairs);
}

void ReportPlace::refuse(const fs::path& file) const {
  if (wanted_.empty() || file.empty()) return;
  // Names are compared first, because millions of paths take seconds to make absolute.
  const bool is_named =
      file.filename() == wanted_.filename() && fs::absolute(file).lexically_normal() == wanted_;
  if (is_named || (id_ && id_of(file) == id_)) {
    throw PlanError(
        fmt::format("{} would overwrite {}; name another file", option_, printable(file.string())));
  }
}

void ReportPlace::refuse(const Plan& plan) const {
  if (wanted_.empty()) return;
  for (const Job& job : plan.jobs) {
    refuse(job.input);
    for (const JobOutput& output : job.outputs) {
      refuse(output.path);
      for (const Companion& each : output.companions) {
        refuse(each.input);
        refuse(each.output);
      }
    }
  }
}

JsonLines::JsonLines(const CommandLine& line) {
  if (!line.json) return;
  name_ = line.json_file.empty() ? "standard output" : printable(line.json_file);
  file_ = line.json_file.empty() ? stdout : std::fopen(line.json_file.c_str(), "w");
  if (!file_) throw PlanError(fmt::format("cannot write {}: {}", name_, std::strerror(errno)));
}

JsonLines::~JsonLines() {
  if (file_ && file_ != stdout) std::fclose(file_);
}

void JsonLines::write(const std::string& line) {
  if (std::fprintf(file_, "%s\n", line.c_str()) < 0 || std::fflush(file_) != 0) error_ = errno;
}

bool JsonLines::finish() {
  if (file_ && file_ != stdout && std::fclose(std::exchange(file_, nullptr)) != 0) error_ = errno;
  if (error_ == 0) return true;
  print_message(
      fmt::format("{}: not all JSON lines could be written: {}", name_, std::strerror(error_)),
      Tone::error);
  return false;
}

}  // namespace qturn
