// Baseline JPEGs in device memory, decoded on a stream to coefficients, samples or pixels, a batch
// at a time.
//
//   std::vector<qturn::JpegScanDecode> pictures = ...;
//   const qturn::JpegWorkspace needed =
//       qturn::jpeg_decode_workspace(pictures.data(), pictures.size());
//   qturn::decode_jpegs(pictures.data(), pictures.size(), device, host, results, stream);
//
// read_jpeg_header() (jpeg_header.hpp) fills a JpegScanDecode. Threads, streams, devices, memory:
// as jpeg_cuda.hpp says.
#ifndef QTURN_JPEG_DECODE_CUDA_HPP
#define QTURN_JPEG_DECODE_CUDA_HPP

#include <qturn/jpeg_cuda.hpp>
#include <qturn/view.hpp>

#include <array>
#include <memory>

namespace qturn {

/// Quantisation steps, row by row (a DQT segment has them in zigzag order).
using JpegSteps = std::array<std::uint16_t, 64>;

/// The size of component `index` in blocks of 8 x 8 samples, without those that only pad an MCU.
/// Throws std::invalid_argument for a layout that makes no sense.
QTURN_EXPORT Size jpeg_blocks(const JpegScanLayout& scan, int index);

/// The size of component `index` in samples, without those that only pad a block. Throws as
/// jpeg_blocks().
QTURN_EXPORT Size jpeg_samples(const JpegScanLayout& scan, int index);

/// A picture of a batch. Each View with `data` is filled.
struct JpegScanDecode {
  /// What is decoded of a component, and to where.
  struct Component {
    JpegSteps steps{};  ///< for samples and pixels
    /// Device memory for jpeg_blocks(). A block is a pixel of 128 bytes, so qturn's other functions
    /// can move blocks: 64 quantised coefficients, std::int16_t, row by row. Address and pitch are
    /// multiples of 16.
    View coefficients;
    /// Device memory for samples of one byte: for jpeg_samples(), or for more, up to whole blocks.
    /// The samples beyond are in the file, but hidden.
    View samples;
  };
  JpegScanLayout src;
  Component component[4];
  /// Device memory for pixels of R, G and B. The picture must have three components, which are read
  /// as Y, Cb and Cr, and sampling factors that divide the largest one; or one, which is grey.
  View pixels;
  /// Whether pixels that share a sample all have its value, as libjpeg does without
  /// `do_fancy_upsampling`. The default is weighted means of neighbouring samples, as it is there.
  bool repeats_samples = false;
  /// As in JpegScanTurn.
  const void* data = nullptr;
  std::size_t bytes = 0;
};

/// The workspace for decode_jpegs() with the same pictures: about 139 bytes per block of 8 x 8
/// samples of all components, 64 more if there are pixels, 325 bytes per restart interval, and
/// `bytes` once. Throws as decode_jpegs().
QTURN_EXPORT JpegWorkspace jpeg_decode_workspace(const JpegScanDecode* pictures, std::size_t count);

/// Enqueues the decoding of all `count` pictures (up to 65,535) and returns without waiting.
/// Workspaces, `results` and damage are as in turn_jpegs(). JpegResult::bytes is 0. What is decoded
/// of a picture with faults is undefined.
///
/// Samples equal libjpeg's after its accurate integer inverse DCT (JDCT_ISLOW), and pixels equal
/// its colour conversion, bit for bit. A picture whose coefficients are so large that
/// libjpeg-turbo's versions for different processors disagree has JpegFault::range; no encoder
/// writes such coefficients.
///
/// Throws std::invalid_argument, before anything is enqueued, with the index of the picture, for
/// what makes no sense; CudaError when a launch fails.
QTURN_EXPORT void decode_jpegs(const JpegScanDecode* pictures, std::size_t count,
                               void* device_workspace, void* host_workspace, JpegResult* results,
                               cudaStream_t stream);

/// What decode_jpegs() works out before it enqueues, for callers that need it twice: for the size
/// of the workspace and for the decoding. Parts of a batch can be planned by several threads at the
/// same time.
class QTURN_EXPORT JpegDecodePlan {
 public:
  /// Throws std::invalid_argument as decode_jpegs(). Does not read `pictures` later.
  JpegDecodePlan(const JpegScanDecode* pictures, std::size_t count);
  ~JpegDecodePlan();
  /// What `other` was can only be assigned to or destroyed then.
  JpegDecodePlan(JpegDecodePlan&& other) noexcept;
  JpegDecodePlan& operator=(JpegDecodePlan&& other) noexcept;

  /// As jpeg_decode_workspace().
  JpegWorkspace workspace() const;

  /// As decode_jpegs().
  void decode(void* device_workspace, void* host_workspace, JpegResult* results,
              cudaStream_t stream) const;

 private:
  struct Asked;
  std::unique_ptr<Asked> asked_;
};

}  // namespace qturn

#endif  // QTURN_JPEG_DECODE_CUDA_HPP
