#include "tests/fuzz/other_readers.hpp"

#include <gif_lib.h>
#include <png.h>
#include <tiffio.h>

#include <algorithm>
#include <csetjmp>
#include <cstdarg>
#include <cstring>
#include <memory>

#include "src/formats/gif/blocks.hpp"

namespace qturn::fuzz {
namespace {

struct Source {
  Input file;
  std::size_t at = 0;

  std::size_t take(void* to, std::size_t count) {
    count = std::min(count, file.size() - std::min(at, file.size()));
    if (count > 0) std::memcpy(to, &file[at], count);
    at += count;
    return count;
  }
};

Bytes copy_of(const void* data, std::size_t count) {
  const auto* bytes = static_cast<const std::byte*>(data);
  return {bytes, bytes + count};
}

// --- libpng

struct PngReading {
  Source source;
  OtherReading result;
  std::vector<png_bytep> rows;
};

// libpng leaves this function by longjmp: nothing in it needs a destructor.
void read_png(png_structp png, png_infop info, PngReading& reading) {
  if (setjmp(png_jmpbuf(png)) != 0) return;
  png_set_user_limits(png, 0x7FFFFFFF, 0x7FFFFFFF);
  png_set_chunk_malloc_max(png, 0);
  png_set_read_fn(png, &reading.source, [](png_structp self, png_bytep to, std::size_t count) {
    if (static_cast<Source*>(png_get_io_ptr(self))->take(to, count) < count)
      png_error(self, "the file ends");
  });
  png_read_info(png, info);
  png_set_packing(png);
  png_set_swap(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  const std::size_t row = png_get_rowbytes(png, info), height = png_get_image_height(png, info);
  Bytes& pixels = reading.result.pages.emplace_back(row * height);
  for (std::size_t y = 0; y < height; ++y) {
    reading.rows.push_back(reinterpret_cast<png_bytep>(pixels.data() + y * row));
  }
  png_read_image(png, reading.rows.data());
  png_read_end(png, nullptr);
}

// --- libtiff

struct TiffReading {
  Source source;
  std::string error = {};  // which need not keep it from reading on: a field may be left out
};

TIFF* open_tiff(TiffReading& reading) {
  const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(
      TIFFOpenOptionsAlloc(), TIFFOpenOptionsFree);
  const auto complain = [](TIFF*, void* user, const char* from, const char* format,
                           va_list values) {
    char text[300];
    std::vsnprintf(text, sizeof text, format, values);
    static_cast<TiffReading*>(user)->error = std::string(from ? from : "") + ": " + text;
    return 1;
  };
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), complain, &reading);
  TIFFOpenOptionsSetWarningHandlerExtR(
      options.get(), [](TIFF*, void*, const char*, const char*, va_list) { return 1; }, nullptr);
  return TIFFClientOpenExt(
      "file", "rm", &reading.source,
      [](thandle_t source, void* to, tmsize_t count) {
        return static_cast<tmsize_t>(
            static_cast<Source*>(source)->take(to, static_cast<std::size_t>(count)));
      },
      [](thandle_t, void*, tmsize_t) { return tmsize_t{-1}; },
      [](thandle_t source, toff_t by, int from) {
        auto& at = *static_cast<Source*>(source);
        const std::size_t begin = from == SEEK_SET ? 0 : from == SEEK_CUR ? at.at : at.file.size();
        return static_cast<toff_t>(at.at = begin + static_cast<std::size_t>(by));
      },
      [](thandle_t) { return 0; },
      [](thandle_t source) {
        return static_cast<toff_t>(static_cast<Source*>(source)->file.size());
      },
      nullptr, nullptr, options.get());
}

// What Quarterturn lets libtiff decode as this does.
bool is_compared(TIFF* tiff) {
  std::uint16_t compression = 0, planar = 0, bits = 0, samples = 0;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planar);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
  constexpr std::uint16_t same[] = {
      COMPRESSION_NONE,     COMPRESSION_LZW,  COMPRESSION_ADOBE_DEFLATE, COMPRESSION_DEFLATE,
      COMPRESSION_PACKBITS, COMPRESSION_LZMA, COMPRESSION_ZSTD};
  return std::ranges::count(same, compression) > 0 && !TIFFIsTiled(tiff) &&
         planar == PLANARCONFIG_CONTIG && bits * samples % 8 == 0;
}

