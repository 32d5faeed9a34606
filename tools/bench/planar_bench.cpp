#include <qturn/batch.hpp>
#include <qturn/planar.hpp>

#include <optional>

#include "tools/bench/arena.hpp"

namespace qturn::bench {
namespace {

// All orientations in turn if none is given.
using Turn = std::optional<Orientation>;

std::string text(Turn turn) {
  return turn ? std::string(name(*turn)) : std::string("all orientations");
}
std::string text(Size size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

std::int64_t up_to_256(std::int64_t bytes) { return (bytes + 255) / 256 * 256; }

// Measures `launch`, which reads `read` bytes from arena.src and writes `written` bytes to
// arena.dst, `stride` bytes a slot, against a copy of the mean of both, which moves as many bytes.
void measure(Arena& arena, const EntryChoice& choice, std::int64_t read, std::int64_t written,
             std::int64_t stride, const GpuTimer::Launch& launch, EntryResult result,
             const EntryListener& listener) {
  if (!choice.wants(result.what, result.pixel_bytes)) return;
  arena.measure_bound(result, (read + written) / 2, stride, choice.batches);
  arena.measure(result, launch, read + written, stride, choice.batches);
  listener(result);
}

struct Samples {
  SampleType src;
  int channels;
  SampleType dst;
  std::string text;
};

void measure_planar(Arena& arena, const EntryChoice& choice, const Samples& samples,
                    std::size_t count, Size size, Turn turn, const EntryListener& listener) {
  PlanarFormat format;
  format.src_type = samples.src;
  format.dst_type = samples.dst;
  format.scale = 1 / 255.0;
  format.mean = {0.485, 0.456, 0.406};
  format.deviation = {0.229, 0.224, 0.225};
  const int pixel_bytes = samples.channels * sample_bytes(samples.src);
  const std::int64_t pixels = size.width * size.height;
  const std::int64_t src_bytes = pixels * pixel_bytes;
  const std::int64_t dst_bytes = pixels * format.planes * sample_bytes(samples.dst);
  const auto images_of = static_cast<std::int64_t>(count);
  const std::int64_t stride = up_to_256(images_of * std::max(src_bytes, dst_bytes));

  std::vector<std::vector<PlanarImage>> slots;
  for (std::int64_t slot = 0; slot < launches_of_a_batch(stride); ++slot) {
    std::vector<PlanarImage>& images = slots.emplace_back();
    for (std::int64_t i = 0; i < images_of; ++i) {
      const Orientation orientation =
          turn ? *turn : all_orientations[static_cast<std::size_t>(i % 8)];
      const Size turned = turned_size(orientation, size);
      const std::int64_t pitch = turned.width * sample_bytes(samples.dst);
      images.push_back({{arena.src.at(slot * stride + i * src_bytes), size.width, size.height,
                         size.width * pixel_bytes, pixel_bytes},
                        {arena.dst.at(slot * stride + i * dst_bytes), turned.width, turned.height,
                         pitch, pitch * turned.height},
                        orientation});
    }
  }
  EntryResult result;
  result.what = (count > 1 ? std::to_string(count) + " of " : "") + text(size) + " " +
                samples.text + ", " + text(turn);
  result.pixel_bytes = pixel_bytes;
  measure(
      arena, choice, images_of * src_bytes, images_of * dst_bytes, stride,
      [&](std::int64_t slot, cudaStream_t stream) {
        const std::vector<PlanarImage>& images = slots[static_cast<std::size_t>(slot)];
        to_planar_batch(images.data(), images.size(), format, stream);
      },
      result, listener);
}

struct PlaneKind {
  int pixel_bytes;
  Subsampling subsampling;
};

void measure_planes(Arena& arena, const EntryChoice& choice, const std::string& kind,
                    const std::vector<PlaneKind>& planes, Size luma, Orientation orientation,
                    const EntryListener& listener) {
  struct Place {
    Size size;
    Size turned;
    int pixel_bytes;
    std::int64_t at;
  };
  std::vector<Place> places;
  std::int64_t bytes = 0;
  std::int64_t stride = 0;
  for (const PlaneKind& plane : planes) {
    const Size size = chroma_size(plane.subsampling, luma);
    places.push_back({size, turned_size(orientation, size), plane.pixel_bytes, stride});
    bytes += size.width * size.height * plane.pixel_bytes;
    stride += up_to_256(size.width * size.height * plane.pixel_bytes);
  }
  EntryResult result;
  result.what = kind + " " + text(luma) + ", " + std::string(name(orientation));
  result.pixel_bytes = planes.front().pixel_bytes;
  measure(
      arena, choice, bytes, bytes, stride,
      [&](std::int64_t slot, cudaStream_t stream) {
        PlanesImage image;
        image.planes = static_cast<int>(places.size());
        image.orientation = orientation;
        for (std::size_t i = 0; i < places.size(); ++i) {
          const Place& p = places[i];
          const std::int64_t at = slot * stride + p.at;
          image.src[i] = {arena.src.at(at), p.size.width, p.size.height,
                          p.size.width * p.pixel_bytes, p.pixel_bytes};
          image.dst[i] = {arena.dst.at(at), p.turned.width, p.turned.height,
                          p.turned.width * p.pixel_bytes, p.pixel_bytes};
        }
        transform_planes(&image, 1, stream);
      },
      result, listener);
}

}  // namespace

void measure_planar(int device, const EntryChoice& choice, const EntryListener& listener) {
  must(cudaSetDevice(device));
  Arena arena;
  using enum SampleType;
  const Samples to_half{uint8, 3, float16, "bytes to halves"};
  const Samples to_float{uint8, 3, float32, "bytes to floats"};
  const Turn some[] = {Orientation::identity, Orientation::flop, Orientation::rotate90, {}};
  for (const Samples& samples : {to_half, to_float}) {
    for (const Turn turn : some) {
      measure_planar(arena, choice, samples, 256, {224, 224}, turn, listener);
    }
    measure_planar(arena, choice, samples, 256, {227, 227}, {}, listener);
    for (const Turn turn : {some[1], some[2]}) {
      measure_planar(arena, choice, samples, 1, {4096, 4096}, turn, listener);
    }
  }
  const Samples others[] = {{uint8, 4, float16, "bytes to halves, alpha dropped"},
                            {uint16, 3, float16, "uint16 to halves"},
                            {float32, 3, bfloat16, "floats to bfloat16s"},
                            {float32, 3, float32, "floats to floats"}};
  for (const Samples& samples : others) {
    for (const Turn turn : {some[1], some[2]}) {
      measure_planar(arena, choice, samples, 1, {4096, 4096}, turn, listener);
    }
  }
  constexpr Subsampling full = Subsampling::yuv444;
  constexpr Subsampling quarter = Subsampling::yuv420;
  for (const Orientation orientation : {Orientation::flop, Orientation::rotate90}) {
    measure_planes(arena, choice, "NV12", {{1, full}, {2, quarter}}, {3840, 2160}, orientation,
                   listener);
    measure_planes(arena, choice, "P010", {{2, full}, {4, quarter}}, {3840, 2160}, orientation,
                   listener);
    measure_planes(arena, choice, "4:2:0", {{1, full}, {1, quarter}, {1, quarter}}, {7680, 4320},
                   orientation, listener);
  }
}

}  // namespace qturn::bench
