// All eight orientations of an image in device memory, on a stream.
//
// Threads: any number of threads may call at once, also with the same stream.
//
// Streams: any stream will do. 0 is the legacy default stream, which waits for the other blocking
// streams of its device, also where --default-stream is per-thread: pass cudaStreamPerThread there.
//
// Devices: a call works on the current device of its thread, to which `stream` must belong. Memory
// of another device can be used where CUDA allows the access (cudaDeviceEnablePeerAccess).
//
// Graphs: replaying a captured call repeats it with the same addresses and orientation. No call
// ends what another thread captures, in whatever mode.
//
// Loading: CUDA loads a kernel when it is first launched, and may wait for the device then.
//
// Memory: no GPU function (here, in batch.hpp, planar.hpp, qturn::jpeg) allocates device memory. A
// workspace is the caller's, from any allocator (cudaMalloc, cudaMallocAsync, a pool), and can be
// freed in stream order (cudaFreeAsync on the same stream) as soon as the call has returned.
#ifndef QTURN_CUDA_HPP
#define QTURN_CUDA_HPP

#include <qturn/export.hpp>
#include <qturn/orientation.hpp>
#include <qturn/view.hpp>

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace qturn {

/// A CUDA call failed; what() names the error and the place in the code.
class QTURN_EXPORT CudaError : public std::runtime_error {
 public:
  /// `what` names the call.
  CudaError(cudaError_t code, const std::string& what) : std::runtime_error(what), code_(code) {}
  ~CudaError() override;

  /// CUDA's number of the error.
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

/// Enqueues `dst = src` seen in `orientation` and returns without waiting. Allocates nothing; may
/// be captured in a graph.
///
/// Shapes: `dst` is src.width x src.height, or src.height x src.width where the orientation swaps
/// axes (5 to 8). Both are memory that the stream's device can reach, with the same `pixel_bytes`
/// (1 to 256), at any address and with any pitch, and must not overlap. Pixels are moved, never
/// interpreted. Bytes between the rows of `dst` stay as they are; bytes between the rows of `src`
/// may be read, but no byte before its first pixel or after its last. An empty image is a no-op.
///
/// The same call reverses channels: the pixels of a packed picture are rows of two to four
/// one-channel pixels. BGR becomes RGB by flop of a view of width 3, height width * height, pitch 3
/// and one-byte pixels, at the speed of a copy if address and size are multiples of 16 bytes.
///
/// Fastest where addresses and pitches are multiples of 16 bytes; rows of small pixels gain a
/// little more from pitches that are multiples of 128.
///
/// Throws std::invalid_argument, before anything is enqueued, when shapes or sizes disagree, rows
/// of `dst` overlap each other or the views overlap; CudaError when the launch fails, or, with
/// nothing enqueued, when `stream` is not the current device's (with a runtime and a
/// driver of CUDA 12.8 or later, unless the stream is being captured; else this cannot be checked).
/// An error of the copy itself shows at the caller's next synchronisation, as with any stream work.
QTURN_EXPORT void transform(ConstView src, View dst, Orientation orientation, cudaStream_t stream);

/// Enqueues the transform of an image within its own memory and returns without waiting. Allocates
/// nothing; may be captured in a graph.
///
/// flop, flip and rotate180 work on any size, the four orientations that swap axes on squares only.
/// The rest is as in transform(): memory that the stream's device can reach, any address, pitch and
/// pixel size.
///
/// Throws std::invalid_argument, before anything is enqueued, when the orientation swaps axes and
/// the view is not a square (use transform() to other memory), when rows overlap each other, and
/// for sizes that make no sense; CudaError when a launch fails.
QTURN_EXPORT void transform_in_place(View view, Orientation orientation, cudaStream_t stream);

}  // namespace qturn

#endif  // QTURN_CUDA_HPP
