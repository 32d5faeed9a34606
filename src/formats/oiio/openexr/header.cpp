#include "src/formats/oiio/openexr/header.hpp"

#include <fmt/format.h>
#include <qturn/cpu.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>

#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/file_limits.hpp"

namespace qturn::openexr {
namespace {

constexpr std::size_t magic_bytes = 8, offset_bytes = 8;

[[noreturn]] void is_cut() { throw ImageFileError("truncated within the OpenEXR header"); }

std::int64_t with_sign(std::span<const std::byte> value, std::size_t at) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(little_endian(value, at, 4)));
}

// Visits the attributes of the header at `at`; returns where it ends.
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

constexpr std::size_t tiles_bytes = 9;  // width, height, and how its smaller copies are made

// The picture, and its smaller copies. Empty: the header does not tell.
std::vector<Size> levels_of(const ExrHeader& part) {
  std::vector<Size> levels;
  const std::optional<Size> size = size_of_window(part, "dataWindow");
  if (!size || size->width <= 0 || size->height <= 0) return levels;
  levels.push_back(*size);
  const ExrAttribute* tiles = part.is_tiled ? part.find("tiles") : nullptr;
  if (!tiles || tiles->value.size() != tiles_bytes) return levels;
  const auto mode = std::to_integer<int>(tiles->value[8]);
  constexpr int mip_map = 1;
  if ((mode & 0x0F) != mip_map) return levels;
  const std::int64_t rounded_up = mode >> 4 ? 1 : 0;
  const auto half = [&](std::int64_t side) {
    return std::max<std::int64_t>((side + rounded_up) / 2, 1);
  };
  for (Size next = *size; std::max(next.width, next.height) > 1;) {
    next = {half(next.width), half(next.height)};
    levels.push_back(next);
  }
  return levels;
}

// visit(name, type, columns, rows): it has one sample for so many columns and rows.
template <typename Visit>
void for_each_channel(const ExrHeader& part, Visit visit) {
  constexpr std::size_t type = 1, across = 9, down = 13, end = 17;
  const ExrAttribute* channels = part.find("channels");
  std::span<const std::byte> rest = channels ? channels->value : std::span<const std::byte>();
  for (;;) {
    const std::size_t name = text_of(rest).find('\0');
    if (name == 0 || name == std::string_view::npos || rest.size() - name < end) return;
    visit(text_of(rest.first(name)), little_endian(rest, name + type, 4),
          little_endian(rest, name + across, 4), little_endian(rest, name + down, 4));
    rest = rest.subspan(name + end);
  }
}

// The bytes of the part's pixels without compression.
std::uint64_t pixel_bytes_of(const ExrHeader& part) {
  std::uint64_t pixels = 0, pixel_bytes = 0;
  for (const Size& level : levels_of(part)) {
    pixels += static_cast<std::uint64_t>(level.width * level.height);
  }
  for_each_channel(part, [&](std::string_view, std::uint64_t type, auto, auto) {
    constexpr std::uint64_t half = 1;
    pixel_bytes += type == half ? 2 : 4;
  });
  return pixels * pixel_bytes;
}

// Column, row and two numbers of the level, or a row. The size of what follows comes next.
std::size_t head_bytes_of(const ExrHeader& part) { return part.is_tiled ? 16 : 4; }

// 0: the header does not tell, or the library refuses it.
std::uint64_t blocks_of(const ExrHeader& part) {
  const ExrAttribute* compression = part.find("compression");
  if (!compression || compression->value.empty()) return 0;
  std::int64_t columns = INT64_MAX, rows = block_rows(little_endian(compression->value, 0, 1));
  if (part.is_tiled) {
    const ExrAttribute* tiles = part.find("tiles");
    if (!tiles || tiles->value.size() != tiles_bytes) return 0;
    columns = with_sign(tiles->value, 0);
    rows = with_sign(tiles->value, 4);
  }
  if (columns <= 0 || rows <= 0) return 0;
  std::uint64_t blocks = 0;
  for (const Size& level : levels_of(part)) {
    blocks += static_cast<std::uint64_t>((level.width - 1) / columns + 1) *
              static_cast<std::uint64_t>((level.height - 1) / rows + 1);
  }
  return blocks;
}

