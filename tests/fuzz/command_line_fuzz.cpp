// Random command lines and lists of files: each is understood or refused, and nothing else is
// thrown. The words of the command line, and the names of the list, are lines.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "src/plan/find_files.hpp"
#include "src/plan/variants.hpp"
#include "tools/qturn/parser.hpp"

namespace {

using namespace qturn;

void parse(std::vector<std::string> words) {
  CommandLine line;
  const auto parser = make_parser(line);
  try {
    parser->parse(std::move(words));
  } catch (const CLI::Success&) {
    parser->help();
    return;
  } catch (const CLI::ParseError&) {
    return;
  }
  if (line.threads < 0 || line.threads > 1024) std::abort();
  if (!line.variants.empty() && parse_variants(line.variants).empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::istringstream lines(text), list(text);
  std::vector<std::string> words;
  for (std::string word; std::getline(lines, word);) words.insert(words.begin(), word);
  parse(std::move(words));  // the last one comes first, as CLI11 wants them
  read_file_list(list, size % 2 == 0);
  return 0;
}
