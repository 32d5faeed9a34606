#include "tools/qturn/hints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

namespace qturn {
namespace {

enum class When : std::uint8_t { always, resumes, has_shard, has_value, is_pattern };

/// The words for a hint of this kind. If a kind has several rows, the first whose condition holds
/// counts.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): a row is read in this order
struct Row {
  Hint::Kind kind;
  std::string_view words;  ///< {} is the hint's value
  When when = When::always;
  std::string_view value = {};  ///< the hint's value must be this; empty: any
};

constexpr Row rows[] = {
    {Hint::choose_pictures, "; --include chooses among its pictures"},
    {Hint::exclude, "", When::resumes},
    {Hint::exclude, "; --exclude '{}' leaves such files out", When::is_pattern},
    {Hint::exclude, "; --exclude '{}' leaves it out"},
    {Hint::follow_links, ", or turn what links lead to with --follow"},
    {Hint::say_base, "; say with --base which part of the path to leave out"},
    {Hint::turn_raw_tag, "; --raw --tag-only changes the orientation tag of camera raw files"},

    {Hint::break_links, "; --break-links turns the named ones only"},
    {Hint::choose_other_output, "; choose another"},
    {Hint::into_output, " with -o"},
    {Hint::replace, "; use --overwrite, or remove {}"},
    {Hint::replace_or_skip, "; remove it, or choose another output", When::has_shard},
    {Hint::replace_or_skip, "; use --overwrite, --skip-existing or --update, or another output"},
    {Hint::work_in_place, "; use --in-place, or another output"},

    {Hint::finish_run, "; finish it with --resume"},
    {Hint::finish_journal, "; finish it with --resume, or remove {} to forget it"},
    {Hint::forget_journal, ", and when all others are done, --restart forgets the journal"},
    {Hint::resume_and_replace, "", When::has_shard},
    {Hint::resume_and_replace, ", or use --resume --overwrite"},
    {Hint::resume_or_replace,
     "; use --resume to go on with the run that was interrupted, --overwrite, or remove {}"},
    {Hint::resume_or_replace_or_skip,
     "; use --resume to go on with the run that was interrupted, --overwrite, --skip-existing or "
     "--update, or another output"},
    {Hint::resume_or_restart, "; --resume does only the rest, --restart does everything again"},
    {Hint::resume_others, "; --resume the other inputs without it"},
    {Hint::restart_all, ", and then --restart turns all of them"},

    {Hint::finish_plain_run,
     "; finish that with --resume and without --shard, or choose another output"},
    {Hint::merge_first, "; 'qturn merge {}' first"},
    {Hint::merge_or_choose_other_output,
     "; merge them with 'qturn merge {}', or choose another output"},
    {Hint::resume_shard, "; use --resume"},
    {Hint::resume_shard_after_that, ", and run the shard again with --resume"},
    {Hint::resume_shard_or_choose_other_output,
     "; use --resume to go on with a shard that was interrupted, or another output"},
    {Hint::resume_these_shards, "; run {} again with --resume"},
    {Hint::run_shards, "; run them with --shard"},

    {Hint::believe,
     "; --believe exif turns it as it says itself, --believe sidecar as the file beside it says"},
    {Hint::choose_label_folder, ", and --labels {}:DIR those below one folder"},
    {Hint::choose_label_format,
     "; --labels voc:0 turns a set that counts from 0, --labels voc one that counts from 1",
     When::always, "voc:0"},
    {Hint::choose_label_format,
     "; --labels huggingface:voc reads them as x1, y1, x2, y2, --labels huggingface:FILE as x, y, "
     "width and height",
     When::always, "huggingface:voc"},
    {Hint::choose_label_format, "; --labels {} chooses those of one format"},
    {Hint::correct_labels, "; correct that, then --resume again", When::resumes},
    {Hint::correct_labels, ""},
    {Hint::draw_labels, "; --html draws it"},
    {Hint::name_shared_labels, "; --labels {} turns them"},
    {Hint::leave_out_swap_pairs, "; leave out --swap-pairs"},
    {Hint::move_pixels,
     "; leave out --tag-only, and use --jpeg-edges reencode instead of tag, which is the default "
     "in place"},
    {Hint::say_keypoints, "; give --keypoints none, or their number as in --keypoints 17x3"},
    {Hint::say_labels_drawn_on, "; say so with --labels-drawn-on {}", When::has_value},
    {Hint::say_labels_drawn_on, "; say so with --labels-drawn-on stored or upright"},
    {Hint::say_number_of_keypoints, "; give their number as in --keypoints 17x3"},
    {Hint::say_swapped_keypoints,
     "; say with --swap-pairs which keypoints a mirror swaps, or use --variants rotations"},
    {Hint::turn_sidecars, "; --sidecars turns both"},
    {Hint::turn_without_masks, "; --masks none treats masks as ordinary pictures"},
    {Hint::turn_without_sidecars, "; without --sidecars the picture alone is turned"},

    {Hint::allow_stale_metadata, "; --allow-stale-metadata permits that, -o keeps the original"},
    {Hint::allow_storage_change, "; --allow-storage-change permits that"},
    {Hint::believe_exif, "; --believe exif turns it as Exif says"},
    {Hint::be_less_strict, " (--strict)"},
    {Hint::keep_edges, "; leave out --jpeg-edges trim"},
    {Hint::keep_edges_lossless, "; --jpeg-edges trim or tag avoids that"},
    {Hint::keep_original, "; use -o"},
    {Hint::keep_original_and_allow_storage_change, "; use -o with --allow-storage-change"},

    {Hint::less_memory, "; a smaller --memory or -j may help"},
    {Hint::more_memory, "; --memory {} permits that", When::has_value},
    {Hint::more_memory, "; a larger --memory permits that"},
    {Hint::raise_limit, "; --limit {} permits that"},
};

constexpr bool every_kind_has_words() {
  for (int kind = 0; kind <= Hint::raise_limit; ++kind)
    if (std::ranges::find(rows, static_cast<Hint::Kind>(kind), &Row::kind) == std::end(rows))
      return false;
  return true;
}
static_assert(every_kind_has_words());

bool holds(When when, const CommandLine& line, std::string_view value) {
  return when == When::always || (when == When::resumes && line.resume) ||
         (when == When::has_shard && line.shard) || (when == When::has_value && !value.empty()) ||
         (when == When::is_pattern && value.starts_with('*'));
}

std::string in_words(const CommandLine& line, const Hint& hint) {
  for (const Row& row : rows)
    if (row.kind == hint.kind && (row.value.empty() || row.value == hint.value) &&
        holds(row.when, line, hint.value))
      return fmt::format(fmt::runtime(row.words), hint.value);
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
