// Pictures for the tests of the kernels: random pixels in memory that is poisoned all around, and a
// comparison that says which pixel is wrong.
#ifndef QTURN_TESTS_PICTURES_HPP
#define QTURN_TESTS_PICTURES_HPP

#include <qturn/orientation.hpp>
#include <qturn/view.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace qturn::tests {

/// How a picture lies in its buffer, beyond width and height.
struct Layout {
  std::int64_t padding = 0;  ///< bytes between rows
  std::int64_t offset = 0;   ///< bytes before the first row
  bool upside_down = false;  ///< the view's pitch is negative
};

/// What lies in memory, as offsets, so that it describes host and device memory alike.
struct Plan {
  std::int64_t width;
  std::int64_t height;
  int pixel_bytes;
  Layout layout;

  std::int64_t row_bytes() const { return width * pixel_bytes; }
  std::int64_t pitch() const { return row_bytes() + layout.padding; }
  /// Bytes of the whole buffer, with as many after the picture as before it, and 16 more.
  std::int64_t buffer_bytes() const { return 2 * layout.offset + height * pitch() + 16; }

  View view_in(void* buffer) const {
    auto* first = static_cast<unsigned char*>(buffer) + layout.offset;
    if (!layout.upside_down || height == 0) return {first, width, height, pitch(), pixel_bytes};
    return {first + (height - 1) * pitch(), width, height, -pitch(), pixel_bytes};
  }
};

inline std::vector<unsigned char> random_bytes(std::int64_t count, std::uint64_t seed) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(count));
  // xorshift, eight bytes at a time: some tests need gigabytes.
  std::uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof state) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    std::memcpy(&bytes[at], &state, std::min(sizeof state, bytes.size() - at));
  }
  return bytes;
}

inline const unsigned char* pixel_at(ConstView view, Position p) {
  return static_cast<const unsigned char*>(view.data) + p.y * view.pitch + p.x * view.pixel_bytes;
}

/// The definition, pixel by pixel.
inline void transform_by_definition(ConstView src, View dst, Orientation orientation) {
  for (std::int64_t y = 0; y < dst.height; ++y) {
    for (std::int64_t x = 0; x < dst.width; ++x) {
      const Position from = source_of(orientation, {x, y}, {src.width, src.height});
      auto* to = static_cast<unsigned char*>(dst.data) + y * dst.pitch + x * dst.pixel_bytes;
      std::memcpy(to, pixel_at(src, from), static_cast<std::size_t>(dst.pixel_bytes));
    }
  }
}

inline std::string hex(const unsigned char* bytes, int count) {
  const char* digits = "0123456789abcdef";
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += digits[bytes[i] / 16];
    text += digits[bytes[i] % 16];
  }
  return text;
}

/// Nothing if the buffers are equal; else the first pixel that differs, or the first byte beside
/// the picture that was touched. Both buffers are laid out as `plan`.
inline std::string first_difference(const Plan& plan, const std::vector<unsigned char>& got,
                                    const std::vector<unsigned char>& wanted) {
  if (got == wanted) return {};
  const ConstView g = plan.view_in(const_cast<unsigned char*>(got.data()));
  const ConstView w = plan.view_in(const_cast<unsigned char*>(wanted.data()));
  for (std::int64_t y = 0; y < plan.height; ++y) {
    for (std::int64_t x = 0; x < plan.width; ++x) {
      const unsigned char* a = pixel_at(g, {x, y});
      const unsigned char* b = pixel_at(w, {x, y});
      if (std::memcmp(a, b, static_cast<std::size_t>(plan.pixel_bytes)) != 0) {
        return "x=" + std::to_string(x) + " y=" + std::to_string(y) + " got " +
               hex(a, plan.pixel_bytes) + " wanted " + hex(b, plan.pixel_bytes);
      }
    }
  }
  std::size_t at = 0;
  while (got[at] == wanted[at]) ++at;
  return "byte " + std::to_string(at) + " of the buffer, outside the picture, got " +
         hex(&got[at], 1) + " wanted " + hex(&wanted[at], 1);
}

inline std::string describe(const Plan& src, const Plan& dst, Orientation orientation) {
  const auto layout = [](const Layout& l) {
    return "padding " + std::to_string(l.padding) + " offset " + std::to_string(l.offset) +
           (l.upside_down ? " upside down" : "");
  };
  return std::string(name(orientation)) + " of " + std::to_string(src.width) + "x" +
         std::to_string(src.height) + " pixels of " + std::to_string(src.pixel_bytes) +
         " bytes, src " + layout(src.layout) + ", dst " + layout(dst.layout);
}

}  // namespace qturn::tests

#endif  // QTURN_TESTS_PICTURES_HPP
