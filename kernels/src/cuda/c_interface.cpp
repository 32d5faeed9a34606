#include "kernels/src/c_interface.hpp"

#include <qturn/cuda.hpp>

qturn_status qturn_cuda_transform(const qturn_view* src, const qturn_view* dst, int orientation,
                                  void* stream) {
  return qturn::c::run([&] {
    qturn::transform(qturn::c::view(src, "src"), qturn::c::view(dst, "dst"),
                     qturn::c::orientation(orientation), static_cast<cudaStream_t>(stream));
  });
}

qturn_status qturn_cuda_transform_in_place(const qturn_view* view, int orientation, void* stream) {
  return qturn::c::run([&] {
    qturn::transform_in_place(qturn::c::view(view, "view"), qturn::c::orientation(orientation),
                              static_cast<cudaStream_t>(stream));
  });
}

qturn_status qturn_cuda_transform_batch(const qturn_image* images, size_t count, void* stream) {
  return qturn::c::run([&] {
    const auto batch = qturn::c::images(images, count);
    qturn::transform_batch(batch.data(), batch.size(), static_cast<cudaStream_t>(stream));
  });
}
