#include "tools/bench/jpeg_parts_bench.hpp"

#include <fmt/format.h>
#include <qturn/jpeg_decode_cuda.hpp>
#include <qturn/jpeg_planar_cuda.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/cuda/owners.hpp"
#include "src/turn/picture_turn.hpp"
#include "tools/bench/gpu_owners.hpp"
#include "tools/bench/nvjpeg_peer.hpp"

namespace qturn::bench {
namespace {

constexpr int warm_ups = 2, rounds = 7;
constexpr std::array counts = {std::size_t{64}, std::size_t{16}, std::size_t{1}};

/// A photograph, and how its planes are turned.
struct Scan {
  const Bytes& file;
  std::span<const std::byte> data;
  JpegPlanarTurn turn;
};

std::vector<Scan> scans_of(std::span<const Bytes> photographs, Orientation orientation) {
  std::vector<Scan> scans;
  for (const Bytes& file : photographs) {
    PictureTurn picture(file, ".jpg", {.jpeg = {.mode = JpegMode::planar}});
    const auto request = picture.request(std::array{orientation});
    if (request) scans.push_back({file, request->data, request->planar.front()});
  }
  if (scans.empty()) throw std::runtime_error("a GPU takes none of the photographs");
  return scans;
}

/// Pieces of device memory.
class Pieces {
 public:
  void* take(std::int64_t bytes) {
    pieces_.push_back(std::make_unique<GpuMemory>(bytes));
    return pieces_.back()->at(0);
  }
  void* copy(std::span<const std::byte> data) {
    void* const piece = take(static_cast<std::int64_t>(data.size()));
    must(cudaMemcpy(piece, data.data(), data.size(), cudaMemcpyHostToDevice));
    return piece;
  }
  View view(Size size, int pixel_bytes) {
    View view{nullptr, size.width, size.height, 0, pixel_bytes};
    view.pitch = (view.row_bytes() + 127) / 128 * 128;
    view.data = take(view.pitch * view.height);
    return view;
  }

 private:
  std::vector<std::unique_ptr<GpuMemory>> pieces_;
};

/// The median milliseconds of `enqueue`, from event to event.
template <class Enqueue>
double median_milliseconds(const GpuStream& stream, Enqueue enqueue) {
  cudaEvent_t begin = nullptr, end = nullptr;
  must(cudaEventCreate(&begin));
  must(cudaEventCreate(&end));
  std::vector<double> all;
  for (int round = -warm_ups; round < rounds; ++round) {
    must(cudaEventRecord(begin, stream));
    enqueue();
    must(cudaEventRecord(end, stream));
    must(cudaEventSynchronize(end));
    float passed = 0;
    must(cudaEventElapsedTime(&passed, begin, end));
    if (round >= 0) all.push_back(passed);
  }
  cudaEventDestroy(end);
  cudaEventDestroy(begin);
  std::ranges::sort(all);
  return all[all.size() / 2];
}

void say(const std::string& what, std::size_t count, double megabytes, double milliseconds) {
  fmt::print("on the GPU, {} of {:.2f} MB {}: {:.2f} ms, {:.0f} images/s\n", count,
             megabytes / static_cast<double>(count), what, milliseconds,
             1e3 * static_cast<double>(count) / milliseconds);
  std::fflush(stdout);
}

/// Page-locked and device memory for a batch.
struct Workspace {
  GpuMemory device;
  PageLockedBuffer host, results;

