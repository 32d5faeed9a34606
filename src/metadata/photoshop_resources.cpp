#include "src/metadata/photoshop_resources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "src/metadata/exif_thumbnail.hpp"
#include "src/picture/errors.hpp"

namespace qturn {
namespace {

struct Range {
  std::uint64_t first, last;
};

// Described by Adobe: how the picture is printed and shown, its text, profile and thumbnail, the
// layout of the editor (grid, guides, slices), and what plug-ins and programs of the suite keep.
constexpr std::array described = {Range{1000, 1092}, Range{2999, 3003}, Range{4000, 4999},
                                  Range{7000, 7001}, Range{8000, 8000}, Range{10000, 10001}};
constexpr Range paths{2000, 2998};
constexpr std::uint64_t resolution = 1005, old_thumbnail = 1033, thumbnail = 1036;

bool is_within(std::uint64_t id, Range range) { return range.first <= id && id <= range.last; }

constexpr std::uint64_t even(std::uint64_t bytes) { return bytes + bytes % 2; }

struct Resource {
  std::uint64_t id;
  std::span<const std::byte> head, data;  // up to its length, and after that
  std::span<const std::byte> whole;       // with a byte that makes it even
};

// Visits the resources, in order. Returns what cannot be read as one.
template <typename Visit>
std::span<const std::byte> for_each_resource(std::span<const std::byte> resources, Visit visit) {
  // A signature, a number, a name with its length, padded, and a length.
  constexpr std::size_t name_at = 6, fewest_bytes = 12, length_bytes = 4;
  constexpr std::array<std::string_view, 4> signatures = {"8BIM", "MeSa", "PHUT", "AgHg"};
  while (resources.size() >= fewest_bytes) {
    const std::string_view signature = text_of(resources.first(4));
    if (std::ranges::find(signatures, signature) == signatures.end()) break;
    const std::uint64_t length_at =
        name_at + even(std::uint64_t{1} + std::to_integer<std::uint64_t>(resources[name_at]));
    if (resources.size() < length_at + length_bytes) break;
    const std::uint64_t bytes = big_endian(resources, length_at, length_bytes);
    const auto data = resources.subspan(static_cast<std::size_t>(length_at + length_bytes));
    if (data.size() < bytes) break;
    const auto end = static_cast<std::size_t>(length_at + length_bytes +
                                              std::min<std::uint64_t>(even(bytes), data.size()));
    visit(Resource{.id = big_endian(resources, 4, 2),
                   .head = resources.first(static_cast<std::size_t>(length_at)),
                   .data = data.first(static_cast<std::size_t>(bytes)),
                   .whole = resources.first(end)});
    resources = resources.subspan(end);
  }
  return resources;
}

// What is before the JPEG of a thumbnail: its kind, width, height, bytes of a row, bytes of all
// rows and of the JPEG, bits, planes.
constexpr std::size_t kind_at = 0, width_at = 4, height_at = 8, row_at = 12, all_rows_at = 16,
                      jpeg_bytes_at = 20, jpeg_at = 28;

bool is_thumbnail(const Resource& resource) {
  return resource.id == thumbnail || resource.id == old_thumbnail;
}

// Empty: it is of another kind, and cannot be turned.
std::span<const std::byte> jpeg_in(const Resource& resource) {
  constexpr std::uint64_t is_jpeg = 1;
  if (!is_thumbnail(resource) || resource.data.size() <= jpeg_at ||
      big_endian(resource.data, kind_at, 4) != is_jpeg)
    return {};
  const auto jpeg = resource.data.subspan(jpeg_at);
  return jpeg_size(jpeg) ? jpeg : std::span<const std::byte>();
}

void append_resource(Bytes& to, const Resource& resource, std::span<const std::byte> data) {
  append(to, resource.head);
  to.resize(to.size() + 4);
  put_big_endian(to, to.size() - 4, 4, data.size());
  append(to, data);
  if (data.size() % 2 != 0) to.push_back(std::byte{0});
}

// Its horizontal and its vertical half, with their units.
void append_resolution(Bytes& to, const Resource& resource, Orientation applied) {
  constexpr std::ptrdiff_t half = 8;
  if (std::ssize(resource.data) != 2 * half || !swaps_axes(applied))
    return append(to, resource.whole);
  Bytes data(resource.data.begin(), resource.data.end());
  std::swap_ranges(data.begin(), data.begin() + half, data.begin() + half);
  append_resource(to, resource, data);
}

void append_thumbnail(Bytes& to, const Resource& resource, std::span<const std::byte> jpeg,
                      const MetadataTurn& turn) {
  const Orientation applied = turn.turn_of(jpeg_thumbnail_size(jpeg));
  if (applied == Orientation::identity) return append(to, resource.whole);
  const Bytes turned = turn.turn_embedded(jpeg, applied);
  const Size size = jpeg_thumbnail_size(turned);
  Bytes data(resource.data.begin(), resource.data.begin() + jpeg_at);
  const auto put = [&](std::size_t at, std::int64_t value) {
    put_big_endian(data, at, 4, static_cast<std::uint64_t>(value));
  };
  const std::int64_t row_bytes = (24 * size.width + 31) / 32 * 4;
  put(width_at, size.width);
  put(height_at, size.height);
  put(row_at, row_bytes);
  put(all_rows_at, row_bytes * size.height);
  put(jpeg_bytes_at, std::ssize(turned));
  append(data, turned);
  append_resource(to, resource, data);
}

}  // namespace

void look_at_photoshop_resources(std::span<const std::byte> resources, Resources after_turn,
                                 Header& header) {
  for_each_resource(resources, [&](const Resource& each) {
    if (each.data.empty()) return;
    if (is_within(each.id, paths)) {
      add_placed({.name = "its paths (Photoshop)"}, header);
    } else if (is_thumbnail(each)) {
      if (after_turn == Resources::stay || jpeg_in(each).empty())
        add_placed({.name = "its thumbnail (Photoshop)"}, header);
    } else if (std::ranges::none_of(described,
                                    [&](Range range) { return is_within(each.id, range); })) {
      add_unknown(fmt::format("Photoshop {}", each.id), header);
    }
  });
}

Bytes turn_photoshop_resources(std::span<const std::byte> resources, const MetadataTurn& turn,
                               std::vector<std::string>& warnings) {
  Bytes turned;
  const auto rest = for_each_resource(resources, [&](const Resource& each) {
    const auto jpeg = jpeg_in(each);
    if (each.id == resolution) return append_resolution(turned, each, turn.pixels);
    if (jpeg.empty()) return append(turned, each.whole);
    try {
      append_thumbnail(turned, each, jpeg, turn);
    } catch (const ImageFileError& error) {
      append(turned, each.whole);
      warnings.push_back(
          fmt::format("the thumbnail of Photoshop stays as it was: {}", error.what()));
    }
  });
  append(turned, rest);
  return turned;
}

ResourceParts parts_of_resources(std::span<const std::byte> resources, Orientation applied) {
  ResourceParts parts;
  const auto rest = for_each_resource(resources, [&](const Resource& each) {
    if (const auto jpeg = jpeg_in(each); !jpeg.empty()) {
      parts.thumbnails.push_back(jpeg);
    } else if (each.id == resolution) {
      append_resolution(parts.rest, each, applied);
    } else {
      append(parts.rest, each.whole);
    }
  });
  append(parts.rest, rest);
  return parts;
}

}  // namespace qturn
