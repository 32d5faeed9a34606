#include <catch2/catch_test_macros.hpp>

#include "src/formats/jpeg/route.hpp"

namespace jpeg_route_test {

using namespace qturn;
using namespace qturn::jpeg;

namespace {

JpegShape colour(std::int64_t width, std::int64_t height, int h, int v) {
  return {{width, height}, {{h, v}, {1, 1}, {1, 1}}};
}

constexpr JpegEdges all_edges[] = {JpegEdges::reencode, JpegEdges::trim, JpegEdges::tag,
                                   JpegEdges::skip, JpegEdges::fail};

}  // namespace

TEST_CASE("A turn is exact where the edges that come first fill their blocks") {
  const JpegShape cut_right = colour(100, 64, 2, 2), cut_below = colour(96, 50, 2, 2);
  const auto exact = [](const JpegShape& shape, Orientation orientation) {
    return whole_blocks(shape, orientation) == shape.size;
  };
  for (const Orientation orientation : all_orientations) {
    CHECK(exact(cut_right, orientation) == !reading(orientation).from_right);
    CHECK(exact(cut_below, orientation) == !reading(orientation).from_bottom);
    CHECK(exact(colour(96, 64, 2, 2), orientation));
  }
  CHECK(exact(colour(100, 50, 2, 2), Orientation::transpose));
}

TEST_CASE("What is trimmed depends on the sampling") {
  CHECK(whole_blocks(colour(100, 50, 1, 1), Orientation::rotate180) == Size{96, 48});
  CHECK(whole_blocks(colour(109, 59, 2, 1), Orientation::rotate180) == Size{96, 56});
  CHECK(whole_blocks(colour(109, 59, 1, 2), Orientation::rotate180) == Size{104, 48});
  CHECK(whole_blocks(colour(109, 59, 4, 1), Orientation::rotate180) == Size{96, 56});
  CHECK(whole_blocks(colour(109, 59, 4, 1), Orientation::rotate90) == Size{109, 56});
  // One component alone fills blocks of its own, whatever its factors.
  CHECK(whole_blocks({{15, 23}, {{2, 2}}}, Orientation::rotate180) == Size{8, 16});
  CHECK(whole_blocks(colour(15, 15, 2, 2), Orientation::rotate180) == Size{0, 0});
}

TEST_CASE("Each option is followed where a turn is not exact, and only there") {
  const JpegShape whole = colour(96, 64, 2, 2), cut = colour(100, 64, 2, 2);
  constexpr Route wanted[] = {Route::planar, Route::trimmed, Route::tagged, Route::skipped,
                              Route::none};
  for (int i = 0; i < 5; ++i) {
    const JpegOptions options{JpegMode::lossless, all_edges[i]};
    CHECK(jpeg_route(whole, Orientation::rotate180, options) == Route::lossless);
    CHECK(jpeg_route(cut, Orientation::rotate90, options) == Route::lossless);
    CHECK(jpeg_route(cut, Orientation::rotate180, options) == wanted[i]);
    CHECK(jpeg_route(whole, Orientation::flip, {JpegMode::planar, all_edges[i]}) == Route::planar);
  }
  CHECK(jpeg_route(colour(7, 64, 2, 2), Orientation::flop, {JpegMode::lossless, JpegEdges::trim}) ==
        Route::none);
}

}  // namespace jpeg_route_test
