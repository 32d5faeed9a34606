// What gzip has compressed, with its checksum and its length compared, which libarchive does not
// do. By zlib, because the size is not known before.
#ifndef QTURN_SRC_FILES_TAR_GZIP_HPP
#define QTURN_SRC_FILES_TAR_GZIP_HPP

#include <cstddef>
#include <memory>
#include <span>

#include "src/files/tar/reader.hpp"
#include "src/picture/bytes.hpp"

struct z_stream_s;

namespace qturn {

/// One gzip stream, or several after each other, as pigz and bgzip write them.
class GzipReader {
 public:
  explicit GzipReader(TarReader::ReadSome read);

  /// None at the end. Throws TarError if the stream is damaged or cut.
  std::size_t read_some(std::span<std::byte> memory);

 private:
  bool begin_stream();
  bool fill();

  TarReader::ReadSome read_;
  Bytes packed_ = Bytes(std::size_t{1} << 16);
  std::unique_ptr<z_stream_s, void (*)(z_stream_s*)> stream_;
  bool is_in_stream_ = false;
};

}  // namespace qturn

#endif  // QTURN_SRC_FILES_TAR_GZIP_HPP
