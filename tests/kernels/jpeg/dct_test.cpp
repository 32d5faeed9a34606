// The arithmetic of kernels/jpeg, run on the CPU: libjpeg's results, bit for bit.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "kernels/jpeg/src/pixels.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/jpeg_samples.hpp"
#include "tests/fixtures/sources.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tests/kernels/jpeg/transforms.hpp"

namespace qturn::tests::jpeg_dct_test {
namespace {

struct Comparison {
  int in_range = 0, out_of_range = 0, different = 0;
};

Comparison compare(const SamplePlane& wanted, const JpegComponent& component) {
  Comparison found;
  for (int i = 0; i < static_cast<int>(component.blocks.size()); ++i) {
    const RestoredBlock block =
        restored(component.blocks[static_cast<std::size_t>(i)], component.table);
    ++(block.in_range ? found.in_range : found.out_of_range);
    if (!block.in_range) continue;
    const int left = i % component.blocks_wide * 8, top = i / component.blocks_wide * 8;
    for (int k = 0; k < 64; ++k) {
      found.different +=
          block.samples[static_cast<std::size_t>(k)] != wanted.at(left + k % 8, top + k / 8);
    }
  }
  return found;
}

TEST_CASE("samples are libjpeg's, wherever its versions agree") {
  std::mt19937 random(3);
  struct Kind {
    int largest, largest_step;
    bool has_all_in_range, has_most_out_of_range;
  };
  const auto kind = GENERATE(Kind{20, 1, true, false}, Kind{20, 16, false, false},
                             Kind{400, 1, false, false}, Kind{1023, 255, false, true},
                             Kind{1023, 32767, false, true}, Kind{1, 16383, false, true});
  GreyBlocks picture{48, 48, {}, random_blocks(48 * 48, kind.largest, random), {}};
  for (UINT16& step : picture.steps) {
    step = static_cast<UINT16>(1 + random() % static_cast<unsigned>(kind.largest_step));
  }
  const Bytes file = make_grey(picture);
  const JpegInside inside = look_inside(file);
  const Comparison found = compare(planes_in(file).at(0), inside.components.at(0));
  CAPTURE(kind.largest, kind.largest_step, found.in_range, found.out_of_range);
  CHECK(found.different == 0);
  CHECK(found.in_range > 0);
  if (kind.has_all_in_range) CHECK(found.out_of_range == 0);
  if (kind.has_most_out_of_range) CHECK(found.out_of_range > found.in_range);
}

TEST_CASE("samples of pictures are libjpeg's, and none is out of range") {
  const std::filesystem::path folder = sources() / "testdata/samples";
  int pictures = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".jpg") continue;
    INFO(entry.path());
    const Bytes file = owned(content_of(entry.path()));
    const JpegInside inside = look_inside(file);
    const std::vector<SamplePlane> wanted = planes_in(file);
    for (std::size_t c = 0; c < wanted.size(); ++c) {
      const Comparison found = compare(wanted[c], inside.components[c]);
      CHECK(found.different == 0);
      CHECK(found.out_of_range == 0);
    }
    ++pictures;
  }
  CHECK(pictures >= 7);
}

TEST_CASE("noise, black and white are in range, too") {
  std::mt19937 random(5);
  GreyBlocks picture{64, 64, {}, {}, random_samples(64 * 64 * 64, random)};
  picture.steps.fill(GENERATE(1, 7, 60));
  const Bytes file = make_grey(picture);
  const Comparison found = compare(planes_in(file).at(0), look_inside(file).components.at(0));
  CHECK(found.different == 0);
  CHECK(found.out_of_range == 0);
}

