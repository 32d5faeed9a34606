// The container of HEIC and AVIF, ISO/IEC 23008-12: what items it has, what belongs to them and
// where their bytes lie.
//
// An image item has properties, in an order: descriptive ones, and those that change what is shown:
// clap (crops), irot (turns) and imir (mirrors). A reader applies these in that order. So a turn is
// a change of irot and imir: the compressed pixels stay where they are, byte for byte.
//
// The picture as it is shown is the upright one here (Header::stored is the identity). An Exif
// orientation says nothing where irot or imir speak: readers ignore it.
#pragma once

#include <qturn/orientation.hpp>
#include <qturn/pictures.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/formats/container/boxes.hpp"
#include "src/formats/container/container_turn.hpp"
#include "src/formats/container/video_matrix.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/file_limits.hpp"

namespace qturn::heif {

// The image sequence: a movie, whose tracks are shown through the matrix in their headers
// (container/video_matrix.hpp).
//
// libavif, and the browsers with it, ignore the matrix and obey irot and imir in the description of
// AV1's samples, though no standard says so; other readers know the matrix alone. So a turn writes
// both, and a sequence in which they differ is in doubt.

struct Sequence {
  std::vector<PictureTrack> tracks;  ///< at least one
  /// Why readers do not agree on how it is shown; empty if they do.
  std::string doubt;

  Size shown_size() const;
};

/// Throws ImageFileError for damage, for what is not a turn by quarters, and for a movie without
/// pictures.
Sequence read_sequence(std::span<const std::byte> file, const Box& movie);

/// The movie after the turn, a rotation. The places that it states are as they were.
Bytes turned_movie(std::span<const std::byte> file, const Box& movie, Orientation rotation);

/// Boxes of a file that others take the place of: what lies after them moves.
class Moves {
 public:
  void add(const Box& box, std::size_t new_size) {
    boxes_.emplace_back(
        box, static_cast<std::int64_t>(new_size) - static_cast<std::int64_t>(box.end - box.begin));
  }
  /// How far a byte moves.
  std::int64_t by(std::uint64_t at) const;
  bool hit(std::uint64_t at, std::uint64_t length) const;

  /// Adds by(at) to the number at `number_at` of `bytes`, which is `offset`. Throws ImageFileError
  /// if it has no room.
  static void put(std::span<std::byte> bytes, std::uint64_t number_at, std::size_t number_bytes,
                  std::uint64_t offset, std::int64_t by);

 private:
  std::vector<std::pair<Box, std::int64_t>> boxes_;
};

/// Moves the places that a movie from turned_movie() states, of its samples and of the items in it.
void move_places(std::span<std::byte> movie, const Moves& moves);

/// What each track of pictures begins its chunks with, up to eight bytes of each.
std::vector<Bytes> beginnings_of_chunks(std::span<const std::byte> file, const Box& movie);

// The items.

/// Where some of an item's bytes lie.
struct HeifExtent {
  std::uint64_t offset = 0, length = 0;
  std::uint64_t offset_at = 0;  ///< where the file says that
};

struct HeifLocation {
  enum Method : std::uint8_t { in_file = 0, in_idat = 1, in_item = 2 };
  unsigned method = in_file;
  std::uint64_t base = 0;  ///< what the offsets count from
  std::uint64_t base_at = 0;
  std::vector<HeifExtent> extents;
};

/// A table of them ("iloc").
struct HeifLocations {
  std::size_t offset_bytes = 0, base_bytes = 0;  ///< of its numbers
  std::vector<std::pair<std::uint32_t, HeifLocation>> items;
};
HeifLocations read_locations(std::span<const std::byte> file, const Box& box);

/// Moves the places that the table, in `bytes`, states of the file. Throws ImageFileError if they
/// cannot be stated, or if an item lies in what moves.
void move_locations(std::span<std::byte> bytes, const Box& table, const Moves& moves);

/// A property of an item, by its number in the list of all, which counts from 1.
struct HeifAssociation {
  std::uint16_t property = 0;
  bool is_essential = false;
};

struct HeifItem {
  std::string_view type;          ///< "hvc1", "grid", "Exif"...
  std::string_view content_type;  ///< of a "mime"
  bool is_encoded = false;        ///< the content of a "mime" is compressed
  bool is_hidden = false;
  std::optional<HeifLocation> location;
  std::vector<HeifAssociation> properties;
};

struct HeifReference {
  std::string_view type;  ///< "thmb": `from` is a thumbnail of `to`
  std::uint32_t from = 0;
  std::vector<std::uint32_t> to;
};

struct HeifGroup {
  std::string_view type;  ///< "altr"...
  std::vector<std::uint32_t> items;
};

/// A file, read as far as its container goes. The file must outlive it.
struct HeifFile {
  /// Throws ImageFileError for damage, also where an item's bytes or the parts of a grid are
  /// missing; LimitError.
  HeifFile(std::span<const std::byte> source, const Limits& limits);

