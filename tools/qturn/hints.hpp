// What the user can type if something is refused or went wrong. src/ says that, and gives hints.
#pragma once

#include <string>

#include "src/picture/errors.hpp"
#include "src/run/outcome.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// The end of a sentence: "; use --in-place, or another output". A run that resumes another one is
/// not advised to use other options, because the first one has turned some pictures with their
/// labels.
std::string in_words(const CommandLine& line, const Hints& hints);

/// Two lines: one says what is wrong, the other what can be typed.
struct Advice {
  std::string text, hint;
};

Advice advice(const CommandLine& line, const Sentence& message);

/// The sentence with its hints.
std::string in_words(const CommandLine& line, const Sentence& message);

/// The outcome without hints: its message and its warnings have them in words.
Outcome in_words(const CommandLine& line, Outcome outcome);

}  // namespace qturn
