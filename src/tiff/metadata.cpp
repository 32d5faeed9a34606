#include "src/tiff/metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

namespace qturn {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::uint64_t compressed_jpeg = 7, white_is_zero = 0, palette = 3, ycbcr = 6;

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

// Fields in units of sample values: smallest and largest value, response curves, reference levels.
bool is_about_values(std::uint16_t tag) {
  constexpr std::array<std::uint16_t, 8> tags = {280, 281, 290, 291, 301, 340, 341, 532};
  return is_one_of(tag, tags);
}

bool same_value(const TiffDirectory& a, const TiffDirectory& b, std::uint16_t tag) {
  return a.integers(tag) == b.integers(tag);
}

TiffField field_of(std::uint16_t tag, std::uint16_t type, std::span<const std::byte> value) {
  return {.tag = tag, .type = type, .count = value.size(), .value = {value.begin(), value.end()}};
}

TiffField upright_field() {
  return {.tag = tiff_tag::orientation,
          .type = tiff_type::u16,
          .count = 1,
          .value = {std::byte{1}, std::byte{0}}};
}

void swap_resolution(TiffField& field) {
  if (field.tag == tiff_tag::x_resolution) {
    field.tag = tiff_tag::y_resolution;
  } else if (field.tag == tiff_tag::y_resolution) {
    field.tag = tiff_tag::x_resolution;
  }
}

std::string compression_name(std::uint64_t number) {
  switch (number) {
    case 2:
    case 3:
    case 4:
      return "fax compression";
    case 6:
    case compressed_jpeg:
      return "JPEG compression";
    case 34661:
      return "JBIG compression";
    case 34712:
      return "JPEG 2000 compression";
    case 34925:
      return "LZMA compression";
    case 50000:
      return "Zstandard compression";
    case 50001:
      return "WebP compression";
    default:
      return fmt::format("compression {}", number);
  }
}

}  // namespace

std::string tiff_storage_change(const TiffDirectory& page) {
  const std::uint64_t compression = page.integer(tiff_tag::compression, 1);
  const std::uint64_t photometric = page.integer(tiff_tag::photometric, 1);
  if (photometric == palette) return "palette becomes RGB";
  if (photometric == ycbcr) return "YCbCr becomes RGB";
  if (photometric == white_is_zero) return "white as 0 becomes black as 0";
  // None, LZW, deflate (two numbers), PackBits.
  constexpr std::array<std::uint64_t, 5> kept = {1, 5, 8, 32946, 32773};
  if (std::find(kept.begin(), kept.end(), compression) == kept.end()) {
    return compression_name(compression) + " becomes deflate";
  }
  const std::uint64_t bits = page.integer(tiff_tag::bits_per_sample, 1);
  const std::uint64_t samples = page.integer(tiff_tag::samples_per_pixel, 1);
  if (bits == 24 || (bits < 8 && samples > 1)) return fmt::format("{} bits become more", bits);
  if (page.find(tiff_tag::sub_directories)) return "pictures in sub-directories are left out";
  return {};
}

TiffDirectory tiff_description(TiffDirectory page) {
  std::erase_if(page.fields, [](const TiffField& field) {
    return field.tag == tiff_tag::strip_offsets || field.tag == tiff_tag::strip_byte_counts ||
           field.tag == tiff_tag::tile_offsets || field.tag == tiff_tag::tile_byte_counts;
  });
  return page;
}

Metadata tiff_metadata(const TiffDirectory& page) {
  Metadata metadata;
  if (const TiffField* icc = page.find(tiff_tag::icc_profile)) metadata.icc = icc->value;
  if (const TiffField* xmp = page.find(tiff_tag::xmp)) {
    metadata.xmp.assign(reinterpret_cast<const char*>(xmp->value.data()), xmp->value.size());
  }
  if (const TiffField* text = page.find(tiff_tag::description)) {
    metadata.comment.assign(reinterpret_cast<const char*>(text->value.data()), text->value.size());
    metadata.comment.erase(std::min(metadata.comment.find('\0'), metadata.comment.size()));
  }
  // What Exif lets its first directory say: texts, dates, the camera, the resolution.
  constexpr std::array<std::uint16_t, 11> exif_tags = {tiff_tag::description,
                                                       271,
                                                       272,
                                                       tiff_tag::x_resolution,
                                                       tiff_tag::y_resolution,
                                                       296,
                                                       305,
                                                       306,
                                                       315,
                                                       33432,
                                                       316};
  TiffDirectory first{.fields = {}, .children = page.children};
  for (const TiffField& field : page.fields) {
    if (is_one_of(field.tag, exif_tags)) first.fields.push_back(field);
  }
  if (!first.fields.empty() || !first.children.empty()) {
    metadata.exif = write_tiff({.big = false, .pages = {first}}, {});
  }
  return metadata;
}

TiffDirectory tiff_description(const Metadata& metadata) {
  TiffDirectory description;
  if (!metadata.exif.empty()) {
    try {
      description = read_tiff(metadata.exif).pages.front();
      std::erase_if(description.fields, [](const TiffField& field) {
        return is_structure(field.tag) || is_obsolete(field);
      });
    } catch (const ImageFileError&) {
      description = {};
    }
  }
  if (!metadata.icc.empty()) {
    description.fields.push_back(
        field_of(tiff_tag::icc_profile, tiff_type::undefined, metadata.icc));
  }
  const auto bytes_of = [](const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
  };
  if (!metadata.xmp.empty()) {
    description.fields.push_back(field_of(tiff_tag::xmp, tiff_type::u8, bytes_of(metadata.xmp)));
  }
  if (!metadata.comment.empty() && !description.find(tiff_tag::description)) {
    const std::string text = metadata.comment + '\0';
    description.fields.push_back(field_of(tiff_tag::description, tiff_type::ascii, bytes_of(text)));
  }
  return description;
}

std::vector<std::byte> describe_tiff(std::span<const std::vector<std::byte>> encoded,
                                     const TiffFile& description, bool swapped) {
  TiffFile tiff{.big = description.big, .pages = {}};
  std::vector<std::span<const std::byte>> pixels;
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    TiffDirectory page = read_tiff(encoded[i]).pages.front();
    const TiffDirectory& was = description.pages[i];
    const bool same_values = same_value(page, was, tiff_tag::bits_per_sample) &&
                             same_value(page, was, tiff_tag::photometric);
    std::erase_if(page.fields, [](const TiffField& field) { return !is_structure(field.tag); });
    page.children = was.children;
    for (const TiffField& field : was.fields) {
      if (is_structure(field.tag) || is_obsolete(field)) continue;
      if (is_about_values(field.tag) && !same_values) continue;
      page.fields.push_back(field.tag == tiff_tag::orientation ? upright_field() : field);
      if (swapped) swap_resolution(page.fields.back());
    }
    tiff.pages.push_back(std::move(page));
    pixels.emplace_back(encoded[i]);
  }
  return write_tiff(tiff, pixels);
}

}  // namespace qturn
