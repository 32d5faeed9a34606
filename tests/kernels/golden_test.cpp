// Against pictures that other programs turned: testdata/golden/README.md.
#include <qturn/cpu.hpp>
#include <qturn/planar.hpp>
#include <qturn/resize.hpp>

#include <zlib.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "kernels/src/cpu/paths.hpp"
#include "tests/fixtures/pictures.hpp"
#include "tests/fixtures/sources.hpp"

namespace qturn::tests::golden_test {
namespace {

std::ifstream open(const std::string& name) {
  std::ifstream file(sources() / "testdata/golden" / name, std::ios::binary);
  REQUIRE(file);
  return file;
}

std::vector<unsigned char> read(const std::string& name) {
  std::ifstream file = open(name);
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

TEST_CASE("every instruction set puts each of 67x45 pixels where another program puts it") {
  const int pixel_bytes =
      GENERATE(1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 17, 24, 31, 32, 33, 48, 64, 255, 256);
  const Plan src{67, 45, pixel_bytes, {}};
  std::vector<unsigned char> source = random_bytes(src.row_bytes() * src.height, 1);
  for (const Orientation orientation : all_orientations) {
    const Size turned = turned_size(orientation, {src.width, src.height});
    const Plan dst{turned.width, turned.height, pixel_bytes, {}};
    const std::vector<unsigned char> index =
        read("index_67x45_" + std::string(name(orientation)) + ".raw");
    REQUIRE(index.size() == 67 * 45 * 2);
    std::vector<unsigned char> wanted(source.size());
    for (std::size_t to = 0; to < 67 * 45; ++to) {
      const std::size_t from = index[2 * to] + 256u * index[2 * to + 1];
      const auto bytes = static_cast<std::size_t>(pixel_bytes);
      std::memcpy(&wanted[to * bytes], &source[from * bytes], bytes);
    }
    for (const CpuPath& path : cpu_paths()) {
      for (const Store store : {Store::through_caches, Store::past_caches}) {
        std::vector<unsigned char> got(source.size(), 0xA5);
        path.move(reduce(src.view_in(source.data()), dst.view_in(got.data()), orientation), store);
        INFO(path.name << ", " << name(orientation));
        CHECK(first_difference(dst, got, wanted) == "");
      }
    }
    std::vector<unsigned char> got(source.size(), 0xA5);
    transform(src.view_in(source.data()), dst.view_in(got.data()), orientation);
    CHECK(first_difference(dst, got, wanted) == "");
  }
}

TEST_CASE("a picture that no cache holds has the checksum of what another program makes of it") {
  const int pixel_bytes = GENERATE(1, 2, 3, 4, 6, 8);
  const Plan src{4099, 3067, pixel_bytes, {}};
  const std::vector<unsigned char> some = random_bytes(1'000'003, 1);
  std::vector<unsigned char> source;
  const auto bytes = static_cast<std::size_t>(src.row_bytes() * src.height);
  while (source.size() < bytes) source.insert(source.end(), some.begin(), some.end());
  source.resize(bytes);

  std::map<std::string, std::string> wanted;
  std::ifstream file = open("4099x3067.crc32");
  int size = 0;
  for (std::string orientation, sum; file >> size >> orientation >> sum;) {
    if (size == pixel_bytes) wanted[orientation] = sum;
  }
  std::vector<unsigned char> got(bytes);
  for (const Orientation orientation : all_orientations) {
    const Size turned = turned_size(orientation, {src.width, src.height});
    const Plan dst{turned.width, turned.height, pixel_bytes, {}};
    transform(src.view_in(source.data()), dst.view_in(got.data()), orientation);
    const uLong sum = crc32(0, got.data(), static_cast<uInt>(got.size()));
    const unsigned char digits[] = {
        static_cast<unsigned char>(sum >> 24), static_cast<unsigned char>(sum >> 16),
        static_cast<unsigned char>(sum >> 8), static_cast<unsigned char>(sum)};
    INFO(name(orientation) << " of pixels of " << pixel_bytes << " bytes");
    CHECK(hex(digits, 4) == wanted[std::string(name(orientation))]);
  }
}

TEST_CASE("the CPU resizes as Pillow does, byte for byte, in both orders of the passes") {
  const auto [file, order] = GENERATE(std::pair("resize-pillow-12.3.0.txt", PassOrder::pillow12),
                                      std::pair("resize-pillow-13.0.0.txt", PassOrder::pillow13));
  const std::map<std::string, ResizeFilter> filters{{"nearest", ResizeFilter::nearest},
                                                    {"bilinear", ResizeFilter::bilinear},
                                                    {"bicubic", ResizeFilter::bicubic}};
  const std::vector<unsigned char> pixels = new_random_bytes(400 * 400 * 3, 1);
  std::ifstream rows = open(file);
  std::string row;
  std::getline(rows, row);  // says what made them
  int count = 0;
  for (; std::getline(rows, row); ++count) {
    std::istringstream in(row);
    std::int64_t width = 0;
    std::int64_t height = 0;
    int channels = 0;
    Box box;
    Size size{};
    std::string filter;
    std::uint32_t crc = 0;
    in >> width >> height >> channels >> box.left >> box.top >> box.right >> box.bottom >>
        size.width >> size.height >> filter >> std::hex >> crc;
    REQUIRE(in);
    const std::int64_t plane = size.width * size.height;
    std::vector<float> planes(static_cast<std::size_t>(plane * channels));
    PlanarFormat format;
    format.planes = channels;
    resize_to_planar({{pixels.data(), width, height, width * channels, channels},
                      box,
                      {planes.data(), size.width, size.height, size.width * 4, plane * 4}},
                     {filters.at(filter), order}, format);
    std::vector<unsigned char> resized;
    for (std::int64_t i = 0; i < plane; ++i)
      for (std::int64_t c = 0; c < channels; ++c)
        resized.push_back(
            static_cast<unsigned char>(planes[static_cast<std::size_t>(c * plane + i)]));
    INFO(file << ": " << row);
    CHECK(crc32(0, resized.data(), static_cast<uInt>(resized.size())) == crc);
  }
  CHECK(count == 900);
}

}  // namespace
}  // namespace qturn::tests::golden_test
