// The orientation inside a TIFF structure: the body of an Exif block (JPEG APP1 after "Exif\0\0",
// PNG eXIf, WebP EXIF), or a classic TIFF file itself.
//
// Cameras and broken scripts write these blocks. They are patched where they lie and never written
// again, because MakerNotes hold offsets that nobody else understands. So this reads only the
// directory that it needs, and does not trust counts and offsets that lead outside the block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <qturn/orientation.hpp>

#include "src/picture/bytes.hpp"
#include "src/picture/image.hpp"

// The tags of Exif and TIFF that are read or turned here, as Exif 2.32 and TIFF 6.0 number them.

namespace qturn::exif_tag {

inline constexpr std::uint16_t image_width = 256, image_height = 257, camera_make = 271,
                               orientation_tag = 274, x_resolution = 282, y_resolution = 283,
                               resolution_unit = 296, jpeg_offset = 513, jpeg_bytes = 514,
                               related_width = 0x1001, related_height = 0x1002,
                               exif_directory = 0x8769, gps_directory = 0x8825,
                               sensor_x_resolution = 0x920E, sensor_y_resolution = 0x920F,
                               subject_area = 0x9214, maker_note = 0x927C,
                               pixel_x_dimension = 0xA002, pixel_y_dimension = 0xA003,
                               interoperability_directory = 0xA005,
                               focal_plane_x_resolution = 0xA20E, focal_plane_y_resolution = 0xA20F,
                               subject_location = 0xA214;

}  // namespace qturn::exif_tag

namespace qturn {

class TiffStructure;
struct TiffEntries;

struct StoredOrientation {
  enum class Certainty : std::uint8_t {
    absent,   ///< there is no Orientation entry, and all entries were read
    present,  ///< there is one, and set_upright can set it
    unknown   ///< none was seen, but the directory is damaged before it ends, or the header has a
              ///< TIFF's byte order and not its number
  };
  Certainty certainty = Certainty::absent;
  /// The value of the first entry, of any integer type; identity for values that Exif does not
  /// define.
  Orientation value = Orientation::identity;
};

/// Reads the Orientation (tag 274) of a TIFF structure of either byte order. A block without a
/// TIFF's byte order has no directory, and so no orientation.
StoredOrientation stored_orientation(std::span<const std::byte> tiff);

/// The orientation of an Exif tag 274, or of anything numbered like it; nothing for a number that
/// is not 1 to 8.
std::optional<Orientation> orientation_of_tag(std::uint64_t value);

/// The value in one of its directories, if it has the tag.
std::optional<Orientation> orientation_of_directory(const TiffStructure& tiff,
                                                    const TiffEntries& directory);

/// The Exif directory that the second directory of an Exif block leads to, if it has one of its
/// own: Olympus's cameras repeat the first directory, and the picture's size with it.
std::optional<TiffEntries> repeated_exif_directory(const TiffStructure& tiff,
                                                   const TiffEntries& first);

/// Sets every Orientation entry of the first directory to the value, as a SHORT, in place, and
/// touches no other byte. (The second one describes a thumbnail.) Returns false, and may have set
/// some, if the directory is damaged so that stored_orientation calls it unknown.
bool set_orientation(std::span<std::byte> tiff, Orientation value);

/// The same for 1.
bool set_upright(std::span<std::byte> tiff);

/// The signature that JPEG, and some writers of other formats, put before the TIFF structure.
inline constexpr std::string_view exif_signature{"Exif\0\0", 6};

/// Whether `block` begins with that signature. Its last byte is a filler: Exif says 0, but some
/// cameras write another value, and ExifTool ignores it.
constexpr bool is_exif_signed(std::string_view block) {
  return block.size() >= exif_signature.size() && block.starts_with(exif_signature.substr(0, 5));
}

/// The TIFF structure of an Exif block: the block without that signature, as often as it is there.
std::span<const std::byte> exif_body(std::span<const std::byte> block);

/// Why a TIFF structure's orientation is unknown.
std::string why_unknown(std::span<const std::byte> tiff);

/// The stored orientation that an Exif block states, with or without signature. Throws
/// ImageFileError if it cannot be known.
Orientation orientation_of_exif(std::span<const std::byte> block);

/// The block with its orientation set to 1. Throws ImageFileError if that cannot be done.
Bytes upright_exif(std::span<const std::byte> block);

}  // namespace qturn

// What an Exif block says about the orientation and the sizes of its picture, to compare with the
// real ones.

namespace qturn {

struct ExifSays {
  std::optional<Orientation> orientation;
  std::optional<Size> pixels;     ///< PixelXDimension, PixelYDimension
  std::optional<Size> image;      ///< ImageWidth, ImageLength of the first directory
  std::optional<Size> related;    ///< RelatedImageWidth, RelatedImageLength (interoperability)
  std::optional<Size> thumbnail;  ///< of the JPEG, as its own header says
  std::optional<Orientation> thumbnail_orientation;
  std::vector<Position> subjects = {};  ///< SubjectArea and SubjectLocation: their points
  std::string make = {};                ///< of the camera
  bool damaged = false;                 ///< the header or one of these directories is incomplete
};

/// Reads a TIFF structure; what it does not say, or says in a wrong type, is missing.
ExifSays read_exif(std::span<const std::byte> tiff);

// What the fields of a TIFF and of an Exif block say about the picture, by their tags: what a turn
// changes or does not concern, what it makes untrue, and what nobody knows.

/// The directory that a field is in: a page of a TIFF; the first, the second or the Exif directory
/// of an Exif block, and the last of these in a TIFF.
enum class FieldsOf : std::uint8_t { tiff, exif, gps, interoperability };

/// Adds what the field holds that no turn keeps true, or that nobody knows. A MakerNote is neither:
/// the header says that there is one.
void look_at_field(FieldsOf directory, std::uint16_t tag, std::span<const std::byte> value,
                   Header& header);

/// The same for the fields of an Exif block, with or without signature. A directory that is damaged
/// is not looked at.
void look_at_exif(std::span<const std::byte> block, Header& header);

}  // namespace qturn
