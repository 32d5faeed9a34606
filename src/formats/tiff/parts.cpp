#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "src/formats/tiff/codec.hpp"
#include "src/formats/tiff/directories.hpp"
#include "src/formats/tiff/metamorph.hpp"
#include "src/formats/tiff/placed_metadata.hpp"
#include "src/metadata/exif.hpp"
#include "src/metadata/photoshop_resources.hpp"

namespace qturn::tiff {
namespace {

constexpr std::array<std::uint16_t, 4> places = {
    tiff_tag::strip_offsets, tiff_tag::strip_byte_counts, tiff_tag::tile_offsets,
    tiff_tag::tile_byte_counts};

// What says how pixels are stored, where they lie or how they are turned. Of the first kind, what
// matters shows when they are decoded.
bool may_change(const TiffField& field) {
  constexpr std::array<std::uint16_t, 39> tags = {tiff_tag::width,
                                                  tiff_tag::height,
                                                  tiff_tag::compression,
                                                  tiff_tag::photometric,
                                                  tiff_tag::orientation,
                                                  tiff_tag::rows_per_strip,
                                                  tiff_tag::free_offsets,
                                                  tiff_tag::free_byte_counts,
                                                  tiff_tag::t4_options,
                                                  tiff_tag::t6_options,
                                                  tiff_tag::predictor,
                                                  tiff_tag::tile_width,
                                                  tiff_tag::tile_height,
                                                  tiff_tag::sub_directories,
                                                  tiff_tag::jpeg_tables,
                                                  tiff_tag::ycbcr_subsampling,
                                                  tiff_tag::maker_note,
                                                  512,
                                                  tiff_tag::jpeg_interchange,
                                                  tiff_tag::jpeg_interchange_length,
                                                  515,
                                                  517,
                                                  518,
                                                  519,
                                                  520,
                                                  521,
                                                  529,
                                                  531,
                                                  532,
                                                  50674,
                                                  exif_tag::related_width,
                                                  exif_tag::related_height,
                                                  exif_tag::pixel_x_dimension,
                                                  exif_tag::pixel_y_dimension,
                                                  exif_tag::subject_area,
                                                  exif_tag::subject_location,
                                                  tiff_tag::exif,
                                                  tiff_tag::gps,
                                                  tiff_tag::interoperability};
  return std::ranges::count(tags, field.tag) > 0 || std::ranges::count(places, field.tag) > 0 ||
         field.type == tiff_type::directory || field.type == tiff_type::directory64;
}

// What is exchanged with the axes: in a page, and in its Exif directory.
using Pair = std::array<std::uint16_t, 2>;
constexpr Pair of_pages[] = {{tiff_tag::x_resolution, tiff_tag::y_resolution}},
               of_exif[] = {
                   {exif_tag::sensor_x_resolution, exif_tag::sensor_y_resolution},
                   {exif_tag::focal_plane_x_resolution, exif_tag::focal_plane_y_resolution}};

std::uint16_t turned_tag(std::uint16_t tag, std::span<const Pair> exchanged) {
  for (const auto& [x, y] : exchanged)
    if (tag == x || tag == y) return tag == x ? y : x;
  return tag;
}

void add_fields(const TiffDirectory& directory, const std::string& where, Orientation applied,
                std::vector<FilePart>& parts, std::span<const Pair> pairs = of_pages) {
  const bool swaps = swaps_axes(applied);
  std::vector<TiffField> fields = directory.fields;
  for (TiffField& field : fields) {
    if (swaps) field.tag = turned_tag(field.tag, pairs);
    if (field.tag == uic1_tag && swaps) exchange_calibration(field.value);
  }
  std::ranges::stable_sort(fields, {}, &TiffField::tag);
  for (const TiffField& field : fields) {
    if (may_change(field)) continue;
    const std::string name = fmt::format("field {} of {}", field.tag, where);
    if (field.tag == tiff_tag::xmp) {
      add_xmp_parts(name, text_of(field.value), parts);
    } else if (field.tag == tiff_tag::photoshop_resources && where.starts_with("page")) {
      const ResourceParts resources = parts_of_resources(field.value, applied);
      parts.push_back(FilePart::of_copy(FilePart::fixed, name, resources.rest));
      for (const auto& thumbnail : resources.thumbnails)
        parts.push_back(
            FilePart::with_copy(FilePart::embedded, "the thumbnail of Photoshop", thumbnail));
    } else {
      parts.push_back(FilePart::of_copy(FilePart::fixed, name, field.value));
    }
  }
  for (const auto& [tag, child] : directory.children)
    add_fields(child, fmt::format("directory {} of {}", tag, where), applied, parts, of_exif);
}

void add_pixels(std::span<const std::byte> file, const TiffDirectory& directory,
                const std::string& where, std::vector<FilePart>& parts) {
  for (std::size_t i = 0; i < places.size(); i += 2) {
    const auto offsets = directory.integers(places[i]), counts = directory.integers(places[i + 1]);
    for (std::size_t k = 0; k < std::min(offsets.size(), counts.size()); ++k)
      parts.emplace_back(FilePart::pixels, "the pixels of " + where,
                         file.subspan(offsets[k], counts[k]));
  }
}

}  // namespace

std::vector<FilePart> tiff_parts(std::span<const std::byte> file, Orientation applied) {
  const TiffFile tiff = read_tiff(file);
  std::vector<FilePart> parts;
  const auto add = [&](const TiffDirectory& directory, Orientation ahead, std::string where) {
    const Orientation its = compose(ahead, applied);
    TiffDirectory turned = directory;
    const auto side = [&](std::uint16_t tag) {
      return static_cast<std::int64_t>(directory.integer(tag, 0));
    };
    turn_placed_metadata(turned, {side(tiff_tag::width), side(tiff_tag::height)}, its);
    add_fields(turned, where, its, parts);
    if (ahead != Orientation::identity) where += fmt::format(", {} before all", name(ahead));
    add_pixels(file, directory, where, parts);
  };
  for (std::size_t i = 0; i < tiff.pages.size(); ++i) {
    const std::string where = fmt::format("page {}", i + 1);
    const Orientation ahead = ahead_of(tiff.pages[i], tiff);
    add(tiff.pages[i], ahead, where);
    for (const TiffDirectory& picture : tiff.pages[i].pictures)
      add(picture, ahead, "a picture of " + where);
  }
  return parts;
}

}  // namespace qturn::tiff
