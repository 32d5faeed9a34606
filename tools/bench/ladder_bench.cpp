#include <algorithm>
#include <map>

#include "tools/bench/arena.hpp"
#include "tools/bench/ladder.hpp"
#include "tools/bench/ladder_check.hpp"
#include "tools/bench/ladder_report.hpp"

namespace qturn::bench {
namespace {

Shape matrix_shape(const std::string& text) {
  Shape shape = parse_shape(text);
  if (shape.offset_pixels != 0 || shape.pitch_multiple != 1) {
    throw std::invalid_argument("'" + text + "': the ladder's matrices are tight, WIDTHxHEIGHT");
  }
  if (2 * 4 * shape.width * shape.height > Arena::bytes) {
    throw std::invalid_argument("'" + text + "': the ladder's matrices have at most 512 MB");
  }
  return shape;
}

void check_rungs(const std::vector<Rung>& rungs, std::int64_t width, std::int64_t height,
                 std::int64_t count) {
  LadderCheck check(width, height, count);
  for (const Rung& rung : rungs) {
    if (!rung.enqueue || !rung.takes(width, height)) continue;
    const std::string error = check.error_of(rung);
    if (!error.empty()) throw std::runtime_error("wrong result of " + error);
  }
}

// Many in a launch: as many as make 64 MB, where one of them is less.
std::int64_t matrices_of(const Rung& rung, std::int64_t bytes) {
  return rung.many ? std::clamp<std::int64_t>((std::int64_t{1} << 26) / bytes, 1, 256) : 1;
}

}  // namespace

void measure_ladder(const std::vector<std::string>& texts, bool check_only, int device, int batches,
                    const LadderListener& listener) {
  std::vector<Shape> shapes;
  for (const std::string& text : texts) shapes.push_back(matrix_shape(text));
  must(cudaSetDevice(device));
  const std::vector<Rung> rungs = ladder();

  for (const Size odd : {Size{1, 1}, Size{33, 65}, Size{65, 65}, Size{1000, 777}}) {
    check_rungs(rungs, odd.width, odd.height, 3);
  }
  for (const Shape& shape : shapes) check_rungs(rungs, shape.width, shape.height, 1);
  if (check_only) return;

  Arena arena;
  for (const Shape& shape : shapes) {
    const std::int64_t bytes = 4 * shape.width * shape.height;
    struct Bound {
      Rate rate;
      std::string by;
    };
    std::map<std::int64_t, Bound> bounds;  // by the matrices in a launch
    for (const Rung& rung : rungs) {
      if (!rung.takes(shape.width, shape.height)) continue;
      const std::int64_t matrices = matrices_of(rung, bytes);
      const std::int64_t stride = (matrices * bytes + 511) / 512 * 512;
      if (!bounds.contains(matrices)) {
        Bound& bound = bounds[matrices];
        bound.rate = arena.copy(matrices * bytes, stride, batches, bound.by);
      }
      LadderResult result;
      result.rung = rung.name;
      result.than = rung.than;
      result.shape = shape.text;
      result.matrices = matrices;
      result.bound = bounds[matrices].rate;
      result.bound_by = bounds[matrices].by;
      result.missing = rung.missing;
      if (rung.conflicts) {
        result.conflicts =
            std::to_string(rung.conflicts->write) + " / " + std::to_string(rung.conflicts->read);
      }
      if (rung.enqueue) {
        result.rate = arena.timer.rate(
            [&](std::int64_t slot, cudaStream_t stream) {
              rung.enqueue({reinterpret_cast<const float*>(arena.src.at(slot * stride)),
                            reinterpret_cast<float*>(arena.dst.at(slot * stride)), shape.width,
                            shape.height, matrices, shape.width * shape.height},
                           stream);
            },
            launches_of_a_batch(stride), 2 * matrices * bytes, batches);
      }
      listener(result);
    }
  }
}

}  // namespace qturn::bench
