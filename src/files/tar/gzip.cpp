#include "src/files/tar/gzip.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace qturn {

/// False at the end of what is read.
bool GzipReader::fill() {
  if (packed_.empty()) packed_ = std::span(buffer_).first(read_(buffer_));
  return !packed_.empty();
}

/// False if there is none. Zeros after a stream are padding.
bool GzipReader::begin_stream() {
  while (fill()) {
    const auto begin =
        std::ranges::find_if(packed_, [](std::byte byte) { return byte != std::byte{0}; });
    packed_ = packed_.subspan(static_cast<std::size_t>(begin - packed_.begin()));
    if (packed_.empty()) continue;
    stream_.reset();
    return true;
  }
  return false;
}

std::size_t GzipReader::read_some(std::span<std::byte> memory) {
  using State = InflateStream::State;
  std::span<std::byte> room = memory;
  while (room.size() == memory.size()) {
    if (!is_in_stream_ && !begin_stream()) return 0;
    if (!fill()) throw TarError("is damaged or cut: its gzip stream has no end");
    const State state = stream_.unpack(packed_, room);
    if (state == State::damaged)
      throw TarError(fmt::format("is damaged or cut: its gzip stream has an {}", stream_.why()));
    is_in_stream_ = state == State::goes_on;
  }
  return memory.size() - room.size();
}

}  // namespace qturn
