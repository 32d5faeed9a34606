#include "src/formats/codec/inflate_stream.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace qturn {

InflateStream::InflateStream(Form form)
    : stream_(new z_stream(), [](z_stream* stream) {
        ::inflateEnd(stream);
        delete stream;
      }) {
  constexpr int gzip_alone = 16;
  const int window = form == Form::gzip ? gzip_alone + MAX_WBITS : -MAX_WBITS;
  if (::inflateInit2(stream_.get(), window) != Z_OK) throw std::bad_alloc();
}

InflateStream::State InflateStream::unpack(std::span<const std::byte>& packed,
                                           std::span<std::byte>& room) {
  constexpr std::size_t most = std::numeric_limits<uInt>::max();
  const auto in = static_cast<uInt>(std::min(packed.size(), most));
  const auto out = static_cast<uInt>(std::min(room.size(), most));
  // zlib does not write there.
  stream_->next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
  stream_->avail_in = in;
  stream_->next_out = reinterpret_cast<Bytef*>(room.data());
  stream_->avail_out = out;
  const int status = ::inflate(stream_.get(), Z_NO_FLUSH);
  packed = packed.subspan(in - stream_->avail_in);
  room = room.subspan(out - stream_->avail_out);
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  if (status == Z_STREAM_END) return State::ended;
  return status == Z_OK ? State::goes_on : State::damaged;
}

std::string_view InflateStream::why() const {
  return stream_->msg ? stream_->msg : "unknown error";
}

void InflateStream::reset() { ::inflateReset(stream_.get()); }

}  // namespace qturn
