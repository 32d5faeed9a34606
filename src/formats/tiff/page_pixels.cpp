#include "src/formats/tiff/page_pixels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "src/formats/tiff/library.hpp"
#include "src/formats/tiff/storage.hpp"
#include "src/picture/packed_pixels.hpp"

namespace qturn::tiff {
namespace {

// A place in the page, and how far it is to the next unit's and the next row's.
struct BlockInPage {
  std::uint8_t* first;
  std::int64_t step;
  std::int64_t row;
};

BlockInPage block_in_page(const Page& page, const TiffLayout& layout, const TiffBlock& block) {
  return {static_cast<std::uint8_t*>(page.pixels) + block.top * page.row_bytes() +
              block.left * page.pixel_bytes() + block.plane * layout.unit_bytes(),
          layout.planar ? page.pixel_bytes() : layout.unit_bytes(), page.row_bytes()};
}

// Whether a strip is rows of the page, byte for byte.
bool is_as_in_memory(const TiffLayout& layout) {
  return !layout.tiled && layout.planes() == 1 && layout.unit_bits() % 8 == 0;
}

// Whether libtiff writes rows of the page as they are. Otherwise it may change what it is given.
bool is_written_from_memory(const TiffLayout& layout, bool little) {
  return is_as_in_memory(layout) && layout.compression == tiff_compression::none &&
         layout.fill_order == 1 && little == (std::endian::native == std::endian::little);
}

void unpack(const std::uint8_t* from, const TiffLayout& layout, const TiffBlock& block,
            const Page& page) {
  BlockInPage to = block_in_page(page, layout, block);
  for (std::int64_t y = 0; y < block.height; ++y, from += layout.row_bytes(), to.first += to.row) {
    unpack_bits(from, layout.unit_bits(), block.width * layout.units(), to.first, to.step);
  }
}

void pack(const Page& page, const TiffLayout& layout, const TiffBlock& block, std::uint8_t* to) {
  std::memset(to, 0, block.bytes);
  BlockInPage from = block_in_page(page, layout, block);
  for (std::int64_t y = 0; y < block.height;
       ++y, to += layout.row_bytes(), from.first += from.row) {
    pack_bits(from.first, from.step, layout.unit_bits(), block.width * layout.units(), to);
  }
}

// Floats with their predictor, and LogLuv: in both, the byte order does not depend on the file's
// header. If that order is not the machine's, libtiff 4.5 swaps the bytes once too often when it
// writes them, and cannot read the result.
bool has_order_of_its_own(const TiffLayout& layout) {
  constexpr std::uint16_t of_floats = 3;
  return layout.predictor == of_floats || layout.compression == tiff_compression::sgilog ||
         layout.compression == tiff_compression::sgilog24;
}

// Compressions that are seldom used, or are used here in a rare mode. What their encoders write is
// read again, and what their decoders leave out is set to zero.
bool is_doubted(const TiffLayout& layout) {
  if (has_order_of_its_own(layout)) return true;
  switch (layout.compression) {
    case tiff_compression::none:
    case tiff_compression::lzw:
    case tiff_compression::deflate:
    case tiff_compression::old_deflate:
    case tiff_compression::packbits:
    case tiff_compression::lzma:
    case tiff_compression::zstd:
      return false;
    default:
      return true;
  }
}

void check_encoded(const TiffBlocks& blocks, const TiffDirectory& directory,
                   const TiffLayout& layout, const SparseBlocks& sparse, bool little,
                   const Page& page) {
  TiffBlockReader reader(blocks.file, directory, layout, little);
  std::vector<std::uint8_t> wanted(layout.block_bytes()), got(layout.block_bytes());
  for (std::uint32_t i = 0; i < layout.blocks(); ++i) {
    if (is_among(sparse, i)) continue;
    const TiffBlock block = tiff_block(layout, i);
    pack(page, layout, block, wanted.data());
    reader.read(block, got.data());
    // A decoder may leave anything in the padding of a row's last byte.
    std::vector<std::uint8_t> row(static_cast<std::size_t>(block.width * layout.unit_bytes()));
    std::vector<std::uint8_t> other(row.size());
    for (std::int64_t y = 0; y < block.height; ++y) {
      const std::size_t at = static_cast<std::size_t>(y) * layout.row_bytes();
      unpack_bits(&wanted[at], layout.unit_bits(), block.width, row.data(), layout.unit_bytes());
      unpack_bits(&got[at], layout.unit_bits(), block.width, other.data(), layout.unit_bytes());
      if (row != other) {
        throw ImageFileError(compression_name(layout.compression) +
                             " does not keep these pixels; nothing was written");
      }
    }
  }
}

// A value of GDAL's as a sample in the machine's byte order, rounded and clamped as GDAL does it.
std::vector<std::uint8_t> fill_sample(const TiffLayout& layout, double value) {
  constexpr std::uint16_t is_unsigned = 1, is_signed = 2, is_float = 3;
  if (value == 0) return {0};
  const auto bytes_of_number = [](auto number) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&number);
    return std::vector<std::uint8_t>(bytes, bytes + sizeof number);
  };
  if (layout.sample_format == is_float && layout.bits == 64) return bytes_of_number(value);
  if (layout.sample_format == is_float && layout.bits == 32)
    return bytes_of_number(static_cast<float>(value));
  const bool has_sign = layout.sample_format == is_signed;
  const bool is_whole = layout.bits == 8 || layout.bits == 16 || layout.bits == 32;
  if (!is_whole || (layout.sample_format != is_unsigned && !has_sign)) {
    throw ImageFileError(fmt::format(
        "strips or tiles without bytes, in samples of {} bits, format {}, are not supported",
        layout.bits, layout.sample_format));
  }
  const double most = std::ldexp(1, layout.bits - (has_sign ? 1 : 0)) - 1;
  const double whole = std::isnan(value) ? 0 : std::round(value);
  auto bytes =
      bytes_of_number(static_cast<std::int64_t>(std::clamp(whole, has_sign ? -most - 1 : 0, most)));
  const auto unused = static_cast<std::ptrdiff_t>(bytes.size()) - layout.bits / 8;
  const auto first =
      std::endian::native == std::endian::little ? bytes.end() - unused : bytes.begin();
  bytes.erase(first, first + unused);
  return bytes;
}

