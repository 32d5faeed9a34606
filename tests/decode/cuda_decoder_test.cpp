// JpegDecoder on a GPU: the pixels and the planes of the CPU, whatever is damaged, within its
// memory.
#include <qturn/decoder.hpp>

#include <cuda_runtime_api.h>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "src/decode/read_files.hpp"
#include "tests/fixtures/sources.hpp"
#include "tests/kernels/device_memory.hpp"

namespace qturn::tests::cuda_decoder_test {
namespace {

struct Files {
  ReadFiles read;
  std::vector<EncodedPicture> pictures;

  /// The sample pictures several times, in all orientations; each ninth one is cut.
  explicit Files(int rounds) {
    std::vector<std::filesystem::path> paths;
    for (const auto& each :
         std::filesystem::recursive_directory_iterator(sources() / "testdata" / "samples"))
      if (each.is_regular_file()) paths.push_back(each.path());
    std::ranges::sort(paths);
    read = ReadFiles(paths);
    for (int round = 0; round < rounds; ++round) {
      for (const ReadFiles::File& file : read) {
        const std::size_t i = pictures.size();
        pictures.push_back({.data = file.bytes.data(),
                            .bytes = i % 9 == 8 ? file.bytes.size() / 2 : file.bytes.size(),
                            .orientation = static_cast<Orientation>(1 + i % 8)});
      }
    }
  }
};

struct Made {
  std::vector<std::vector<unsigned char>> pixels;
  std::vector<bool> is_bad;

  friend bool operator==(const Made&, const Made&) = default;
};

Made decoded_on_cpu(const Files& files) {
  const JpegDecoder decoder;
  DecoderBatch batch = decoder.open(files.pictures.data(), files.pictures.size());
  Made made;
  std::vector<View> views;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Size size = batch[i].size;
    made.pixels.emplace_back(static_cast<std::size_t>(3 * size.width * size.height));
    views.push_back({made.pixels.back().data(), size.width, size.height, 3 * size.width, 3});
  }
  decoder.decode(batch, views.data());
  for (std::size_t i = 0; i < batch.size(); ++i) made.is_bad.push_back(!batch[i].error.empty());
  return made;
}

Made decoded_on_gpu(const Files& files, const JpegDecoder& decoder) {
  Stream stream;
  DecoderBatch batch = decoder.open(files.pictures.data(), files.pictures.size());
  std::vector<std::unique_ptr<DeviceMemory>> memory;
  std::vector<View> views;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Size size = batch[i].size;
    const std::int64_t bytes = 3 * size.width * size.height;
    memory.push_back(std::make_unique<DeviceMemory>(std::max<std::int64_t>(bytes, 1)));
    must(cudaMemsetAsync(memory.back()->data(), 7, static_cast<std::size_t>(bytes), stream));
    views.push_back({memory.back()->data(), size.width, size.height, 3 * size.width, 3});
  }
  decoder.decode(batch, views.data(), stream);
  stream.wait();
  Made made;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    made.pixels.push_back(memory[i]->download(3 * views[i].width * views[i].height));
    made.is_bad.push_back(!batch[i].error.empty());
  }
  return made;
}

TEST_CASE("a GPU makes the pixels of the CPU, for many threads", "[gpu]") {
  need_gpu();
  const Files files(6);
  const Made wanted = decoded_on_cpu(files);
  const JpegDecoder decoder({.device = 0});
  std::vector<std::thread> threads;
  std::atomic<int> same{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { same += decoded_on_gpu(files, decoder) == wanted ? 1 : 0; });
  for (std::thread& thread : threads) thread.join();
  CHECK(same == 4);
}

constexpr std::int64_t crop_width = 45, crop_height = 33, crop_planes = 3;
constexpr std::int64_t crop_bytes = crop_width * crop_height * crop_planes * 4;

/// Crops to planes of floats, at `to`, one after the other; returns which of them are bad.
std::vector<bool> crop(const Files& files, const JpegDecoder& decoder, ResizeRule rule,
                       unsigned char* to, cudaStream_t stream) {
  const PlanarFormat format{
      .planes = 3, .channel = {2, 0, 1}, .mean = {0.5, 0.25, 0}, .deviation = {0.25, 1, 3}};
  DecoderBatch batch = decoder.open(files.pictures.data(), files.pictures.size());
  std::vector<PictureCrop> crops;
  std::vector<PlanarView> outputs;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto right = static_cast<float>(batch[i].size.width);
    const auto bottom = static_cast<float>(batch[i].size.height);
    crops.push_back(
        {{right / 7, 0.25F, right, bottom * 0.8F}, static_cast<Orientation>(1 + i / 3 % 8)});
    outputs.push_back({to + static_cast<std::int64_t>(i) * crop_bytes, crop_width, crop_height,
                       crop_width * 4, crop_width * crop_height * 4});
  }
  decoder.decode(batch, crops.data(), rule, outputs.data(), format, stream);
  std::vector<bool> bad;
  for (std::size_t i = 0; i < batch.size(); ++i) bad.push_back(!batch[i].error.empty());
  return bad;
}

TEST_CASE("a GPU crops and resizes as the CPU does", "[gpu]") {
  need_gpu();
  const Files files(3);
  const auto bytes = static_cast<std::int64_t>(files.pictures.size()) * crop_bytes;
  const JpegDecoder cpu;
  for (const std::uint64_t most : {std::uint64_t{4} << 30, std::uint64_t{64} << 20}) {
    const JpegDecoder gpu({.device = 0, .device_bytes = most});
    for (const auto filter :
         {ResizeFilter::nearest, ResizeFilter::bilinear, ResizeFilter::bicubic}) {
      for (const auto order : {PassOrder::pillow12, PassOrder::pillow13}) {
        const ResizeRule rule{filter, order};
        std::vector<unsigned char> wanted(static_cast<std::size_t>(bytes), 7);
        const std::vector<bool> bad = crop(files, cpu, rule, wanted.data(), nullptr);
        Stream stream;
        DeviceMemory memory(bytes);
        must(cudaMemsetAsync(memory.data(), 7, static_cast<std::size_t>(bytes), stream));
        CHECK(crop(files, gpu, rule, static_cast<unsigned char*>(memory.data()), stream) == bad);
        stream.wait();
        CHECK((memory.download(bytes) == wanted));
      }
    }
  }
}

TEST_CASE("a decoder takes memory from its caller and gives it back, however little it may take",
          "[gpu]") {
  need_gpu();
  const Files files(2);
  const Made wanted = decoded_on_cpu(files);
  for (const std::uint64_t most : {std::uint64_t{64} << 20, std::uint64_t{1} << 10}) {
    std::atomic<int> taken{0}, given{0};
    {
      const JpegDecoder decoder({.device = 0,
                                 .device_bytes = most,
                                 .page_locked_bytes = 1 << 20,
                                 .allocate =
                                     [&](std::size_t bytes, cudaStream_t) {
                                       void* memory = nullptr;
                                       must(cudaMalloc(&memory, bytes));
                                       ++taken;
                                       return memory;
                                     },
                                 .release =
                                     [&](void* memory, cudaStream_t stream) {
                                       must(cudaStreamSynchronize(stream));
                                       must(cudaFree(memory));
                                       ++given;
                                     }});
      CHECK(decoded_on_gpu(files, decoder) == wanted);
    }
    CHECK(taken == given);
    CHECK(taken > 0);
  }
}

}  // namespace
}  // namespace qturn::tests::cuda_decoder_test
