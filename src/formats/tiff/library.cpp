#include "src/formats/tiff/library.hpp"

#include <tiffio.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "src/picture/image.hpp"

namespace qturn::tiff {
namespace {

using namespace std::string_view_literals;

// Warnings without a loss: codes in the order of the first LZW, subsampling that only the JPEG
// states and not the field, bytes after the last row.
constexpr std::array harmless = {"Old-style LZW codes"sv,
                                 "Auto-corrected former TIFF subsampling"sv, "Discarding"sv};

// The first complaint, until somebody asks for it.
struct Complaints {
  std::string first;

  static int error(TIFF*, void* self, const char*, const char* format, va_list values) {
    return static_cast<Complaints*>(self)->add(format, values);
  }

  static int warning(TIFF*, void* self, const char*, const char* format, va_list values) {
    const std::string_view text = format;
    const bool matters = std::none_of(harmless.begin(), harmless.end(), [&](std::string_view one) {
      return text.find(one) != std::string_view::npos;
    });
    return matters ? static_cast<Complaints*>(self)->add(format, values) : 1;
  }

  int add(const char* format, va_list values) {
    if (!first.empty()) return 1;
    std::array<char, 512> text{};
    std::vsnprintf(text.data(), text.size(), format, values);
    first = text.data();
    if (first.empty()) first = "the pixels cannot be decoded";
    return 1;
  }

  void expect_none() {
    if (!first.empty()) throw ImageFileError(std::exchange(first, {}));
  }
};

// A file as libtiff sees it: bytes made for it, then the file's own bytes. Only the bytes made for
// it can be written.
struct Memory {
  Bytes made;
  std::span<const std::byte> file;
  std::uint64_t at = 0;
  bool zeros_follow = false;

  std::uint64_t size() const { return made.size() + file.size(); }

  static Memory& of(thandle_t handle) { return *static_cast<Memory*>(handle); }

  static tmsize_t read(thandle_t handle, void* to, tmsize_t size) {
    Memory& memory = of(handle);
    auto left = static_cast<std::uint64_t>(size);
    auto* next = static_cast<std::byte*>(to);
    const auto copy = [&](std::span<const std::byte> from, std::uint64_t begin) {
      if (memory.at < begin || memory.at - begin >= from.size()) return;
      const std::uint64_t bytes = std::min<std::uint64_t>(left, from.size() - (memory.at - begin));
      std::memcpy(next, from.data() + (memory.at - begin), bytes);
      next += bytes;
      left -= bytes;
      memory.at += bytes;
    };
    copy(memory.made, 0);
    copy(memory.file, memory.made.size());
    if (memory.zeros_follow) {
      std::memset(next, 0, left);
      memory.at += left;
      left = 0;
    }
    return size - static_cast<tmsize_t>(left);
  }

  static tmsize_t write(thandle_t handle, void* from, tmsize_t size) {
    Memory& memory = of(handle);
    const auto end = memory.at + static_cast<std::uint64_t>(size);
    if (memory.made.size() < end) {
      // Not twice as much: that would take more memory than the picture.
      const std::size_t more = std::min(memory.made.capacity(), std::size_t{32} << 20);
      try {
        if (memory.made.capacity() < end) {
          memory.made.reserve(std::max<std::size_t>(end, memory.made.capacity() + more));
        }
        memory.made.resize(end);
      } catch (const std::bad_alloc&) {  // which must not travel through libtiff
        return -1;
      }
    }
    std::memcpy(memory.made.data() + memory.at, from, static_cast<std::size_t>(size));
    memory.at = end;
    return size;
  }

  static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    Memory& memory = of(handle);
    memory.at = whence == SEEK_SET   ? offset
                : whence == SEEK_CUR ? memory.at + offset
                                     : memory.size() + offset;
    return memory.at;
  }

  static toff_t length(thandle_t handle) { return of(handle).size(); }
  static int close(thandle_t) { return 0; }
};

struct Closer {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
using Handle = std::unique_ptr<TIFF, Closer>;

Handle open(Memory& memory, Complaints& complaints, const char* mode, std::size_t largest_block) {
  const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(
      TIFFOpenOptionsAlloc(), &TIFFOpenOptionsFree);
  // Strips, raw and decoded, and tables as long as the file.
  TIFFOpenOptionsSetMaxSingleMemAlloc(
      options.get(),
      static_cast<tmsize_t>((std::size_t{64} << 20) + 4 * largest_block + 2 * memory.file.size()));
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), &Complaints::error, &complaints);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), &Complaints::warning, &complaints);
  Handle handle(TIFFClientOpenExt("picture", mode, &memory, &Memory::read, &Memory::write,
                                  &Memory::seek, &Memory::close, &Memory::length, nullptr, nullptr,
                                  options.get()));
  complaints.expect_none();
  if (!handle) throw ImageFileError("libtiff cannot open the picture");
  return handle;
}

