// Why a picture was not read or written, and what would help.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <qturn/orientation.hpp>
#include <qturn/pictures.hpp>  // ImageFileError

namespace qturn {

// What would help: the part of a message that depends on who reads it.
//
// src/ says what is wrong, in a sentence that names no option. Hints go with it, as values. Whoever
// talks to the user puts them into words: tools/qturn/hints.cpp for the command line,
// plugins/python/hints.cpp for Python.

struct Hint {
  enum Kind : std::uint8_t {
    // Inputs
    choose_pictures,  ///< in a folder
    exclude,          ///< files of the pattern `value`
    follow_links,     ///< or write into a folder
    say_base,         ///< of listed files
    turn_raw_tag,     ///< of camera raw files
    // Outputs
    break_links,
    choose_other_output,
    into_output,  ///< after "write them into a folder"
    replace,
    replace_or_skip,
    work_in_place,
    // Runs that were interrupted
    finish_run,
    finish_journal,  ///< the run's own, or remove the file `value`
    forget_journal,
    resume_or_replace_or_skip,
    resume_or_replace,
    resume_and_replace,
    resume_or_restart,
    resume_others,
    restart_all,
    // Shards
    finish_plain_run,
    merge_first,  ///< the shards in the folder `value`
    merge_or_choose_other_output,
    resume_shard,
    resume_shard_after_that,
    resume_shard_or_choose_other_output,
    resume_these_shards,
    run_shards,
    // Labels, masks and sidecars
    believe,              ///< the picture or its sidecar
    choose_label_folder,  ///< of the label format `value`
    choose_label_format,  ///< `value`
    correct_labels,       ///< in a run that resumes, which must go on as it began
    draw_labels,
    leave_out_swap_pairs,
    name_shared_labels,  ///< `value`: the format and the file
    move_pixels,         ///< instead of a tag
    say_keypoints,
    say_labels_drawn_on,  ///< `value`, if it is known
    say_number_of_keypoints,
    say_swapped_keypoints,
    turn_sidecars,
    turn_without_masks,
    turn_without_sidecars,
    // What is turned, and how
    allow_stale_metadata,
    allow_storage_change,
    believe_exif,
    be_less_strict,  ///< the run fails for what others only warn of
    keep_edges,
    keep_edges_lossless,  ///< what was re-encoded
    keep_original,        ///< and write another file
    keep_original_and_allow_storage_change,
    // Limits
    less_memory,
    more_memory,  ///< `value`, if it is known
    raise_limit,  ///< `value`: "pixels=1000"
  };

  Hint(Kind of_kind, std::string with_value = {}) : kind(of_kind), value(std::move(with_value)) {}
  bool operator==(const Hint&) const = default;

  Kind kind;
  std::string value;
};

using Hints = std::vector<Hint>;

/// A sentence, or the beginning of one that hints end.
struct Sentence {
  Sentence(std::string sentence = {}, Hints of_it = {})
      : text(std::move(sentence)), hints(std::move(of_it)) {}
  bool operator==(const Sentence&) const = default;

  std::string text;
  Hints hints;
};

/// What an exception is, besides an exception.
class Hinted {
 public:
  explicit Hinted(Hints hints) : hints_(std::move(hints)) {}

  const Hints& hints() const { return hints_; }

 private:
  Hints hints_;
};

/// An `Error` with hints.
template <typename Error>
class WithHints : public Error, public Hinted {
 public:
  template <typename... Arguments>
  explicit WithHints(Hints hints, Arguments&&... arguments)
      : Error(std::forward<Arguments>(arguments)...), Hinted(std::move(hints)) {}
};

/// None if the error has none.
inline Hints hints_of(const std::exception& error) {
  const auto* hinted = dynamic_cast<const Hinted*>(&error);
  return hinted ? hinted->hints() : Hints();
}

/// The caller's stop flag was raised while a picture was read or written.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// A result was read again, and does not hold what was to be made of its original. The message has
/// both: what was expected, and what was found.
class ProofError : public ImageFileError {
 public:
  using ImageFileError::ImageFileError;
};

/// The first orientation for which `proves` does not throw ProofError; else throws ProofError with
/// identity's reason. Common turns come first.
template <typename Proves>
Orientation first_that_holds(Proves proves) {
  using enum Orientation;
  std::optional<ProofError> first;
  for (const Orientation each :
       {identity, rotate90, rotate270, rotate180, flop, flip, transpose, transverse}) {
    try {
      proves(each);
      return each;
    } catch (const ProofError& error) {
      if (!first) first = error;
    }
  }
  throw ProofError(std::string("in none of the eight orientations is it the original; as it is, ") +
                   first->what());
}

}  // namespace qturn
