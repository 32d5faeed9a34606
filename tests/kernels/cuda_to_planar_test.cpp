#include <qturn/cuda.hpp>
#include <qturn/planar.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <deque>
#include <string>
#include <vector>

#include "tests/kernels/device_planar.hpp"

namespace qturn::tests::cuda_to_planar_test {
namespace {

using Catch::Matchers::Message;

using Pictures = DevicePictures<PlanarTurn>;

struct Descriptors : DeviceDescriptors<PlanarImage> {
  explicit Descriptors(std::size_t count)
      : DeviceDescriptors(count, planar_workspace_bytes(count)) {}

  void to_planar(const PlanarKind& kind, cudaStream_t stream) const {
    to_planar_batch(images(), count(), kind.channels, kind.format(), workspace(), stream);
  }
};

// As a batch, with the descriptors in the call and on the device.
void require_equal_to_cpu(const std::vector<PlanarTurn>& turns, Stream& stream) {
  const PlanarKind kind = turns.front().kind;
  require_equal_to_cpu(turns, stream, [&](const std::vector<PlanarImage>& images) {
    to_planar_batch(images.data(), images.size(), kind.format(), stream);
  });
  Descriptors descriptors(turns.size());
  require_equal_to_cpu(turns, stream, [&](const std::vector<PlanarImage>& images) {
    descriptors.set(images);
    descriptors.to_planar(kind, stream);
  });
}

TEST_CASE("planes of all kinds, orientations, sizes and layouts are what the CPU makes", "[gpu]") {
  Stream stream;
  const PlanarKind kind = GENERATE(from_range(planar_kinds()));
  std::vector<PlanarTurn> turns;
  for (const Size size : {Size{1, 1}, Size{3, 7}, Size{8, 4}, Size{17, 9}, Size{16, 33},
                          Size{63, 65}, Size{129, 31}, Size{128, 64}, Size{65, 130}}) {
    add_all_planar(turns, kind, size);
  }
  add_thin_planar(turns, 200, kind);
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("long, thin and large pictures are made planar", "[gpu]") {
  Stream stream;
  const PlanarKind kind = GENERATE(PlanarKind{SampleType::uint8, 3, SampleType::float16},
                                   PlanarKind{SampleType::uint8, 1, SampleType::float32},
                                   PlanarKind{SampleType::uint8, 3, SampleType::uint8},
                                   PlanarKind{SampleType::float32, 4, SampleType::uint8},
                                   PlanarKind{SampleType::float32, 4, SampleType::bfloat16});
  std::vector<PlanarTurn> turns;
  add_all_planar(turns, kind, {5001, 3});
  add_all_planar(turns, kind, {2, 3001});
  add_all_planar(turns, kind, {1, 40});
  turns.push_back({kind, {1031, 777}, Orientation::rotate270, {}, {}});
  turns.push_back({kind, {1031, 777}, Orientation::rotate180, {}, {}});
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("single pictures are made planar as the CPU does", "[gpu]") {
  Stream stream;
  const PlanarKind kind{SampleType::uint8, 3, SampleType::float16};
  const Orientation orientation = GENERATE(from_range(all_orientations));
  for (const Size size : {Size{224, 224}, Size{225, 100}}) {
    require_equal_to_cpu(std::vector<PlanarTurn>{{kind, size, orientation, {}, {}}}, stream,
                         [&](const std::vector<PlanarImage>& images) {
                           to_planar(images[0].src, images[0].dst, images[0].orientation,
                                     kind.format(), stream);
                         });
  }
}

TEST_CASE("every kernel for planes stays within its memory", "[gpu][sanitizer]") {
  Stream stream;
  const PlanarKind kind = GENERATE(from_range(planar_kinds()));
  std::vector<PlanarTurn> turns;
  add_all_planar(turns, kind, {67, 35});
  add_all_planar(turns, kind, {16, 40});
  add_thin_planar(turns, 10, kind);
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("more images than a launch holds, and empty ones, are all made planar", "[gpu]") {
  Stream stream;
  const PlanarKind kind{SampleType::uint8, 3, SampleType::float32};
  std::vector<PlanarTurn> turns;
  for (std::size_t i = 0; i < 2 * planar_images_in_a_launch + 3; ++i) {
    const auto width = static_cast<std::int64_t>(i % 7);
    turns.push_back({kind, {width, 5}, all_orientations[i % 8], {}, {}});
  }
  require_equal_to_cpu(turns, stream);
}

TEST_CASE("captured work is done again at every replay, with the pixels of then", "[gpu]") {
  Stream stream;
  const PlanarKind kind{SampleType::uint8, 3, SampleType::bfloat16};
  std::vector<PlanarTurn> turns;
  add_all_planar(turns, kind, {40, 30});
  check_replays(turns, stream, [&](const std::vector<PlanarImage>& images) {
    to_planar_batch(images.data(), images.size(), kind.format(), stream);
  });
  check_replays(std::vector{turns.back()}, stream, [&](const std::vector<PlanarImage>& images) {
    to_planar(images[0].src, images[0].dst, images[0].orientation, kind.format(), stream);
  });
}

TEST_CASE("a captured batch of planes with descriptors on the device is replayed with others",
          "[gpu]") {
  Stream stream;
  const PlanarKind kind = GENERATE(PlanarKind{SampleType::uint8, 3, SampleType::float16},
                                   PlanarKind{SampleType::uint8, 4, SampleType::uint8},
                                   PlanarKind{SampleType::float16, 4, SampleType::float32});
  constexpr std::size_t count = 40;
  Descriptors descriptors(count);
  Captured work(stream, [&] { descriptors.to_planar(kind, stream); });
  for (std::size_t turn = 0; turn < 2; ++turn) {
    std::vector<PlanarTurn> turns;
    for (std::size_t i = 0; i < count; ++i) {
      const auto side = static_cast<std::int64_t>(20 + 11 * i * turn % 150);
      turns.push_back({kind, {side, 70}, all_orientations[(i + turn) % 8], {}, {}});
    }
    const Pictures pictures(turns);
    descriptors.set(pictures.images());
    work.replay();
    CHECK(pictures.difference() == "");
  }
}

TEST_CASE("descriptors of planes on the device that fit nothing are left out", "[gpu]") {
  Stream stream;
  const PlanarKind kind{SampleType::uint16, 3, SampleType::float32};
  const Pictures pictures({{kind, {30, 20}, Orientation::flop, {}, {}},
                           {kind, {30, 20}, Orientation::rotate90, {}, {}}});
  std::vector<PlanarImage> images = pictures.images();
  images.resize(9, images[1]);
  images[2].src.width = 29;
  images[3].orientation = Orientation::flip;
  images[4].src.pixel_bytes = 8;
  images[5].src.height = images[5].dst.width = -1;
  images[6].src.pitch += 1;
  images[7].dst.data = static_cast<unsigned char*>(images[7].dst.data) + 2;
  images[8].dst.plane_pitch += 2;
  Descriptors descriptors(images.size());
  descriptors.set(images);
  descriptors.to_planar(kind, stream);
  stream.wait();
  CHECK(pictures.difference() == "");
}

unsigned char memory[1024];

PlanarImage small_image() {
  return {{memory, 4, 3, 12, 3}, {memory + 64, 4, 3, 16, 48}, Orientation::flop};
}

void make_nothing_planar(cudaStream_t stream) {
  to_planar_batch(nullptr, 0, {}, stream);
  to_planar_batch(nullptr, 0, 3, {}, nullptr, stream);
  const PlanarImage empty{{nullptr, 0, 5, 0, 3}, {nullptr, 5, 0, 0, 0}, Orientation::rotate90};
  to_planar_batch(&empty, 1, {}, stream);
  to_planar(empty.src, empty.dst, empty.orientation, {}, stream);
}

TEST_CASE("an empty batch of planes needs no GPU") { CHECK_NOTHROW(make_nothing_planar(nullptr)); }

TEST_CASE("an empty batch of planes enqueues nothing", "[gpu]") {
  Stream stream;
  CHECK(Captured(stream, [&] { make_nothing_planar(stream); }).nodes() == 0);
}

TEST_CASE("what the CPU refuses is refused, of a batch by the image's index") {
  PlanarImage images[2] = {small_image(), small_image()};
  images[1].orientation = Orientation::rotate90;
  CHECK_THROWS_MATCHES(to_planar_batch(images, 2, {}, nullptr), std::invalid_argument,
                       Message("image 1: dst is 4x3, expected 3x4"));
  CHECK_THROWS_MATCHES(to_planar(images[1].src, images[1].dst, images[1].orientation, {}, nullptr),
                       std::invalid_argument, Message("dst is 4x3, expected 3x4"));
  PlanarFormat format;
  format.planes = 7;
  CHECK_THROWS_MATCHES(to_planar_batch(images, 2, format, nullptr), std::invalid_argument,
                       Message("dst has 7 planes, expected 1 to 4"));
  images[1].src.pixel_bytes = 1;
  CHECK_THROWS_MATCHES(to_planar_batch(images, 2, {}, nullptr), std::invalid_argument,
                       Message("image 1 has pixels of 1 bytes, image 0 of 3"));
  CHECK_THROWS_MATCHES(to_planar_batch(nullptr, 1, {}, nullptr), std::invalid_argument,
                       Message("images at address 0"));
}

TEST_CASE("what can be checked of descriptors of planes on the device is checked") {
  const PlanarImage image = small_image();
  alignas(16) unsigned char workspace[96];
  const auto refused = [&](const PlanarImage* images, std::size_t count, int channels, void* work,
                           const char* message) {
    CHECK_THROWS_MATCHES(to_planar_batch(images, count, channels, {}, work, nullptr),
                         std::invalid_argument, Message(message));
  };
  refused(&image, 1, 0, workspace, "src has 0 channels, expected 1 to 4");
  refused(&image, 1, 5, workspace, "src has 5 channels, expected 1 to 4");
  refused(&image, 1, 2, workspace, "plane 2 is made of channel 2, expected 0 to 1");
  refused(&image, std::size_t{1} << 31, 3, workspace,
          "2147483648 images, expected fewer than 2^31");
  refused(nullptr, 1, 3, workspace, "images at address 0 or at no multiple of 8");
  refused(&image, 1, 3, nullptr, "workspace at address 0 or at no multiple of 16");
  refused(&image, 1, 3, workspace + 8, "workspace at address 0 or at no multiple of 16");
}

TEST_CASE("without a GPU to_planar() says so by CudaError") {
  if (device_count() > 0) SKIP("there is a GPU");
  const PlanarImage image = small_image();
  alignas(16) unsigned char workspace[96];
  CHECK_THROWS_AS(to_planar(image.src, image.dst, image.orientation, {}, nullptr), CudaError);
  CHECK_THROWS_AS(to_planar_batch(&image, 1, {}, nullptr), CudaError);
  CHECK_THROWS_AS(to_planar_batch(&image, 1, 3, {}, workspace, nullptr), CudaError);
}

}  // namespace
}  // namespace qturn::tests::cuda_to_planar_test
