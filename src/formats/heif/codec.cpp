// HEIC and AVIF, which share their container. Their pixels are never decoded: a turn is written to
// the container, where all readers must obey it (heif.hpp).
//
// The rows of HEIC and AVIF.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "src/formats/container/boxes.hpp"
#include "src/formats/container/container_turn.hpp"
#include "src/formats/container/video_matrix.hpp"
#include "src/formats/heif/heif.hpp"
#include "src/formats/table.hpp"
#include "src/metadata/exif.hpp"
#include "src/picture/file_limits.hpp"

namespace qturn::heif {
namespace {

// The brands at the start of a file: the major one, a version, and those that it is compatible
// with.
bool has_brand(std::span<const std::byte> head, std::initializer_list<std::string_view> wanted) {
  const std::string_view text = text_of(head);
  constexpr std::size_t version_at = 12;
  if (text.size() < version_at || text.substr(4, 4) != "ftyp") return false;
  for (std::size_t at = 8; at + 4 <= text.size(); at += 4) {
    if (at != version_at && std::ranges::count(wanted, text.substr(at, 4)) > 0) return true;
  }
  return false;
}

bool is_avif(std::span<const std::byte> head, std::string_view) {
  return has_brand(head, {"avif", "avis"});
}

bool is_heic(std::span<const std::byte> head, std::string_view) {
  return !has_brand(head, {"avif", "avis"}) &&
         has_brand(head, {"heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "mif2", "msf1"});
}

void look_at_track(const HeifFile& heif, const Box& track, Header& header) {
  for_each_box(heif.file, track.content, track.end, [&](const Box& box) {
    look_at_box(BoxesOf::heif_tracks, box.type,
                heif.file.subspan(box.content, box.end - box.content), header);
    if (box.type != "mdia") return;
    const std::string_view handler = handler_of(heif.file, track);
    look_at_box(BoxesOf::heif_tracks, handler, std::as_bytes(std::span(handler)), header);
  });
}

void look_at_boxes(const HeifFile& heif, Header& header) {
  const auto look = [&](BoxesOf boxes, const Box& box) {
    look_at_box(boxes, box.type, heif.file.subspan(box.content, box.end - box.content), header);
  };
  for_each_box(heif.file, 0, heif.file.size(), [&](const Box& box) { look(BoxesOf::heif, box); });
  for (const Box& property : heif.property_list) look(BoxesOf::heif_properties, property);
  for (const auto& [number, item] : heif.items) {
    const std::vector<std::span<const std::byte>> pieces = heif.pieces(item);
    std::string type(item.type);
    if (!item.content_type.empty()) type.append(" ").append(item.content_type);
    if (item.is_encoded) type += " (compressed)";
    if (!pieces.empty()) look_at_box(BoxesOf::heif_items, type, pieces.front(), header);
  }
  if (heif.movie) {
    for_each_box(heif.file, heif.movie->content, heif.movie->end, [&](const Box& box) {
      look(BoxesOf::heif_movie, box);
      if (box.type == "trak") look_at_track(heif, box, header);
    });
  }
  if (!heif.has_picture()) return;
  BoxReader reader(heif.file, heif.meta);
  reader.version();
  for_each_box(heif.file, reader.at(), heif.meta.end,
               [&](const Box& box) { look(BoxesOf::heif_metadata, box); });
}

Header header_of(const HeifFile& heif) {
  const Sequence sequence = heif.movie ? read_sequence(heif.file, *heif.movie) : Sequence();
  Header header = header_of_size(heif.has_picture() ? shown_size(heif, heif.item(heif.primary))
                                                    : sequence.shown_size());
  header.doubt = sequence.doubt;
  if (const auto exif = doubted_orientation(heif); exif && header.doubt.empty()) {
    header.doubted = exif;
    header.doubt = fmt::format(
        "programs show it in two ways, because Exif says orientation {} and its container (irot) "
        "says nothing; it stays as it is",
        static_cast<int>(*exif));
  }
  const auto says_a_turn = [](const auto& each) { return each.says != Orientation::identity; };
  header.has_ignored_tag =
      header.doubt.empty() && std::ranges::any_of(ignored_orientations(heif), says_a_turn);
  for (const auto& [number, item] : heif.items) {
    const auto xmp = is_heif_xmp(item) && !item.is_encoded ? heif.content(item) : std::nullopt;
    if (xmp) add_placed_in_xmp(text_of(*xmp), header);
    const auto exif = is_heif_exif(item) ? heif.content(item) : std::nullopt;
    if (exif) look_at_exif(exif_item_body(*exif), header);
  }
  look_at_boxes(heif, header);
  if (heif.has_manifest) add_placed(signed_manifest(), header);
  if (is_stereo(heif)) add_placed({.name = "its stereo pair (left and right)"}, header);
  return header;
}

void check(std::span<const std::byte> file, MetadataCheck& check) {
  const HeifFile heif(file, unlimited);
  if (heif.has_picture())
    check_ignored(ignored_orientations(heif), shown_orientation(heif, heif.item(heif.primary)),
                  check);
}

std::vector<FilePart> parts(std::span<const std::byte> file, Orientation applied) {
  using enum FilePart::Kind;
  const HeifFile heif(file, unlimited);
  std::vector<FilePart> parts;
  const auto add_turn = [&](std::uint32_t number, const std::string& name) {
    const Orientation shown = shown_orientation(heif, heif.item(number));
    parts.push_back(said_part(name, std::to_string(static_cast<int>(compose(shown, applied)))));
  };
  if (heif.has_picture()) add_turn(heif.primary, "the orientation of the picture");
  for (const HeifReference& reference : heif.references) {
    const bool is_smaller = reference.type == "thmb" || reference.type == "auxl";
    if (is_smaller && std::ranges::count(reference.to, heif.primary) > 0)
      add_turn(reference.from, fmt::format("the orientation of item {}", reference.from));
  }
  if (heif.movie) {
    for (const PictureTrack& track : read_sequence(file, *heif.movie).tracks)
      parts.push_back(said_part("the orientation of a track",
                                std::to_string(static_cast<int>(compose(track.shown, applied)))));
    for (const Bytes& chunks : beginnings_of_chunks(file, *heif.movie))
      parts.push_back(FilePart::of_copy(fixed, "the samples of a track", chunks));
  }
  for (const auto& [number, item] : heif.items) {
    const std::string name = fmt::format("item {} ({})", number, item.type);
    if (is_heif_exif(item) || is_heif_xmp(item)) {
      parts.emplace_back(other, name, std::span<const std::byte>());
      continue;
    }
    for (const auto piece : heif.pieces(item)) parts.emplace_back(fixed, name, piece);
  }
  for_each_box(file, 0, file.size(), [&](const Box& box) {
    if (!may_hold_video(box)) return;
    parts.emplace_back(fixed, fmt::format("the box {}", box.type),
                       file.subspan(box.content, box.end - box.content));
    parts.back().turn_as_seen = turn_videos;
  });
  for (const Box& box : heif.property_list)
    if (box.type != "irot" && box.type != "imir")
      parts.emplace_back(fixed, fmt::format("the property {}", box.type),
                         file.subspan(box.content, box.end - box.content));
  return parts;
}

Header read_header(std::span<const std::byte> file) { return header_of(HeifFile(file, unlimited)); }

void check_limits(std::span<const std::byte> file, const Limits& limits) { HeifFile(file, limits); }

std::unique_ptr<CompressedTurn> turn_compressed(std::span<const std::byte> file, const JpegOptions&,
                                                const Limits& limits) {
  // The result, and its metadata box.
  constexpr std::uint64_t tables = 1 << 20;
  HeifFile heif(file, limits);
  std::uint64_t needed = 2 * file.size() + 16 * (heif.meta.end - heif.meta.begin) + tables;
  if (heif.movie) needed += 2 * file.size() + 4 * (heif.movie->end - heif.movie->begin);
  Header header = header_of(heif);
  return std::make_unique<ContainerTurn<HeifFile>>(
      std::move(heif), std::move(header), needed, turned_heif,
      [](const HeifFile& turned, Orientation applied) -> std::string {
        if (!turned.movie || is_rotation(applied)) return {};
        return "its image sequence is not mirrored: players obey its rotation alone";
      });
}

}  // namespace

const Codec heic_codec = {
    .name = "heic",
    .alias = "heif",
    .suffixes = {".heic", ".heif", ".hif"},
    .recognises = is_heic,
    .check_limits = check_limits,
    .read_header = read_header,
    .turn_compressed = turn_compressed,
    .check = check,
    .parts = parts,
};

const Codec avif_codec = {
    .name = "avif",
    .suffixes = {".avif"},
    .recognises = is_avif,
    .check_limits = check_limits,
    .read_header = read_header,
    .turn_compressed = turn_compressed,
    .check = check,
    .parts = parts,
};

}  // namespace qturn::heif
