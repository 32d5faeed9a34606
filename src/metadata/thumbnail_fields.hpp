// The fields of the directory that describes a thumbnail, and the bytes that they point to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <qturn/orientation.hpp>

#include "src/metadata/exif_tags.hpp"
#include "src/metadata/tiff_structure.hpp"
#include "src/picture/errors.hpp"

namespace qturn {

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

}  // namespace qturn
