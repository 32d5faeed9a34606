#include "batch_loader.hpp"

#include <turbojpeg.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

namespace training_loop {
namespace {

void must(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

std::shared_ptr<unsigned char> device_memory(std::size_t bytes) {
  void* memory = nullptr;
  must(cudaMalloc(&memory, bytes));
  return {static_cast<unsigned char*>(memory), cudaFree};
}

std::shared_ptr<unsigned char> page_locked_memory(std::size_t bytes) {
  void* memory = nullptr;
  must(cudaMallocHost(&memory, bytes));
  return {static_cast<unsigned char*>(memory), cudaFreeHost};
}

std::shared_ptr<CUevent_st> event() {
  cudaEvent_t made = nullptr;
  must(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
  return {made, cudaEventDestroy};
}

std::vector<unsigned char> read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<unsigned char> bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw std::runtime_error(path.string() + ": cannot be read");
  return bytes;
}

// The same for the same seed, epoch and picture, whatever the order and the threads.
qturn::Orientation orientation_of(std::uint64_t seed, std::uint64_t epoch, std::size_t picture) {
  std::seed_seq numbers{seed, seed >> 32, epoch, epoch >> 32, std::uint64_t{picture}};
  return qturn::all_orientations[std::mt19937(numbers)() % qturn::all_orientations.size()];
}

}  // namespace

qturn::PlanarFormat imagenet_format() {
  qturn::PlanarFormat format;
  format.src_type = qturn::SampleType::uint8;
  format.dst_type = qturn::SampleType::float16;
  format.scale = 1 / 255.0;
  format.mean = {0.485, 0.456, 0.406};
  format.deviation = {0.229, 0.224, 0.225};
  return format;
}

void decode_crop(const std::filesystem::path& path, int side, unsigned char* to) {
  const std::vector<unsigned char> file = read(path);
  const std::unique_ptr<void, int (*)(void*)> codec(tjInitDecompress(), tjDestroy);
  const auto check = [&](int result) {
    if (result != 0) throw std::runtime_error(path.string() + ": " + tjGetErrorStr2(codec.get()));
  };
  int width = 0, height = 0, subsampling = 0, space = 0;
  check(tjDecompressHeader3(codec.get(), file.data(), file.size(), &width, &height, &subsampling,
                            &space));
  if (width < side || height < side) {
    throw std::runtime_error(path.string() + ": " + std::to_string(width) + " x " +
                             std::to_string(height) + " is too small for a crop of " +
                             std::to_string(side));
  }
  int count = 0;
  const tjscalingfactor* factors = tjGetScalingFactors(&count);
  int scaled_width = width, scaled_height = height;
  for (const tjscalingfactor& factor : std::vector(factors, factors + count)) {
    const int w = TJSCALED(width, factor), h = TJSCALED(height, factor);
    if (w >= side && h >= side && w < scaled_width) scaled_width = w, scaled_height = h;
  }
  const std::size_t row = std::size_t{3} * static_cast<std::size_t>(scaled_width);
  std::vector<unsigned char> pixels(row * static_cast<std::size_t>(scaled_height));
  check(tjDecompress2(codec.get(), file.data(), file.size(), pixels.data(), scaled_width, 0,
                      scaled_height, TJPF_RGB, 0));
  const auto left = static_cast<std::size_t>((scaled_width - side) / 2);
  const auto top = static_cast<std::size_t>((scaled_height - side) / 2);
  for (std::size_t y = 0; y < static_cast<std::size_t>(side); ++y) {
    to = std::copy_n(pixels.data() + (top + y) * row + left * 3, side * 3, to);
  }
}

BatchLoader::BatchLoader(BatchOptions options) : options_(std::move(options)) {
  if (options_.batch < 1 || options_.side < 1 || options_.decoders < 1) {
    throw std::invalid_argument("batch, side and decoders are at least 1");
  }
  for (const auto& entry : std::filesystem::directory_iterator(options_.folder)) {
    const auto suffix = entry.path().extension();
    if (suffix == ".jpg" || suffix == ".jpeg") pictures_.push_back(entry.path());
  }
  if (pictures_.empty()) throw std::runtime_error(options_.folder.string() + ": holds no JPEG");
  std::sort(pictures_.begin(), pictures_.end());

  const std::size_t bytes = static_cast<std::size_t>(options_.batch) * crop_bytes();
  crops_ = device_memory(bytes);
  planes_ = device_memory(2 * bytes);
  for (Slot& slot : slots_) {
    slot.pixels = page_locked_memory(bytes);
    slot.uploaded = event();
  }
}

BatchLoader::~BatchLoader() {
  for (Slot& slot : slots_) {
    slot.decoders.clear();  // waits for them
    cudaEventSynchronize(slot.uploaded.get());
  }
}

std::size_t BatchLoader::crop_bytes() const {
  const auto side = static_cast<std::size_t>(options_.side);
  return side * side * 3;
}

void BatchLoader::start_epoch(std::uint64_t epoch) {
  for (Slot& slot : slots_) {
    slot.decoders.clear();  // waits for them
    slot.pictures.clear();
  }
  epoch_ = epoch;
  order_.resize(pictures_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::shuffle(order_.begin(), order_.end(), std::mt19937_64(options_.seed ^ epoch));
  begun_ = 0;
  start_decoding(slots_[turn_]);
}

void BatchLoader::start_decoding(Slot& slot) {
  // Waits for the decoders that still run after a damaged picture.
  slot.decoders.clear();
  const std::size_t count =
      std::min(static_cast<std::size_t>(options_.batch), order_.size() - begun_);
  const auto first = order_.begin() + static_cast<std::ptrdiff_t>(begun_);
  slot.pictures.assign(first, first + static_cast<std::ptrdiff_t>(count));
  begun_ += count;
  slot.next_picture = 0;
  for (int i = 0; i < options_.decoders && count != 0; ++i) {
    slot.decoders.push_back(std::async(std::launch::async, [this, &slot] {
      must(cudaEventSynchronize(slot.uploaded.get()));
      for (std::size_t p; (p = slot.next_picture++) < slot.pictures.size();) {
        decode_crop(pictures_[slot.pictures[p]], options_.side,
                    slot.pixels.get() + p * crop_bytes());
      }
    }));
  }
}

std::optional<Batch> BatchLoader::next(cudaStream_t stream) {
  Slot& slot = slots_[turn_];
  if (slot.pictures.empty()) return std::nullopt;
  turn_ = 1 - turn_;
  start_decoding(slots_[turn_]);
  for (auto& decoder : slot.decoders) decoder.get();

  Batch batch;
  batch.data = planes_.get();
  batch.count = static_cast<int>(slot.pictures.size());
  batch.pictures = slot.pictures;
  const std::size_t crop = crop_bytes();
  must(cudaMemcpyAsync(crops_.get(), slot.pixels.get(), slot.pictures.size() * crop,
                       cudaMemcpyHostToDevice, stream));
  must(cudaEventRecord(slot.uploaded.get(), stream));

  const std::int64_t side = options_.side;
  std::vector<qturn::PlanarImage> images;
  for (std::size_t i = 0; i < slot.pictures.size(); ++i) {
    batch.orientations.push_back(orientation_of(options_.seed, epoch_, slot.pictures[i]));
    images.push_back({.src = {.data = crops_.get() + i * crop,
                              .width = side,
                              .height = side,
                              .pitch = side * 3,
                              .pixel_bytes = 3},
                      .dst = {.data = planes_.get() + i * crop * 2,
                              .width = side,
                              .height = side,
                              .pitch = side * 2,
                              .plane_pitch = side * side * 2},
                      .orientation = batch.orientations.back()});
  }
  qturn::to_planar_batch(images.data(), images.size(), imagenet_format(), stream);
  return batch;
}

}  // namespace training_loop
