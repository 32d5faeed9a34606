#include "src/labels/run_lengths.hpp"

#include <catch2/catch_test_macros.hpp>

#include <random>

#include "tests/labels/painted.hpp"

namespace run_lengths_test {

using qturn::code_of_runs;
using qturn::RunLengths;
using qturn::runs_of_code;
using qturn::Size;

namespace {

Canvas painted(const RunLengths& runs, Size size) {
  Canvas canvas(size);
  std::int64_t at = 0;
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::uint32_t k = 0; k < runs[i]; ++k, ++at)
      if (i % 2 == 1) canvas.at({at / size.height, at % size.height}) = '#';
  return canvas;
}

/// Of random pixels, as pycocotools would write them.
RunLengths random_runs(Size size, std::minstd_rand& random) {
  RunLengths runs = {0};
  bool value = false;
  for (std::int64_t i = 0; i < size.width * size.height; ++i) {
    if ((random() % 4 == 0) != value) {
      value = !value;
      runs.push_back(0);
    }
    ++runs.back();
  }
  return runs;
}

}  // namespace

TEST_CASE("Turned runs painted are the painted runs turned, and come back") {
  std::minstd_rand random(1);
  for (const Size size : {Size{1, 1}, {7, 5}, {5, 7}, {1, 9}, {33, 31}, {64, 3}, {0, 4}}) {
    const RunLengths runs = size.width == 0 ? RunLengths{} : random_runs(size, random);
    CHECK(qturn::fill(runs, size));
    for (const qturn::Orientation orientation : qturn::all_orientations) {
      CAPTURE(size.width, size.height, name(orientation));
      const RunLengths result = turned_runs(runs, size, orientation);
      const Size after = qturn::turned_size(orientation, size);
      CHECK(painted(result, after).pixels == turned(painted(runs, size), orientation).pixels);
      CHECK(turned_runs(result, after, inverse(orientation)) == runs);
    }
  }
}

TEST_CASE("Runs have the code that pycocotools gives them") {
  // From pycocotools 2.0.
  const std::pair<RunLengths, const char*> codes[] = {
      {{}, ""},
      {{35}, "S1"},
      {{0, 35}, "0S1"},
      {{6, 3, 2, 3, 21}, "6320c0"},
      {{0, 1, 31, 32, 1000, 100000, 5}, "01o0o0Yn0PdQ3mPO"},
      {{10, 1, 20, 3, 1, 2, 1, 1, 30}, ":1d02]OO0Om0"},
  };
  for (const auto& [runs, code] : codes) {
    CHECK(code_of_runs(runs) == code);
    CHECK(runs_of_code(code) == runs);
  }
  const RunLengths long_runs = {4294967295, 0, 1, 4294967295, 2};
  CHECK(runs_of_code(code_of_runs(long_runs)) == long_runs);
}

TEST_CASE("What is not a code of runs is not read") {
  for (const std::string code : {"/", "p", "0p", "P", "6@", "ooooooooo", "\xff", " "}) {
    CAPTURE(code);
    CHECK_FALSE(runs_of_code(code));
  }
  CHECK_FALSE(qturn::fill({34}, {7, 5}));
  CHECK_FALSE(qturn::fill({4294967295, 4294967295}, {1, 1}));
  CHECK_FALSE(qturn::fill({}, {-1, 0}));
}

}  // namespace run_lengths_test
