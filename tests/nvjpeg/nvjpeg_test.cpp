// JPEGs turned on a GPU, against the same turned on the CPU.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <thread>

#include "src/nvjpeg/device.hpp"
#include "src/run/device.hpp"
#include "tests/formats/jpeg_turns.hpp"
#include "tests/jpeg_pictures.hpp"

namespace {

using namespace qturn;
using namespace qturn::tests;

const std::atomic<bool> never{false};

/// The first GPU's; skips the case where there is none.
JpegDevice& device() {
  static SpareBytes spare(1 << 20, 16);
  static const std::unique_ptr<JpegDevice> only = [] {
    const Devices devices = find_devices();
    if (devices.cuda.empty()) SKIP("no CUDA device: " << devices.cuda_problem);
    const NvJpegStatus status = nvjpeg_status(0);
    if (!status.problem.empty()) SKIP(status.problem);
    return make_nvjpeg_device({0}, spare, never);
  }();
  return *only;
}

/// Empty if the device does not take it.
Bytes turn_there(const Bytes& file, Orientation orientation) {
  JpegTurn jpeg(file, by_planes);
  const auto request = jpeg.request(std::span(&orientation, 1));
  if (!request) return {};
  const auto made = device().turn(*request);
  if (!made) return {};
  std::vector<std::string> warnings;
  jpeg.accept(*request, *made, warnings);
  return jpeg.turn(orientation, never);
}

// Multiples of the 16 pixels of a block of 4:2:0, and sizes that cut a block on its way.
const Size sizes[] = {{640, 480}, {642, 480}, {650, 480}, {640, 486}, {642, 486}, {650, 486}};

bool is_whole_blocks(Size size) { return size.width % 16 == 0 && size.height % 16 == 0; }

// Where blocks are cut they are quantised again at other places, finely here, so that this hides
// nothing else.
JpegPicture picture_of(Size size) {
  return {.width = static_cast<int>(size.width),
          .height = static_cast<int>(size.height),
          .h = 2,
          .v = 2,
          .quality = is_whole_blocks(size) ? 90 : 98};
}

/// Y, Cb and Cr of each pixel.
std::vector<JSAMPLE> samples_of(const Bytes& file) {
  jpeg_error_mgr errors{};
  jpeg_decompress_struct info{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  jpeg_read_header(&info, TRUE);
  info.out_color_space = JCS_YCbCr;
  jpeg_start_decompress(&info);
  std::vector<JSAMPLE> samples(std::size_t{info.output_width} * info.output_height * 3);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = &samples[std::size_t{info.output_scanline} * info.output_width * 3];
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return samples;
}

/// In size, in the samples, and in the coefficients of luma where blocks stay in their places on
/// the way.
void check_nearly_the_same(const Bytes& file, const Bytes& turned) {
  const JpegInside before = look_inside(file), after = look_inside(turned);
  REQUIRE(after.width == before.width);
  REQUIRE(after.height == before.height);
  const std::vector<JSAMPLE> was = samples_of(file), is = samples_of(turned);
  std::int64_t sum = 0;
  int largest = 0;
  for (std::size_t i = 0; i < was.size(); ++i) {
    sum += std::abs(was[i] - is[i]);
    largest = std::max(largest, std::abs(was[i] - is[i]));
  }
  const double mean = static_cast<double>(sum) / static_cast<double>(was.size());
  CHECK(mean <= 1.5);
  CHECK(largest <= 12);
  if (!is_whole_blocks({before.width, before.height})) return;
  const CoefficientCount count = compare_coefficients(before, after, Orientation::identity, 0);
  CHECK(count.different * 50 <= count.total);
}

}  // namespace

TEST_CASE("Aligned pictures keep their coefficients on the GPU, except for rounding", "[gpu]") {
  const auto h = GENERATE(1, 2), v = GENERATE(1, 2);
  const auto optimised = GENERATE(false, true);
  const auto orientation = GENERATE(
      values({Orientation::flop, Orientation::rotate180, Orientation::flip, Orientation::transpose,
              Orientation::rotate90, Orientation::transverse, Orientation::rotate270}));
  CAPTURE(h, v, optimised, name(orientation));
  device();
  const Bytes file =
      make_jpeg({.width = 640, .height = 480, .h = h, .v = v, .optimised = optimised});
  const Bytes turned = turn_there(file, orientation);
  REQUIRE_FALSE(turned.empty());
  const JpegInside before = look_inside(file), after = look_inside(turned);
  CHECK(after.standard_huffman == before.standard_huffman);
  check_turned(before, after, orientation, 100);
}

TEST_CASE("Four quarter turns by planes bring a picture of any size back nearly unchanged") {
  const Size size = GENERATE(from_range(sizes));
  CAPTURE(size.width, size.height);
  const Bytes file = make_jpeg(picture_of(size));
  Bytes turned = file;
  for (int i = 0; i < 4; ++i) turned = turn(turned, Orientation::rotate90, by_planes);
  check_nearly_the_same(file, turned);
}

TEST_CASE("Four quarter turns on the GPU bring a picture of any size back nearly unchanged",
          "[gpu]") {
  const Size size = GENERATE(from_range(sizes));
  CAPTURE(size.width, size.height);
  device();
  const Bytes file = make_jpeg(picture_of(size));
  Bytes turned = file;
  for (int i = 0; i < 4; ++i) {
    turned = turn_there(turned, Orientation::rotate90);
    REQUIRE_FALSE(turned.empty());
  }
  check_nearly_the_same(file, turned);
}

TEST_CASE("Many pictures at a time come out as each does alone", "[gpu]") {
  device();
  std::vector<Bytes> files, alone;
  for (int i = 0; i < 40; ++i) {
    files.push_back(make_jpeg({.width = 640 + 16 * i,
                               .height = 480 + 2 * i,
                               .h = 1 + i % 2,
                               .v = 1 + i / 2 % 2,
                               .quality = 60 + i}));
    alone.push_back(turn_there(files.back(), Orientation::rotate90));
    REQUIRE_FALSE(alone.back().empty());
  }
  std::vector<Bytes> together(files.size());
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < files.size(); ++i) {
    threads.emplace_back([&, i] { together[i] = turn_there(files[i], Orientation::rotate90); });
  }
  threads.clear();
  for (std::size_t i = 0; i < files.size(); ++i) {
    INFO("picture " << i);
    CHECK(together[i] == alone[i]);
  }
}
