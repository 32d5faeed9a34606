#include <qturn/batch.hpp>
#include <qturn/cpu.hpp>
#include <qturn/planar.hpp>
#ifdef WITH_CUDA
#include <qturn/cuda.hpp>
#endif

#include <cstdint>
#include <cstdio>

static_assert(__cplusplus == 201703L);

int main() {
#ifdef WITH_CUDA
  // Linking it is the point: an empty picture needs no GPU.
  qturn::transform({}, {}, qturn::Orientation::rotate90, cudaStream_t{});
#endif
  const std::uint8_t picture[4] = {'A', 'B', 'C', 'D'};
  std::uint8_t turned[4] = {};
  qturn::transform({picture, 2, 2, 2, 1}, {turned, 2, 2, 2, 1}, qturn::Orientation::rotate90);
  std::printf("%.2s/%.2s\n", reinterpret_cast<char*>(turned), reinterpret_cast<char*>(turned + 2));
}
