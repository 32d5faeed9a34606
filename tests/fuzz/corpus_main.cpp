// Runs a fuzzer's target once for each file of a folder, without libFuzzer: every build checks that
// the fuzzers still build, and that what they begin with is handled.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/fuzz/target.hpp"

int main(int argc, char** argv) {
  const auto* target = argc == 3 ? qturn::fuzz::find_target(argv[1]) : nullptr;
  if (!target) {
    std::fprintf(stderr, "usage: %s TARGET FOLDER\n", argv[0]);
    return 2;
  }
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argv[2])) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::vector<char> bytes(std::istreambuf_iterator<char>(in), {});
    std::printf("%s\n", entry.path().filename().c_str());
    std::fflush(stdout);  // the last line names the file if this ends here
    target->run(std::as_bytes(std::span(bytes)));
    ++files;
  }
  return files > 0 ? 0 : 1;
}
