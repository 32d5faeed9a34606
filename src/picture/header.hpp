// What a file's header tells before a pixel is decoded.
#pragma once

#include <qturn/orientation.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace qturn {

/// Metadata that says something of pixels by their places, and that the turn leaves as it is: once
/// they have moved, it is stale.
struct PlacedMetadata {
  std::string name;              ///< "its map coordinates (RPC)"
  bool needs_axes_swap = false;  ///< only a turn that exchanges the axes makes it stale
  bool is_converted = false;     ///< other formats get it, too
  bool is_turned = false;        ///< in its own format, so that only other formats have it stale
  bool is_of_bytes = false;      ///< another tag makes it stale as well: it signs the file
};

/// C2PA's, of which the signature no longer holds.
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
  /// The same, as another format gets them, if those are other bytes; else 0.
  std::uint64_t shown_bytes_total = 0;
  std::uint64_t decoding_bytes = 0;  ///< the most that decode() takes besides the file and pixels
  /// The most that encode() and finish() take besides turned pixels, for the format itself. The
  /// result counts.
  std::uint64_t encoding_bytes = 0;
  /// Why writing this picture in its own format changes how it is stored ("palette becomes RGB");
  /// empty if it does not.
  std::string storage_change;
  /// Such a change is made only if the user permits it (TIFF).
  bool changes_only_if_allowed = false;
  /// Encoding the pixels in their own format loses some of what they say (a lossy WebP).
  bool lossy = false;
  std::vector<PlacedMetadata> placed;
  /// What is unusual about the file, in sentences for the user, whatever is done with it.
  std::vector<std::string> faults;
  /// Why programs do not agree on how it is shown: it is not turned. Empty: they agree.
  std::string doubt;
  /// How those show it that believe its Exif block, if that is what they do not agree on.
  std::optional<Orientation> doubted;
  /// It carries an orientation that does not count, and that contradicts the one that does. What
  /// looks only there would turn the picture once more, so even an upright one is not just copied.
  bool has_ignored_tag = false;

  Size size() const { return {width, height}; }
};

/// Of a picture of one page.
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

}  // namespace qturn
