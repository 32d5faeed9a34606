#include "src/metadata/exif_turn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/jpeg/src/markers.hpp"
#include "src/metadata/exif.hpp"
#include "src/metadata/exif_thumbnail.hpp"
#include "src/metadata/tiff_structure.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"

namespace qturn {
namespace {

using namespace exif_tag;
constexpr std::uint16_t subject_type = 3;

// A block that is being turned.
class ExifTurn {
 public:
  ExifTurn(std::span<std::byte> body, const MetadataTurn& turn, std::vector<std::string>& warnings)
      : body_(body), tiff_(*TiffStructure::open(body)), turn_(turn), warnings_(warnings) {}

  void patch_directories() {
    const TiffEntries first = tiff_.directory(tiff_.first_directory());
    if (!first.whole) {
      warnings_.emplace_back(
          "the first directory of its Exif block is damaged; except for the orientation it stays "
          "as it was");
      return;
    }
    set_size(first, image_width, image_height);
    exchange_axes(first,
                  {{x_resolution, y_resolution}, {sensor_x_resolution, sensor_y_resolution}});
    turn_related_size(first);
    const TiffEntry* link = first.find(exif_directory);
    if (!link) return;
    patch_exif_directory(tiff_.integer(*link).value_or(body_.size()));
    const auto repeated = repeated_exif_directory(tiff_, first);
    if (!repeated) return;
    const TiffEntry *width = repeated->find(pixel_x_dimension),
                    *height = repeated->find(pixel_y_dimension);
    // It may also describe the thumbnail.
    const Size whole = turn_.whole_size();
    if (width && height && tiff_.integer(*width) == static_cast<std::uint64_t>(whole.width) &&
        tiff_.integer(*height) == static_cast<std::uint64_t>(whole.height)) {
      set_size(*repeated, pixel_x_dimension, pixel_y_dimension);
    }
  }

  void patch_exif_directory(std::uint64_t at) {
    const TiffEntries exif = tiff_.directory(at);
    if (!exif.whole) {
      warnings_.emplace_back("the Exif directory is damaged and stays as it was");
      return;
    }
    set_size(exif, pixel_x_dimension, pixel_y_dimension);
    exchange_axes(exif, {{sensor_x_resolution, sensor_y_resolution},
                         {focal_plane_x_resolution, focal_plane_y_resolution}});
    turn_related_size(exif);
    if (const TiffEntry* link = exif.find(interoperability_directory))
      turn_related_size(tiff_.directory(tiff_.integer(*link).value_or(body_.size())));
    move_subject(exif, subject_area, "SubjectArea");
    move_subject(exif, subject_location, "SubjectLocation");
    const TiffEntry* note = exif.find(maker_note);
    if (note && note->value_bytes > 0 && tiff_.holds(note->value_at, note->value_bytes)) {
      turn_maker_note(body_.subspan(static_cast<std::size_t>(note->value_at),
                                    static_cast<std::size_t>(note->value_bytes)),
                      body_[0] == std::byte{'I'}, turn_);
    }
  }

 private:
  void exchange_axes(const TiffEntries& directory,
                     std::initializer_list<std::pair<std::uint16_t, std::uint16_t>> pairs) {
    if (!swaps_axes(turn_.pixels)) return;
    for (const auto& [x, y] : pairs) tiff_.exchange(body_, directory, x, y);
  }

  // The size of the picture, or of another one that it was made of. It belongs to the
  // interoperability directory, but some cameras write it elsewhere.
  void turn_related_size(const TiffEntries& directory) {
    const TiffEntry *width = directory.find(related_width),
                    *height = directory.find(related_height);
    if (!directory.whole || !width || !height) return;
    const Size whole = turn_.whole_size();
    if (tiff_.integer(*width) == static_cast<std::uint64_t>(whole.width) &&
        tiff_.integer(*height) == static_cast<std::uint64_t>(whole.height)) {
      set_size(directory, related_width, related_height);
    } else {
      exchange_axes(directory, {{related_width, related_height}});
    }
  }

