// The eight orientations of baseline JPEGs in device memory, by their own planes: decoded to the
// samples that they store, turned, and encoded with their own quantisation and sampling. This is
// for turns that cannot be lossless, because a mirrored edge cuts through a block. Threads,
// streams, devices, memory: as jpeg_cuda.hpp says.
#ifndef QTURN_JPEG_PLANAR_CUDA_HPP
#define QTURN_JPEG_PLANAR_CUDA_HPP

#include <qturn/jpeg_cuda.hpp>
#include <qturn/jpeg_decode_cuda.hpp>

namespace qturn {

/// A picture of a batch. The turned picture has the size of `src`, turned, and its sampling factors
/// and quantisation, both turned with the axes.
struct JpegPlanarTurn {
  JpegScanLayout src;    ///< its sampling factors divide the largest one
  JpegSteps steps[4]{};  ///< of the components of `src`, each 1 to 8191
  Orientation orientation = Orientation::identity;
  unsigned restart_interval = 0;  ///< of the turned picture, in MCUs; 0 for none
  /// Numbers of the turned picture's Huffman tables: components with the same number share a table,
  /// as they do in a file.
  std::uint8_t dc_table[4] = {0, 1, 1, 1}, ac_table[4] = {0, 1, 1, 1};
  /// As in JpegScanTurn.
  const void* data = nullptr;
  std::size_t bytes = 0;
  void* out = nullptr;
  std::size_t capacity = 0;
};

/// The turned data has its own Huffman tables, which belong in the header of its file.
struct JpegPlanarResult {
  JpegResult scan;
  JpegHuffmanTable dc[4], ac[4];  ///< by component
};

/// The workspace for turn_jpegs_by_planes() with the same turns: about 203 bytes per block of 8 x 8
/// samples of all components, 325 bytes per restart interval, and `bytes` and `capacity` once each.
/// Throws as turn_jpegs_by_planes().
QTURN_EXPORT JpegWorkspace jpeg_planar_workspace(const JpegPlanarTurn* turns, std::size_t count);

/// Enqueues the turn of all `count` pictures (up to 65,535) and returns without waiting.
/// Workspaces, `results`, damage and what is thrown are as in turn_jpegs().
///
/// The turned data is what libjpeg makes from the planes with its accurate integer DCT
/// (JDCT_ISLOW), on every GPU. A picture whose coefficients are so large that libjpeg-turbo's
/// versions for different processors disagree has JpegFault::range.
QTURN_EXPORT void turn_jpegs_by_planes(const JpegPlanarTurn* turns, std::size_t count,
                                       void* device_workspace, void* host_workspace,
                                       JpegPlanarResult* results, cudaStream_t stream);

}  // namespace qturn

#endif  // QTURN_JPEG_PLANAR_CUDA_HPP
