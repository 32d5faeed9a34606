// Small transposes within the registers of one thread, by picking bytes out of pairs of words.
#pragma once

#include "kernels/src/cuda/device_memory.cuh"

namespace qturn::device {

/// Four words are four rows of four bytes; makes them four columns.
__device__ __forceinline__ void exchange_bytes(const std::uint32_t (&row)[4],
                                               std::uint32_t (&column)[4]) {
  const std::uint32_t low01 = pick(row[0], row[1], 0x5140);
  const std::uint32_t low23 = pick(row[2], row[3], 0x5140);
  const std::uint32_t high01 = pick(row[0], row[1], 0x7362);
  const std::uint32_t high23 = pick(row[2], row[3], 0x7362);
  column[0] = pick(low01, low23, 0x5410);
  column[1] = pick(low01, low23, 0x7632);
  column[2] = pick(high01, high23, 0x5410);
  column[3] = pick(high01, high23, 0x7632);
}

/// Eight rows of four 1-byte pixels become four rows of eight.
__device__ __forceinline__ void exchange(const std::uint32_t (&in)[8][1],
                                         std::uint32_t (&out)[4][2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const std::uint32_t rows[4] = {in[4 * half][0], in[4 * half + 1][0], in[4 * half + 2][0],
                                   in[4 * half + 3][0]};
    std::uint32_t columns[4];
    exchange_bytes(rows, columns);
#pragma unroll
    for (int i = 0; i < 4; ++i) out[i][half] = columns[i];
  }
}

/// Four rows of two 2-byte pixels become two rows of four.
__device__ __forceinline__ void exchange(const std::uint32_t (&in)[4][1],
                                         std::uint32_t (&out)[2][2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    out[0][half] = pick(in[2 * half][0], in[2 * half + 1][0], 0x5410);
    out[1][half] = pick(in[2 * half][0], in[2 * half + 1][0], 0x7632);
  }
}

/// Four rows of four 2-byte pixels, exchanged.
__device__ __forceinline__ void exchange(const std::uint32_t (&in)[4][2],
                                         std::uint32_t (&out)[4][2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      out[2 * i][half] = pick(in[2 * half][i], in[2 * half + 1][i], 0x5410);
      out[2 * i + 1][half] = pick(in[2 * half][i], in[2 * half + 1][i], 0x7632);
    }
  }
}

/// Four rows of four 3-byte pixels, exchanged.
__device__ __forceinline__ void exchange(const std::uint32_t (&in)[4][3],
                                         std::uint32_t (&out)[4][3]) {
  std::uint32_t pixel[4][4];  // the upper byte does not matter
#pragma unroll
  for (int row = 0; row < 4; ++row) {
    pixel[row][0] = in[row][0];
    pixel[row][1] = pick(in[row][0], in[row][1], 0x6543);
    pixel[row][2] = pick(in[row][1], in[row][2], 0x5432);
    pixel[row][3] = in[row][2] >> 8;
  }
#pragma unroll
  for (int column = 0; column < 4; ++column) {
    out[column][0] = pick(pixel[0][column], pixel[1][column], 0x4210);
    out[column][1] = pick(pixel[1][column], pixel[2][column], 0x5421);
    out[column][2] = pick(pixel[2][column], pixel[3][column], 0x6542);
  }
}

/// Two rows of four 6-byte pixels, exchanged.
__device__ __forceinline__ void exchange(const std::uint32_t (&in)[2][6],
                                         std::uint32_t (&out)[4][3]) {
#pragma unroll
  for (int two = 0; two < 2; ++two) {
    const std::uint32_t* upper = in[0] + 3 * two;
    const std::uint32_t* lower = in[1] + 3 * two;
    out[2 * two][0] = upper[0];
    out[2 * two][1] = pick(upper[1], lower[0], 0x5410);
    out[2 * two][2] = pick(lower[0], lower[1], 0x5432);
    out[2 * two + 1][0] = pick(upper[1], upper[2], 0x5432);
    out[2 * two + 1][1] = pick(upper[2], lower[1], 0x7632);
    out[2 * two + 1][2] = lower[2];
  }
}

}  // namespace qturn::device