  void set_size(const TiffEntries& directory, std::uint16_t width_tag, std::uint16_t height_tag) {
    for (const TiffEntry& entry : directory.entries) {
      if (entry.tag != width_tag && entry.tag != height_tag) continue;
      if (!tiff_.integer(entry)) {
        warnings_.push_back(fmt::format(
            "a size in its Exif block (tag {}) is of a wrong type and stays as it was", entry.tag));
        continue;
      }
      const std::int64_t size = entry.tag == width_tag ? turn_.size.width : turn_.size.height;
      tiff_.put_integer(body_, entry, static_cast<std::uint32_t>(size));
    }
  }

  // A point; a point and a diameter; or the centre of a rectangle, its width and its height. Exif
  // counts them in the pixels as they are stored, whatever the orientation says.
  void move_subject(const TiffEntries& directory, std::uint16_t tag, const char* what) {
    const TiffEntry* entry = directory.find(tag);
    if (!entry) return;
    const Size whole = turn_.whole_size();
    const auto value = [&](std::uint64_t i) {
      return static_cast<std::int64_t>(tiff_.number(entry->value_at + 2 * i, 2));
    };
    if (entry->type != subject_type || entry->count < 2 || entry->count > 4 ||
        entry->value_bytes == 0 || value(0) >= whole.width || value(1) >= whole.height) {
      warnings_.push_back(
          fmt::format("the {} of its Exif block is damaged and stays as it was", what));
      return;
    }
    const Position before{value(0), value(1)}, moved = turn_.moved(before);
    if (turn_.trims(before)) {
      warnings_.push_back(
          fmt::format("the {} of its Exif block lay in the edge that was trimmed, and now lies "
                      "beside it",
                      what));
    }
    const auto put = [&](std::uint64_t i, std::int64_t number) {
      tiff_.put(body_, entry->value_at + 2 * i, 2, static_cast<std::uint64_t>(number));
    };
    if (entry->count == 4 && swaps_axes(turn_.pixels)) {
      const std::int64_t width = value(2);
      put(2, value(3));
      put(3, width);
    }
    put(0, moved.x);
    put(1, moved.y);
  }

  std::span<std::byte> body_;
  const TiffStructure tiff_;
  const MetadataTurn& turn_;
  std::vector<std::string>& warnings_;
};

}  // namespace

void turn_exif_directory(std::span<std::byte> tiff, std::uint64_t at, const MetadataTurn& turn,
                         std::vector<std::string>& warnings) {
  ExifTurn(tiff, turn, warnings).patch_exif_directory(at);
}

void add_orientation(Bytes& data, std::uint64_t directory_at, std::uint64_t link_at,
                     Orientation orientation) {
  if (data.size() % 2 != 0) data.push_back(std::byte{0});
  const std::uint64_t moved_at = data.size();
  const auto old = TiffStructure::open(data);
  const TiffEntries directory = old ? old->directory(directory_at) : TiffEntries{};
  if (!directory.whole || !old->holds(link_at, old->offset_bytes())) {
    throw ImageFileError("a damaged directory: no orientation can be added to it");
  }
  const std::size_t entry_bytes = old->entry_bytes(), count_bytes = old->count_bytes();
  const auto entry_begin = [&](std::size_t i) {
    return directory_at + count_bytes + i * entry_bytes;
  };
  std::size_t before = 0;
  while (before < directory.entries.size() && directory.entries[before].tag < orientation_tag) {
    ++before;
  }
  const std::size_t count = directory.entries.size() + 1;
  data.resize(moved_at + count_bytes + count * entry_bytes + old->offset_bytes());
  const auto copy = [&](std::uint64_t from, std::uint64_t to, std::uint64_t bytes) {
    std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(from), bytes,
                data.begin() + static_cast<std::ptrdiff_t>(to));
  };
  const auto tiff = TiffStructure::open(data);
  tiff->put(data, moved_at, count_bytes, count);
  const std::uint64_t added_at = moved_at + count_bytes + before * entry_bytes;
  copy(entry_begin(0), moved_at + count_bytes, before * entry_bytes);
  copy(entry_begin(before), added_at + entry_bytes,
       (directory.entries.size() - before) * entry_bytes + tiff->offset_bytes());
  tiff->put(data, added_at, 2, orientation_tag);
  tiff->put_short(data, {.at = added_at}, static_cast<std::uint16_t>(orientation));
  tiff->put(data, link_at, tiff->offset_bytes(), moved_at);
}