TEST_CASE("coefficients of samples are libjpeg's") {
  std::mt19937 random(4);
  GreyBlocks picture{64, 64, {}, {}, random_samples(64 * 64 * 64, random)};
  const unsigned largest_step = GENERATE(1u, 4u, 255u, 8191u);
  for (UINT16& step : picture.steps) step = static_cast<UINT16>(1 + random() % largest_step);
  const JpegInside inside = look_inside(make_grey(picture));
  std::array<jpeg::Divisor, 64> divisors;
  std::transform(picture.steps.begin(), picture.steps.end(), divisors.begin(),
                 [](std::uint32_t step) { return jpeg::Divisor(step); });
  int different = 0, not_zero = 0;
  for (std::size_t i = 0; i < 64 * 64; ++i) {
    std::array<std::uint8_t, 64> samples;
    for (std::size_t k = 0; k < 64; ++k) {
      samples[k] = picture.samples[(i / 64 * 8 + k / 8) * 512 + i % 64 * 8 + k % 8];
    }
    const std::array<std::int32_t, 64> found = transformed(samples, divisors.data());
    for (std::size_t k = 0; k < 64; ++k) {
      different += found[k] != inside.components[0].blocks[i][k];
      not_zero += found[k] != 0;
    }
  }
  CHECK(different == 0);
  CHECK(not_zero > 1000);
}

TEST_CASE("dividing by a step rounds to the nearest") {
  int different = 0;
  for (std::int32_t step = 1; step <= 8191; ++step) {
    const jpeg::Divisor divisor(static_cast<std::uint32_t>(step));
    const auto check = [&](std::int32_t value) {
      if (value > 32767) return;
      const std::int32_t wanted = (value + 4 * step) / (8 * step);
      different += divisor.divide(value) != wanted;
      different += divisor.divide(-value) != -wanted;
    };
    for (std::int32_t edge = 4 * step; edge <= 32768; edge += 4 * step) {
      for (std::int32_t value = edge - 2; value <= edge + 2; ++value) check(value);
    }
    check(0);
    check(32767);
  }
  CHECK(different == 0);
}

TEST_CASE("pixels equal libjpeg's") {
  struct Sampling {
    int h, v;
  };
  const auto sampling = GENERATE(Sampling{1, 1}, Sampling{2, 1}, Sampling{1, 2}, Sampling{2, 2},
                                 Sampling{4, 1}, Sampling{1, 4}, Sampling{4, 2}, Sampling{2, 4});
  const int width = GENERATE(1, 2, 4, 5, 6, 97, 200), height = GENERATE(1, 2, 3, 16, 45, 160);
  const bool repeats_samples = GENERATE(false, true);
  CAPTURE(sampling.h, sampling.v, width, height, repeats_samples);
  const Bytes file = make_jpeg({.width = width,
                                .height = height,
                                .h = sampling.h,
                                .v = sampling.v,
                                .quality = 100,
                                .noisy = true});
  const std::vector<SamplePlane> planes = planes_in(file);
  const std::vector<JSAMPLE> wanted = rgb_in(file, repeats_samples);
  int different = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      std::int32_t values[3];
      for (std::size_t c = 0; c < 3; ++c) {
        // Only read, but the type is for both.
        const jpeg::Plane plane{const_cast<JSAMPLE*>(planes[c].samples.data()), planes[c].pitch, 0,
                                0};
        const jpeg::SharedSamples shared{c == 0 ? 1u : static_cast<std::uint32_t>(sampling.h),
                                         c == 0 ? 1u : static_cast<std::uint32_t>(sampling.v),
                                         static_cast<std::uint32_t>(planes[c].width),
                                         static_cast<std::uint32_t>(planes[c].height)};
        values[c] = jpeg::value_at(plane, shared, !repeats_samples, static_cast<std::uint32_t>(x),
                                   static_cast<std::uint32_t>(y));
        const int in_run = x % static_cast<int>(jpeg::pixels_in_run), run = x - in_run;
        if (!jpeg::has_runs(shared) || run + static_cast<int>(jpeg::pixels_in_run) > width)
          continue;
        std::int32_t of_run[jpeg::pixels_in_run];
        jpeg::values_at(plane, shared, !repeats_samples, static_cast<std::uint32_t>(run),
                        static_cast<std::uint32_t>(y), of_run);
        different += of_run[in_run] != values[c];
      }
      const jpeg::Rgb rgb = jpeg::rgb_of(values[0], values[1], values[2]);
      const JSAMPLE* pixel = &wanted[static_cast<std::size_t>((y * width + x) * 3)];
      different += rgb.r != pixel[0] || rgb.g != pixel[1] || rgb.b != pixel[2];
    }
  }
  CHECK(different == 0);
}

}  // namespace
}  // namespace qturn::tests::jpeg_dct_test
