// Page-locked memory for what goes to a GPU and comes back, from one picture to the next.
//
// Only from such memory do copies run beside other work. The system takes longer to give it than a
// copy takes, and so long for each piece that pieces are cut out of large blocks.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "src/gpu/owners.hpp"
#include "src/picture/file_bytes.hpp"

namespace qturn {

/// May be used by several threads.
class PageLockedPool {
 public:
  using PageLocked = std::unique_ptr<std::byte, FreePageLockedBlock>;
  /// Asks the system for a block. Throws OutOfDeviceMemory.
  using Allocate = PageLocked (*)(std::size_t bytes);

  /// Takes no more than `most_bytes` in all.
  explicit PageLockedPool(std::uint64_t most_bytes, Allocate allocate = allocate_page_locked_block)
      : most_bytes_(most_bytes), allocate_(allocate) {}

  /// Memory for `bytes`, with any content; none if so much cannot be had. It goes back to the pool,
  /// which must outlive it. Blocks only while the system is asked for more. The current thread
  /// needs a device.
  FileBytes take(std::size_t bytes);

  /// Whether this is the address of a byte in the pool's memory.
  bool has(const std::byte* data) const;

 private:
  /// What the system was asked for at once, and what of it is free: sizes by address.
  struct Block {
    PageLocked memory;
    std::size_t bytes;
    std::map<std::byte*, std::size_t> free;

    bool has(const std::byte* data) const {
      return data >= memory.get() && data < memory.get() + bytes;
    }
  };

  std::byte* find(std::size_t bytes);
  FileBytes lent(std::byte* data, std::size_t bytes);
  bool grow(std::unique_lock<std::mutex>& lock, std::size_t bytes);
  void give_back(std::size_t bytes, std::byte* data);
  void merge(std::size_t bytes, std::byte* data);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t most_bytes_, held_ = 0;
  const Allocate allocate_;
  std::size_t in_use_ = 0;
  bool grows_ = false;  ///< a thread asks the system for a block
  std::vector<Block> blocks_;
  /// Pieces that came back, by size, of one size the newest first: the cores' caches may still have
  /// it. They are merged with what is beside them only if none of them fits: to look for a place
  /// among many takes longer than to write a file.
  std::multimap<std::size_t, std::byte*> returned_;
};

}  // namespace qturn
