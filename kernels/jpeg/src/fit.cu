// Huffman tables for the turned picture: symbols are counted, and one thread makes each table from
// them.
//
// A table depends on all counts, and they are few, so only the sorting is parallel. It is the same
// table for all components that share it.
#include "kernels/jpeg/src/best_table.hpp"
#include "kernels/jpeg/src/planar.hpp"
#include "kernels/jpeg/src/prefix_sum.cuh"
#include "kernels/jpeg/src/stages.hpp"
#include "kernels/src/cuda/launch.cuh"

namespace qturn::jpeg {
namespace {

constexpr int fit_threads = static_cast<int>(most_symbols);

__global__ void __launch_bounds__(fit_threads)
    count(const Picture* pictures, const PlanarPicture* planar) {
  __shared__ SymbolCounts counts[2 * most_components];
  const Picture& picture = pictures[blockIdx.y];
  const PlanarPicture& of = planar[blockIdx.y];
  if (blockIdx.x * fit_threads >= of.counted_blocks) return;
  for (SymbolCounts& each : counts) each.of[threadIdx.x] = 0;
  if (is_given_up(picture)) return;
  const std::uint32_t number = blockIdx.x * fit_threads + threadIdx.x;
  if (number < of.counted_blocks) count_symbols(picture, number, of.row_step, counts);
  __syncthreads();
  for (std::uint32_t i = 0; i < 2 * picture.turn.dst.components; ++i) {
    const std::uint32_t own = counts[i].of[threadIdx.x];
    if (own != 0) atomicAdd(&of.counts[i].of[threadIdx.x], own);
  }
}

__global__ void __launch_bounds__(fit_threads)
    make_tables(const Picture* pictures, const PlanarPicture* planar) {
  __shared__ TableMaker<> maker;
  __shared__ JpegHuffmanTable table;
  __shared__ WriteTable codes;
  const Picture& picture = pictures[blockIdx.y];
  const PlanarPicture& of = planar[blockIdx.y];
  const std::uint32_t which = blockIdx.x / 2, is_ac = blockIdx.x % 2;
  const std::uint32_t components = picture.turn.dst.components;
  if (is_given_up(picture) || which >= components) return;
  const std::uint8_t* numbers = is_ac != 0 ? of.ac_table : of.dc_table;
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < components; ++i) {
    if (numbers[i] == numbers[which]) sum += of.counts[2 * i + is_ac].of[threadIdx.x];
  }
  maker.counts.of[threadIdx.x] = sum;
  codes.code[threadIdx.x] = 0;
  __syncthreads();
  maker.sort_in(threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) {
    table = maker.make(of.row_step > 1, is_ac == 0);
    add_codes(table, codes);
  }
  __syncthreads();
  of.tables[blockIdx.x].code[threadIdx.x] = codes.code[threadIdx.x];
  JpegHuffmanTable& result = is_ac != 0 ? of.result->ac[which] : of.result->dc[which];
  result.symbols[threadIdx.x] = table.symbols[threadIdx.x];
  if (threadIdx.x < table.bits.size()) result.bits[threadIdx.x] = table.bits[threadIdx.x];
}

}  // namespace

void fit_tables(const Batch& batch, const PlanarPicture* planar, std::uint32_t counted_blocks) {
  if (counted_blocks == 0) return;
  const dim3 grid((counted_blocks + fit_threads - 1) / fit_threads, batch.count);
  device::launch(count, grid, fit_threads, 0, batch.stream, false, batch.pictures, planar);
  device::launch(make_tables, dim3(2 * most_components, batch.count), fit_threads, 0, batch.stream,
                 false, batch.pictures, planar);
}

}  // namespace qturn::jpeg
