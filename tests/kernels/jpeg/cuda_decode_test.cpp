// JPEGs decoded on a GPU: libjpeg's coefficients, samples and pixels, bit for bit.
#include <qturn/cuda.hpp>
#include <qturn/jpeg_decode_cuda.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <random>
#include <string>
#include <vector>

#include "tests/fixtures/jpeg_samples.hpp"
#include "tests/kernels/jpeg/device_jpegs.hpp"

namespace qturn::tests::jpeg_cuda_decode_test {
namespace {

using Catch::Matchers::Message;

/// How a component's steps are given: row by row.
JpegSteps steps_of(const JpegComponent& component) {
  JpegSteps steps;
  std::copy(component.table.begin(), component.table.end(), steps.begin());
  return steps;
}

/// What is wanted of a picture, in host memory.
struct Wanted {
  bool coefficients = true, samples = true, pixels = false;
  bool repeats_samples = false;
  bool hidden_samples = false;  ///< whole blocks
  std::int64_t padding = 0;     ///< of rows
};

struct Decoded {
  JpegResult result;
  std::vector<std::vector<unsigned char>> coefficients, samples;  ///< by component
  std::vector<unsigned char> pixels;
};

/// The memory that views of it lie in, in order.
class Views {
 public:
  View add(std::int64_t width, std::int64_t height, int pixel_bytes, std::int64_t padding) {
    View view{nullptr, width, height, width * pixel_bytes + padding, pixel_bytes};
    views_.push_back(view);
    return view;
  }
  std::vector<std::size_t> sizes() const {
    std::vector<std::size_t> sizes;
    for (const View& view : views_)
      sizes.push_back(static_cast<std::size_t>(view.pitch * view.height));
    return sizes;
  }
  /// Row by row, without padding, which must be untouched.
  std::vector<unsigned char> packed(std::size_t i, const std::vector<unsigned char>& bytes) const {
    const View& view = views_[i];
    std::vector<unsigned char> rows;
    int touched = 0;
    for (std::int64_t y = 0; y < view.height; ++y) {
      const auto first = bytes.begin() + y * view.pitch;
      rows.insert(rows.end(), first, first + view.row_bytes());
      for (std::int64_t x = view.row_bytes(); x < view.pitch; ++x) touched += first[x] != poison;
    }
    CHECK(touched == 0);
    return rows;
  }

 private:
  std::vector<View> views_;
};

std::vector<Decoded> decode_on_gpu(const std::vector<ScanTurn>& scans, const Wanted& wanted) {
  const DeviceScans src(scans);
  std::vector<JpegScanDecode> decodes;
  Views blocks, bytes;
  for (std::size_t i = 0; i < scans.size(); ++i) {
    JpegScanDecode decode;
    decode.src = scans[i].turn.src;
    decode.data = src.data(i);
    decode.bytes = scans[i].data().size();
    const JpegInside inside = look_inside(scans[i].file);
    for (int c = 0; c < decode.src.components; ++c) {
      auto& component = decode.component[c];
      component.steps = steps_of(inside.components[static_cast<std::size_t>(c)]);
      const Size in_blocks = jpeg_blocks(decode.src, c), in_samples = jpeg_samples(decode.src, c);
      if (wanted.coefficients) {
        component.coefficients =
            blocks.add(in_blocks.width, in_blocks.height, 128, wanted.padding * 16);
      }
      const Size size =
          wanted.hidden_samples ? Size{in_blocks.width * 8, in_blocks.height * 8} : in_samples;
      if (wanted.samples) component.samples = bytes.add(size.width, size.height, 1, wanted.padding);
    }
    decode.repeats_samples = wanted.repeats_samples;
    if (wanted.pixels) {
      decode.pixels = bytes.add(decode.src.size.width, decode.src.size.height, 3, wanted.padding);
    }
    decodes.push_back(decode);
  }
  const PoisonedMemory block_memory(blocks.sizes(), 16), byte_memory(bytes.sizes());
  std::size_t block_view = 0, byte_view = 0;
  for (JpegScanDecode& decode : decodes) {
    for (int c = 0; c < decode.src.components; ++c) {
      auto& component = decode.component[c];
      if (wanted.coefficients) component.coefficients.data = block_memory.data(block_view++);
      if (wanted.samples) component.samples.data = byte_memory.data(byte_view++);
    }
    if (wanted.pixels) decode.pixels.data = byte_memory.data(byte_view++);
  }
  const Workspaces workspaces(jpeg_decode_workspace(decodes.data(), decodes.size()));
  const HostMemory<JpegResult> results(scans.size());
  Stream stream;
  decode_jpegs(decodes.data(), decodes.size(), workspaces.device(), workspaces.host(),
               results.data(), stream);
  stream.wait();
  const auto block_bytes = block_memory.download(block_memory.sizes());
  const auto other_bytes = byte_memory.download(byte_memory.sizes());
  std::vector<Decoded> all;
  block_view = byte_view = 0;
  for (std::size_t i = 0; i < scans.size(); ++i) {
    Decoded decoded{results.data()[i], {}, {}, {}};
    const auto take = [](const Views& views, std::size_t& at, const auto& pieces) {
      const std::size_t now = at++;
      return views.packed(now, pieces[now]);
    };
    for (int c = 0; c < decodes[i].src.components; ++c) {
      if (wanted.coefficients) {
        decoded.coefficients.push_back(take(blocks, block_view, block_bytes));
      }
      if (wanted.samples) decoded.samples.push_back(take(bytes, byte_view, other_bytes));
    }
    if (wanted.pixels) decoded.pixels = take(bytes, byte_view, other_bytes);
    all.push_back(std::move(decoded));
  }
  return all;
}

int different_coefficients(const std::vector<unsigned char>& got, const JpegComponent& wanted) {
  REQUIRE(got.size() == 128 * wanted.blocks.size());
  int different = 0;
  for (std::size_t i = 0; i < wanted.blocks.size(); ++i) {
    different += std::memcmp(got.data() + 128 * i, wanted.blocks[i].data(), 128) != 0;
  }
  return different;
}

int different_samples(const std::vector<unsigned char>& got, const SamplePlane& wanted,
                      bool hidden) {
  const int width = hidden ? wanted.pitch : wanted.width;
  const int height =
      hidden ? static_cast<int>(wanted.samples.size()) / wanted.pitch : wanted.height;
  REQUIRE(got.size() == static_cast<std::size_t>(width * height));
  int different = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      different += got[static_cast<std::size_t>(y * width + x)] != wanted.at(x, y);
    }
  }
  return different;
}

