// Deflate as it comes, by zlib: of a tar that gzip has compressed, or of a damaged PNG, up to the
// damage. Where all of a stream is in memory, libdeflate is several times as fast (png/zlib.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

struct z_stream_s;

namespace qturn {

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

}  // namespace qturn

// zlib streams beside pictures: labels hold PNGs in them. formats/png/zlib.cpp does it, as for
// PNGs.

namespace qturn {

/// What a stream holds; nothing if it is damaged, or holds more than `limit` bytes.
std::optional<std::vector<std::byte>> bytes_of_zlib(std::span<const std::byte> stream,
                                                    std::size_t limit);

std::vector<std::byte> zlib_of(std::span<const std::byte> bytes);

}  // namespace qturn
