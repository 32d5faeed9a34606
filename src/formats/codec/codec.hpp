// What the program knows about a file format: one row of the table in src/formats/table.cpp,
// exported by the folder of the format. Nothing outside of that folder asks which format a row is.
//
// Codecs work on memory. src/files reads and writes files safely.
#pragma once

#include <qturn/orientation.hpp>
#include <qturn/pictures.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/formats/codec/compressed_turn.hpp"
#include "src/formats/codec/file_part.hpp"
#include "src/formats/codec/jpeg_device.hpp"
#include "src/metadata/metadata_check.hpp"
#include "src/metadata/metadata_turn.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/image.hpp"
#include "src/picture/pixel_arena.hpp"

namespace qturn {

/// What the samples are decoded for: the same format, which can keep everything that the file
/// stores (palettes, samples of a few bits), or another one.
enum class Samples : bool { as_stored, for_another_format };

/// A format, known by its address: a row is never copied. Functions may be null only where the
/// comment says so.
struct Codec {
  /// "jpeg": what `--format` takes and messages say.
  std::string_view name;
  std::string_view alias = {};  ///< that `--format` takes too ("jpg"); may be empty
  /// ".jpg", ".jpeg"...: in lower case, the one of converted files first, then empty ones.
  std::array<std::string_view, 25> suffixes;

  /// Whether a file that begins with `head` has this format. `lower_suffix` counts only where the
  /// content cannot tell.
  bool (*recognises)(std::span<const std::byte> head, std::string_view lower_suffix);

  /// Counts what the file asks for, before any of it is in memory. Throws LimitError;
  /// ImageFileError as read_header. Null: the header tells all that counts.
  void (*check_limits)(std::span<const std::byte> file, const Limits& limits) = nullptr;

  /// Reads the header. Throws ImageFileError for damage and for what is refused by name (deep
  /// EXR, a palette of JPEG 2000...).
  Header (*read_header)(std::span<const std::byte> file);

  /// Decodes all pages into `arena`. Null: pixels are never decoded, and no other format is made of
  /// this one. Then encode() is null too.
  ///
  /// Throws ImageFileError for any damage, also where the library would return a partly grey
  /// picture; Interrupted when `stop` is raised. `warnings` receives sentences for the user about
  /// what is unusual but lost nothing.
  Image (*decode)(std::span<const std::byte> file, Samples samples, PixelArena& arena,
                  const std::atomic<bool>& stop, std::vector<std::string>& warnings) = nullptr;

  /// Does what decode() does for the same format, by another library, so that a fault of either
  /// shows. Null: there is none.
  Image (*decode_otherwise)(std::span<const std::byte> file, PixelArena& arena,
                            const std::atomic<bool>& stop) = nullptr;

  /// Decodes the first page for a caller who wants no more than pixels: besides them only the
  /// orientation is looked at. Checks the limits, too. Throws LimitError, and as decode(). Null:
  /// decode() for another format does it, once the limits are checked.
  Image (*decode_pixels)(std::span<const std::byte> file, const Limits& limits, PixelArena& arena,
                         const std::atomic<bool>& stop) = nullptr;

  /// What a device has to know to make the same pixels. Nothing: it cannot, and decode_pixels()
  /// says what is wrong if anything is. Null: no device knows the format.
  std::optional<JpegToDecode> (*device_decoding)(std::span<const std::byte> file,
                                                 const Limits& limits) = nullptr;

  /// Encodes `image`: a decoded one whose pages were replaced by turned ones. `applied` is the
  /// orientation that was applied to the pages as they are stored (so an axis swap also swaps
  /// subsampling, tables, tile sizes); the result is tagged upright.
  ///
  /// The image may come from another format, its metadata turned already. Throws ImageFileError
  /// when this one cannot hold it. Null: pictures are only read.
  Bytes (*encode)(const Image& image, Orientation applied, const std::atomic<bool>& stop,
                  std::vector<std::string>& warnings) = nullptr;

