// libFuzzer's side of the targets: which one runs, and how its input changes.
#include <algorithm>
#include <filesystem>

#include "tests/fuzz/structure_mutator.hpp"
#include "tests/fuzz/target.hpp"

using namespace qturn::fuzz;

namespace {
const Target* target = nullptr;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" int LLVMFuzzerInitialize(int* /*count*/, char*** words) {
  constexpr std::string_view ending = "_fuzz";
  const std::string name = std::filesystem::path((*words)[0]).filename();
  if (name.ends_with(ending)) target = find_target(name.substr(0, name.size() - ending.size()));
  if (target) return 0;
  std::fprintf(stderr, "%s: call it by the name of a target, such as jpeg_fuzz\n", (*words)[0]);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  target->run(std::as_bytes(std::span(data, size)));
  return 0;
}

// Every other time what libFuzzer does by itself.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  if (seed % 2 == 0 && size > target->file_at) {
    const auto file = std::as_bytes(std::span(data, size)).subspan(target->file_at);
    const qturn::Bytes made = mutated_structure(file, seed / 2, LLVMFuzzerMutate);
    if (!made.empty() && made.size() <= most - target->file_at) {
      std::ranges::copy(made, reinterpret_cast<std::byte*>(data) + target->file_at);
      return target->file_at + made.size();
    }
  }
  return LLVMFuzzerMutate(data, size, most);
}
