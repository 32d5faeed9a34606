// Compressed bytes to pixels and back. Codecs work on memory: reading and writing files safely is
// safe_file's business.
//
// JPEG goes through libjpeg-turbo (jpeg/), PNG through libdeflate (png/), TIFF that stays one
// through libtiff (tiff/), most others through OpenImageIO (oiio/); this interface chooses between
// them and is all that the pipeline sees.
#ifndef QTURN_SRC_FORMATS_CODEC_HPP
#define QTURN_SRC_FORMATS_CODEC_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/carriers/exif_turn.hpp"
#include "src/formats/image.hpp"
#include "src/formats/pixel_arena.hpp"

namespace qturn {

using Bytes = std::vector<std::byte>;

/// What a header tells before a pixel is decoded.
struct Header {
  std::int64_t width = 0;  ///< of the first page, as stored
  std::int64_t height = 0;
  int pages = 1;
  Orientation stored = Orientation::identity;
  std::uint64_t pixel_bytes_total = 0;  ///< of all pages, decoded
  std::uint64_t working_bytes = 0;      ///< what decoder and encoder need besides, at the most
  /// Why writing this picture in its own format changes how it is stored ("palette becomes RGB");
  /// empty if it does not.
  std::string storage_change;
  /// Such a change is made only where the user allowed it (TIFF).
  bool changes_only_if_allowed = false;
};

/// Reads the header. Throws ImageFileError for damage and for what is refused by name (animation,
/// deep EXR...).
Header read_header(std::span<const std::byte> file, Format format);

/// Decodes all pages into `arena`. `target` is the format that encode() will be asked for: what can
/// only be kept in the picture's own format is then an error or a warning; a PNG or a TIFF that
/// stays one has the samples that it stores.
///
/// Throws ImageFileError for any damage, also where the library would return a partly grey picture;
/// Interrupted when `stop` is raised. `warnings` receives sentences for the user about what is
/// unusual but lost nothing.
Image decode(std::span<const std::byte> file, Format format, Format target, PixelArena& arena,
             const std::atomic<bool>& stop, std::vector<std::string>& warnings);

/// Encodes `image`: a decoded one whose pages were replaced by turned ones. `applied` is the
/// orientation that was applied to the pages as they are stored (so an axis swap also swaps
/// subsampling, tables, tile sizes); the result is tagged upright.
///
/// Throws ImageFileError when the format cannot hold the picture (`--format` from four channels of
/// float to jpeg, say).
Bytes encode(const Image& image, Orientation applied, Format target, const std::atomic<bool>& stop,
             std::vector<std::string>& warnings);

/// The last step after encode() to the picture's own format, which is not JPEG (jpeg/carriers.hpp):
/// what says how the picture is oriented, or depends on it, is made to agree with the turned
/// pixels. `stored` is the orientation of the source, `size` that of the turned picture.
Bytes finish(Bytes encoded, Format format, Orientation stored, Orientation applied, Size size,
             std::vector<std::string>& warnings);

/// The same file with another orientation in every carrier, no pixel of it touched; nothing where
/// the format has no place for it. Throws ImageFileError where a place that it has is damaged.
std::optional<Bytes> retag(std::span<const std::byte> file, Format format, Orientation tag,
                           MissingTag missing, std::vector<std::string>& warnings);

/// "libjpeg-turbo 2.1.5, libdeflate 1.14, libtiff 4.5.0, OpenImageIO 2.4.7.1": for --version.
std::string codec_versions();

}  // namespace qturn

#endif  // QTURN_SRC_FORMATS_CODEC_HPP
