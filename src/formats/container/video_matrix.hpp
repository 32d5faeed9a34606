// The video of a motion photo, an MP4 or a QuickTime file among the bytes after a picture, and the
// image sequence of a HEIC or AVIF. A player shows each track of it through the matrix in the
// track's header ('tkhd', ISO/IEC 14496-12, 8.3.2), so a quarter turn is another matrix, and no
// frame is touched. A mirror is not: players obey the rotation alone.
#pragma once

#include <qturn/orientation.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/formats/container/boxes.hpp"

namespace qturn {

/// A track of a movie ("moov") with pictures, also with the alpha or depth of others.
struct PictureTrack {
  Box box;  ///< "trak"
  std::uint64_t matrix_at = 0;
  bool is_auxiliary = false;
  std::uint32_t width = 0, height = 0;  ///< before the turn, with 16 bits after the point
  Orientation shown = Orientation::identity;
  bool moves_back = true;  ///< the matrix moves turned frames back to the origin
};

/// Whether the orientation is a turn by quarters, which is all that players obey.
bool is_rotation(Orientation orientation);

/// What a track ("trak") holds, as the handler of its media says: "vide", "soun". Throws
/// ImageFileError if it does not say so.
std::string_view handler_of(std::span<const std::byte> bytes, const Box& track);

/// Throws ImageFileError if the movie is damaged, or shown by something else than a rotation.
std::vector<PictureTrack> picture_tracks(std::span<const std::byte> bytes, const Box& movie);

/// Turns all of them, or throws as picture_tracks() before anything is changed.
void turn_tracks(std::span<std::byte> bytes, const Box& movie, Orientation rotation);

/// Turns the videos among `bytes`, wherever they begin, as `view` turns the picture as it is seen.
/// One that cannot be turned stays as it was, and `warnings` says why. Returns whether there is
/// any.
bool turn_videos(std::span<std::byte> bytes, Orientation view, std::vector<std::string>& warnings);

/// The warning if there should be a video, and there is none.
inline constexpr const char* not_such_a_video =
    "the video after the picture is not turned: it is not an MP4";

}  // namespace qturn