bool is_logluv(const TiffLayout& layout) {
  return layout.compression == COMPRESSION_SGILOG || layout.compression == COMPRESSION_SGILOG24;
}

bool is_deflate(const TiffLayout& layout) {
  return layout.compression == COMPRESSION_ADOBE_DEFLATE ||
         layout.compression == COMPRESSION_DEFLATE;
}

// The colours, if the compression depends on them. Otherwise libtiff is told grey, with extra
// samples that have no meaning.
std::uint16_t seen_photometric(const TiffLayout& layout) {
  const bool matters = is_logluv(layout) || layout.compression == COMPRESSION_JPEG;
  return matters ? layout.photometric : static_cast<std::uint16_t>(PHOTOMETRIC_MINISBLACK);
}

// Samples beside the colours.
std::size_t seen_extra_samples(const TiffLayout& layout) {
  std::size_t colours = 1;
  switch (seen_photometric(layout)) {
    case PHOTOMETRIC_RGB:
    case PHOTOMETRIC_YCBCR:
    case PHOTOMETRIC_CIELAB:
      colours = 3;
      break;
    case PHOTOMETRIC_SEPARATED:
      colours = 4;
      break;
    default:
      break;
  }
  const auto samples = static_cast<std::size_t>(layout.samples);
  return samples > colours ? samples - colours : 0;
}

void set_raw_logluv(TIFF* tiff, const TiffLayout& layout) {
  if (!is_logluv(layout)) return;
  const int format =
      layout.photometric == PHOTOMETRIC_LOGL ? SGILOGDATAFMT_16BIT : SGILOGDATAFMT_RAW;
  TIFFSetField(tiff, TIFFTAG_SGILOGDATAFMT, format);
}

// A directory with the fields that decoding needs. Offsets are moved by `ahead`, the length of what
// comes before the file.
TiffDirectory seen_directory(const TiffDirectory& page, const TiffLayout& layout,
                             std::uint64_t ahead) {
  TiffDirectory seen;
  const auto add = [&](std::uint16_t tag, std::uint16_t type, std::uint64_t value) {
    seen.fields.push_back(tiff_integers(tag, type, std::span(&value, 1)));
  };
  const auto samples = static_cast<std::size_t>(layout.samples);
  add(tiff_tag::width, tiff_type::u32, static_cast<std::uint64_t>(layout.width));
  add(tiff_tag::height, tiff_type::u32, static_cast<std::uint64_t>(layout.height));
  const std::vector<std::uint64_t> bits(samples, static_cast<std::uint64_t>(layout.bits));
  seen.fields.push_back(tiff_integers(tiff_tag::bits_per_sample, tiff_type::u16, bits));
  add(tiff_tag::compression, tiff_type::u16, layout.compression);
  add(tiff_tag::photometric, tiff_type::u16, seen_photometric(layout));
  add(tiff_tag::fill_order, tiff_type::u16, layout.fill_order);
  add(tiff_tag::samples_per_pixel, tiff_type::u16, samples);
  add(tiff_tag::planar_configuration, tiff_type::u16, layout.planar ? 2 : 1);
  const std::vector<std::uint64_t> formats(samples, layout.sample_format);
  seen.fields.push_back(tiff_integers(tiff_tag::sample_format, tiff_type::u16, formats));
  if (const std::vector<std::uint64_t> extra(seen_extra_samples(layout), 0); !extra.empty()) {
    seen.fields.push_back(tiff_integers(tiff_tag::extra_samples, tiff_type::u16, extra));
  }
  if (layout.predictor != 1) add(tiff_tag::predictor, tiff_type::u16, layout.predictor);
  // With another compression libtiff does not know these fields, and complains.
  const std::pair<std::uint16_t, std::uint16_t> options[] = {
      {COMPRESSION_CCITT_T4, tiff_tag::t4_options},
      {COMPRESSION_CCITT_T6, tiff_tag::t6_options},
      {COMPRESSION_JPEG, tiff_tag::jpeg_tables},
      {COMPRESSION_LERC, static_cast<std::uint16_t>(TIFFTAG_LERC_PARAMETERS)},
      {layout.compression, tiff_tag::ycbcr_subsampling}};
  for (const auto& [compression, tag] : options) {
    const TiffField* field = compression == layout.compression ? page.find(tag) : nullptr;
    if (field) seen.fields.push_back(*field);
  }
  const auto tags = layout.tiled ? std::pair{tiff_tag::tile_offsets, tiff_tag::tile_byte_counts}
                                 : std::pair{tiff_tag::strip_offsets, tiff_tag::strip_byte_counts};
  if (layout.tiled) {
    add(tiff_tag::tile_width, tiff_type::u32, static_cast<std::uint64_t>(layout.block_width));
    add(tiff_tag::tile_height, tiff_type::u32, static_cast<std::uint64_t>(layout.block_height));
  } else {
    add(tiff_tag::rows_per_strip, tiff_type::u32, static_cast<std::uint64_t>(layout.block_height));
  }
  auto offsets = page.integers(tags.first), counts = page.integers(tags.second);
  offsets.resize(static_cast<std::size_t>(layout.blocks()));
  counts.resize(offsets.size());
  for (std::uint64_t& offset : offsets) offset += ahead;
  seen.fields.push_back(tiff_integers(tags.first, tiff_type::u64, offsets));
  seen.fields.push_back(tiff_integers(tags.second, tiff_type::u64, counts));
  return seen;
}

}  // namespace

