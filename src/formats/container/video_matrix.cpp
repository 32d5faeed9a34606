#include "src/formats/container/video_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "src/formats/container/boxes.hpp"
#include "src/picture/endian.hpp"
#include "src/picture/errors.hpp"

namespace qturn {
namespace {

// A point (p, q) of a frame is shown at (p, q, 1) times three rows of three numbers. The first two
// of a row have 16 bits after the point, the third has 30.
constexpr std::size_t number_bytes = 4;
using Matrix = std::array<std::uint32_t, 9>;

constexpr std::array rotations = {Orientation::identity, Orientation::rotate90,
                                  Orientation::rotate180, Orientation::rotate270};

// `width` and `height`, with 16 bits after the point, are those of the track before it is turned.
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

class VideoTurn {
 public:
  VideoTurn(std::span<std::byte> bytes, Orientation rotation) : bytes_(bytes), turn_(rotation) {}

  // All tracks, or none: nothing is written before everything is read. What is wrong, or nothing.
  std::string turn(const Box& movie) {
    try {
      for_each_box(bytes_, movie.content, movie.end, [&](const Box& box) {
        if (box.type == "mvhd") read_movie_header(box);
        if (box.type == "trak") read_track(box);
      });
    } catch (const ImageFileError&) {
      return "its header is damaged";
    }
    if (is_odd_) return "its matrix is not a turn by quarters";
    for (const auto& [at, matrix] : changes_) {
      for (std::size_t i = 0; i < matrix.size(); ++i) {
        put_big_endian(bytes_, at + number_bytes * i, number_bytes, matrix[i]);
      }
    }
    return {};
  }

 private:
  struct Change {
    std::uint64_t at;
    Matrix matrix;
  };

  Matrix read_matrix(BoxReader& reader) {
    Matrix matrix;
    for (std::uint32_t& number : matrix) {
      number = static_cast<std::uint32_t>(reader.number(number_bytes));
    }
    return matrix;
  }

  // Times and a number, of 4 bytes or 8, which both headers begin with.
  static void skip_times(BoxReader& reader) {
    reader.characters(reader.version().version == 0 ? 16 : 28);
  }

  // It has a matrix for all tracks, which is applied after their own.
  void read_movie_header(const Box& box) {
    BoxReader reader(bytes_, box);
    skip_times(reader);
    reader.characters(16);  // rate, volume
    if (read_matrix(reader) != matrix_of(Orientation::identity, 0, 0, true)) is_odd_ = true;
  }

  void read_track(const Box& box) {
    const auto media = find_box(bytes_, box.content, box.end, "mdia");
    const auto handler =
        media ? find_box(bytes_, media->content, media->end, "hdlr") : std::nullopt;
    const auto header = find_box(bytes_, box.content, box.end, "tkhd");
    if (!handler || !header) throw ImageFileError("damaged: a track of the video");
    BoxReader kind(bytes_, *handler);
    kind.characters(8);
    if (kind.characters(4) != "vide") return;
    BoxReader reader(bytes_, *header);
    skip_times(reader);
    reader.characters(20);  // the rest of its duration, layer, group, volume
    const std::uint64_t at = reader.at();
    const Matrix matrix = read_matrix(reader);
    const auto width = static_cast<std::uint32_t>(reader.number(number_bytes));
    const auto height = static_cast<std::uint32_t>(reader.number(number_bytes));
    for (const bool moves_back : {true, false}) {
      for (const Orientation each : rotations) {
        if (matrix != matrix_of(each, width, height, moves_back)) continue;
        changes_.push_back({at, matrix_of(compose(each, turn_), width, height, moves_back)});
        return;
      }
    }
    is_odd_ = true;
  }

  std::span<std::byte> bytes_;
  Orientation turn_;
  std::vector<Change> changes_;
  bool is_odd_ = false;
};

}  // namespace

bool turn_videos(std::span<std::byte> bytes, Orientation view, std::vector<std::string>& warnings) {
  const bool is_rotation = std::ranges::count(rotations, view) > 0;
  const std::string_view text = text_of(bytes);
  bool any = false;
  constexpr std::size_t type_at = 4;
  for (std::size_t at = text.find("ftyp", type_at); at != std::string_view::npos;) {
    std::uint64_t end = at + type_at;
    const auto movie = find_movie(bytes, at - type_at, end);
    any |= movie.has_value();
    if (movie && view != Orientation::identity) {
      const std::string problem =
          is_rotation ? VideoTurn(bytes, view).turn(*movie) : "players do not mirror videos";
      if (!problem.empty()) {
        warnings.push_back(fmt::format("the video after the picture is not turned: {}", problem));
      }
    }
    at = text.find("ftyp", end);
  }
  return any;
}

}  // namespace qturn
