// The directories of a TIFF: what its fields say, and whether everything they point to is there.
//
// An Exif block has the same structure. So what a TIFF says about its picture goes to a JPEG or a
// PNG as an Exif block, and comes back as one.
#pragma once

#include <qturn/orientation.hpp>
#include <qturn/pictures.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/picture/bytes.hpp"

namespace qturn::tiff {

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
  resolution_unit = 296,
  free_offsets = 288,
  free_byte_counts = 289,
  t4_options = 292,
  t6_options = 293,
  predictor = 317,
  colour_map = 320,
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
  pixel_scale = 33550,
  intergraph_matrix = 33920,
  tie_points = 33922,
  model_matrix = 34264,
  geo_keys = 34735,
  photoshop_resources = 34377,
  exif = 34665,
  maker_note = 37500,
  icc_profile = 34675,
  gps = 34853,
  interoperability = 40965,
  imagej_metadata = 50839,
  polynomials = 50844
};
}  // namespace tiff_tag

namespace tiff_type {
enum : std::uint16_t {
  u8 = 1,
  ascii = 2,
  u16 = 3,
  u32 = 4,
  rational = 5,
  undefined = 7,
  f64 = 12,
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
  std::uint64_t fixed_at = 0;    ///< where a fixed value lies; otherwise 0
};

struct TiffDirectory {
  std::vector<TiffField> fields;
  /// Exif, GPS, interoperability, by the tag that points to them. That tag is not among the fields.
  std::map<std::uint16_t, TiffDirectory> children;
  /// A page's smaller copies and other pictures in its sub-directories. The tag that points to them
  /// is not among the fields either.
  std::vector<TiffDirectory> pictures = {};
  bool leads_on = false;  ///< a picture is followed by another directory
  /// The value of all samples in strips and tiles without a place and a length: GDAL leaves these
  /// out. Nothing: they are damage.
  std::optional<double> fill = std::nullopt;
  std::vector<std::uint16_t> unknown_types = {};  ///< tags of fields left out for their type

  const TiffField* find(std::uint16_t tag) const;
  /// The values of an integer field; empty if there is none.
  std::vector<std::uint64_t> integers(std::uint16_t tag) const;
  /// The first value, or `otherwise`.
  std::uint64_t integer(std::uint16_t tag, std::uint64_t otherwise) const;
};

/// Bytes that stay where they are in the file, since a MakerNote holds offsets that nobody else
/// understands: the note, or bytes that no field leads to, but perhaps the note. The same holds for
/// MetaMorph's fields.
struct TiffFixedBytes {
  std::uint64_t at = 0;
  std::vector<std::byte> bytes;
  bool is_note = false;
};

struct TiffFile {
  bool big = false;  ///< BigTIFF
  std::vector<TiffDirectory> pages;
  bool little = true;     ///< the byte order
  std::uint64_t end = 0;  ///< of the last that its directories lead to, as far as that is known
  std::uint64_t value_bytes = 0;           ///< of all fields in the file, and of what is fixed
  std::vector<TiffFixedBytes> fixed = {};  ///< by their places; they do not overlap
  /// MetaMorph's fields lead to bytes that must stay where they are. All of them are fixed, unless
  /// that is too much.
  bool must_stay = false, is_too_much = false;
};

/// Reads all directories of a TIFF or BigTIFF of either byte order.
///
/// Throws ImageFileError if a directory, a field's value, a strip or a tile lies beyond the end of
/// the file, for a chain of directories that runs in a circle, and for directories that share so
/// many bytes that together they are larger than the file.
///
/// If missing pixels are left out, strips and tiles may lie beyond the end of the file.
enum class MissingPixels : bool { are_damage, are_left_out };
TiffFile read_tiff(std::span<const std::byte> file,
                   MissingPixels missing = MissingPixels::are_damage);

/// The same with the beginning alone of texts, profiles, and other large values that do not say how
/// pixels are stored. XMP and Photoshop's resources are whole.
TiffFile read_tiff_structure(std::span<const std::byte> file,
                             MissingPixels missing = MissingPixels::are_damage);

/// Implements Codec::check_limits. What is damaged is left for read_tiff() to say.
void check_tiff_limits(std::span<const std::byte> file, const Limits& limits);

/// The orientation that a page is stored in.
Orientation tiff_orientation(const TiffDirectory& page);

/// Page::ahead of a page and of its pictures.
Orientation ahead_of(const TiffDirectory& page, const TiffFile& tiff);

/// The numbers as the value of a field of type u16, u32 or u64.
TiffField tiff_integers(std::uint16_t tag, std::uint16_t type,
                        std::span<const std::uint64_t> numbers);

/// Bytes of what is swapped with the byte order in a value of the type; 0 for an unknown type.
std::size_t tiff_word_bytes(std::uint16_t type);

/// A TIFF with these directories. Each page, and then each of its pictures, takes the next element
/// of `pixels`: its strips or tiles are copied from there, from the places that its offsets name. A
/// directory without strips and tiles is written as it is, as in an Exif block. BigTIFF is written
/// if asked for, or if the file would not fit otherwise.
///
/// Fixed bytes stay where they are, if that makes the file at most `most_more_bytes` larger.
/// `warnings` says what had to move. Throws ImageFileError if it must stay.
inline constexpr std::size_t most_for_fixed_bytes = 1 << 20;
std::vector<std::byte> write_tiff(const TiffFile& tiff,
                                  std::span<const std::span<const std::byte>> pixels,
                                  std::vector<std::string>& warnings,
                                  std::size_t most_more_bytes = most_for_fixed_bytes);

/// A BigTIFF's header with one directory, its strips' and tiles' offsets as they are.
std::vector<std::byte> write_tiff_header(const TiffDirectory& page, bool little);

}  // namespace qturn::tiff
