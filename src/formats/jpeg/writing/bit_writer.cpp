#include "src/formats/jpeg/writing/bit_writer.hpp"

#include <algorithm>

namespace qturn::jpeg {

void JpegData::append_to(Bytes& file) const {
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= restarts_.size(); ++i) {
    const std::size_t end = i < restarts_.size() ? restarts_[i] : size_;
    while (begin < end) {
      const void* found = std::memchr(bytes_.get() + begin, 0xFF, end - begin);
      const auto* first = reinterpret_cast<const std::byte*>(bytes_.get()) + begin;
      const auto* last = found ? static_cast<const std::byte*>(found) + 1
                               : reinterpret_cast<const std::byte*>(bytes_.get()) + end;
      file.insert(file.end(), first, last);
      if (found) file.push_back(std::byte{0});
      begin += static_cast<std::size_t>(last - first);
    }
    if (i == restarts_.size()) break;
    file.push_back(std::byte{0xFF});
    file.push_back(static_cast<std::byte>(0xD0 + i % 8));
  }
}

void JpegData::grow(std::size_t more) {
  const std::size_t capacity = std::max(2 * capacity_, size_ + more + max_block_bytes);
  std::unique_ptr<unsigned char[]> larger(new unsigned char[capacity]);
  std::copy_n(bytes_.get(), size_, larger.get());
  bytes_ = std::move(larger);
  capacity_ = capacity;
}

}  // namespace qturn::jpeg
