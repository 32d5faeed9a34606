// TIFFs for tests, written and read by libtiff as any program would, sample by sample.
#ifndef QTURN_TESTS_TIFF_PICTURES_HPP
#define QTURN_TESTS_TIFF_PICTURES_HPP

#include <tiffio.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <qturn/orientation.hpp>

#include "tests/codec_pictures.hpp"
#include "tests/temporary_folder.hpp"

namespace qturn::tests {

/// How a page is stored.
struct TiffKind {
  int photometric = PHOTOMETRIC_MINISBLACK;
  int bits = 8, samples = 1;
  int compression = COMPRESSION_NONE;
  int sample_format = SAMPLEFORMAT_UINT;
  int predictor = 1;
  int fill_order = FILLORDER_MSB2LSB;
  int planar = PLANARCONFIG_CONTIG;
  int tile_width = 0, tile_height = 0;  ///< 0: strips
  int rows_per_strip = 0;               ///< 0: all
  std::uint32_t fax_options = 0;
  int extra_samples = 0;

  bool operator==(const TiffKind&) const = default;
};

struct TiffPicture {
  TiffKind kind;
  int width = 0, height = 0;
  std::vector<std::uint64_t> samples;  ///< interleaved

  std::uint64_t& at(int x, int y, int s) {
    return samples[static_cast<std::size_t>((y * width + x) * kind.samples + s)];
  }
};

inline TiffPicture tiff_picture(const TiffKind& kind, int width, int height,
                                std::uint32_t seed = 1) {
  TiffPicture picture{kind, width, height, {}};
  const std::size_t count = static_cast<std::size_t>(width * height * kind.samples);
  const std::vector<std::uint8_t> bytes = noise(8 * count, seed);
  picture.samples.resize(count);
  std::memcpy(picture.samples.data(), bytes.data(), bytes.size());
  if (kind.bits < 64) {
    for (std::uint64_t& sample : picture.samples) {
      sample &= (std::uint64_t{1} << kind.bits) - 1;
    }
  }
  return picture;
}

/// The picture as its definition says; tiles turn with the axes. (Rows of strips are not compared.)
inline TiffPicture turned(TiffPicture picture, Orientation orientation) {
  const Size size{picture.width, picture.height}, to = turned_size(orientation, size);
  TiffPicture result{picture.kind, static_cast<int>(to.width), static_cast<int>(to.height), {}};
  if (swaps_axes(orientation)) std::swap(result.kind.tile_width, result.kind.tile_height);
  for (std::int64_t y = 0; y < to.height; ++y) {
    for (std::int64_t x = 0; x < to.width; ++x) {
      const Position from = source_of(orientation, {x, y}, size);
      for (int s = 0; s < picture.kind.samples; ++s) {
        result.samples.push_back(picture.at(static_cast<int>(from.x), static_cast<int>(from.y), s));
      }
    }
  }
  return result;
}

// Bits of a row: words of whole bytes in the machine's order, as libtiff has them; others one
// behind another, the most significant first.
inline void put_sample(std::uint8_t* row, int index, int bits, std::uint64_t value) {
  if (bits % 8 == 0) {
    std::memcpy(row + index * bits / 8, &value, static_cast<std::size_t>(bits / 8));
    return;
  }
  for (int i = 0; i < bits; ++i) {
    const int at = index * bits + i;
    const auto bit = static_cast<int>(value >> (bits - 1 - i) & 1);
    row[at / 8] = static_cast<std::uint8_t>(row[at / 8] | bit << (7 - at % 8));
  }
}

inline std::uint64_t get_sample(const std::uint8_t* row, int index, int bits) {
  std::uint64_t value = 0;
  if (bits % 8 == 0) {
    std::memcpy(&value, row + index * bits / 8, static_cast<std::size_t>(bits / 8));
    return value;
  }
  for (int i = 0; i < bits; ++i) {
    const int at = index * bits + i;
    value = value << 1 | (row[at / 8] >> (7 - at % 8) & 1);
  }
  return value;
}

inline void set_raw_samples(TIFF* tiff, const TiffKind& kind) {
  if (kind.compression == COMPRESSION_SGILOG || kind.compression == COMPRESSION_SGILOG24) {
    TIFFSetField(tiff, TIFFTAG_SGILOGDATAFMT,
                 kind.photometric == PHOTOMETRIC_LOGL ? SGILOGDATAFMT_16BIT : SGILOGDATAFMT_RAW);
  }
}

// Calls visit(buffer, plane, left, top, columns, rows, row bytes, number) for each strip or tile.
template <typename Visit>
void for_each_block(const TiffPicture& picture, Visit visit) {
  const TiffKind& kind = picture.kind;
  const int planes = kind.planar == PLANARCONFIG_SEPARATE ? kind.samples : 1;
  const int each = kind.samples / planes;
  const int across = kind.tile_width ? kind.tile_width : picture.width;
  const int down = kind.tile_width       ? kind.tile_height
                   : kind.rows_per_strip ? kind.rows_per_strip
                                         : picture.height;
  std::uint32_t number = 0;
  for (int plane = 0; plane < planes; ++plane) {
    for (int top = 0; top < picture.height; top += down) {
      for (int left = 0; left < picture.width; left += across, ++number) {
        const int columns = std::min(across, picture.width - left);
        const int rows = std::min(down, picture.height - top);
        const int row_bytes = (across * each * kind.bits + 7) / 8;
        std::vector<std::uint8_t> block(
            static_cast<std::size_t>(row_bytes * (kind.tile_width ? down : rows)));
        visit(block, plane, each, left, top, columns, rows, row_bytes, number);
      }
    }
  }
}

/// `mode` is libtiff's: "wl", "wb", "w8l"... `describe` sets further fields of a page.
template <typename Describe>
Bytes write_with_libtiff(std::vector<TiffPicture> pages, const char* mode, Describe describe) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "a.tif").string();
  TIFF* tiff = TIFFOpen(path.c_str(), mode);
  for (TiffPicture& page : pages) {
    const TiffKind& kind = page.kind;
    const auto set = [&](std::uint32_t tag, auto value) {
      if (TIFFSetField(tiff, tag, value) == 0) throw std::runtime_error("libtiff refuses a field");
    };
    set(TIFFTAG_IMAGEWIDTH, page.width);
    set(TIFFTAG_IMAGELENGTH, page.height);
    set(TIFFTAG_BITSPERSAMPLE, kind.bits);
    set(TIFFTAG_SAMPLESPERPIXEL, kind.samples);
    set(TIFFTAG_SAMPLEFORMAT, kind.sample_format);
    set(TIFFTAG_PHOTOMETRIC, kind.photometric);
    set(TIFFTAG_PLANARCONFIG, kind.planar);
    set(TIFFTAG_FILLORDER, kind.fill_order);
    set(TIFFTAG_COMPRESSION, kind.compression);
    if (kind.predictor != 1) set(TIFFTAG_PREDICTOR, kind.predictor);
    if (kind.compression == COMPRESSION_CCITT_T4) set(TIFFTAG_GROUP3OPTIONS, kind.fax_options);
    if (kind.compression == COMPRESSION_WEBP) set(TIFFTAG_WEBP_LOSSLESS, 1);
    if (kind.photometric == PHOTOMETRIC_YCBCR && kind.compression != COMPRESSION_JPEG) {
      TIFFSetField(tiff, TIFFTAG_YCBCRSUBSAMPLING, 1, 1);
    }
    set_raw_samples(tiff, kind);
    if (kind.extra_samples > 0) {
      const std::vector<std::uint16_t> kinds(static_cast<std::size_t>(kind.extra_samples),
                                             EXTRASAMPLE_UNASSALPHA);
      TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, kind.extra_samples, kinds.data());
    }
    if (kind.photometric == PHOTOMETRIC_PALETTE) {
      const std::vector<std::uint8_t> map = noise(std::size_t{6} << kind.bits, 99);
      const auto* colours = reinterpret_cast<const std::uint16_t*>(map.data());
      TIFFSetField(tiff, TIFFTAG_COLORMAP, colours, colours + (1 << kind.bits),
                   colours + (2 << kind.bits));
    }
    if (kind.tile_width) {
      set(TIFFTAG_TILEWIDTH, kind.tile_width);
      set(TIFFTAG_TILELENGTH, kind.tile_height);
    } else {
      set(TIFFTAG_ROWSPERSTRIP, kind.rows_per_strip ? kind.rows_per_strip : page.height);
    }
    describe(tiff);
    for_each_block(page, [&](std::vector<std::uint8_t>& block, int plane, int each, int left,
                             int top, int columns, int rows, int row_bytes, std::uint32_t number) {
      for (int y = 0; y < rows; ++y) {
        for (int i = 0; i < columns * each; ++i) {
          put_sample(&block[static_cast<std::size_t>(y * row_bytes)], i, kind.bits,
                     page.at(left + i / each, top + y, plane + i % each));
        }
      }
      if (TIFFIsByteSwapped(tiff) &&
          (kind.predictor == PREDICTOR_FLOATINGPOINT || kind.photometric == PHOTOMETRIC_LOGLUV)) {
        // libtiff 4.5 swaps them once too often.
        for (auto word = block.begin(); word != block.end(); word += kind.bits / 8) {
          std::reverse(word, word + kind.bits / 8);
        }
      }
      const auto bytes = static_cast<tmsize_t>(block.size());
      const tmsize_t put = kind.tile_width
                               ? TIFFWriteEncodedTile(tiff, number, block.data(), bytes)
                               : TIFFWriteEncodedStrip(tiff, number, block.data(), bytes);
      if (put != bytes) throw std::runtime_error("libtiff does not write");
    });
    TIFFWriteDirectory(tiff);
  }
  TIFFClose(tiff);
  return owned(content_of(path));
}

