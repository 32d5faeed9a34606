// The image sequence of a HEIC or AVIF: a movie, whose tracks are shown through the matrix in their
// headers (container/video_matrix.hpp).
//
// libavif, and the browsers with it, ignore the matrix and obey irot and imir in the description of
// AV1's samples, though no standard says so; other readers know the matrix alone. So a turn writes
// both, and a sequence in which they differ is in doubt.
#pragma once

#include <qturn/orientation.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/formats/container/boxes.hpp"
#include "src/formats/container/video_matrix.hpp"
#include "src/picture/bytes.hpp"

namespace qturn::heif {

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

}  // namespace qturn::heif