bool depends_on_pixels(std::string_view name) {
  constexpr std::string_view names[] = {"channels",         "compression", "dataWindow",
                                        "displayWindow",    "lineOrder",   "Orientation",
                                        "pixelAspectRatio", "xDensity"};
  return std::ranges::count(names, name) > 0;
}

// Width, height and four bytes for each pixel.
void append_preview(Bytes& to, const ExrAttribute& preview, Orientation applied) {
  constexpr std::size_t sizes = 8;
  constexpr int pixel_bytes = 4;
  const auto damaged = [] { throw ImageFileError("damaged: the preview of the OpenEXR file"); };
  if (preview.value.size() < sizes) damaged();
  const std::size_t bytes = preview.value.size() - sizes;
  const std::uint64_t width = little_endian(preview.value, 0, 4);
  const std::uint64_t height = little_endian(preview.value, 4, 4);
  // The product is below 2^64: of two numbers of 32 bits.
  if (bytes % pixel_bytes != 0 || width * height != bytes / pixel_bytes) damaged();
  append(to, preview.bytes);
  if (bytes == 0) return;
  const std::span value = std::span(to).last(preview.value.size());
  const Size size{static_cast<std::int64_t>(width), static_cast<std::int64_t>(height)};
  const Size turned = turned_size(applied, size);
  put_little_endian(value, 0, 4, static_cast<std::uint64_t>(turned.width));
  put_little_endian(value, 4, 4, static_cast<std::uint64_t>(turned.height));
  transform(
      ConstView{&preview.value[sizes], size.width, size.height, size.width * pixel_bytes,
                pixel_bytes},
      View{&value[sizes], turned.width, turned.height, turned.width * pixel_bytes, pixel_bytes},
      applied);
}

void append_turned(Bytes& to, const ExrAttribute& attribute, Orientation applied) {
  if (attribute.name == "preview") return append_preview(to, attribute, applied);
  append(to, attribute.bytes);
  if (attribute.name == "tiles" && attribute.value.size() == tiles_bytes && swaps_axes(applied)) {
    const auto sizes = to.end() - tiles_bytes;
    std::swap_ranges(sizes, sizes + 4, sizes + 4);
  }
}

// The attributes of `source`; what depends on how the pixels lie comes from `written`.
void append_header(Bytes& to, const ExrHeader& source, const ExrHeader& written,
                   std::uint64_t blocks, Orientation applied) {
  for (const ExrAttribute& attribute : written.attributes) {
    if (!depends_on_pixels(attribute.name)) continue;
    // The channels are the same; the source also says how they are perceived.
    const ExrAttribute* stored = attribute.name == "channels" ? source.find("channels") : nullptr;
    append(to, stored && stored->bytes.size() == attribute.bytes.size() ? stored->bytes
                                                                        : attribute.bytes);
  }
  for (const ExrAttribute& attribute : source.attributes) {
    if (depends_on_pixels(attribute.name)) continue;
    append_turned(to, attribute, applied);
    if (attribute.name == "chunkCount" && attribute.value.size() == 4) {
      put_little_endian(std::span(to).last(4), 0, 4, blocks);
    }
  }
  to.push_back(std::byte{0});
}

