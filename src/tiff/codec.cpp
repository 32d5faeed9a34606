#include "src/tiff/codec.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "src/formats/bits.hpp"
#include "src/formats/bytes_behind.hpp"
#include "src/tiff/layout.hpp"
#include "src/tiff/library.hpp"
#include "src/tiff/metadata.hpp"
#include "src/tiff/storage.hpp"

namespace qturn {
namespace {

// Pages and their pictures, in the order in which they are written.
template <typename File, typename Visit>
void for_each_picture(File& tiff, Visit visit) {
  for (auto& page : tiff.pages) {
    visit(page);
    for (auto& picture : page.pictures) visit(picture);
  }
}

struct TiffExtras final : Extras {
  TiffFile tiff;
  std::vector<TiffStorage> storage;  ///< of each picture

  std::shared_ptr<Extras> copy() const override { return std::make_shared<TiffExtras>(*this); }
};

// What another format gets, at the most: OpenImageIO decodes palettes and YCbCr to colours.
std::uint64_t decoded_pixel_bytes(const TiffLayout& layout) {
  const int sample = layout.bits <= 8 ? 1 : layout.bits <= 16 ? 2 : layout.bits <= 32 ? 4 : 8;
  constexpr int palette = 3;
  const bool has_colours = layout.photometric == palette ||
                           layout.photometric == tiff_photometric::ycbcr ||
                           layout.photometric == tiff_photometric::logluv;
  return static_cast<std::uint64_t>(std::max(layout.samples, has_colours ? 3 : 1) * sample);
}

// Memory of encoders and decoders beside strips.
std::uint64_t memory_of(std::uint16_t compression) {
  constexpr std::uint64_t mib = 1 << 20;
  switch (compression) {
    case tiff_compression::lzma:
      return 100 * mib;
    case tiff_compression::zstd:
      return 32 * mib;
    default:
      return mib;
  }
}

// A place in the page, and how far it is to the next pixel's.
struct Samples {
  std::uint8_t* first;
  std::int64_t step;
  std::int64_t row;
};

Samples samples_of(const Page& page, const TiffLayout& layout, const TiffBlock& block) {
  return {static_cast<std::uint8_t*>(page.pixels) + block.top * page.row_bytes() +
              block.left * page.pixel_bytes() + block.plane * layout.unit_bytes(),
          page.pixel_bytes(), page.row_bytes()};
}

// Whether a strip is rows of the page, byte for byte.
bool is_as_in_memory(const TiffLayout& layout) {
  return !layout.tiled && layout.planes() == 1 && layout.unit_bits() % 8 == 0;
}

void unpack(const std::uint8_t* from, const TiffLayout& layout, const TiffBlock& block,
            const Page& page) {
  Samples to = samples_of(page, layout, block);
  for (std::int64_t y = 0; y < block.height; ++y, from += layout.row_bytes(), to.first += to.row) {
    unpack_bits(from, layout.unit_bits(), block.width, to.first, to.step);
  }
}

void pack(const Page& page, const TiffLayout& layout, const TiffBlock& block, std::uint8_t* to) {
  std::memset(to, 0, block.bytes);
  Samples from = samples_of(page, layout, block);
  for (std::int64_t y = 0; y < block.height;
       ++y, to += layout.row_bytes(), from.first += from.row) {
    pack_bits(from.first, from.step, layout.unit_bits(), block.width, to);
  }
}

// What libtiff 4.5 swaps once too often when it writes another byte order than the machine's, and
// does not read back: floats with their predictor, and LogLuv. In both the order in the file is
// that of the form, whatever the file's header says.
bool has_order_of_its_own(const TiffLayout& layout) {
  constexpr std::uint16_t of_floats = 3;
  return layout.predictor == of_floats || layout.compression == tiff_compression::sgilog ||
         layout.compression == tiff_compression::sgilog24;
}

// Compressions that are seldom used, or are asked here for a mode that is: what their encoders
// wrote is read again, and what their decoders leave out is zero.
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

void decode_page(std::span<const std::byte> file, const TiffDirectory& directory,
                 const TiffLayout& layout, bool little, const Page& page,
                 const std::atomic<bool>& stop) {
  TiffBlockReader reader(file, directory, layout, little);
  std::vector<std::uint8_t> packed(is_as_in_memory(layout) ? 0 : layout.block_bytes());
  for (std::uint32_t i = 0; i < layout.blocks(); ++i) {
    if (stop) throw Interrupted();
    const TiffBlock block = tiff_block(layout, i);
    std::uint8_t* to = packed.empty() ? samples_of(page, layout, block).first : packed.data();
    if (is_doubted(layout)) std::memset(to, 0, block.bytes);
    reader.read(block, to);
    if (!packed.empty()) unpack(to, layout, block, page);
  }
}

void check_encoded(const TiffBlocks& blocks, const TiffDirectory& directory,
                   const TiffLayout& layout, bool little, const Page& page) {
  TiffBlockReader reader(blocks.file, directory, layout, little);
  std::vector<std::uint8_t> wanted(layout.block_bytes()), got(layout.block_bytes());
  for (std::uint32_t i = 0; i < layout.blocks(); ++i) {
    const TiffBlock block = tiff_block(layout, i);
    pack(page, layout, block, wanted.data());
    reader.read(block, got.data());
    // The padding of a row's last byte is the decoder's own business.
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

// The strips or tiles of a page, and its directory, which leads to them.
Bytes encode_page(const Page& page, const TiffLayout& layout, bool little, TiffDirectory& directory,
                  const std::atomic<bool>& stop) {
  const bool written_little =
      has_order_of_its_own(layout) ? std::endian::native == std::endian::little : little;
  TiffBlockWriter writer(layout, written_little);
  std::vector<std::uint8_t> packed(layout.block_bytes());
  for (std::uint32_t i = 0; i < layout.blocks(); ++i) {
    if (stop) throw Interrupted();
    const TiffBlock block = tiff_block(layout, i);
    pack(page, layout, block, packed.data());
    writer.write(block, packed.data());
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
  if (is_doubted(layout)) check_encoded(blocks, directory, layout, little, page);
  return std::move(blocks.file);
}

void add_once(std::vector<std::string>& sentences, const std::string& sentence) {
  if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end()) {
    sentences.push_back(sentence);
  }
}

}  // namespace

Orientation tiff_orientation(const TiffFile& tiff) {
  const auto of = [](const TiffDirectory& page) {
    const std::uint64_t number = page.integer(tiff_tag::orientation, 1);
    return number >= 1 && number <= 8 ? static_cast<Orientation>(number) : Orientation::identity;
  };
  for (const TiffDirectory& page : tiff.pages) {
    if (of(page) != of(tiff.pages.front())) {
      throw ImageFileError("its pages are stored in different orientations");
    }
  }
  return of(tiff.pages.front());
}

Header read_tiff_header(std::span<const std::byte> file) {
  const TiffFile tiff = read_tiff(file);
  Header header;
  header.pages = static_cast<int>(tiff.pages.size());
  header.stored = tiff_orientation(tiff);
  header.changes_only_if_allowed = true;
  std::uint64_t largest_block = 0, largest_memory = 0;
  for_each_picture(tiff, [&](const TiffDirectory& page) {
    const TiffStorage storage = tiff_storage(file, page);
    const TiffLayout& layout = storage.read;
    if (header.width == 0) {
      header.width = layout.width;
      header.height = layout.height;
    }
    const auto pixels = static_cast<std::uint64_t>(layout.width * layout.height);
    header.pixel_bytes_total += pixels * std::max(static_cast<std::uint64_t>(layout.pixel_bytes()),
                                                  decoded_pixel_bytes(layout));
    for (const TiffLayout& each : {layout, turned_layout(storage.written, Orientation::rotate90)}) {
      largest_block = std::max<std::uint64_t>(largest_block, each.block_bytes());
      largest_memory = std::max(largest_memory, memory_of(each.compression));
    }
    if (header.storage_change.empty() && !storage.changes.empty()) {
      header.storage_change = storage.changes.front();
    }
  });
  // The output, at the worst as large as the pixels, twice while it is put together, and strips
  // before and behind the predictor and the compression.
  header.working_bytes = 2 * header.pixel_bytes_total + 5 * largest_block + largest_memory;
  return header;
}

Image decode_tiff(std::span<const std::byte> file, PixelArena& arena, const std::atomic<bool>& stop,
                  std::vector<std::string>& warnings) {
  auto extras = std::make_shared<TiffExtras>();
  extras->tiff = read_tiff(file);
  refuse_what_cannot_turn(extras->tiff);
  warn_of_bytes_behind(file, extras->tiff.end, warnings);
  Image image{
      .format = Format::tiff, .stored = tiff_orientation(extras->tiff), .pages = {}, .extras = {}};
  for_each_picture(extras->tiff, [&](const TiffDirectory& directory) {
    extras->storage.push_back(tiff_storage(file, directory));
    const TiffLayout& layout = extras->storage.back().read;
    Page page = layout.page();
    page.pixels = arena.take(page.bytes());
    decode_page(file, directory, layout, extras->tiff.little, page, stop);
    image.pages.push_back(page);
    if (is_georeferenced(directory)) {
      add_once(warnings, "its map coordinates (GeoTIFF) describe the picture as it was");
    }
  });
  image.extras = extras;
  return image;
}

bool is_stored_tiff(const Image& image) {
  return dynamic_cast<const TiffExtras*>(image.extras.get()) != nullptr;
}

Bytes encode_tiff(const Image& turned, Orientation applied, const std::atomic<bool>& stop,
                  std::vector<std::string>& warnings) {
  const auto& extras = dynamic_cast<const TiffExtras&>(*turned.extras);
  TiffFile tiff = extras.tiff;
  std::vector<Bytes> encoded;
  for_each_picture(tiff, [&](TiffDirectory& directory) {
    const std::size_t i = encoded.size();
    const TiffStorage& storage = extras.storage[i];
    const TiffLayout layout = turned_layout(storage.written, applied);
    TiffDirectory made = turned_directory(directory, storage, layout, swaps_axes(applied));
    encoded.push_back(encode_page(turned.pages[i], layout, tiff.little, made, stop));
    made.pictures = std::move(directory.pictures);
    directory = std::move(made);
    for (const std::string& change : storage.changes) add_once(warnings, change);
  });
  const std::vector<std::span<const std::byte>> pixels(encoded.begin(), encoded.end());
  Bytes file = write_tiff(tiff, pixels);
  constexpr std::size_t version = 2;
  const bool is_big = file[version] == std::byte{43} || file[version + 1] == std::byte{43};
  if (is_big && !tiff.big) {
    throw ImageFileError("turned, it is larger than the 4 GiB of a TIFF that is no BigTIFF");
  }
  return file;
}

}  // namespace qturn