  bool is_lossy = false;       ///< encode() loses some of what pixels say
  bool takes_quality = false;  ///< and does so as Image::quality says, if there is one

  /// Memory that encode() takes besides the pixels and the result.
  std::uint64_t encoding_bytes_per_pixel = 0;

  /// Whether encode() keeps the colour profile, Exif and XMP of another format.
  bool keeps_metadata = false;

  /// The last step after encode() of a picture of the same format: makes the orientation metadata
  /// agree with the turned pixels. Null: there is none, or encode() has done it.
  Bytes (*finish)(Bytes encoded, const MetadataTurn& turn,
                  std::vector<std::string>& warnings) = nullptr;

  /// The same file with the orientation `tag` everywhere and the same pixels. Throws ImageFileError
  /// if a place for it is damaged. Null: the format has no place for an orientation.
  Bytes (*retag)(std::span<const std::byte> file, Orientation tag, MissingTag missing,
                 const TurnEmbedded& turn_embedded, std::vector<std::string>& warnings) = nullptr;

  /// Begins to turn a file as it is compressed, wherever it keeps its format. The result must not
  /// outlive the file. Null: pixels are always decoded. Throws as check_limits() and read_header().
  std::unique_ptr<CompressedTurn> (*turn_compressed)(std::span<const std::byte> file,
                                                     const JpegOptions& options,
                                                     const Limits& limits) = nullptr;

  /// Turns a file of this format inside another one. Its own metadata stays as it was, except for
  /// the orientation, which becomes 1. Null: no such file is expected to be of this format.
  Bytes (*turn_embedded)(std::span<const std::byte> file, Orientation orientation) = nullptr;

  /// Compares the orientation metadata of `file`, whose header was read, with the header and with
  /// each other, and looks for trailing data. Reads no pixels. Null: there is nothing to look at.
  void (*check)(std::span<const std::byte> file, MetadataCheck& check) = nullptr;

  /// What `file` holds, in order, each part as it must be after `applied`. The parts of the result
  /// are asked for with the identity. What no turn keeps is left out. Throws as read_header.
  std::vector<FilePart> (*parts)(std::span<const std::byte> file, Orientation applied) = nullptr;

  /// Does what read_header does, for a damaged file that salvage() can read. Null: read_header
  /// reads it.
  Header (*read_damaged_header)(std::span<const std::byte> file) = nullptr;

  /// Decodes what can be had of a damaged file, as for another format; the rest is grey or zero.
  /// The image comes from no format: it is encoded as one that was converted. `warnings` receives
  /// how much is there. Throws ImageFileError if nothing is; Interrupted. Null: nothing is
  /// salvaged.
  Image (*salvage)(std::span<const std::byte> file, PixelArena& arena,
                   const std::atomic<bool>& stop, std::vector<std::string>& warnings) = nullptr;

  /// Its files are pictures only for who asks for them (--raw).
  bool only_if_asked = false;

  /// Its files belong to pictures, as masks do: they are pictures only where there are no others,
  /// and none is made of another format.
  bool is_array = false;

  /// "libjpeg-turbo 2.1.5": the library that it goes through. Null: none.
  std::string (*library_version)() = nullptr;

  struct NotCopied {
    constexpr NotCopied() = default;
    NotCopied(const NotCopied&) = delete;
  };
  NotCopied not_copied = {};
};

// What a format can hold of a picture that comes from another one.

/// Sets of types, a bit each.
constexpr unsigned bit_of(SampleFormat type) { return 1U << static_cast<unsigned>(type); }
inline constexpr unsigned any_samples = ~0U;

struct Capacity {
  bool pages = false;  ///< several
  unsigned samples = any_samples;
  bool (*channels)(int count, Meaning::Alpha alpha);
};

/// What `image` means where it says so, else what its channels mean.
Meaning meaning_of(const Image& image);

/// Throws ImageFileError if the format `name` cannot hold the pages and samples of `image`, which
/// comes from another one, as they are.
void check_fits(const Image& image, std::string_view name, const Capacity& capacity);

}  // namespace qturn
