// Frames of 4:2:0 for tests: where their planes lie.
#pragma once

#include <qturn/yuv.hpp>

#include <string>
#include <vector>

#include "tests/kernels/planar_pictures.hpp"

namespace qturn::tests {

inline std::string name(YuvFormat format) {
  const char* names[] = {"nv12", "p010", "i420"};
  return names[static_cast<int>(format)];
}

struct YuvTurn {
  using Image = YuvImage;

  YuvRule rule;
  SampleType dst_type;
  Size size;
  Orientation orientation;
  Layout luma;
  Layout chroma;
  Layout rows;
  std::int64_t plane_padding = 0;

  int bytes() const { return rule.format == YuvFormat::p010 ? 2 : 1; }
  PlanarFormat format() const {
    PlanarFormat format;
    format.src_type = bytes() == 2 ? SampleType::uint16 : SampleType::uint8;
    format.dst_type = dst_type;
    format.channel = {2, 0, 1};
    if (dst_type == SampleType::uint8) {
      format.scale = bytes() == 2 ? 255 / 1023.0 : 1;
    } else {
      format.scale = bytes() == 2 ? 1 / 1023.0 : 1 / 255.0;
      format.mean = {0.485, 0.456, 0.406};
      format.deviation = {0.229, 0.224, 0.225};
    }
    return format;
  }
  std::vector<Plan> src() const {
    const std::int64_t width = (size.width + 1) / 2;
    const std::int64_t height = (size.height + 1) / 2;
    const Plan of_luma{size.width, size.height, bytes(), luma};
    if (rule.format != YuvFormat::i420) return {of_luma, {width, height, 2 * bytes(), chroma}};
    return {of_luma, {width, height, 1, chroma}, {width, height, 1, luma}};
  }
  PlanarPlan dst() const {
    const Size turned = turned_size(orientation, size);
    return {turned.width,           turned.height, format().planes,
            sample_bytes(dst_type), rows,          plane_padding};
  }
  std::vector<std::int64_t> src_bytes() const {
    std::vector<std::int64_t> all;
    for (const Plan& plan : src()) all.push_back(plan.buffer_bytes());
    return all;
  }
  std::vector<std::int64_t> dst_bytes() const { return {dst().buffer_bytes()}; }
  Image image(const std::vector<void*>& from, const std::vector<void*>& to) const {
    Image image;
    image.luma = src()[0].view_in(from[0]);
    for (std::size_t i = 1; i < from.size(); ++i) image.chroma[i - 1] = src()[i].view_in(from[i]);
    image.dst = dst().view_in(to[0]);
    image.orientation = orientation;
    return image;
  }
  void on_cpu(const Image& image) const { yuv_to_planar(image, rule, format()); }
  std::string difference(std::size_t, const std::vector<unsigned char>& got,
                         const std::vector<unsigned char>& wanted) const {
    const std::string where = first_difference(dst(), 0, got, wanted);
    if (where.empty()) return {};
    const Plan plane{dst().width, dst().height, dst().bytes, rows};
    return name(rule.format) + " to " + name(dst_type) + ", " +
           describe(src()[0], plane, orientation) + ": " + where;
  }
};

/// Every orientation of a frame, as it lies in memory in several ways.
inline void add_all_yuv(std::vector<YuvTurn>& turns, YuvRule rule, SampleType dst_type, Size size) {
  const YuvTurn any{rule, dst_type, size, Orientation::identity, {}, {}, {}};
  const int from = any.bytes();
  const int to = sample_bytes(dst_type);
  for (const Orientation orientation : all_orientations) {
    turns.push_back({rule, dst_type, size, orientation, {}, {}, {}});
    turns.push_back(
        {rule, dst_type, size, orientation, {from, 3 * from}, {3 * from, from}, {to, 16}, 3 * to});
    turns.push_back({rule,
                     dst_type,
                     size,
                     orientation,
                     {3 * from, from, true},
                     {from, 0, true},
                     {3 * to, to, true},
                     to});
  }
}

}  // namespace qturn::tests
