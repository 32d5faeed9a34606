#include "tools/qturn/ways_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace qturn {
namespace {

std::string way_out(const CommandLine& line, const OutputError& error) {
  const std::string place = error.place().string();
  switch (error.reason()) {
    case OutputError::Reason::file_exists:
      return line.shard ? "; remove it, or choose another output"
                        : "; use --overwrite, --skip-existing or --update, or another output";
    case OutputError::Reason::is_place_of_copy:
      return fmt::format("; --exclude '{}'", place);
    case OutputError::Reason::is_complete:
      return "; choose another";
    case OutputError::Reason::is_of_plain_run:
      return "; finish that with --resume and without --shard, or choose another output";
    case OutputError::Reason::is_of_shards:
      return fmt::format("; 'qturn merge {}' makes it one, or choose another output", place);
    case OutputError::Reason::is_unmerged_input:
      return fmt::format("; 'qturn merge {}' first", place);
    case OutputError::Reason::attempt_unfinished:
      return "; use --resume";
    case OutputError::Reason::shards_incomplete:
      return fmt::format("; run {} again with --resume", error.count() == 1 ? "it" : "them");
    case OutputError::Reason::tar_changed:
      return ", and run the shard again with --resume";
    case OutputError::Reason::no_shards:
      return "; run them with --shard";
  }
  return "";
}

std::string way_out(const CommandLine& line, const LabelsError& error) {
  if (line.resume) return "; put that right, and --resume again";
  std::string words;
  if (!error.suffix().empty())
    words = fmt::format("; --exclude '*{}' leaves such files out", error.suffix());
  return words + "; --labels none turns each picture by itself";
}

std::string without_labels_none(const std::string& sentence) {
  const std::size_t alone = sentence.find("--labels none");
  const std::size_t begin = sentence.rfind("; ", alone);
  if (alone == sentence.npos || begin == sentence.npos) return sentence;
  const std::size_t end = std::min(sentence.find("; ", alone), sentence.size());
  return sentence.substr(0, begin) + "; put that right, and --resume again" + sentence.substr(end);
}

}  // namespace

PlanError with_ways_out(const CommandLine& line, const PlanError& error) {
  std::string sentence = error.what();
  if (const auto* output = dynamic_cast<const OutputError*>(&error))
    sentence += way_out(line, *output);
  if (const auto* labels = dynamic_cast<const LabelsError*>(&error))
    sentence += way_out(line, *labels);
  return PlanError(line.resume ? without_labels_none(sentence) : sentence);
}

}  // namespace qturn
