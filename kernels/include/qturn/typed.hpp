// Images of typed samples: one-line templates above views of bytes.
//
//   qturn::transform<std::uint16_t, 3>({src, 640, 480, 640 * 6}, {dst, 480, 640, 480 * 6},
//                                      qturn::Orientation::rotate90);
#ifndef QTURN_TYPED_HPP
#define QTURN_TYPED_HPP

#include <qturn/transform.hpp>

#include <cstdint>
#include <type_traits>

namespace qturn {

/// `height` rows of `width` pixels, each of `channels` (1 to 4) interleaved samples. `pitch` is in
/// bytes, as everywhere. `Sample` is std::uint8_t, std::uint16_t or float, const where only read.
template <class Sample, int channels>
struct Pixels {
  using Value = std::remove_const_t<Sample>;
  static_assert(std::is_same_v<Value, std::uint8_t> || std::is_same_v<Value, std::uint16_t> ||
                std::is_same_v<Value, float>);
  static_assert(channels >= 1 && channels <= 4);

  Sample* data = nullptr;
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::int64_t pitch = 0;

  constexpr auto view() const {
    constexpr int pixel_bytes = channels * static_cast<int>(sizeof(Sample));
    if constexpr (std::is_const_v<Sample>) {
      return ConstView{data, width, height, pitch, pixel_bytes};
    } else {
      return View{data, width, height, pitch, pixel_bytes};
    }
  }
};

/// As transform(ConstView, View, Orientation).
template <class Sample, int channels>
void transform(Pixels<const Sample, channels> src, Pixels<Sample, channels> dst,
               Orientation orientation) {
  transform(src.view(), dst.view(), orientation);
}

}  // namespace qturn

#endif  // QTURN_TYPED_HPP
