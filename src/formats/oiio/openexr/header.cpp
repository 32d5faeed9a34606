#include "src/formats/oiio/openexr/header.hpp"

#include <fmt/format.h>
#include <qturn/cpu.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "src/picture/endian.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/file_limits.hpp"

namespace qturn::openexr {
namespace {

constexpr std::size_t magic_bytes = 8, offset_bytes = 8;

[[noreturn]] void is_cut() { throw ImageFileError("truncated within the OpenEXR header"); }

std::int64_t with_sign(std::span<const std::byte> value, std::size_t at) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(little_endian(value, at, 4)));
}

// Of the header at `at`; returns where it ends.
template <typename Visit>
std::size_t for_each_attribute(std::span<const std::byte> file, std::size_t at, Visit visit) {
  const std::string_view text = text_of(file);
  while (at < file.size() && text[at] != '\0') {
    const std::size_t name_end = text.find('\0', at);
    const std::size_t type_end = name_end == text.npos ? text.npos : text.find('\0', name_end + 1);
    if (type_end == text.npos || file.size() - type_end < 5) is_cut();
    const std::size_t value_at = type_end + 5;
    const auto size = static_cast<std::size_t>(little_endian(file, type_end + 1, 4));
    if (file.size() - value_at < size) is_cut();
    visit(ExrAttribute{.name = text.substr(at, name_end - at),
                       .bytes = file.subspan(at, value_at + size - at),
                       .value = file.subspan(value_at, size)});
    at = value_at + size;
  }
  if (at >= file.size()) is_cut();
  return at + 1;
}

bool has_several_parts(std::span<const std::byte> file) {
  constexpr std::uint64_t several_parts = 0x1000;
  return (little_endian(file, 4, 4) & several_parts) != 0;
}

// Rows in a block, by the number of the compression.
std::int64_t block_rows(std::uint64_t compression) {
  constexpr std::array<std::int64_t, 10> rows = {1, 1, 1, 16, 32, 16, 32, 32, 32, 256};
  return compression < rows.size() ? rows[static_cast<std::size_t>(compression)] : 0;
}

// 0: the header does not tell, or the library refuses it.
std::uint64_t blocks_of(const ExrHeader& header) {
  const ExrAttribute* window = header.find("dataWindow");
  const ExrAttribute* compression = header.find("compression");
  if (!window || !compression || window->value.size() != 16 || compression->value.empty()) return 0;
  const std::int64_t width = with_sign(window->value, 8) - with_sign(window->value, 0) + 1;
  const std::int64_t height = with_sign(window->value, 12) - with_sign(window->value, 4) + 1;
  std::int64_t across = 1, rows = block_rows(little_endian(compression->value, 0, 1));
  if (const ExrAttribute* tiles = header.find("tiles")) {
    constexpr std::size_t tiles_bytes = 9;
    constexpr std::uint64_t level_mode = 0x0F;
    if (tiles->value.size() != tiles_bytes || (little_endian(tiles->value, 8, 1) & level_mode)) {
      return 0;
    }
    const std::int64_t columns = with_sign(tiles->value, 0);
    rows = with_sign(tiles->value, 4);
    if (columns <= 0) return 0;
    across = (width + columns - 1) / columns;
  }
  if (width <= 0 || height <= 0 || rows <= 0) return 0;
  return static_cast<std::uint64_t>(across) *
         static_cast<std::uint64_t>((height + rows - 1) / rows);
}

bool depends_on_pixels(std::string_view name) {
  constexpr std::string_view names[] = {"channels",         "compression", "dataWindow",
                                        "displayWindow",    "lineOrder",   "Orientation",
                                        "pixelAspectRatio", "tiles",       "xDensity"};
  return std::ranges::count(names, name) > 0;
}

void append(Bytes& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

void check_preview(std::span<const std::byte> value) {
  constexpr std::size_t sizes = 8, pixel_bytes = 4;
  if (value.size() >= sizes) {
    const std::uint64_t width = little_endian(value, 0, 4), height = little_endian(value, 4, 4);
    // Below 2^64: two numbers of 32 bits.
    const std::uint64_t pixels = width * height;
    if ((value.size() - sizes) % pixel_bytes == 0 &&
        pixels == (value.size() - sizes) / pixel_bytes) {
      return;
    }
  }
  throw ImageFileError("damaged: the preview of the OpenEXR file");
}

// Width, height and four bytes for each pixel.
void append_preview(Bytes& to, const ExrAttribute& preview, Orientation applied) {
  constexpr std::size_t sizes = 8, pixel_bytes = 4;
  check_preview(preview.value);
  const Size size{static_cast<std::int64_t>(little_endian(preview.value, 0, 4)),
                  static_cast<std::int64_t>(little_endian(preview.value, 4, 4))};
  append(to, preview.bytes);
  if (size.width == 0 || size.height == 0) return;
  const std::span value = std::span(to).last(preview.value.size());
  const Size turned = turned_size(applied, size);
  put_little_endian(value, 0, 4, static_cast<std::uint64_t>(turned.width));
  put_little_endian(value, 4, 4, static_cast<std::uint64_t>(turned.height));
  transform(ConstView{&preview.value[sizes], size.width, size.height,
                      size.width * static_cast<std::int64_t>(pixel_bytes), pixel_bytes},
            View{&value[sizes], turned.width, turned.height,
                 turned.width * static_cast<std::int64_t>(pixel_bytes), pixel_bytes},
            applied);
}

// The place of each block stands after the header, and the first block after those. Where that is,
// the least of them tells.
void move_blocks(std::span<std::byte> table, std::uint64_t table_at, std::uint64_t by) {
  std::uint64_t least = UINT64_MAX;
  for (std::size_t at = 0; at + offset_bytes <= table.size() && table_at + at < least;
       at += offset_bytes) {
    const std::uint64_t block = little_endian(table, at, offset_bytes);
    least = std::min(least, block);
    put_little_endian(table, at, offset_bytes, block + by);
  }
}

}  // namespace

