#include "src/carriers/exif_thumbnail.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/carriers/thumbnail_fields.hpp"
#include "src/carriers/thumbnail_pixels.hpp"
#include "src/carriers/tiff_structure.hpp"
#include "src/formats/image.hpp"

namespace qturn {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::uint16_t orientation_tag = 274, x_resolution = 282, y_resolution = 283,
                        jpeg_offset = 513, jpeg_bytes = 514;

class Thumbnail {
 public:
  Thumbnail(Bytes& body, const TiffEntries& directory) : fields_(body, directory) {}

  void turn(const CarrierTurn& turn, std::size_t max_bytes) {
    const TiffEntry *at = fields_.directory.find(jpeg_offset),
                    *bytes = fields_.directory.find(jpeg_bytes);
    Orientation applied = turn.pixels;
    if (at && bytes) {
      applied = turn_jpeg(*at, *bytes, turn, max_bytes);
    } else if (fields_.directory.find(thumbnail_strip_offsets)) {
      applied = turn_thumbnail_pixels(fields_, turn, max_bytes);
    }
    // One that was upright already beside a picture that was not, still is.
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
  Orientation turn_jpeg(const TiffEntry& offset, const TiffEntry& length, const CarrierTurn& turn,
                        std::size_t max_bytes) {
    const std::uint64_t at = fields_.tiff.integer(offset).value_or(0);
    const std::uint64_t bytes = fields_.tiff.integer(length).value_or(0);
    const std::span<std::byte> old = fields_.place(at, bytes);
    const auto size = jpeg_size(old);
    if (!size) throw ImageFileError("it is no JPEG");
    const Orientation applied = turn.turn_of(*size);
    if (applied == Orientation::identity) return applied;
    const Bytes turned = turn.turn_jpeg(old, applied);
    if (turned.size() <= old.size()) {
      std::ranges::copy(turned, old.begin());
      std::ranges::fill(old.subspan(turned.size()), std::byte{0});
    } else {
      std::size_t to = static_cast<std::size_t>(at);
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
    fields_.put_size(turned_size(applied, *size));
    return applied;
  }

  ThumbnailFields fields_;
};

}  // namespace

std::optional<Size> jpeg_size(std::span<const std::byte> jpeg) {
  const auto byte = [&](std::size_t at) { return std::to_integer<unsigned>(jpeg[at]); };
  if (jpeg.size() < 4 || byte(0) != 0xFF || byte(1) != 0xD8) return std::nullopt;
  for (std::size_t at = 2; at + 9 <= jpeg.size();) {
    if (byte(at) != 0xFF) return std::nullopt;
    const unsigned marker = byte(at + 1);
    if (marker == 0xFF) {
      ++at;
      continue;
    }
    const bool is_frame =
        marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (is_frame) {
      return Size{static_cast<std::int64_t>(byte(at + 7) << 8 | byte(at + 8)),
                  static_cast<std::int64_t>(byte(at + 5) << 8 | byte(at + 6))};
    }
    if (marker == 0xDA || marker == 0xD9) return std::nullopt;
    at += 2 + (byte(at + 2) << 8 | byte(at + 3));
  }
  return std::nullopt;
}

void turn_thumbnail(Bytes& body, const CarrierTurn& turn, std::size_t max_bytes,
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
