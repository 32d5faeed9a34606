// Memory for the pixels of one image in flight, given out in blocks and taken back all at once.
//
// A lane turns one image after the other. Fresh memory is not free: page-locked memory costs about
// a millisecond per four megabytes, and of ordinary memory each page is cleared when it is first
// written, a tenth of the time that turning a JPEG takes. So up to a given size blocks are kept.
#ifndef QTURN_SRC_FORMATS_PIXEL_ARENA_HPP
#define QTURN_SRC_FORMATS_PIXEL_ARENA_HPP

#include <cstddef>
#include <vector>

namespace qturn {

/// Where an arena's blocks come from. `allocate` throws when there is no memory; `release` does not
/// throw.
struct BlockSource {
  void* (*allocate)(std::size_t bytes);
  void (*release)(void* block);
};

/// 64-byte-aligned blocks of ordinary memory, from operator new.
extern const BlockSource ordinary_memory;

class PixelArena {
 public:
  /// Of the blocks that clear() ends, those that fit in `keep_bytes` stay allocated for the next
  /// image.
  explicit PixelArena(const BlockSource& source = ordinary_memory, std::size_t keep_bytes = 0)
      : source_(source), keep_bytes_(keep_bytes) {}
  ~PixelArena();
  PixelArena(const PixelArena&) = delete;
  PixelArena& operator=(const PixelArena&) = delete;

  /// A block of at least `bytes`, contents undefined, valid until clear().
  void* take(std::size_t bytes);

  /// Ends the life of every block that was taken.
  void clear();

 private:
  struct Block {
    void* data;
    std::size_t bytes;
    bool taken;
  };
  const BlockSource& source_;
  std::size_t keep_bytes_;
  std::vector<Block> blocks_;
};

}  // namespace qturn

#endif  // QTURN_SRC_FORMATS_PIXEL_ARENA_HPP