bool tiff_library_has(std::uint16_t compression) { return TIFFIsCODECConfigured(compression) != 0; }

std::string tiff_library_version() {
  // "LIBTIFF, Version 4.5.0\nCopyright..."
  const std::string_view said = TIFFGetVersion();
  const std::size_t begin = said.find_last_of(' ', said.find('\n')) + 1;
  return fmt::format("libtiff {}", said.substr(begin, said.find('\n') - begin));
}

struct TiffBlockReader::Impl {
  Complaints complaints;
  Memory memory;
  Handle handle;
  bool tiled = false;
};

TiffBlockReader::TiffBlockReader(std::span<const std::byte> file, const TiffDirectory& page,
                                 const TiffLayout& layout, bool little, MissingPixels missing,
                                 Inflater inflater)
    : impl_(std::make_unique<Impl>()) {
  const std::size_t ahead = write_tiff_header(seen_directory(page, layout, 0), little).size();
  impl_->memory.made = write_tiff_header(seen_directory(page, layout, ahead), little);
  impl_->memory.file = file;
  impl_->memory.zeros_follow = missing == MissingPixels::are_left_out;
  impl_->tiled = layout.tiled;
  // m: no mapping, c: strips stay as they are.
  impl_->handle = open(impl_->memory, impl_->complaints, "rmc", layout.block_bytes());
  TIFF* tiff = impl_->handle.get();
  if (layout.compression == COMPRESSION_JPEG && layout.photometric == PHOTOMETRIC_YCBCR) {
    TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  }
  if (is_deflate(layout) && inflater == Inflater::zlib) {
    // With libdeflate, its own choice, libtiff takes of data for more rows than there are what it
    // got until the space ended, which may be nothing.
    TIFFSetField(tiff, TIFFTAG_DEFLATE_SUBCODEC, DEFLATE_SUBCODEC_ZLIB);
  }
  set_raw_logluv(tiff, layout);
  const tmsize_t expected = layout.tiled ? TIFFTileSize(tiff) : TIFFStripSize(tiff);
  impl_->complaints.expect_none();
  if (expected != static_cast<tmsize_t>(layout.block_bytes())) {
    throw ImageFileError(fmt::format("its strips or tiles have {} bytes, expected {}", expected,
                                     layout.block_bytes()));
  }
}

TiffBlockReader::~TiffBlockReader() = default;

void TiffBlockReader::read(const TiffBlock& block, std::uint8_t* to) {
  const auto bytes = static_cast<tmsize_t>(block.bytes);
  TIFF* tiff = impl_->handle.get();
  const tmsize_t got = impl_->tiled ? TIFFReadEncodedTile(tiff, block.number, to, bytes)
                                    : TIFFReadEncodedStrip(tiff, block.number, to, bytes);
  const auto where = [&] {
    return impl_->tiled ? fmt::format("tile {}", block.number + 1)
                        : fmt::format("strip {}", block.number + 1);
  };
  if (!impl_->complaints.first.empty()) {
    throw ImageFileError(
        fmt::format("damaged in {}: {}", where(), std::exchange(impl_->complaints.first, {})));
  }
  if (got != bytes) {
    throw ImageFileError(fmt::format("truncated: {} of {} bytes of {}", got, bytes, where()));
  }
}

