#include "src/formats/container/video_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "src/formats/container/boxes.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"

namespace qturn {
namespace {

// A point (p, q) of a frame is shown at (p, q, 1) times three rows of three numbers. The first two
// of a row have 16 bits after the point, the third has 30.
constexpr std::size_t number_bytes = 4;
using Matrix = std::array<std::uint32_t, 9>;

constexpr std::array rotations = {Orientation::identity, Orientation::rotate90,
                                  Orientation::rotate180, Orientation::rotate270};

// `width` and `height`, with 16 bits after the point, are the track's before it is turned.
// Android's writer leaves out what moves the turned frames back to the origin.
Matrix matrix_of(Orientation rotation, std::uint32_t width, std::uint32_t height, bool moves_back) {
  const Reading reads = qturn::reading(rotation);
  const auto factor = [](bool is_reversed) { return is_reversed ? 0xFFFF0000U : 0x00010000U; };
  const std::uint32_t p = factor(reads.from_right), q = factor(reads.from_bottom);
  const std::uint32_t from_right = moves_back && reads.from_right ? width : 0;
  const std::uint32_t from_bottom = moves_back && reads.from_bottom ? height : 0;
  constexpr std::uint32_t last = 0x40000000;
  if (reads.swap_axes) return {0, p, 0, q, 0, 0, from_bottom, from_right, last};
  return {p, 0, 0, 0, q, 0, from_right, from_bottom, last};
}

struct OddMatrix : ImageFileError {
  OddMatrix() : ImageFileError("its matrix is not a turn by quarters") {}
};

// The header ("moov") of a video that begins there. After its boxes, which end at `end`, anything
// may follow.
std::optional<Box> find_movie(std::span<const std::byte> bytes, std::uint64_t begin,
                              std::uint64_t& end) {
  std::optional<Box> found;
  try {
    for_each_box(bytes, begin, bytes.size(), [&](const Box& box) {
      end = box.end;
      if (!found && box.type == "moov") found = box;
    });
  } catch (const ImageFileError&) {
    return found;
  }
  return found;
}

Matrix read_matrix(BoxReader& reader) {
  Matrix matrix;
  for (std::uint32_t& number : matrix) {
    number = static_cast<std::uint32_t>(reader.number(number_bytes));
  }
  return matrix;
}

// Times and a number, of 4 bytes or 8, which both headers begin with.
void skip_times(BoxReader& reader) { reader.characters(reader.version().version == 0 ? 16 : 28); }

// It has a matrix for all tracks, which is applied after their own.
void expect_no_turn_of_all(std::span<const std::byte> bytes, const Box& movie_header) {
  BoxReader reader(bytes, movie_header);
  skip_times(reader);
  reader.characters(16);  // rate, volume
  if (read_matrix(reader) != matrix_of(Orientation::identity, 0, 0, true)) throw OddMatrix();
}

// Nothing: the track has no pictures.
std::optional<PictureTrack> read_track(std::span<const std::byte> bytes, const Box& box) {
  const auto header = find_box(bytes, box.content, box.end, "tkhd");
  if (!header) throw ImageFileError("damaged: a track of the video");
  const std::string_view type = handler_of(bytes, box);
  if (type != "vide" && type != "pict" && type != "auxv") return std::nullopt;
  BoxReader reader(bytes, *header);
  skip_times(reader);
  reader.characters(20);  // the rest of its duration, layer, group, volume
  PictureTrack track{.box = box, .matrix_at = reader.at(), .is_auxiliary = type == "auxv"};
  const Matrix matrix = read_matrix(reader);
  track.width = static_cast<std::uint32_t>(reader.number(number_bytes));
  track.height = static_cast<std::uint32_t>(reader.number(number_bytes));
  for (const bool moves_back : {true, false}) {
    for (const Orientation each : rotations) {
      if (matrix != matrix_of(each, track.width, track.height, moves_back)) continue;
      track.shown = each;
      track.moves_back = moves_back;
      return track;
    }
  }
  throw OddMatrix();
}

}  // namespace

bool is_rotation(Orientation orientation) { return std::ranges::count(rotations, orientation) > 0; }

std::string_view handler_of(std::span<const std::byte> bytes, const Box& track) {
  const auto media = find_box(bytes, track.content, track.end, "mdia");
  const auto handler = media ? find_box(bytes, media->content, media->end, "hdlr") : std::nullopt;
  if (!handler) throw ImageFileError("damaged: a track of the video");
  BoxReader reader(bytes, *handler);
  reader.characters(8);
  return reader.characters(4);
}

std::vector<PictureTrack> picture_tracks(std::span<const std::byte> bytes, const Box& movie) {
  std::vector<PictureTrack> tracks;
  try {
    for_each_box(bytes, movie.content, movie.end, [&](const Box& box) {
      if (box.type == "mvhd") expect_no_turn_of_all(bytes, box);
      if (box.type != "trak") return;
      if (const auto track = read_track(bytes, box)) tracks.push_back(*track);
    });
  } catch (const OddMatrix&) {
    throw;
  } catch (const ImageFileError&) {
    throw ImageFileError("its header is damaged");
  }
  return tracks;
}

void turn_tracks(std::span<std::byte> bytes, const Box& movie, Orientation rotation) {
  for (const PictureTrack& track : picture_tracks(bytes, movie)) {
    const Matrix matrix =
        matrix_of(compose(track.shown, rotation), track.width, track.height, track.moves_back);
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      put_big_endian(bytes, track.matrix_at + number_bytes * i, number_bytes, matrix[i]);
    }
  }
}

bool turn_videos(std::span<std::byte> bytes, Orientation view, std::vector<std::string>& warnings) {
  const std::string_view text = text_of(bytes);
  bool any = false;
  constexpr std::size_t type_at = 4;
  for (std::size_t at = text.find("ftyp", type_at); at != std::string_view::npos;) {
    std::uint64_t end = at + type_at;
    const auto movie = find_movie(bytes, at - type_at, end);
    any |= movie.has_value();
    if (movie && view != Orientation::identity) {
      try {
        if (!is_rotation(view)) throw ImageFileError("players do not mirror videos");
        turn_tracks(bytes, *movie, view);
      } catch (const ImageFileError& error) {
        warnings.push_back(
            fmt::format("the video after the picture is not turned: {}", error.what()));
      }
    }
    at = text.find("ftyp", end);
  }
  return any;
}

}  // namespace qturn
