#include "tools/qturn/hints.hpp"

#include <fmt/format.h>

#include <utility>

namespace qturn {
namespace {

std::string in_words(const CommandLine& line, const Hint& hint) {
  const std::string& value = hint.value;
  switch (hint.kind) {
    case Hint::choose_pictures:
      return "; --include chooses among its pictures";
    case Hint::exclude:
      if (line.resume) return "";
      return fmt::format("; --exclude '{}' leaves {} out", value,
                         value.starts_with('*') ? "such files" : "it");
    case Hint::follow_links:
      return ", or turn what links lead to with --follow";
    case Hint::say_base:
      return "; say with --base which part of the path to leave out";
    case Hint::turn_raw_tag:
      return "; --raw --tag-only changes the orientation tag of camera raw files";

    case Hint::break_links:
      return "; --break-links turns the named ones only";
    case Hint::choose_other_output:
      return "; choose another";
    case Hint::into_output:
      return " with -o";
    case Hint::replace:
      return fmt::format("; use --overwrite, or remove {}", value);
    case Hint::replace_or_skip:
      return line.shard ? "; remove it, or choose another output"
                        : "; use --overwrite, --skip-existing or --update, or another output";
    case Hint::work_in_place:
      return "; use --in-place, or another output";

    case Hint::finish_journal:
      return fmt::format("; finish it with --resume, or remove {} to forget it", value);
    case Hint::forget_journal:
      return ", and when all others are done, --restart forgets the journal";
    case Hint::resume_and_replace:
      return line.shard ? "" : ", or use --resume --overwrite";
    case Hint::resume_or_replace:
      return fmt::format(
          "; use --resume to go on with the run that was interrupted, --overwrite, or remove {}",
          value);
    case Hint::resume_or_replace_or_skip:
      return "; use --resume to go on with the run that was interrupted, --overwrite, "
             "--skip-existing or --update, or another output";
    case Hint::resume_or_restart:
      return "; --resume does only the rest, --restart does everything again";
    case Hint::resume_others:
      return "; --resume the other inputs without it";
    case Hint::restart_all:
      return ", and then --restart turns all of them";

    case Hint::finish_plain_run:
      return "; finish that with --resume and without --shard, or choose another output";
    case Hint::merge_first:
      return fmt::format("; 'qturn merge {}' first", value);
    case Hint::merge_or_choose_other_output:
      return fmt::format("; merge them with 'qturn merge {}', or choose another output", value);
    case Hint::resume_shard:
      return "; use --resume";
    case Hint::resume_shard_after_that:
      return ", and run the shard again with --resume";
    case Hint::resume_shard_or_choose_other_output:
      return "; use --resume to go on with a shard that was interrupted, or another output";
    case Hint::resume_these_shards:
      return fmt::format("; run {} again with --resume", value);
    case Hint::run_shards:
      return "; run them with --shard";

    case Hint::believe:
      return "; --believe exif turns it as it says itself, --believe sidecar as the file beside it "
             "says";
    case Hint::choose_label_folder:
      return fmt::format(", and --labels {}:DIR those below one folder", value);
    case Hint::choose_label_format:
      if (value == "voc:0")
        return "; --labels voc:0 turns a set that counts from 0, --labels voc one that counts from "
               "1";
      if (value == "huggingface:voc")
        return "; --labels huggingface:voc reads them as x1, y1, x2, y2, --labels huggingface:FILE "
               "as x, y, width and height";
      return fmt::format("; --labels {} chooses those of one format", value);
    case Hint::correct_labels:
      return line.resume ? "; correct that, then --resume again" : "";
    case Hint::draw_labels:
      return "; --html draws it";
    case Hint::leave_out_swap_pairs:
      return "; leave out --swap-pairs";
    case Hint::move_pixels:
      return "; leave out --tag-only, and use --jpeg-edges reencode instead of tag, which is the "
             "default in place";
    case Hint::say_keypoints:
      return "; give --keypoints none, or their number as in --keypoints 17x3";
    case Hint::say_labels_drawn_on:
      return "; say so with --labels-drawn-on " + (value.empty() ? "stored or upright" : value);
    case Hint::say_number_of_keypoints:
      return "; give their number as in --keypoints 17x3";
    case Hint::say_swapped_keypoints:
      return "; say with --swap-pairs which keypoints a mirror swaps, or use --variants rotations";
    case Hint::turn_sidecars:
      return "; --sidecars turns both";
    case Hint::turn_without_masks:
      return "; --masks none treats masks as ordinary pictures";
    case Hint::turn_without_sidecars:
      return "; without --sidecars the picture alone is turned";

    case Hint::allow_stale_metadata:
      return "; --allow-stale-metadata permits that, -o keeps the original";
    case Hint::allow_storage_change:
      return "; --allow-storage-change permits that";
    case Hint::believe_exif:
      return "; --believe exif turns it as Exif says";
    case Hint::be_less_strict:
      return " (--strict)";
    case Hint::keep_edges:
      return "; leave out --jpeg-edges trim";
    case Hint::keep_edges_lossless:
      return "; --jpeg-edges trim or tag avoids that";
    case Hint::keep_original:
      return "; use -o";
    case Hint::keep_original_and_allow_storage_change:
      return "; use -o with --allow-storage-change";

    case Hint::less_memory:
      return "; a smaller --memory or -j may help";
    case Hint::more_memory:
      return value.empty() ? "; a larger --memory permits that"
                           : fmt::format("; --memory {} permits that", value);
    case Hint::raise_limit:
      return fmt::format("; --limit {} permits that", value);
  }
  return "";
}

}  // namespace

std::string in_words(const CommandLine& line, const Hints& hints) {
  std::string words;
  for (const Hint& hint : hints) words += in_words(line, hint);
  return words;
}

// "; use -o" is advice, " (--strict)" ends the sentence, ", and ..." goes on with either.
Advice advice(const CommandLine& line, const Sentence& message) {
  Advice advice{message.text, {}};
  for (const Hint& hint : message.hints) {
    const std::string words = in_words(line, hint);
    const bool is_advice =
        words.starts_with(';') || (words.starts_with(',') && !advice.hint.empty());
    (is_advice ? advice.hint : advice.text) += words;
  }
  if (!advice.hint.empty()) advice.hint.erase(0, 2);
  return advice;
}

std::string in_words(const CommandLine& line, const Sentence& message) {
  return message.text + in_words(line, message.hints);
}

Outcome in_words(const CommandLine& line, Outcome outcome) {
  outcome.message += in_words(line, std::exchange(outcome.hints, {}));
  for (Sentence& warning : outcome.warnings) warning = in_words(line, warning);
  return outcome;
}

}  // namespace qturn
