#include <qturn/cuda.hpp>

#include "tools/bench/arena.hpp"

namespace qturn::bench {

void measure_in_place(int device, const EntryChoice& choice, const EntryListener& listener) {
  const int batches = choice.batches;
  must(cudaSetDevice(device));
  Arena arena;
  for (int pixel_bytes : {1, 2, 3, 4, 6, 8, 12, 16}) {
    for (const auto& [side, offset] : {std::pair{4096, 0}, std::pair{4095, 1}}) {
      // Alignment to the pixel only matters for small pixels.
      if (offset != 0 && pixel_bytes > 4) continue;
      const std::int64_t bytes = std::int64_t{side} * side * pixel_bytes;
      const std::int64_t stride = (bytes + 1023) / 512 * 512;
      EntryResult result;
      result.pixel_bytes = pixel_bytes;
      for (Orientation orientation : all_orientations) {
        if (orientation == Orientation::identity) continue;
        result.what = "in place " + std::to_string(side) + "x" + std::to_string(side) +
                      (offset == 0 ? ", " : "+1, ") + std::string(name(orientation));
        if (!choice.wants(result.what, pixel_bytes)) continue;
        if (result.bound_by.empty()) {
          arena.measure_bound(result, bytes, stride, batches);
        }
        arena.measure(
            result,
            [&](std::int64_t slot, cudaStream_t stream) {
              transform_in_place({arena.src.at(slot * stride + offset * pixel_bytes), side, side,
                                  std::int64_t{side} * pixel_bytes, pixel_bytes},
                                 orientation, stream);
            },
            2 * bytes, stride, batches);
        listener(result);
      }
    }
  }
}

}  // namespace qturn::bench
