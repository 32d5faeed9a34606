// A turn of a HEIC or AVIF. Properties may be shared by pictures that are not turned, so none is
// changed: turned items get others, which are added if the file does not have them. The metadata
// box may grow by that, and what follows it moves as one piece; its bytes stay as they are.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "src/formats/container/video_matrix.hpp"
#include "src/formats/heif/heif.hpp"
#include "src/metadata/metadata_turn.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"

namespace qturn::heif {
namespace {

using Numbers = std::set<std::uint32_t>;

bool any_in(const std::vector<std::uint32_t>& items, const Numbers& numbers) {
  return std::ranges::any_of(items, [&](std::uint32_t each) { return numbers.contains(each); });
}

bool is_tone_map(const HeifFile& heif, std::uint32_t number) {
  const auto found = heif.items.find(number);
  return found != heif.items.end() && found->second.type == "tmap";
}

// Where one of `these` is turned, `those` are turned with it.
struct Bond {
  std::span<const std::uint32_t> these, those;
};

std::vector<Bond> bonds_of(const HeifFile& heif) {
  std::vector<Bond> bonds;
  for (const HeifGroup& group : heif.groups) {
    const bool same_picture = group.type == "altr" || group.type == "pymd" || group.type == "ster";
    if (same_picture) bonds.push_back({group.items, group.items});
  }
  for (const HeifReference& reference : heif.references) {
    const bool belongs = reference.type == "thmb" || reference.type == "auxl";
    if (belongs) bonds.push_back({reference.to, {&reference.from, 1}});
    if (reference.type == "dimg" && is_tone_map(heif, reference.from)) {
      bonds.push_back({reference.to, reference.to});
    }
  }
  return bonds;
}

// The primary picture, its alternatives, the other one of a stereo pair, and what is shown with
// them: thumbnails, alpha, depth, gain maps. A tone-mapped picture is not among them, because it is
// made of turned ones.
Numbers turned_items(const HeifFile& heif) {
  if (is_tone_map(heif, heif.primary)) {
    throw ImageFileError("its main picture is a tone-mapped one, which is not supported");
  }
  const std::vector<Bond> bonds = bonds_of(heif);
  std::vector<std::pair<std::uint32_t, std::size_t>> bonds_by_item;
  for (std::size_t i = 0; i < bonds.size(); ++i) {
    for (const std::uint32_t each : bonds[i].these) bonds_by_item.emplace_back(each, i);
  }
  std::ranges::sort(bonds_by_item);
  Numbers turned = {heif.primary};
  std::vector<bool> is_followed(bonds.size());
  std::vector<std::uint32_t> left = {heif.primary};
  while (!left.empty()) {
    const std::uint32_t number = left.back();
    left.pop_back();
    const auto first = std::ranges::lower_bound(bonds_by_item, std::pair(number, std::size_t{0}));
    for (auto entry = first; entry != bonds_by_item.end() && entry->first == number; ++entry) {
      if (is_followed[entry->second]) continue;
      is_followed[entry->second] = true;
      for (const std::uint32_t each : bonds[entry->second].those) {
        const bool can_turn = heif.items.contains(each) && !is_tone_map(heif, each);
        if (can_turn && turned.insert(each).second) left.push_back(each);
      }
    }
  }
  return turned;
}

// Nothing that stays as it is may be made of, or show, what is turned.
void refuse_shared(const HeifFile& heif, const Numbers& turned) {
  for (const HeifReference& reference : heif.references) {
    const bool is_made_of = reference.type == "dimg";
    const bool belongs = reference.type == "thmb" || reference.type == "auxl";
    if (is_made_of && !is_tone_map(heif, reference.from) && any_in(reference.to, turned)) {
      throw ImageFileError("another picture in it is made of the one that would be turned");
    }
    if (!belongs || !turned.contains(reference.from)) continue;
    for (const std::uint32_t each : reference.to) {
      if (!turned.contains(each) && !is_tone_map(heif, each)) {
        throw ImageFileError("two pictures in it share a thumbnail or an auxiliary picture");
      }
    }
  }
}

void warn_of_the_rest(const HeifFile& heif, const Numbers& turned,
                      std::vector<std::string>& warnings) {
  Numbers parts;
  for (const HeifReference& reference : heif.references) {
    if (reference.type == "dimg") parts.insert(reference.to.begin(), reference.to.end());
  }
  const auto others = std::ranges::count_if(heif.items, [&](const auto& entry) {
    const auto& [number, item] = entry;
    return heif.find(item, "ispe") && !item.is_hidden && !turned.contains(number) &&
           !parts.contains(number) && item.type != "tmap";
  });
  if (others > 0) {
    warnings.push_back(others == 1
                           ? std::string("another picture in it stays as it is")
                           : fmt::format("{} other pictures in it stay as they are", others));
  }
}

// The properties of the file and the added ones.
class Properties {
 public:
  explicit Properties(const HeifFile& heif) : heif_(heif), count_(heif.property_list.size()) {}

