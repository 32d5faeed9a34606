// Planar pictures for tests: how their planes lie in a buffer, and a comparison that says which
// sample is wrong.
#pragma once

#include <qturn/planar.hpp>

#include <string>
#include <vector>

#include "tests/fixtures/pictures.hpp"

namespace qturn::tests {

struct PlanarPlan {
  std::int64_t width;
  std::int64_t height;
  int planes;
  int bytes;  ///< of a sample
  Layout layout;
  std::int64_t plane_padding = 0;  ///< bytes between planes

  std::int64_t pitch() const { return width * bytes + layout.padding; }
  std::int64_t plane_pitch() const { return height * pitch() + plane_padding; }
  std::int64_t buffer_bytes() const { return 2 * layout.offset + planes * plane_pitch() + 16; }

  /// Upside down, rows and planes go backwards in memory.
  PlanarView view_in(void* buffer) const {
    auto* first = static_cast<unsigned char*>(buffer) + layout.offset;
    if (layout.upside_down && height > 0)
      first += (planes - 1) * plane_pitch() + (height - 1) * pitch();
    return {first, width, height, layout.pitch_of(height, pitch()),
            layout.pitch_of(planes, plane_pitch())};
  }
};

/// Nothing if the buffers are equal from `at` on as far as the plan goes; else the first sample
/// that differs, or the first byte beside the planes that was touched.
inline std::string first_difference(const PlanarPlan& plan, std::size_t at,
                                    const std::vector<unsigned char>& got,
                                    const std::vector<unsigned char>& wanted) {
  const PlanarView view = plan.view_in(const_cast<unsigned char*>(got.data()) + at);
  const PlanarView right = plan.view_in(const_cast<unsigned char*>(wanted.data()) + at);
  for (int plane = 0; plane < plan.planes; ++plane) {
    for (std::int64_t y = 0; y < plan.height; ++y) {
      for (std::int64_t x = 0; x < plan.width; ++x) {
        const auto sample = [&](const PlanarView& v) {
          return static_cast<const unsigned char*>(v.data) + plane * v.plane_pitch + y * v.pitch +
                 x * plan.bytes;
        };
        if (std::memcmp(sample(view), sample(right), static_cast<std::size_t>(plan.bytes)) != 0) {
          return "plane " + std::to_string(plane) + " x=" + std::to_string(x) +
                 " y=" + std::to_string(y) + " got " + hex(sample(view), plan.bytes) + " wanted " +
                 hex(sample(right), plan.bytes);
        }
      }
    }
  }
  for (std::size_t i = at; i < at + static_cast<std::size_t>(plan.buffer_bytes()); ++i) {
    if (got[i] != wanted[i]) {
      return "byte " + std::to_string(i - at) + " of the buffer, outside the planes, got " +
             hex(&got[i], 1) + " wanted " + hex(&wanted[i], 1);
    }
  }
  return {};
}

inline std::string name(SampleType type) {
  const char* names[] = {"uint8", "uint16", "float16", "bfloat16", "float32"};
  return names[static_cast<int>(type)];
}

}  // namespace qturn::tests
