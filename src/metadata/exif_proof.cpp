#include "src/metadata/exif_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/jpeg/src/markers.hpp"
#include "src/metadata/exif.hpp"
#include "src/metadata/exif_thumbnail.hpp"
#include "src/metadata/exif_turn.hpp"
#include "src/metadata/tiff_structure.hpp"
#include "src/picture/errors.hpp"

namespace qturn {
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
    add(first, {image_width, image_height, orientation_tag, x_resolution, y_resolution});
    if (first.whole)  // a thumbnail that cannot be kept is left out
      add(first.at + tiff.count_bytes() + first.entries.size() * tiff.entry_bytes(),
          tiff.offset_bytes());
    if (const TiffEntry* link = first.find(exif_directory)) {
      const TiffEntries exif = tiff.directory(tiff.integer(*link).value_or(body.size()));
      add(exif, {pixel_x_dimension, pixel_y_dimension, subject_area, subject_location});
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
