#include "src/formats/jpeg/libjpeg/blocks.hpp"

#include <jerror.h>

#include <cstring>
#include <new>

namespace qturn::jpeg {
namespace {

JpegBlockArray& array_of(jvirt_barray_ptr pointer) {
  return *reinterpret_cast<JpegBlockArray*>(pointer);
}

void clear_rows(JpegBlockArray& array, JDIMENSION end) {
  if (end <= array.defined_rows) return;
  std::memset(array.row_starts[array.defined_rows], 0,
              std::size_t{end - array.defined_rows} * array.blocks_per_row * sizeof(JBLOCK));
  array.defined_rows = end;
}

JBLOCKARRAY access(j_common_ptr codec, jvirt_barray_ptr pointer, JDIMENSION first, JDIMENSION count,
                   boolean) {
  JpegBlockArray& array = array_of(pointer);
  if (!array.blocks || first > array.rows || count > array.rows - first) {
    ERREXIT(codec, JERR_BAD_VIRTUAL_ACCESS);
  }
  clear_rows(array, first + count);
  return array.row_starts + first;
}

}  // namespace

void JpegBlocks::serve(j_common_ptr codec) {
  arrays_ = {};
  count_ = 0;
  codec->client_data = this;
  codec->mem->request_virt_barray = [](j_common_ptr client, int, boolean, JDIMENSION blocks_per_row,
                                       JDIMENSION rows, JDIMENSION) -> jvirt_barray_ptr {
    auto& self = *static_cast<JpegBlocks*>(client->client_data);
    if (self.count_ == self.arrays_.size()) ERREXIT(client, JERR_VIRTUAL_BUG);
    JpegBlockArray& array = self.arrays_[self.count_++];
    array = {};
    array.blocks_per_row = blocks_per_row;
    array.rows = rows;
    return reinterpret_cast<jvirt_barray_ptr>(&array);
  };
  codec->mem->realize_virt_arrays = [](j_common_ptr client) {
    // libjpeg's frames are above, so nothing may be thrown.
    bool done = false;
    try {
      static_cast<JpegBlocks*>(client->client_data)->realize();
      done = true;
    } catch (const std::exception&) {
    }
    if (!done) ERREXIT1(client, JERR_OUT_OF_MEMORY, 0);
  };
  codec->mem->access_virt_barray = access;
}

void JpegBlocks::lay_out(std::span<const JpegBlockArray> sizes) {
  arrays_ = {};
  count_ = sizes.size();
  for (std::size_t i = 0; i < count_; ++i) {
    arrays_[i].blocks_per_row = sizes[i].blocks_per_row;
    arrays_[i].rows = arrays_[i].defined_rows = sizes[i].rows;
  }
  realize();
}

// One block of memory for all: arenas keep few blocks better than many.
void JpegBlocks::realize() {
  std::size_t bytes = 0;
  for (const JpegBlockArray& array : arrays_) {
    bytes += std::size_t{array.rows} * (array.blocks_per_row * sizeof(JBLOCK) + sizeof(JBLOCKROW));
  }
  if (bytes > capacity_) {
    // With room for the turned picture, whose rows and columns are padded in another way. Otherwise
    // it would take the same memory again.
    constexpr std::size_t padding = MAX_SAMP_FACTOR;
    for (const JpegBlockArray& array : arrays_) {
      bytes += padding * (std::size_t{array.rows} + array.blocks_per_row) * sizeof(JBLOCK);
    }
    capacity_ = 0;
    memory_ = arena_.take(bytes);
    capacity_ = bytes;
  }
  auto* at = static_cast<std::byte*>(memory_);
  for (JpegBlockArray& array : arrays_) {
    array.blocks = reinterpret_cast<JBLOCK*>(at);
    at += std::size_t{array.rows} * array.blocks_per_row * sizeof(JBLOCK);
  }
  for (JpegBlockArray& array : arrays_) {
    array.row_starts = reinterpret_cast<JBLOCKROW*>(at);
    at += std::size_t{array.rows} * sizeof(JBLOCKROW);
    for (JDIMENSION row = 0; row < array.rows; ++row) {
      array.row_starts[row] = array.blocks + std::size_t{row} * array.blocks_per_row;
    }
  }
}

}  // namespace qturn::jpeg
