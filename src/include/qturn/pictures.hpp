// Whole pictures in memory: the bytes of a file in, the bytes of the turned file out. JPEG, PNG,
// TIFF, WebP, GIF, OpenEXR, BMP, PNM, TGA, Radiance HDR, JPEG 2000, DPX and SGI; HEIC, AVIF and
// JPEG XL, whose pixels are never decoded.
//
// A turn keeps what a file is: its format, how its samples are stored, its colour profile and all
// metadata. A JPEG is turned without loss where that is exact. After a turn all orientation
// metadata of the file is true.
#ifndef QTURN_PICTURES_HPP
#define QTURN_PICTURES_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <qturn/orientation.hpp>

namespace qturn {

/// A file that cannot be read as a picture, or cannot be written as one. The message says why, in a
/// sentence for the user without the file's name.
class ImageFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How a file was made.
enum class Route : std::uint8_t {
  none,       ///< there is no file
  reencoded,  ///< the pixels were decoded, turned and encoded
  planar,     ///< a JPEG was re-encoded from its own planes (Y, Cb, Cr)
  lossless,   ///< turned as it is compressed: a JPEG's coefficients were moved; of a HEIC, AVIF or
              ///< JPEG XL, what all readers obey was changed
  trimmed,    ///< the same, without the edges that do not fill a block
  tagged,     ///< only the orientation tag was changed
  copied,     ///< nothing had to be done
  skipped     ///< left alone, as JpegEdges::skip asks
};

/// Whether pixels were compressed with loss, so that they differ from the source's; and if so,
/// whether an option asked for it or there was no other way.
enum class Loss : std::uint8_t { none, asked_for, unasked };

/// How a JPEG that stays a JPEG is turned. `planar` re-encodes it from its own planes, with its own
/// tables.
enum class JpegMode : std::uint8_t { lossless, planar };

/// What to do if a lossless turn of a JPEG is not exact, because an edge that does not fill a block
/// would move to the left or the top: re-encode it (`planar`), trim the edge, store the turn in the
/// tag, leave the file alone, or fail.
enum class JpegEdges : std::uint8_t { reencode, trim, tag, skip, fail };

/// How a JPEG that stays a JPEG is turned.
struct JpegOptions {
  JpegMode mode = JpegMode::lossless;
  JpegEdges edges = JpegEdges::reencode;
};

/// What a file may ask for. One that asks for more is refused, by name, before anything is decoded,
/// so that no file takes memory and time without bound, however it was made. The defaults are meant
/// to be more than any picture has that was made in good faith. Limits::none switches one off.
struct Limits {
  std::uint64_t pixels = 10'000'000'000;  ///< of all pages
  /// Bytes of decoded pixels for each byte of the file. Counts from ratio_counts_from bytes of
  /// pixels on, because a small blank picture takes nearly no bytes.
  std::uint64_t ratio = 250'000;
  std::uint64_t metadata_bytes = std::uint64_t{64} << 20;  ///< of Exif, XMP, profiles, comments...
  std::uint64_t metadata_count = 250'000;                  ///< segments or chunks without pixels
  std::uint64_t scans = 200;                               ///< of a JPEG; each takes a pass
  /// In a TIFF, these are pages and the pictures below them. In an animation, they are frames.
  std::uint64_t directories = 65'536;

