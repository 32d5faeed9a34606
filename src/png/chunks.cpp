#include "src/png/chunks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "src/carriers/exif.hpp"
#include "src/png/zlib.hpp"

namespace qturn {
namespace {

using Bytes = std::vector<std::byte>;
using std::string_view_literals::operator""sv;

constexpr std::string_view signature = "\x89PNG\r\n\x1a\n"sv;
constexpr std::size_t overhead = 12;  // length, type, checksum
// The keyword of an iTXt chunk, not compressed, without languages.
constexpr std::string_view xmp_prefix = "XML:com.adobe.xmp\0\0\0\0\0"sv;

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

// A zlib stream of it.
Bytes deflated(std::span<const std::byte> data) {
  const Deflater deflater(6);
  Bytes stream(deflater.largest(data.size()));
  stream.resize(deflater.deflate({reinterpret_cast<const std::uint8_t*>(data.data()), data.size()},
                                 stream.data()));
  return stream;
}

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

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
    const auto size = static_cast<std::size_t>(length);
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

const PngChunk* find_chunk(const std::vector<PngChunk>& chunks, std::string_view type) {
  const auto found = std::find_if(chunks.begin(), chunks.end(),
                                  [&](const PngChunk& chunk) { return chunk.type == type; });
  return found == chunks.end() ? nullptr : &*found;
}

PngHeader png_header(const std::vector<PngChunk>& chunks) {
  const auto& data = chunks.front().data;
  return {.width = u32(data, 0),
          .height = u32(data, 4),
          .bit_depth = std::to_integer<int>(data[8]),
          .colour_type = std::to_integer<int>(data[9]),
          .interlaced = data[12] != std::byte{0}};
}

int channels(const PngHeader& header) {
  constexpr std::array of_colour_type = {1, 0, 3, 1, 2, 0, 4};
  return of_colour_type[static_cast<std::size_t>(header.colour_type)];
}

std::size_t bits_per_pixel(const PngHeader& header) {
  return static_cast<std::size_t>(channels(header)) * static_cast<std::size_t>(header.bit_depth);
}

Orientation png_orientation(const std::vector<PngChunk>& chunks) {
  for (const PngChunk& chunk : chunks) {
    if (chunk.type == "eXIf") return orientation_of_exif(chunk.data);
  }
  return Orientation::identity;
}

Metadata png_metadata(const std::vector<PngChunk>& chunks) {
  Metadata metadata;
  for (const PngChunk& chunk : chunks) {
    if (chunk.type == "eXIf" && metadata.exif.empty()) {
      metadata.exif = upright_exif(exif_body(chunk.data));
    } else if (is_png_xmp(chunk)) {
      metadata.xmp = png_xmp(chunk);
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

// pHYs and oFFs: a number for each axis, exchanged here, and their unit.
Bytes exchanged_numbers(std::span<const std::byte> data) {
  Bytes turned(data.begin(), data.end());
  std::swap_ranges(turned.begin(), turned.begin() + 4, turned.begin() + 4);
  return turned;
}

// sCAL: a unit and the same as texts, with a zero between them.
Bytes exchanged_texts(std::span<const std::byte> data) {
  Bytes turned(data.begin(), data.end());
  const auto first = turned.begin() + 1;
  const auto between = std::find(first, turned.end(), std::byte{0});
  const auto bytes_of_first = between - first;
  std::rotate(first, between + 1, turned.end());
  std::rotate(turned.end() - bytes_of_first - 1, turned.end() - 1, turned.end());
  return turned;
}

void append_turned(Bytes& to, const PngChunk& chunk, Orientation applied,
                   std::vector<std::string>& warnings) {
  constexpr std::size_t numbers_bytes = 9;
  const bool swapped = swaps_axes(applied);
  if (chunk.type == "eXIf") {
    append_chunk(to, chunk.type, upright_exif(chunk.data));
  } else if (chunk.data.size() == numbers_bytes &&
             ((chunk.type == "pHYs" && swapped) ||
              (chunk.type == "oFFs" && applied == Orientation::transpose))) {
    append_chunk(to, chunk.type, exchanged_numbers(chunk.data));
  } else if (chunk.type == "sCAL" && swapped && chunk.data.size() > 1 &&
             std::find(chunk.data.begin() + 1, chunk.data.end(), std::byte{0}) !=
                 chunk.data.end()) {
    append_chunk(to, chunk.type, exchanged_texts(chunk.data));
  } else if (chunk.type == "oFFs" && applied != Orientation::identity) {
    // It counts from the page's left and top edges, and another corner comes to be there.
    warnings.emplace_back(
        "its place on a page (oFFs) is left out, because the page's size is not known");
  } else {
    append(to, chunk.whole);
  }
}

Ancillary ancillary_of(const std::vector<PngChunk>& chunks, Orientation applied,
                       std::vector<std::string>& warnings) {
  Ancillary kept;
  bool after = false;
  for (const PngChunk& chunk : chunks) {
    after |= chunk.type == "IDAT";
    if (chunk.type == "IHDR" || chunk.type == "IDAT" || chunk.type == "IEND") continue;
    if (chunk.type == "iDOT") continue;  // offsets into the pixels that were
    append_turned(after ? kept.after_pixels : kept.before_pixels, chunk, applied, warnings);
  }
  return kept;
}

Ancillary ancillary_of(const Metadata& metadata) {
  Ancillary made;
  Bytes& to = made.before_pixels;
  if (!metadata.icc.empty()) {
    Bytes data;
    append(data, "ICC profile\0\0"sv);  // name, compression method
    append(data, deflated(metadata.icc));
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

Bytes assemble(const PngHeader& header, std::span<const std::byte> pixels,
               const Ancillary& ancillary) {
  Bytes head;
  append_u32(head, header.width);
  append_u32(head, header.height);
  for (const int value :
       {header.bit_depth, header.colour_type, 0, 0, static_cast<int>(header.interlaced)}) {
    head.push_back(static_cast<std::byte>(value));
  }
  Bytes file = begin_png(pixels.size() + ancillary.before_pixels.size() +
                         ancillary.after_pixels.size() + 1024);
  append_chunk(file, "IHDR", head);
  append(file, ancillary.before_pixels);
  constexpr std::size_t largest_chunk = 1 << 30;  // the format ends at 2^31
  do {
    const auto part = pixels.first(std::min(pixels.size(), largest_chunk));
    append_chunk(file, "IDAT", part);
    pixels = pixels.subspan(part.size());
  } while (!pixels.empty());
  append(file, ancillary.after_pixels);
  append_chunk(file, "IEND", {});
  return file;
}

}  // namespace

Bytes assemble_png(const PngHeader& header, std::span<const std::byte> pixels,
                   std::span<const std::byte> skeleton, Orientation applied,
                   std::vector<std::string>& warnings) {
  return assemble(header, pixels, ancillary_of(png_chunks(skeleton), applied, warnings));
}

Bytes assemble_png(const PngHeader& header, std::span<const std::byte> pixels,
                   const Metadata& metadata) {
  return assemble(header, pixels, ancillary_of(metadata));
}

bool is_png_xmp(const PngChunk& chunk) {
  const std::string_view text(reinterpret_cast<const char*>(chunk.data.data()), chunk.data.size());
  return chunk.type == "iTXt" && text.starts_with(xmp_prefix);
}

std::string_view png_xmp(const PngChunk& chunk) {
  const std::string_view text(reinterpret_cast<const char*>(chunk.data.data()), chunk.data.size());
  return text.substr(xmp_prefix.size());
}

void append_png_chunk(Bytes& to, std::string_view type, std::span<const std::byte> data) {
  append_chunk(to, type, data);
}

}  // namespace qturn
