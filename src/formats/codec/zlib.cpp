#include "src/formats/codec/zlib.hpp"

#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

namespace qturn {

std::uint32_t crc32(std::span<const std::byte> data) {
  return libdeflate_crc32(0, data.data(), data.size());
}

Inflated inflate(std::span<const std::byte> stream, std::span<std::byte> to) {
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!decompressor) throw std::bad_alloc();
  Inflated inflated{.result = Inflated::Result::damaged};
  switch (libdeflate_zlib_decompress_ex(decompressor.get(), stream.data(), stream.size(), to.data(),
                                        to.size(), &inflated.read, &inflated.written)) {
    case LIBDEFLATE_SUCCESS:
      inflated.result = Inflated::Result::whole;
      break;
    case LIBDEFLATE_INSUFFICIENT_SPACE:
      inflated.result = Inflated::Result::too_large;
      break;
    default:
      break;
  }
  return inflated;
}

std::optional<std::vector<std::byte>> bytes_of_zlib(std::span<const std::byte> stream,
                                                    std::size_t limit) {
  for (std::size_t bytes = std::min<std::size_t>(limit, 1 << 16);;
       bytes = std::min(limit, 4 * bytes)) {
    std::vector<std::byte> to(bytes);
    const Inflated inflated = inflate(stream, to);
    if (inflated.result == Inflated::Result::whole) {
      to.resize(inflated.written);
      return to;
    }
    if (inflated.result == Inflated::Result::damaged || bytes == limit) return std::nullopt;
  }
}

std::size_t inflate_beginning(std::span<const std::byte> stream, std::span<std::uint8_t> to) {
  constexpr std::size_t header_bytes = 2;  // it may be damaged, too
  if (stream.size() <= header_bytes) return 0;
  std::span<const std::byte> packed = stream.subspan(header_bytes);
  std::span<std::byte> room = std::as_writable_bytes(to);
  InflateStream inflater(InflateStream::Form::bare);
  while (!packed.empty() && !room.empty())
    if (inflater.unpack(packed, room) != InflateStream::State::goes_on) break;
  return to.size() - room.size();
}

Deflater::Deflater(int level)
    : compressor_(libdeflate_alloc_compressor(level), libdeflate_free_compressor) {
  if (!compressor_) throw std::bad_alloc();
}

std::size_t Deflater::largest(std::size_t bytes) const {
  return libdeflate_zlib_compress_bound(compressor_.get(), bytes);
}

std::size_t Deflater::deflate(std::span<const std::uint8_t> data, std::byte* to) const {
  return libdeflate_zlib_compress(compressor_.get(), data.data(), data.size(), to,
                                  largest(data.size()));
}

std::vector<std::byte> zlib_of(std::span<const std::byte> data) {
  const Deflater deflater(6);
  std::vector<std::byte> stream(deflater.largest(data.size()));
  stream.resize(deflater.deflate({reinterpret_cast<const std::uint8_t*>(data.data()), data.size()},
                                 stream.data()));
  return stream;
}

std::string zlib_library_version() { return "libdeflate " LIBDEFLATE_VERSION_STRING; }

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
