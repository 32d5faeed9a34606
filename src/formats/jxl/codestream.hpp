// The first bits of a JPEG XL codestream, ISO/IEC 18181-1: the size and, among the metadata, the
// orientation, which every decoder obeys. Bits count from the lowest of each byte.
//
// A header that says nothing of an orientation has no bits for it. These are inserted together with
// others that repeat defaults, so that whole bytes are added: all that follows keeps its place
// within its byte, and its end need not be known (an ICC profile follows, compressed).
#pragma once

#include <qturn/orientation.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "src/picture/bytes.hpp"

namespace qturn::jxl {

inline constexpr std::string_view jxl_signature{"\xff\x0a", 2};

struct JxlHeader {
  Size size;  ///< before the orientation is applied
  Orientation orientation = Orientation::identity;
  /// Where its metadata begin, and how they are written.
  std::uint64_t metadata_at = 0;
  enum Form : std::uint8_t { all_default, without_orientation, with_orientation };
  Form form = all_default;
  std::uint64_t tone_mapping_at = 0;  ///< without an orientation: where the other insertion goes
};

/// Throws ImageFileError if `codestream` does not begin with a whole header.
JxlHeader read_jxl_header(std::span<const std::byte> codestream);

/// What takes the place of the first `replaced` bytes of the codestream.
struct JxlHead {
  std::size_t replaced = 0;
  Bytes bytes;
};
JxlHead with_orientation(std::span<const std::byte> codestream, const JxlHeader& header,
                         Orientation orientation);

}  // namespace qturn::jxl
