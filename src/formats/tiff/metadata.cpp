#include "src/formats/tiff/metadata.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "src/metadata/resolution.hpp"
#include "src/metadata/xmp.hpp"

namespace qturn::tiff {
namespace {

constexpr std::uint16_t layers_tag = 37724;

template <std::size_t N>
bool is_one_of(std::uint16_t tag, const std::array<std::uint16_t, N>& tags) {
  return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

// How samples are stored. A turned page has its own.
bool is_structure(std::uint16_t tag) {
  constexpr std::array<std::uint16_t, 18> tags = {tiff_tag::width,
                                                  tiff_tag::height,
                                                  tiff_tag::bits_per_sample,
                                                  tiff_tag::compression,
                                                  tiff_tag::photometric,
                                                  tiff_tag::strip_offsets,
                                                  tiff_tag::samples_per_pixel,
                                                  tiff_tag::rows_per_strip,
                                                  tiff_tag::strip_byte_counts,
                                                  tiff_tag::planar_configuration,
                                                  tiff_tag::predictor,
                                                  tiff_tag::tile_width,
                                                  tiff_tag::tile_height,
                                                  tiff_tag::tile_offsets,
                                                  tiff_tag::tile_byte_counts,
                                                  tiff_tag::ink_set,
                                                  tiff_tag::extra_samples,
                                                  tiff_tag::sample_format};
  return is_one_of(tag, tags);
}

// Fields of a compression or a photometric interpretation that does not come back, and fields that
// are only offsets: fill order, free space, fax options, colour map, sub-directories, halftone
// hints, JPEG tables (new and old), YCbCr coefficients.
bool is_obsolete(const TiffField& field) {
  constexpr std::array<std::uint16_t, 21> tags = {
      266, 288, 289, 292, 293, 320, tiff_tag::sub_directories,
      321, 347, 512, 513, 514, 515, 517,
      518, 519, 520, 521, 529, 530, 531};
  return is_one_of(field.tag, tags) || field.type == tiff_type::directory ||
         field.type == tiff_type::directory64;
}

// What goes to another format in Exif's first directory: titles, dates, the camera, the resolution,
// the page's number, the primary colours, what Windows lets a user say.
constexpr std::array<std::uint16_t, 23> exif_tags = {
    269, 270, 271, 272,   282,   283,   285,   296,   297,   305,   306,  315,
    316, 318, 319, 18246, 18249, 33432, 40091, 40092, 40093, 40094, 40095};

// Where the picture lies on a map, with the parameters of the projection.
bool is_map_tag(std::uint16_t tag) {
  constexpr std::array<std::uint16_t, 7> tags = {tiff_tag::geo_keys,
                                                 tiff_tag::pixel_scale,
                                                 tiff_tag::tie_points,
                                                 tiff_tag::model_matrix,
                                                 tiff_tag::intergraph_matrix,
                                                 34736,
                                                 34737};
  return is_one_of(tag, tags);
}

bool is_lost(const TiffField& field) {
  // What kind of page it is, the range of its samples, faults of a fax.
  constexpr std::array<std::uint16_t, 13> of_samples = {254, 255, 263, 264, 265, 280, 281,
                                                        326, 327, 328, 340, 341, 532};
  constexpr std::array<std::uint16_t, 3> kept_apart = {tiff_tag::orientation, tiff_tag::xmp,
                                                       tiff_tag::icc_profile};
  return !is_structure(field.tag) && !is_obsolete(field) && !is_map_tag(field.tag) &&
         !is_one_of(field.tag, exif_tags) && !is_one_of(field.tag, of_samples) &&
         !is_one_of(field.tag, kept_apart);
}

std::string name_of(std::uint16_t tag) {
  struct Name {
    std::uint16_t tag;
    std::string_view name;
  };
  static constexpr std::array<Name, 8> names = {
      {{286, "XPosition"},
       {287, "YPosition"},
       {290, "GrayResponseUnit"},
       {291, "GrayResponseCurve"},
       {301, "TransferFunction"},
       {33723, "IPTC"},
       {tiff_tag::photoshop_resources, "Photoshop's resources"},
       {layers_tag, "Photoshop's layers"}}};
  const auto* known = std::ranges::find(names, tag, &Name::tag);
  return known == names.end() ? std::to_string(tag) : std::string(known->name);
}

void warn_of_lost_fields(const TiffDirectory& page, std::vector<std::string>& warnings) {
  constexpr std::size_t most_named = 8;
  std::vector<std::string> lost;
  std::size_t others = 0;
  for (const TiffField& field : page.fields) {
    if (!is_lost(field)) continue;
    if (lost.size() < most_named) {
      lost.push_back(name_of(field.tag));
    } else {
      ++others;
    }
  }
  if (lost.empty()) return;
  warnings.push_back(fmt::format("fields of the TIFF are left out: {}{}", fmt::join(lost, ", "),
                                 others == 0 ? "" : fmt::format(" and {} more", others)));
}

TiffField field_of(std::uint16_t tag, std::uint16_t type, std::span<const std::byte> value) {
  return {.tag = tag, .type = type, .count = value.size(), .value = {value.begin(), value.end()}};
}

}  // namespace

bool is_georeferenced(const TiffDirectory& page) {
  return std::ranges::any_of(page.fields,
                             [](const TiffField& field) { return is_map_tag(field.tag); });
}

void look_at_fields(const TiffDirectory& page, Header& header, FieldsOf directory) {
  constexpr std::pair<std::uint16_t, FieldsOf> children[] = {
      {tiff_tag::exif, FieldsOf::exif},
      {tiff_tag::gps, FieldsOf::gps},
      {tiff_tag::interoperability, FieldsOf::interoperability}};
  for (const TiffField& field : page.fields) {
    look_at_field(directory, field.tag, field.value, header);
    if (field.tag == tiff_tag::xmp) add_placed_in_xmp(text_of(field.value), header);
  }
  for (const auto& [tag, fields_of] : children) {
    const auto found = page.children.find(tag);
    if (found != page.children.end()) look_at_fields(found->second, header, fields_of);
  }
}

Metadata tiff_metadata(const TiffFile& tiff, std::vector<std::string>& warnings) {
  const TiffDirectory& page = tiff.pages.front();
  Metadata metadata;
  if (const TiffField* icc = page.find(tiff_tag::icc_profile)) metadata.icc = icc->value;
  if (const TiffField* xmp = page.find(tiff_tag::xmp)) metadata.xmp = text_of(xmp->value);
  if (const TiffField* text = page.find(tiff_tag::description)) {
    const std::string_view comment = text_of(text->value);
    metadata.comment = comment.substr(0, comment.find('\0'));
  }
  TiffDirectory first{.fields = {}, .children = page.children};
  for (const TiffField& field : page.fields) {
    if (is_one_of(field.tag, exif_tags)) first.fields.push_back(field);
  }
  warn_of_lost_fields(page, warnings);
  if (!first.fields.empty() || !first.children.empty()) {
    // JPEG takes 64 KiB.
    constexpr std::size_t most_more_bytes = 32 << 10;
    metadata.exif =
        write_tiff({.big = false,
                    .pages = {first},
                    .little = tiff.little,
                    .fixed = tiff.must_stay ? std::vector<TiffFixedBytes>() : tiff.fixed},
                   {}, warnings, most_more_bytes);
    metadata.resolution = resolution_of_exif(metadata.exif);
  }
  return metadata;
}

namespace {

// Where the Exif block does not say it.
void add_resolution(TiffDirectory& description, const std::optional<Resolution>& resolution) {
  if (!resolution || description.find(tiff_tag::x_resolution)) return;
  std::erase_if(description.fields, [](const TiffField& field) {
    return field.tag == tiff_tag::y_resolution || field.tag == tiff_tag::resolution_unit;
  });
  const PixelsPerInch inch = pixels_per_inch(*resolution);
  for (const auto& [tag, value] :
       {std::pair{tiff_tag::x_resolution, inch.x}, std::pair{tiff_tag::y_resolution, inch.y}}) {
    constexpr double most = 4e9;
    std::uint64_t under = 1;
    while (under < 10000 && value * static_cast<double>(under) < most / 10 &&
           value * static_cast<double>(under) != std::round(value * static_cast<double>(under))) {
      under *= 10;
    }
    const std::uint64_t words[] = {
        static_cast<std::uint64_t>(std::llround(value * static_cast<double>(under))), under};
    TiffField field = tiff_integers(tag, tiff_type::u32, words);
    field.type = tiff_type::rational;
    field.count = 1;
    description.fields.push_back(std::move(field));
  }
  constexpr std::uint64_t per_inch = 2;
  description.fields.push_back(
      tiff_integers(tiff_tag::resolution_unit, tiff_type::u16, std::span(&per_inch, 1)));
}

}  // namespace

TiffFile tiff_description(const Metadata& metadata, std::vector<std::string>& warnings) {
  TiffFile described{.big = false, .pages = {{}}};
  if (!metadata.exif.empty()) {
    try {
      // A preview's strips may lie beside the block, and are not taken along.
      described = read_tiff(metadata.exif, MissingPixels::are_left_out);
      described.pages.resize(1);
    } catch (const ImageFileError& error) {
      warnings.push_back(fmt::format("its Exif block is left out: {}", error.what()));
    }
  }
  TiffDirectory& description = described.pages.front();
  std::erase_if(description.fields, [](const TiffField& field) {
    return is_structure(field.tag) || is_obsolete(field);
  });
  if (!metadata.icc.empty()) {
    description.fields.push_back(
        field_of(tiff_tag::icc_profile, tiff_type::undefined, metadata.icc));
  }
  if (!metadata.xmp.empty()) {
    description.fields.push_back(field_of(tiff_tag::xmp, tiff_type::u8, bytes_of(metadata.xmp)));
  }
  if (!metadata.comment.empty() && !description.find(tiff_tag::description)) {
    const std::string text = metadata.comment + '\0';
    description.fields.push_back(field_of(tiff_tag::description, tiff_type::ascii, bytes_of(text)));
  }
  add_resolution(description, metadata.resolution);
  description.pictures.clear();
  return described;
}

}  // namespace qturn::tiff
