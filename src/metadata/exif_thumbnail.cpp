#include "src/metadata/exif_thumbnail.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <qturn/cpu.hpp>

#include "kernels/jpeg/src/markers.hpp"
#include "src/metadata/exif.hpp"
#include "src/metadata/tiff_structure.hpp"
#include "src/picture/errors.hpp"

namespace qturn {
namespace {

using namespace exif_tag;

// The fields of the directory that describes a thumbnail, and the bytes that they point to.
class ThumbnailFields {
 public:
  /// Both must outlive this; the body is known to be a TIFF structure.
  ThumbnailFields(std::vector<std::byte>& tiff_body, const TiffEntries& its_directory)
      : body(tiff_body), tiff(*TiffStructure::open(tiff_body)), directory(its_directory) {}

  std::uint64_t number(std::uint16_t tag, std::uint64_t otherwise) const {
    const TiffEntry* entry = directory.find(tag);
    return entry ? tiff.integer(*entry).value_or(otherwise) : otherwise;
  }

  void put(std::uint16_t tag, std::int64_t value) {
    const TiffEntry* entry = directory.find(tag);
    if (entry) tiff.put_integer(body, *entry, static_cast<std::uint32_t>(value));
  }

  void put_size(Size size) {
    put(exif_tag::image_width, size.width);
    put(exif_tag::image_height, size.height);
  }

  std::span<std::byte> place(std::uint64_t at, std::uint64_t bytes) {
    if (bytes == 0 || !tiff.holds(at, bytes)) {
      throw ImageFileError("it lies beyond the end of the Exif block");
    }
    return std::span(body).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(bytes));
  }

  std::vector<std::byte>& body;  ///< after it grows, `tiff` may write, but not read
  const TiffStructure tiff;
  const TiffEntries& directory;
};

// --- A thumbnail that is stored without compression: grey, RGB or YCbCr, in strips.
constexpr std::uint16_t compression = 259, photometric = 262, rows_per_strip = 278,
                        strip_byte_counts = 279, planar_configuration = 284, chroma_steps = 530;
constexpr std::uint64_t uncompressed = 1, white_is_zero = 0, black_is_zero = 1, rgb = 2, ycbcr = 6,
                        planes_apart = 2;

// What moves as a unit: a pixel, or the pixels that share their chroma, stored as their luma row by
// row and then the chroma.
struct Group {
  std::int64_t width = 1, height = 1, bytes = 1;
  bool shares_chroma = false;
  std::size_t planes = 1;  // samples of a pixel that lie apart, each like a grey picture
};

// A run of rows.
struct Strip {
  std::uint64_t at = 0, bytes = 0;
};

class ThumbnailPixels {
 public:
  explicit ThumbnailPixels(ThumbnailFields& fields) : fields_(fields) {}

  Orientation turn(const MetadataTurn& how, std::size_t max_bytes) {
    const Size size{static_cast<std::int64_t>(fields_.number(image_width, 0)),
                    static_cast<std::int64_t>(fields_.number(image_height, 0))};
    const Orientation applied = how.turn_of(size);
    if (applied == Orientation::identity) return applied;
    constexpr std::int64_t max_side = 65535;
    if (size.width < 1 || size.height < 1 || size.width > max_side || size.height > max_side) {
      throw ImageFileError("its size is missing");
    }
    const Group from = group_of_plane();
    if (size.width % from.width != 0 || size.height % from.height != 0) {
      throw ImageFileError("some pixels at its edge have no chroma");
    }
    const Size groups{size.width / from.width, size.height / from.height};
    const auto row_bytes = static_cast<std::uint64_t>(groups.width * from.bytes);
    const std::uint64_t plane_bytes = row_bytes * static_cast<std::uint64_t>(groups.height);
    const std::vector<Strip> places = strips(row_bytes, plane_bytes * from.planes, from.planes);
    Bytes old;
    for (const Strip& strip : places) {
      const std::span<const std::byte> rows = fields_.place(strip.at, strip.bytes);
      old.insert(old.end(), rows.begin(), rows.end());
    }
    Bytes turned(old.size());
    const Size now = turned_size(applied, groups);
    const auto group_bytes = static_cast<int>(from.bytes);
    for (std::size_t at = 0; at < old.size(); at += static_cast<std::size_t>(plane_bytes)) {
      transform(
          {old.data() + at, groups.width, groups.height, groups.width * from.bytes, group_bytes},
          {turned.data() + at, now.width, now.height, now.width * from.bytes, group_bytes},
          applied);
    }
    const Size to = turned_size(applied, Size{from.width, from.height});
    if (from.shares_chroma) {
      for (std::size_t at = 0; at < turned.size(); at += static_cast<std::size_t>(from.bytes)) {
        std::byte* const here = turned.data() + at;
        const Bytes luma(here, here + from.width * from.height);
        transform({luma.data(), from.width, from.height, from.width, 1},
                  {here, to.width, to.height, to.width, 1}, applied);
      }
    }
    put_planes(turned, from.planes, places, max_bytes);
    if (from.shares_chroma) put_chroma_steps(to);
    fields_.put_size(turned_size(applied, size));
    fields_.put(rows_per_strip, turned_size(applied, size).height);
    return applied;
  }

