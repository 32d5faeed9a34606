// nvJPEG's decoder and encoder as owners that work on planes in device memory.
#ifndef QTURN_SRC_NVJPEG_CODEC_HPP
#define QTURN_SRC_NVJPEG_CODEC_HPP

#include <qturn/orientation.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "src/cuda/owners.hpp"
#include "src/nvjpeg/library.hpp"
#include "src/picture/bytes.hpp"

namespace qturn {

/// Y, Cb and Cr of a picture; luma has `h` times the columns of chroma and `v` times the rows.
struct PlanarLayout {
  struct Plane {
    std::int64_t width = 0, height = 0, pitch = 0;
    std::uint64_t offset = 0;
  };

  PlanarLayout(Size size, int h, int v);

  Size size;
  int h, v;
  std::array<Plane, 3> planes;
  std::uint64_t bytes = 0;
};

/// Ends what nvJPEG and CUDA have made.
struct Release {
  void operator()(nvjpegJpegState_t state) const { nvjpeg_library().jpeg_state_destroy(state); }
  void operator()(nvjpegJpegStream_t stream) const { nvjpeg_library().jpeg_stream_destroy(stream); }
  void operator()(nvjpegEncoderState_t state) const {
    nvjpeg_library().encoder_state_destroy(state);
  }
  void operator()(nvjpegEncoderParams_t params) const {
    nvjpeg_library().encoder_params_destroy(params);
  }
};

/// nvJPEG for one device. May be used by several threads.
class NvJpegHandle {
 public:
  /// Of the current device. Throws NvJpegError: with NVJPEG_BACKEND_HARDWARE where the device has
  /// no engines.
  explicit NvJpegHandle(nvjpegBackend_t backend);
  ~NvJpegHandle();
  NvJpegHandle(const NvJpegHandle&) = delete;
  NvJpegHandle& operator=(const NvJpegHandle&) = delete;

  nvjpegHandle_t get() const { return handle_; }

  /// How many hardware engines decode.
  unsigned engines() const;

 private:
  nvjpegHandle_t handle_ = nullptr;
};

/// For one thread and one stream.
class NvJpegDecoder {
 public:
  NvJpegDecoder(const NvJpegHandle& handle, cudaStream_t stream);

  /// Whether the engines can decode a file with this header. The header ends where the data of its
  /// scan begins, because nvJPEG reads all that it is given.
  bool supports(std::span<const std::byte> header);

  /// Decodes `files` to `planes[i] + layouts[i]`, device memory, and waits until that is done.
  /// Throws NvJpegError if one of them cannot be decoded, and can be used again after that;
  /// CudaError.
  void decode(std::span<const std::span<const std::byte>> files,
              std::span<const PlanarLayout> layouts, std::span<std::byte* const> planes);

 private:
  const NvJpegLibrary& nv_;
  const NvJpegHandle& handle_;
  cudaStream_t stream_;
  std::unique_ptr<nvjpegJpegState, Release> state_;
  std::unique_ptr<nvjpegJpegStream, Release> header_;
  std::size_t batch_ = 0;  ///< what state_ is initialised for
};

/// For one thread, with a stream of its own.
class NvJpegEncoder {
 public:
  /// On the current device, which must be current in later calls too.
  explicit NvJpegEncoder(const NvJpegHandle& handle);

  /// The baseline JPEG of planes in device memory, with the quantisation tables of the JPEG
  /// `tables`, and the standard's Huffman tables or optimised ones; valid until the next call.
  /// Blocks. Throws NvJpegError, CudaError.
  std::span<const std::byte> encode(const std::byte* planes, const PlanarLayout& layout,
                                    std::span<const std::byte> tables, bool optimised);

 private:
  void set_up(const PlanarLayout& layout, std::span<const std::byte> tables, bool optimised);

  const NvJpegLibrary& nv_;
  const NvJpegHandle& handle_;
  CudaStream stream_;
  std::unique_ptr<nvjpegEncoderState, Release> state_;
  std::unique_ptr<nvjpegEncoderParams, Release> params_;
  std::unique_ptr<nvjpegJpegStream, Release> tables_stream_;
  Bytes tables_;  ///< those that params_ has
  std::unique_ptr<std::byte, FreePageLocked> staging_;
  std::size_t staging_bytes_ = 0;
};

}  // namespace qturn

#endif  // QTURN_SRC_NVJPEG_CODEC_HPP
