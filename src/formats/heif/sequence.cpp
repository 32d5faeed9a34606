#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "src/formats/heif/heif.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"

namespace qturn::heif {
namespace {

// What a visual sample entry has before its boxes, and what the list of entries has.
constexpr std::size_t entry_bytes = 78, list_bytes = 8;

bool holds_boxes(std::string_view type) {
  constexpr std::array<std::string_view, 5> types = {"moov", "trak", "mdia", "minf", "stbl"};
  return std::ranges::find(types, type) != types.end();
}

bool is_turn(const Box& box) { return box.type == "irot" || box.type == "imir"; }

// Visits the boxes in a movie or a track, however deep they lie, but not the boxes in entries.
void visit_boxes(std::span<const std::byte> file, const Box& box,
                 const std::function<void(const Box&)>& visit) {
  for_each_box(file, box.content, box.end, [&](const Box& each) {
    visit(each);
    if (holds_boxes(each.type)) visit_boxes(file, each, visit);
  });
}

// visit(entry) for the descriptions of AV1's samples in a list.
template <typename Visit>
void for_each_entry(std::span<const std::byte> file, const Box& list, Visit visit) {
  if (list.end - list.content < list_bytes)
    throw ImageFileError("damaged: its 'stsd' box is too short");
  for_each_box(file, list.content + list_bytes, list.end, visit);
}

bool has_turn_in_entries(const PictureTrack& track, const Box& entry) {
  return entry.type == "av01" && !track.is_auxiliary && entry.end - entry.content >= entry_bytes;
}

Orientation shown_by_entry(std::span<const std::byte> file, const Box& entry) {
  Orientation shown = Orientation::identity;
  for_each_box(file, entry.content + entry_bytes, entry.end, [&](const Box& box) {
    if (is_turn(box)) shown = compose(shown, orientation_of_step(file, box));
  });
  return shown;
}

class MovieTurn {
 public:
  MovieTurn(std::span<const std::byte> file, Bytes& to) : file_(file), to_(to) {}

  void add(const Box& box, const PictureTrack* track) {
    if (box.type == "stsd" && track) return add_entries(box, *track);
    if (!holds_boxes(box.type)) return append(to_, file_.subspan(box.begin, box.end - box.begin));
    const std::size_t begun = begin_box(to_, box.type);
    for_each_box(file_, box.content, box.end, [&](const Box& each) {
      const auto own = std::ranges::find(tracks_, each.begin,
                                         [](const PictureTrack& one) { return one.box.begin; });
      add(each, own == tracks_.end() ? track : &*own);
    });
    end_box(to_, begun);
  }

  std::vector<PictureTrack> tracks_;

 private:
  void add_entries(const Box& list, const PictureTrack& track) {
    const std::size_t begun = begin_box(to_, list.type);
    append(to_, file_.subspan(list.content, list_bytes));
    for_each_entry(file_, list, [&](const Box& entry) {
      if (!has_turn_in_entries(track, entry))
        return append(to_, file_.subspan(entry.begin, entry.end - entry.begin));
      const std::size_t entry_begun = begin_box(to_, entry.type);
      append(to_, file_.subspan(entry.content, entry_bytes));
      for_each_box(file_, entry.content + entry_bytes, entry.end, [&](const Box& box) {
        if (!is_turn(box)) append(to_, file_.subspan(box.begin, box.end - box.begin));
      });
      for (const Step& step : steps_of(track.shown)) {
        const std::size_t step_begun = begin_box(to_, step.type);
        append_number(to_, step.value, 1);
        end_box(to_, step_begun);
      }
      end_box(to_, entry_begun);
    });
    end_box(to_, begun);
  }

