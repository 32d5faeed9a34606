// Memory for the pixels of one image in flight, given out in blocks and taken back all at once.
//
// A lane turns one image after the other. New memory costs time: page-locked memory about a
// millisecond per four megabytes, ordinary memory a tenth of the time of turning a JPEG, because
// the system clears each page at its first write. So blocks up to a given size are kept.
#pragma once

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
  /// Blocks that clear() takes back stay allocated for the next image, up to `keep_bytes` in total.
  explicit PixelArena(const BlockSource& source = ordinary_memory, std::size_t keep_bytes = 0)
      : source_(source), keep_bytes_(keep_bytes) {}
  ~PixelArena();
  PixelArena(const PixelArena&) = delete;
  PixelArena& operator=(const PixelArena&) = delete;

  /// A block of at least `bytes` and not many more, contents undefined, valid until clear(). If no
  /// kept block fits, all kept blocks go back to the system.
  void* take(std::size_t bytes);

  /// Takes all blocks back.
  void clear();

  /// The same, and keeps no block.
  void release() {
    clear();
    keep_at_most(0);
  }

  /// The bytes of the blocks that are kept for the next image.
  std::size_t kept_bytes() const;

  /// Gives blocks that are kept back to the system, until they are no more than this.
  void keep_at_most(std::size_t bytes);

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