  static constexpr std::uint64_t none = UINT64_MAX;
  static constexpr std::uint64_t ratio_counts_from = std::uint64_t{256} << 20;
};

/// How PNGs are compressed. `fast` takes half the time, and about 7 % more bytes.
enum class PngMode : std::uint8_t { small, fast };

/// The options of turn() and plan_turn().
struct TurnOptions {
  /// The format to write: "jpeg", "png", "tiff", "openexr", "webp", "gif" (of a GIF only), "bmp",
  /// "pnm", "tga", "hdr", "jpeg2000", "dpx" or "sgi". Empty: the source's own.
  std::string format = {};
  /// The suffix of the file's name (".tga"), in any case. It counts only if the content does not
  /// decide: TGA has no signature, and camera raw files, which are refused, look like a TIFF.
  std::string suffix = {};
  JpegOptions jpeg = {};
  /// 1 to 100: how much a picture that becomes a "jpeg" or a "webp" keeps. Nothing: 95 for JPEG,
  /// and a WebP loses nothing.
  std::optional<int> quality = {};
  PngMode png = PngMode::small;
  /// The turn is stored in the tag, and no pixel is moved.
  bool tag_only = false;
  /// Whether a TIFF may be stored in another way if it cannot stay as it is.
  bool allow_storage_change = false;
  /// A HEIC or AVIF whose container says no orientation is stored as its Exif block says. Otherwise
  /// one whose Exif block says another than 1 is not turned: programs show it in two ways.
  bool believe_exif = false;
  /// What the file may ask for.
  Limits limits = {};
};

/// What a turn does, or would do.
struct TurnOutcome {
  Route route = Route::none;
  Loss loss = Loss::none;
  Orientation applied = Orientation::identity;  ///< to the pixels as they are stored
  Size size = {};                               ///< of the result's first page, as stored
  std::string message = {};  ///< why nothing is written, or why a JPEG is re-encoded
  /// Metadata that the result keeps although it is no longer true: map coordinates, regions, sizes
  /// and axes as text. "its map coordinates (GeoTIFF)"
  std::vector<std::string> stale_metadata = {};
  /// Blocks of metadata that the result keeps. qturn does not know whether they depend on the
  /// orientation: "TIFF 65123", "PNG dePt", "XMP http://example.org/depth/".
  std::vector<std::string> kept_unknown = {};
  /// The result keeps a MakerNote, in which only the sizes of Olympus' are turned.
  bool kept_maker_note = false;
};

/// A turned file.
struct Turned {
  std::vector<std::byte> bytes = {};
  TurnOutcome outcome = {};
  /// Sentences for the user about what is unusual, or could not be kept.
  std::vector<std::string> warnings = {};
};

/// Applies `orientation` to a picture as a viewer shows it: the orientation that is stored in the
/// file is applied first. The result is stored upright, unless only its tag is changed.
/// Orientation::identity makes a picture upright.
///
/// `file` is `bytes` bytes, the whole file, and is only read. All pages of a file with several are
/// turned. The whole picture is decoded at least once, so damage is always an error; with
/// TurnOptions::tag_only no pixel is read. If JpegEdges::skip leaves a picture alone, the result is
/// the source, and its pixels are not read either.
///
/// Blocks, works on the calling thread alone, and takes as much memory as plan_turn() says. It has
/// no state, so any number of threads may call it. The same bytes and options give the same result.
///
/// Throws ImageFileError for damage, for what is not supported, for what is beyond
/// TurnOptions::limits, and for what cannot be kept in the format to write; std::invalid_argument
/// for an orientation that is not 1 to 8, a format that is not known, and a quality that is not 1
/// to 100 or has no format to write that takes one; std::bad_alloc.
Turned turn(const void* file, std::size_t bytes, Orientation orientation,
            const TurnOptions& options = {});

/// What turn() would do, from the picture's header alone.
struct TurnPlan {
  TurnOutcome outcome = {};
  std::string format = {};                     ///< of the source: "jpeg"
  Size source = {};                            ///< of the first page, as stored
  Orientation stored = Orientation::identity;  ///< how it must be turned to look upright
  int pages = 1;
  std::uint64_t memory_bytes = 0;  ///< the most that turn() takes besides `file`
  std::string refusal = {};        ///< what turn() would throw, if that is known; otherwise empty
};

/// Plans turn() with the same arguments. No pixel is decoded, so damage in them is not seen. Throws
/// as turn() if not even the header can be read.
TurnPlan plan_turn(const void* file, std::size_t bytes, Orientation orientation,
                   const TurnOptions& options = {});

}  // namespace qturn

#endif  // QTURN_PICTURES_HPP
