#include "src/carriers/exif_thumbnail.hpp"

#include <fmt/format.h>
#include <qturn/transform.hpp>

#include <algorithm>

#include "src/carriers/tiff_structure.hpp"
#include "src/formats/image.hpp"

namespace qturn {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::uint16_t image_width = 256, image_height = 257, compression = 259, photometric = 262,
                        strip_offsets = 273, orientation_tag = 274, rows_per_strip = 278,
                        strip_byte_counts = 279, x_resolution = 282, y_resolution = 283,
                        jpeg_offset = 513, jpeg_bytes = 514, chroma_steps = 530;
constexpr std::uint64_t uncompressed = 1, white_is_zero = 0, black_is_zero = 1, rgb = 2, ycbcr = 6;

// What moves as one: a pixel, or the pixels that share their chroma, stored as their luma row by
// row and then the chroma.
struct Group {
  std::int64_t width = 1, height = 1, bytes = 1;
  bool shares_chroma = false;
};

class Thumbnail {
 public:
  Thumbnail(Bytes& body, const TiffEntries& directory)
      : body_(body), tiff_(*TiffStructure::open(body)), directory_(directory) {}

  void turn(const CarrierTurn& turn, std::size_t max_bytes) {
    const TiffEntry *at = directory_.find(jpeg_offset), *bytes = directory_.find(jpeg_bytes);
    Orientation applied = turn.pixels;
    if (at && bytes) {
      applied = turn_jpeg(*at, *bytes, turn, max_bytes);
    } else if (directory_.find(strip_offsets)) {
      applied = turn_pixels(turn);
    }
    // One that was upright already beside a picture that was not, still is.
    const bool like_the_pixels = applied == turn.pixels;
    if (swaps_axes(applied)) tiff_.exchange(body_, directory_, x_resolution, y_resolution);
    for (const TiffEntry& entry : directory_.entries) {
      if (entry.tag != orientation_tag) continue;
      const Orientation tag = like_the_pixels ? turn.tag : Orientation::identity;
      tiff_.put_short(body_, entry, static_cast<std::uint16_t>(tag));
    }
  }

 private:
  std::uint64_t number(std::uint16_t tag, std::uint64_t otherwise) const {
    const TiffEntry* entry = directory_.find(tag);
    return entry ? tiff_.integer(*entry).value_or(otherwise) : otherwise;
  }

  void put(std::uint16_t tag, std::int64_t value) {
    const TiffEntry* entry = directory_.find(tag);
    if (entry) tiff_.put_integer(body_, *entry, static_cast<std::uint32_t>(value));
  }

  void put_size(Size size) {
    put(image_width, size.width);
    put(image_height, size.height);
  }

  std::span<std::byte> place(std::uint64_t at, std::uint64_t bytes) {
    if (bytes == 0 || !tiff_.holds(at, bytes)) {
      throw ImageFileError("it lies beyond the end of the Exif block");
    }
    return std::span(body_).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(bytes));
  }

  Orientation turn_jpeg(const TiffEntry& offset, const TiffEntry& length, const CarrierTurn& turn,
                        std::size_t max_bytes) {
    const std::uint64_t at = tiff_.integer(offset).value_or(0);
    const std::uint64_t bytes = tiff_.integer(length).value_or(0);
    const std::span<std::byte> old = place(at, bytes);
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
      if (at + bytes != body_.size()) to = body_.size() + body_.size() % 2;
      if (to > max_bytes || turned.size() > max_bytes - to) {
        throw ImageFileError("it takes more bytes than before, and the Exif block is full");
      }
      body_.resize(to + turned.size());
      std::copy(turned.begin(), turned.end(), body_.begin() + static_cast<std::ptrdiff_t>(to));
      tiff_.put_integer(body_, offset, static_cast<std::uint32_t>(to));
    }
    tiff_.put_integer(body_, length, static_cast<std::uint32_t>(turned.size()));
    put_size(turned_size(applied, *size));
    return applied;
  }

  Group group() const {
    const std::uint64_t kind = number(photometric, rgb);
    if (number(compression, 0) != uncompressed) {
      throw ImageFileError("it is neither a JPEG nor uncompressed");
    }
    if (kind == white_is_zero || kind == black_is_zero) return {};
    if (kind == rgb) return {.bytes = 3};
    if (kind != ycbcr) throw ImageFileError("it is neither grey nor RGB nor YCbCr");
    Group group{.width = 2, .height = 2, .shares_chroma = true};
    if (const TiffEntry* steps = directory_.find(chroma_steps)) {
      if (steps->value_bytes != 4) throw ImageFileError("its chroma's steps are no two numbers");
      group.width = static_cast<std::int64_t>(tiff_.number(steps->value_at, 2));
      group.height = static_cast<std::int64_t>(tiff_.number(steps->value_at + 2, 2));
    }
    const auto is_step = [](std::int64_t step) { return step == 1 || step == 2 || step == 4; };
    if (!is_step(group.width) || !is_step(group.height)) {
      throw ImageFileError("its chroma's steps are not 1, 2 or 4");
    }
    group.bytes = group.width * group.height + 2;
    return group;
  }

  void put_chroma_steps(Size steps) {
    const TiffEntry* entry = directory_.find(chroma_steps);
    if (!entry) return;  // 2 and 2
    tiff_.put(body_, entry->value_at, 2, static_cast<std::uint64_t>(steps.width));
    tiff_.put(body_, entry->value_at + 2, 2, static_cast<std::uint64_t>(steps.height));
  }

  Orientation turn_pixels(const CarrierTurn& turn) {
    const Size size{static_cast<std::int64_t>(number(image_width, 0)),
                    static_cast<std::int64_t>(number(image_height, 0))};
    const Orientation applied = turn.turn_of(size);
    if (applied == Orientation::identity) return applied;
    constexpr std::int64_t max_side = 65535;
    if (size.width < 1 || size.height < 1 || size.width > max_side || size.height > max_side) {
      throw ImageFileError("its size is missing");
    }
    const Group from = group();
    if (size.width % from.width != 0 || size.height % from.height != 0) {
      throw ImageFileError("pixels at its edge share chroma with none");
    }
    const Size groups{size.width / from.width, size.height / from.height};
    const auto bytes = static_cast<std::uint64_t>(groups.width * groups.height * from.bytes);
    if (number(strip_byte_counts, 0) != bytes) throw ImageFileError("it is not in one strip");
    const std::span<std::byte> pixels = place(number(strip_offsets, 0), bytes);
    const Bytes old(pixels.begin(), pixels.end());
    const Size now = turned_size(applied, groups);
    const auto group_bytes = static_cast<int>(from.bytes);
    transform({old.data(), groups.width, groups.height, groups.width * from.bytes, group_bytes},
              {pixels.data(), now.width, now.height, now.width * from.bytes, group_bytes}, applied);
    const Size to = turned_size(applied, Size{from.width, from.height});
    if (from.shares_chroma) {
      for (std::size_t at = 0; at < pixels.size(); at += static_cast<std::size_t>(from.bytes)) {
        std::byte* const here = pixels.data() + at;
        const Bytes luma(here, here + from.width * from.height);
        transform({luma.data(), from.width, from.height, from.width, 1},
                  {here, to.width, to.height, to.width, 1}, applied);
      }
      put_chroma_steps(to);
    }
    const Size turned = turned_size(applied, size);
    put_size(turned);
    put(rows_per_strip, turned.height);
    return applied;
  }

  Bytes& body_;
  const TiffStructure tiff_;
  const TiffEntries& directory_;
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