  std::uint16_t number_of(const Step& step) {
    const auto [place, is_new] = numbers_.try_emplace({step.type, step.value}, std::uint16_t{0});
    if (is_new) place->second = find_or_add(step);
    return place->second;
  }

  /// The added properties, one after the other.
  const Bytes& boxes() const { return boxes_; }
  std::size_t count() const { return count_; }

 private:
  std::uint16_t find_or_add(const Step& step) {
    const auto says = [&](const Box& box) {
      return box.type == step.type && box.end - box.content == 1 &&
             BoxReader(heif_.file, box).number(1) == step.value;
    };
    const auto found = std::ranges::find_if(heif_.property_list, says);
    if (found != heif_.property_list.end()) {
      return static_cast<std::uint16_t>(found - heif_.property_list.begin() + 1);
    }
    constexpr std::size_t most = 0x7FFF;
    if (++count_ > most) throw ImageFileError("its list of properties is full");
    const std::size_t begun = begin_box(boxes_, step.type);
    append_number(boxes_, step.value, 1);
    end_box(boxes_, begun);
    return static_cast<std::uint16_t>(count_);
  }

  const HeifFile& heif_;
  std::size_t count_;  // of all
  std::map<std::pair<std::string_view, unsigned>, std::uint16_t> numbers_;
  Bytes boxes_;
};

using Associations = std::map<std::uint32_t, std::vector<HeifAssociation>>;

void turn_item(const HeifFile& heif, std::uint32_t number, Orientation orientation,
               Properties& properties, Associations& changed) {
  const HeifItem& item = heif.item(number);
  std::vector<HeifAssociation> list;
  std::ranges::copy_if(item.properties, std::back_inserter(list),
                       [&](const HeifAssociation& association) {
                         const std::string_view type = heif.property(association).type;
                         return type != "irot" && type != "imir";
                       });
  refuse_scaled(heif, item);
  std::vector<Step> steps = steps_of(compose(shown_orientation(heif, item), orientation));
  // One that says how it is turned goes on to say it; the next turn depends on that.
  if (steps.empty() && item.type == "tmap") steps.push_back({"irot", 0});
  for (const Step& step : steps) {
    list.push_back({.property = properties.number_of(step), .is_essential = true});
  }
  if (list.size() > std::numeric_limits<std::uint8_t>::max()) {
    throw ImageFileError("one of its pictures has too many properties");
  }
  changed[number] = std::move(list);
}

// Old writers of AVIF turned the colours and left the alpha as it was, and readers let the one
// decide for both. So do these: what does not say how it is turned follows the picture that it
// belongs to, if that one is turned.
Numbers followers(const HeifFile& heif, const Numbers& turned) {
  const auto is_turned = [&](std::uint32_t number) {
    const auto found = heif.items.find(number);
    return found != heif.items.end() &&
           shown_orientation(heif, found->second) != Orientation::identity;
  };
  Numbers follow;
  const auto add = [&](std::uint32_t number) {
    if (turned.contains(number) && !says_turn(heif, heif.item(number))) follow.insert(number);
  };
  for (const HeifReference& reference : heif.references) {
    if (reference.type == "auxl" && std::ranges::any_of(reference.to, is_turned)) {
      add(reference.from);
    }
    // The first is the picture; the other is its gain map.
    const bool is_tone_mapped = reference.type == "dimg" && is_tone_map(heif, reference.from);
    if (is_tone_mapped && !reference.to.empty() && is_turned(reference.to.front())) {
      std::for_each(reference.to.begin() + 1, reference.to.end(), add);
    }
  }
  return follow;
}

Associations turned_associations(const HeifFile& heif, Orientation orientation,
                                 Properties& properties, std::vector<std::string>& warnings) {
  Associations changed;
  if (orientation == Orientation::identity || !heif.has_picture()) return changed;
  const Numbers turned = turned_items(heif);
  refuse_shared(heif, turned);
  warn_of_the_rest(heif, turned, warnings);
  const HeifItem& primary = heif.item(heif.primary);
  const Orientation shown = shown_orientation(heif, primary);
  const Numbers follow = followers(heif, turned);
  for (const std::uint32_t number : turned) {
    if (!follow.contains(number)) turn_item(heif, number, orientation, properties, changed);
  }
  // A tone-mapped picture is made of turned ones. One that repeats their turn, even if that is
  // none, says the same afterwards.
  for (const HeifReference& reference : heif.references) {
    if (reference.type != "dimg" || !is_tone_map(heif, reference.from) ||
        !any_in(reference.to, turned)) {
      continue;
    }
    const HeifItem& tone_mapped = heif.item(reference.from);
    if (!says_turn(heif, tone_mapped)) continue;
    if (shown_orientation(heif, tone_mapped) != shown) {
      throw ImageFileError("its tone-mapped picture is turned in another way than the main one");
    }
    turn_item(heif, reference.from, orientation, properties, changed);
  }
  return changed;
}

// All lists of properties in one box, in the order of the numbers.
void append_associations(Bytes& to, const HeifFile& heif, const Associations& changed,
                         std::size_t property_count) {
  constexpr std::uint32_t wide_numbers = 1U << 24, wide_properties = 1;
  constexpr std::size_t most_narrow = 0x7F;
  const bool wide = property_count > most_narrow;
  std::map<std::uint32_t, const std::vector<HeifAssociation>*> lists;
  for (const auto& [number, list] : changed) lists.emplace(number, &list);
  for (const auto& [number, item] : heif.items) lists.emplace(number, &item.properties);
  for (const auto& [number, list] : heif.other_properties) lists.emplace(number, &list);
  const bool wide_items = lists.rbegin()->first > std::numeric_limits<std::uint16_t>::max();
  const std::size_t begun = begin_box(to, "ipma");
  append_number(to, (wide_items ? wide_numbers : 0) | (wide ? wide_properties : 0), 4);
  std::erase_if(lists, [](const auto& entry) { return entry.second->empty(); });
  append_number(to, lists.size(), 4);
  for (const auto& [number, list] : lists) {
    append_number(to, number, wide_items ? 4 : 2);
    append_number(to, list->size(), 1);
    for (const HeifAssociation& association : *list) {
      const unsigned essential = association.is_essential ? (wide ? 0x8000U : 0x80U) : 0U;
      append_number(to, essential | association.property, wide ? 2 : 1);
    }
  }
  end_box(to, begun);
}

Bytes turned_properties(const HeifFile& heif, const Associations& changed,
                        const Properties& properties) {
  Bytes box;
  const std::size_t begun = begin_box(box, "iprp");
  bool is_written = false;
  for_each_box(heif.file, heif.properties.content, heif.properties.end, [&](const Box& part) {
    if (part.type == "ipco") {
      const std::size_t list = begin_box(box, "ipco");
      append(box, heif.file.subspan(part.content, part.end - part.content));
      append(box, properties.boxes());
      end_box(box, list);
    } else if (part.type != "ipma") {
      append(box, heif.file.subspan(part.begin, part.end - part.begin));
    } else if (!std::exchange(is_written, true)) {
      append_associations(box, heif, changed, properties.count());
    }
  });
  if (!is_written) append_associations(box, heif, changed, properties.count());
  end_box(box, begun);
  return box;
}

Bytes turned_meta(const HeifFile& heif, std::span<const std::byte> iprp, const Moves& moves) {
  Bytes meta;
  append(meta, heif.file.subspan(heif.meta.begin, heif.meta.content - heif.meta.begin));
  BoxReader reader(heif.file, heif.meta);
  reader.version();
  append(meta, heif.file.subspan(heif.meta.content, reader.at() - heif.meta.content));
  for_each_box(heif.file, reader.at(), heif.meta.end, [&](const Box& part) {
    if (part.type == "iprp") {
      append(meta, iprp);
      return;
    }
    const std::uint64_t at = meta.size(), header = part.content - part.begin;
    append(meta, heif.file.subspan(part.begin, part.end - part.begin));
    if (part.type == "iloc") move_locations(meta, {part.type, at, at + header, meta.size()}, moves);
  });
  if (heif.meta.content - heif.meta.begin > 8) {
    put_big_endian(meta, 8, 8, meta.size());
  } else {
    end_box(meta, 0);
  }
  return meta;
}

void replace(Bytes& file, const Box& box, std::span<const std::byte> by) {
  const auto begin = static_cast<std::ptrdiff_t>(box.begin),
             end = static_cast<std::ptrdiff_t>(box.end);
  const auto same =
      static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(by.size(), box.end - box.begin));
  std::copy_n(by.begin(), same, file.begin() + begin);
  if (std::cmp_less(same, end - begin)) {
    file.erase(file.begin() + begin + same, file.begin() + end);
  } else {
    file.insert(file.begin() + end, by.begin() + same, by.end());
  }
}

// Exif and XMP are changed where they lie, so no other item may have the same bytes.
void refuse_shared_metadata(const HeifFile& heif) {
  struct Piece {
    const std::byte *begin, *end;
    bool is_metadata;
  };
  std::vector<Piece> pieces;
  for (const auto& [number, item] : heif.items) {
    for (const auto& piece : heif.pieces(item)) {
      if (piece.empty()) continue;
      pieces.push_back(
          {piece.data(), piece.data() + piece.size(), is_heif_exif(item) || is_heif_xmp(item)});
    }
  }
  std::ranges::sort(pieces, {}, &Piece::begin);
  const std::byte *end = heif.file.data(), *metadata_end = end;
  for (const Piece& piece : pieces) {
    if (piece.begin < (piece.is_metadata ? end : metadata_end)) {
      throw ImageFileError("damaged: its Exif or XMP shares its bytes with another item");
    }
    end = std::max(end, piece.end);
    if (piece.is_metadata) metadata_end = std::max(metadata_end, piece.end);
  }
}

// What of Exif and XMP a turn changes keeps its length, so it is written where it lies.
class Metadata {
 public:
  Metadata(const HeifFile& heif, Bytes& file, std::vector<std::string>& warnings)
      : heif_(heif), file_(file), warnings_(warnings) {}

