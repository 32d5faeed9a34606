// zlib streams and Deflate. Where all of a stream is in memory, as a PNG's pixels are, libdeflate
// is several times as fast as zlib; so the size of the output has to be known. What comes piece by
// piece, or is damaged, zlib decompresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct libdeflate_compressor;
struct z_stream_s;

namespace qturn {

// By libdeflate.

/// CRC-32, as in PNG's chunks.
std::uint32_t crc32(std::span<const std::byte> data);

/// The result of decompressing a stream.
struct Inflated {
  enum class Result : std::uint8_t { whole, damaged, too_large };
  Result result;
  std::size_t read = 0;     ///< bytes of the stream; others may follow
  std::size_t written = 0;  ///< if it is whole
};

/// Decompresses one zlib stream, whose checksum is compared, into `to`.
Inflated inflate(std::span<const std::byte> stream, std::span<std::byte> to);

/// The same for small blocks of a size that is not known; nothing if the stream is damaged, or
/// larger than `limit`.
std::optional<std::vector<std::byte>> bytes_of_zlib(std::span<const std::byte> stream,
                                                    std::size_t limit);

/// Compresses into zlib streams.
class Deflater {
 public:
  explicit Deflater(int level);

  /// How large a stream of so many bytes may become.
  std::size_t largest(std::size_t bytes) const;

  /// Returns the size of the stream; `to` holds largest(data.size()) bytes.
  std::size_t deflate(std::span<const std::uint8_t> data, std::byte* to) const;

 private:
  std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor_;
};

/// A small block as a zlib stream.
std::vector<std::byte> zlib_of(std::span<const std::byte> data);

/// "libdeflate 1.14".
std::string zlib_library_version();

// By zlib: a tar that gzip has compressed, or a damaged PNG, up to the damage.

class InflateStream {
 public:
  /// `gzip` compares checksums and lengths; `bare` is what lies in a zlib stream, without any.
  enum class Form : std::uint8_t { gzip, bare };
  explicit InflateStream(Form form);

  enum class State : std::uint8_t { goes_on, ended, damaged };
  /// Decompresses `packed` into `room`, as far as both go, and takes off what it has done of both.
  State unpack(std::span<const std::byte>& packed, std::span<std::byte>& room);
  /// What is wrong with a damaged stream.
  std::string_view why() const;
  /// Another stream follows.
  void reset();

 private:
  std::unique_ptr<z_stream_s, void (*)(z_stream_s*)> stream_;
};

/// Decompresses a damaged zlib stream into `to`, as far as it goes and makes sense, and returns how
/// many bytes that gave. The checksum is not compared.
std::size_t inflate_beginning(std::span<const std::byte> stream, std::span<std::uint8_t> to);

}  // namespace qturn