 private:
  Group group() const {
    const std::uint64_t kind = fields_.number(photometric, rgb);
    if (fields_.number(compression, 0) != uncompressed) {
      throw ImageFileError("it is neither a JPEG nor uncompressed");
    }
    if (kind == white_is_zero || kind == black_is_zero) return {};
    if (kind == rgb) return {.bytes = 3};
    if (kind != ycbcr) throw ImageFileError("it is neither grey nor RGB nor YCbCr");
    Group group{.width = 2, .height = 2, .shares_chroma = true};
    if (const TiffEntry* steps = fields_.directory.find(chroma_steps)) {
      if (steps->value_bytes != 4) throw ImageFileError("its chroma's steps are not two numbers");
      group.width = static_cast<std::int64_t>(fields_.tiff.number(steps->value_at, 2));
      group.height = static_cast<std::int64_t>(fields_.tiff.number(steps->value_at + 2, 2));
    }
    const auto is_step = [](std::int64_t step) { return step == 1 || step == 2 || step == 4; };
    if (!is_step(group.width) || !is_step(group.height)) {
      throw ImageFileError("its chroma's steps are not 1, 2 or 4");
    }
    group.bytes = group.width * group.height + 2;
    return group;
  }

  // If the colours are stored apart, the thumbnail is three grey ones.
  Group group_of_plane() const {
    const Group whole = group();
    if (whole.bytes == 1 || fields_.number(planar_configuration, 1) != planes_apart) return whole;
    if (whole.bytes != 3) throw ImageFileError("the planes of its chroma are smaller");
    return {.planes = 3};
  }

  std::vector<std::uint64_t> numbers(std::uint16_t tag) const {
    const TiffEntry* entry = fields_.directory.find(tag);
    if (!entry || entry->value_bytes == 0) return {};
    const std::uint64_t each = entry->value_bytes / entry->count;
    if (each != 2 && each != 4) return {};
    std::vector<std::uint64_t> found;
    for (std::uint64_t i = 0; i < entry->count; ++i) {
      found.push_back(
          fields_.tiff.number(entry->value_at + i * each, static_cast<std::size_t>(each)));
    }
    return found;
  }

