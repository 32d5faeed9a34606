#include "src/png/chunks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "src/carriers/exif.hpp"

namespace qturn {
namespace {

using Bytes = std::vector<std::byte>;
using std::string_view_literals::operator""sv;

constexpr std::string_view signature = "\x89PNG\r\n\x1a\n"sv;
constexpr std::size_t overhead = 12;  // length, type, checksum

// CRC-32 of eight bytes at a time: a whole file is summed in a fraction of the time that inflating
// it takes.
struct CrcTables {
  std::array<std::array<std::uint32_t, 256>, 8> at;

  constexpr CrcTables() : at{} {
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = value & 1 ? 0xEDB88320 ^ value >> 1 : value >> 1;
      at[0][i] = value;
    }
    for (std::uint32_t i = 0; i < 256; ++i) {
      for (int k = 1; k < 8; ++k) at[k][i] = at[k - 1][i] >> 8 ^ at[0][at[k - 1][i] & 0xFF];
    }
  }
};
constexpr CrcTables crc_tables;

std::uint32_t crc32(std::span<const std::byte> data) {
  const auto& t = crc_tables.at;
  std::uint32_t crc = 0xFFFFFFFF;
  const auto* p = reinterpret_cast<const unsigned char*>(data.data());
  std::size_t left = data.size();
  for (; left >= 8; left -= 8, p += 8) {
    const std::uint32_t low = crc ^ (std::uint32_t{p[0]} | std::uint32_t{p[1]} << 8 |
                                     std::uint32_t{p[2]} << 16 | std::uint32_t{p[3]} << 24);
    crc = t[7][low & 0xFF] ^ t[6][low >> 8 & 0xFF] ^ t[5][low >> 16 & 0xFF] ^ t[4][low >> 24] ^
          t[3][p[4]] ^ t[2][p[5]] ^ t[1][p[6]] ^ t[0][p[7]];
  }
  for (; left > 0; --left, ++p) crc = t[0][(crc ^ *p) & 0xFF] ^ crc >> 8;
  return ~crc;
}

std::uint32_t u32(std::span<const std::byte> data, std::size_t at) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | std::to_integer<std::uint32_t>(data[at + i]);
  return value;
}

void append_u32(Bytes& to, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    to.push_back(static_cast<std::byte>(value >> shift & 0xFF));
  }
}

void append(Bytes& to, std::span<const std::byte> data) {
  to.insert(to.end(), data.begin(), data.end());
}

void append(Bytes& to, std::string_view text) {
  append(to, std::as_bytes(std::span(text.data(), text.size())));
}

// A file that holds the signature, with room for more.
Bytes begin_png(std::size_t expected_bytes) {
  const auto bytes = std::as_bytes(std::span(signature.data(), signature.size()));
  Bytes file;
  file.reserve(expected_bytes);
  file.assign(bytes.begin(), bytes.end());
  return file;
}

void append_chunk(Bytes& to, std::string_view type, std::span<const std::byte> data) {
  append_u32(to, static_cast<std::uint32_t>(data.size()));
  const std::size_t summed = to.size();
  append(to, type);
  append(to, data);
  append_u32(to, crc32(std::span(to).subspan(summed)));
}

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

template <std::size_t N>
bool is_one_of(std::string_view type, const std::array<std::string_view, N>& types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

// A zlib stream that holds `data` as it is.
Bytes stored_deflate(std::span<const std::byte> data) {
  constexpr std::size_t max_block = 65535;
  Bytes stream{std::byte{0x78}, std::byte{0x01}};
  std::uint32_t a = 1, b = 0;  // Adler-32
  for (const std::byte value : data) {
    a = (a + std::to_integer<std::uint32_t>(value)) % 65521;
    b = (b + a) % 65521;
  }
  do {
    const auto block = data.first(std::min(data.size(), max_block));
    data = data.subspan(block.size());
    stream.push_back(std::byte{data.empty()});
    for (const std::size_t length : {block.size(), ~block.size()}) {
      stream.push_back(static_cast<std::byte>(length & 0xFF));
      stream.push_back(static_cast<std::byte>(length >> 8 & 0xFF));
    }
    append(stream, block);
  } while (!data.empty());
  append_u32(stream, b << 16 | a);
  return stream;
}

}  // namespace

