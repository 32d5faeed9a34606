// Makes values of the words of a command line. No other file of the program includes CLI11.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "tools/qturn/command_line.hpp"

namespace qturn {

/// What is wrong with a command line, as a sentence.
class CommandLineError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Fills `line` from the words after the program's name. Returns the help or the version if that is
/// what they ask for, to be printed instead of a run. Throws CommandLineError.
std::string parse(std::vector<std::string> words, CommandLine& line);

}  // namespace qturn
