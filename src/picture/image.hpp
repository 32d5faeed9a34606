// A picture in memory: what its header tells, and, decoded, pages of pixels with everything else
// in the file, which the encoder gets unchanged.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <qturn/orientation.hpp>
#include <qturn/view.hpp>

#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"

namespace qturn {

// What a file's header tells before a pixel is decoded.

/// Metadata that says something of pixels by their places, and that the turn leaves as it is: once
/// they have moved, it is stale.
struct PlacedMetadata {
  std::string name;              ///< "its map coordinates (RPC)"
  bool needs_axes_swap = false;  ///< only a turn that exchanges the axes makes it stale
  bool is_converted = false;     ///< other formats get it, too
  bool is_turned = false;        ///< in its own format, so that only other formats have it stale
  bool is_of_bytes = false;      ///< another tag makes it stale as well: it signs the file
};

/// C2PA's manifest: its signature no longer holds.
inline PlacedMetadata signed_manifest() {
  return {.name = "its signed manifest (C2PA)", .is_of_bytes = true};
}

struct Header {
  std::int64_t width = 0;  ///< of the first page, as stored
  std::int64_t height = 0;
  int pages = 1;
  Orientation stored = Orientation::identity;
  /// Some of its pages are stored in another orientation than the first one, which `stored` is.
  bool pages_differ = false;
  std::uint64_t pixels_total = 0;       ///< of all pages
  std::uint64_t pixel_bytes_total = 0;  ///< of all pages, decoded
  /// The same as another format gets them, if it gets other bytes; else 0.
  std::uint64_t shown_bytes_total = 0;
  std::uint64_t decoding_bytes = 0;  ///< the most that decode() takes besides the file and pixels
  /// The most that encode() and finish() take besides turned pixels, for the format itself. The
  /// result counts.
  std::uint64_t encoding_bytes = 0;
  /// Why writing this picture in its own format changes how it is stored ("palette becomes RGB");
  /// empty if it does not.
  std::string storage_change;
  /// `storage_change` needs the user's permission (TIFF).
  bool changes_only_if_allowed = false;
  /// Encoding the pixels in their own format loses some of what they say (a lossy WebP).
  bool lossy = false;
  std::vector<PlacedMetadata> placed;
  /// Blocks with content that qturn does not know: "TIFF 65123", "PNG dePt". They are kept, and
  /// may depend on the orientation.
  std::vector<std::string> unknown;
  bool has_maker_note = false;  ///< which may say anything, and is kept
  /// What is unusual about the file, in sentences for the user, whatever is done with it.
  std::vector<std::string> faults;
  /// Why programs do not agree on how it is shown: it is not turned. Empty: they agree.
  std::string doubt;
  /// How programs that believe its Exif block show it, if that is what programs do not agree on.
  std::optional<Orientation> doubted;
  /// It carries an orientation that does not count, and that contradicts `stored`. A reader that
  /// looks only there would turn the picture once more, so even an upright picture is not just
  /// copied.
  bool has_ignored_tag = false;

  Size size() const { return {width, height}; }
};

/// The header of a picture of one page.
inline Header header_of_size(Size size) {
  Header header;
  header.width = size.width;
  header.height = size.height;
  header.pixels_total =
      static_cast<std::uint64_t>(size.width) * static_cast<std::uint64_t>(size.height);
  return header;
}

/// Each once.
inline void add_placed(PlacedMetadata placed, Header& header) {
  for (const PlacedMetadata& each : header.placed)
    if (each.name == placed.name) return;
  header.placed.push_back(std::move(placed));
}

/// Each once.
inline void add_unknown(std::string name, Header& header) {
  if (std::ranges::find(header.unknown, name) == header.unknown.end())
    header.unknown.push_back(std::move(name));
}

struct Codec;

enum class SampleFormat : std::uint8_t { u8, u16, u32, f16, f32, f64 };

/// Bytes of one sample: 1, 2, 4, 2, 4, 8.
constexpr int sample_bytes(SampleFormat type) {
  constexpr int bytes[] = {1, 2, 4, 2, 4, 8};
  return bytes[static_cast<int>(type)];
}

/// One page: interleaved samples, rows top to bottom without padding, in memory that a PixelArena
/// owns.
struct Page {
  void* pixels = nullptr;
  std::int64_t width = 0;
  std::int64_t height = 0;
  int channels = 0;
  SampleFormat type = SampleFormat::u8;
  /// Applied before what all pages get: the pages of a TIFF may be stored in different
  /// orientations. Of a turned page, the identity.
  Orientation ahead = Orientation::identity;

  int pixel_bytes() const { return channels * sample_bytes(type); }
  std::int64_t row_bytes() const { return width * pixel_bytes(); }
  std::size_t bytes() const {
    return static_cast<std::size_t>(row_bytes()) * static_cast<std::size_t>(height);
  }
  View view() const { return {pixels, width, height, row_bytes(), pixel_bytes()}; }
};

/// Pixels per metre.
struct Resolution {
  double x = 0, y = 0;
};

/// Metadata that other formats can hold too, in the bytes that all formats use for it.
struct Metadata {
  Bytes icc;        ///< an ICC profile
  Bytes exif;       ///< a TIFF structure, without "Exif\0\0", its orientation set to 1
  std::string xmp;  ///< an XMP packet
  std::string comment;
  std::optional<Resolution> resolution = {};
};

/// What the samples of a picture mean, as far as it decides which other format can hold them.
struct Meaning {
  enum class Alpha : std::uint8_t { none, unassociated, associated };
  Alpha alpha = Alpha::none;
  int alpha_channel = -1;
  std::string refusal;   ///< why it cannot be written at all; empty: it can be
  bool is_cmyk = false;  ///< four channels of ink
};

/// What a second or a fourth channel means unless a file says otherwise: an alpha that colours are
/// not multiplied by.
inline Meaning meaning_of_channels(int channels) {
  if (channels != 2 && channels != 4) return {};
  return {.alpha = Meaning::Alpha::unassociated, .alpha_channel = channels - 1, .refusal = {}};
}

/// What a codec keeps of a file besides its pixels. The part of one format (tables, tags, chunks)
/// is in a derived type that only its codec reads.
struct Extras {
  Metadata metadata;               ///< for an encoder of another format
  std::optional<Meaning> meaning;  ///< likewise; else what its channels mean
  virtual ~Extras() = default;
  virtual std::shared_ptr<Extras> copy() const { return std::make_shared<Extras>(*this); }
};

/// A decoded file. Copying it copies neither pixels nor extras.
struct Image {
  const Codec* format = nullptr;               ///< what it was read by; null: it comes from no file
  Orientation stored = Orientation::identity;  ///< how the first page is turned to look upright
  std::vector<Page> pages;                     ///< at least one
  /// The canvas of an animation: the area that its frames, the pages, lie in, as it is stored
  /// before any turn. A picture that is not an animation has none; its first page says the size.
  std::optional<Size> canvas = std::nullopt;
  std::shared_ptr<const Extras> extras = nullptr;
  std::optional<int> quality = std::nullopt;  ///< 1 to 100, for a lossy encoder; else its own
  bool prefers_speed = false;  ///< an encoder that has the choice is faster, and its file larger
};

}  // namespace qturn
