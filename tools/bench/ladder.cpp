#include "tools/bench/ladder.hpp"

#include <qturn/cuda.hpp>

#include <utility>

#include "tools/bench/peers.hpp"

namespace qturn::bench {
namespace {

ConstView source(const Matrices& m) { return {m.in, m.width, m.height, 4 * m.width, 4}; }

View result(const Matrices& m) { return {m.out, m.height, m.width, 4 * m.height, 4}; }

Rung cublas_rung() {
  const Peers peers = find_cublas();
  Rung rung{"cuBLAS geam", "32x32 tile, rows + 1", Makes::transpose, {}};
  if (peers.found.empty()) {
    rung.missing = peers.missing.front();
    return rung;
  }
  rung.enqueue = [geam = peers.found.front()](const Matrices& m, cudaStream_t stream) {
    geam.enqueue(source(m), result(m), Orientation::transpose, stream);
  };
  return rung;
}

}  // namespace

std::vector<Rung> ladder() {
  std::vector<Rung> rungs = classic_rungs();
  for (Rung& rung : asynchronous_rungs()) rungs.push_back(std::move(rung));
  rungs.push_back(cublas_rung());
  rungs.push_back({"qturn::transform", "+ prefetch while waiting", Makes::transpose,
                   [](const Matrices& m, cudaStream_t stream) {
                     transform(source(m), result(m), Orientation::transpose, stream);
                   }});
  return rungs;
}

}  // namespace qturn::bench
