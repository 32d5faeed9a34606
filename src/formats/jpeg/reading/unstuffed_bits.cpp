#include "src/formats/jpeg/reading/unstuffed_bits.hpp"

#include <algorithm>

namespace qturn::jpeg {
namespace {

// Sums of bytes in a byte, which compilers compute 16 at a time. One by one they would take a tenth
// of the whole time.
constexpr std::size_t some = 128;

const unsigned char* bytes_of(std::span<const std::byte> data) {
  return reinterpret_cast<const unsigned char*>(data.data());
}

}  // namespace

std::size_t bytes_before_marker(std::span<const std::byte> data) {
  const unsigned char* const bytes = bytes_of(data);
  std::size_t at = 0;
  for (; at + some < data.size(); at += some) {
    unsigned char markers = 0;
    for (std::size_t i = at; i < at + some; ++i) {
      markers |= static_cast<unsigned char>(bytes[i] == 0xFF) &
                 static_cast<unsigned char>(bytes[i + 1] != 0);
    }
    if (markers != 0) break;
  }
  while (at < data.size() &&
         !(bytes[at] == 0xFF && (at + 1 == data.size() || bytes[at + 1] != 0))) {
    ++at;
  }
  return at;
}

std::size_t unstuffed_size(std::span<const std::byte> data) {
  const unsigned char* const bytes = bytes_of(data);
  std::size_t size = 0;
  for (std::size_t at = 0; at < data.size(); at += some) {
    const std::size_t count = std::min(some, data.size() - at);
    unsigned char zeros = 0;
    for (std::size_t i = at; i < at + count; ++i) {
      zeros = static_cast<unsigned char>(zeros + (bytes[i] == 0xFF));
    }
    size += count - zeros;
  }
  return size;
}

void UnstuffedBits::fill() {
  const std::size_t used = std::min(at_ / 8, have_);
  have_ -= used;
  std::memmove(window_.data(), window_.data() + used, have_);
  at_ -= 8 * used;
  while (have_ < size && !rest_.empty()) {
    const std::size_t most = std::min(size - have_, rest_.size());
    const void* stuffed = std::memchr(rest_.data(), 0xFF, most);
    const std::size_t count =
        stuffed
            ? static_cast<std::size_t>(static_cast<const std::byte*>(stuffed) + 1 - rest_.data())
            : most;
    std::memcpy(window_.data() + have_, rest_.data(), count);
    have_ += count;
    rest_ = rest_.subspan(count + (stuffed ? 1 : 0));
  }
  std::memset(window_.data() + have_, 0, window_.size() - size);
}

}  // namespace qturn::jpeg