  void set_upright(bool is_turned) {
    for (const auto& [number, item] : heif_.items) {
      if (is_heif_exif(item)) set_exif(item, is_turned);
      if (is_heif_xmp(item)) set_xmp(item, is_turned);
    }
  }

 private:
  void put(const HeifItem& item, std::span<const std::byte> content) {
    for (const auto& piece : heif_.pieces(item)) {
      const auto at = piece.data() - heif_.file.data();
      std::ranges::copy(content.first(piece.size()), file_.begin() + at);
      content = content.subspan(piece.size());
    }
  }

  void set_exif(const HeifItem& item, bool is_turned) {
    std::optional<Bytes> content = heif_.content(item);
    if (!content) {
      warnings_.emplace_back("its Exif block is not in the file and stays as it was");
      return;
    }
    set_exif_item(*content, Orientation::identity, is_turned, warnings_);
    put(item, *content);
  }

  void set_xmp(const HeifItem& item, bool is_turned) {
    std::optional<Bytes> content = heif_.content(item);
    if (!content || item.is_encoded) {
      warnings_.emplace_back("its XMP is compressed, or not in the file, and stays as it was");
      return;
    }
    set_xmp_item(*content, Orientation::identity, is_turned, warnings_);
    put(item, *content);
  }

  const HeifFile& heif_;
  Bytes& file_;
  std::vector<std::string>& warnings_;
};

void turn_motion(const HeifFile& heif, Bytes& file, Orientation orientation,
                 std::vector<std::string>& warnings) {
  for_each_box(heif.file, 0, heif.file.size(), [&](const Box& box) {
    if (!may_hold_video(box)) return;
    const auto content = std::span(file).subspan(box.content, box.end - box.content);
    const bool any = turn_videos(content, orientation, warnings);
    if (!any && box.type == "mpvd" && orientation != Orientation::identity) {
      warnings.emplace_back(not_such_a_video);
    }
  });
}

}  // namespace

