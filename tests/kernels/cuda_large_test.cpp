// Pictures beyond 2^31 bytes in the calls that build on transform(), whose own are in
// cuda_transform_test.cpp. What a call makes of a whole picture is compared, byte for byte on the
// device's memory, with what transform() makes of it or with the same call on pieces that are small
// enough. The same is done to small pictures, which shows that the pieces make the whole.
#include <qturn/batch.hpp>
#include <qturn/cuda.hpp>
#include <qturn/planar.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <string>

#include "tests/fixtures/pictures.hpp"
#include "tests/kernels/device_kernels.hpp"
#include "tests/kernels/device_memory.hpp"

namespace qturn::tests::cuda_large_test {
namespace {

// A packed picture on the device.
struct Picture {
  Size size;
  int pixel_bytes;
  DeviceMemory memory{bytes()};

  std::int64_t bytes() const { return size.width * size.height * pixel_bytes; }
  View view() const {
    return {memory.data(), size.width, size.height, size.width * pixel_bytes, pixel_bytes};
  }
};

void fill(const Picture& picture) {
  fill_by_place(picture.memory.data(), picture.bytes(), nullptr);
  must(cudaDeviceSynchronize());
}

// Where two pieces of memory differ; empty if they do not.
std::string difference(const DeviceMemory& a, const DeviceMemory& b, std::int64_t bytes) {
  const std::int64_t at = first_difference(a.data(), b.data(), bytes);
  return at < 0 ? "" : "byte " + std::to_string(at);
}

void check_batch(Size size, int pixel_bytes, Orientation orientation) {
  const Picture src{size, pixel_bytes}, small{{100, 30}, pixel_bytes};
  const Picture wanted{turned_size(orientation, size), pixel_bytes};
  const Picture got{wanted.size, pixel_bytes}, small_got{{30, 100}, pixel_bytes};
  fill(src);
  Stream stream;
  transform(src.view(), wanted.view(), orientation, stream);
  const BatchImage images[] = {{small.view(), small_got.view(), Orientation::rotate90},
                               {src.view(), got.view(), orientation}};
  transform_batch(images, 2, stream);
  stream.wait();
  CHECK(difference(got.memory, wanted.memory, got.bytes()) == "");

  must(cudaMemset(got.memory.data(), 0, static_cast<std::size_t>(got.bytes())));
  const DeviceMemory list(sizeof images);
  const DeviceMemory workspace(static_cast<std::int64_t>(batch_workspace_bytes(2)));
  must(cudaMemcpy(list.data(), images, sizeof images, cudaMemcpyHostToDevice));
  must(cudaDeviceSynchronize());
  transform_batch(static_cast<const BatchImage*>(list.data()), 2, pixel_bytes, workspace.data(),
                  stream);
  stream.wait();
  CHECK(difference(got.memory, wanted.memory, got.bytes()) == "");
}

void check_in_place(Size size, int pixel_bytes, Orientation orientation) {
  const Picture picture{size, pixel_bytes};
  const Picture wanted{turned_size(orientation, size), pixel_bytes};
  fill(picture);
  Stream stream;
  transform(picture.view(), wanted.view(), orientation, stream);
  transform_in_place(picture.view(), orientation, stream);
  stream.wait();
  CHECK(difference(picture.memory, wanted.memory, wanted.bytes()) == "");
}

// NV12: samples of a byte, and pairs of them at half the size.
void check_planes(Size size, Orientation orientation) {
  const Size half = chroma_size(Subsampling::yuv420, size);
  const Picture luma{size, 1}, chroma{half, 2};
  const Picture wanted_luma{turned_size(orientation, size), 1};
  const Picture wanted_chroma{turned_size(orientation, half), 2};
  const Picture got_luma{wanted_luma.size, 1}, got_chroma{wanted_chroma.size, 2};
  fill(luma);
  fill(chroma);
  Stream stream;
  transform(luma.view(), wanted_luma.view(), orientation, stream);
  transform(chroma.view(), wanted_chroma.view(), orientation, stream);
  const PlanesImage image{
      {luma.view(), chroma.view()}, {got_luma.view(), got_chroma.view()}, 2, orientation};
  transform_planes(&image, 1, stream);
  stream.wait();
  CHECK(difference(got_luma.memory, wanted_luma.memory, got_luma.bytes()) == "");
  CHECK(difference(got_chroma.memory, wanted_chroma.memory, got_chroma.bytes()) == "");
}

// Bytes to halves, whole and in strips of rows.
void check_planar(Size size, Orientation orientation) {
  constexpr int channels = 3, sample = 2;
  constexpr std::int64_t strips = 7;
  const Picture src{size, channels};
  fill(src);
  const Size turned = turned_size(orientation, size);
  const std::int64_t plane = turned.width * turned.height * sample;
  const DeviceMemory whole(channels * plane), in_pieces(channels * plane);
  PlanarFormat format;
  format.src_type = SampleType::uint8;
  format.dst_type = SampleType::float16;
  format.planes = channels;
  format.scale = 1 / 255.0;
  const auto planes_in = [&](const DeviceMemory& memory, std::int64_t x, std::int64_t y,
                             Size part) {
    return PlanarView{static_cast<unsigned char*>(memory.data()) + (y * turned.width + x) * sample,
                      part.width, part.height, turned.width * sample, plane};
  };
  Stream stream;
  to_planar(src.view(), planes_in(whole, 0, 0, turned), orientation, format, stream);
  for (std::int64_t i = 0; i < strips; ++i) {
    const std::int64_t begin = size.height * i / strips, end = size.height * (i + 1) / strips;
    View strip = src.view();
    strip.data = static_cast<unsigned char*>(strip.data) + begin * strip.pitch;
    strip.height = end - begin;
    const Position corner = [&] {
      // Where the strip's place in the turned picture begins.
      const Reading r = reading(orientation);
      const std::int64_t from = r.from_bottom ? size.height - end : begin;
      return r.swap_axes ? Position{from, 0} : Position{0, from};
    }();
    to_planar(strip,
              planes_in(in_pieces, corner.x, corner.y,
                        turned_size(orientation, {strip.width, strip.height})),
              orientation, format, stream);
  }
  stream.wait();
  CHECK(difference(whole, in_pieces, channels * plane) == "");
}

}  // namespace

TEST_CASE("what other calls make of a picture is what transform makes of it, and of its pieces",
          "[gpu]") {
  need_gpu();
  const Orientation orientation =
      GENERATE(Orientation::rotate270, Orientation::rotate90, Orientation::rotate180,
               Orientation::transverse, Orientation::flip);
  check_batch({501, 403}, 3, orientation);
  check_in_place({403, 403}, 3, orientation);
  check_planes({500, 402}, orientation);
  check_planar({501, 403}, orientation);
}

TEST_CASE("batches with pictures over 2^31 bytes are turned right", "[.large]") {
  need_gpu();
  const Orientation orientation = GENERATE(Orientation::rotate270, Orientation::rotate180);
  check_batch({50'001, 50'003}, 1, orientation);
  check_batch({40'000, 20'000}, 3, orientation);
}

TEST_CASE("pictures over 2^31 bytes are turned in place", "[.large]") {
  need_gpu();
  check_in_place({50'001, 50'003}, 1, Orientation::rotate180);
  check_in_place({50'001, 50'003}, 1, Orientation::flop);
  check_in_place({28'000, 28'000}, 3, Orientation::rotate90);
}

TEST_CASE("planes over 2^31 bytes are turned right", "[.large]") {
  need_gpu();
  check_planes({50'000, 70'002}, Orientation::rotate90);
  check_planes({50'000, 70'002}, Orientation::flop);
}

TEST_CASE("pictures over 2^31 bytes are made planar", "[.large]") {
  need_gpu();
  check_planar({30'000, 25'001}, Orientation::rotate270);
  check_planar({30'000, 25'001}, Orientation::rotate180);
}

}  // namespace qturn::tests::cuda_large_test
