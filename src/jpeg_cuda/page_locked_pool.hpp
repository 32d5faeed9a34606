// Page-locked memory for what goes to a GPU and comes back, from one picture to the next.
//
// Only from such memory do copies run beside other work, and taking it costs more than a copy.
#ifndef QTURN_SRC_JPEG_CUDA_PAGE_LOCKED_POOL_HPP
#define QTURN_SRC_JPEG_CUDA_PAGE_LOCKED_POOL_HPP

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

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
  using Memory = std::unique_ptr<std::byte, FreePageLocked>;

  Piece spare_piece(std::size_t bytes, std::size_t most_bytes);
  void forget(std::size_t bytes);
  void give_back(std::size_t bytes, std::byte* data);

  std::mutex mutex_;
  std::condition_variable given_back_;
  std::uint64_t most_bytes_, held_ = 0;
  std::size_t in_use_ = 0;
  std::multimap<std::size_t, Memory> spare_;  ///< by size
};

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_CUDA_PAGE_LOCKED_POOL_HPP
