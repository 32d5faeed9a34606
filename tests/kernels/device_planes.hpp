// Sets of planes for the harness of device_pictures.hpp.
#pragma once

#include <qturn/batch.hpp>
#include <qturn/cpu.hpp>
#include <qturn/cuda.hpp>

#include <string>
#include <vector>

#include "tests/kernels/device_pictures.hpp"

namespace qturn::tests {

/// The pixels of each plane beside luma of some size: {bytes, how chroma is subsampled}.
struct PlaneKind {
  int pixel_bytes;
  Subsampling subsampling;
};
struct PlanesKind {
  std::string name;
  std::vector<PlaneKind> planes;
};

inline std::vector<PlanesKind> planes_kinds() {
  constexpr Subsampling full = Subsampling::yuv444;
  std::vector<PlanesKind> all{
      {"NV12", {{1, full}, {2, Subsampling::yuv420}}},
      {"NV16", {{1, full}, {2, Subsampling::yuv422}}},
      {"P010", {{2, full}, {4, Subsampling::yuv420}}},
      {"grey", {{1, full}}},
      {"4:2:0 with alpha",
       {{1, full}, {1, Subsampling::yuv420}, {1, Subsampling::yuv420}, {1, full}}}};
  for (const Subsampling subsampling :
       {Subsampling::yuv420, Subsampling::yuv422, Subsampling::yuv440, Subsampling::yuv444}) {
    for (int bytes : {1, 2}) {
      all.push_back({std::to_string(bytes) + " bytes, subsampling " +
                         std::to_string(static_cast<int>(subsampling)),
                     {{bytes, full}, {bytes, subsampling}, {bytes, subsampling}}});
    }
  }
  return all;
}

/// The destination's chroma planes have the sizes that the turned subsampling asks for.
struct PlanesTurn {
  using Image = PlanesImage;

  PlanesKind kind;
  Size luma;
  Orientation orientation;
  Layout src_layout;
  Layout dst_layout;

  Plan src(std::size_t plane) const {
    const Size size = chroma_size(kind.planes[plane].subsampling, luma);
    return {size.width, size.height, kind.planes[plane].pixel_bytes, src_layout};
  }
  Plan dst(std::size_t plane) const {
    const Size size = chroma_size(turned(kind.planes[plane].subsampling, orientation),
                                  turned_size(orientation, luma));
    return {size.width, size.height, kind.planes[plane].pixel_bytes, dst_layout};
  }
  std::vector<std::int64_t> src_bytes() const {
    return bytes([&](std::size_t plane) { return src(plane); });
  }
  std::vector<std::int64_t> dst_bytes() const {
    return bytes([&](std::size_t plane) { return dst(plane); });
  }
  Image image(const std::vector<void*>& from, const std::vector<void*>& to) const {
    PlanesImage image;
    image.planes = static_cast<int>(kind.planes.size());
    image.orientation = orientation;
    for (std::size_t i = 0; i < kind.planes.size(); ++i) {
      image.src[i] = src(i).view_in(from[i]);
      image.dst[i] = dst(i).view_in(to[i]);
    }
    return image;
  }
  void on_cpu(const Image& image) const {
    for (int plane = 0; plane < image.planes; ++plane) {
      transform(image.src[plane], image.dst[plane], image.orientation);
    }
  }
  std::string difference(std::size_t plane, const std::vector<unsigned char>& got,
                         const std::vector<unsigned char>& wanted) const {
    const std::string where = first_difference(dst(plane), got, wanted);
    if (where.empty()) return {};
    return kind.name + ", plane " + std::to_string(plane) + ", " +
           describe(src(plane), dst(plane), orientation) + ": " + where;
  }

 private:
  template <class PlanOf>
  std::vector<std::int64_t> bytes(PlanOf plan_of) const {
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; i < kind.planes.size(); ++i) all.push_back(plan_of(i).buffer_bytes());
    return all;
  }
};

/// Pictures of one size, in all orientations and some layouts.
inline void add_all_planes(std::vector<PlanesTurn>& turns, const PlanesKind& kind, Size luma) {
  for (const Orientation orientation : all_orientations) {
    turns.push_back({kind, luma, orientation, {}, {}});
    turns.push_back({kind, luma, orientation, {4, 4, true}, {8, 4}});
    turns.push_back({kind, luma, orientation, {3, 1}, {1, 3, true}});
  }
}

inline void add_thin_planes(std::vector<PlanesTurn>& turns, int count, const PlanesKind& kind) {
  ThinPictures thin;
  for (int i = 0; i < count; ++i) {
    const Layout src = thin.layout({1, 4, 16});
    const Layout dst = thin.layout({1, 4, 16});
    turns.push_back({kind, thin.size(), thin.orientation(), src, dst});
  }
}

}  // namespace qturn::tests