Bytes minimal_exif(Orientation orientation) {
  constexpr std::array<unsigned char, 26> block = {
      'M', 'M', 0, 42, 0, 0, 0, 8,           // big-endian, the directory follows
      0,   1,   1, 18, 0, 3, 0, 0, 0, 1, 0,  // one entry: Orientation, one SHORT
  };
  Bytes body(block.size());
  std::transform(block.begin(), block.end(), body.begin(),
                 [](unsigned char byte) { return std::byte{byte}; });
  body[19] = static_cast<std::byte>(orientation);
  return body;
}

Bytes turn_exif(std::span<const std::byte> block, const MetadataTurn& turn, MissingTag missing,
                std::size_t max_bytes, std::vector<std::string>& warnings) {
  const std::size_t signature_bytes = block.size() - exif_body(block).size();
  const auto with_signature = [&](const Bytes& body) {
    Bytes whole(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(signature_bytes));
    whole.insert(whole.end(), body.begin(), body.end());
    return whole;
  };
  const auto source = exif_body(block);
  Bytes body(source.begin(), source.end());
  const StoredOrientation stored = stored_orientation(body);
  const auto first_directory = [&] {
    const auto tiff = TiffStructure::open(body);
    return tiff ? tiff->first_directory() : 0;
  };
  const std::uint64_t first = first_directory();
  if (!set_orientation(body, turn.tag)) {
    throw ImageFileError(why_unknown(body));
  }
  if (first == 0) {
    if (missing == MissingTag::is_added && turn.tag != Orientation::identity) {
      throw ImageFileError("its Exif block is damaged, and no orientation can be added to it");
    }
    if (!TiffStructure::open(body)) {
      warnings.emplace_back("its Exif block has no TIFF header and stays as it was");
    }
    return with_signature(body);
  }
  // If parts of the block share their bytes, changing one part changes another, perhaps the
  // orientation. Then only the orientation is changed.
  const StoredOrientation tagged = stored_orientation(body);
  const Bytes untouched = body;
  std::vector<std::string> notes;
  if (turn.pixels != Orientation::identity) ExifTurn(body, turn, notes).patch_directories();
  turn_thumbnail(body, turn, max_bytes - signature_bytes, notes);
  const StoredOrientation left = stored_orientation(body);
  if (left.certainty != tagged.certainty || left.value != tagged.value ||
      first_directory() != first) {
    body = untouched;
    notes = {
        "parts of its Exif block share their bytes; except for the orientation it stays as it was"};
  }
  warnings.insert(warnings.end(), notes.begin(), notes.end());

  if (stored.certainty == StoredOrientation::Certainty::absent && missing == MissingTag::is_added &&
      turn.tag != Orientation::identity) {
    const auto tiff = TiffStructure::open(body);
    add_orientation(body, first, tiff->first_at(), turn.tag);
    if (body.size() + signature_bytes > max_bytes) {
      throw ImageFileError("its Exif block is full, and no orientation can be added to it");
    }
  }
  return with_signature(body);
}

namespace {

using std::string_view_literals::operator""sv;

// How a note begins, and where its directory does. The newer ones state their byte order in the
// four bytes before that.
struct NoteKind {
  std::string_view begins;
  std::size_t directory_at;
  bool has_byte_order;
};
constexpr NoteKind note_kinds[] = {
    {"OLYMP\0"sv, 8, false}, {"OLYMPUS\0"sv, 12, true}, {"OM SYSTEM\0"sv, 16, true}};

}  // namespace

