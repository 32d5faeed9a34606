#include "src/files/tar/gzip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

namespace qturn {

GzipReader::GzipReader(TarReader::ReadSome read)
    : read_(std::move(read)), stream_(new z_stream(), [](z_stream* stream) {
        ::inflateEnd(stream);
        delete stream;
      }) {
  constexpr int gzip_alone = 16;
  if (::inflateInit2(stream_.get(), gzip_alone + MAX_WBITS) != Z_OK) throw std::bad_alloc();
}

/// False at the end of what is read.
bool GzipReader::fill() {
  if (stream_->avail_in > 0) return true;
  stream_->next_in = reinterpret_cast<Bytef*>(packed_.data());
  stream_->avail_in = static_cast<uInt>(read_(packed_));
  return stream_->avail_in > 0;
}

/// False if there is none. Zeros after a stream are padding.
bool GzipReader::begin_stream() {
  while (fill()) {
    const Bytef* end = stream_->next_in + stream_->avail_in;
    const Bytef* begin = std::find_if(static_cast<const Bytef*>(stream_->next_in), end,
                                      [](Bytef byte) { return byte != 0; });
    stream_->avail_in = static_cast<uInt>(end - begin);
    stream_->next_in += begin - stream_->next_in;
    if (begin == end) continue;
    ::inflateReset(stream_.get());
    return true;
  }
  return false;
}

std::size_t GzipReader::read_some(std::span<std::byte> memory) {
  const std::size_t room = std::min<std::size_t>(memory.size(), std::numeric_limits<uInt>::max());
  stream_->next_out = reinterpret_cast<Bytef*>(memory.data());
  stream_->avail_out = static_cast<uInt>(room);
  while (stream_->avail_out == room) {
    if (!is_in_stream_ && !begin_stream()) return 0;
    is_in_stream_ = true;
    if (!fill()) throw TarError("is damaged or cut: its gzip stream has no end");
    const int status = ::inflate(stream_.get(), Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      is_in_stream_ = false;
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK) {
      throw TarError(fmt::format("is damaged or cut: its gzip stream has an {}",
                                 stream_->msg ? stream_->msg : "unknown error"));
    }
  }
  return room - stream_->avail_out;
}

}  // namespace qturn
