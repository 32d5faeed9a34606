// How the samples of a page lie in the strips or tiles of a TIFF, and how they lie in memory while
// the page is turned.
//
// A page that stays a TIFF is moved in the form it is stored in. The samples of a pixel, whatever
// their bits and their meaning, become the smallest number of whole bytes that hold them. If the
// file has a plane per sample, each sample gets bytes of its own. So palettes, CMYK, Lab, 12 bits
// and 128 bits are all treated in the same way. For another format, to which the meaning of samples
// matters, each sample always gets bytes of its own.
#pragma once

#include <qturn/orientation.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/formats/tiff/directories.hpp"
#include "src/picture/image.hpp"

namespace qturn::tiff {

namespace tiff_compression {
enum : std::uint16_t {
  none = 1,
  ccitt_rle = 2,
  ccitt_t4 = 3,
  ccitt_t6 = 4,
  lzw = 5,
  old_jpeg = 6,
  jpeg = 7,
  deflate = 8,
  next = 32766,
  ccitt_rle_word = 32771,
  packbits = 32773,
  thunderscan = 32809,
  pixarlog = 32909,
  old_deflate = 32946,
  jbig = 34661,
  sgilog = 34676,
  sgilog24 = 34677,
  lerc = 34887,
  lzma = 34925,
  zstd = 50000,
  webp = 50001
};
}  // namespace tiff_compression

namespace tiff_photometric {
enum : std::uint16_t {
  white_is_zero = 0,
  black_is_zero = 1,
  rgb = 2,
  palette = 3,
  mask = 4,
  separated = 5,
  ycbcr = 6,
  cielab = 8,
  icclab = 9,
  itulab = 10,
  colour_filter_array = 32803,
  logl = 32844,
  logluv = 32845
};
}  // namespace tiff_photometric

/// What undoes deflate: zlib, or what libtiff chooses, which is faster, and accepts some damage.
enum class Inflater : bool { zlib, of_libtiff };

struct TiffLayout {
  std::int64_t width = 0;
  std::int64_t height = 0;
  int bits = 1;  ///< of a sample
  int samples = 1;
  std::uint16_t sample_format = 1;
  std::uint16_t compression = tiff_compression::none;
  std::uint16_t photometric = 1;
  std::uint16_t predictor = 1;
  std::uint16_t fill_order = 1;
  std::uint32_t fax_options = 0;  ///< of CCITT T.4 or T.6
  bool planar = false;            ///< each sample has strips or tiles of its own
  bool samples_apart = false;     ///< in memory each sample has bytes of its own, not each pixel
  bool tiled = false;
  std::int64_t block_width = 0;   ///< a tile's, or the page's
  std::int64_t block_height = 0;  ///< a tile's, or the rows of a strip: not more than the page has

  int planes() const { return planar ? samples : 1; }
  /// A unit is what gets whole bytes in memory: units() of them lie in a row for each pixel.
  int units() const { return samples_apart && !planar ? samples : 1; }
  int unit_bits() const { return planar || samples_apart ? bits : bits * samples; }
  int unit_bytes() const { return (unit_bits() + 7) / 8; }
  int pixel_bytes() const { return planes() * units() * unit_bytes(); }
  std::int64_t across() const { return (width + block_width - 1) / block_width; }
  std::int64_t down() const { return (height + block_height - 1) / block_height; }
  std::int64_t blocks() const { return across() * down() * planes(); }
  /// Bytes of a row of a strip or tile.
  std::size_t row_bytes() const;
  /// Bytes of the largest strip or tile.
  std::size_t block_bytes() const;

  /// The page, without memory. Its samples have their own type if a Page knows it; otherwise they
  /// are bytes.
  Page page() const;
};

/// A strip or tile, and the part of it that lies in the page: its rows and columns without a tile's
/// padding.
struct TiffBlock {
  std::uint32_t number = 0;
  int plane = 0;
  std::int64_t left = 0, top = 0, width = 0, height = 0;  ///< in the page
  std::size_t bytes = 0;                                  ///< decoded, with the padding
};

/// Strip or tile `number` of all, in the file's order.
TiffBlock tiff_block(const TiffLayout& layout, std::uint32_t number);

/// What the directory says about it. Throws ImageFileError if that makes no sense, or if strips or
/// tiles are missing or too short for so many pixels.
TiffLayout tiff_layout(const TiffDirectory& page);

/// Which strips or tiles have no bytes in the file (TiffDirectory::fill). Empty: all have.
using SparseBlocks = std::vector<bool>;
inline bool is_among(const SparseBlocks& sparse, std::size_t number) {
  return !sparse.empty() && sparse[number];
}
SparseBlocks sparse_blocks(const TiffDirectory& page, const TiffLayout& layout);

/// The same for the turned page: blocks whose pixels all come from sparse ones.
SparseBlocks turned_sparse_blocks(const SparseBlocks& sparse, const TiffLayout& layout,
                                  const TiffLayout& turned, Orientation applied);

/// The layout of the turned page: tiles turn with the axes, strips keep about as many pixels.
TiffLayout turned_layout(const TiffLayout& layout, Orientation applied);

}  // namespace qturn::tiff