std::vector<ScanTurn> scans_of_all_kinds(bool noisy) {
  std::vector<ScanTurn> scans;
  for (JpegPicture kind : one_scan_kinds()) {
    kind.noisy = noisy;
    for (const Size size : {Size{96, 64}, Size{91, 61}, Size{5, 3}, Size{400, 300}}) {
      kind.width = static_cast<int>(size.width), kind.height = static_cast<int>(size.height);
      scans.emplace_back(make_jpeg(kind), Orientation::identity);
    }
  }
  return scans;
}

TEST_CASE("a JPEG decoded on a GPU has libjpeg's coefficients and samples", "[gpu][sanitizer]") {
  need_gpu();
  Wanted wanted;
  SECTION("as large as the picture") {}
  SECTION("with what the file hides, and padding after rows") {
    wanted.hidden_samples = true;
    wanted.padding = 8;
  }
  SECTION("with rows at any address") {
    wanted.coefficients = false;
    wanted.padding = 3;
  }
  const std::vector<ScanTurn> scans = scans_of_all_kinds(wanted.hidden_samples);
  const std::vector<Decoded> decoded = decode_on_gpu(scans, wanted);
  for (std::size_t i = 0; i < scans.size(); ++i) {
    INFO("picture " << i);
    CHECK_FALSE(decoded[i].result.faults.any());
    CHECK(decoded[i].result.src_bytes == scan_data(scans[i].file).size());
    const JpegInside inside = look_inside(scans[i].file);
    const std::vector<SamplePlane> planes = planes_in(scans[i].file);
    for (std::size_t c = 0; c < planes.size(); ++c) {
      if (wanted.coefficients) {
        CHECK(different_coefficients(decoded[i].coefficients[c], inside.components[c]) == 0);
      }
      CHECK(different_samples(decoded[i].samples[c], planes[c], wanted.hidden_samples) == 0);
    }
  }
}

TEST_CASE("a JPEG decoded on a GPU has libjpeg's pixels", "[gpu][sanitizer]") {
  need_gpu();
  struct Sampling {
    int h, v;
  };
  std::vector<ScanTurn> scans;
  for (const Sampling sampling : {Sampling{1, 1}, Sampling{2, 1}, Sampling{1, 2}, Sampling{2, 2},
                                  Sampling{4, 1}, Sampling{1, 4}, Sampling{3, 1}}) {
    for (const int width : {31, 97, 256}) {
      scans.emplace_back(make_jpeg({.width = width,
                                    .height = width / 2 + 6,
                                    .h = sampling.h,
                                    .v = sampling.v,
                                    .noisy = width != 97}),
                         Orientation::identity);
    }
  }
  Wanted wanted{.coefficients = false, .samples = false, .pixels = true, .padding = 1};
  SECTION("alone") {}
  SECTION("samples repeated") { wanted.repeats_samples = true; }
  SECTION("with samples") { wanted.samples = true; }
  const std::vector<Decoded> decoded = decode_on_gpu(scans, wanted);
  for (std::size_t i = 0; i < scans.size(); ++i) {
    INFO("picture " << i);
    CHECK_FALSE(decoded[i].result.faults.any());
    CHECK(decoded[i].pixels == rgb_in(scans[i].file, wanted.repeats_samples));
  }
}