inline Bytes write_with_libtiff(std::vector<TiffPicture> pages, const char* mode = "wl") {
  return write_with_libtiff(std::move(pages), mode, [](TIFF*) {});
}

/// The page that `tiff` is at. Of JPEGs in YCbCr it has the RGB.
inline TiffPicture read_page(TIFF* tiff) {
  TiffPicture page;
  TiffKind& kind = page.kind;
  const auto u16 = [&](std::uint32_t tag, int& to) {
    std::uint16_t value = 0;
    if (TIFFGetFieldDefaulted(tiff, tag, &value)) to = value;
  };
  const auto u32 = [&](std::uint32_t tag, int& to) {
    std::uint32_t value = 0;
    if (TIFFGetFieldDefaulted(tiff, tag, &value)) to = static_cast<int>(value);
  };
  u16(TIFFTAG_COMPRESSION, kind.compression);
  u16(TIFFTAG_PHOTOMETRIC, kind.photometric);
  if (kind.compression == COMPRESSION_JPEG) {
    TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  }
  set_raw_samples(tiff, kind);
  u32(TIFFTAG_IMAGEWIDTH, page.width);
  u32(TIFFTAG_IMAGELENGTH, page.height);
  u16(TIFFTAG_BITSPERSAMPLE, kind.bits);
  u16(TIFFTAG_SAMPLESPERPIXEL, kind.samples);
  u16(TIFFTAG_SAMPLEFORMAT, kind.sample_format);
  u16(TIFFTAG_PLANARCONFIG, kind.planar);
  u16(TIFFTAG_FILLORDER, kind.fill_order);
  std::uint16_t predictor = 1;
  const std::array with_predictor = {COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
                                     COMPRESSION_DEFLATE, COMPRESSION_LZMA, COMPRESSION_ZSTD};
  if (std::ranges::find(with_predictor, kind.compression) != with_predictor.end() &&
      TIFFGetField(tiff, TIFFTAG_PREDICTOR, &predictor)) {
    kind.predictor = predictor;
  }
  if (kind.compression == COMPRESSION_CCITT_T4) {
    TIFFGetFieldDefaulted(tiff, TIFFTAG_GROUP3OPTIONS, &kind.fax_options);
  }
  std::uint16_t extra = 0;
  std::uint16_t* kinds = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_EXTRASAMPLES, &extra, &kinds)) kind.extra_samples = extra;
  if (TIFFIsTiled(tiff)) {
    u32(TIFFTAG_TILEWIDTH, kind.tile_width);
    u32(TIFFTAG_TILELENGTH, kind.tile_height);
  } else {
    u32(TIFFTAG_ROWSPERSTRIP, kind.rows_per_strip);
    kind.rows_per_strip = std::min(kind.rows_per_strip, page.height);
  }
  page.samples.resize(static_cast<std::size_t>(page.width * page.height * kind.samples));
  for_each_block(page, [&](std::vector<std::uint8_t>& block, int plane, int each, int left, int top,
                           int columns, int rows, int row_bytes, std::uint32_t number) {
    const auto bytes = static_cast<tmsize_t>(block.size());
    const tmsize_t got = kind.tile_width ? TIFFReadEncodedTile(tiff, number, block.data(), bytes)
                                         : TIFFReadEncodedStrip(tiff, number, block.data(), bytes);
    if (got != bytes) throw std::runtime_error("libtiff does not read");
    for (int y = 0; y < rows; ++y) {
      for (int i = 0; i < columns * each; ++i) {
        page.at(left + i / each, top + y, plane + i % each) =
            get_sample(&block[static_cast<std::size_t>(y * row_bytes)], i, kind.bits);
      }
    }
  });
  return page;
}