// Calls `read_block(reader, block, to)` for each strip or tile that has bytes.
template <typename ReadBlock>
void for_each_block(TiffBlockReader& reader, const TiffDirectory& directory,
                    const TiffLayout& layout, const Page& page, const std::atomic<bool>& stop,
                    ReadBlock read_block) {
  const SparseBlocks sparse = sparse_blocks(directory, layout);
  const auto fill =
      sparse.empty() ? std::vector<std::uint8_t>() : fill_sample(layout, *directory.fill);
  std::vector<std::uint8_t> packed(is_as_in_memory(layout) ? 0 : layout.block_bytes());
  for (std::uint32_t i = 0; i < layout.blocks(); ++i) {
    if (stop) throw Interrupted();
    const TiffBlock block = tiff_block(layout, i);
    std::uint8_t* to = packed.empty() ? block_in_page(page, layout, block).first : packed.data();
    if (is_among(sparse, i)) {
      for (std::size_t at = 0; at < block.bytes; ++at) to[at] = fill[at % fill.size()];
    } else {
      read_block(reader, block, to);
    }
    if (!packed.empty()) unpack(to, layout, block, page);
  }
}

}  // namespace

// Besides `packed`, libtiff has a strip or tile as it is compressed, and one for the predictor.
std::uint64_t tiff_decoding_bytes(const TiffLayout& layout) {
  const std::uint64_t unpacked = is_as_in_memory(layout) ? 0 : 1;
  const std::uint64_t compressed = layout.compression == tiff_compression::none ? 0 : 2;
  return (unpacked + compressed) * layout.block_bytes();
}