// The blocks of `written`, which has the headers `own`, in their order. Their places go to `table`,
// which lies in `to`.
void append_blocks(Bytes& to, std::size_t table, std::span<const std::byte> written,
                   const ExrFile& own, const ExrPage& page, bool is_numbered) {
  const bool is_tiled = own.parts.front().is_tiled;
  const std::size_t level_at = 8, size_at = head_bytes_of(own.parts.front());
  std::vector<std::pair<std::uint64_t, std::size_t>> blocks(blocks_of(own.parts.front()));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i] = {little_endian(written, own.end + i * offset_bytes, offset_bytes), i};
  }
  std::ranges::sort(blocks);
  for (const auto& [from, i] : blocks) {
    const std::span block = written.subspan(static_cast<std::size_t>(from));
    const auto size = static_cast<std::size_t>(little_endian(block, size_at, 4));
    std::size_t at = to.size();
    put_little_endian(to, table + i * offset_bytes, offset_bytes, at);
    if (is_numbered) {
      to.resize(at += 4);
      put_little_endian(to, at - 4, 4, static_cast<std::uint64_t>(page.part));
    }
    append(to, block.first(size_at + 4 + size));
    for (const std::size_t each : {level_at, level_at + 4}) {
      if (is_tiled) put_little_endian(to, at + each, 4, static_cast<std::uint64_t>(page.level));
    }
  }
}

}  // namespace

