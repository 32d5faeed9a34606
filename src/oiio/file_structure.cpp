#include "src/oiio/file_structure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "src/formats/bytes_behind.hpp"
#include "src/oiio/pixels_end.hpp"
#include "src/tiff/codec.hpp"
#include "src/tiff/metadata.hpp"
#include "src/webp/chunks.hpp"

namespace qturn {
namespace {

// Where the text lines of a Radiance header end, behind the empty one; 0 if they do not.
std::size_t hdr_header_bytes(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  const std::size_t end = text.find("\n\n");
  return end == std::string_view::npos ? 0 : end + 2;
}

FileStructure read_webp_structure(std::span<const std::byte> file) {
  const std::vector<WebpChunk> chunks = webp_chunks(file);
  FileStructure structure;
  structure.orientation = webp_orientation(chunks);
  structure.pages = 1;
  structure.metadata = webp_metadata(chunks);
  structure.lossless = webp_is_lossless(chunks);
  structure.whole_pages = true;
  if (!structure.lossless) {
    structure.storage_change = "a lossy WebP is compressed once more";
    structure.warnings.push_back(structure.storage_change);
  }
  return structure;
}

FileStructure read_tiff_structure(std::span<const std::byte> file) {
  const TiffFile tiff = read_tiff(file);
  FileStructure structure;
  structure.pages = tiff.pages.size();
  structure.metadata = tiff_metadata(tiff.pages.front());
  structure.orientation = tiff_orientation(tiff);
  warn_of_bytes_behind(file, tiff.end, structure.warnings);
  if (!tiff.pages.front().pictures.empty()) {
    structure.warnings.emplace_back("pictures in sub-directories of the TIFF are left out");
  }
  return structure;
}

// Pixels a metre, to the right and up, four bytes each.
constexpr std::ptrdiff_t bmp_resolution_at = 38, bmp_resolution_bytes = 8,
                         bmp_resolution_end = bmp_resolution_at + bmp_resolution_bytes;

// Windows bitmaps say in their header's fields what OpenImageIO does not look at.
FileStructure read_bmp_structure(std::span<const std::byte> file) {
  const auto number = [&](std::size_t at, int bytes) {
    std::uint32_t value = 0;
    for (int i = bytes; i-- > 0;) value = value << 8 | std::to_integer<std::uint32_t>(file[at + i]);
    return value;
  };
  constexpr std::size_t smallest = 54, with_masks = 66, with_profile = 138;
  FileStructure structure;
  warn_of_bytes_behind(file, bmp_pixels_end(file), structure.warnings);
  if (file.size() < smallest || number(14, 4) < 40) return structure;
  structure.skeleton.assign(file.begin() + bmp_resolution_at,
                            file.begin() + bmp_resolution_at + bmp_resolution_bytes);
  const std::uint32_t bits = number(28, 2), compression = number(30, 4);
  constexpr std::uint32_t bit_fields = 3;
  if (compression > bit_fields) {
    throw ImageFileError("a JPEG or a PNG inside a BMP is not supported");
  }
  if (compression == bit_fields && bits == 32 && file.size() >= with_masks &&
      (number(54, 4) != 0xFF0000 || number(58, 4) != 0xFF00 || number(62, 4) != 0xFF)) {
    throw ImageFileError("a BMP with channels in an unusual order is not supported");
  }
  // Only a mask makes the fourth byte an alpha; else it is reserved, whatever its value.
  constexpr std::size_t with_alpha_mask = 70;
  structure.alpha_mask = bits == 32 && compression == bit_fields && number(14, 4) >= 56 &&
                         file.size() >= with_alpha_mask && number(66, 4) != 0;
  structure.reserved_bytes = bits == 32 && !structure.alpha_mask;
  if (file.size() >= with_profile && number(14, 4) == 124 && number(130, 4) != 0) {
    structure.storage_change = "the colour profile is left out";
    structure.warnings.push_back(structure.storage_change);
  }
  return structure;
}

// A Radiance header is lines of text up to an empty one; exposure, view and other things in it are
// kept as they are.
FileStructure read_hdr_structure(std::span<const std::byte> file) {
  FileStructure structure;
  const std::size_t end = hdr_header_bytes(file);
  if (end == 0) throw ImageFileError("truncated within the Radiance header");
  structure.skeleton.assign(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(end));
  warn_of_bytes_behind(file, hdr_pixels_end(file, end), structure.warnings);
  return structure;
}

}  // namespace

FileStructure read_structure(std::span<const std::byte> file, Format format) {
  switch (format) {
    case Format::webp:
      return read_webp_structure(file);
    case Format::tiff:
      return read_tiff_structure(file);
    case Format::bmp:
      return read_bmp_structure(file);
    case Format::hdr:
      return read_hdr_structure(file);
    default:
      return {};
  }
}

std::vector<std::byte> finish_file(std::vector<std::vector<std::byte>> encoded, const Image& turned,
                                   const FileStructure* source, Format target,
                                   Orientation applied) {
  static const Metadata none;
  const Metadata& metadata = turned.extras ? turned.extras->metadata : none;
  switch (target) {
    case Format::webp:
      return assemble_webp(encoded.front(), metadata);
    case Format::tiff:
      return describe_tiff(encoded, tiff_description(metadata));

    case Format::bmp: {
      std::vector<std::byte>& file = encoded.front();
      if (!source || source->skeleton.empty() || std::ssize(file) < bmp_resolution_end) break;
      const auto half = bmp_resolution_bytes / 2;
      const auto from = source->skeleton.begin();
      std::rotate_copy(from, from + (swaps_axes(applied) ? half : 0), source->skeleton.end(),
                       file.begin() + bmp_resolution_at);
      break;
    }
    case Format::hdr: {
      if (!source) break;
      std::vector<std::byte> file = source->skeleton;
      const auto pixels = std::span(encoded.front()).subspan(hdr_header_bytes(encoded.front()));
      file.insert(file.end(), pixels.begin(), pixels.end());
      return file;
    }
    default:
      break;
  }
  return std::move(encoded.front());
}

}  // namespace qturn
