// Planar pictures for the harness of device_pictures.hpp.
#pragma once

#include <qturn/cuda.hpp>
#include <qturn/planar.hpp>

#include <string>
#include <vector>

#include "tests/kernels/device_pictures.hpp"
#include "tests/kernels/planar_pictures.hpp"

namespace qturn::tests {

struct PlanarKind {
  SampleType src_type;
  int channels;
  SampleType dst_type;

  int pixel_bytes() const { return channels * sample_bytes(src_type); }
  std::string text() const {
    return name(src_type) + " x " + std::to_string(channels) + " to " + name(dst_type);
  }

  // Every number of planes and map of channels occurs with some kind.
  PlanarFormat format() const {
    PlanarFormat format;
    format.src_type = src_type;
    format.dst_type = dst_type;
    format.planes = 1 + (channels + 1 + static_cast<int>(dst_type)) % 4;
    const int first = static_cast<int>(src_type) + static_cast<int>(dst_type);
    for (int c = 0; c < 4; ++c) {
      const bool backwards = first % 2 == 1;
      format.channel[static_cast<std::size_t>(c)] =
          ((backwards ? 4 * channels - c : c) + first) % channels;
    }
    // Integers come to lie around 0; half of the random floats are not finite as a half.
    format.scale = src_type == SampleType::uint8    ? 1 / 255.0
                   : src_type == SampleType::uint16 ? 1 / 65535.0
                                                    : 1.5;
    format.mean = {0.485, 0.456, 0.406, 0.5};
    format.deviation = {0.229, 0.224, 0.225, -0.25};
    if (dst_type == SampleType::uint8) {
      // Some below 0 and some above 255; or every other integer a tie.
      const double by = channels < 3 ? 0.5 / format.scale : 128;
      format.scale *= by;
      for (std::size_t c = 0; c < 4; ++c) {
        format.mean[c] = channels < 3 ? 0 : by * format.mean[c];
        if (channels < 3) format.deviation[c] = 1;
      }
    }
    return format;
  }
};

inline std::vector<PlanarKind> planar_kinds() {
  std::vector<PlanarKind> all;
  for (SampleType src :
       {SampleType::uint8, SampleType::uint16, SampleType::float16, SampleType::float32}) {
    for (int channels : {1, 2, 3, 4}) {
      for (SampleType dst :
           {SampleType::uint8, SampleType::float16, SampleType::bfloat16, SampleType::float32}) {
        all.push_back({src, channels, dst});
      }
    }
  }
  return all;
}

/// How planes lie in their buffer.
struct PlanesLayout {
  Layout rows;
  std::int64_t plane_padding = 0;
};

struct PlanarTurn {
  using Image = PlanarImage;

  PlanarKind kind;
  Size size;
  Orientation orientation;
  Layout src_layout;
  PlanesLayout dst_layout;

  Plan src() const { return {size.width, size.height, kind.pixel_bytes(), src_layout}; }
  PlanarPlan dst() const {
    const Size turned = turned_size(orientation, size);
    return {turned.width,         turned.height,
            kind.format().planes, sample_bytes(kind.dst_type),
            dst_layout.rows,      dst_layout.plane_padding};
  }
  std::vector<std::int64_t> src_bytes() const { return {src().buffer_bytes()}; }
  std::vector<std::int64_t> dst_bytes() const { return {dst().buffer_bytes()}; }
  Image image(const std::vector<void*>& from, const std::vector<void*>& to) const {
    return {src().view_in(from[0]), dst().view_in(to[0]), orientation};
  }
  void on_cpu(const Image& image) const {
    to_planar(image.src, image.dst, image.orientation, kind.format());
  }
  std::string difference(std::size_t, const std::vector<unsigned char>& got,
                         const std::vector<unsigned char>& wanted) const {
    const PlanarPlan plan = dst();
    const std::string where = first_difference(plan, 0, got, wanted);
    if (where.empty()) return {};
    const Plan plane{plan.width, plan.height, plan.bytes, plan.layout};
    return kind.text() + ", " + describe(src(), plane, orientation) + ", planes padded by " +
           std::to_string(plan.plane_padding) + ": " + where;
  }
};

/// Every orientation of a picture, as it lies in memory in several ways.
inline void add_all_planar(std::vector<PlanarTurn>& turns, const PlanarKind& kind, Size size) {
  const std::int64_t from = sample_bytes(kind.src_type);
  const std::int64_t to = sample_bytes(kind.dst_type);
  for (const Orientation orientation : all_orientations) {
    const auto add = [&](Layout src, PlanesLayout dst) {
      turns.push_back({kind, size, orientation, src, dst});
    };
    const std::int64_t to_full_row = to_16(turned_size(orientation, size).width * to);
    add({}, {});
    add({from, 3 * from}, {{to_full_row, 16}, 0});
    add({to_16(size.width * kind.pixel_bytes()), 16, true}, {{to_full_row + 16, 32, true}, 48});
    add({3 * from, from, true}, {{3 * to, to, true}, to});
  }
}

inline void add_thin_planar(std::vector<PlanarTurn>& turns, int count, const PlanarKind& kind) {
  ThinPictures thin;
  for (int i = 0; i < count; ++i) {
    const Layout src = thin.layout({sample_bytes(kind.src_type), kind.pixel_bytes(), 16});
    const Layout dst = thin.layout({sample_bytes(kind.dst_type), 16});
    turns.push_back({kind, thin.size(), thin.orientation(), src, {dst, dst.padding}});
  }
}

}  // namespace qturn::tests