  std::span<const std::byte> file_;
  Bytes& to_;
};

// visit(at, bytes, offset) for each place in a table of chunks.
template <typename Visit>
void for_each_chunk(std::span<const std::byte> file, const Box& table, Visit visit) {
  const std::size_t bytes = table.type == "co64" ? 8 : 4;
  BoxReader reader(file, table);
  reader.version();
  for (std::uint64_t left = reader.number(4); left > 0; --left) {
    const std::uint64_t at = reader.at();
    visit(at, bytes, reader.number(bytes));
  }
}

bool is_table_of_chunks(const Box& box) { return box.type == "stco" || box.type == "co64"; }

}  // namespace

Size Sequence::shown_size() const {
  const PictureTrack& first = tracks.front();
  return turned_size(first.shown, {first.width >> 16, first.height >> 16});
}

Sequence read_sequence(std::span<const std::byte> file, const Box& movie) {
  Sequence sequence;
  try {
    sequence.tracks = picture_tracks(file, movie);
  } catch (const ImageFileError& error) {
    throw ImageFileError(fmt::format("its image sequence cannot be turned: {}", error.what()));
  }
  if (sequence.tracks.empty()) throw ImageFileError("damaged: its movie has no pictures");
  if (sequence.shown_size().width == 0 || sequence.shown_size().height == 0)
    throw ImageFileError("damaged: its image sequence has no size");
  for (const PictureTrack& track : sequence.tracks) {
    visit_boxes(file, track.box, [&](const Box& box) {
      if (box.type != "stsd") return;
      for_each_entry(file, box, [&](const Box& entry) {
        if (!has_turn_in_entries(track, entry)) return;
        const Orientation by_entry = shown_by_entry(file, entry);
        if (by_entry == track.shown) return;
        sequence.doubt = fmt::format(
            "programs show its image sequence in two ways, because its matrix says orientation {} "
            "and the description of its samples (irot) says {}; it stays as it is",
            static_cast<int>(track.shown), static_cast<int>(by_entry));
      });
    });
  }
  return sequence;
}

Bytes turned_movie(std::span<const std::byte> file, const Box& movie, Orientation rotation) {
  Bytes turned(file.begin(), file.end());
  turn_tracks(turned, movie, rotation);
  Bytes result;
  MovieTurn turn(turned, result);
  turn.tracks_ = picture_tracks(turned, movie);
  turn.add(movie, nullptr);
  return result;
}

std::int64_t Moves::by(std::uint64_t at) const {
  std::int64_t by = 0;
  for (const auto& [box, grown] : boxes_)
    if (at >= box.end) by += grown;
  return by;
}

bool Moves::hit(std::uint64_t at, std::uint64_t length) const {
  return std::ranges::any_of(boxes_, [&](const auto& entry) {
    return length > 0 && at < entry.first.end && at + length > entry.first.begin;
  });
}

void Moves::put(std::span<std::byte> bytes, std::uint64_t number_at, std::size_t number_bytes,
                std::uint64_t offset, std::int64_t by) {
  if (by == 0) return;
  const auto by_bits = static_cast<std::uint64_t>(by);
  const std::uint64_t moved = offset + by_bits;  // by subtraction, where it is negative
  if (by < 0 ? offset < 0 - by_bits : moved < offset) {
    throw ImageFileError("its table of places cannot say where its items move");
  }
  if (number_bytes == 0 || (number_bytes < 8 && moved >> (8 * number_bytes) != 0)) {
    throw ImageFileError("its table of places has no room for larger numbers");
  }
  put_big_endian(bytes, number_at, number_bytes, moved);
}

void move_places(std::span<std::byte> movie, const Moves& moves) {
  const std::span<const std::byte> read = movie;
  const Box whole = *find_box(read, 0, read.size(), "moov");
  const auto move_items = [&](const Box& meta) {
    BoxReader reader(read, meta);
    reader.version();
    if (const auto table = find_box(read, reader.at(), meta.end, "iloc"))
      move_locations(movie, *table, moves);
  };
  visit_boxes(read, whole, [&](const Box& box) {
    if (box.type == "meta") move_items(box);
    if (!is_table_of_chunks(box)) return;
    for_each_chunk(read, box, [&](std::uint64_t at, std::size_t bytes, std::uint64_t offset) {
      Moves::put(movie, at, bytes, offset, moves.by(offset));
    });
  });
}

std::vector<Bytes> beginnings_of_chunks(std::span<const std::byte> file, const Box& movie) {
  std::vector<Bytes> all;
  for (const PictureTrack& track : picture_tracks(file, movie)) {
    Bytes& bytes = all.emplace_back();
    visit_boxes(file, track.box, [&](const Box& box) {
      if (!is_table_of_chunks(box)) return;
      for_each_chunk(file, box, [&](std::uint64_t, std::size_t, std::uint64_t offset) {
        constexpr std::uint64_t most = 8;
        if (offset > file.size()) throw ImageFileError("truncated: its image sequence");
        append(bytes, file.subspan(offset, std::min<std::uint64_t>(most, file.size() - offset)));
      });
    });
  }
  return all;
}

}  // namespace qturn::heif
