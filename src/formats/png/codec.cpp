// PNG's row of the table.
#include "src/formats/png/codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include <qturn/cpu.hpp>

#include "src/formats/codec/codec.hpp"
#include "src/formats/codec/zlib.hpp"
#include "src/formats/png/chunks.hpp"
#include "src/formats/png/orientation_metadata.hpp"
#include "src/formats/table.hpp"
#include "src/picture/bytes.hpp"

namespace qturn::png {
namespace {

void put(Bytes& data, std::size_t at, std::int64_t value) {
  put_big_endian(data, at, 4, static_cast<std::uint64_t>(value));
}

// For a chunk that begins with a number for each axis.
void swap_axes(Bytes& data) { std::swap_ranges(data.begin(), data.begin() + 4, data.begin() + 4); }

// A frame's size, place and how it is shown, without its number.
FilePart frame_part(const PngChunk& chunk, Orientation applied, Size canvas) {
  Bytes data(chunk.data.begin(), chunk.data.end());
  const FramePlace place = turned(png_frame_place(chunk), applied, canvas);
  std::size_t at = 0;
  for (const std::int64_t value : {std::int64_t{0}, place.width, place.height, place.x, place.y}) {
    put(data, at, value);
    at += 4;
  }
  return FilePart::of_copy(FilePart::fixed, "the chunk fcTL", data);
}

}  // namespace

std::vector<FilePart> png_parts(std::span<const std::byte> file, Orientation applied) {
  using enum FilePart::Kind;
  const std::vector<PngChunk> chunks = png_chunks(file);
  const PngHeader header = png_header(chunks);
  const Size canvas{header.width, header.height}, size = turned_size(applied, canvas);
  const bool animated = is_animated(chunks), swapped = swaps_axes(applied);
  std::vector<FilePart> parts;
  for (const PngChunk& chunk : chunks) {
    const std::string name = fmt::format("the chunk {}", chunk.type);
    Bytes data(chunk.data.begin(),
               chunk.data.begin() + std::min<std::ptrdiff_t>(std::ssize(chunk.data), 64));
    if (chunk.type == "IHDR") {
      put(data, 0, size.width);
      put(data, 4, size.height);
      parts.push_back(FilePart::of_copy(fixed, name, data));
    } else if (chunk.type == "IDAT" || chunk.type == "iDOT" || chunk.type == "fdAT") {
      parts.emplace_back(pixels, name, chunk.data);
    } else if (chunk.type == "fcTL") {
      if (animated) parts.push_back(frame_part(chunk, applied, canvas));
    } else if (chunk.type == "oFFs") {
      // A place on a page whose size is not known cannot be turned in another way.
      const bool is_turned = applied == Orientation::transpose && data.size() == 9;
      if (is_turned) swap_axes(data);
      if (is_turned || applied == Orientation::identity)
        parts.push_back(FilePart::of_copy(fixed, name, data));
    } else if (chunk.type == "pHYs") {
      if (swapped && data.size() == 9) swap_axes(data);
      parts.push_back(FilePart::of_copy(fixed, name, data));
    } else if (chunk.type == "eXIf") {
      parts.emplace_back(exif, name, chunk.data);
    } else if (is_png_xmp(chunk)) {
      add_xmp_parts(name, png_xmp(chunk), parts);
    } else if (png_ornt(chunk) || is_raw_exif(chunk) || (chunk.type == "sCAL")) {
      parts.emplace_back(other, name, chunk.data);
    } else {
      parts.emplace_back(fixed, name, chunk.data);
    }
  }
  return parts;
}

namespace {

using std::string_view_literals::operator""sv;

constexpr Capacity capacity = {.samples = bit_of(SampleFormat::u8) | bit_of(SampleFormat::u16),
                               .channels = [](int count, Meaning::Alpha alpha) {
                                 const bool has_alpha = count == 2 || count == 4;
                                 return count <= 4 &&
                                        (!has_alpha || alpha == Meaning::Alpha::unassociated);
                               }};

Bytes encode(const Image& image, Orientation applied, const std::atomic<bool>& stop,
             std::vector<std::string>& warnings) {
  if (image.format != &codec) check_fits(image, codec.name, capacity);
  return encode_png(image, applied, stop, warnings);
}

Bytes turn_embedded(std::span<const std::byte> file, Orientation orientation) {
  const std::atomic<bool> never{false};
  std::vector<std::string> unused;
  PixelArena arena;
  check_png_limits(file, {});
  Image image = decode_png(file, Samples::as_stored, arena, never, unused);
  const PngHeader header = png_header(png_chunks(file));
  for (Page& page : image.pages) {
    const Page source = page;
    if (swaps_axes(orientation)) std::swap(page.width, page.height);
    page.pixels = arena.take(page.bytes());
    transform(source.view(), page.view(), orientation);
  }
  return turn_png_metadata(encode(image, orientation, never, unused),
                           {.stored = image.stored,
                            .pixels = orientation,
                            .size = turned_size(orientation, {header.width, header.height})},
                           MissingTag::stays_absent, unused);
}

Bytes retag(std::span<const std::byte> file, Orientation tag, MissingTag missing,
            const TurnEmbedded& turn_embedded, std::vector<std::string>& warnings) {
  const std::vector<PngChunk> chunks = png_chunks(file);
  const PngHeader header = png_header(chunks);
  const MetadataTurn turn{.stored = png_orientation(chunks),
                          .tag = tag,
                          .size = {header.width, header.height},
                          .turn_embedded = turn_embedded};
  return turn_png_metadata(Bytes(file.begin(), file.end()), turn, missing, warnings);
}

void check(std::span<const std::byte> file, MetadataCheck& check) {
  const std::vector<PngChunk> chunks = png_chunks(file);
  for (const PngChunk& chunk : chunks) {
    if (chunk.type == "eXIf") check.exif(chunk.data);
  }
  for (const PngChunk& chunk : chunks) {
    if (const auto orientation = png_ornt(chunk)) check.orientation("orNT", *orientation);
    if (!is_raw_exif(chunk)) continue;
    if (const auto block = raw_exif(chunk)) {
      check.exif(*block);
    } else {
      check.add("Exif in a text chunk is damaged");
    }
  }
  for (const PngChunk& chunk : chunks) {
    if (!is_png_xmp(chunk)) continue;
    if (const std::string packet = png_xmp(chunk); !packet.empty()) {
      check.xmp("XMP", packet);
    } else {
      check.add("XMP is damaged");
    }
  }
  if (const std::size_t rest = bytes_after_png(chunks, file); rest > 0) {
    check.add(fmt::format("{} bytes after the end of the PNG", rest));
  }
}

}  // namespace

const Codec codec = {
    .name = "png",
    .suffixes = {".png", ".apng"},
    .recognises = [](std::span<const std::byte> head,
                     std::string_view) { return text_of(head).starts_with("\x89PNG\r\n\x1a\n"sv); },
    .check_limits = check_png_limits,
    .read_header = read_png_header,
    .decode = decode_png,
    .decode_otherwise = decode_png_otherwise,
    .encode = encode,
    .keeps_metadata = true,
    .finish =
        [](Bytes encoded, const MetadataTurn& turn, std::vector<std::string>& warnings) {
          return turn_png_metadata(std::move(encoded), turn, MissingTag::stays_absent, warnings);
        },
    .retag = retag,
    .turn_embedded = turn_embedded,
    .check = check,
    .parts = png_parts,
    .read_damaged_header = read_damaged_png_header,
    .salvage = salvage_png,
    .library_version = zlib_library_version,
};

}  // namespace qturn::png