void turn_maker_note(std::span<std::byte> note, bool is_little, const MetadataTurn& turn) {
  constexpr std::size_t count_bytes = 2, entry_bytes = 12, value_at = 8;
  constexpr std::uint64_t width_tag = 0x102E, height_tag = 0x102F, long_type = 4;
  for (const NoteKind& kind : note_kinds) {
    const std::string_view text = text_of(note);
    if (!text.starts_with(kind.begins) || note.size() < kind.directory_at + count_bytes) continue;
    if (kind.has_byte_order) is_little = text[kind.directory_at - 4] == 'I';
    const auto number = [&](std::size_t at, std::size_t bytes) {
      return is_little ? little_endian(note, at, bytes) : big_endian(note, at, bytes);
    };
    const std::size_t first = kind.directory_at + count_bytes;
    const std::uint64_t count = number(kind.directory_at, count_bytes);
    std::optional<std::size_t> width_at, height_at;
    for (std::uint64_t i = 0; i < count && first + (i + 1) * entry_bytes <= note.size(); ++i) {
      const std::size_t at = first + static_cast<std::size_t>(i) * entry_bytes;
      if (number(at + 2, 2) != long_type || number(at + 4, 4) != 1) continue;
      if (number(at, 2) == width_tag) width_at = at + value_at;
      if (number(at, 2) == height_tag) height_at = at + value_at;
    }
    if (!width_at || !height_at) return;
    const Size whole = turn.whole_size();
    const auto put = [&](std::size_t at, std::int64_t value) {
      (is_little ? put_little_endian : put_big_endian)(note, at, 4,
                                                       static_cast<std::uint64_t>(value));
    };
    const auto says = Size{static_cast<std::int64_t>(number(*width_at, 4)),
                           static_cast<std::int64_t>(number(*height_at, 4))};
    // A size that is not the picture's has its axes all the same.
    const Size turned = says == whole ? turn.size : turned_size(turn.pixels, says);
    put(*width_at, turned.width);
    put(*height_at, turned.height);
    return;
  }
}

namespace {

using namespace exif_tag;

std::span<const std::byte> thumbnail_in(std::span<const std::byte> body) {
  const auto tiff = TiffStructure::open(body);
  if (!tiff) return {};
  const TiffEntries second = tiff->directory(tiff->directory(tiff->first_directory()).next);
  const TiffEntry *offset = second.find(jpeg_offset), *length = second.find(jpeg_bytes);
  if (!second.whole || !offset || !length) return {};
  const std::uint64_t at = tiff->integer(*offset).value_or(0);
  const std::uint64_t bytes = tiff->integer(*length).value_or(0);
  if (bytes == 0 || !tiff->holds(at, bytes)) return {};
  const auto jpeg = body.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(bytes));
  return begins_as_jpeg(jpeg) ? jpeg : std::span<const std::byte>();
}

bool has_uncompressed_thumbnail(std::span<const std::byte> body) {
  const auto tiff = TiffStructure::open(body);
  if (!tiff) return false;
  const TiffEntries second = tiff->directory(tiff->directory(tiff->first_directory()).next);
  return second.whole && second.find(thumbnail_strip_offsets) && !second.find(jpeg_offset);
}

/// Which bytes of a block a turn may change.
class MayChange {
 public:
  explicit MayChange(std::span<const std::byte> body) : flags_(body.size()) {
    const auto opened = TiffStructure::open(body);
    if (!opened) return;
    const TiffStructure& tiff = *opened;
    // An orientation that is added goes to a copy of the directory, at the end.
    add(tiff.first_at(), tiff.offset_bytes());
    const TiffEntries first = tiff.directory(tiff.first_directory());
    add(first, {image_width, image_height, orientation_tag, x_resolution, y_resolution,
                sensor_x_resolution, sensor_y_resolution, related_width, related_height});
    if (first.whole)  // a thumbnail that cannot be kept is left out
      add(first.at + tiff.count_bytes() + first.entries.size() * tiff.entry_bytes(),
          tiff.offset_bytes());
    if (const TiffEntry* link = first.find(exif_directory)) {
      const TiffEntries exif = tiff.directory(tiff.integer(*link).value_or(body.size()));
      add(exif, {pixel_x_dimension, pixel_y_dimension, subject_area, subject_location,
                 sensor_x_resolution, sensor_y_resolution, focal_plane_x_resolution,
                 focal_plane_y_resolution, related_width, related_height});
      if (const TiffEntry* related = exif.find(interoperability_directory))
        add(tiff.directory(tiff.integer(*related).value_or(body.size())),
            {related_width, related_height});
    }
    if (const auto repeated = repeated_exif_directory(tiff, first))
      add(*repeated, {pixel_x_dimension, pixel_y_dimension});
    if (first.next == 0 || has_uncompressed_thumbnail(body)) return;
    const TiffEntries second = tiff.directory(first.next);
    for (const TiffEntry& entry : second.entries) add(entry.at, tiff.entry_bytes());
    add_pixels(tiff, second, jpeg_offset, jpeg_bytes);
    add(second, {x_resolution, y_resolution});
  }

