#include "src/metadata/exif_thumbnail.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/metadata/exif_tags.hpp"
#include "src/metadata/jpeg_size.hpp"
#include "src/metadata/thumbnail_fields.hpp"
#include "src/metadata/thumbnail_pixels.hpp"
#include "src/metadata/tiff_structure.hpp"
#include "src/picture/errors.hpp"

namespace qturn {
namespace {

using namespace exif_tag;

class Thumbnail {
 public:
  Thumbnail(Bytes& body, const TiffEntries& directory) : fields_(body, directory) {}

  void turn(const MetadataTurn& turn, std::size_t max_bytes) {
    const TiffEntry *at = fields_.directory.find(jpeg_offset),
                    *bytes = fields_.directory.find(jpeg_bytes);
    Orientation applied = turn.pixels;
    if (at && bytes) {
      applied = turn_compressed(*at, *bytes, turn, max_bytes);
    } else if (fields_.directory.find(thumbnail_strip_offsets)) {
      applied = turn_thumbnail_pixels(fields_, turn, max_bytes);
    }
    // A thumbnail that was upright already, in a picture that was not, stays upright.
    const bool like_the_pixels = applied == turn.pixels;
    if (swaps_axes(applied))
      fields_.tiff.exchange(fields_.body, fields_.directory, x_resolution, y_resolution);
    for (const TiffEntry& entry : fields_.directory.entries) {
      if (entry.tag != orientation_tag) continue;
      const Orientation tag = like_the_pixels ? turn.tag : Orientation::identity;
      fields_.tiff.put_short(fields_.body, entry, static_cast<std::uint16_t>(tag));
    }
  }

 private:
  Orientation turn_compressed(const TiffEntry& offset, const TiffEntry& length,
                              const MetadataTurn& turn, std::size_t max_bytes) {
    const std::uint64_t at = fields_.tiff.integer(offset).value_or(0);
    const std::uint64_t bytes = fields_.tiff.integer(length).value_or(0);
    const std::span<std::byte> old = fields_.place(at, bytes);
    const Size size = jpeg_thumbnail_size(old);
    const Orientation applied = turn.turn_of(size);
    if (applied == Orientation::identity) return applied;
    const Bytes turned = turn.turn_embedded(old, applied);
    if (turned.size() <= old.size()) {
      std::ranges::copy(turned, old.begin());
      std::ranges::fill(old.subspan(turned.size()), std::byte{0});
    } else {
      auto to = static_cast<std::size_t>(at);
      if (at + bytes != fields_.body.size()) to = fields_.body.size() + fields_.body.size() % 2;
      if (to > max_bytes || turned.size() > max_bytes - to) {
        throw ImageFileError("it takes more bytes than before, and the Exif block is full");
      }
      fields_.body.resize(to + turned.size());
      std::copy(turned.begin(), turned.end(),
                fields_.body.begin() + static_cast<std::ptrdiff_t>(to));
      fields_.tiff.put_integer(fields_.body, offset, static_cast<std::uint32_t>(to));
    }
    fields_.tiff.put_integer(fields_.body, length, static_cast<std::uint32_t>(turned.size()));
    fields_.put_size(turned_size(applied, size));
    return applied;
  }

  ThumbnailFields fields_;
};

}  // namespace

void turn_thumbnail(Bytes& body, const MetadataTurn& turn, std::size_t max_bytes,
                    std::vector<std::string>& warnings) {
  const auto tiff = TiffStructure::open(body);
  if (!tiff) return;
  const TiffEntries first = tiff->directory(tiff->first_directory());
  if (!first.whole || first.next == 0) return;
  const TiffEntries second = tiff->directory(first.next);
  std::string problem;
  try {
    if (!second.whole || first.next == first.at) throw ImageFileError("its directory is damaged");
    Thumbnail(body, second).turn(turn, max_bytes);
    return;
  } catch (const ImageFileError& error) {
    problem = error.what();
  }
  if (turn.pixels == Orientation::identity) return;
  const std::uint64_t link =
      first.at + tiff->count_bytes() + first.entries.size() * tiff->entry_bytes();
  tiff->put(body, link, tiff->offset_bytes(), 0);
  warnings.push_back(fmt::format("the thumbnail in its Exif block was left out: {}", problem));
}

}  // namespace qturn
