// Uniform batches for the harness of device_pictures.hpp.
#pragma once

#include <string>
#include <vector>

#include "tests/kernels/device_pictures.hpp"
#include "tests/kernels/uniform_pictures.hpp"

namespace qturn::tests {

/// All images of a uniform batch, in one buffer on either side.
struct UniformTurn {
  using Image = UniformBatch;

  UniformPlan plan;

  std::vector<std::int64_t> src_bytes() const { return {plan.count * plan.src_stride()}; }
  std::vector<std::int64_t> dst_bytes() const { return {plan.count * plan.dst_stride()}; }
  Image image(const std::vector<void*>& from, const std::vector<void*>& to) const {
    return plan.in(from[0], to[0]);
  }
  void on_cpu(const Image& batch) const {
    for (std::int64_t i = 0; i < plan.count; ++i) {
      ConstView from = batch.src;
      View to = batch.dst;
      from.data = static_cast<const unsigned char*>(from.data) + i * batch.src_stride;
      to.data = static_cast<unsigned char*>(to.data) + i * batch.dst_stride;
      transform_by_definition(from, to, batch.orientation);
    }
  }
  std::string difference(std::size_t, const std::vector<unsigned char>& got,
                         const std::vector<unsigned char>& wanted) const {
    for (std::int64_t i = 0; i < plan.count; ++i) {
      const auto part = [&](const std::vector<unsigned char>& bytes) {
        return std::vector<unsigned char>(bytes.begin() + i * plan.dst_stride(),
                                          bytes.begin() + (i + 1) * plan.dst_stride());
      };
      const std::string where = first_difference(plan.dst(), part(got), part(wanted));
      if (!where.empty()) {
        return describe(plan.src, plan.dst(), plan.orientation) + ", image " + std::to_string(i) +
               " of " + std::to_string(plan.count) + ": " + where;
      }
    }
    return {};
  }
};

/// Three images in every orientation. Aligned to 16: rows and images; rows alone; pixels alone;
/// nothing.
inline void add_all_uniform(std::vector<UniformTurn>& turns, Size size, int pixel_bytes) {
  for (const Orientation orientation : all_orientations) {
    const std::int64_t src_row = size.width * pixel_bytes;
    const std::int64_t dst_row = turned_size(orientation, size).width * pixel_bytes;
    const auto add = [&](Layout src, Layout dst, std::int64_t src_gap, std::int64_t dst_gap) {
      turns.push_back(
          {{{size.width, size.height, pixel_bytes, src}, dst, orientation, 3, src_gap, dst_gap}});
    };
    const Layout src_aligned{to_16(src_row), 16};
    const Layout dst_aligned{to_16(dst_row), 16, true};
    add(src_aligned, dst_aligned, 0, 0);
    add(src_aligned, dst_aligned, 3, 0);
    add(src_aligned, dst_aligned, 0, 5);
    add({pixel_bytes, pixel_bytes, true}, {0, pixel_bytes}, to_16(pixel_bytes), 0);
    add({1, 3}, {2, 1}, 7, 13);
  }
}

inline void add_thin_uniform(std::vector<UniformTurn>& turns, int count, int pixel_bytes) {
  ThinPictures thin;
  for (int i = 0; i < count; ++i) {
    const Size size = thin.size();
    const Layout src = thin.layout({1, pixel_bytes, pixel_bytes, 16});
    const Layout dst = thin.layout({1, pixel_bytes, pixel_bytes, 16});
    const std::int64_t gap = i % 2 == 0 ? pixel_bytes : 0;
    turns.push_back(
        {{{size.width, size.height, pixel_bytes, src}, dst, thin.orientation(), 3, gap, gap}});
  }
}

inline void transform_each_batch(const std::vector<UniformBatch>& batches, cudaStream_t stream) {
  for (const UniformBatch& batch : batches) transform_batch(batch, stream);
}

}  // namespace qturn::tests
