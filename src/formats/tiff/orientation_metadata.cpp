#include "src/formats/tiff/orientation_metadata.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "src/formats/tiff/directories.hpp"
#include "src/formats/tiff/metamorph.hpp"
#include "src/metadata/exif.hpp"
#include "src/metadata/photoshop_resources.hpp"
#include "src/metadata/tiff_structure.hpp"
#include "src/metadata/xmp.hpp"
#include "src/picture/image.hpp"

namespace qturn::tiff {
namespace {

constexpr const char* shared_bytes = "damaged: parts of the TIFF share their bytes";

// Called again after every change, because a change may have hit the header.
TiffStructure structure_of(std::span<const std::byte> file, bool big) {
  const auto tiff = TiffStructure::open(file);
  if (!tiff || tiff->big() != big) throw ImageFileError(shared_bytes);
  return *tiff;
}

// The value where it was if it fits there, else after the end of the file.
void put_value(Bytes& file, const TiffStructure& tiff, const TiffEntry& entry,
               std::string_view value) {
  const auto bytes = std::as_bytes(std::span(value.data(), value.size()));
  std::uint64_t at = entry.value_at;
  if (value.size() > entry.value_bytes) {
    if (file.size() % 2 != 0) file.push_back(std::byte{0});
    at = file.size();
    file.insert(file.end(), bytes.begin(), bytes.end());
    tiff.put(file, entry.at + 4 + tiff.offset_bytes(), tiff.offset_bytes(), at);
  }
  std::ranges::copy(bytes, file.begin() + static_cast<std::ptrdiff_t>(at));
  tiff.put(file, entry.at + 4, tiff.offset_bytes(), value.size());
}

// Pictures in sub-directories are stored like their page. One that says otherwise stays as it is.
void tag_pictures(Bytes& file, const TiffStructure& tiff, const TiffEntry& places,
                  const MetadataTurn& turn, std::vector<std::string>& warnings) {
  const std::size_t bytes = places.count == 0 ? 0 : places.value_bytes / places.count;
  for (std::uint64_t i = 0; bytes >= 4 && i < places.count; ++i) {
    const TiffEntries picture = tiff.directory(tiff.number(places.value_at + i * bytes, bytes));
    const TiffEntry* entry = picture.find(tiff_tag::orientation);
    if (!entry) continue;
    const auto says = orientation_of_directory(tiff, picture);
    if (says == turn.stored) {
      tiff.put_short(file, *entry, static_cast<std::uint16_t>(turn.tag));
    } else if (says != turn.tag) {
      warnings.emplace_back("a picture in a sub-directory keeps an orientation of its own");
    }
  }
}

MetadataTurn turn_of_page(const MetadataTurn& of_first, Orientation ahead, OtherPages others) {
  MetadataTurn turn = of_first;
  turn.stored = compose(ahead, turn.stored);
  Orientation& rest = others == OtherPages::are_turned ? turn.pixels : turn.tag;
  rest = compose(ahead, rest);
  return turn;
}

}  // namespace

std::string_view tiff_xmp(std::span<const std::byte> file) {
  const auto tiff = TiffStructure::open(file);
  if (!tiff) return {};
  const TiffEntries first = tiff->directory(tiff->first_directory());
  const TiffEntry* xmp = first.find(tiff_tag::xmp);
  if (!xmp || xmp->value_bytes == 0) return {};
  return text_of(file).substr(xmp->value_at, xmp->value_bytes);
}

Bytes turn_tiff_metadata(Bytes file, const MetadataTurn& turn, OtherPages others,
                         MissingTag missing, std::vector<std::string>& warnings) {
  const auto first = TiffStructure::open(file);
  if (!first) throw ImageFileError("truncated: the TIFF header is missing");
  std::unordered_set<std::uint64_t> seen;
  std::optional<Orientation> of_first;
  std::vector<std::pair<std::uint64_t, Orientation>> tagged;
  std::uint64_t link = first->first_at(), at = first->first_directory();
  while (at != 0) {
    const TiffStructure tiff = structure_of(file, first->big());
    const TiffEntries page = tiff.directory(at);
    if (!page.whole || !seen.insert(at).second)
      throw ImageFileError("damaged where its orientation would be");
    const auto integer = [&](std::uint16_t tag) {
      const TiffEntry* entry = page.find(tag);
      return entry ? static_cast<std::int64_t>(tiff.integer(*entry).value_or(0)) : 0;
    };
    const Orientation own = orientation_of_directory(tiff, page).value_or(Orientation::identity);
    if (!of_first) of_first = own;
    MetadataTurn its_turn = turn_of_page(turn, compose(own, inverse(*of_first)), others);
    its_turn.size = {integer(tiff_tag::width), integer(tiff_tag::height)};
    for (const TiffEntry& entry : page.entries)
      if (entry.tag == tiff_tag::orientation)
        tiff.put_short(file, entry, static_cast<std::uint16_t>(its_turn.tag));
    const std::int64_t exif_at = integer(tiff_tag::exif);
    if (exif_at != 0 && its_turn.pixels != Orientation::identity) {
      turn_exif_directory(file, static_cast<std::uint64_t>(exif_at), its_turn, warnings);
    }
    if (const TiffEntry* pairs = page.find(uic1_tag); pairs && swaps_axes(its_turn.pixels)) {
      const std::uint64_t bytes = metamorph_bytes(pairs->tag, pairs->type, pairs->count, 0);
      if (file[0] == std::byte{'I'} && tiff.holds(pairs->value_at, bytes))
        exchange_calibration(std::span(file).subspan(pairs->value_at, bytes));
    }
    if (const TiffEntry* places = page.find(tiff_tag::sub_directories)) {
      tag_pictures(file, tiff, *places, its_turn, warnings);
    }
    if (const TiffEntry* xmp = page.find(tiff_tag::xmp); xmp && xmp->value_bytes > 0) {
      const std::string_view packet(reinterpret_cast<const char*>(file.data()) + xmp->value_at,
                                    static_cast<std::size_t>(xmp->value_bytes));
      warn_of_other_orientation(packet, its_turn.stored, warnings);
      const std::string turned = turn_xmp(packet, its_turn, warnings);
      if (turned != packet) put_value(file, tiff, *xmp, turned);
    }
    if (const TiffEntry* field = page.find(tiff_tag::photoshop_resources);
        field && field->value_bytes > 0 && its_turn.pixels != Orientation::identity) {
      const Bytes turned = turn_photoshop_resources(
          std::span(file).subspan(static_cast<std::size_t>(field->value_at),
                                  static_cast<std::size_t>(field->value_bytes)),
          its_turn, warnings);
      put_value(file, tiff, *field, text_of(turned));
    }
    if (!page.find(tiff_tag::orientation) && missing == MissingTag::is_added &&
        its_turn.tag != Orientation::identity) {
      add_orientation(file, at, link, its_turn.tag);
      const TiffStructure grown = structure_of(file, first->big());
      at = grown.number(link, grown.offset_bytes());
    }
    tagged.emplace_back(at, its_turn.tag);
    const TiffStructure now = structure_of(file, first->big());
    const TiffEntries moved = now.directory(at);
    if (!moved.whole) throw ImageFileError(shared_bytes);
    link = at + now.count_bytes() + moved.entries.size() * now.entry_bytes();
    at = moved.next;
  }
  // Where parts of the file share their bytes, changing one changes another.
  const TiffStructure turned = structure_of(file, first->big());
  for (const auto& [page_at, tag] : tagged) {
    const TiffEntries page = turned.directory(page_at);
    if (!page.whole || orientation_of_directory(turned, page).value_or(tag) != tag)
      throw ImageFileError(shared_bytes);
  }
  return file;
}

}  // namespace qturn::tiff
