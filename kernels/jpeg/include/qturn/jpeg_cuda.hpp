// The eight orientations of baseline JPEGs in device memory, lossless: compressed data in,
// compressed data out, many pictures at a time, on a stream.
//
//   std::vector<qturn::JpegScanTurn> turns = ...;  // one for each picture
//   const qturn::JpegWorkspace needed = qturn::jpeg_workspace(turns.data(), turns.size());
//   void *device, *host;  // cudaMalloc(needed.device_bytes), cudaMallocHost(needed.host_bytes)
//   qturn::JpegResult* results;  // cudaMallocHost
//   qturn::turn_jpegs(turns.data(), turns.size(), device, host, results, stream);
//   cudaStreamSynchronize(stream);  // the only wait; now results[i].bytes is known
//
// The caller reads and writes headers, on the CPU: they are a few hundred bytes. This is about
// the entropy-coded data, which is everything else.
//
// Threads, streams, devices: as cuda.hpp says. Workspace, data and results belong to a call until
// its work on the stream is done, so calls on several streams have a workspace each.
#ifndef QTURN_JPEG_CUDA_HPP
#define QTURN_JPEG_CUDA_HPP

#include <qturn/export.hpp>
#include <qturn/jpeg_huffman_table.hpp>
#include <qturn/orientation.hpp>

#include <cstddef>
#include <cstdint>

/// This is how CUDA declares a stream. It is repeated here, so that this header needs none of
/// CUDA's.
using cudaStream_t = struct CUstream_st*;

namespace qturn {

/// A scan of a baseline JPEG, with 8 bits per sample, that holds all of its components.
struct JpegScanLayout {
  /// How a component is sampled and coded.
  struct Component {
    int h = 1, v = 1;         ///< sampling factors, 1 to 4
    JpegHuffmanTable dc, ac;  ///< prefix codes, without the code of ones only; dc: symbols to 15
  };
  Size size;                      ///< of the picture, in pixels
  int components = 0;             ///< 1 to 4, in the order of the scan
  unsigned restart_interval = 0;  ///< in MCUs; 0 for none
  Component component[4];
};

/// A picture of a batch.
///
/// `dst` says what is written. Its sampling factors are those of `src`, exchanged if the
/// orientation swaps axes. Its tables have a code for each symbol that the turned picture may need:
/// DC sizes 0 to 11, and AC runs 0 to 15 with sizes 1 to 10, the end of block and the run of
/// sixteen zeros. Its size is that of the turned picture, or smaller in whole blocks: then blocks
/// are left out at the right and at the bottom of the source. A mirrored edge that cuts through a
/// block is the caller's to avoid.
struct JpegScanTurn {
  JpegScanLayout src, dst;
  Orientation orientation = Orientation::identity;
  /// Device memory at any address, from the first byte after the scan's header. The end of the scan
  /// is found: other bytes of the file may follow.
  const void* data = nullptr;
  std::size_t bytes = 0;  ///< up to 2^28
  /// Device memory at any address, for the turned data and the marker of its end.
  void* out = nullptr;
  std::size_t capacity = 0;
};

/// Why a picture was not turned, as bits of JpegResult::faults. Whether the file is damaged, a CPU
/// must say: libjpeg reads some data on which this gives up.
enum class JpegFault : std::uint32_t {
  marker = 1,  ///< a marker that does not belong there, none at the end, or not EOI
  /// Restart markers are missing, left over or out of order, or the restart interval asks for more
  /// than 1.79 million (less one for each 300 bytes).
  restarts = 2,
  /// A code that does not exist, a value that 8-bit JPEG does not have, or a run of zeros that goes
  /// on after the end of its block.
  code = 4,
  missing_blocks = 8,  ///< the data ends before them, or is too short for so many
  extra_data = 16,     ///< after the last block of the scan or of a restart interval
  /// A DC coefficient has more than 16 bits, or a difference more than 11. Where samples are made:
  /// coefficients are larger than those of any samples (decode_jpegs()).
  range = 32,
  tables = 64,            ///< dst's tables lack a code
  capacity = 128,         ///< the turned data does not fit, or is more than 2^28 bytes
  synchronisation = 256,  ///< the places to decode from were not found in a bounded time
};

/// What became of a picture.
struct JpegResult {
  std::uint32_t faults = 0;     ///< none: `out` has the turned data
  std::uint64_t bytes = 0;      ///< written to `out`, the end marker included
  std::uint64_t src_bytes = 0;  ///< of `data`, up to and with the end marker
};

/// What turn_jpegs() works in, at multiples of 256.
struct JpegWorkspace {
  std::size_t device_bytes = 0;
  std::size_t host_bytes = 0;
};

/// About 139 bytes for each block of 8 x 8 samples of all components, `bytes` and `capacity` once
/// each, and 325 bytes for each restart interval. A picture whose data is too short for its blocks
/// (less than a byte for four) takes nearly none. turn_jpegs() must be given the same turns. Throws
/// as turn_jpegs().
QTURN_EXPORT JpegWorkspace jpeg_workspace(const JpegScanTurn* turns, std::size_t count);

/// Enqueues the turn of all `count` pictures (up to 65,535) and returns without waiting. Allocates
/// nothing, and does not read `turns` later.
///
/// `device_workspace` is memory of the stream's device; `host_workspace` is host memory, best
/// page-locked, for otherwise the call may wait for the stream. Both stay in use until the stream
/// has done the work. `results` is memory that the device can write, best page-locked; it is
/// valid only after the stream has done the work.
///
/// A picture with damaged data gets `faults`, and the others are turned all the same. Nothing is
/// written outside of `capacity` bytes at `out`; what a picture with faults has there is undefined.
///
/// Throws std::invalid_argument, before anything is enqueued, with the index of the picture, for
/// sizes, factors and tables that make no sense; CudaError when a launch fails.
QTURN_EXPORT void turn_jpegs(const JpegScanTurn* turns, std::size_t count, void* device_workspace,
                             void* host_workspace, JpegResult* results, cudaStream_t stream);

}  // namespace qturn

#endif  // QTURN_JPEG_CUDA_HPP
