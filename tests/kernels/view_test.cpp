#include <qturn/dlpack.hpp>
#include <qturn/mdspan.hpp>
#include <qturn/view.hpp>

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace qturn::view_test {
namespace {

std::array<unsigned char, 60> memory{};
const View whole{memory.data(), 5, 4, 15, 3};

TEST_CASE("a sub-view begins at its pixel and keeps pitch and pixel size") {
  const View part = sub_view(whole, 2, 1, 3, 2);
  CHECK(part.data == memory.data() + 15 + 6);
  CHECK(part.width == 3);
  CHECK(part.height == 2);
  CHECK(part.pitch == 15);
  CHECK(part.pixel_bytes == 3);
  CHECK(part.row_bytes() == 9);
}

TEST_CASE("a sub-view of a view upside down counts its rows upwards in memory") {
  const ConstView hanging{memory.data() + 45, 5, 4, -15, 3};
  CHECK(sub_view(hanging, 0, 1, 5, 1).data == memory.data() + 30);
}

TEST_CASE("an empty sub-view may lie on the far edges") {
  CHECK(sub_view(whole, 5, 4, 0, 0).empty());
}

TEST_CASE("a sub-view that leaves the view is refused with both sizes") {
  CHECK_THROWS_MATCHES(
      sub_view(whole, 3, 0, 3, 1), std::invalid_argument,
      Catch::Matchers::Message("sub-view 3x1 at 3,0 does not lie in a view of 5x4"));
  CHECK_THROWS_AS(sub_view(whole, -1, 0, 2, 1), std::invalid_argument);
  CHECK_THROWS_AS(sub_view(whole, 0, 0, 1, 5), std::invalid_argument);
}

using Catch::Matchers::Message;

ConstView view_of_items(std::vector<std::int64_t> shape, std::vector<std::int64_t> strides,
                        int item_bytes = 1) {
  const void* data = memory.data();
  return view_of_array(data, item_bytes, static_cast<int>(shape.size()), shape.data(),
                       strides.data());
}

void check_refused(std::vector<std::int64_t> shape, std::vector<std::int64_t> strides,
                   const char* message, int item_bytes = 1) {
  CHECK_THROWS_MATCHES(view_of_items(std::move(shape), std::move(strides), item_bytes),
                       std::invalid_argument, Message(message));
}

TEST_CASE("an array of rows, columns and channels is a view") {
  const ConstView colour = view_of_items({4, 5, 3}, {15, 3, 1});
  CHECK(colour.data == memory.data());
  CHECK(colour.width == 5);
  CHECK(colour.height == 4);
  CHECK(colour.pitch == 15);
  CHECK(colour.pixel_bytes == 3);
  const ConstView words = view_of_items({3, 5}, {-10, 1}, 2);
  CHECK(words.width == 5);
  CHECK(words.pitch == -20);
  CHECK(words.pixel_bytes == 2);
  // Distances that are never gone have no meaning.
  CHECK(view_of_items({4, 1, 3}, {15, 99, 1}).pixel_bytes == 3);
  CHECK(view_of_items({4, 5, 1}, {5, 1, 99}).pixel_bytes == 1);
  CHECK(view_of_items({0, 5, 3}, {1, 1, 9}).empty());
  static_assert(std::is_same_v<View, decltype(view_of_array(static_cast<void*>(nullptr), 1, 2,
                                                            nullptr, nullptr))>);
}

TEST_CASE("an array that is no view is refused with what was found and what was expected") {
  check_refused({60}, {1}, "the array has 1 axes, expected 2 (rows, columns) or 3 (with channels)");
  check_refused({-4, 5}, {5, 1}, "axis 0 has -4 items, expected 0 or more");
  check_refused({4, 5, 3}, {1, 4, 20}, "the channels are 20 items apart, expected 1");
  check_refused({4, 5, 3}, {15, -3, 1}, "the columns are -3 items apart, expected 3");
  check_refused({4, 5}, {1, 4}, "the columns are 4 items apart, expected 1");
  check_refused({1, 1, 300}, {300, 300, 1}, "a pixel has 300 x 1 bytes, expected 1 to 256");
  check_refused({1, 1, 65}, {65, 65, 1}, "a pixel has 65 x 4 bytes, expected 1 to 256", 4);
  check_refused({1, 1, 0}, {1, 1, 1}, "a pixel has 0 x 1 bytes, expected 1 to 256");
}

/// DLTensor, as dlpack.h declares it.
struct Tensor {
  void* data;
  struct {
    int device_type;
    std::int32_t device_id;
  } device;
  std::int32_t ndim;
  struct {
    std::uint8_t code, bits;
    std::uint16_t lanes;
  } dtype;
  std::int64_t *shape, *strides;
  std::uint64_t byte_offset;
};

struct TensorOfWords {
  std::array<std::int64_t, 3> shape{2, 3, 4}, strides{12, 4, 1};
  Tensor tensor{memory.data(), {1, 0}, 3, {1, 16, 1}, shape.data(), strides.data(), 6};
};

TEST_CASE("a DLPack tensor is a view of its memory from its offset on") {
  TensorOfWords words;
  Tensor& tensor = words.tensor;
  const View view = host_view_of(tensor);
  CHECK(view.data == memory.data() + 6);
  CHECK(view.width == 3);
  CHECK(view.height == 2);
  CHECK(view.pitch == 24);
  CHECK(view.pixel_bytes == 8);
  tensor.strides = nullptr;  // the items follow each other
  CHECK(host_view_of(tensor).pitch == 24);
  tensor.dtype = {0, 8, 4};
  CHECK(host_view_of(tensor).pixel_bytes == 16);
  tensor.device = {3, 0};
  CHECK(host_view_of(tensor).height == 2);
  for (const int type : {2, 13}) {
    tensor.device = {type, 1};
    CHECK(cuda_view_of(tensor, 1).data == view.data);
  }
}

TEST_CASE("a DLPack tensor elsewhere or of odd items is refused with both numbers") {
  TensorOfWords words;
  Tensor& tensor = words.tensor;
  CHECK_THROWS_MATCHES(
      cuda_view_of(tensor, 0), std::invalid_argument,
      Message("the tensor is on device type 1 of DLPack, expected CUDA (2) or its managed memory "
              "(13)"));
  tensor.device = {2, 1};
  CHECK_THROWS_MATCHES(cuda_view_of(tensor, 0), std::invalid_argument,
                       Message("the tensor is on CUDA device 1, expected 0"));
  CHECK_THROWS_MATCHES(
      host_view_of(tensor), std::invalid_argument,
      Message("the tensor is on device type 2 of DLPack, expected the CPU (1) or page-locked "
              "memory (3)"));
  tensor.device = {10, 0};  // ROCm
  CHECK_THROWS_AS(host_view_of(tensor), std::invalid_argument);
  CHECK_THROWS_AS(cuda_view_of(tensor, 0), std::invalid_argument);
  tensor.dtype = {1, 4, 1};
  CHECK_THROWS_MATCHES(view_of(tensor), std::invalid_argument,
                       Message("an item has 4 bits in 1 lanes, expected a multiple of 8 bits"));
  tensor.dtype = {1, 16, 1};
  words.strides[1] = 8;
  CHECK_THROWS_MATCHES(view_of(tensor), std::invalid_argument,
                       Message("the columns are 8 items apart, expected 4"));
  tensor.ndim = 4;
  CHECK_THROWS_AS(view_of(tensor), std::invalid_argument);
}

#ifdef __cpp_lib_mdspan
TEST_CASE("an mdspan is a view") {
  const View rows = view_of(std::mdspan(memory.data(), 4, 5, 3));
  CHECK(rows.data == memory.data());
  CHECK(rows.width == 5);
  CHECK(rows.height == 4);
  CHECK(rows.pitch == 15);
  CHECK(rows.pixel_bytes == 3);
  using Extents = std::dextents<std::int64_t, 2>;
  const std::array<std::int64_t, 2> strides{9, 1};
  const std::layout_stride::mapping layout(Extents(3, 4), strides);
  const ConstView part =
      view_of(std::mdspan<const unsigned char, Extents, std::layout_stride>(memory.data(), layout));
  CHECK(part.pitch == 9);
  CHECK(part.width == 4);
  using Columns = std::mdspan<unsigned char, std::dextents<int, 2>, std::layout_left>;
  CHECK_THROWS_MATCHES(view_of(Columns(memory.data(), 4, 5)), std::invalid_argument,
                       Message("the columns are 4 items apart, expected 1"));
}
#endif

}  // namespace
}  // namespace qturn::view_test
