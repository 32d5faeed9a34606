// Random command lines and lists of files: each is understood or refused, and nothing else is
// thrown. The words of the command line, and the names of the list, are lines.
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "src/inputs/find_files.hpp"
#include "src/inputs/variants.hpp"
#include "tests/fuzz/target.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {
namespace {

void understand(std::vector<std::string> words) {
  CommandLine line;
  try {
    if (!parse(std::move(words), line).empty()) return;
  } catch (const CommandLineError&) {
    return;
  }
  fuzz::require(line.threads >= 0 && line.threads <= 1024);
  fuzz::require(line.variants.empty() || !parse_variants(line.variants).empty());
}

}  // namespace

void fuzz::fuzz_command_line(Input input) {
  const std::string text(text_of(input));
  std::istringstream lines(text), list(text);
  std::vector<std::string> words;
  for (std::string word; std::getline(lines, word);) words.push_back(word);
  understand(std::move(words));
  read_file_list(list, input.size() % 2 == 0);
}

}  // namespace qturn
