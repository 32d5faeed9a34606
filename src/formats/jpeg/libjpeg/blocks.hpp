// The coefficients of a JPEG, in our own memory.
//
// libjpeg keeps the blocks of a whole picture in "virtual arrays" that its memory manager makes. Of
// a photograph they are 36 MB, which the system clears page by page each time. So the manager's
// functions for such arrays are replaced by these, over an arena that keeps its memory from one
// picture to the next. Rows are cleared when they are first asked for, while they are in the cache.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "src/formats/jpeg/libjpeg/session.hpp"
#include "src/picture/pixel_arena.hpp"

namespace qturn::jpeg {

/// The blocks of one component, row by row. Rows and columns are padded to whole MCUs.
struct JpegBlockArray {
  JDIMENSION blocks_per_row = 0, rows = 0;
  JDIMENSION defined_rows = 0;  ///< the rows after them are not cleared yet
  JBLOCK* blocks = nullptr;
  JBLOCKROW* row_starts = nullptr;

  const JCOEF* block(std::size_t x, std::size_t y) const { return row_starts[y][x]; }
};

class JpegBlocks {
 public:
  explicit JpegBlocks(PixelArena& arena) : arena_(arena) {}
  JpegBlocks(const JpegBlocks&) = delete;
  JpegBlocks& operator=(const JpegBlocks&) = delete;

  /// Makes `codec`, which this must outlive, keep its arrays of blocks here, one for each
  /// component, in order. What another codec had here is lost.
  void serve(j_common_ptr codec);

  /// Lays out arrays with these sizes, without a codec and not cleared. Another codec's are lost.
  void lay_out(std::span<const JpegBlockArray> sizes);

  /// What was asked for; valid until the arena is cleared.
  const JpegBlockArray& component(int index) const {
    return arrays_[static_cast<std::size_t>(index)];
  }

 private:
  void realize();

  PixelArena& arena_;
  std::array<JpegBlockArray, MAX_COMPONENTS> arrays_{};
  std::size_t count_ = 0;
  void* memory_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace qturn::jpeg
