#include <qturn/transform.hpp>

#include <catch2/catch_test_macros.hpp>

#include <catch2/generators/catch_generators.hpp>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/pictures.hpp"

namespace qturn::tests {
namespace {

std::vector<unsigned char> read(const std::string& name) {
  std::ifstream file(std::string(QTURN_TESTDATA "/golden/") + name, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Sample {
  const char* name;
  int bytes;
};

TEST_CASE("the CPU makes what another program makes, byte for byte") {
  const Sample sample = GENERATE(Sample{"u8", 1}, Sample{"u16", 2}, Sample{"f32", 4});
  const int channels = GENERATE(1, 3, 4);
  const std::string stem = std::string(sample.name) + "x" + std::to_string(channels) + "_";
  std::vector<unsigned char> source = read(stem + "source.raw");
  const Plan src{7, 5, sample.bytes * channels, {}};

  for (Orientation orientation : all_orientations) {
    const Size turned = turned_size(orientation, {src.width, src.height});
    const Plan dst{turned.width, turned.height, src.pixel_bytes, {}};
    const std::vector<unsigned char> wanted = read(stem + std::string(name(orientation)) + ".raw");
    std::vector<unsigned char> got(wanted.size(), 0xA5);
    REQUIRE(static_cast<std::int64_t>(wanted.size()) == dst.row_bytes() * dst.height);
    transform(src.view_in(source.data()), dst.view_in(got.data()), orientation);
    INFO(stem << name(orientation));
    CHECK(first_difference(dst, got, wanted) == "");
  }
}

}  // namespace
}  // namespace qturn::tests
