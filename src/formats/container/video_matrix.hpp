// The video of a motion photo: an MP4 or a QuickTime file among the bytes after a picture. A player
// shows each track of it through the matrix in the track's header ('tkhd', ISO/IEC 14496-12,
// 8.3.2), so a quarter turn is another matrix, and no frame is touched. A mirror is not: players
// obey the rotation alone.
#ifndef QTURN_SRC_FORMATS_CONTAINER_VIDEO_MATRIX_HPP
#define QTURN_SRC_FORMATS_CONTAINER_VIDEO_MATRIX_HPP

#include <qturn/orientation.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace qturn {

/// Turns the videos among `bytes`, wherever they begin, as `view` turns the picture as it is seen.
/// One that cannot be turned stays as it was, and `warnings` says why. Returns whether there is
/// any.
bool turn_videos(std::span<std::byte> bytes, Orientation view, std::vector<std::string>& warnings);

/// The warning for what should be a video, where there is none of these.
inline constexpr const char* not_such_a_video =
    "the video after the picture is not turned: it is not an MP4";

}  // namespace qturn

#endif  // QTURN_SRC_FORMATS_CONTAINER_VIDEO_MATRIX_HPP