const ExrAttribute* ExrHeader::find(std::string_view name) const {
  const auto found = std::ranges::find(attributes, name, &ExrAttribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

ExrFile read_exr_headers(std::span<const std::byte> file) {
  if (file.size() < magic_bytes) is_cut();
  constexpr std::uint64_t tiles = 0x200;
  const bool has_tiles = (little_endian(file, 4, 4) & tiles) != 0;
  ExrFile exr{.parts = {}, .is_numbered = has_several_parts(file), .end = magic_bytes};
  do {
    ExrHeader& part = exr.parts.emplace_back();
    exr.end = for_each_attribute(file, exr.end, [&](const ExrAttribute& attribute) {
      part.attributes.push_back(attribute);
    });
    const ExrAttribute* type = part.find("type");
    part.is_tiled = exr.is_numbered ? type && text_of(type->value) == "tiledimage" : has_tiles;
    if (exr.end >= file.size() && exr.is_numbered) is_cut();
  } while (exr.is_numbered && file[exr.end] != std::byte{0});
  if (exr.is_numbered) ++exr.end;
  return exr;
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

void check_readable(const ExrFile& exr) {
  for (const ExrHeader& part : exr.parts) {
    const ExrAttribute* tiles = part.is_tiled ? part.find("tiles") : nullptr;
    constexpr std::uint64_t level_mode = 0x0F, rip_map = 2;
    if (tiles && tiles->value.size() == tiles_bytes &&
        (little_endian(tiles->value, 8, 1) & level_mode) == rip_map) {
      throw ImageFileError("copies that are narrower or lower (rip map) are not supported");
    }
    for_each_channel(part, [](std::string_view name, std::uint64_t /*type*/, std::uint64_t columns,
                              std::uint64_t rows) {
      if (columns == 1 && rows == 1) return;
      throw ImageFileError(
          fmt::format("subsampled channels are not supported: {} has a sample for {} x {} pixels",
                      name, columns, rows));
    });
  }
}

void check_blocks(std::span<const std::byte> file, const ExrFile& exr) {
  const std::uint64_t room = (file.size() - exr.end) / offset_bytes;
  std::uint64_t blocks = 0, there = 0;
  for (const ExrHeader& part : exr.parts) {
    const std::uint64_t more = blocks_of(part);
    if (more == 0) return;
    blocks += more;
    if (blocks > room) break;
  }
  std::size_t table = exr.end;
  for (std::size_t i = 0; blocks <= room && i < exr.parts.size(); ++i) {
    const ExrHeader& part = exr.parts[i];
    const std::size_t size_at = head_bytes_of(part) + (exr.is_numbered ? 4 : 0);
    std::uint64_t bytes = 0, missing = blocks_of(part);
    for (std::uint64_t k = missing; k > 0; --k, table += offset_bytes) {
      const std::uint64_t at = little_endian(file, table, offset_bytes);
      if (at < exr.end + blocks * offset_bytes || at > file.size()) continue;
      const auto block = file.subspan(static_cast<std::size_t>(at));
      if (block.size() < size_at + 4) continue;
      const std::uint64_t size = little_endian(block, size_at, 4);
      if (size > block.size() - size_at - 4) continue;
      bytes += size;
      --missing;
      ++there;
    }
    // The library takes what is not there for zeros.
    const bool is_compressed = little_endian(part.find("compression")->value, 0, 1) != 0;
    const std::uint64_t wanted = pixel_bytes_of(part);
    if (!is_compressed && missing == 0 && bytes != wanted) {
      throw ImageFileError(
          fmt::format("damaged: {} of {} bytes of pixels are there", bytes, wanted));
    }
  }
  if (there < blocks) {
    throw ImageFileError(
        fmt::format("truncated: {} of {} blocks of pixels are there", there, blocks));
  }
}

std::optional<Size> size_of_window(const ExrHeader& part, std::string_view name) {
  const ExrAttribute* window = part.find(name);
  if (!window || window->value.size() != 16) return std::nullopt;
  return Size{with_sign(window->value, 8) - with_sign(window->value, 0) + 1,
              with_sign(window->value, 12) - with_sign(window->value, 4) + 1};
}

std::vector<ExrPage> pages_of(const ExrFile& exr) {
  std::vector<ExrPage> pages;
  for (int part = 0; const ExrHeader& header : exr.parts) {
    for (int level = 0; const Size& size : levels_of(header)) {
      pages.push_back({.part = part, .level = level++, .size = size});
    }
    ++part;
  }
  return pages;
}

std::vector<FilePart> exr_parts(std::span<const std::byte> file, Orientation applied) {
  std::vector<FilePart> parts;
  const ExrFile exr = read_exr_headers(file);
  for (int number = 1; const ExrHeader& part : exr.parts) {
    for (const ExrAttribute& attribute : part.attributes) {
      if (depends_on_pixels(attribute.name) || attribute.name == "chunkCount") continue;
      Bytes bytes;
      append_turned(bytes, attribute, applied);
      parts.push_back(FilePart::of_copy(
          FilePart::fixed, fmt::format("the attribute {} of part {}", attribute.name, number),
          bytes));
    }
    ++number;
  }
  return parts;
}

Bytes join_pages(std::span<const std::byte> source, std::vector<Bytes> pages, Orientation applied) {
  const ExrFile exr = read_exr_headers(source);
  const std::vector<ExrPage> places = pages_of(exr);
  std::vector<ExrFile> written;
  std::vector<std::uint64_t> blocks(exr.parts.size());
  std::uint64_t bytes = exr.end;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    written.push_back(read_exr_headers(pages[i]));
    check_blocks(pages[i], written[i]);
    const std::uint64_t more = blocks_of(written[i].parts.front());
    blocks[static_cast<std::size_t>(places[i].part)] += more;
    bytes += pages[i].size() + 4 * more;
  }
  Bytes file(source.begin(), source.begin() + magic_bytes);
  file.reserve(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const auto part = static_cast<std::size_t>(places[i].part);
    if (places[i].level > 0) continue;
    append_header(file, exr.parts[part], written[i].parts.front(), blocks[part], applied);
  }
  if (exr.is_numbered) file.push_back(std::byte{0});
  std::size_t table = file.size();
  file.resize(table +
              static_cast<std::size_t>(std::reduce(blocks.begin(), blocks.end())) * offset_bytes);
  for (std::size_t i = 0; i < pages.size(); ++i) {
    append_blocks(file, table, pages[i], written[i], places[i], exr.is_numbered);
    table += static_cast<std::size_t>(blocks_of(written[i].parts.front())) * offset_bytes;
    pages[i] = {};
  }
  return file;
}

}  // namespace qturn::openexr
