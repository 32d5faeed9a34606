// Pictures for the harness of device_pictures.hpp: turned into other memory, and in place.
#pragma once

#include <qturn/batch.hpp>
#include <qturn/cpu.hpp>
#include <qturn/cuda.hpp>

#include <string>
#include <vector>

#include "tests/kernels/device_pictures.hpp"

namespace qturn::tests {

/// One picture turned into other memory.
struct Turn {
  using Image = BatchImage;

  Plan src;
  Layout dst_layout;
  Orientation orientation;

  Plan dst() const {
    const Size turned = turned_size(orientation, {src.width, src.height});
    return {turned.width, turned.height, src.pixel_bytes, dst_layout};
  }
  std::vector<std::int64_t> src_bytes() const { return {src.buffer_bytes()}; }
  std::vector<std::int64_t> dst_bytes() const { return {dst().buffer_bytes()}; }
  Image image(const std::vector<void*>& from, const std::vector<void*>& to) const {
    return {src.view_in(from[0]), dst().view_in(to[0]), orientation};
  }
  void on_cpu(const Image& image) const { transform(image.src, image.dst, image.orientation); }
  std::string difference(std::size_t, const std::vector<unsigned char>& got,
                         const std::vector<unsigned char>& wanted) const {
    const std::string where = first_difference(dst(), got, wanted);
    return where.empty() ? "" : describe(src, dst(), orientation) + ": " + where;
  }
};

inline void transform_each(const std::vector<BatchImage>& images, cudaStream_t stream) {
  for (const BatchImage& image : images) {
    transform(image.src, image.dst, image.orientation, stream);
  }
}

/// Every orientation of a picture, as it lies in memory in several ways: packed; rows of 16 bytes,
/// upside down; aligned to the pixel; aligned to nothing.
inline void add_all_turns(std::vector<Turn>& turns, Size size, int pixel_bytes) {
  for (const Orientation orientation : all_orientations) {
    const std::int64_t src_row = size.width * pixel_bytes;
    const std::int64_t dst_row = turned_size(orientation, size).width * pixel_bytes;
    const auto add = [&](Layout src, Layout dst) {
      turns.push_back({{size.width, size.height, pixel_bytes, src}, dst, orientation});
    };
    add({}, {});
    add({to_16(src_row), 16}, {to_16(dst_row) + 16, 32, true});
    add({pixel_bytes, pixel_bytes, true}, {3 * pixel_bytes, pixel_bytes});
    add({1, 3}, {2, 1});
  }
}

inline void add_thin_turns(std::vector<Turn>& turns, int count, int pixel_bytes) {
  ThinPictures thin;
  for (int i = 0; i < count; ++i) {
    const Size size = thin.size();
    const Layout src = thin.layout({1, pixel_bytes, pixel_bytes, 16});
    const Layout dst = thin.layout({1, pixel_bytes, pixel_bytes, 16});
    turns.push_back({{size.width, size.height, pixel_bytes, src}, dst, thin.orientation()});
  }
}

/// One picture turned within its memory.
struct TurnInPlace {
  struct Image {
    View view;
    Orientation orientation;
  };

  Plan plan;
  Orientation orientation;

  std::vector<std::int64_t> src_bytes() const { return {}; }
  std::vector<std::int64_t> dst_bytes() const { return {plan.buffer_bytes()}; }
  Image image(const std::vector<void*>&, const std::vector<void*>& memory) const {
    return {plan.view_in(memory[0]), orientation};
  }
  void on_cpu(const Image& image) const { transform_in_place(image.view, image.orientation); }
  std::string difference(std::size_t, const std::vector<unsigned char>& got,
                         const std::vector<unsigned char>& wanted) const {
    const std::string where = first_difference(plan, got, wanted);
    return where.empty() ? "" : "in place, " + describe(plan, plan, orientation) + ": " + where;
  }
};

inline void transform_each_in_place(const std::vector<TurnInPlace::Image>& images,
                                    cudaStream_t stream) {
  for (const TurnInPlace::Image& image : images) {
    transform_in_place(image.view, image.orientation, stream);
  }
}

/// Every orientation that a picture of this shape takes in place, as it lies in memory in several
/// ways.
inline void add_all_in_place(std::vector<TurnInPlace>& turns, Size size, int pixel_bytes) {
  const std::int64_t row = size.width * pixel_bytes;
  for (const Layout& layout : {Layout{},
                               {to_16(row), 16},
                               {to_16(row) + 16, 32, true},
                               {pixel_bytes, pixel_bytes},
                               {1, 3, true}}) {
    for (const Orientation orientation : all_orientations) {
      if (swaps_axes(orientation) && size.width != size.height) continue;
      turns.push_back({{size.width, size.height, pixel_bytes, layout}, orientation});
    }
  }
}

inline void add_thin_in_place(std::vector<TurnInPlace>& turns, int count, int pixel_bytes) {
  ThinPictures thin;
  for (int i = 0; i < count; ++i) {
    const Size size = thin.size();
    const Layout layout = thin.layout({1, pixel_bytes, 16});
    const Orientation orientation = thin.orientation();
    if (swaps_axes(orientation) && size.width != size.height) continue;
    turns.push_back({{size.width, size.height, pixel_bytes, layout}, orientation});
  }
}

}  // namespace qturn::tests
