#include "src/formats/pixel_arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace qturn {
namespace {

// Turning jumps from row to row, so small pages cost misses in the processor's table of them, and
// each is cleared in a step of its own. The system is asked for large ones.
constexpr std::size_t alignment = 64, large_page = std::size_t{2} << 20;
constexpr std::size_t worth_large_pages = 2 * large_page;

void* allocate(std::size_t bytes) {
  const bool large = bytes >= worth_large_pages;
  void* block = nullptr;
  if (::posix_memalign(&block, large ? large_page : alignment, bytes) != 0) throw std::bad_alloc();
  if (large) ::madvise(block, bytes, MADV_HUGEPAGE);  // as well as it can
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
  Block* best = nullptr;
  for (Block& block : blocks_) {
    if (!block.taken && block.bytes >= bytes && (!best || block.bytes < best->bytes)) {
      best = &block;
    }
  }
  if (!best) {
    // A free block that is too small would only be hoarded: it makes room for the larger one.
    const auto small = std::find_if(blocks_.begin(), blocks_.end(),
                                    [](const Block& block) { return !block.taken; });
    if (small != blocks_.end()) {
      source_.release(small->data);
      blocks_.erase(small);
    }
    blocks_.reserve(blocks_.size() + 1);
    blocks_.push_back({source_.allocate(bytes), bytes, false});
    best = &blocks_.back();
  }
  best->taken = true;
  return best->data;
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
