#include "tools/bench/jpeg_parts_bench.hpp"

#include <fmt/format.h>
#include <qturn/jpeg_decode_cuda.hpp>
#include <qturn/jpeg_planar_cuda.hpp>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "tools/bench/gpu_owners.hpp"
#include "tools/bench/jpeg_batch.hpp"
#include "tools/bench/nvjpeg_peer.hpp"

namespace qturn::bench {
namespace {

constexpr int warm_ups = 2, rounds = 7;
constexpr std::array counts = {std::size_t{64}, std::size_t{16}, std::size_t{1}};

View new_view(Pieces& pieces, Size size, int pixel_bytes) {
  View view{nullptr, size.width, size.height, 0, pixel_bytes};
  view.pitch = (view.row_bytes() + 127) / 128 * 128;
  view.data = pieces.take(static_cast<std::size_t>(view.pitch * view.height));
  return view;
}

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
  return median(all);
}

void say(const std::string& what, std::size_t count, double megabytes, double milliseconds) {
  fmt::print("on the GPU, {} of {:.2f} MB {}: {:.2f} ms, {:.0f} images/s\n", count,
             megabytes / static_cast<double>(count), what, milliseconds,
             1e3 * static_cast<double>(count) / milliseconds);
  std::fflush(stdout);
}

enum class Wanted { coefficients, samples, pixels };

JpegScanDecode decode_of(const JpegRequest& request, Wanted wanted, Pieces& pieces) {
  const JpegPlanarTurn& turn = request.planar.front();
  JpegScanDecode picture;
  picture.src = turn.src;
  picture.data = pieces.copy(request.data);
  picture.bytes = request.data.size();
  for (int i = 0; i < picture.src.components; ++i) {
    JpegScanDecode::Component& component = picture.component[i];
    component.steps = turn.steps[i];
    if (wanted == Wanted::coefficients)
      component.coefficients = new_view(pieces, jpeg_blocks(picture.src, i), 128);
    if (wanted == Wanted::samples)
      component.samples = new_view(pieces, jpeg_samples(picture.src, i), 1);
  }
  if (wanted == Wanted::pixels) picture.pixels = new_view(pieces, picture.src.size, 3);
  return picture;
}

void measure_decoding(std::span<const AskedJpeg> asked, std::size_t count, Wanted wanted,
                      const char* name) {
  Pieces pieces;
  std::vector<JpegScanDecode> pictures;
  double megabytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    pictures.push_back(decode_of(asked[i % asked.size()].request, wanted, pieces));
    megabytes += 1e-6 * static_cast<double>(pictures.back().bytes);
  }
  const Workspace<JpegResult> memory(jpeg_decode_workspace(pictures.data(), count), count);
  const GpuStream stream;
  const double milliseconds = median_milliseconds(stream, [&] {
    decode_jpegs(pictures.data(), count, memory.device(), memory.host(), memory.results(), stream);
  });
  for (std::size_t i = 0; i < count; ++i) must_have_no_faults(memory.results()[i].faults);
  say(name, count, megabytes, milliseconds);
}

void measure_turning(std::span<const AskedJpeg> asked, std::size_t count) {
  Pieces pieces;
  std::vector<JpegPlanarTurn> turns;
  double megabytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const JpegRequest& request = asked[i % asked.size()].request;
    JpegPlanarTurn turn = request.planar.front();
    turn.data = pieces.copy(request.data);
    turn.bytes = request.data.size();
    turn.capacity = turned_capacity(turn.bytes);
    turn.out = pieces.take(turn.capacity);
    turns.push_back(turn);
    megabytes += 1e-6 * static_cast<double>(turn.bytes);
  }
  const Workspace<JpegPlanarResult> memory(jpeg_planar_workspace(turns.data(), count), count);
  const GpuStream stream;
  const double milliseconds = median_milliseconds(stream, [&] {
    turn_jpegs_by_planes(turns.data(), count, memory.device(), memory.host(), memory.results(),
                         stream);
  });
  for (std::size_t i = 0; i < count; ++i) must_have_no_faults(memory.results()[i].scan.faults);
  say("turned by planes", count, megabytes, milliseconds);
}

void measure_peer(std::span<const AskedJpeg> asked) {
  std::vector<PeerJpeg> jpegs;
  for (std::size_t i = 0; i < counts.front(); ++i) {
    const AskedJpeg& jpeg = asked[i % asked.size()];
    jpegs.push_back({jpeg.file, jpeg.request.planar.front().src.size});
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
  const auto asked = asked_jpegs(photographs, orientation, JpegMode::planar);
  for (const std::size_t count : counts) {
    measure_decoding(asked, count, Wanted::coefficients, "to coefficients");
    measure_decoding(asked, count, Wanted::samples, "to samples");
    measure_decoding(asked, count, Wanted::pixels, "to RGB");
    measure_turning(asked, count);
  }
  measure_peer(asked);
}

}  // namespace qturn::bench
