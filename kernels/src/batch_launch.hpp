// The one place where batches of pictures are enqueued, for entry points whose pictures are checked
// already.
#ifndef QTURN_KERNELS_BATCH_LAUNCH_HPP
#define QTURN_KERNELS_BATCH_LAUNCH_HPP

#include <qturn/batch.hpp>

namespace qturn {

/// `at(context, i)` is image i of `count`. So callers whose images are part of something else need
/// no memory for a list of them.
struct BatchSource {
  std::size_t count;
  const void* context;
  BatchImage (*at)(const void* context, std::size_t i);
};

/// The pixels of a batch have `bytes`, or `other_bytes` where that is not 0: 1 and 2, or 2 and 4.
struct BatchPixels {
  int bytes;
  int other_bytes;
};

/// Enqueues all images of `source`, which have passed check_shapes().
void enqueue_batch(const BatchSource& source, BatchPixels pixels, cudaStream_t stream);

}  // namespace qturn

#endif  // QTURN_KERNELS_BATCH_LAUNCH_HPP
