#include "tools/bench/nvjpeg_peer.hpp"

#include <chrono>
#include <memory>
#include <vector>

#include "tools/bench/gpu_owners.hpp"
#include "tools/bench/toolkit_library.hpp"

namespace qturn::bench {
namespace {

// As nvjpeg.h declares them, which not every toolkit has.
struct Image {
  unsigned char* channel[4];
  std::size_t pitch[4];
};
using Handle = void*;
constexpr int hardware_backend = 3, output_planes = 1;  // NVJPEG_BACKEND_HARDWARE, _OUTPUT_YUV
using CreateEx = int(int backend, void* allocator, void* pinned_allocator, unsigned flags, Handle*);
using StateCreate = int(Handle, Handle* state);
using Destroy = int(Handle);
using Initialize = int(Handle, Handle state, int count, int threads, int output);
using Decode = int(Handle, Handle state, const unsigned char* const* data,
                   const std::size_t* lengths, Image*, cudaStream_t);

constexpr double seconds_to_measure = 2;
constexpr int warm_ups = 2;

}  // namespace

PeerRate nvjpeg_decode_rate(std::span<const PeerJpeg> jpegs) {
  const ToolkitLibrary library("libnvjpeg");
  if (!library) return {0, "libnvjpeg is not on this machine"};
  auto* const create = library.find<CreateEx>("nvjpegCreateEx");
  auto* const create_state = library.find<StateCreate>("nvjpegJpegStateCreate");
  auto* const destroy_state = library.find<Destroy>("nvjpegJpegStateDestroy");
  auto* const destroy = library.find<Destroy>("nvjpegDestroy");
  auto* const initialize = library.find<Initialize>("nvjpegDecodeBatchedInitialize");
  auto* const decode = library.find<Decode>("nvjpegDecodeBatched");
  if (!create || !create_state || !destroy_state || !destroy || !initialize || !decode)
    return {0, "this libnvjpeg lacks a function"};

  std::vector<const unsigned char*> data;
  std::vector<std::size_t> lengths;
  std::vector<Image> images;
  std::vector<std::unique_ptr<GpuMemory>> planes;
  for (const PeerJpeg& jpeg : jpegs) {
    data.push_back(reinterpret_cast<const unsigned char*>(jpeg.file.data()));
    lengths.push_back(jpeg.file.size());
    const std::int64_t pitch = (jpeg.size.width + 127) / 128 * 128;
    const std::int64_t bytes = pitch * jpeg.size.height;
    planes.push_back(std::make_unique<GpuMemory>(3 * bytes));
    Image image{};
    for (int i = 0; i < 3; ++i) {
      image.channel[i] = planes.back()->at(i * bytes);
      image.pitch[i] = static_cast<std::size_t>(pitch);
    }
    images.push_back(image);
  }

  const GpuStream stream;
  Handle handle = nullptr, state = nullptr;
  if (create(hardware_backend, nullptr, nullptr, 0, &handle) != 0)
    return {0, "the device has no hardware decoder that nvJPEG can use"};
  const std::unique_ptr<void, Destroy*> owner(handle, destroy);
  if (create_state(handle, &state) != 0) return {0, "nvjpegJpegStateCreate failed"};
  const std::unique_ptr<void, Destroy*> state_owner(state, destroy_state);
  if (initialize(handle, state, static_cast<int>(jpegs.size()), 1, output_planes) != 0)
    return {0, "nvjpegDecodeBatchedInitialize failed"};
  const auto decode_all = [&] {
    const int status = decode(handle, state, data.data(), lengths.data(), images.data(), stream);
    must(cudaStreamSynchronize(stream));
    return status == 0;
  };
  for (int i = 0; i < warm_ups; ++i)
    if (!decode_all()) return {0, "nvJPEG refuses these pictures"};
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::size_t decoded = 0;
  double seconds = 0;
  while (seconds < seconds_to_measure) {
    if (!decode_all()) return {0, "nvJPEG gave up"};
    decoded += jpegs.size();
    seconds = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return {static_cast<double>(decoded) / seconds, {}};
}

}  // namespace qturn::bench
