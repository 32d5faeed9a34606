// Trains no model, but does everything before that. Run it on a folder of JPEGs.
#include <cuda_fp16.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <thread>

#include "batch_loader.hpp"

namespace {

void must(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

// Here a model would make its step. This one computes the mean of each channel of its input, which
// is near 0 for photographs.
void step(const training_loop::Batch& batch, int side, cudaStream_t stream) {
  const auto plane = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
  std::vector<__half> values(static_cast<std::size_t>(batch.count) * 3 * plane);
  must(cudaMemcpyAsync(values.data(), batch.data, values.size() * sizeof(__half),
                       cudaMemcpyDeviceToHost, stream));
  must(cudaStreamSynchronize(stream));
  double sum[3] = {};
  for (std::size_t i = 0; i < values.size(); ++i) sum[i / plane % 3] += __half2float(values[i]);
  const double count = static_cast<double>(plane) * batch.count;
  std::printf("%3d pictures, mean of R %6.3f, G %6.3f, B %6.3f\n", batch.count, sum[0] / count,
              sum[1] / count, sum[2] / count);
}

int run(const char* folder, int epochs) {
  training_loop::BatchOptions options;
  options.folder = folder;
  options.decoders = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  training_loop::BatchLoader loader(options);
  cudaStream_t stream = nullptr;
  must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const auto start = std::chrono::steady_clock::now();
    loader.start_epoch(static_cast<std::uint64_t>(epoch));
    while (const auto batch = loader.next(stream)) step(*batch, options.side, stream);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    std::printf("epoch %d: %zu pictures, %.0f a second\n", epoch, loader.pictures().size(),
                static_cast<double>(loader.pictures().size()) / time.count());
  }
  must(cudaStreamDestroy(stream));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fputs("usage: training_loop FOLDER_OF_JPEGS [EPOCHS]\n", stderr);
    return 2;
  }
  try {
    return run(argv[1], argc == 3 ? std::atoi(argv[2]) : 1);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "training_loop: %s\n", error.what());
    return 1;
  }
}