  std::span<const std::byte> file;
  /// "meta" and "iprp", without a type in an image sequence that has no still picture.
  Box meta, properties;
  std::optional<Box> locations, data;       ///< "iloc" and "idat"
  std::optional<Box> movie;                 ///< "moov", an image sequence
  bool has_manifest = false;                ///< a signed one (C2PA)
  std::uint32_t primary = 0;                ///< the picture that is shown
  std::map<std::uint32_t, HeifItem> items;  ///< by their numbers
  /// The properties of what the list of items does not name, such as groups.
  std::map<std::uint32_t, std::vector<HeifAssociation>> other_properties;
  std::vector<Box> property_list;  ///< all of them
  std::vector<HeifReference> references;
  std::vector<HeifGroup> groups;

  bool has_picture() const { return !meta.type.empty(); }
  const HeifItem& item(std::uint32_t number) const;
  const Box& property(const HeifAssociation& association) const {
    return property_list[association.property - 1U];
  }
  /// The property's content, if the item has one of the type.
  std::optional<std::span<const std::byte>> find(const HeifItem& item, std::string_view type) const;

  /// The bytes of an item that is not made of others; nothing if they are not in this file.
  std::optional<Bytes> content(const HeifItem& item) const;
  /// Where they lie, piece by piece.
  std::vector<std::span<const std::byte>> pieces(const HeifItem& item) const;

 private:
  void read_meta(const Limits& limits, MetadataCount& counted);
  void read_items(const Box& box);
  void read_item(const Box& box);
  void take_locations(const Box& box);
  void read_references(const Box& box);
  void read_groups(const Box& box);
  void read_properties(const Box& box);
  void read_associations(const Box& box);
  void check_extents() const;
  void check_parts() const;
};

/// What the box of a property that turns or mirrors says.
struct Step {
  std::string_view type;
  unsigned value;
};

/// The orientation as a turn to the left, and then a mirroring.
std::vector<Step> steps_of(Orientation orientation);
Orientation orientation_of_step(std::span<const std::byte> file, const Box& box);

/// How irot and imir turn an item, after all else. Throws ImageFileError if it is cropped later, or
/// scaled as well.
Orientation shown_orientation(const HeifFile& heif, const HeifItem& item);

/// Throws ImageFileError for an item that is scaled by a property.
void refuse_scaled(const HeifFile& heif, const HeifItem& item);

/// The size of an item as it is shown.
Size shown_size(const HeifFile& heif, const HeifItem& item);

/// Whether the item states its turn, even if that is none.
bool says_turn(const HeifFile& heif, const HeifItem& item);

/// What Exif says of a file whose container says no orientation, nor that there is none. The
/// standard lets the container decide (ISO/IEC 23000-22, 7.3.10.1: Exif should say none), and most
/// readers do, but Apple's follow Exif there, and writers have counted on it. Nothing: there is no
/// doubt.
std::optional<Orientation> doubted_orientation(const HeifFile& heif);

/// What the Exif and XMP of the file say.
std::vector<IgnoredOrientation> ignored_orientations(const HeifFile& heif);

/// Whether it may hold the video of a motion photo: the video has a box of its own, or lies in the
/// box of Samsung's other data.
inline bool may_hold_video(const Box& box) { return box.type == "mpvd" || box.type == "sefd"; }

bool is_heif_exif(const HeifItem& item);
bool is_heif_xmp(const HeifItem& item);

/// Whether its main picture is one of a stereo pair.
bool is_stereo(const HeifFile& heif);

/// The file, shown turned, with the orientation of Exif and XMP set to 1.
///
/// Turned are the primary picture and all that is shown in its place or with it: thumbnails, alpha,
/// depth, gain maps, alternatives, the other one of a stereo pair, and an image sequence, which
/// only rotations turn. Throws ImageFileError if these cannot be told apart from others.
Bytes turned_heif(const HeifFile& heif, Orientation orientation,
                  std::vector<std::string>& warnings);

}  // namespace qturn::heif