const ExrAttribute* ExrHeader::find(std::string_view name) const {
  const auto found = std::ranges::find(attributes, name, &ExrAttribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

ExrHeader read_exr_header(std::span<const std::byte> file) {
  ExrHeader header;
  header.end = for_each_attribute(file, magic_bytes, [&](const ExrAttribute& attribute) {
    header.attributes.push_back(attribute);
  });
  return header;
}

void check_exr_limits(std::span<const std::byte> file, const Limits& limits) {
  MetadataCount metadata;
  try {
    std::size_t at = magic_bytes;
    do {
      at = for_each_attribute(
          file, at, [&](const ExrAttribute& attribute) { metadata.add(attribute.bytes.size()); });
    } while (has_several_parts(file) && at < file.size() && file[at] != std::byte{0});
  } catch (const ImageFileError&) {
  }
  metadata.check(limits);
  // OpenImageIO compares each with all others: 4,000 take 0.3 s, 200,000 more than ten minutes.
  constexpr std::uint64_t most = 10'000;
  if (metadata.count > most) {
    throw ImageFileError(
        fmt::format("an OpenEXR file of {} attributes is not supported", metadata.count));
  }
}

void check_blocks(std::span<const std::byte> file, const ExrHeader& header) {
  if (has_several_parts(file)) return;  // another table, and refused
  const std::uint64_t blocks = blocks_of(header);
  const std::uint64_t room = (file.size() - header.end) / offset_bytes;
  std::uint64_t there = 0;
  for (std::uint64_t i = 0; blocks <= room && i < blocks; ++i) {
    const std::uint64_t at =
        little_endian(file, header.end + static_cast<std::size_t>(i) * offset_bytes, offset_bytes);
    if (at >= header.end + blocks * offset_bytes && at < file.size()) ++there;
  }
  if (there < blocks) {
    throw ImageFileError(
        fmt::format("truncated: {} of {} blocks of pixels are there", there, blocks));
  }
}

std::vector<FilePart> exr_parts(std::span<const std::byte> file, Orientation applied) {
  std::vector<FilePart> parts;
  const ExrHeader header = read_exr_header(file);
  for (const ExrAttribute& attribute : header.attributes) {
    if (depends_on_pixels(attribute.name) || attribute.name == "chunkCount") continue;
    Bytes bytes;
    if (attribute.name == "preview")
      append_preview(bytes, attribute, applied);
    else
      append(bytes, attribute.bytes);
    parts.push_back(
        FilePart::of_copy(FilePart::fixed, fmt::format("the attribute {}", attribute.name), bytes));
  }
  return parts;
}

Bytes with_attributes(std::span<const std::byte> written, const ExrHeader& source,
                      Orientation applied) {
  const ExrHeader own = read_exr_header(written);
  Bytes file(written.begin(), written.begin() + magic_bytes);
  file.reserve(written.size() + source.end);
  for (const ExrAttribute& attribute : own.attributes) {
    if (!depends_on_pixels(attribute.name)) continue;
    // The channels are the same; the source also says how they are perceived.
    const ExrAttribute* stored = attribute.name == "channels" ? source.find("channels") : nullptr;
    append(file, stored && stored->bytes.size() == attribute.bytes.size() ? stored->bytes
                                                                          : attribute.bytes);
  }
  for (const ExrAttribute& attribute : source.attributes) {
    constexpr std::size_t longest_name = 31, version = 5;
    if (depends_on_pixels(attribute.name)) continue;
    if (attribute.name.size() > longest_name) file[version] |= std::byte{4};
    if (attribute.name == "preview") {
      append_preview(file, attribute, applied);
    } else if (attribute.name == "chunkCount" && attribute.value.size() == 4) {
      append(file, attribute.bytes);
      put_little_endian(std::span(file).last(4), 0, 4, blocks_of(own));
    } else {
      append(file, attribute.bytes);
    }
  }
  file.push_back(std::byte{0});
  const std::size_t table_at = file.size();
  append(file, written.subspan(own.end));
  // Wraps around where the header is shorter.
  move_blocks(std::span(file).subspan(table_at), own.end, table_at - own.end);
  return file;
}

}  // namespace qturn::openexr
