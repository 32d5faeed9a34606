#include "src/metadata/maker_note.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

#include "src/picture/bytes.hpp"

namespace qturn {
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

}  // namespace qturn
