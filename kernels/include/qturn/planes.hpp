// The planes of a picture in device memory (luma and chroma, perhaps alpha), turned in one launch.
//
//   // NV12 at 1920 x 1080: a plane of luma bytes and a plane of chroma pairs.
//   qturn::PlanesImage image;
//   image.planes = 2;
//   image.src[0] = {luma, 1920, 1080, pitch, 1};
//   image.src[1] = {chroma, 960, 540, pitch, 2};
//   image.dst[0] = {turned_luma, 1080, 1920, turned_pitch, 1};
//   image.dst[1] = {turned_chroma, 540, 960, turned_pitch, 2};
//   image.orientation = qturn::Orientation::rotate90;
//   qturn::transform_planes(&image, 1, stream);
#ifndef QTURN_PLANES_HPP
#define QTURN_PLANES_HPP

#include <qturn/batch.hpp>

#include <cstddef>

namespace qturn {

/// How many luma pixels share one chroma pixel: one (yuv444), two beside each other (yuv422), two
/// above each other (yuv440), or four (yuv420).
enum class Subsampling : std::uint8_t { yuv444, yuv422, yuv440, yuv420 };

/// What becomes of it when its picture is turned: a quarter turn makes 4:4:0 of 4:2:2, and 4:2:2 of
/// 4:4:0; all else stays what it is.
///
/// That holds for chroma pairs too: NV16 (4:2:2) turned by a quarter is 4:4:0 with chroma pairs,
/// which is good data, but few programs have a name for it. NV12 and P010 (4:2:0) stay NV12 and
/// P010 in every orientation.
constexpr Subsampling turned(Subsampling subsampling, Orientation orientation) {
  if (!swaps_axes(orientation)) return subsampling;
  switch (subsampling) {
    case Subsampling::yuv422:
      return Subsampling::yuv440;
    case Subsampling::yuv440:
      return Subsampling::yuv422;
    default:
      return subsampling;
  }
}

/// The size of a chroma plane beside luma of size `luma`; halves are rounded up.
constexpr Size chroma_size(Subsampling subsampling, Size luma) {
  const bool half_width = subsampling == Subsampling::yuv422 || subsampling == Subsampling::yuv420;
  const bool half_height = subsampling == Subsampling::yuv440 || subsampling == Subsampling::yuv420;
  return {half_width ? (luma.width + 1) / 2 : luma.width,
          half_height ? (luma.height + 1) / 2 : luma.height};
}

/// The first `planes` (0 to 4) of `dst` become those of `src` seen in `orientation`, each as in
/// transform(). A plane of chroma pairs (NV12, P010) has pixels of two samples.
struct PlanesImage {
  ConstView src[4];
  View dst[4];
  int planes = 0;
  Orientation orientation = Orientation::identity;
};

/// Enqueues all planes of all `count` images and returns without waiting. Allocates nothing, does
/// not read `images` later; may be captured in a graph.
///
/// All planes together take one launch, up to batch_images_in_a_launch of them. Their pixels have
/// one size, or two: 1 and 2 bytes, as in NV12, or 2 and 4, as in P010. Sizes, pitches, alignments
/// and orientations may differ from image to image. The rules of transform() hold for each plane,
/// and no destination may overlap another plane of the call, which is not checked.
///
/// Every plane is turned by itself, whatever its size. Where a halved side of the luma is odd, its
/// last chroma pixel covers one luma pixel, not two; if that side is mirrored or turned to the
/// other end, the chroma then sits half a chroma pixel off. Nothing is resampled here.
///
/// Throws std::invalid_argument, before anything is enqueued, for what transform() refuses, a
/// number of planes out of range and pixels of other sizes, with the numbers of image and plane;
/// CudaError when a launch fails.
QTURN_EXPORT void transform_planes(const PlanesImage* images, std::size_t count,
                                   cudaStream_t stream);

}  // namespace qturn

#endif  // QTURN_PLANES_HPP
