#include <qturn/planar.hpp>
#include <qturn/resize.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <limits>
#include <vector>

#include "kernels/src/cpu/paths.hpp"
#include "kernels/src/cpu/resize_passes.hpp"
#include "tests/fixtures/pictures.hpp"

namespace qturn::tests::resize_test {
namespace {

using Catch::Matchers::Message;

TEST_CASE("every instruction set makes the same columns and rows") {
  const int channels = GENERATE(1, 2, 3);
  const ResizeFilter filter =
      GENERATE(ResizeFilter::nearest, ResizeFilter::bilinear, ResizeFilter::bicubic);
  // Black, white and what lies between them, so that bicubic sums leave the bytes on both sides.
  const Plan src{131, 70, channels, {5, 3}};
  std::vector<unsigned char> pixels = random_bytes(src.buffer_bytes(), 1);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = i % 3 == 0 ? pixels[i] : i % 2 * 255;
  const ConstView from = src.view_in(pixels.data());
  for (const int results : {1, 7, 67, 131, 300}) {
    const WeighedAxis columns({131, results, 3.25F, 130.5F, filter});
    const WeighedAxis rows({70, results, 3.25F, 69.5F, filter});
    const Plan wide{results, 70, channels, {1, 7}};
    const Plan high{131, results, channels, {1, 7}};
    for (const CpuPath& path : cpu_paths()) {
      INFO(path.name << ", " << channels << " channels, " << results << " results");
      const auto compare = [&](const Plan& plan, auto plain, auto vector) {
        std::vector<unsigned char> wanted(static_cast<std::size_t>(plan.buffer_bytes()), 0xA5);
        std::vector<unsigned char> got = wanted;
        plain(plan.view_in(wanted.data()));
        vector(plan.view_in(got.data()));
        CHECK(first_difference(plan, got, wanted) == "");
      };
      compare(
          wide, [&](View to) { make_columns_plain(from, 0, columns, to); },
          [&](View to) { path.make_columns(from, 0, columns, to); });
      compare(
          high, [&](View to) { make_rows_plain(from, 0, rows, to); },
          [&](View to) { path.make_rows(from, 0, rows, to); });
    }
  }
}

// 40 x 30 pixels of three bytes, shown as 20 x 10.
struct Small {
  std::vector<unsigned char> pixels = random_bytes(40 * 30 * 3, 1);
  std::vector<float> planes = std::vector<float>(3 * 20 * 10, -1.0F);
  ResizedImage image{{pixels.data(), 40, 30, 40 * 3, 3},
                     {0, 0, 40, 30},
                     {planes.data(), 20, 10, 20 * 4, 20 * 10 * 4}};
};

TEST_CASE("a resized picture is turned and converted as to_planar() does it") {
  const Orientation orientation = GENERATE(Orientation::identity, Orientation::flop,
                                           Orientation::rotate90, Orientation::transverse);
  PlanarFormat format;
  format.scale = 1 / 255.0;
  format.mean = {0.5, 0.25, 0.125};
  format.channel = {2, 1, 0};
  Small small;
  resize_to_planar(small.image, {}, PlanarFormat());  // bytes as floats
  std::vector<unsigned char> resized;
  for (std::size_t i = 0; i < 20 * 10; ++i)
    for (std::size_t c = 0; c < 3; ++c)
      resized.push_back(static_cast<unsigned char>(small.planes[c * 20 * 10 + i]));

  const Size turned = turned_size(orientation, {20, 10});
  std::vector<float> wanted(3 * 20 * 10);
  std::vector<float> got(3 * 20 * 10);
  PlanarView planes{wanted.data(), turned.width, turned.height, turned.width * 4, 20 * 10 * 4};
  to_planar({resized.data(), 20, 10, 60, 3}, planes, orientation, format);
  planes.data = got.data();
  resize_to_planar({small.image.src, small.image.box, planes, orientation}, {}, format);
  CHECK(got == wanted);
}

TEST_CASE("a batch is made one after the other, and empty results are left out") {
  Small first;
  Small second;
  second.image.dst.height = 0;
  const ResizedImage images[] = {second.image, first.image};
  resize_to_planar_batch(images, 2, {}, PlanarFormat());
  Small alone;
  resize_to_planar(alone.image, {}, PlanarFormat());
  CHECK(first.planes == alone.planes);
  CHECK(second.planes == std::vector<float>(3 * 20 * 10, -1.0F));
  CHECK_NOTHROW(resize_to_planar_batch(nullptr, 0, {}, PlanarFormat()));
}

TEST_CASE("what cannot be resized is refused with the numbers") {
  Small small;
  PlanarFormat format;
  ResizeRule rule;
  const auto refused = [&](const std::string& message) {
    CHECK_THROWS_MATCHES(resize_to_planar(small.image, rule, format), std::invalid_argument,
                         Message("image 0: " + message));
    small = Small();
  };
  small.image.src.pixel_bytes = 4;
  format.planes = 1;
  refused("src has pixels of 4 bytes, expected 1 to 3");
  format.planes = 3;
  small.image.src.width = 0;
  refused("the width of src is 0, expected 1 to 268435456");
  small.image.dst.height = most_resized_side + 1;
  refused("the height of dst is 268435457, expected 0 to 268435456");
  small.image.box.right = 40.5F;
  refused("the box goes from 0.000000 to 40.500000 of the 40 columns of src");
  small.image.box.top = -1;
  refused("the box goes from -1.000000 to 30.000000 of the 30 rows of src");
  small.image.box.left = 41;
  refused("the box goes from 41.000000 to 40.000000 of the 40 columns of src");
  small.image.box.bottom = std::numeric_limits<float>::quiet_NaN();
  refused("the box goes from 0.000000 to nan of the 30 rows of src");
  small.image.orientation = static_cast<Orientation>(9);
  refused("orientation is 9, expected 1 to 8");
  small.image.dst.pitch = 81;
  refused("dst has a pitch of 81, expected a multiple of 4");
  small.image.dst.data = small.pixels.data();
  refused("src and plane 0 of dst overlap in memory");

  const ResizedImage two[] = {small.image, Small().image};
  ResizedImage grey[] = {two[0], two[0]};
  grey[1].src.pixel_bytes = 1;
  CHECK_THROWS_MATCHES(resize_to_planar_batch(grey, 2, rule, format), std::invalid_argument,
                       Message("image 1: src has pixels of 1 bytes, image 0 has 3"));
  format.src_type = SampleType::uint16;
  CHECK_THROWS_MATCHES(resize_to_planar(small.image, rule, format), std::invalid_argument,
                       Message("src_type is not uint8, and other samples are not resized"));
  rule.filter = static_cast<ResizeFilter>(3);
  CHECK_THROWS_MATCHES(resize_to_planar(small.image, rule, PlanarFormat()), std::invalid_argument,
                       Message("the filter is 3, expected 0 to 2, and the order of passes 0, "
                               "expected 0 or 1"));
  CHECK_THROWS_MATCHES(resize_to_planar_batch(nullptr, 1, {}, PlanarFormat()),
                       std::invalid_argument, Message("images at address 0"));
}

}  // namespace
}  // namespace qturn::tests::resize_test