Bytes turned_heif(const HeifFile& heif, Orientation orientation,
                  std::vector<std::string>& warnings) {
  refuse_shared_metadata(heif);
  Properties properties(heif);
  const Associations changed = turned_associations(heif, orientation, properties, warnings);
  Bytes file(heif.file.begin(), heif.file.end());
  Metadata(heif, file, warnings).set_upright(orientation != Orientation::identity);
  turn_motion(heif, file, orientation, warnings);
  if (orientation == Orientation::identity) return file;
  // The places are still the old file's.
  HeifFile upright = heif;
  upright.file = file;
  Bytes iprp, meta, movie;
  Moves moves;
  if (heif.has_picture()) {
    const Box& was = heif.properties;
    iprp = turned_properties(upright, changed, properties);
    moves.add(heif.meta, heif.meta.end - heif.meta.begin + iprp.size() - (was.end - was.begin));
  }
  if (heif.movie) {
    movie = turned_movie(file, *heif.movie, orientation);
    moves.add(*heif.movie, movie.size());
    move_places(movie, moves);
  }
  if (heif.has_picture()) meta = turned_meta(upright, iprp, moves);
  std::vector<std::pair<Box, std::span<const std::byte>>> replaced;
  if (heif.has_picture()) replaced.emplace_back(heif.meta, meta);
  if (heif.movie) replaced.emplace_back(*heif.movie, movie);
  std::ranges::sort(replaced, std::greater(), [](const auto& entry) { return entry.first.begin; });
  for (const auto& [box, by] : replaced) replace(file, box, by);
  return file;
}

}  // namespace qturn::heif
