// Baseline JPEGs in device memory, decoded on a stream to coefficients, samples or pixels, many
// pictures at a time.
//
//   std::vector<qturn::JpegScanDecode> pictures = ...;
//   const qturn::JpegWorkspace needed =
//       qturn::jpeg_decode_workspace(pictures.data(), pictures.size());
//   qturn::decode_jpegs(pictures.data(), pictures.size(), device, host, results, stream);
//
// As with turn_jpegs(), the caller reads the header. Threads, streams, devices, workspace: as
// jpeg_cuda.hpp says.
#ifndef QTURN_JPEG_DECODE_CUDA_HPP
#define QTURN_JPEG_DECODE_CUDA_HPP

#include <qturn/jpeg_cuda.hpp>
#include <qturn/view.hpp>

#include <array>

namespace qturn {

/// Quantisation steps, row by row (a DQT segment has them in zigzag order).
using JpegSteps = std::array<std::uint16_t, 64>;

/// Blocks of 8 x 8 in a row and in a column of component `index`, without those that only fill an
/// MCU. Throws std::invalid_argument for a layout that makes no sense.
QTURN_EXPORT Size jpeg_blocks(const JpegScanLayout& scan, int index);

/// Samples of component `index`, without those that only fill a block. Throws likewise.
QTURN_EXPORT Size jpeg_samples(const JpegScanLayout& scan, int index);

/// A picture of a batch. What is not wanted has no `data`.
struct JpegScanDecode {
  /// What is wanted of a component, and where it goes.
  struct Component {
    JpegSteps steps{};  ///< for samples and pixels
    /// Device memory for jpeg_blocks(). A block of 64 coefficients, quantised, std::int16_t, row by
    /// row, is a pixel of 128 bytes. Address and pitch are multiples of 16. So qturn's other
    /// functions can move blocks.
    View coefficients;
    /// Device memory for samples of a byte each: for jpeg_samples(), or for more up to whole
    /// blocks. What lies between the two is what the file hides there.
    View samples;
  };
  JpegScanLayout src;
  Component component[4];
  /// Device memory for the picture's pixels of R, G and B. It has three components, which are taken
  /// for Y, Cb and Cr. Sampling factors have to divide the greatest one.
  View pixels;
  /// Where pixels share a sample, each has its value; otherwise, a weighted mean of samples. That
  /// is libjpeg without, and with, `do_fancy_upsampling`, which it has unless told otherwise.
  bool repeats_samples = false;
  /// These three have the meaning that they have in JpegScanTurn.
  const void* data = nullptr;
  std::size_t bytes = 0;
};

/// About 139 bytes for each block of 8 x 8 samples of all components, 64 more for each if pixels
/// are wanted, `bytes` once, and 325 bytes for each restart interval. decode_jpegs() must be given
/// the same pictures. Throws as decode_jpegs().
QTURN_EXPORT JpegWorkspace jpeg_decode_workspace(const JpegScanDecode* pictures, std::size_t count);

/// Enqueues the decoding of all `count` pictures (up to 65,535) and returns without waiting.
/// Workspaces, `results` and damage are as in turn_jpegs(). JpegResult::bytes stays 0. What a
/// picture with faults has for a result is undefined.
///
/// Samples are libjpeg's, bit for bit, by its accurate integer inverse DCT (JDCT_ISLOW), and pixels
/// by its colour conversion. Where coefficients are so large that not all of libjpeg-turbo's
/// versions agree, which no encoder writes, the picture has JpegFault::range.
///
/// Throws std::invalid_argument, before anything is enqueued, with the index of the picture, for
/// what makes no sense; CudaError when a launch fails.
QTURN_EXPORT void decode_jpegs(const JpegScanDecode* pictures, std::size_t count,
                               void* device_workspace, void* host_workspace, JpegResult* results,
                               cudaStream_t stream);

}  // namespace qturn

#endif  // QTURN_JPEG_DECODE_CUDA_HPP