  Workspace(const JpegWorkspace& needed, std::size_t result_bytes)
      : device(static_cast<std::int64_t>(needed.device_bytes)) {
    host.reserve(needed.host_bytes);
    results.reserve(result_bytes);
  }
};

void must_have_no_faults(std::uint32_t faults) {
  if (faults != 0) throw std::runtime_error("the GPU gave a photograph up");
}

enum class Wanted { coefficients, samples, pixels };

JpegScanDecode decode_of(const Scan& scan, Wanted wanted, Pieces& pieces) {
  JpegScanDecode picture;
  picture.src = scan.turn.src;
  picture.data = pieces.copy(scan.data);
  picture.bytes = scan.data.size();
  for (int i = 0; i < picture.src.components; ++i) {
    JpegScanDecode::Component& component = picture.component[i];
    component.steps = scan.turn.steps[i];
    if (wanted == Wanted::coefficients)
      component.coefficients = pieces.view(jpeg_blocks(picture.src, i), 128);
    if (wanted == Wanted::samples) component.samples = pieces.view(jpeg_samples(picture.src, i), 1);
  }
  if (wanted == Wanted::pixels) picture.pixels = pieces.view(picture.src.size, 3);
  return picture;
}

void measure_decoding(std::span<const Scan> scans, std::size_t count, Wanted wanted,
                      const char* name) {
  Pieces pieces;
  std::vector<JpegScanDecode> pictures;
  double megabytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    pictures.push_back(decode_of(scans[i % scans.size()], wanted, pieces));
    megabytes += 1e-6 * static_cast<double>(pictures.back().bytes);
  }
  const Workspace memory(jpeg_decode_workspace(pictures.data(), count), count * sizeof(JpegResult));
  auto* const results = reinterpret_cast<JpegResult*>(memory.results.data());
  const GpuStream stream;
  const double milliseconds = median_milliseconds(stream, [&] {
    decode_jpegs(pictures.data(), count, memory.device.at(0), memory.host.data(), results, stream);
  });
  for (std::size_t i = 0; i < count; ++i) must_have_no_faults(results[i].faults);
  say(name, count, megabytes, milliseconds);
}

void measure_turning(std::span<const Scan> scans, std::size_t count) {
  Pieces pieces;
  std::vector<JpegPlanarTurn> turns;
  double megabytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Scan& scan = scans[i % scans.size()];
    JpegPlanarTurn turn = scan.turn;
    turn.data = pieces.copy(scan.data);
    turn.bytes = scan.data.size();
    turn.capacity = turn.bytes + turn.bytes / 8 + 4096;
    turn.out = pieces.take(static_cast<std::int64_t>(turn.capacity));
    turns.push_back(turn);
    megabytes += 1e-6 * static_cast<double>(turn.bytes);
  }
  const Workspace memory(jpeg_planar_workspace(turns.data(), count),
                         count * sizeof(JpegPlanarResult));
  auto* const results = reinterpret_cast<JpegPlanarResult*>(memory.results.data());
  const GpuStream stream;
  const double milliseconds = median_milliseconds(stream, [&] {
    turn_jpegs_by_planes(turns.data(), count, memory.device.at(0), memory.host.data(), results,
                         stream);
  });
  for (std::size_t i = 0; i < count; ++i) must_have_no_faults(results[i].scan.faults);
  say("turned by planes", count, megabytes, milliseconds);
}

void measure_peer(std::span<const Scan> scans) {
  std::vector<PeerJpeg> jpegs;
  for (std::size_t i = 0; i < counts.front(); ++i) {
    const Scan& scan = scans[i % scans.size()];
    jpegs.push_back({scan.file, scan.turn.src.size});
  }
  const PeerRate rate = nvjpeg_decode_rate(jpegs);
  if (!rate.problem.empty()) {
    fmt::print("nvJPEG is not measured: {}\n", rate.problem);
  } else {
    fmt::print("nvJPEG's hardware decoders, batches of {} to planes: {:.0f} images/s\n",
               jpegs.size(), rate.images);
  }
  std::fflush(stdout);
}

}  // namespace

void measure_jpeg_parts(std::span<const Bytes> photographs, Orientation orientation, int device) {
  must(cudaSetDevice(device));
  const std::vector<Scan> scans = scans_of(photographs, orientation);
  for (const std::size_t count : counts) {
    measure_decoding(scans, count, Wanted::coefficients, "to coefficients");
    measure_decoding(scans, count, Wanted::samples, "to samples");
    measure_decoding(scans, count, Wanted::pixels, "to RGB");
    measure_turning(scans, count);
  }
  measure_peer(scans);
}

}  // namespace qturn::bench
