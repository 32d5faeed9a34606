#include "src/carriers/exif.hpp"

#include <unordered_set>

#include "src/carriers/tiff_structure.hpp"
#include "src/formats/image.hpp"

namespace qturn {
namespace {

constexpr std::uint16_t orientation_tag = 274;
constexpr std::uint16_t byte_type = 1, short_type = 3, long_type = 4;

Orientation orientation_of_entry(const TiffStructure& tiff, const TiffEntry& entry) {
  if (entry.type != byte_type && entry.type != short_type && entry.type != long_type) {
    return Orientation::identity;
  }
  const std::uint64_t value = tiff.integer(entry).value_or(0);
  return value >= 1 && value <= 8 ? static_cast<Orientation>(value) : Orientation::identity;
}

constexpr const char* no_orientation = "the Exif block is damaged where its orientation would be";

}  // namespace

StoredOrientation stored_orientation(std::span<const std::byte> data) {
  using Certainty = StoredOrientation::Certainty;
  const auto tiff = TiffStructure::open(data);
  if (!tiff || tiff->first_directory() == 0) return {};
  const TiffEntries first = tiff->directory(tiff->first_directory());
  if (const TiffEntry* entry = first.find(orientation_tag)) {
    return {Certainty::present, orientation_of_entry(*tiff, *entry)};
  }
  return {first.all_entries ? Certainty::absent : Certainty::unknown, Orientation::identity};
}

bool set_orientation(std::span<std::byte> data, Orientation value, Directories directories) {
  const auto tiff = TiffStructure::open(data);
  if (!tiff) return true;
  std::unordered_set<std::uint64_t> seen;
  for (std::uint64_t at = tiff->first_directory(); at != 0;) {
    if (!seen.insert(at).second) return false;  // the chain runs in a circle
    const TiffEntries directory = tiff->directory(at);
    bool any = false;
    for (const TiffEntry& entry : directory.entries) {
      if (entry.tag != orientation_tag) continue;
      tiff->put_short(data, entry, static_cast<std::uint16_t>(value));
      any = true;
    }
    if (directories == Directories::first) return directory.all_entries || any;
    if (!directory.whole) return false;
    at = directory.next;
  }
  return true;
}

bool set_upright(std::span<std::byte> data, Directories directories) {
  return set_orientation(data, Orientation::identity, directories);
}

std::span<const std::byte> exif_body(std::span<const std::byte> block) {
  const std::string_view text(reinterpret_cast<const char*>(block.data()), block.size());
  return text.starts_with(exif_signature) ? block.subspan(exif_signature.size()) : block;
}

Orientation orientation_of_exif(std::span<const std::byte> block) {
  const StoredOrientation stored = stored_orientation(exif_body(block));
  if (stored.certainty == StoredOrientation::Certainty::unknown) {
    throw ImageFileError(no_orientation);
  }
  return stored.value;
}

std::vector<std::byte> upright_exif(std::span<const std::byte> block) {
  std::vector<std::byte> upright(block.begin(), block.end());
  if (!set_upright(std::span(upright).last(exif_body(block).size()), Directories::first)) {
    throw ImageFileError(no_orientation);
  }
  return upright;
}

}  // namespace qturn