std::vector<PngChunk> png_chunks(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with(signature)) throw ImageFileError("is no PNG");
  std::vector<PngChunk> chunks;
  for (std::size_t at = signature.size();;) {
    if (file.size() - at < overhead)
      throw ImageFileError("truncated: the end of the PNG is missing");
    const std::uint64_t length = u32(file, at);
    const std::string_view type = text.substr(at + 4, 4);
    if (!std::all_of(type.begin(), type.end(), is_letter)) {
      throw ImageFileError(
          fmt::format("damaged: no PNG chunk where one should begin, at byte {}", at));
    }
    if (length > file.size() - at - overhead) {
      throw ImageFileError(fmt::format("truncated: the file ends within a PNG chunk ({})", type));
    }
    const std::size_t size = static_cast<std::size_t>(length);
    if (crc32(file.subspan(at + 4, size + 4)) != u32(file, at + 8 + size)) {
      throw ImageFileError(fmt::format("damaged: wrong checksum of a PNG chunk ({})", type));
    }
    if (type == "acTL") throw ImageFileError("an animated PNG is not supported");
    if (chunks.empty() != (type == "IHDR")) throw ImageFileError("damaged: misplaced PNG header");
    chunks.push_back({type, file.subspan(at + 8, size), file.subspan(at, size + overhead)});
    if (type == "IEND") break;
    at += size + overhead;
  }
  if (chunks.front().data.size() != 13) throw ImageFileError("damaged: PNG header of a wrong size");
  return chunks;
}

PngHeader png_header(const std::vector<PngChunk>& chunks) {
  const auto& data = chunks.front().data;
  return {.width = u32(data, 0),
          .height = u32(data, 4),
          .bit_depth = std::to_integer<int>(data[8]),
          .colour_type = std::to_integer<int>(data[9]),
          .interlaced = data[12] != std::byte{0}};
}

Orientation png_orientation(const std::vector<PngChunk>& chunks) {
  for (const PngChunk& chunk : chunks) {
    if (chunk.type == "eXIf") return orientation_of_exif(chunk.data);
  }
  return Orientation::identity;
}

Metadata png_metadata(const std::vector<PngChunk>& chunks) {
  constexpr std::string_view xmp_prefix = "XML:com.adobe.xmp\0\0\0\0\0"sv;
  Metadata metadata;
  for (const PngChunk& chunk : chunks) {
    const std::string_view text(reinterpret_cast<const char*>(chunk.data.data()),
                                chunk.data.size());
    if (chunk.type == "eXIf" && metadata.exif.empty()) {
      metadata.exif = upright_exif(exif_body(chunk.data));
    } else if (chunk.type == "iTXt" && text.starts_with(xmp_prefix)) {
      metadata.xmp = text.substr(xmp_prefix.size());
    }
  }
  return metadata;
}

Bytes png_skeleton(const std::vector<PngChunk>& chunks) {
  Bytes skeleton = begin_png(1024);
  bool pixels = false;
  for (const PngChunk& chunk : chunks) {
    if (chunk.type != "IDAT") {
      append(skeleton, chunk.whole);
    } else if (!std::exchange(pixels, true)) {
      append_chunk(skeleton, chunk.type, {});
    }
  }
  return skeleton;
}