  bool operator[](std::size_t at) const { return flags_[at]; }

 private:
  void add(std::uint64_t at, std::uint64_t bytes) {
    if (at > flags_.size()) return;
    std::fill_n(flags_.begin() + static_cast<std::ptrdiff_t>(at),
                std::min<std::uint64_t>(bytes, flags_.size() - at), true);
  }
  void add(const TiffEntries& directory, std::initializer_list<std::uint16_t> tags) {
    constexpr std::uint64_t entry_bytes = 12;  // an Exif block is a classic TIFF
    for (const TiffEntry& entry : directory.entries) {
      if (std::ranges::find(tags, entry.tag) == tags.end()) continue;
      add(entry.at, entry_bytes);
      add(entry.value_at, entry.value_bytes);
    }
  }
  void add_pixels(const TiffStructure& tiff, const TiffEntries& directory, std::uint16_t offsets,
                  std::uint16_t lengths) {
    const TiffEntry *at = directory.find(offsets), *bytes = directory.find(lengths);
    if (!at || !bytes || at->count == 0 || at->count != bytes->count) return;
    const auto number = [&](const TiffEntry& entry, std::uint64_t i) {
      const std::uint64_t size = entry.value_bytes / entry.count;
      return tiff.number(entry.value_at + i * size, static_cast<std::size_t>(size));
    };
    if (at->value_bytes == 0 || bytes->value_bytes == 0) return;
    for (std::uint64_t i = 0; i < at->count; ++i) add(number(*at, i), number(*bytes, i));
  }

  std::vector<bool> flags_;
};

// What a turn makes of the MakerNote. No reader says what is in it, so it is turned again.
void turn_note(Bytes& body, const MetadataTurn& turn) {
  const auto tiff = TiffStructure::open(body);
  if (!tiff || turn.pixels == Orientation::identity) return;
  const TiffEntries first = tiff->directory(tiff->first_directory());
  const TiffEntry* link = first.find(exif_directory);
  if (!link) return;
  const TiffEntries exif = tiff->directory(tiff->integer(*link).value_or(body.size()));
  const TiffEntry* note = exif.whole ? exif.find(maker_note) : nullptr;
  if (!note || note->value_bytes == 0 || !tiff->holds(note->value_at, note->value_bytes)) return;
  turn_maker_note(std::span(body).subspan(static_cast<std::size_t>(note->value_at),
                                          static_cast<std::size_t>(note->value_bytes)),
                  body[0] == std::byte{'I'}, turn);
}

}  // namespace

ExifThumbnails prove_exif(std::span<const std::byte> before, std::span<const std::byte> after,
                          const MetadataTurn& turn) {
  const auto source = exif_body(before), result = exif_body(after);
  const MayChange may_change(source);
  Bytes expected(source.begin(), source.end());
  turn_note(expected, turn);
  // What becomes of pixels is exactly known, so they are turned again, too.
  std::vector<std::string> unused;
  if (has_uncompressed_thumbnail(source)) turn_thumbnail(expected, turn, result.size(), unused);
  if (result.size() < expected.size()) {
    throw ProofError(fmt::format("an Exif block of at least {} bytes expected, {} found",
                                 expected.size(), result.size()));
  }
  for (std::size_t at = 0; at < expected.size(); ++at) {
    if (result[at] == expected[at] || (at < source.size() && may_change[at])) continue;
    throw ProofError(fmt::format("byte {} of the Exif block: {:#04x} expected, {:#04x} found", at,
                                 std::to_integer<unsigned>(expected[at]),
                                 std::to_integer<unsigned>(result[at])));
  }
  const auto old_thumbnail = thumbnail_in(source), new_thumbnail = thumbnail_in(result);
  if (old_thumbnail.empty() || new_thumbnail.empty()) return {};
  return {old_thumbnail, new_thumbnail};
}

}  // namespace qturn
