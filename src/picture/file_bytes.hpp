// The bytes of a whole file on its way, and the memory that they lie in.
//
// For most files that is a vector. What goes to a GPU, or comes from there, lies in page-locked
// memory: the system writes the file there and the GPU reads it there. A copy in between would take
// as long as reading the file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "src/picture/bytes.hpp"

namespace qturn {

class FileBytes {
 public:
  /// Memory of another kind than a vector's. It goes back by its deleter.
  using Memory = std::unique_ptr<std::byte, std::function<void(std::byte*)>>;

  FileBytes() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): most files are vectors
  FileBytes(Bytes bytes) noexcept : vector_(std::move(bytes)) {}
  /// No bytes yet, in memory for `capacity` of them.
  FileBytes(Memory memory, std::size_t capacity)
      : memory_(std::move(memory)), capacity_(capacity) {}

  std::byte* data() { return memory_ ? memory_.get() : vector_.data(); }
  const std::byte* data() const { return memory_ ? memory_.get() : vector_.data(); }
  std::size_t size() const { return memory_ ? size_ : vector_.size(); }
  std::size_t capacity() const { return memory_ ? capacity_ : vector_.capacity(); }
  bool empty() const { return size() == 0; }
  std::byte* begin() { return data(); }
  std::byte* end() { return data() + size(); }
  const std::byte* begin() const { return data(); }
  const std::byte* end() const { return data() + size(); }

  /// New bytes have any value. What does not fit into other memory becomes a vector.
  void resize(std::size_t bytes) {
    if (memory_ && bytes <= capacity_) {
      size_ = bytes;
      return;
    }
    if (memory_) *this = FileBytes(Bytes(begin(), end()));
    vector_.resize(bytes);
  }
  void append(std::span<const std::byte> bytes) {
    const std::size_t before = size();
    resize(before + bytes.size());
    std::ranges::copy(bytes, begin() + before);
  }

  /// The vector, if it is one; otherwise a copy.
  // NOLINTNEXTLINE(google-explicit-constructor): as above
  operator Bytes() && { return memory_ ? Bytes(begin(), end()) : std::move(vector_); }
  /// The vector for other bytes; an empty one if there is none.
  Bytes spare() && { return std::move(vector_); }

 private:
  Bytes vector_;
  Memory memory_;
  std::size_t size_ = 0, capacity_ = 0;  ///< of `memory_`
};

}  // namespace qturn
