// A page's pixels in memory, from strips or tiles and to them.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>

#include "src/formats/tiff/directories.hpp"
#include "src/formats/tiff/layout.hpp"
#include "src/picture/image.hpp"

namespace qturn::tiff {

/// Decodes the page of the layout into the memory of `page`. Throws ImageFileError for damage;
/// Interrupted.
void decode_tiff_page(std::span<const std::byte> file, const TiffDirectory& directory,
                      const TiffLayout& layout, bool little, const Page& page,
                      const std::atomic<bool>& stop, Inflater inflater = Inflater::zlib);

/// The same for a page that is damaged: what is missing is zero. Returns how many strips or tiles
/// are not whole.
std::uint32_t salvage_tiff_page(std::span<const std::byte> file, const TiffDirectory& directory,
                                const TiffLayout& layout, bool little, const Page& page,
                                const std::atomic<bool>& stop);

/// Memory that these two take besides the file, the page and the result.
std::uint64_t tiff_decoding_bytes(const TiffLayout& layout);
std::uint64_t tiff_encoding_bytes(const TiffLayout& layout, bool little);

/// Encodes the strips or tiles of a page, but not `sparse`, and may change the page's bytes. Adds
/// the fields that lead to them to `directory`.
Bytes encode_tiff_page(const Page& page, const TiffLayout& layout, const SparseBlocks& sparse,
                       bool little, TiffDirectory& directory, const std::atomic<bool>& stop);

}  // namespace qturn::tiff
