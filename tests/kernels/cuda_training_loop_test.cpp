// The training loop of kernels/examples: what a model gets is what the CPU makes of the files.
#include <qturn/planar.hpp>

#include <catch2/catch_test_macros.hpp>

#include <turbojpeg.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "batch_loader.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tests/kernels/device_memory.hpp"

namespace cuda_training_loop_test {

using namespace qturn;
using training_loop::Batch;
using training_loop::BatchLoader;
using training_loop::BatchOptions;

namespace {

using Bytes = std::vector<unsigned char>;

constexpr int side = 24;

// Smooth, so that a JPEG of it is close to it, and no two orientations are alike.
Bytes picture(int width, int height, int number) {
  Bytes pixels;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int value : {x * 255 / width, y * 255 / height, number * 9 % 256}) {
        pixels.push_back(static_cast<unsigned char>(value));
      }
    }
  }
  return pixels;
}

void write_jpeg(const std::filesystem::path& path, int width, int height, int number) {
  const Bytes pixels = picture(width, height, number);
  unsigned char* jpeg = nullptr;
  unsigned long bytes = 0;
  tjhandle codec = tjInitCompress();
  const int result = tjCompress2(codec, pixels.data(), width, 0, height, TJPF_RGB, &jpeg, &bytes,
                                 TJSAMP_420, 92, 0);
  tjDestroy(codec);
  REQUIRE(result == 0);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(jpeg), static_cast<std::streamsize>(bytes));
  tjFree(jpeg);
}

Bytes crop_of(const std::filesystem::path& path) {
  Bytes crop(std::size_t{side} * side * 3);
  training_loop::decode_crop(path, side, crop.data());
  return crop;
}

void write_pictures(const std::filesystem::path& folder, int count) {
  for (int i = 0; i < count; ++i) {
    write_jpeg(folder / (std::to_string(i) + (i % 2 == 0 ? ".jpg" : ".jpeg")), side + i * 5,
               side + i % 3 * 20, i);
  }
}

// What the batch's memory has to hold.
Bytes expected(const Batch& batch, const std::vector<std::filesystem::path>& paths) {
  constexpr std::size_t planes_bytes = std::size_t{side} * side * 3 * 2;
  Bytes all(static_cast<std::size_t>(batch.count) * planes_bytes);
  for (std::size_t i = 0; i < batch.pictures.size(); ++i) {
    const Bytes crop = crop_of(paths[batch.pictures[i]]);
    to_planar({crop.data(), side, side, side * 3, 3},
              {all.data() + i * planes_bytes, side, side, side * 2, side * side * 2},
              batch.orientations[i], training_loop::imagenet_format());
  }
  return all;
}

BatchOptions options_for(const TemporaryFolder& folder) {
  BatchOptions options;
  options.folder = folder.path();
  options.batch = 8;
  options.side = side;
  options.decoders = 3;
  options.seed = 7;
  return options;
}

struct Seen {
  std::vector<int> counts;
  std::vector<std::size_t> pictures;
  std::vector<Orientation> orientations;
};

Seen run_epoch(BatchLoader& loader, std::uint64_t epoch, cudaStream_t stream) {
  Seen seen;
  loader.start_epoch(epoch);
  while (const auto batch = loader.next(stream)) {
    const Bytes wanted = expected(*batch, loader.pictures());
    Bytes got(wanted.size());
    tests::must(
        cudaMemcpyAsync(got.data(), batch->data, got.size(), cudaMemcpyDeviceToHost, stream));
    tests::must(cudaStreamSynchronize(stream));
    CHECK(got == wanted);
    seen.counts.push_back(batch->count);
    seen.pictures.insert(seen.pictures.end(), batch->pictures.begin(), batch->pictures.end());
    seen.orientations.insert(seen.orientations.end(), batch->orientations.begin(),
                             batch->orientations.end());
  }
  return seen;
}

}  // namespace

TEST_CASE("a crop is the middle of the picture at the smallest scale that covers it") {
  const TemporaryFolder folder;
  // Scaled by 3/8 it is 24 x 39, so the crop begins at 7.5 / 39 of its height.
  write_jpeg(folder.path() / "a.jpg", 64, 104, 3);
  const Bytes crop = crop_of(folder.path() / "a.jpg");
  const auto at = [&](int x, int y, int channel) {
    return int{crop[static_cast<std::size_t>((y * side + x) * 3 + channel)]};
  };
  constexpr int near = 12;
  CHECK(std::abs(at(0, 0, 0) - 3) <= near);
  CHECK(std::abs(at(side - 1, 0, 0) - 250) <= near);
  CHECK(std::abs(at(0, 0, 1) - 7 * 255 / 39) <= near);
  CHECK(std::abs(at(0, side - 1, 1) - 30 * 255 / 39) <= near);
}

TEST_CASE("a damaged picture, and one that is too small, are named") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a.jpg";
  write_jpeg(path, side - 1, side, 0);
  CHECK_THROWS_AS(crop_of(path), std::runtime_error);
  write_jpeg(path, 64, 64, 0);
  CHECK_NOTHROW(crop_of(path));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 40);
  CHECK_THROWS_AS(crop_of(path), std::runtime_error);
}

TEST_CASE("every batch of an epoch is what the CPU makes of its pictures", "[gpu]") {
  if (tests::device_count() == 0) SKIP("no GPU");
  const TemporaryFolder folder;
  write_pictures(folder.path(), 21);
  BatchLoader loader(options_for(folder));
  tests::Stream stream;

  const Seen first = run_epoch(loader, 0, stream);
  CHECK(first.counts == std::vector<int>{8, 8, 5});
  std::vector<std::size_t> sorted = first.pictures;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) CHECK(sorted[i] == i);

  const Seen second = run_epoch(loader, 1, stream);
  CHECK(second.counts == first.counts);
  CHECK(second.pictures != first.pictures);

  BatchLoader other(options_for(folder));
  const Seen again = run_epoch(other, 1, stream);
  CHECK(again.pictures == second.pictures);
  CHECK(again.orientations == second.orientations);
}

TEST_CASE("an epoch ends with the exception of a damaged picture, and another can start", "[gpu]") {
  if (tests::device_count() == 0) SKIP("no GPU");
  const TemporaryFolder folder;
  write_pictures(folder.path(), 9);
  BatchLoader loader(options_for(folder));
  tests::Stream stream;
  const auto damaged = folder.path() / "4.jpg";
  std::filesystem::resize_file(damaged, 100);
  CHECK_THROWS_AS(run_epoch(loader, 0, stream), std::runtime_error);
  write_jpeg(damaged, 40, 40, 4);
  CHECK(run_epoch(loader, 0, stream).pictures.size() == 9);
}

}  // namespace cuda_training_loop_test
