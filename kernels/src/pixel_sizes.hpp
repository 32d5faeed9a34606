// The one dispatcher over pixel sizes, for the CPU and for the GPU.
//
// Pixels are moved, never interpreted, so only the size of a type counts. The sizes that pictures
// have in practice, one to four samples of 1, 2, 4 or 8 bytes, have code in which the size is a
// constant; all others share code that gets the size at run time.
#pragma once

#include <type_traits>

namespace qturn {

/// Calls `run` with the pixel size as a std::integral_constant, or with 0 if it is not a common
/// one.
template <class Run>
decltype(auto) with_pixel(int pixel_bytes, Run&& run) {
  switch (pixel_bytes) {
    case 1:
      return run(std::integral_constant<int, 1>());
    case 2:
      return run(std::integral_constant<int, 2>());
    case 3:
      return run(std::integral_constant<int, 3>());
    case 4:
      return run(std::integral_constant<int, 4>());
    case 6:
      return run(std::integral_constant<int, 6>());
    case 8:
      return run(std::integral_constant<int, 8>());
    case 12:
      return run(std::integral_constant<int, 12>());
    case 16:
      return run(std::integral_constant<int, 16>());
    case 24:
      return run(std::integral_constant<int, 24>());
    case 32:
      return run(std::integral_constant<int, 32>());
    default:
      return run(std::integral_constant<int, 0>());
  }
}

/// Calls `run` with the size of a word, 1, 2, 4, 8 or 16 bytes, as a std::integral_constant.
template <class Run>
decltype(auto) with_word(int word_bytes, Run&& run) {
  switch (word_bytes) {
    case 1:
      return run(std::integral_constant<int, 1>());
    case 2:
      return run(std::integral_constant<int, 2>());
    case 4:
      return run(std::integral_constant<int, 4>());
    case 8:
      return run(std::integral_constant<int, 8>());
    default:
      return run(std::integral_constant<int, 16>());
  }
}

}  // namespace qturn
