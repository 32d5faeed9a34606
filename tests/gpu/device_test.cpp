#include "src/gpu/device.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace device_test {

using qturn::choose_device;
using qturn::DeviceChoice;
using qturn::DeviceError;
using qturn::Devices;
using qturn::find_devices;
using qturn::Work;

TEST_CASE("The CPU can always be used") {
  CHECK(choose_device("cpu", Work::many_jpegs).cuda.empty());
}

TEST_CASE("A word that is not a device is refused, with the words that are") {
  for (const char* word : {"", "gpu", "CUDA", "cuda:", "cuda:x", "cuda:-1", "cuda:0,", "cuda:1 "}) {
    INFO("device '" << word << "'");
    CHECK_THROWS_AS(choose_device(word, Work::many_jpegs), std::invalid_argument);
  }
  CHECK_THROWS_WITH(choose_device("gpu", Work::many_jpegs),
                    Catch::Matchers::ContainsSubstring("auto, cpu, cuda"));
  CHECK_THROWS_WITH(choose_device("cuda:1,1", Work::many_jpegs), "device 1 is named twice");
}

TEST_CASE(
    "Without a usable GPU, cuda is refused with what is missing, and auto takes the CPU and says "
    "why") {
  const Devices devices = find_devices();
  for (const auto& device : devices.cuda)
    if (device.problem.empty()) SKIP("there is a usable GPU");
  CHECK_THROWS_AS(choose_device("cuda", Work::many_jpegs), DeviceError);
  CHECK_THROWS_AS(choose_device("cuda:0", Work::many_jpegs), DeviceError);
  const DeviceChoice choice = choose_device("auto", Work::many_jpegs);
  CHECK(choice.cuda.empty());
  CHECK_FALSE(choice.why.empty());
}

TEST_CASE("For many JPEGs auto takes every usable GPU, and the CPU for all other pictures") {
  const Devices devices = find_devices();
  std::size_t usable = 0;
  for (const auto& device : devices.cuda) usable += device.problem.empty() ? 1 : 0;
  const DeviceChoice choice = choose_device("auto", Work::many_jpegs);
  CHECK(choice.cuda.size() == usable);
  CHECK(choice.only_jpegs);
  CHECK_FALSE(choice.why.empty());
}

TEST_CASE("With a usable GPU, cuda and auto take it, and a number beyond the last is refused",
          "[gpu]") {
  const Devices devices = find_devices();
  bool usable = !devices.cuda.empty();
  for (const auto& device : devices.cuda) usable = usable && device.problem.empty();
  if (!usable) SKIP("no usable GPU: " + devices.cuda_problem);
  CHECK(choose_device("auto", Work::many_jpegs).cuda.size() == devices.cuda.size());
  CHECK(choose_device("cuda", Work::many_jpegs).cuda.size() == devices.cuda.size());
  CHECK(choose_device("cuda:0", Work::many_jpegs).cuda == std::vector{0});
  CHECK_THROWS_AS(choose_device("cuda:99", Work::many_jpegs), DeviceError);
}

TEST_CASE(
    "For what a GPU does no faster, auto takes the CPU, and cuda is still taken if asked for") {
  const DeviceChoice choice = choose_device("auto", Work::other);
  CHECK(choice.cuda.empty());
  CHECK_THAT(choice.why, Catch::Matchers::ContainsSubstring("only for many JPEGs"));
  const Devices devices = find_devices();
  bool usable = !devices.cuda.empty();
  for (const auto& device : devices.cuda) usable = usable && device.problem.empty();
  if (usable) {
    CHECK(choose_device("cuda", Work::other).cuda.size() == devices.cuda.size());
  } else {
    CHECK_THROWS_AS(choose_device("cuda", Work::other), DeviceError);
  }
}

TEST_CASE("JPEGs are many where they take all threads longer than a GPU takes to start") {
  constexpr std::uint64_t mib = 1 << 20;
  CHECK(qturn::work_of(0, 1) == Work::other);
  CHECK(qturn::work_of(16 * mib - 1, 1) == Work::other);
  CHECK(qturn::work_of(16 * mib, 1) == Work::many_jpegs);
  CHECK(qturn::work_of(16 * mib, 2) == Work::other);
  CHECK(qturn::work_of(std::uint64_t{16} * 512 * mib, 512) == Work::many_jpegs);
}

TEST_CASE("Each process of a machine gets one of its devices, in turn") {
  using Numbers = std::vector<int>;
  const DeviceChoice three = {{0, 2, 3}, "asked for"};
  CHECK(qturn::device_of_rank(three, 0).cuda == Numbers{0});
  CHECK(qturn::device_of_rank(three, 1).cuda == Numbers{2});
  CHECK(qturn::device_of_rank(three, 5).cuda == Numbers{3});
  CHECK(qturn::device_of_rank(three, 1).why == "one of 3, for local rank 1");
  CHECK(qturn::device_of_rank({{0, 2}, "for JPEGs", true}, 1).only_jpegs);
  CHECK(qturn::device_of_rank({{7}, "asked for"}, 4).cuda == Numbers{7});
  CHECK(qturn::device_of_rank({{}, "no driver"}, 4).cuda.empty());
}

}  // namespace device_test