namespace {

// Chunks ready to be written again.
struct Ancillary {
  Bytes before_pixels, after_pixels;
};

Ancillary ancillary_of(const std::vector<PngChunk>& chunks, bool same_storage, bool swapped) {
  constexpr std::array structure = {"IHDR"sv, "IDAT"sv, "IEND"sv};
  constexpr std::array of_storage = {"PLTE"sv, "tRNS"sv, "bKGD"sv, "sBIT"sv, "hIST"sv};
  Ancillary kept;
  bool after = false;
  for (const PngChunk& chunk : chunks) {
    after |= chunk.type == "IDAT";
    if (is_one_of(chunk.type, structure)) continue;
    if (!same_storage && is_one_of(chunk.type, of_storage)) continue;
    if (chunk.type == "iDOT") continue;  // offsets into the pixels that were
    Bytes& to = after ? kept.after_pixels : kept.before_pixels;
    if (chunk.type == "eXIf") {
      append_chunk(to, chunk.type, upright_exif(chunk.data));
    } else if (chunk.type == "pHYs" && swapped && chunk.data.size() == 9) {
      Bytes density(chunk.data.begin(), chunk.data.end());
      std::swap_ranges(density.begin(), density.begin() + 4, density.begin() + 4);
      append_chunk(to, chunk.type, density);
    } else {
      append(to, chunk.whole);
    }
  }
  return kept;
}

Ancillary ancillary_of(const Metadata& metadata) {
  Ancillary made;
  Bytes& to = made.before_pixels;
  if (!metadata.icc.empty()) {
    Bytes data;
    append(data, "ICC profile\0\0"sv);  // name, compression method
    append(data, stored_deflate(metadata.icc));
    append_chunk(to, "iCCP", data);
  }
  if (!metadata.exif.empty()) append_chunk(to, "eXIf", upright_exif(metadata.exif));
  const auto add_text = [&](std::string_view keyword, std::string_view value) {
    if (value.empty()) return;
    Bytes data;
    append(data, keyword);
    // The keyword's end, not compressed, method 0, no language, no translated keyword.
    append(data, "\0\0\0\0\0"sv);
    append(data, value);
    append_chunk(to, "iTXt", data);
  };
  add_text("XML:com.adobe.xmp", metadata.xmp);
  add_text("Comment", metadata.comment);
  return made;
}

Bytes assemble(const std::vector<PngChunk>& encoded, const Ancillary& ancillary) {
  std::size_t bytes =
      signature.size() + ancillary.before_pixels.size() + ancillary.after_pixels.size();
  for (const PngChunk& chunk : encoded) bytes += chunk.whole.size();
  Bytes file = begin_png(bytes);
  bool pixels = false;
  for (const PngChunk& chunk : encoded) {
    if (chunk.type == "IDAT" && !std::exchange(pixels, true)) append(file, ancillary.before_pixels);
    if (chunk.type == "IEND") append(file, ancillary.after_pixels);
    if (chunk.type == "IHDR" || chunk.type == "IDAT" || chunk.type == "IEND") {
      append(file, chunk.whole);
    }
  }
  return file;
}

}  // namespace

Bytes assemble_png(std::span<const std::byte> encoded, std::span<const std::byte> skeleton,
                   bool swapped) {
  const std::vector<PngChunk> pixels = png_chunks(encoded);
  const std::vector<PngChunk> rest = png_chunks(skeleton);
  const PngHeader now = png_header(pixels), was = png_header(rest);
  const bool same_storage = now.bit_depth == was.bit_depth && now.colour_type == was.colour_type;
  return assemble(pixels, ancillary_of(rest, same_storage, swapped));
}

Bytes assemble_png(std::span<const std::byte> encoded, const Metadata& metadata) {
  return assemble(png_chunks(encoded), ancillary_of(metadata));
}

std::optional<Bytes> retag_png_upright(std::span<const std::byte> file) {
  Bytes retagged = begin_png(file.size());
  for (const PngChunk& chunk : png_chunks(file)) {
    if (chunk.type == "eXIf") {
      append_chunk(retagged, chunk.type, upright_exif(chunk.data));
    } else {
      append(retagged, chunk.whole);
    }
  }
  append(retagged, file.subspan(retagged.size()));
  return retagged;
}

}  // namespace qturn