  // They hold whole rows of `row_bytes`, `bytes` in all, each plane as many strips.
  std::vector<Strip> strips(std::uint64_t row_bytes, std::uint64_t bytes,
                            std::size_t planes) const {
    const std::vector<std::uint64_t> offsets = numbers(thumbnail_strip_offsets),
                                     counts = numbers(strip_byte_counts);
    std::vector<Strip> found;
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < std::min(offsets.size(), counts.size()); ++i) {
      found.push_back({offsets[i], counts[i]});
      if (counts[i] % row_bytes != 0) throw ImageFileError("its strips do not hold whole rows");
      total += counts[i];
    }
    if (offsets.size() != counts.size() || total != bytes || found.size() % planes != 0) {
      throw ImageFileError("its strips do not hold its pixels");
    }
    const std::size_t strips_in_plane = found.size() / planes;
    std::uint64_t so_far = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      so_far += found[i].bytes;
      if ((i + 1) % strips_in_plane == 0 &&
          so_far != (i + 1) / strips_in_plane * (bytes / planes)) {
        throw ImageFileError("its strips do not hold its planes");
      }
    }
    if (bytes > fields_.body.size()) throw ImageFileError("its strips share their bytes");
    return found;
  }

  // Puts the turned planes in the places of the strips: each in its own place if there is one strip
  // per plane; otherwise in the place of all strips together; otherwise after the end.
  void put_planes(const Bytes& turned, std::size_t planes, const std::vector<Strip>& strips,
                  std::size_t max_bytes) {
    if (strips.size() == planes) {
      const std::byte* from = turned.data();
      for (const Strip& strip : strips) {
        std::copy_n(from, strip.bytes, fields_.place(strip.at, strip.bytes).begin());
        from += strip.bytes;
      }
      return;
    }
    const auto is_gap = [](const Strip& a, const Strip& b) { return a.at + a.bytes != b.at; };
    std::uint64_t at = strips.front().at;
    if (std::ranges::adjacent_find(strips, is_gap) != strips.end()) {
      at = fields_.body.size() + fields_.body.size() % 2;
      if (at > max_bytes || turned.size() > max_bytes - at) {
        throw ImageFileError("its strips do not follow each other, and the Exif block is full");
      }
      fields_.body.resize(static_cast<std::size_t>(at) + turned.size());
    }
    std::ranges::copy(turned, fields_.body.begin() + static_cast<std::ptrdiff_t>(at));
    const std::uint64_t plane_bytes = turned.size() / planes;
    for (const std::uint16_t tag : {thumbnail_strip_offsets, strip_byte_counts}) {
      std::vector<std::uint64_t> values(planes, plane_bytes);
      if (tag == thumbnail_strip_offsets) {
        for (std::size_t i = 0; i < planes; ++i) values[i] = at + i * plane_bytes;
      }
      put_fewer(*fields_.directory.find(tag), values);
    }
  }

  // Reduces the count of numbers of an entry.
  void put_fewer(const TiffEntry& entry, const std::vector<std::uint64_t>& values) {
    if (values.size() == 1) {
      fields_.tiff.put_integer(fields_.body, entry, static_cast<std::uint32_t>(values.front()));
      return;
    }
    const auto each = static_cast<std::size_t>(entry.value_bytes / entry.count);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (each == 2 && values[i] > 0xFFFF)
        throw ImageFileError("it lies too far from the beginning");
      fields_.tiff.put(fields_.body, entry.value_at + i * each, each, values[i]);
    }
    fields_.tiff.put(fields_.body, entry.at + 4, fields_.tiff.offset_bytes(), values.size());
  }

  void put_chroma_steps(Size steps) {
    const TiffEntry* entry = fields_.directory.find(chroma_steps);
    if (!entry) return;  // 2 and 2
    fields_.tiff.put(fields_.body, entry->value_at, 2, static_cast<std::uint64_t>(steps.width));
    fields_.tiff.put(fields_.body, entry->value_at + 2, 2,
                     static_cast<std::uint64_t>(steps.height));
  }

  ThumbnailFields& fields_;
};

// Turns it, and returns how. Several strips become one, or one per plane. Throws ImageFileError if
// it is damaged, of another kind, or does not fit into `max_bytes`.
Orientation turn_thumbnail_pixels(ThumbnailFields& fields, const MetadataTurn& turn,
                                  std::size_t max_bytes) {
  return ThumbnailPixels(fields).turn(turn, max_bytes);
}

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

std::optional<Size> jpeg_size(std::span<const std::byte> jpeg) {
  if (!begins_as_jpeg(jpeg)) return std::nullopt;
  JpegMarkers markers(jpeg);
  while (const auto segment = markers.next()) {
    if (jpeg_marker::is_frame(segment->marker)) {
      const Size size = size_in_frame(*segment);
      return size == Size{} ? std::nullopt : std::optional(size);
    }
    if (segment->marker == jpeg_marker::sos || segment->marker == jpeg_marker::eoi)
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Size> embedded_size(std::span<const std::byte> picture) {
  constexpr std::string_view png{"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", 16};
  constexpr std::size_t width_at = 16, height_at = 20, end = 24;
  constexpr std::uint64_t longest = 1U << 31;
  if (!text_of(picture).starts_with(png)) return jpeg_size(picture);
  if (picture.size() < end) return std::nullopt;
  const std::uint64_t width = big_endian(picture, width_at, 4),
                      height = big_endian(picture, height_at, 4);
  if (width == 0 || height == 0 || width >= longest || height >= longest) return std::nullopt;
  return Size{static_cast<std::int64_t>(width), static_cast<std::int64_t>(height)};
}

Size jpeg_thumbnail_size(std::span<const std::byte> jpeg) {
  constexpr std::int64_t most_pixels = 3 << 19;  // 1448 x 1086
  const std::optional<Size> size = jpeg_size(jpeg);
  if (!size) throw ImageFileError("it is not a JPEG");
  if (size->width * size->height > most_pixels) {
    throw ImageFileError(
        fmt::format("{} x {} pixels are more than a thumbnail has", size->width, size->height));
  }
  return *size;
}

}  // namespace qturn
