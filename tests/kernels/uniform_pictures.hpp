// Uniform batches for tests: pictures of one shape that follow one another in one piece of memory,
// with poisoned bytes around each.
#pragma once

#include <qturn/batch.hpp>

#include <string>
#include <vector>

#include "tests/fixtures/pictures.hpp"

namespace qturn::tests {

struct UniformPlan {
  Plan src;
  Layout dst_layout;
  Orientation orientation;
  std::int64_t count;
  std::int64_t src_gap = 0;  ///< bytes after each picture; strides are that much longer
  std::int64_t dst_gap = 0;

  Plan dst() const {
    const Size turned = turned_size(orientation, {src.width, src.height});
    return {turned.width, turned.height, src.pixel_bytes, dst_layout};
  }
  std::int64_t src_stride() const { return src.buffer_bytes() + src_gap; }
  std::int64_t dst_stride() const { return dst().buffer_bytes() + dst_gap; }
  std::vector<unsigned char> src_bytes() const { return random_bytes(count * src_stride(), 51); }
  std::vector<unsigned char> dst_bytes() const { return random_bytes(count * dst_stride(), 52); }

  UniformBatch in(const void* from, void* to) const {
    UniformBatch batch;
    batch.src = src.view_in(const_cast<void*>(from));
    batch.dst = dst().view_in(to);
    batch.src_stride = src_stride();
    batch.dst_stride = dst_stride();
    batch.count = static_cast<std::size_t>(count);
    batch.orientation = orientation;
    return batch;
  }

  std::vector<unsigned char> wanted() const {
    const std::vector<unsigned char> from = src_bytes();
    std::vector<unsigned char> to = dst_bytes();
    for (std::int64_t i = 0; i < count; ++i) {
      transform_by_definition(
          src.view_in(const_cast<unsigned char*>(from.data()) + i * src_stride()),
          dst().view_in(to.data() + i * dst_stride()), orientation);
    }
    return to;
  }

  std::string difference(const std::vector<unsigned char>& got) const {
    const std::vector<unsigned char> all = wanted();
    if (got == all) return {};
    for (std::int64_t i = 0; i < count; ++i) {
      const auto part = [&](const std::vector<unsigned char>& bytes) {
        return std::vector<unsigned char>(bytes.begin() + i * dst_stride(),
                                          bytes.begin() + (i + 1) * dst_stride());
      };
      const std::string where = first_difference(dst(), part(got), part(all));
      if (!where.empty()) {
        return describe(src, dst(), orientation) + ", image " + std::to_string(i) + " of " +
               std::to_string(count) + ": " + where;
      }
    }
    return "no difference in any picture";
  }
};

}  // namespace qturn::tests
