#include "src/formats/heif/heif.hpp"

#include <fmt/format.h>
#include <qturn/orientation.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "src/metadata/xmp.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/text.hpp"

namespace qturn::heif {
namespace {

// The size of a HEVC picture, for a HEIC that does not say it itself ("ispe" is missing).

// ISO/IEC 14496-15, 8.3.3.1: 22 bytes, then arrays of units, each with its length before it.
std::span<const std::byte> parameter_set(std::span<const std::byte> configuration) {
  constexpr std::size_t fixed_bytes = 22, type_mask = 0x3F, sequence_type = 33;
  const auto has = [&](std::size_t at, std::size_t bytes) {
    return at <= configuration.size() && bytes <= configuration.size() - at;
  };
  if (!has(fixed_bytes, 1)) return {};
  std::size_t at = fixed_bytes + 1;
  for (std::uint64_t arrays = big_endian(configuration, fixed_bytes, 1); arrays > 0; --arrays) {
    if (!has(at, 3)) return {};
    const std::uint64_t type = big_endian(configuration, at, 1) & type_mask;
    std::uint64_t units = big_endian(configuration, at + 1, 2);
    for (at += 3; units > 0; --units) {
      if (!has(at, 2)) return {};
      const auto bytes = static_cast<std::size_t>(big_endian(configuration, at, 2));
      if (!has(at + 2, bytes)) return {};
      if (type == sequence_type) return configuration.subspan(at + 2, bytes);
      at += 2 + bytes;
    }
  }
  return {};
}

// The bits of a unit, from the first to the last. After the last there are zeros, and is_over().
class Bits {
 public:
  // Leaves out the threes that keep a start code from appearing (Rec. ITU-T H.265, 7.3.1.1).
  explicit Bits(std::span<const std::byte> unit) {
    int zeros = 0;
    for (const std::byte byte : unit) {
      const bool is_stuffed = zeros >= 2 && byte == std::byte{3};
      zeros = byte == std::byte{0} ? zeros + 1 : 0;
      if (!is_stuffed) bytes_.push_back(byte);
    }
  }

  bool is_over() const { return at_ > 8 * bytes_.size(); }
  void skip(std::size_t bits) { at_ += bits; }

  std::uint64_t number(int bits) {
    std::uint64_t value = 0;
    for (; bits > 0; --bits, ++at_) {
      const bool is_there = at_ / 8 < bytes_.size();
      const auto byte = is_there ? std::to_integer<unsigned>(bytes_[at_ / 8]) : 0U;
      value = value << 1 | (byte >> (7 - at_ % 8) & 1);
    }
    return value;
  }

