#include "src/webp/chunks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/carriers/exif.hpp"

namespace qturn {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::size_t riff_header_bytes = 12, chunk_header_bytes = 8;

// Flags of the VP8X chunk.
constexpr unsigned has_profile = 0x20, has_alpha = 0x10, has_exif = webp_has_exif, has_xmp = 0x04;

std::uint32_t u32(std::span<const std::byte> data, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;)
    value = value << 8 | std::to_integer<std::uint32_t>(data[at + i]);
  return value;
}

void append(Bytes& to, std::span<const std::byte> data) {
  to.insert(to.end(), data.begin(), data.end());
}

void append(Bytes& to, std::string_view text) {
  append(to, std::as_bytes(std::span(text.data(), text.size())));
}

void append_number(Bytes& to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i, value >>= 8) to.push_back(static_cast<std::byte>(value & 0xFF));
}

void append_chunk(Bytes& to, std::string_view type, std::span<const std::byte> data) {
  append(to, type);
  append_number(to, data.size(), 4);
  append(to, data);
  if (data.size() % 2 != 0) to.push_back(std::byte{0});
}

bool is_pixels(const WebpChunk& chunk) {
  return chunk.type == "VP8 " || chunk.type == "VP8L" || chunk.type == "ALPH";
}

struct Canvas {
  std::uint32_t width = 0, height = 0;
  bool alpha = false;
};

// As the pixels' own headers say it: RFC 9649, sections 2.6 and 3.4.
Canvas canvas_of(const std::vector<WebpChunk>& chunks) {
  Canvas canvas;
  for (const WebpChunk& chunk : chunks) {
    if (chunk.type == "VP8L" && chunk.data.size() >= 5) {
      const std::uint32_t bits = u32(chunk.data, 1);
      canvas = {(bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1, (bits >> 28 & 1) != 0};
    } else if (chunk.type == "VP8 " && chunk.data.size() >= 10) {
      const std::uint32_t bits = u32(chunk.data, 6);
      canvas.width = bits & 0x3FFF;
      canvas.height = bits >> 16 & 0x3FFF;
    } else if (chunk.type == "ALPH") {
      canvas.alpha = true;
    }
  }
  return canvas;
}

}  // namespace

std::vector<WebpChunk> webp_chunks(std::span<const std::byte> file) {
  if (file.size() < riff_header_bytes)
    throw ImageFileError("truncated: the WebP header is missing");
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  const std::uint64_t riff_bytes = u32(file, 4);
  if (riff_bytes + chunk_header_bytes > file.size()) {
    throw ImageFileError(
        fmt::format("truncated: {} of {} bytes", file.size(), riff_bytes + chunk_header_bytes));
  }
  const std::size_t end = static_cast<std::size_t>(riff_bytes) + chunk_header_bytes;
  std::vector<WebpChunk> chunks;
  for (std::size_t at = riff_header_bytes; at + chunk_header_bytes <= end;) {
    const std::string_view type = text.substr(at, 4);
    const std::uint64_t size = u32(file, at + 4);
    if (size > end - at - chunk_header_bytes) {
      throw ImageFileError(fmt::format("truncated: the file ends within a WebP chunk ({})", type));
    }
    if (type == "ANIM" || type == "ANMF") throw ImageFileError("an animated WebP is not supported");
    chunks.push_back({type, file.subspan(at + chunk_header_bytes, static_cast<std::size_t>(size))});
    at += chunk_header_bytes + static_cast<std::size_t>(size + size % 2);
  }
  if (std::none_of(chunks.begin(), chunks.end(), is_pixels)) {
    throw ImageFileError("truncated: a WebP without pixels");
  }
  return chunks;
}

bool webp_is_lossless(const std::vector<WebpChunk>& chunks) {
  return std::any_of(chunks.begin(), chunks.end(),
                     [](const WebpChunk& chunk) { return chunk.type == "VP8L"; });
}

Orientation webp_orientation(const std::vector<WebpChunk>& chunks) {
  for (const WebpChunk& chunk : chunks) {
    if (chunk.type == "EXIF") return orientation_of_exif(chunk.data);
  }
  return Orientation::identity;
}

Metadata webp_metadata(const std::vector<WebpChunk>& chunks) {
  Metadata metadata;
  for (const WebpChunk& chunk : chunks) {
    if (chunk.type == "ICCP" && metadata.icc.empty()) {
      metadata.icc.assign(chunk.data.begin(), chunk.data.end());
    } else if (chunk.type == "EXIF" && metadata.exif.empty()) {
      metadata.exif = upright_exif(exif_body(chunk.data));
    } else if (chunk.type == "XMP " && metadata.xmp.empty()) {
      metadata.xmp.assign(reinterpret_cast<const char*>(chunk.data.data()), chunk.data.size());
    }
  }
  return metadata;
}

std::vector<std::byte> assemble_webp(std::span<const std::byte> encoded, const Metadata& metadata) {
  const std::vector<WebpChunk> chunks = webp_chunks(encoded);
  const Canvas canvas = canvas_of(chunks);
  const unsigned flags = (metadata.icc.empty() ? 0 : has_profile) | (canvas.alpha ? has_alpha : 0) |
                         (metadata.exif.empty() ? 0 : has_exif) |
                         (metadata.xmp.empty() ? 0 : has_xmp);
  Bytes body;
  append(body, "WEBP");
  // A picture without alpha and metadata is stored simply, as the pixels' chunk alone.
  const bool simple = flags == 0 || (flags == has_alpha && webp_is_lossless(chunks));
  if (!simple) {
    Bytes header;
    append_number(header, flags, 4);
    append_number(header, canvas.width - 1, 3);
    append_number(header, canvas.height - 1, 3);
    append_chunk(body, "VP8X", header);
    if (!metadata.icc.empty()) append_chunk(body, "ICCP", metadata.icc);
  }
  for (const WebpChunk& chunk : chunks) {
    if (is_pixels(chunk)) append_chunk(body, chunk.type, chunk.data);
  }
  if (!metadata.exif.empty()) append_chunk(body, "EXIF", metadata.exif);
  if (!metadata.xmp.empty()) {
    append_chunk(body, "XMP ", std::as_bytes(std::span(metadata.xmp.data(), metadata.xmp.size())));
  }
  Bytes file;
  file.reserve(body.size() + chunk_header_bytes);
  append_chunk(file, "RIFF", body);
  return file;
}

Bytes write_webp(const std::vector<std::pair<std::string_view, Bytes>>& chunks) {
  Bytes body;
  append(body, "WEBP");
  for (const auto& [type, data] : chunks) append_chunk(body, type, data);
  Bytes file;
  file.reserve(body.size() + chunk_header_bytes);
  append_chunk(file, "RIFF", body);
  return file;
}

}  // namespace qturn
