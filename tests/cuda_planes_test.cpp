#include <qturn/planes.hpp>
#include <qturn/transform.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <string>
#include <vector>

#include "tests/device_memory.hpp"
#include "tests/pictures.hpp"

namespace qturn::tests {
namespace {

using Catch::Matchers::Message;

void need_gpu() {
  if (device_count() == 0) SKIP("no GPU");
}

// The pixels of each plane beside luma of some size: {bytes, how chroma is subsampled}.
struct PlaneKind {
  int pixel_bytes;
  Subsampling subsampling;
};
struct Kind {
  std::string name;
  std::vector<PlaneKind> planes;
};

constexpr Subsampling full = Subsampling::yuv444;

std::vector<Kind> kinds() {
  std::vector<Kind> all{
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

struct Plane {
  Plan src;
  Plan dst;
};
struct Picture {
  std::string name;
  std::vector<Plane> planes;
  Orientation orientation;
};

// The destination's chroma planes have the sizes that the turned subsampling asks for.
Picture picture(const Kind& kind, Size luma, Orientation orientation, Layout src, Layout dst) {
  Picture made{kind.name, {}, orientation};
  const Size turned_luma = turned_size(orientation, luma);
  for (const PlaneKind& plane : kind.planes) {
    const Size size = chroma_size(plane.subsampling, luma);
    const Size turned_plane = chroma_size(turned(plane.subsampling, orientation), turned_luma);
    made.planes.push_back({{size.width, size.height, plane.pixel_bytes, src},
                           {turned_plane.width, turned_plane.height, plane.pixel_bytes, dst}});
  }
  return made;
}

// All planes of all pictures on the device, one behind the other, and what the CPU makes of them.
class Pictures {
 public:
  explicit Pictures(std::vector<Picture> pictures)
      : pictures_(std::move(pictures)),
        src_(bytes(&Plane::src)),
        dst_(bytes(&Plane::dst)),
        poison_(random_bytes(bytes(&Plane::dst), 52)) {
    fill(51);
  }

  // Other pixels, and a destination that holds none of the old ones.
  void fill(std::uint64_t seed) {
    const std::vector<unsigned char> pixels = random_bytes(bytes(&Plane::src), seed);
    src_.upload(pixels);
    dst_.upload(poison_);
    wanted_ = poison_;
    for (const PlanesImage& image :
         images_in(const_cast<unsigned char*>(pixels.data()), wanted_.data())) {
      for (int plane = 0; plane < image.planes; ++plane) {
        transform(image.src[plane], image.dst[plane], image.orientation);
      }
    }
  }

  std::vector<PlanesImage> images() const { return images_in(src_.data(), dst_.data()); }

  std::string difference() const {
    const auto got = dst_.download(static_cast<std::int64_t>(wanted_.size()));
    if (got == wanted_) return {};
    std::int64_t at = 0;
    for (const Picture& picture : pictures_) {
      for (const Plane& plane : picture.planes) {
        const auto part = [&](const std::vector<unsigned char>& all) {
          return std::vector<unsigned char>(all.begin() + at,
                                            all.begin() + at + plane.dst.buffer_bytes());
        };
        const std::string difference = first_difference(plane.dst, part(got), part(wanted_));
        if (!difference.empty()) {
          return picture.name + ", " + describe(plane.src, plane.dst, picture.orientation) + ": " +
                 difference;
        }
        at += place_bytes(plane.dst);
      }
    }
    return "a byte between two planes";
  }

 private:
  // Every plane begins at a multiple of 64, but for its own offset.
  static std::int64_t place_bytes(const Plan& plan) { return (plan.buffer_bytes() + 63) / 64 * 64; }

  std::int64_t bytes(Plan Plane::*side) const {
    std::int64_t sum = 1;
    for (const Picture& picture : pictures_) {
      for (const Plane& plane : picture.planes) sum += place_bytes(plane.*side);
    }
    return sum;
  }

  std::vector<PlanesImage> images_in(void* src, void* dst) const {
    std::vector<PlanesImage> all;
    auto* from = static_cast<unsigned char*>(src);
    auto* to = static_cast<unsigned char*>(dst);
    for (const Picture& picture : pictures_) {
      PlanesImage image;
      image.planes = static_cast<int>(picture.planes.size());
      image.orientation = picture.orientation;
      for (std::size_t i = 0; i < picture.planes.size(); ++i) {
        image.src[i] = picture.planes[i].src.view_in(from);
        image.dst[i] = picture.planes[i].dst.view_in(to);
        from += place_bytes(picture.planes[i].src);
        to += place_bytes(picture.planes[i].dst);
      }
      all.push_back(image);
    }
    return all;
  }

  std::vector<Picture> pictures_;
  DeviceMemory src_;
  DeviceMemory dst_;
  std::vector<unsigned char> poison_;
  std::vector<unsigned char> wanted_;
};

// Pictures of one size, in all orientations and some layouts.
std::vector<Picture> turned_pictures(const Kind& kind, Size luma) {
  std::vector<Picture> pictures;
  for (const Orientation orientation : all_orientations) {
    pictures.push_back(picture(kind, luma, orientation, {}, {}));
    pictures.push_back(picture(kind, luma, orientation, {4, 4, true}, {8, 4}));
    pictures.push_back(picture(kind, luma, orientation, {3, 1}, {1, 3, true}));
  }
  return pictures;
}

void require_equal_to_cpu(const std::vector<Picture>& pictures, Stream& stream) {
  const Pictures all(pictures);
  const std::vector<PlanesImage> images = all.images();
  transform_planes(images.data(), images.size(), stream);
  stream.wait();
  const std::string difference = all.difference();
  if (!difference.empty()) FAIL(difference);
}

TEST_CASE("a quarter turn makes 4:4:0 of 4:2:2 and back, and of nothing else anything else") {
  for (const Orientation orientation : all_orientations) {
    const bool swaps = swaps_axes(orientation);
    CHECK(turned(Subsampling::yuv422, orientation) ==
          (swaps ? Subsampling::yuv440 : Subsampling::yuv422));
    CHECK(turned(Subsampling::yuv440, orientation) ==
          (swaps ? Subsampling::yuv422 : Subsampling::yuv440));
    CHECK(turned(Subsampling::yuv420, orientation) == Subsampling::yuv420);
    CHECK(turned(Subsampling::yuv444, orientation) == Subsampling::yuv444);
  }
}

TEST_CASE("chroma planes have halves rounded up, and turn with their luma") {
  STATIC_REQUIRE(chroma_size(Subsampling::yuv420, {7, 4}) == Size{4, 2});
  STATIC_REQUIRE(chroma_size(Subsampling::yuv422, {7, 5}) == Size{4, 5});
  STATIC_REQUIRE(chroma_size(Subsampling::yuv440, {7, 5}) == Size{7, 3});
  STATIC_REQUIRE(chroma_size(Subsampling::yuv444, {7, 5}) == Size{7, 5});
  for (const Orientation orientation : all_orientations) {
    for (const Subsampling subsampling :
         {Subsampling::yuv444, Subsampling::yuv422, Subsampling::yuv440, Subsampling::yuv420}) {
      const Size luma{7, 12};
      CHECK(turned_size(orientation, chroma_size(subsampling, luma)) ==
            chroma_size(turned(subsampling, orientation), turned_size(orientation, luma)));
    }
  }
}

TEST_CASE("all planes of a picture are turned as the CPU turns them", "[gpu]") {
  need_gpu();
  const Kind kind = GENERATE(from_range(kinds()));
  Stream stream;
  std::vector<Picture> pictures;
  for (const Size luma : {Size{1, 1}, Size{2, 2}, Size{31, 65}, Size{129, 64}, Size{257, 255}}) {
    for (Picture& picture : turned_pictures(kind, luma)) pictures.push_back(std::move(picture));
  }
  require_equal_to_cpu(pictures, stream);
}

TEST_CASE("every kernel for pixels of two sizes stays within its memory", "[gpu][sanitizer]") {
  need_gpu();
  Stream stream;
  for (const std::size_t kind : {0u, 2u}) {
    std::vector<Picture> pictures = turned_pictures(kinds()[kind], {131, 70});
    for (Picture& picture : turned_pictures(kinds()[kind], {64, 96})) {
      pictures.push_back(std::move(picture));
    }
    require_equal_to_cpu(pictures, stream);
  }
}

TEST_CASE("more planes than a launch holds are all turned, and pictures without any left out",
          "[gpu]") {
  need_gpu();
  Stream stream;
  std::vector<Picture> pictures;
  for (std::size_t i = 0; i < batch_images_in_a_launch; ++i) {
    const auto width = static_cast<std::int64_t>(1 + i % 9);
    pictures.push_back(picture(kinds()[0], {width, 6}, all_orientations[i % 8], {}, {}));
    if (i % 100 == 0) pictures.push_back({"none", {}, Orientation::flip});
  }
  require_equal_to_cpu(pictures, stream);
}

TEST_CASE("captured planes are turned again at every replay, with the pixels of then", "[gpu]") {
  need_gpu();
  const Kind kind = kinds()[GENERATE(0u, 2u, 5u)];
  Stream stream;
  Pictures pictures(turned_pictures(kind, {50, 34}));
  std::vector<PlanesImage> images = pictures.images();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replayable = nullptr;
  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  transform_planes(images.data(), images.size(), stream);
  must(cudaStreamEndCapture(stream, &graph));
  images.clear();
  must(cudaGraphInstantiate(&replayable, graph, 0));
  for (std::uint64_t seed : {61u, 62u}) {
    pictures.fill(seed);
    must(cudaGraphLaunch(replayable, stream));
    stream.wait();
    CHECK(pictures.difference() == "");
  }
  must(cudaGraphExecDestroy(replayable));
  must(cudaGraphDestroy(graph));
}

unsigned char memory[4096];

PlanesImage small_image(int luma_bytes, int chroma_bytes) {
  PlanesImage image;
  image.planes = 2;
  image.src[0] = {memory, 4, 4, 4 * luma_bytes, luma_bytes};
  image.dst[0] = {memory + 512, 4, 4, 4 * luma_bytes, luma_bytes};
  image.src[1] = {memory + 1024, 2, 2, 2 * chroma_bytes, chroma_bytes};
  image.dst[1] = {memory + 1536, 2, 2, 2 * chroma_bytes, chroma_bytes};
  return image;
}

TEST_CASE("no pictures, and pictures without planes, enqueue nothing, with or without a GPU") {
  CHECK_NOTHROW(transform_planes(nullptr, 0, nullptr));
  const PlanesImage none;
  CHECK_NOTHROW(transform_planes(&none, 1, nullptr));
}

TEST_CASE("a plane that transform() would refuse is refused by its place") {
  PlanesImage images[2] = {small_image(1, 2), small_image(1, 2)};
  images[1].dst[1].width = 3;
  CHECK_THROWS_MATCHES(transform_planes(images, 2, nullptr), std::invalid_argument,
                       Message("image 1, plane 1: dst is 3x2, expected 2x2"));
  images[0].dst[0].pixel_bytes = 2;
  CHECK_THROWS_MATCHES(transform_planes(images, 2, nullptr), std::invalid_argument,
                       Message("image 0, plane 0: dst has pixels of 2 bytes, expected 1"));
}

TEST_CASE("a number of planes out of range is refused") {
  PlanesImage image = small_image(1, 2);
  image.planes = 5;
  CHECK_THROWS_MATCHES(transform_planes(&image, 1, nullptr), std::invalid_argument,
                       Message("image 0 has 5 planes, expected 0 to 4"));
  image.planes = -1;
  CHECK_THROWS_MATCHES(transform_planes(&image, 1, nullptr), std::invalid_argument,
                       Message("image 0 has -1 planes, expected 0 to 4"));
}

TEST_CASE("pixels of two sizes that no launch is made for are refused with both") {
  const PlanesImage image = small_image(1, 3);
  CHECK_THROWS_MATCHES(transform_planes(&image, 1, nullptr), std::invalid_argument,
                       Message("image 0, plane 1 has pixels of 3 bytes beside 1, expected one "
                               "size, or 1 and 2, or 2 and 4"));
  const PlanesImage images[2] = {small_image(1, 2), small_image(2, 4)};
  CHECK_THROWS_MATCHES(transform_planes(images, 2, nullptr), std::invalid_argument,
                       Message("image 1, plane 1 has pixels of 4 bytes beside 1, expected one "
                               "size, or 1 and 2, or 2 and 4"));
}

TEST_CASE("pictures at address 0 are refused") {
  CHECK_THROWS_MATCHES(transform_planes(nullptr, 1, nullptr), std::invalid_argument,
                       Message("images at address 0"));
}

TEST_CASE("without a GPU planes say so by CudaError") {
  if (device_count() > 0) SKIP("there is a GPU");
  const PlanesImage image = small_image(1, 2);
  CHECK_THROWS_AS(transform_planes(&image, 1, nullptr), CudaError);
}

}  // namespace
}  // namespace qturn::tests
