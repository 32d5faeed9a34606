#include <qturn/cuda.hpp>
#include <qturn/planar.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <string>
#include <vector>

#include "tests/kernels/device_pictures.hpp"
#include "tests/kernels/planar_pictures.hpp"

namespace qturn::tests::cuda_from_planar_test {
namespace {

using Catch::Matchers::Message;

struct PlanesTurn {
  using Image = InterleavedImage;

  int planes;
  int bytes;
  Size size;
  Orientation orientation;
  Layout src_layout;
  std::int64_t plane_padding;
  Layout dst_layout;

  PlanarPlan src() const {
    return {size.width, size.height, planes, bytes, src_layout, plane_padding};
  }
  Plan dst() const {
    const Size turned = turned_size(orientation, size);
    return {turned.width, turned.height, planes * bytes, dst_layout};
  }
  std::vector<std::int64_t> src_bytes() const { return {src().buffer_bytes()}; }
  std::vector<std::int64_t> dst_bytes() const { return {dst().buffer_bytes()}; }
  Image image(const std::vector<void*>& from, const std::vector<void*>& to) const {
    return {src().view_in(from[0]), dst().view_in(to[0]), orientation};
  }
  void on_cpu(const Image& image) const {
    from_planar(image.src, planes, image.dst, image.orientation);
  }
  std::string difference(std::size_t, const std::vector<unsigned char>& got,
                         const std::vector<unsigned char>& wanted) const {
    const std::string where = first_difference(dst(), got, wanted);
    if (where.empty()) return {};
    const Plan plane{size.width, size.height, bytes, src_layout};
    return std::to_string(planes) + " planes, " + describe(plane, dst(), orientation) + ": " +
           where;
  }
};

void require_equal_to_cpu(const std::vector<PlanesTurn>& turns, Stream& stream) {
  require_equal_to_cpu(turns, stream, [&](const std::vector<InterleavedImage>& images) {
    from_planar_batch(images.data(), images.size(), turns.front().planes, stream);
  });
}

void add_all(std::vector<PlanesTurn>& turns, int planes, int bytes, Size size) {
  for (const Orientation orientation : all_orientations) {
    const auto add = [&](Layout src, std::int64_t padding, Layout dst) {
      turns.push_back({planes, bytes, size, orientation, src, padding, dst});
    };
    add({}, 0, {});
    add({bytes, 3 * bytes}, bytes, {to_16(turned_size(orientation, size).width * bytes), 16});
    add({3 * bytes, bytes, true}, 5 * bytes, {bytes, 3 * bytes, true});
  }
}

TEST_CASE("planes of all kinds, orientations, sizes and layouts become the CPU's pixels",
          "[gpu][sanitizer]") {
  Stream stream;
  const int planes = GENERATE(1, 2, 3, 4);
  const int bytes = GENERATE(1, 2, 4);
  std::vector<PlanesTurn> turns;
  for (const Size size :
       {Size{1, 1}, Size{3, 7}, Size{32, 32}, Size{33, 31}, Size{64, 95}, Size{131, 70}}) {
    add_all(turns, planes, bytes, size);
  }
  ThinPictures thin;
  for (int i = 0; i < 100; ++i) {
    const Layout src = thin.layout({bytes, 16});
    const Layout dst = thin.layout({bytes, planes * bytes});
    turns.push_back({planes, bytes, thin.size(), thin.orientation(), src, src.padding, dst});
  }
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("more planes than a launch holds, and empty ones, all become pixels", "[gpu]") {
  Stream stream;
  std::vector<PlanesTurn> turns;
  for (int i = 0; i < 903; ++i) {
    turns.push_back(
        {3, 1, {i % 7, 5}, all_orientations[static_cast<std::size_t>(i % 8)], {}, 0, {}});
  }
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("captured planes become pixels again at every replay", "[gpu]") {
  Stream stream;
  std::vector<PlanesTurn> turns;
  add_all(turns, 3, 2, {50, 34});
  check_replays(turns, stream, [&](const std::vector<InterleavedImage>& images) {
    from_planar_batch(images.data(), images.size(), 3, stream);
  });
}

unsigned char memory[256];

TEST_CASE("no planes at all need no GPU") {
  const InterleavedImage empty{{nullptr, 0, 5, 0, 0}, {nullptr, 5, 0, 0, 3}, Orientation::rotate90};
  CHECK_NOTHROW(from_planar_batch(nullptr, 0, 3, nullptr));
  CHECK_NOTHROW(from_planar_batch(&empty, 1, 3, nullptr));
}

TEST_CASE("planes that the CPU refuses are refused by the image's index, and without a GPU all") {
  const InterleavedImage image{
      {memory, 4, 3, 4, 12}, {memory + 64, 4, 3, 12, 3}, Orientation::flop};
  InterleavedImage images[2] = {image, image};
  images[1].orientation = Orientation::rotate90;
  CHECK_THROWS_MATCHES(from_planar_batch(images, 2, 3, nullptr), std::invalid_argument,
                       Message("image 1: dst is 4x3, expected 3x4"));
  if (device_count() == 0) CHECK_THROWS_AS(from_planar_batch(&image, 1, 3, nullptr), CudaError);
}

}  // namespace
}  // namespace qturn::tests::cuda_from_planar_test
