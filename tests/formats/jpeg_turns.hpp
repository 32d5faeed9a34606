// What becomes of a JPEG that stays one, for the tests: turned, refused, cut.
#ifndef QTURN_TESTS_FORMATS_JPEG_TURNS_HPP
#define QTURN_TESTS_FORMATS_JPEG_TURNS_HPP

#include <catch2/catch_test_macros.hpp>

#include <string>

#include "src/formats/jpeg/turn.hpp"
#include "tests/codec_pictures.hpp"
#include "tests/jpeg_pictures.hpp"

namespace qturn::tests {

using namespace jpeg;

inline constexpr JpegOptions by_planes{JpegMode::planar, JpegEdges::fail};
inline constexpr JpegOptions by_coefficients{JpegMode::lossless, JpegEdges::fail};

struct TurnedJpeg {
  Bytes file;
  std::vector<std::string> warnings;
};

inline TurnedJpeg turn_and_tell(const Bytes& file, Orientation orientation,
                                const JpegOptions& options) {
  const std::atomic<bool> stop = false;
  PixelArena arena;
  TurnedJpeg result;
  JpegTurn jpeg(file, options);
  jpeg.read(std::span(&orientation, 1), arena, stop, result.warnings);
  result.file = jpeg.turn(orientation, stop);
  return result;
}

inline Bytes turn(const Bytes& file, Orientation orientation, const JpegOptions& options) {
  return turn_and_tell(file, orientation, options).file;
}

/// The message of the ImageFileError that turning throws; empty if it does not.
inline std::string refusal(const Bytes& file, const JpegOptions& options) {
  try {
    turn(file, Orientation::rotate180, options);
  } catch (const ImageFileError& error) {
    return error.what();
  }
  return {};
}

inline Bytes cut(const Bytes& file, std::size_t size) {
  return {file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)};
}

/// Where the payload of the first frame header (SOF) begins.
inline std::size_t frame_at(const Bytes& file) {
  for (std::size_t at = 2; at + 4 < file.size();) {
    const auto marker = std::to_integer<int>(file[at + 1]);
    if (marker >= 0xC0 && marker <= 0xCF && marker != 0xC4) return at + 4;
    at += 2 + std::to_integer<std::size_t>(file[at + 2]) * 256 +
          std::to_integer<std::size_t>(file[at + 3]);
  }
  FAIL("no frame header");
  return 0;
}

/// The coefficients that `block` would have after the orientation: a mirrored axis changes the sign
/// of its odd frequencies.
inline std::array<JCOEF, 64> turned_block(const std::array<JCOEF, 64>& block,
                                          Orientation orientation) {
  const bool swapped = swaps_axes(orientation);
  const Position corner = source_of(orientation, {0, 0}, {2, 2});
  const bool from_right = corner.x == 1, from_bottom = corner.y == 1;
  std::array<JCOEF, 64> result;
  for (int v = 0; v < 8; ++v) {
    for (int u = 0; u < 8; ++u) {
      const int source_u = swapped ? v : u, source_v = swapped ? u : v;
      const bool negative = (from_right && source_u % 2 == 1) != (from_bottom && source_v % 2 == 1);
      const JCOEF value = block[source_v * 8 + source_u];
      result[v * 8 + u] = static_cast<JCOEF>(negative ? -value : value);
    }
  }
  return result;
}

struct CoefficientCount {
  int different = 0, total = 0, largest_difference = 0;
};

/// How the coefficients of component `c` compare with the source's, moved.
inline CoefficientCount compare_coefficients(const JpegInside& before, const JpegInside& after,
                                             Orientation orientation, std::size_t c) {
  const JpegComponent &was = before.components[c], &is = after.components[c];
  // A trimmed picture has fewer blocks; those that are left are the source's first ones.
  const bool swapped = swaps_axes(orientation);
  const Size kept =
      swapped ? Size{is.blocks_high, is.blocks_wide} : Size{is.blocks_wide, is.blocks_high};
  REQUIRE(kept.width <= was.blocks_wide);
  REQUIRE(kept.height <= was.blocks_high);
  CoefficientCount count;
  for (int y = 0; y < is.blocks_high; ++y) {
    for (int x = 0; x < is.blocks_wide; ++x) {
      const Position from = source_of(orientation, {x, y}, kept);
      const auto wanted = turned_block(
          was.blocks[static_cast<std::size_t>(from.y * was.blocks_wide + from.x)], orientation);
      const auto& got = is.blocks[static_cast<std::size_t>(y * is.blocks_wide + x)];
      for (std::size_t k = 0; k < 64; ++k) {
        ++count.total;
        count.different += got[k] != wanted[k];
        count.largest_difference = std::max(count.largest_difference, std::abs(got[k] - wanted[k]));
      }
    }
  }
  return count;
}

/// Checks that `after` is `before` turned: its size, its sampling, and its coefficients, of which
/// one in `of_so_many` may differ, by 1.
inline void check_turned(const JpegInside& before, const JpegInside& after, Orientation orientation,
                         int of_so_many) {
  const bool swapped = swaps_axes(orientation);
  REQUIRE(after.width == (swapped ? before.height : before.width));
  for (std::size_t c = 0; c < 3; ++c) {
    const JpegComponent &was = before.components[c], &is = after.components[c];
    CHECK(is.h == (swapped ? was.v : was.h));
    CHECK(is.v == (swapped ? was.h : was.v));
    const CoefficientCount count = compare_coefficients(before, after, orientation, c);
    INFO("component " << c << ": " << count.different << " of " << count.total << " differ");
    CHECK(count.different * of_so_many <= count.total);
    CHECK(count.largest_difference <= 1);
  }
}

}  // namespace qturn::tests

#endif  // QTURN_TESTS_FORMATS_JPEG_TURNS_HPP
