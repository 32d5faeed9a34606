#include "src/metadata/exif.hpp"

#include "src/metadata/exif_thumbnail.hpp"
#include "src/metadata/tiff_structure.hpp"
#include "src/picture/errors.hpp"

namespace qturn {
namespace {

using namespace exif_tag;

// The header has the byte order of a TIFF, but then another number than 42. ExifTool reads the
// block, Pillow only if the number is 42 with its bytes exchanged or BigTIFF's, libexif never.
bool is_read_by_some(std::span<const std::byte> data) {
  return TiffStructure::is_marked(data) && !TiffStructure::open(data);
}

}  // namespace

StoredOrientation stored_orientation(std::span<const std::byte> data) {
  using Certainty = StoredOrientation::Certainty;
  const auto tiff = TiffStructure::open(data);
  if (!tiff && TiffStructure::is_marked(data)) return {Certainty::unknown, Orientation::identity};
  if (!tiff || tiff->first_directory() == 0) return {};
  const TiffEntries first = tiff->directory(tiff->first_directory());
  if (const auto value = orientation_of_directory(*tiff, first)) {
    return {Certainty::present, *value};
  }
  return {first.all_entries ? Certainty::absent : Certainty::unknown, Orientation::identity};
}

std::optional<Orientation> orientation_of_tag(std::uint64_t value) {
  if (value < 1 || value > 8) return std::nullopt;
  return static_cast<Orientation>(value);
}

std::optional<Orientation> orientation_of_directory(const TiffStructure& tiff,
                                                    const TiffEntries& directory) {
  const TiffEntry* entry = directory.find(orientation_tag);
  if (!entry) return std::nullopt;
  return orientation_of_tag(tiff.integer(*entry).value_or(0)).value_or(Orientation::identity);
}

std::optional<TiffEntries> repeated_exif_directory(const TiffStructure& tiff,
                                                   const TiffEntries& first) {
  if (!first.whole || first.next == 0 || first.next == first.at) return std::nullopt;
  const TiffEntries second = tiff.directory(first.next);
  const auto at_of = [&](const TiffEntries& directory) {
    const TiffEntry* link = directory.find(exif_tag::exif_directory);
    return link ? tiff.integer(*link) : std::nullopt;
  };
  const auto at = at_of(second);
  if (!second.whole || !at || at == at_of(first)) return std::nullopt;
  TiffEntries repeated = tiff.directory(*at);
  if (!repeated.whole) return std::nullopt;
  return repeated;
}

bool set_orientation(std::span<std::byte> data, Orientation value) {
  const auto tiff = TiffStructure::open(data);
  if (!tiff) return !TiffStructure::is_marked(data);
  if (tiff->first_directory() == 0) return true;
  const TiffEntries first = tiff->directory(tiff->first_directory());
  bool any = false;
  for (const TiffEntry& entry : first.entries) {
    if (entry.tag != orientation_tag) continue;
    tiff->put_short(data, entry, static_cast<std::uint16_t>(value));
    any = true;
  }
  return first.all_entries || any;
}

bool set_upright(std::span<std::byte> data) { return set_orientation(data, Orientation::identity); }

std::span<const std::byte> exif_body(std::span<const std::byte> block) {
  const std::string_view text = text_of(block);
  std::size_t at = 0;
  while (is_exif_signed(text.substr(at))) at += exif_signature.size();
  return block.subspan(at);
}

std::string why_unknown(std::span<const std::byte> data) {
  return is_read_by_some(data)
             ? "the Exif block has a header that some programs read and others do not, so its "
               "orientation cannot be told"
             : "the Exif block is damaged where its orientation would be";
}

Orientation orientation_of_exif(std::span<const std::byte> block) {
  const StoredOrientation stored = stored_orientation(exif_body(block));
  if (stored.certainty == StoredOrientation::Certainty::unknown) {
    throw ImageFileError(why_unknown(exif_body(block)));
  }
  return stored.value;
}

Bytes upright_exif(std::span<const std::byte> block) {
  Bytes upright(block.begin(), block.end());
  if (!set_upright(std::span(upright).last(exif_body(block).size()))) {
    throw ImageFileError(why_unknown(exif_body(block)));
  }
  return upright;
}

namespace {

using namespace exif_tag;

class Fields {
 public:
  explicit Fields(const TiffStructure& tiff) : tiff_(tiff) {}

  std::optional<std::uint64_t> integer(const TiffEntries& directory, std::uint16_t tag) const {
    const TiffEntry* entry = directory.find(tag);
    return entry ? tiff_.integer(*entry) : std::nullopt;
  }

  std::optional<Size> size(const TiffEntries& directory, std::uint16_t width_tag,
                           std::uint16_t height_tag) const {
    const auto width = integer(directory, width_tag), height = integer(directory, height_tag);
    if (!width || !height) return std::nullopt;
    return Size{static_cast<std::int64_t>(*width), static_cast<std::int64_t>(*height)};
  }

 private:
  const TiffStructure& tiff_;
};

}  // namespace

ExifSays read_exif(std::span<const std::byte> data) {
  ExifSays says;
  const StoredOrientation stored = stored_orientation(data);
  if (stored.certainty == StoredOrientation::Certainty::present) says.orientation = stored.value;
  const auto tiff = TiffStructure::open(data);
  says.damaged = !tiff;
  if (!tiff || tiff->first_directory() == 0) return says;

  const Fields fields(*tiff);
  const TiffEntries first = tiff->directory(tiff->first_directory());
  says.damaged = !first.whole;
  says.image = fields.size(first, image_width, image_height);
  if (const TiffEntry* entry = first.find(camera_make); entry && entry->value_bytes > 0)
    says.make = text_of(data).substr(static_cast<std::size_t>(entry->value_at),
                                     static_cast<std::size_t>(entry->value_bytes));
  if (const auto at = fields.integer(first, exif_directory)) {
    const TiffEntries exif = tiff->directory(*at);
    says.damaged |= !exif.whole;
    says.pixels = fields.size(exif, pixel_x_dimension, pixel_y_dimension);
    for (const std::uint16_t tag : {subject_area, subject_location}) {
      const TiffEntry* entry = exif.find(tag);
      constexpr std::uint16_t short_type = 3;
      if (!entry || entry->type != short_type || entry->value_bytes == 0 || entry->count < 2 ||
          entry->count > 4)
        continue;
      says.subjects.push_back({static_cast<std::int64_t>(tiff->number(entry->value_at, 2)),
                               static_cast<std::int64_t>(tiff->number(entry->value_at + 2, 2))});
    }
    if (const auto related = fields.integer(exif, interoperability_directory))
      says.related = fields.size(tiff->directory(*related), related_width, related_height);
  }
  if (!first.whole || first.next == 0 || first.next == first.at) return says;
  const TiffEntries second = tiff->directory(first.next);
  says.damaged |= !second.whole;
  says.thumbnail_orientation = orientation_of_directory(*tiff, second);
  const auto at = fields.integer(second, jpeg_offset), bytes = fields.integer(second, jpeg_bytes);
  if (at && bytes && tiff->holds(*at, *bytes)) {
    says.thumbnail =
        jpeg_size(data.subspan(static_cast<std::size_t>(*at), static_cast<std::size_t>(*bytes)));
    says.damaged |= !says.thumbnail;
  } else {
    says.damaged |= at.has_value() || bytes.has_value();
  }
  return says;
}

}  // namespace qturn