// False if a strip or tile cannot be read.
bool read_tiff_page(TIFF* tiff, std::vector<Bytes>& pages) {
  const bool is_tiled = TIFFIsTiled(tiff) != 0;
  std::uint16_t compression = 0;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
  if (compression == COMPRESSION_ADOBE_DEFLATE || compression == COMPRESSION_DEFLATE) {
    // With libdeflate it may leave pixels as they are in memory.
    TIFFSetField(tiff, TIFFTAG_DEFLATE_SUBCODEC, DEFLATE_SUBCODEC_ZLIB);
  }
  const std::uint32_t count = is_tiled ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
  Bytes block(static_cast<std::size_t>(is_tiled ? TIFFTileSize(tiff) : TIFFStripSize(tiff)));
  Bytes page;
  for (std::uint32_t i = 0; i < count; ++i) {
    const tmsize_t got = is_tiled ? TIFFReadEncodedTile(tiff, i, block.data(), -1)
                                  : TIFFReadEncodedStrip(tiff, i, block.data(), -1);
    if (got < 0) return false;
    page.insert(page.end(), block.begin(), block.begin() + got);
  }
  if (!is_compared(tiff)) page.clear();
  pages.push_back(std::move(page));
  return true;
}

}  // namespace

OtherReading read_by_giflib(Input file) {
  // It reads on after an extension without a part, and what follows is not seen as it is. It takes
  // no codes that begin with more than 9 bits, which browsers do.
  constexpr std::size_t empty_extension_bytes = 3;
  constexpr std::byte most_root_bits{8};
  for (const gif::GifBlock& block : gif::gif_blocks(file).blocks) {
    if (block.is_frame ? block.lzw[0] > most_root_bits
                       : block.whole.size() == empty_extension_bytes) {
      return {};
    }
  }
  Source source{file};
  OtherReading result;
  int error = 0;
  GifFileType* gif = DGifOpen(
      &source,
      [](GifFileType* self, GifByteType* to, int count) {
        return static_cast<int>(
            static_cast<Source*>(self->UserData)->take(to, static_cast<std::size_t>(count)));
      },
      &error);
  if (gif && DGifSlurp(gif) == GIF_ERROR) error = gif->Error;
  for (int i = 0; gif && i < gif->ImageCount && error == 0; ++i) {
    const SavedImage& frame = gif->SavedImages[i];
    result.pages.push_back(
        copy_of(frame.RasterBits, static_cast<std::size_t>(frame.ImageDesc.Width) *
                                      static_cast<std::size_t>(frame.ImageDesc.Height)));
  }
  if (error != 0) result.complaint = GifErrorString(error);
  if (gif) DGifCloseFile(gif, nullptr);
  return result;
}

OtherReading read_by_libpng(Input file) {
  PngReading reading{.source = {file}, .result = {}, .rows = {}};
  png_structp png = png_create_read_struct(
      PNG_LIBPNG_VER_STRING, &reading.result,
      [](png_structp self, png_const_charp why) {
        static_cast<OtherReading*>(png_get_error_ptr(self))->complaint = why;
        png_longjmp(self, 1);
      },
      [](png_structp, png_const_charp) {});
  png_infop info = png_create_info_struct(png);
  read_png(png, info, reading);
  png_destroy_read_struct(&png, &info, nullptr);
  return std::move(reading.result);
}

OtherReading read_by_libtiff(Input file) {
  TiffReading reading{.source = {file}};
  OtherReading result;
  TIFF* tiff = open_tiff(reading);
  bool is_whole = tiff && read_tiff_page(tiff, result.pages);
  while (is_whole && !TIFFLastDirectory(tiff)) {
    is_whole = TIFFReadDirectory(tiff) && read_tiff_page(tiff, result.pages);
  }
  if (!is_whole) result.complaint = reading.error.empty() ? "no error is named" : reading.error;
  if (tiff) TIFFClose(tiff);
  return result;
}

}  // namespace qturn::fuzz