TEST_CASE("what not all of libjpeg's versions decode to the same is given up", "[gpu][sanitizer]") {
  need_gpu();
  std::mt19937 random(8);
  std::vector<ScanTurn> scans;
  for (const int step : {1, 255}) {
    GreyBlocks picture{16, 16, {}, random_blocks(256, 1023, random), {}};
    picture.steps.fill(static_cast<UINT16>(step));
    if (step == 1) picture.blocks = random_blocks(256, 20, random);
    scans.emplace_back(make_grey(picture), Orientation::identity);
  }
  const std::vector<Decoded> decoded = decode_on_gpu(scans, {});
  CHECK_FALSE(decoded[0].result.faults.any());
  CHECK(decoded[1].result.faults == JpegFault::range);
  // Coefficients have no such limits.
  const std::vector<Decoded> alone = decode_on_gpu(scans, {.samples = false});
  for (std::size_t i = 0; i < scans.size(); ++i) {
    CHECK_FALSE(alone[i].result.faults.any());
    CHECK(different_coefficients(alone[i].coefficients[0],
                                 look_inside(scans[i].file).components[0]) == 0);
  }
}

TEST_CASE("a damaged JPEG does not disturb the others that are decoded", "[gpu][sanitizer]") {
  Stream stream;
  std::vector<ScanTurn> scans;
  for (int i = 0; i < 12; ++i) {
    scans.emplace_back(make_jpeg({.width = 91, .height = 61, .h = 2, .v = 2}),
                       Orientation::identity);
    if (i % 3 == 0) scans.back().file.resize(scans.back().file.size() - 100);
    if (i % 3 == 1) scans.back().turn.src.size = {65000, 65000};  // known before it is read
  }
  const std::vector<Decoded> decoded =
      decode_on_gpu({scans[2], scans[0], scans[3], scans[5]}, {.pixels = true});
  CHECK(decoded[1].result.faults.any());
  CHECK(decoded[2].result.faults.any());
  for (const std::size_t i : {0, 3}) {
    CHECK_FALSE(decoded[i].result.faults.any());
    CHECK(decoded[i].pixels == rgb_in(scans[2].file, false));
  }
  // With a size that its data is too short for, nothing is written.
  JpegScanDecode decode;
  decode.src = scans[1].turn.src;
  decode.bytes = scans[1].data().size();
  CHECK(jpeg_decode_workspace(&decode, 1).device_bytes < 1 << 20);
  const Workspaces workspaces(jpeg_decode_workspace(&decode, 1));
  const HostMemory<JpegResult> result(1);
  decode_jpegs(&decode, 1, workspaces.device(), workspaces.host(), result.data(), stream);
  stream.wait();
  CHECK(result.data()->faults == JpegFault::missing_blocks);
}

TEST_CASE("what cannot be decoded to is refused before anything is enqueued", "[gpu]") {
  need_gpu();
  const ScanTurn scan(make_jpeg({.width = 91, .height = 61, .h = 2, .v = 2}),
                      Orientation::identity);
  const auto refuses = [&](auto change, const std::string& message) {
    std::vector<JpegScanDecode> decodes(2);
    for (JpegScanDecode& decode : decodes) decode.src = scan.turn.src;
    change(decodes[1]);
    CHECK_THROWS_MATCHES(jpeg_decode_workspace(decodes.data(), decodes.size()),
                         std::invalid_argument, Message("picture 1: " + message));
  };
  void* const somewhere = reinterpret_cast<void*>(4096);
  refuses([](auto& decode) { decode.src.components = 5; }, "5 components, expected 1 to 4");
  refuses(
      [&](auto& decode) {
        decode.component[1].samples = {somewhere, 45, 31, 46, 1};
      },
      "samples of component 1 are 45x31, expected 46x31 to 48x32");
  refuses(
      [&](auto& decode) {
        decode.component[0].samples = {somewhere, 97, 64, 97, 1};
      },
      "samples of component 0 are 97x64, expected 91x61 to 96x64");
  refuses(
      [&](auto& decode) {
        decode.component[0].samples = {somewhere, 91, 61, 91, 2};
      },
      "samples of component 0 have 2 bytes each, expected 1");
  refuses(
      [&](auto& decode) {
        decode.component[2].coefficients = {somewhere, 6, 5, 768, 128};
      },
      "coefficients of component 2 are 6x5 blocks, expected 6x4");
  refuses(
      [&](auto& decode) {
        decode.component[2].coefficients = {somewhere, 6, 4, 776, 128};
      },
      "coefficients of component 2 have an address or a pitch that is not a multiple of 16");
  refuses(
      [&](auto& decode) {
        decode.pixels = {somewhere, 91, 60, 273, 3};
      },
      "pixels are 91x60, expected 91x61");
  refuses(
      [&](auto& decode) {
        decode.pixels = {somewhere, 91, 61, 364, 4};
      },
      "pixels have 4 bytes each, expected 3");
  refuses(
      [&](auto& decode) {
        decode.pixels = {somewhere, 91, 61, 273, 3};
        decode.src.component[0].h = 3;
        decode.src.component[1].h = 2;
        decode.src.component[0].v = decode.src.component[1].v = 1;
      },
      "component 1 has a sampling factor that does not divide the greatest one");
  CHECK_THROWS_MATCHES(jpeg_samples(scan.turn.src, 3), std::invalid_argument,
                       Message("component 3 of 3"));
}

}  // namespace
}  // namespace qturn::tests::jpeg_cuda_decode_test