/// All pages, and after each the pictures in its sub-directories.
inline std::vector<TiffPicture> read_with_libtiff(const Bytes& file) {
  const TemporaryFolder folder;
  const std::string path = folder.add("a.tif", std::string(text_of(file))).string();
  TIFF* tiff = TIFFOpen(path.c_str(), "rc");
  if (!tiff) throw std::runtime_error("libtiff does not open the file");
  std::vector<TiffPicture> pages;
  const int count = static_cast<int>(TIFFNumberOfDirectories(tiff));
  for (int i = 0; i < count; ++i) {
    TIFFSetDirectory(tiff, static_cast<tdir_t>(i));
    std::uint16_t children = 0;
    std::uint64_t* offsets = nullptr;
    std::vector<std::uint64_t> pictures;
    if (TIFFGetField(tiff, TIFFTAG_SUBIFD, &children, &offsets)) {
      pictures.assign(offsets, offsets + children);
    }
    pages.push_back(read_page(tiff));
    for (const std::uint64_t offset : pictures) {
      if (!TIFFSetSubDirectory(tiff, offset)) throw std::runtime_error("no sub-directory");
      pages.push_back(read_page(tiff));
    }
  }
  TIFFClose(tiff);
  return pages;
}

}  // namespace qturn::tests

#endif  // QTURN_TESTS_TIFF_PICTURES_HPP
