// The eight orientations of baseline JPEGs in device memory, lossless: compressed data in,
// compressed data out, a batch at a time, on a stream.
//
//   std::vector<qturn::JpegScanTurn> turns = ...;  // one per picture
//   const qturn::JpegWorkspace needed = qturn::jpeg_workspace(turns.data(), turns.size());
//   void *device, *host;  // cudaMalloc(needed.device_bytes), cudaMallocHost(needed.host_bytes)
//   qturn::JpegResult* results;  // cudaMallocHost
//   qturn::turn_jpegs(turns.data(), turns.size(), device, host, results, stream);
//   cudaStreamSynchronize(stream);  // the only wait; now results[i].bytes is known
//
// Headers are a few hundred bytes, and stay on the CPU: read_jpeg_header() (jpeg_header.hpp) reads
// the header of a source, the caller writes the header of a result. This file is about the
// entropy-coded data, which is everything else.
//
// Threads, streams, devices, memory: as cuda.hpp says. Workspace, data and results belong to a call
// until its work on the stream is done, so calls on different streams need workspaces of their own.
#ifndef QTURN_JPEG_CUDA_HPP
#define QTURN_JPEG_CUDA_HPP

#include <qturn/export.hpp>
#include <qturn/jpeg_huffman_table.hpp>
#include <qturn/orientation.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

/// CUDA's own declaration of a stream, repeated so that this header needs no header of CUDA.
using cudaStream_t = struct CUstream_st*;

namespace qturn {

/// A scan of a baseline JPEG, with 8 bits per sample, that holds all of its components.
struct JpegScanLayout {
  /// How a component is sampled and coded.
  struct Component {
    int h = 1, v = 1;         ///< sampling factors, 1 to 4
    JpegHuffmanTable dc, ac;  ///< prefix codes, without the code of all ones; dc: symbols up to 15
  };
  Size size;                      ///< of the picture, in pixels
  int components = 0;             ///< 1 to 4, in the order of the scan
  unsigned restart_interval = 0;  ///< in MCUs; 0 for none
  Component component[4];
};

/// A picture of a batch.
///
/// `dst` says what is written. It has the sampling factors of `src`, exchanged if the orientation
/// swaps axes. Its tables have a code for each symbol that the turned picture may need: DC sizes 0
/// to 11, AC runs 0 to 15 with sizes 1 to 10, the end of block, and the run of sixteen zeros. It
/// has the size of the turned picture, or less by whole blocks, which are then cut off at the right
/// and at the bottom of the source. The caller must avoid a mirrored edge that cuts through a
/// block.
struct JpegScanTurn {
  JpegScanLayout src, dst;
  Orientation orientation = Orientation::identity;
  /// Device memory at any address, from the first byte after the scan's header on. The end of the
  /// scan is found by its marker; the rest of the file may follow.
  const void* data = nullptr;
  std::size_t bytes = 0;  ///< up to 2^28
  /// Device memory at any address, for the turned data and its end marker.
  void* out = nullptr;
  std::size_t capacity = 0;
};

/// Why a picture was not turned. A CPU has the last word on whether the file is damaged: libjpeg
/// reads some data on which this gives up.
enum class JpegFault : std::uint32_t {
  marker = 1,  ///< one that is out of place, or at the end none or another one than EOI
  /// Restart markers are missing, left over or out of order, or the restart interval asks for more
  /// than 1.79 million (less one for each 300 bytes).
  restarts = 2,
  /// A code that does not exist, a value that 8-bit JPEG does not have, or a run of zeros that goes
  /// on after the end of its block.
  code = 4,
  missing_blocks = 8,  ///< the data ends too early, or is too short for the size of the picture
  extra_data = 16,     ///< after the last block of the scan or of a restart interval
  /// A DC coefficient has more than 16 bits, or a difference more than 11. Where samples are made,
  /// also: coefficients that no samples have (decode_jpegs()).
  range = 32,
  tables = 64,            ///< a table of `dst` lacks a code
  capacity = 128,         ///< the turned data does not fit, or is more than 2^28 bytes
  synchronisation = 256,  ///< where the codes begin was not found in bounded time
};

/// The faults of a picture, as a device writes them.
struct JpegFaults {
  std::uint32_t bits = 0;  ///< the sum of the numbers of JpegFault

  /// Whether there is one.
  constexpr bool any() const { return bits != 0; }
  /// Whether this is one of them.
  constexpr bool has(JpegFault fault) const {
    return (bits & static_cast<std::uint32_t>(fault)) != 0;
  }
  friend constexpr bool operator==(JpegFaults a, JpegFaults b) { return a.bits == b.bits; }
  /// Whether there is this fault and no other.
  friend constexpr bool operator==(JpegFaults faults, JpegFault only) {
    return faults.bits == static_cast<std::uint32_t>(only);
  }

  /// For a message: "a marker is wrong or missing, blocks are missing"; empty if there are none.
  std::string text() const {
    constexpr const char* each[] = {
        "a marker is wrong or missing",   "restart markers do not fit",
        "a code does not exist",          "blocks are missing",
        "there is data after the blocks", "a coefficient is out of range",
        "a Huffman table lacks a code",   "the turned data does not fit its memory",
        "the codes did not synchronise",
    };
    std::string all;
    std::uint32_t bit = 1;
    for (const char* fault : each) {
      if ((bits & bit) != 0) all += (all.empty() ? "" : ", ") + std::string(fault);
      bit <<= 1;
    }
    return all;
  }
};

/// The result for a picture.
struct JpegResult {
  JpegFaults faults;            ///< if there are none, `out` has the turned data
  std::uint64_t bytes = 0;      ///< written to `out`, the end marker included
  std::uint64_t src_bytes = 0;  ///< of `data`, up to and with the end marker
};

/// The memory that turn_jpegs() works in, aligned to 256 bytes.
struct JpegWorkspace {
  std::size_t device_bytes = 0;
  std::size_t host_bytes = 0;
};

/// The workspace for turn_jpegs() with the same turns: about 139 bytes per block of 8 x 8 samples
/// of all components, 325 bytes per restart interval, and `bytes` and `capacity` once each. A
/// picture whose data is too short for its blocks (less than a byte for four) takes hardly any.
/// Throws as turn_jpegs().
QTURN_EXPORT JpegWorkspace jpeg_workspace(const JpegScanTurn* turns, std::size_t count);

/// Enqueues the turn of all `count` pictures (up to 65,535) and returns without waiting. Allocates
/// nothing, and does not read `turns` later.
///
/// `device_workspace` is memory of the stream's device. `host_workspace` is host memory and should
/// be page-locked: otherwise the call may wait for the stream. Both are in use until the work is
/// done. `results` is memory that the device can write, page-locked for instance, and is valid only
/// after the work is done.
///
/// A picture with damaged data has JpegResult::faults, and the others are still turned.
/// Nothing is written outside of `capacity` bytes at `out`, which are undefined for a picture with
/// faults.
///
/// Throws std::invalid_argument, before anything is enqueued, with the index of the picture, for
/// sizes, factors and tables that make no sense; CudaError when a launch fails.
QTURN_EXPORT void turn_jpegs(const JpegScanTurn* turns, std::size_t count, void* device_workspace,
                             void* host_workspace, JpegResult* results, cudaStream_t stream);

}  // namespace qturn

#endif  // QTURN_JPEG_CUDA_HPP
