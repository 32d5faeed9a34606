// A lane whose device has no memory left, or is lost: the CPU turns its pictures, and says so.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <catch2/matchers/catch_matchers_vector.hpp>
#include <cstring>

#include "src/gpu/device.hpp"
#include "tests/kernels/device_kernels.hpp"

namespace cuda_lane_test {

using namespace qturn;
using Catch::Matchers::StartsWith;

namespace {

const std::atomic<bool> never = false;

/// The bytes of a picture turned by a lane, which gets one of 4096 x 2048 pixels of 3 bytes.
std::vector<std::byte> turned_by(Lane& lane, std::vector<std::string>& warnings) {
  Page page{.width = 4096, .height = 2048, .channels = 3};
  page.pixels = lane.decoded().take(page.bytes());
  for (std::size_t i = 0; i < page.bytes(); ++i) {
    static_cast<unsigned char*>(page.pixels)[i] = tests::byte_at(static_cast<std::int64_t>(i));
  }
  Image image;
  image.pages = {page};
  lane.load(image);
  const Image result = lane.turn(Orientation::rotate90, never, warnings);
  const auto* first = static_cast<const std::byte*>(result.pages.front().pixels);
  std::vector<std::byte> bytes(first, first + result.pages.front().bytes());
  lane.clear();
  return bytes;
}

std::vector<std::byte> turned_by_cpu() {
  std::vector<std::string> warnings;
  return turned_by(*make_cpu_lane(0), warnings);
}

void skip_without_device() {
  const Devices devices = find_devices();
  if (devices.cuda.empty()) SKIP("no usable GPU: " + devices.cuda_problem);
}

/// Takes all memory of the device, in smaller and smaller blocks.
class AllMemory {
 public:
  AllMemory() {
    for (std::size_t bytes = std::size_t{1} << 36; bytes >= 1 << 20;) {
      void* block = nullptr;
      if (cudaMalloc(&block, bytes) == cudaSuccess) {
        blocks_.push_back(block);
      } else {
        bytes /= 2;
      }
    }
    cudaGetLastError();
  }
  ~AllMemory() {
    for (void* block : blocks_) cudaFree(block);
  }
  AllMemory(const AllMemory&) = delete;
  AllMemory& operator=(const AllMemory&) = delete;

 private:
  std::vector<void*> blocks_;
};

}  // namespace

TEST_CASE("A picture for which the device has no memory is turned on the CPU, the next one again",
          "[gpu]") {
  skip_without_device();
  const std::vector<std::byte> expected = turned_by_cpu();
  const auto lane = make_cuda_lane(0, 0);
  std::vector<std::string> warnings;
  {
    const AllMemory taken;
    CHECK(turned_by(*lane, warnings) == expected);
    CHECK(warnings == std::vector<std::string>{"cuda:0 is out of memory; turned on the CPU"});
  }
  warnings.clear();
  CHECK(turned_by(*lane, warnings) == expected);
  CHECK(warnings.empty());
}

// The last case: CUDA cannot be used in this process any more.
TEST_CASE("A lane whose device is lost turns its pictures on the CPU, and says so once",
          "[gpu][lost]") {
  skip_without_device();
  const std::vector<std::byte> expected = turned_by_cpu();
  const auto lane = make_cuda_lane(0, 0);
  tests::lose_device();
  std::vector<std::string> warnings;
  CHECK(turned_by(*lane, warnings) == expected);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings.front(), StartsWith("cuda:0 failed ("));
  CHECK(turned_by(*lane, warnings) == expected);
  CHECK(warnings.size() == 1);
}

}  // namespace cuda_lane_test
