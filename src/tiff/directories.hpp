// The directories of a TIFF: what its fields say, and whether everything they point to is there.
//
// The same structure, small, is an Exif block. So what a TIFF says of its picture goes to a JPEG or
// a PNG as one, and comes back.
#ifndef QTURN_SRC_TIFF_DIRECTORIES_HPP
#define QTURN_SRC_TIFF_DIRECTORIES_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace qturn {

namespace tiff_tag {
enum : std::uint16_t {
  width = 256,
  height = 257,
  bits_per_sample = 258,
  compression = 259,
  photometric = 262,
  fill_order = 266,
  description = 270,
  strip_offsets = 273,
  orientation = 274,
  samples_per_pixel = 277,
  rows_per_strip = 278,
  strip_byte_counts = 279,
  x_resolution = 282,
  y_resolution = 283,
  planar_configuration = 284,
  free_offsets = 288,
  free_byte_counts = 289,
  t4_options = 292,
  t6_options = 293,
  predictor = 317,
  tile_width = 322,
  tile_height = 323,
  tile_offsets = 324,
  tile_byte_counts = 325,
  sub_directories = 330,
  ink_set = 332,
  extra_samples = 338,
  sample_format = 339,
  jpeg_tables = 347,
  jpeg_interchange = 513,
  jpeg_interchange_length = 514,
  ycbcr_subsampling = 530,
  xmp = 700,
  image_depth = 32997,
  tile_depth = 32998,
  geo_keys = 34735,
  exif = 34665,
  icc_profile = 34675,
  gps = 34853,
  interoperability = 40965
};
}  // namespace tiff_tag

namespace tiff_type {
enum : std::uint16_t {
  u8 = 1,
  ascii = 2,
  u16 = 3,
  u32 = 4,
  undefined = 7,
  directory = 13,
  u64 = 16,
  directory64 = 18
};
}  // namespace tiff_type

struct TiffField {
  std::uint16_t tag = 0;
  std::uint16_t type = 0;        ///< TIFF's number
  std::uint64_t count = 0;       ///< of values
  std::vector<std::byte> value;  ///< all of them, little-endian
};

struct TiffDirectory {
  std::vector<TiffField> fields;
  /// Exif, GPS, interoperability, by the tag that points to them, which is not among the fields.
  std::map<std::uint16_t, TiffDirectory> children;
  /// A page's smaller copies and other pictures in its sub-directories; neither is that tag among
  /// the fields.
  std::vector<TiffDirectory> pictures = {};
  bool leads_on = false;                          ///< of a picture: another directory follows it
  std::vector<std::uint16_t> unknown_types = {};  ///< tags of fields left out for their type

  const TiffField* find(std::uint16_t tag) const;
  /// The values of an integer field; empty if there is none.
  std::vector<std::uint64_t> integers(std::uint16_t tag) const;
  /// The first of them, or `otherwise`.
  std::uint64_t integer(std::uint16_t tag, std::uint64_t otherwise) const;
};

struct TiffFile {
  bool big = false;  ///< BigTIFF
  std::vector<TiffDirectory> pages;
  bool little = true;                            ///< the byte order
  std::vector<std::uint64_t> page_offsets = {};  ///< where their directories begin in the file
  std::uint64_t end = 0;  ///< of the last that its directories lead to, as far as that is known
};

/// Reads all directories of a TIFF or BigTIFF of either byte order.
///
/// Throws ImageFileError where a directory, a field's value, a strip or a tile lies beyond the end
/// of the file, and for a chain of directories that runs in a circle.
TiffFile read_tiff(std::span<const std::byte> file);

/// The numbers as the value of a field of type u16, u32 or u64.
TiffField tiff_integers(std::uint16_t tag, std::uint16_t type,
                        std::span<const std::uint64_t> numbers);

/// Bytes of what is swapped with the byte order in a value of the type; 0 for an unknown type.
std::size_t tiff_word_bytes(std::uint16_t type);

/// A TIFF with these directories. The strips and tiles of page i, then those of its pictures, are
/// copied from the next of `pixels`, where their offsets lead; a directory without any is written
/// as it is, as in an Exif block. BigTIFF is written if asked for, or if the file would not fit
/// otherwise.
std::vector<std::byte> write_tiff(const TiffFile& tiff,
                                  std::span<const std::span<const std::byte>> pixels);

/// A BigTIFF's header with one directory, its strips' and tiles' offsets as they are.
std::vector<std::byte> write_tiff_header(const TiffDirectory& page, bool little);

}  // namespace qturn

#endif  // QTURN_SRC_TIFF_DIRECTORIES_HPP