  // Exponential Golomb: as many zeros as bits follow the next one.
  std::uint64_t golomb() {
    constexpr int most = 32;
    int zeros = 0;
    while (zeros < most && number(1) == 0) ++zeros;
    return (std::uint64_t{1} << zeros) - 1 + number(zeros);
  }

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
};

// H.265, 7.3.3: of the whole, and of each layer that has one.
void skip_profile(Bits& bits, std::uint64_t layers_less_one) {
  constexpr std::size_t profile_bits = 88, level_bits = 8;
  constexpr std::uint64_t most_layers = 8;
  bits.skip(profile_bits + level_bits);
  if (layers_less_one == 0) return;
  std::size_t skipped = 0;
  for (std::uint64_t i = 0; i < layers_less_one; ++i) {
    skipped += (bits.number(1) != 0 ? profile_bits : 0) + (bits.number(1) != 0 ? level_bits : 0);
  }
  bits.skip(2 * (most_layers - layers_less_one) + skipped);
}

// As the sequence parameter set in the content of an "hvcC" box says it, without what its
// conformance window cuts off. Nothing if there is none, or if it is damaged.
std::optional<Size> hevc_size(std::span<const std::byte> configuration) {
  constexpr std::size_t header_bytes = 2;
  const std::span<const std::byte> unit = parameter_set(configuration);
  if (unit.size() <= header_bytes) return std::nullopt;
  Bits bits(unit.subspan(header_bytes));
  bits.skip(4);  // the number of a video's parameters
  const std::uint64_t layers_less_one = bits.number(3);
  bits.skip(1);
  if (layers_less_one > 6) return std::nullopt;
  skip_profile(bits, layers_less_one);
  bits.golomb();  // its own number
  const std::uint64_t chroma = bits.golomb();
  constexpr std::uint64_t full_chroma = 3;
  if (chroma > full_chroma) return std::nullopt;
  if (chroma == full_chroma) bits.skip(1);
  std::uint64_t width = bits.golomb(), height = bits.golomb();
  if (bits.number(1) != 0) {
    // How many pixels share a sample of chroma, in which the window is counted.
    constexpr std::array<std::uint64_t, 4> across = {1, 2, 2, 1}, down = {1, 2, 1, 1};
    std::array<std::uint64_t, 4> cut{};  // left, right, top, bottom
    for (std::uint64_t& each : cut) each = bits.golomb();
    const std::uint64_t columns = across[chroma] * (cut[0] + cut[1]),
                        rows = down[chroma] * (cut[2] + cut[3]);
    if (columns >= width || rows >= height) return std::nullopt;
    width -= columns;
    height -= rows;
  }
  if (bits.is_over() || width == 0 || height == 0) return std::nullopt;
  return Size{static_cast<std::int64_t>(width), static_cast<std::int64_t>(height)};
}

[[noreturn]] void refuse_damaged(std::string_view what) {
  throw ImageFileError(fmt::format("damaged: {}", what));
}

bool is_compressed_picture(const HeifItem& item) {
  constexpr std::string_view types[] = {"hvc1", "hev1", "av01", "avc1", "vvc1", "jpeg", "j2k1"};
  return std::ranges::count(types, item.type) > 0;
}

}  // namespace

HeifFile::HeifFile(std::span<const std::byte> source, const Limits& limits) : file(source) {
  std::optional<Box> found;
  for_each_box(file, 0, file.size(), [&](const Box& box) {
    if (box.type == "moof") {
      throw ImageFileError("an image sequence in fragments ('moof') is not supported");
    }
    if (box.type == "moov") {
      if (movie) refuse_damaged("it has two movies");
      movie = box;
    }
    if (box.type == "meco") {
      throw ImageFileError("a further metadata box ('meco') is not supported");
    }
    if (box.type == "mini") throw ImageFileError("a minimised container is not supported");
    has_manifest = has_manifest || is_manifest(file, box);
    if (box.type != "meta") return;
    if (found) refuse_damaged("it has two metadata boxes");
    found = box;
  });
  if (!found && !movie) throw ImageFileError("truncated: its metadata box is missing");
  MetadataCount counted;
  if (movie) counted.add(movie->end - movie->begin);
  counted.check(limits);
  if (!found) return;
  meta = *found;
  read_meta(limits, counted);
  check_extents();
  check_parts();
  // Exif and XMP are copied, and items may share their bytes.
  for (const auto& [number, item] : items) {
    if (!is_heif_exif(item) && !is_heif_xmp(item)) continue;
    for (const auto& piece : pieces(item)) counted.add(piece.size());
    counted.check(limits);
  }
}

void HeifFile::read_meta(const Limits& limits, MetadataCount& counted) {
  BoxReader reader(file, meta);
  reader.version();
  std::map<std::string_view, Box> parts;
  for_each_box(file, reader.at(), meta.end, [&](const Box& box) {
    if (box.type != "idat") counted.add(box.end - box.begin);
    if (!parts.emplace(box.type, box).second && box.type != "free" && box.type != "skip" &&
        box.type != "uuid") {
      refuse_damaged(fmt::format("it has two '{}' boxes", message_text(box.type)));
    }
  });
  counted.check(limits);
  const auto part = [&](std::string_view type) -> const Box& {
    const auto found = parts.find(type);
    if (found == parts.end()) refuse_damaged(fmt::format("its '{}' box is missing", type));
    return found->second;
  };
  part("hdlr");
  BoxReader first(file, part("pitm"));
  primary = static_cast<std::uint32_t>(first.number(first.version().version == 0 ? 2 : 4));
  read_items(part("iinf"));
  check_limit(limits, &Limits::metadata_count, items.size());
  properties = part("iprp");
  read_properties(properties);
  if (parts.contains("idat")) data = parts["idat"];
  if (parts.contains("iloc")) {
    locations = parts["iloc"];
    take_locations(*locations);
  }
  if (parts.contains("iref")) read_references(parts["iref"]);
  if (parts.contains("grpl")) read_groups(parts["grpl"]);
  item(primary);
}

void HeifFile::read_items(const Box& box) {
  BoxReader reader(file, box);
  reader.number(reader.version().version == 0 ? 2 : 4);  // how many
  for_each_box(file, reader.at(), box.end, [&](const Box& entry) {
    if (entry.type == "infe") read_item(entry);
  });
}

void HeifFile::read_item(const Box& box) {
  BoxReader reader(file, box);
  const auto [version, flags] = reader.version();
  if (version < 2) return;  // of other uses of the container
  const auto number = static_cast<std::uint32_t>(reader.number(version == 2 ? 2 : 4));
  reader.number(2);  // its protection
  HeifItem item;
  item.is_hidden = (flags & 1) != 0;
  item.type = reader.characters(4);
  reader.text();  // its name
  if (item.type == "mime") {
    item.content_type = reader.text();
    item.is_encoded = !reader.text().empty();
  }
  if (!items.emplace(number, std::move(item)).second) {
    refuse_damaged(fmt::format("two of its items have the number {}", number));
  }
}

HeifLocations read_locations(std::span<const std::byte> file, const Box& box) {
  BoxReader reader(file, box);
  HeifLocations table;
  const unsigned version = reader.version().version;
  if (version > 2) throw ImageFileError("an unknown version of its table of places");
  const std::uint64_t sizes = reader.number(2);
  table.offset_bytes = sizes >> 12 & 15;
  const std::size_t length_bytes = sizes >> 8 & 15;
  table.base_bytes = sizes >> 4 & 15;
  const std::size_t index_bytes = version == 0 ? 0 : sizes & 15;
  for (const std::size_t bytes :
       {table.offset_bytes, length_bytes, table.base_bytes, index_bytes}) {
    if (bytes != 0 && bytes != 4 && bytes != 8) refuse_damaged("its table of places");
  }
  for (std::uint64_t left = reader.number(version < 2 ? 2 : 4); left > 0; --left) {
    const auto number = static_cast<std::uint32_t>(reader.number(version < 2 ? 2 : 4));
    HeifLocation location;
    if (version > 0) location.method = static_cast<unsigned>(reader.number(2));
    if (location.method > HeifLocation::in_item) refuse_damaged("its table of places");
    const bool in_another_file = reader.number(2) != 0 && location.method == HeifLocation::in_file;
    if (in_another_file) throw ImageFileError("its pixels in another file are not supported");
    location.base_at = reader.at();
    location.base = reader.number(table.base_bytes);
    const std::uint64_t count = reader.number(2);
    // Extents that take no bytes of the table could be any number.
    if (count > 1 && table.offset_bytes + length_bytes == 0) refuse_damaged("its table of places");
    for (std::uint64_t i = 0; i < count; ++i) {
      reader.number(index_bytes);
      HeifExtent extent;
      extent.offset_at = reader.at();
      extent.offset = reader.number(table.offset_bytes);
      extent.length = reader.number(length_bytes);
      location.extents.push_back(extent);
    }
    table.items.emplace_back(number, std::move(location));
  }
  return table;
}

void move_locations(std::span<std::byte> bytes, const Box& box, const Moves& moves) {
  const HeifLocations table = read_locations(bytes, box);
  for (const auto& [number, location] : table.items) {
    if (location.method != HeifLocation::in_file) continue;
    const std::int64_t by_base = moves.by(location.base);
    Moves::put(bytes, location.base_at, table.base_bytes, location.base, by_base);
    for (const HeifExtent& extent : location.extents) {
      const std::uint64_t at = location.base + extent.offset;
      if (moves.hit(at, extent.length))
        throw ImageFileError("an item lies in its metadata box, where it would move");
      Moves::put(bytes, extent.offset_at, table.offset_bytes, extent.offset,
                 moves.by(at) - by_base);
    }
  }
}

void HeifFile::take_locations(const Box& box) {
  for (auto& [number, location] : read_locations(file, box).items) {
    const auto found = items.find(number);
    if (found == items.end()) continue;
    if (found->second.location) refuse_damaged("an item has two places");
    found->second.location = std::move(location);
  }
}

void HeifFile::read_references(const Box& box) {
  BoxReader reader(file, box);
  const std::size_t bytes = reader.version().version == 0 ? 2 : 4;
  for_each_box(file, reader.at(), box.end, [&](const Box& entry) {
    BoxReader fields(file, entry);
    HeifReference reference{
        .type = entry.type, .from = static_cast<std::uint32_t>(fields.number(bytes)), .to = {}};
    for (std::uint64_t left = fields.number(2); left > 0; --left) {
      reference.to.push_back(static_cast<std::uint32_t>(fields.number(bytes)));
    }
    references.push_back(std::move(reference));
  });
}

void HeifFile::read_groups(const Box& box) {
  for_each_box(file, box.content, box.end, [&](const Box& entry) {
    BoxReader fields(file, entry);
    fields.version();
    fields.number(4);  // its own number
    HeifGroup group{.type = entry.type, .items = {}};
    for (std::uint64_t left = fields.number(4); left > 0; --left) {
      group.items.push_back(static_cast<std::uint32_t>(fields.number(4)));
    }
    groups.push_back(std::move(group));
  });
}

void HeifFile::read_properties(const Box& box) {
  const auto list = find_box(file, box.content, box.end, "ipco");
  if (!list) refuse_damaged("its 'ipco' box is missing");
  for_each_box(file, list->content, list->end,
               [&](const Box& property) { property_list.push_back(property); });
  constexpr std::size_t most = 0x7FFF;
  if (property_list.size() > most) refuse_damaged("it has more properties than have a number");
  for_each_box(file, box.content, box.end, [&](const Box& part) {
    if (part.type == "ipma") read_associations(part);
    if (part.type == "ipco" && part.begin != list->begin) {
      refuse_damaged("it has two 'ipco' boxes");
    }
  });
}

void HeifFile::read_associations(const Box& box) {
  BoxReader reader(file, box);
  const auto [version, flags] = reader.version();
  for (std::uint64_t left = reader.number(4); left > 0; --left) {
    const auto number = static_cast<std::uint32_t>(reader.number(version == 0 ? 2 : 4));
    const auto found = items.find(number);
    std::vector<HeifAssociation>& list =
        found == items.end() ? other_properties[number] : found->second.properties;
    if (!list.empty()) refuse_damaged("an item has two lists of properties");
    const bool wide = (flags & 1) != 0;
    for (std::uint64_t count = reader.number(1); count > 0; --count) {
      const auto field = static_cast<std::uint16_t>(reader.number(wide ? 2 : 1));
      const std::uint16_t essential = wide ? 0x8000 : 0x80;
      const HeifAssociation association{.property = static_cast<std::uint16_t>(field & ~essential),
                                        .is_essential = (field & essential) != 0};
      if (association.property > property_list.size()) {
        refuse_damaged("an item has a property that does not exist");
      }
      if (association.property != 0) list.push_back(association);
    }
  }
}

void HeifFile::check_extents() const {
  for (const auto& [number, item] : items) {
    if (!item.location) continue;
    const HeifLocation& location = *item.location;
    if (location.method == HeifLocation::in_item) continue;
    std::uint64_t begin = 0, end = file.size();
    if (location.method == HeifLocation::in_idat) {
      if (!data) refuse_damaged("its 'idat' box is missing");
      begin = data->content;
      end = data->end;
    }
    std::uint64_t room = end - begin, total = 0;
    for (const HeifExtent& extent : location.extents) {
      if (location.base > room || extent.offset > room - location.base ||
          extent.length > room - location.base - extent.offset) {
        throw ImageFileError(
            fmt::format("truncated: item {} ends after the end of the file", number));
      }
      total += extent.length;
    }
    if (total > file.size()) refuse_damaged("an item repeats its bytes");
  }
}

void HeifFile::check_parts() const {
  std::map<std::uint32_t, std::uint64_t> parts;
  for (const HeifReference& reference : references) {
    if (reference.type != "dimg") continue;
    for (const std::uint32_t part : reference.to) this->item(part);
    parts[reference.from] += reference.to.size();
  }
  for (const auto& [number, item] : items) {
    const bool is_grid = item.type == "grid";
    if (!is_grid && !is_compressed_picture(item)) continue;
    if (item.location && item.location->method == HeifLocation::in_item) continue;
    const auto pieces = this->pieces(item);
    if (std::ranges::all_of(pieces, [](const auto& piece) { return piece.empty(); })) {
      refuse_damaged(fmt::format("item {} has no data", number));
    }
    if (!is_grid) continue;
    // A version, flags, and the numbers of its rows and columns, less one.
    const Bytes grid = *content(item);
    if (grid.size() < 4) refuse_damaged(fmt::format("item {} is incomplete", number));
    const std::uint64_t wanted = (big_endian(grid, 2, 1) + 1) * (big_endian(grid, 3, 1) + 1);
    if (parts[number] != wanted) {
      refuse_damaged(
          fmt::format("item {} needs {} parts and has {}", number, wanted, parts[number]));
    }
  }
}

const HeifItem& HeifFile::item(std::uint32_t number) const {
  const auto found = items.find(number);
  if (found == items.end()) refuse_damaged(fmt::format("item {} does not exist", number));
  return found->second;
}

std::optional<std::span<const std::byte>> HeifFile::find(const HeifItem& item,
                                                         std::string_view type) const {
  for (const HeifAssociation& association : item.properties) {
    const Box& box = property(association);
    if (box.type == type) return file.subspan(box.content, box.end - box.content);
  }
  return std::nullopt;
}

std::vector<std::span<const std::byte>> HeifFile::pieces(const HeifItem& item) const {
  std::vector<std::span<const std::byte>> pieces;
  if (!item.location || item.location->method > HeifLocation::in_idat) return pieces;
  const HeifLocation& location = *item.location;
  const std::uint64_t begin =
      location.base + (location.method == HeifLocation::in_idat ? data->content : 0);
  for (const HeifExtent& extent : location.extents) {
    pieces.push_back(file.subspan(begin + extent.offset, extent.length));
  }
  return pieces;
}

std::optional<Bytes> HeifFile::content(const HeifItem& item) const {
  const std::vector<std::span<const std::byte>> pieces = this->pieces(item);
  if (pieces.empty()) return std::nullopt;
  Bytes content;
  for (const auto& piece : pieces) content.insert(content.end(), piece.begin(), piece.end());
  return content;
}

void refuse_scaled(const HeifFile& heif, const HeifItem& item) {
  if (heif.find(item, "iscl")) {
    throw ImageFileError("it is scaled ('iscl') and turned, which is not supported");
  }
}

std::vector<Step> steps_of(Orientation orientation) {
  switch (orientation) {
    case Orientation::identity:
      return {};
    case Orientation::flop:
      return {{"imir", 1}};
    case Orientation::rotate180:
      return {{"irot", 2}};
    case Orientation::flip:
      return {{"imir", 0}};
    case Orientation::transpose:
      return {{"irot", 1}, {"imir", 0}};
    case Orientation::rotate90:
      return {{"irot", 3}};
    case Orientation::transverse:
      return {{"irot", 1}, {"imir", 1}};
    case Orientation::rotate270:
      return {{"irot", 1}};
  }
  return {};
}

// irot turns to the left. imir with axis 0 exchanges top and bottom.
Orientation orientation_of_step(std::span<const std::byte> file, const Box& box) {
  constexpr Orientation turns[] = {Orientation::identity, Orientation::rotate270,
                                   Orientation::rotate180, Orientation::rotate90};
  const std::uint64_t value = BoxReader(file, box).number(1);
  if (box.type == "irot") return turns[value & 3];
  return (value & 1) == 0 ? Orientation::flip : Orientation::flop;
}

Orientation shown_orientation(const HeifFile& heif, const HeifItem& item) {
  Orientation shown = Orientation::identity;
  bool any = false;
  for (const HeifAssociation& association : item.properties) {
    const Box& box = heif.property(association);
    if (box.type == "clap" && any) {
      throw ImageFileError("it is cropped after it is turned, which is not supported");
    }
    if (box.type != "irot" && box.type != "imir") continue;
    if (!any) refuse_scaled(heif, item);
    any = true;
    shown = compose(shown, orientation_of_step(heif.file, box));
  }
  return shown;
}

namespace {

Size stored_size(const HeifFile& heif, const HeifItem& item) {
  if (const auto extents = heif.find(item, "ispe"); extents && extents->size() >= 12) {
    return {static_cast<std::int64_t>(big_endian(*extents, 4, 4)),
            static_cast<std::int64_t>(big_endian(*extents, 8, 4))};
  }
  const auto hevc = heif.find(item, "hvcC");
  const std::optional<Size> size = hevc ? hevc_size(*hevc) : std::nullopt;
  if (!size) refuse_damaged("its picture has no size");
  return *size;
}

}  // namespace

Size shown_size(const HeifFile& heif, const HeifItem& item) {
  Size size = stored_size(heif, item);
  if (const auto crop = heif.find(item, "clap"); crop && crop->size() >= 16) {
    const auto side = [&](std::size_t at, std::int64_t whole) {
      const auto numerator = static_cast<std::int64_t>(big_endian(*crop, at, 4));
      const auto denominator = static_cast<std::int64_t>(big_endian(*crop, at + 4, 4));
      return denominator == 0 ? whole : std::min(whole, numerator / denominator);
    };
    size = {side(0, size.width), side(8, size.height)};
  }
  if (size.width == 0 || size.height == 0) refuse_damaged("its picture has no size");
  return turned_size(shown_orientation(heif, item), size);
}

bool is_heif_exif(const HeifItem& item) { return item.type == "Exif"; }

bool is_heif_xmp(const HeifItem& item) {
  return item.type == "mime" && item.content_type == "application/rdf+xml";
}

bool says_turn(const HeifFile& heif, const HeifItem& item) {
  return heif.find(item, "irot") || heif.find(item, "imir");
}

std::optional<Orientation> doubted_orientation(const HeifFile& heif) {
  if (heif.has_picture() && says_turn(heif, heif.item(heif.primary))) return std::nullopt;
  for (const IgnoredOrientation& each : ignored_orientations(heif))
    if (each.where == std::string_view("Exif") && each.says != Orientation::identity)
      return each.says;
  return std::nullopt;
}

bool is_stereo(const HeifFile& heif) {
  return std::ranges::any_of(heif.groups, [&](const HeifGroup& group) {
    return group.type == "ster" && std::ranges::count(group.items, heif.primary) > 0;
  });
}

std::vector<IgnoredOrientation> ignored_orientations(const HeifFile& heif) {
  std::vector<IgnoredOrientation> all;
  for (const auto& [number, item] : heif.items) {
    const bool is_exif = is_heif_exif(item), is_xmp = is_heif_xmp(item) && !item.is_encoded;
    const auto content = is_exif || is_xmp ? heif.content(item) : std::nullopt;
    if (!content) continue;
    const auto says = is_exif ? exif_item_says(*content) : orientation_of_xmp(text_of(*content));
    if (says) all.push_back({is_exif ? "Exif" : "XMP", *says});
  }
  return all;
}

}  // namespace qturn::heif
