#include "src/file_structure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/png_chunks.hpp"
#include "src/tiff_metadata.hpp"
#include "src/webp_chunks.hpp"

namespace qturn {
namespace {

FileStructure read_png_structure(std::span<const std::byte> file) {
  const std::vector<PngChunk> chunks = png_chunks(file);
  const PngHeader header = png_header(chunks);
  FileStructure structure;
  structure.orientation = png_orientation(chunks);
  structure.pages = 1;
  structure.metadata = png_metadata(chunks);
  structure.skeleton = png_skeleton(chunks);
  const bool transparent = std::any_of(chunks.begin(), chunks.end(),
                                       [](const PngChunk& chunk) { return chunk.type == "tRNS"; });
  if (header.colour_type == 3) {
    structure.storage_change = transparent ? "palette becomes RGBA" : "palette becomes RGB";
  } else if (header.bit_depth < 8) {
    structure.storage_change = fmt::format("{}-bit grey becomes 8-bit grey", header.bit_depth);
  } else if (transparent) {
    structure.storage_change = "a transparent colour becomes an alpha channel";
  } else if (header.interlaced) {
    structure.storage_change = "interlaced becomes not interlaced";
  }
  const PngChunk& end = chunks.back();
  const std::size_t bytes = static_cast<std::size_t>(end.whole.data() - file.data()) + end.whole.size();
  if (bytes < file.size()) {
    structure.warnings.push_back(
        fmt::format("{} bytes after the end of the PNG are not kept", file.size() - bytes));
  }
  return structure;
}

FileStructure read_webp_structure(std::span<const std::byte> file) {
  const std::vector<WebpChunk> chunks = webp_chunks(file);
  FileStructure structure;
  structure.orientation = webp_orientation(chunks);
  structure.pages = 1;
  structure.metadata = webp_metadata(chunks);
  structure.lossless = webp_is_lossless(chunks);
  if (!structure.lossless) {
    structure.storage_change = "a lossy WebP is compressed once more";
    structure.warnings.push_back(structure.storage_change);
  }
  return structure;
}

FileStructure read_tiff_structure(std::span<const std::byte> file) {
  TiffFile tiff = read_tiff(file);
  FileStructure structure;
  structure.pages = tiff.pages.size();
  structure.metadata = tiff_metadata(tiff.pages.front());
  for (TiffDirectory& page : tiff.pages) {
    const std::string change = tiff_storage_change(page);
    if (structure.storage_change.empty()) structure.storage_change = change;
    const auto number = page.integer(tiff_tag::orientation, 1);
    const auto stored =
        number >= 1 && number <= 8 ? static_cast<Orientation>(number) : Orientation::identity;
    if (structure.orientation && structure.orientation != stored) {
      throw ImageFileError("its pages are stored in different orientations");
    }
    structure.orientation = stored;
    if (page.find(tiff_tag::sub_directories)) {
      structure.warnings.emplace_back("pictures in sub-directories of the TIFF are left out");
    }
    if (page.find(tiff_tag::geo_keys)) {
      structure.warnings.emplace_back("its map coordinates (GeoTIFF) describe the picture as it was");
    }
    structure.descriptions.push_back(tiff_description(std::move(page)));
  }
  return structure;
}

}  // namespace

FileStructure read_structure(std::span<const std::byte> file, Format format) {
  switch (format) {
    case Format::png: return read_png_structure(file);
    case Format::webp: return read_webp_structure(file);
    case Format::tiff: return read_tiff_structure(file);
    default: return {};
  }
}

std::vector<std::byte> finish_file(std::vector<std::byte> encoded, const Image& turned,
                                   const FileStructure* source, Orientation applied, Format target) {
  static const Metadata none;
  const Metadata& metadata = turned.extras ? turned.extras->metadata : none;
  switch (target) {
    case Format::png:
      return source ? assemble_png(encoded, source->skeleton, swaps_axes(applied))
                    : assemble_png(encoded, metadata);
    case Format::webp: return assemble_webp(encoded, metadata);
    case Format::tiff: {
      const std::vector<TiffDirectory> made(turned.pages.size(), tiff_description(metadata));
      return describe_tiff(encoded, source ? source->descriptions : made, swaps_axes(applied));
    }
    default: return encoded;
  }
}

}  // namespace qturn
