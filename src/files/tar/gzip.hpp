// What gzip has compressed, with its checksum and its length compared, which libarchive does not
// do.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "src/files/tar/reader.hpp"
#include "src/formats/codec/inflate_stream.hpp"
#include "src/picture/bytes.hpp"

namespace qturn {

/// One gzip stream, or several after each other, as pigz and bgzip write them.
class GzipReader {
 public:
  explicit GzipReader(TarReader::ReadSome read) : read_(std::move(read)) {}
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  /// None at the end. Throws TarError if the stream is damaged or cut.
  std::size_t read_some(std::span<std::byte> memory);

 private:
  bool begin_stream();
  bool fill();

  TarReader::ReadSome read_;
  Bytes buffer_ = Bytes(std::size_t{1} << 16);
  std::span<const std::byte> packed_;  // what of it was not decompressed yet
  InflateStream stream_{InflateStream::Form::gzip};
  bool is_in_stream_ = false;
};

}  // namespace qturn
