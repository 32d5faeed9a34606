// The stages of a turn, in order. Each enqueues its kernels for all pictures of a batch.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/jpeg/src/picture.hpp"
#include "kernels/jpeg/src/restored.hpp"

namespace qturn::jpeg {

struct PlanarPicture;

/// The different tables that the pictures of a batch are read with, in device memory.
struct BatchTables {
  const CodedTable* coded;  ///< what they are made of
  ReadTable* made;
  unsigned count;
};

/// The pictures of a batch, in device memory. Each count is the largest that any picture has.
struct Batch {
  const Picture* pictures;
  unsigned count;
  Cut cut;
  std::uint32_t chunks, subsequences, dc_groups, tiles, turned_chunks, read_tables;
  BatchTables tables;
  cudaStream_t stream;
};

/// Makes the tables that pictures are read with (read_tables.cu).
void make_read_tables(const Batch& batch);

/// Removes stuffing bytes and restart markers, and finds the end (unstuff.cu).
void unstuff(const Batch& batch);
/// Finds out where codes begin (synchronise.cu).
void synchronise(const Batch& batch);
/// The shared memory that a block of threads can have on the current device.
std::uint32_t shared_bytes_for_reading();
/// Reads coefficients (read.cu) with so much shared memory, 63 KB or more, and adds up the
/// differences of DC coefficients.
void read_coefficients(const Batch& batch, std::uint32_t shared_bytes);
/// Puts coefficients and samples of each picture where its `restored` says (restore.cu). No picture
/// has more than `tiles`.
void restore_blocks(const Batch& batch, const RestoredPicture* restored, std::uint32_t tiles);
/// Makes pixels from samples (restore.cu). No picture has more than `largest`.
void convert_pixels(const Batch& batch, const RestoredPicture* restored, Size largest);
/// Says how decoding went (restore.cu).
void report_results(const Batch& batch);
/// Makes blocks of the turned picture from planes (turn_planes.cu), at most `tiles` per picture.
void turn_planes(const Batch& batch, const PlanarPicture* planar, std::uint32_t tiles);
/// Makes Huffman tables for those blocks (fit.cu). No picture has more than `counted_blocks`.
void fit_tables(const Batch& batch, const PlanarPicture* planar, std::uint32_t counted_blocks);
/// Writes the turned picture's codes (write.cu).
void write_codes(const Batch& batch);
/// Inserts stuffing bytes and restart markers, and says how it went (stuff.cu).
void stuff(const Batch& batch);

}  // namespace qturn::jpeg
