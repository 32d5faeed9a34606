// Makes values of the words of a command line. The caller needs no CLI11.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tools/qturn/command_line.hpp"

namespace qturn {

/// What is wrong with a command line, as a sentence.
class CommandLineError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Fills `line` from the words after the program's name. Returns the exit status if the words only
/// ask for help or the version, which are printed then. Throws CommandLineError.
std::optional<int> parse(const std::vector<std::string>& words, CommandLine& line);

/// The words of `argv`, in the form that parse() takes them.
std::vector<std::string> words_of(int argc, char** argv);

}  // namespace qturn
