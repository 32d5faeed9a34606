// Files of pictures in memory decoded to RGB, upright or turned, many at a time, on the CPU or on a
// GPU: bytes in, pixels or the planes of a network's input out.
//
//   qturn::JpegDecoder decoder({.device = 0});            // made once, used by any thread
//   std::vector<qturn::EncodedPicture> files = ...;       // addresses and sizes, in host memory
//   qturn::DecoderBatch batch = decoder.open(files.data(), files.size());
//   for (std::size_t i = 0; i < batch.size(); ++i) ...    // batch[i].size: memory for outputs
//   decoder.decode(batch, outputs.data(), stream);        // batch[i].error: why there is none
//
// JPEGs are decoded on the GPU (qturn::jpeg). JPEGs that it does not take (progressive, CMYK,
// damaged) and all other formats are decoded on the CPU, in the same call. Pixels do not depend on
// the device: they equal Pillow's after convert("RGB"), and a JPEG's equal libjpeg-turbo's.
// pictures.hpp says which formats there are. Formats whose pixels are never decoded are refused.
#ifndef QTURN_DECODER_HPP
#define QTURN_DECODER_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <qturn/orientation.hpp>
#include <qturn/pictures.hpp>
#include <qturn/planar.hpp>
#include <qturn/resize.hpp>
#include <qturn/view.hpp>

/// CUDA's own declaration of a stream, repeated so that this header needs no header of CUDA.
using cudaStream_t = struct CUstream_st*;

namespace qturn {

/// A file to decode.
struct EncodedPicture {
  const void* data = nullptr;  ///< host memory, the whole file
  std::size_t bytes = 0;
  /// Applied to the picture as a viewer shows it: the orientation that is stored in the file is
  /// applied first.
  Orientation orientation = Orientation::identity;
  /// Whether the stored orientation is passed over.
  bool as_stored = false;
};

/// A picture of a batch.
struct DecodedPicture {
  Size size;          ///< of what decode() makes; 0 x 0 if the header is refused
  std::string error;  ///< why there are no pixels, a sentence; empty: there are
};

/// A part of a picture of a batch: `box` of the picture that decode() would make, resized to the
/// output, and seen in `orientation` then.
struct PictureCrop {
  Box box;
  Orientation orientation = Orientation::identity;
};

/// The options of a JpegDecoder.
struct DecoderOptions {
  static constexpr int cpu = -1;

  int device = cpu;  ///< the number of a CUDA device
  /// The most memory that is taken of the device, besides outputs. A JPEG that needs more is
  /// decoded on the CPU.
  std::uint64_t device_bytes = std::uint64_t{4} << 30;
  /// The most page-locked memory, through which files go to the device. With less they go slower.
  std::uint64_t page_locked_bytes = std::uint64_t{1} << 30;
  /// Where the device's memory comes from, for work on a stream, and where it goes back. They may
  /// be called by several threads. Empty: cudaMallocAsync() and cudaFreeAsync().
  std::function<void*(std::size_t bytes, cudaStream_t stream)> allocate = {};
  std::function<void(void* memory, cudaStream_t stream)> release = {};
};

/// Files whose headers were read. They must outlive it. Used by one thread at a time.
class DecoderBatch {
 public:
  /// What `other` was can only be assigned to or destroyed then.
  DecoderBatch(DecoderBatch&& other) noexcept;
  DecoderBatch& operator=(DecoderBatch&& other) noexcept;
  ~DecoderBatch();

  /// How many files there are.
  std::size_t size() const;
  const DecodedPicture& operator[](std::size_t i) const;

 private:
  friend class JpegDecoder;
  struct Files;
  explicit DecoderBatch(std::unique_ptr<Files> files);
  std::unique_ptr<Files> files_;
};

/// Decodes batches, by any number of threads at the same time. It owns streams, workspaces and
/// page-locked memory, and uses the cores of the machine through oneTBB, as the caller's
/// tbb::task_arena allows.
class JpegDecoder {
 public:
  /// Throws std::runtime_error where the device cannot be used, CudaError where it fails.
  explicit JpegDecoder(const DecoderOptions& options = {});
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;
  ~JpegDecoder();

  /// Reads the headers. What is refused has an error.
  DecoderBatch open(const EncodedPicture* pictures, std::size_t count,
                    const Limits& limits = {}) const;

  /// Decodes each picture without an error to its output, a view of its size with 3 bytes per
  /// pixel. A picture that turns out to be damaged gets an error. The output of a picture with an
  /// error is filled with zeros.
  ///
  /// On a GPU outputs are device memory. What is written is ordered after all that `stream` was
  /// given before. The call returns when all files are judged; the last pass over the pixels may
  /// still be under way on `stream`, and files and batch are not in use any more.
  ///
  /// Throws std::invalid_argument for an output of another shape, CudaError where the device fails.
  void decode(DecoderBatch& batch, const View* outputs, cudaStream_t stream = nullptr) const;

  /// The same to planes, by the rules of to_planar(): `format` says what they are.
  /// `format.src_type` is uint8, and its channels are 0 to 2.
  void decode(DecoderBatch& batch, const PlanarView* outputs, const PlanarFormat& format,
              cudaStream_t stream = nullptr) const;

  /// A crop of each picture to planes, by the rules of resize_to_planar(): the resized samples are
  /// Pillow's. Throws std::invalid_argument also for a box that is not within its picture.
  void decode(DecoderBatch& batch, const PictureCrop* crops, ResizeRule rule,
              const PlanarView* outputs, const PlanarFormat& format,
              cudaStream_t stream = nullptr) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace qturn

#endif  // QTURN_DECODER_HPP
