// Rows that begin anywhere within 16 bytes: they keep that phase in shared memory, so that copies
// into it are aligned, and the destination is written in aligned granules, whole or in part.
#pragma once

#include "kernels/src/cuda/transpose/transpose.cuh"
#include "kernels/src/cuda/tuning.cuh"

namespace qturn::device {

/// What a block works on that has a tile of any alignment. `src` is where column 0 of row 0 is or
/// would be; rows from `first_row` on to before `end_row` are in the picture. Column c becomes
/// bytes of the row at `dst + c * dst_pitch`, where row 0 would be at that address.
struct TileArea {
  const Byte* src;
  std::int64_t src_pitch;
  Byte* dst;
  std::int64_t dst_pitch;
  int columns;
  int first_row;
  int end_row;
  Extent picture;

  /// The tile whose first own pixel is (x, y) of `p`.
  template <class Picture>
  __device__ __forceinline__ TileArea(const Picture& p, Extent src_picture, std::int64_t x,
                                      std::int64_t y, int pixel, const AnyTuning& tuning)
      : src_pitch(p.src_pitch), dst_pitch(p.dst_pitch), picture(src_picture) {
    y -= tuning.before;  // of row 0; that may not exist
    src = p.src + y * src_pitch + x * pixel;
    dst = p.dst + x * dst_pitch + y * pixel;
    columns = static_cast<int>(p.width - x < tuning.width ? p.width - x : tuning.width);
    first_row = y < 0 ? static_cast<int>(-y) : 0;
    end_row = static_cast<int>(p.height - y < tuning.rows ? p.height - y : tuning.rows);
  }

  /// Whether the picture has all rows of a tile.
  __device__ __forceinline__ bool has_rows(int rows) const {
    return first_row == 0 && end_row == rows;
  }

  /// Whether all granules of rows of `row_bytes` around the tile's are in the picture.
  __device__ __forceinline__ bool is_inside(int row_bytes) const {
    const Byte* top = src + first_row * src_pitch;
    const Byte* bottom = src + (end_row - 1) * src_pitch;
    return (top < bottom ? top : bottom) - granule >= picture.begin &&
           (top < bottom ? bottom : top) + row_bytes + granule <= picture.end;
  }
};

/// What tiles of any alignment have in common. Of each row of the destination the bytes from the
/// last multiple of 32 at or before row `before` on are stored, and the tile below goes on where
/// this one stops.
template <int pixel, AnyTuning tuning>
struct AnyTileShape {
  static constexpr int width = tuning.width;
  static constexpr int rows = tuning.rows;
  static constexpr int before = tuning.before;
  static constexpr int own_rows = rows - before;
  static_assert(own_rows * pixel % 32 == 0 && before * pixel >= 31);
};

/// The low bits of an address. Phases depend on nothing else.
__device__ __forceinline__ unsigned low_bits(const Byte* address) {
  return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(address));
}

/// 16 bytes of shared memory at any address, by two aligned reads.
__device__ __forceinline__ Granule load_across(const Byte* from) {
  const unsigned phase = low_bits(from) % granule;
  const Granule a = load_granule(from - phase);
  const Granule b = load_granule(from - phase + granule);
  const std::uint32_t in[8] = {a.word[0], a.word[1], a.word[2], a.word[3],
                               b.word[0], b.word[1], b.word[2], b.word[3]};
  Granule out;
  take_window(in, phase, out.word);
  return out;
}

/// The place of a tile whose rows keep their phase: one after the other as in global memory, but
/// closer together. The pitch in shared memory is equal to the pitch in global memory modulo 16, so
/// the place of a byte is linear in row and column. The order of the eight granules of each
/// 128-byte line then depends on the line, as in swizzled().
struct PhasedTile {
  int first;  // place of row 0, column 0: its address modulo 16
  int pitch;

  __device__ __forceinline__ PhasedTile(const Byte* src, std::int64_t src_pitch, int row_bytes)
      : first(static_cast<int>(low_bits(src) % granule)),
        pitch(row_bytes + static_cast<int>(static_cast<unsigned>(src_pitch) % granule)) {}

  __device__ __forceinline__ int place(int row, int column) const {
    return first + row * pitch + column;
  }
};

/// The most bytes that a PhasedTile takes.
__host__ __device__ constexpr int phased_bytes(int row_bytes, int rows) {
  return (rows * (row_bytes + granule - 1) + 2 * granule + 127) / 128 * 128;
}

/// Where the byte at `place` is, when the lines are reordered in groups of `group_bytes`.
template <int group_bytes>
__device__ __forceinline__ int reordered(int place) {
  static_assert(group_bytes >= 128 && (group_bytes & (group_bytes - 1)) == 0);
  return place ^ (place / (group_bytes / 16) & 0x70);
}

}  // namespace qturn::device
