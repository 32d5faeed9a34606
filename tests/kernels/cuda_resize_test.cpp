#include <qturn/cuda.hpp>
#include <qturn/resize.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/kernels/device_planar.hpp"

namespace qturn::tests::cuda_resize_test {
namespace {

using Catch::Matchers::Message;

/// A picture of `src` becomes what `planes` describes, which is already turned.
struct Resize {
  using Image = ResizedImage;

  PlanarKind kind;
  ResizeRule rule;
  Plan src;
  PlanarPlan planes;
  Box box;
  Orientation orientation;

  std::vector<std::int64_t> src_bytes() const { return {src.buffer_bytes()}; }
  std::vector<std::int64_t> dst_bytes() const { return {planes.buffer_bytes()}; }
  Image image(const std::vector<void*>& from, const std::vector<void*>& to) const {
    return {src.view_in(from[0]), box, planes.view_in(to[0]), orientation};
  }
  void on_cpu(const Image& image) const { resize_to_planar(image, rule, kind.format()); }
  std::string difference(std::size_t, const std::vector<unsigned char>& got,
                         const std::vector<unsigned char>& wanted) const {
    const std::string where = first_difference(planes, 0, got, wanted);
    if (where.empty()) return {};
    const auto text = [](auto... numbers) {
      std::string all;
      ((all += std::to_string(numbers) + " "), ...);
      return all;
    };
    return kind.text() + ", filter " + text(static_cast<int>(rule.filter)) + "of " +
           text(src.width, src.height) + "box " + text(box.left, box.top, box.right, box.bottom) +
           "to planes of " + text(planes.width, planes.height) + "orientation " +
           text(static_cast<int>(orientation)) + ": " + where;
  }
};

std::vector<PlanarKind> kinds() {
  std::vector<PlanarKind> all;
  for (const PlanarKind& kind : planar_kinds())
    if (kind.src_type == SampleType::uint8 && kind.channels <= 3) all.push_back(kind);
  return all;
}

const std::vector<ResizeRule>& rules() {
  static const std::vector<ResizeRule> all{{ResizeFilter::nearest},
                                           {ResizeFilter::bilinear},
                                           {ResizeFilter::bicubic},
                                           {ResizeFilter::bicubic, PassOrder::pillow13}};
  return all;
}

std::vector<Resize> random_resizes(const PlanarKind& kind, ResizeRule rule, int count,
                                   std::int64_t most, unsigned seed) {
  std::mt19937 generator(seed);
  const auto draw = [&](std::int64_t first, std::int64_t last) {
    return std::uniform_int_distribution<std::int64_t>(first, last)(generator);
  };
  const auto edges = [&](std::int64_t length) {
    std::uniform_real_distribution<float> within(0, static_cast<float>(length));
    const float a = within(generator);
    const float b = within(generator);
    return draw(0, 2) == 0 ? std::pair<float, float>(0, static_cast<float>(length))
                           : std::pair<float, float>(std::min(a, b), std::max(a, b));
  };
  std::vector<Resize> all;
  for (int i = 0; i < count; ++i) {
    std::int64_t width = draw(1, most);
    std::int64_t height = draw(1, most);
    if (i % 5 == 0) std::tie(width, height) = std::pair(draw(1, 3), 101 * 3 + draw(0, most));
    if (i % 7 == 0) std::tie(width, height) = std::pair(4 * most + draw(0, 99), draw(1, 3));
    const auto [left, right] = edges(width);
    const auto [top, bottom] = edges(height);
    const bool upside_down = draw(0, 3) == 0;
    const int to = sample_bytes(kind.dst_type);
    all.push_back({kind,
                   rule,
                   {width, height, kind.pixel_bytes(), {draw(0, 5), draw(0, 5), upside_down}},
                   {draw(1, most),
                    draw(1, most),
                    kind.format().planes,
                    to,
                    {draw(0, 3) * to, draw(0, 3) * to, upside_down},
                    draw(0, 3) * to},
                   {left, top, right, bottom},
                   all_orientations[static_cast<std::size_t>(i % 8)]});
  }
  return all;
}

void require_as_on_cpu(const std::vector<Resize>& resizes, Stream& stream) {
  const PlanarKind& kind = resizes.front().kind;
  const ResizeRule rule = resizes.front().rule;
  const DevicePictures<Resize> pictures(resizes);
  const std::vector<ResizedImage> images = pictures.images();
  const DeviceMemory workspace(
      static_cast<std::int64_t>(resize_workspace_bytes(images.data(), images.size(), rule)));
  resize_to_planar_batch(images.data(), images.size(), rule, kind.format(), workspace.data(),
                         stream);
  stream.wait();
  const std::string difference = pictures.difference();
  if (!difference.empty()) FAIL(difference);
}

TEST_CASE("pictures of all kinds are resized as on the CPU", "[gpu]") {
  Stream stream;
  const PlanarKind kind = GENERATE(from_range(kinds()));
  const ResizeRule rule = GENERATE(from_range(rules()));
  require_as_on_cpu(random_resizes(kind, rule, 80, 200, 1), stream);
}

TEST_CASE("large pictures, and one alone, are resized as on the CPU", "[gpu]") {
  Stream stream;
  const PlanarKind kind{SampleType::uint8, 3, SampleType::float16};
  const ResizeRule rule = GENERATE(from_range(rules()));
  require_as_on_cpu(random_resizes(kind, rule, 8, 2500, 2), stream);
  for (unsigned seed = 0; seed < 20; ++seed)
    require_as_on_cpu(random_resizes(kind, rule, 1, 300, seed), stream);
}

TEST_CASE("more pictures than a launch holds are all resized", "[gpu]") {
  Stream stream;
  const PlanarKind kind{SampleType::uint8, 1, SampleType::float32};
  require_as_on_cpu(random_resizes(kind, {}, 603, 40, 3), stream);
}

TEST_CASE("every kernel that resizes stays within its memory", "[gpu][sanitizer]") {
  Stream stream;
  const PlanarKind kind = GENERATE(from_range(kinds()));
  const ResizeRule rule = GENERATE(from_range(rules()));
  require_as_on_cpu(random_resizes(kind, rule, 16, 70, 4), stream);
}

TEST_CASE("a captured batch is resized again at every replay", "[gpu]") {
  Stream stream;
  const PlanarKind kind{SampleType::uint8, 3, SampleType::bfloat16};
  const ResizeRule rule;
  DevicePictures<Resize> pictures(random_resizes(kind, rule, 30, 100, 5));
  std::vector<ResizedImage> images = pictures.images();
  const DeviceMemory workspace(
      static_cast<std::int64_t>(resize_workspace_bytes(images.data(), images.size(), rule)));
  Captured work(stream, [&] {
    resize_to_planar_batch(images.data(), images.size(), rule, kind.format(), workspace.data(),
                           stream);
    images.clear();
  });
  check_replays(pictures, work);
}

TEST_CASE("a workspace that is missing or not aligned is refused") {
  alignas(16) unsigned char memory[64 + 4 * 16];
  const ResizedImage image{{memory, 4, 4, 4, 1}, {0, 0, 4, 4}, {memory + 64, 2, 2, 8, 16}};
  PlanarFormat format;
  format.planes = 1;
  CHECK(resize_workspace_bytes(&image, 1, {}) > 0);
  CHECK_THROWS_AS(resize_to_planar_batch(&image, 1, {}, format, nullptr, nullptr),
                  std::invalid_argument);
  CHECK_THROWS_MATCHES(resize_to_planar_batch(&image, 1, {}, format, memory + 3, nullptr),
                       std::invalid_argument,
                       Message("the workspace lies at an address that modulo 16 is 3, expected one "
                               "other than 0 that is a multiple of 16"));
  CHECK_NOTHROW(resize_to_planar_batch(nullptr, 0, {}, format, nullptr, nullptr));
}

}  // namespace
}  // namespace qturn::tests::cuda_resize_test
