// Random command lines and lists of files: each is understood or refused, and nothing else is
// thrown. The words of the command line, and the names of the list, are lines.
#include <sstream>
#include <string>
#include <vector>

#include "src/plan/find_files.hpp"
#include "src/plan/variants.hpp"
#include "tests/fuzz/target.hpp"
#include "tools/qturn/parser.hpp"

namespace qturn {
namespace {

void parse(std::vector<std::string> words) {
  // A parser takes longer to make than to run.
  static CommandLine line;
  static const auto parser = make_parser(line);
  static const CommandLine unread = line;
  line = unread;
  try {
    parser->parse(std::move(words));
  } catch (const CLI::Success&) {
    parser->help();
    return;
  } catch (const CLI::ParseError&) {
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
  for (std::string word; std::getline(lines, word);) words.insert(words.begin(), word);
  parse(std::move(words));  // the last one comes first, as CLI11 wants them
  read_file_list(list, input.size() % 2 == 0);
}

}  // namespace qturn
