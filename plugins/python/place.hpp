// Where memory is and in which order work on it is done: the kernels for the CPU and for CUDA under
// one name each.
#pragma once

#include <cstddef>
#include <qturn/batch.hpp>
#include <qturn/orientation.hpp>
#include <qturn/planar.hpp>
#include <qturn/view.hpp>

namespace qturn::python {

/// The number of a device that is not a GPU.
inline constexpr int host = -1;

/// Memory of the host, or of a GPU that is used on a CUDA stream.
struct Place {
  int device = host;
  void* stream = nullptr;
};

// Each calls the function of its name for the CPU, or that for the stream with the device made
// current. Without CUDA in the build, a place on a GPU is refused with std::runtime_error.
void transform(ConstView src, View dst, Orientation orientation, Place place);
void transform_in_place(View view, Orientation orientation, Place place);
void transform_batch(const UniformBatch& batch, Place place);
void transform_batch(const BatchImage* images, std::size_t count, Place place);
void to_planar_batch(const PlanarImage* images, std::size_t count, const PlanarFormat& format,
                     Place place);

/// Waits until all work on the stream of a GPU is done.
void wait(Place place);
/// The GPU whose memory `data` is.
int device_of(const void* data);
/// Memory of a GPU, for libraries that cannot be asked for theirs. Freeing it waits for the GPU.
void* device_memory(std::size_t bytes, int device);
void free_device_memory(void* data, int device) noexcept;

}  // namespace qturn::python
