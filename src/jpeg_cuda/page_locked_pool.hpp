// Page-locked memory for what goes to a GPU and comes back, from one picture to the next.
//
// Only from such memory do copies run beside other work. The system takes longer to give it than a
// copy takes, and so long for each piece that pieces are cut out of large blocks.
#ifndef QTURN_SRC_JPEG_CUDA_PAGE_LOCKED_POOL_HPP
#define QTURN_SRC_JPEG_CUDA_PAGE_LOCKED_POOL_HPP

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "src/cuda/owners.hpp"

namespace qturn {

/// May be used by several threads.
class PageLockedPool {
 public:
  /// Takes no more than `most_bytes` in all.
  explicit PageLockedPool(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  /// Goes back to the pool, which must outlive it.
  class Piece {
   public:
    Piece() = default;
    Piece(Piece&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), data_(other.data_), bytes_(other.bytes_) {}
    Piece& operator=(Piece&&) = delete;
    ~Piece() {
      if (pool_) pool_->give_back(bytes_, data_);
    }
    /// Null if there is none.
    std::byte* data() const { return data_; }

   private:
    friend PageLockedPool;
    Piece(PageLockedPool& pool, std::byte* data, std::size_t bytes)
        : pool_(&pool), data_(data), bytes_(bytes) {}

    PageLockedPool* pool_ = nullptr;
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
  };

  /// At least `bytes`, with any content. Waits while others have what is needed; whoever waits here
  /// must hold no piece. Null if so much cannot be had. The current thread needs a device.
  Piece take(std::size_t bytes);

 private:
  /// What the system was asked for at once, and what of it is free: sizes by address.
  struct Block {
    std::unique_ptr<std::byte, FreePageLockedBlock> memory;
    std::size_t bytes;
    std::map<std::byte*, std::size_t> free;
  };

  std::byte* find(std::size_t bytes);
  bool grow(std::unique_lock<std::mutex>& lock, std::size_t bytes);
  void give_back(std::size_t bytes, std::byte* data);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t most_bytes_, held_ = 0;
  std::size_t in_use_ = 0;
  bool grows_ = false;  ///< a thread asks the system for a block
  std::vector<Block> blocks_;
};

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_CUDA_PAGE_LOCKED_POOL_HPP
