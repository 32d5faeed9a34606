#include "src/picture/pixel_arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace qturn {
namespace {

// A turn jumps from row to row. With small pages it misses in the TLB, and each page is cleared
// separately. So ask the system for large pages.
constexpr std::size_t alignment = 64, large_page = std::size_t{2} << 20;
constexpr std::size_t worth_large_pages = 2 * large_page;

// What is not worth counting.
constexpr std::size_t small_block = std::size_t{64} << 10;

void* allocate(std::size_t bytes) {
  const bool large = bytes >= worth_large_pages;
  void* block = nullptr;
  if (::posix_memalign(&block, large ? large_page : alignment, bytes) != 0) throw std::bad_alloc();
  if (large) ::madvise(block, bytes, MADV_HUGEPAGE);  // best effort
  return block;
}

}  // namespace

const BlockSource ordinary_memory{
    .allocate = allocate,
    .release = [](void* block) { std::free(block); },
};

PixelArena::~PixelArena() {
  for (const Block& block : blocks_) source_.release(block.data);
}

void* PixelArena::take(std::size_t bytes) {
  // The smallest free block that is large enough, so that the large ones stay for large pictures.
  // But not a much larger one: nobody has reserved so much memory.
  const std::size_t most = bytes + bytes / 8 + small_block;
  Block* best = nullptr;
  for (Block& block : blocks_) {
    if (!block.taken && block.bytes >= bytes && block.bytes <= most &&
        (!best || block.bytes < best->bytes)) {
      best = &block;
    }
  }
  if (!best) {
    keep_at_most(0);
    blocks_.reserve(blocks_.size() + 1);
    blocks_.push_back({source_.allocate(bytes), bytes, false});
    best = &blocks_.back();
  }
  best->taken = true;
  return best->data;
}

std::size_t PixelArena::kept_bytes() const {
  std::size_t bytes = 0;
  for (const Block& block : blocks_) bytes += block.taken ? 0 : block.bytes;
  return bytes;
}

void PixelArena::keep_at_most(std::size_t bytes) {
  std::size_t kept = kept_bytes();
  std::erase_if(blocks_, [&](const Block& block) {
    if (block.taken || kept <= bytes) return false;
    source_.release(block.data);
    kept -= block.bytes;
    return true;
  });
}

void PixelArena::clear() {
  std::size_t kept = 0;
  std::erase_if(blocks_, [&](Block& block) {
    block.taken = false;
    if (kept + block.bytes <= keep_bytes_) {
      kept += block.bytes;
      return false;
    }
    source_.release(block.data);
    return true;
  });
}

}  // namespace qturn
