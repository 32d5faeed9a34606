// JPEGs decoded on a GPU by qturn::jpeg, turned, and made planes: a part of a batch at a time, any
// number of parts from any threads.
#pragma once

#include <qturn/decoder.hpp>
#include <qturn/jpeg_header.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace qturn {

/// Where a picture goes: pixels, or the planes of a format.
struct DecodedPlace {
  View pixels;
  PlanarView planes;
  const PlanarFormat* format = nullptr;  ///< null: pixels
  const PictureCrop* crop = nullptr;     ///< the part to resize to planes; null: all, not resized
  ResizeRule rule = {};
};

/// A JPEG of a part.
struct ScanPicture {
  std::span<const std::byte> file;
  const JpegHeader* header = nullptr;
  Orientation applied = Orientation::identity;  ///< to the pixels as they are stored
  DecodedPlace to;                              ///< in device memory
  bool is_given_up = false;                     ///< left to the CPU; nothing was written
};

/// May be used by any number of threads.
class ScanDecoder {
 public:
  virtual ~ScanDecoder() = default;

  /// The most device memory that a part should take.
  virtual std::uint64_t part_bytes() const = 0;

  /// Decodes a part. Blocks until it is known which of its pictures are given up; pixels of the
  /// others may still be on their way to their places, on `stream`.
  virtual void decode(std::span<ScanPicture> part, cudaStream_t stream) = 0;

  /// The same last step for pixels that were decoded on the CPU. They are not used any more when
  /// this returns.
  virtual void upload(ConstView rgb, Orientation applied, const DecodedPlace& to,
                      cudaStream_t stream) = 0;

  /// Fills a place with zeros.
  virtual void clear(const DecodedPlace& to, cudaStream_t stream) = 0;
};

/// Throws std::runtime_error where the device cannot be used, or in a build without CUDA.
std::unique_ptr<ScanDecoder> make_scan_decoder(const DecoderOptions& options);

}  // namespace qturn
