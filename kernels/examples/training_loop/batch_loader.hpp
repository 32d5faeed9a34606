// A folder of JPEGs as normalised batches on the GPU, each picture in an orientation of its own.
//
//   decoder threads:  file -> pixels, at the smallest scale that still covers the crop
//                          -> the crop, in page-locked memory        (one batch ahead)
//   the stream:       upload -> qturn::to_planar_batch -> the model
//
// Pictures come in an order, and in orientations, that depend on seed and epoch alone.
#pragma once

#include <cuda_runtime_api.h>
#include <qturn/planar.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <vector>

namespace training_loop {

struct BatchOptions {
  std::filesystem::path folder;  ///< of JPEGs: *.jpg, *.jpeg
  int batch = 32;
  int side = 224;  ///< of the square in the middle that is cut out
  int decoders = 4;
  std::uint64_t seed = 0;
};

/// What the model gets: `count` x 3 x side x side halves, RGB, normalised as ImageNet's.
struct Batch {
  const void* data = nullptr;  ///< on the GPU; until the next batch is enqueued on the same stream
  int count = 0;               ///< the last one of an epoch may have fewer than BatchOptions::batch
  std::vector<std::size_t> pictures;  ///< which they are: indices into pictures()
  std::vector<qturn::Orientation> orientations;
};

/// How bytes become halves: (x / 255 - mean) / deviation.
qturn::PlanarFormat imagenet_format();

/// The middle `side` x `side` pixels of a JPEG, RGB, written to `to` row by row. The picture is
/// decoded at the smallest of libjpeg-turbo's scales at which it still covers the square.
///
/// Throws std::runtime_error for a picture that is damaged or too small.
void decode_crop(const std::filesystem::path& path, int side, unsigned char* to);

class BatchLoader {
 public:
  /// Throws std::invalid_argument for options that are less than 1, std::runtime_error if there is
  /// no picture, or no memory.
  explicit BatchLoader(BatchOptions options);
  ~BatchLoader();

  const std::vector<std::filesystem::path>& pictures() const { return pictures_; }

  /// Shuffles the pictures, and starts to decode the first batch.
  void start_epoch(std::uint64_t epoch);

  /// Enqueues the next batch and returns without waiting for the GPU; nothing when the epoch is
  /// over. Throws what decode_crop() throws, and std::runtime_error for CUDA's errors.
  std::optional<Batch> next(cudaStream_t stream);

 private:
  // Two buffers: while the stream uploads one, the decoders fill the other.
  struct Slot {
    std::shared_ptr<unsigned char> pixels;  // page-locked: `batch` crops
    std::shared_ptr<CUevent_st> uploaded;
    std::vector<std::size_t> pictures;
    std::vector<std::future<void>> decoders;
    std::atomic<std::size_t> next_picture{0};
  };

  std::size_t crop_bytes() const;
  void start_decoding(Slot& slot);

  BatchOptions options_;
  std::vector<std::filesystem::path> pictures_;
  std::uint64_t epoch_ = 0;
  std::vector<std::size_t> order_;
  std::size_t begun_ = 0;  // pictures of the epoch that are being decoded, or were
  std::size_t turn_ = 0;
  std::shared_ptr<unsigned char> crops_;  // on the GPU
  std::shared_ptr<unsigned char> planes_;
  std::array<Slot, 2> slots_;
};

}  // namespace training_loop