std::uint64_t tiff_encoding_bytes(const TiffLayout& layout, bool little) {
  if (is_written_from_memory(layout, little)) return 0;
  const std::uint64_t blocks = layout.compression == tiff_compression::none ? 1 : 4;
  return blocks * layout.block_bytes();
}

void decode_tiff_page(std::span<const std::byte> file, const TiffDirectory& directory,
                      const TiffLayout& layout, bool little, const Page& page,
                      const std::atomic<bool>& stop, Inflater inflater) {
  TiffBlockReader reader(file, directory, layout, little, MissingPixels::are_damage, inflater);
  for_each_block(reader, directory, layout, page, stop,
                 [&](TiffBlockReader& from, const TiffBlock& block, std::uint8_t* to) {
                   if (is_doubted(layout)) std::memset(to, 0, block.bytes);
                   from.read(block, to);
                 });
}

std::uint32_t salvage_tiff_page(std::span<const std::byte> file, const TiffDirectory& directory,
                                const TiffLayout& layout, bool little, const Page& page,
                                const std::atomic<bool>& stop) {
  const auto offsets =
      directory.integers(layout.tiled ? tiff_tag::tile_offsets : tiff_tag::strip_offsets);
  const auto counts =
      directory.integers(layout.tiled ? tiff_tag::tile_byte_counts : tiff_tag::strip_byte_counts);
  TiffBlockReader reader(file, directory, layout, little, MissingPixels::are_left_out);
  std::uint32_t damaged = 0;
  for_each_block(reader, directory, layout, page, stop,
                 [&](TiffBlockReader& from, const TiffBlock& block, std::uint8_t* to) {
                   const std::uint64_t offset = offsets[block.number];
                   bool is_whole =
                       offset <= file.size() && counts[block.number] <= file.size() - offset;
                   std::memset(to, 0, block.bytes);
                   try {
                     from.read(block, to);
                   } catch (const ImageFileError&) {
                     is_whole = false;
                     // libtiff undoes the predictor of a whole strip only.
                     if (layout.predictor != 1) std::memset(to, 0, block.bytes);
                   }
                   damaged += is_whole ? 0 : 1;
                 });
  return damaged;
}

Bytes encode_tiff_page(const Page& page, const TiffLayout& layout, const SparseBlocks& sparse,
                       bool little, TiffDirectory& directory, const std::atomic<bool>& stop) {
  const bool written_little =
      has_order_of_its_own(layout) ? std::endian::native == std::endian::little : little;
  TiffBlockWriter writer(layout, written_little);
  const bool from_memory = is_written_from_memory(layout, written_little);
  std::vector<std::uint8_t> packed(from_memory ? 0 : layout.block_bytes());
  for (std::uint32_t i = 0; i < layout.blocks(); ++i) {
    if (stop) throw Interrupted();
    if (is_among(sparse, i)) continue;
    const TiffBlock block = tiff_block(layout, i);
    if (!from_memory) pack(page, layout, block, packed.data());
    writer.write(block, from_memory ? block_in_page(page, layout, block).first : packed.data());
  }
  TiffBlocks blocks = writer.take();
  directory.fields.push_back(
      tiff_integers(layout.tiled ? tiff_tag::tile_offsets : tiff_tag::strip_offsets, tiff_type::u64,
                    blocks.offsets));
  const auto largest = std::max_element(blocks.byte_counts.begin(), blocks.byte_counts.end());
  const bool are_large = *largest > std::numeric_limits<std::uint32_t>::max();
  directory.fields.push_back(tiff_integers(
      layout.tiled ? tiff_tag::tile_byte_counts : tiff_tag::strip_byte_counts,
      static_cast<std::uint16_t>(are_large ? tiff_type::u64 : tiff_type::u32), blocks.byte_counts));
  if (is_doubted(layout)) check_encoded(blocks, directory, layout, sparse, little, page);
  return std::move(blocks.file);
}

}  // namespace qturn::tiff