namespace {

// The bytes of pixels that hardly compress, with their tables.
std::size_t most_file_bytes(const TiffLayout& layout) {
  const auto blocks = static_cast<std::size_t>(layout.blocks());
  const std::size_t pixels = blocks * layout.block_bytes();
  return pixels + pixels / 32 + 32 * blocks + 4096;
}

}  // namespace

struct TiffBlockWriter::Impl {
  Complaints complaints;
  Memory memory;
  Handle handle;
  TiffLayout layout;
};

TiffBlockWriter::TiffBlockWriter(const TiffLayout& layout, bool little)
    : impl_(std::make_unique<Impl>()) {
  impl_->layout = layout;
  impl_->handle =
      open(impl_->memory, impl_->complaints, little ? "w8l" : "w8b", layout.block_bytes());
  // Memory that is not written takes none. To make room later would take twice as much.
  impl_->memory.made.reserve(most_file_bytes(layout));
  TIFF* tiff = impl_->handle.get();
  const auto set = [&](std::uint32_t tag, auto value) {
    if (TIFFSetField(tiff, tag, value) == 0) impl_->complaints.expect_none();
  };
  set(TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(layout.width));
  set(TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(layout.height));
  set(TIFFTAG_BITSPERSAMPLE, layout.bits);
  set(TIFFTAG_SAMPLESPERPIXEL, layout.samples);
  set(TIFFTAG_SAMPLEFORMAT, static_cast<int>(layout.sample_format));
  set(TIFFTAG_PHOTOMETRIC, static_cast<int>(seen_photometric(layout)));
  set(TIFFTAG_PLANARCONFIG, layout.planar ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
  set(TIFFTAG_FILLORDER, static_cast<int>(layout.fill_order));
  if (const std::vector<std::uint16_t> extra(seen_extra_samples(layout), 0); !extra.empty()) {
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, static_cast<int>(extra.size()), extra.data());
  }
  if (layout.tiled) {
    set(TIFFTAG_TILEWIDTH, static_cast<std::uint32_t>(layout.block_width));
    set(TIFFTAG_TILELENGTH, static_cast<std::uint32_t>(layout.block_height));
  } else {
    set(TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(layout.block_height));
  }
  set(TIFFTAG_COMPRESSION, static_cast<int>(layout.compression));
  if (layout.predictor != 1) set(TIFFTAG_PREDICTOR, static_cast<int>(layout.predictor));
  if (layout.compression == COMPRESSION_CCITT_T4) set(TIFFTAG_GROUP3OPTIONS, layout.fax_options);
  if (layout.compression == COMPRESSION_CCITT_T6) set(TIFFTAG_GROUP4OPTIONS, layout.fax_options);
  if (layout.compression == COMPRESSION_WEBP) set(TIFFTAG_WEBP_LOSSLESS, 1);
  set_raw_logluv(tiff, layout);
  impl_->complaints.expect_none();
}

TiffBlockWriter::~TiffBlockWriter() = default;

void TiffBlockWriter::write(const TiffBlock& block, std::uint8_t* from) {
  const auto bytes = static_cast<tmsize_t>(block.bytes);
  TIFF* tiff = impl_->handle.get();
  const tmsize_t put = impl_->layout.tiled ? TIFFWriteEncodedTile(tiff, block.number, from, bytes)
                                           : TIFFWriteEncodedStrip(tiff, block.number, from, bytes);
  impl_->complaints.expect_none();
  if (put != bytes) throw ImageFileError("libtiff cannot encode the picture");
}

TiffBlocks TiffBlockWriter::take() {
  TIFF* tiff = impl_->handle.get();
  TIFFFlushData(tiff);
  impl_->complaints.expect_none();
  TiffBlocks blocks;
  for (std::uint32_t i = 0; i < impl_->layout.blocks(); ++i) {
    blocks.offsets.push_back(TIFFGetStrileOffset(tiff, i));
    blocks.byte_counts.push_back(TIFFGetStrileByteCount(tiff, i));
  }
  impl_->handle.reset();
  blocks.file = std::move(impl_->memory.made);
  return blocks;
}

}  // namespace qturn::tiff
