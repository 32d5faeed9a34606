// A library that was built for compute capability 8.0 has no wait in its kernels. On a newer GPU,
// for which the driver compiles it from PTX, its launches must not overlap the kernel before them.
// This program has its own rows and mirrors in place, from the library's sources, for 8.0 alone.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "tests/kernels/device_kernels.hpp"
#include "tests/kernels/device_turns.hpp"

namespace qturn::tests::cuda_old_ptx_test {
namespace {

TEST_CASE("code built for compute capability 8.0 does not overlap a kernel on a newer GPU",
          "[gpu]") {
  Stream stream;
  if (!foreign_kernels_overlap()) SKIP("kernels overlap only from compute capability 9.0 on");
  const auto late = [&](const void* from, void* to, std::int64_t bytes) {
    work_then_copy(from, to, bytes, stream);
  };
  for (const Orientation orientation :
       {Orientation::flop, Orientation::rotate180, Orientation::flip}) {
    DevicePictures<Turn> pictures({{{144, 112, 4, {}}, {}, orientation}});
    const auto turn = [&](const std::vector<BatchImage>& images) {
      transform_each(images, stream);
    };
    turn(pictures.images());
    stream.wait();
    CHECK(pictures.difference() == "");
    CHECK(pictures.difference_after(stream, late, turn) == "");

    DevicePictures<TurnInPlace> in_place({{{144, 112, 4, {}}, orientation}});
    const auto turn_in_place = [&](const std::vector<TurnInPlace::Image>& images) {
      transform_each_in_place(images, stream);
    };
    turn_in_place(in_place.images());
    stream.wait();
    CHECK(in_place.difference() == "");
    CHECK(in_place.difference_after(stream, late, turn_in_place) == "");
  }
}

}  // namespace
}  // namespace qturn::tests::cuda_old_ptx_test
