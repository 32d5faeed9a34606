// Huffman tables for reading, a table for each block of threads.
#include "kernels/jpeg/src/stages.hpp"
#include "kernels/jpeg/src/tables.hpp"
#include "kernels/src/cuda/launch.cuh"

namespace qturn::jpeg {
namespace {

constexpr int table_threads = 256;  // one for each symbol

__global__ void __launch_bounds__(table_threads)
    make_tables(const CodedTable* coded, ReadTable* made) {
  __shared__ CodedTable of;
  __shared__ ReadTableMaker maker;
  const auto* from = reinterpret_cast<const std::uint8_t*>(coded + blockIdx.x);
  for (std::uint32_t i = threadIdx.x; i < sizeof(CodedTable); i += table_threads)
    reinterpret_cast<std::uint8_t*>(&of)[i] = from[i];
  __syncthreads();
  if (threadIdx.x == 0) maker.find_lengths(of.table);
  __syncthreads();
  for (std::uint32_t i = threadIdx.x; i < ReadTableMaker::lookups; i += table_threads)
    maker.first[i] = maker.first_entry(of, i).word();
  __syncthreads();
  ReadTable& to = made[blockIdx.x];
  for (std::uint32_t i = threadIdx.x; i < ReadTableMaker::lookups; i += table_threads)
    to.lookup[i] = maker.lookup(of, i);
  to.symbols[threadIdx.x] = of.table.symbols[threadIdx.x];
  if (threadIdx.x == 0) maker.finish(of, to);
}

}  // namespace

void make_read_tables(const Batch& batch) {
  device::launch(make_tables, dim3(batch.tables.count), table_threads, 0, batch.stream, false,
                 batch.tables.coded, batch.tables.made);
}

}  // namespace qturn::jpeg
