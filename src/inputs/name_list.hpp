// Names one after the other in memory, each ended by NUL. Millions of them take little more than
// their bytes, and none ever moves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

namespace qturn {

class NameList {
 public:
  NameList() = default;
  NameList(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) add(name);
  }

  /// The copy that the list owns.
  const char* add(std::string_view name) {
    if (name.size() + 1 > room_) {
      room_ = std::max(name.size() + 1, block_bytes);
      blocks_.push_back({std::make_unique_for_overwrite<char[]>(room_)});
    }
    Block& block = blocks_.back();
    char* const kept = &block.text[block.used];
    *std::ranges::copy(name, kept).out = '\0';
    block.used += name.size() + 1;
    room_ -= name.size() + 1;
    ++size_;
    return kept;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  /// Visits the names in the order in which they were added.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const Block& block : blocks_) {
      for (std::size_t at = 0; at < block.used;) {
        const std::string_view name = &block.text[at];
        at += name.size() + 1;
        visit(name);
      }
    }
  }

 private:
  static constexpr std::size_t block_bytes = 1 << 16;
  struct Block {
    std::unique_ptr<char[]> text;
    std::size_t used = 0;
  };

  std::vector<Block> blocks_;
  std::size_t room_ = 0;  // in the last of them
  std::size_t size_ = 0;
};

}  // namespace qturn
