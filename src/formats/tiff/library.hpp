// libtiff, for the strips and tiles of one page: their compression, predictors, order of bits and
// of bytes. The directories are ours. To decode, libtiff gets a directory that was made for it,
// with the fields that decoding needs. To encode, it writes a file from which only the strips are
// taken.
//
// An error of libtiff fails the file. So does a warning: libtiff only warns if a fax ends early,
// and fills the rest with white. The exceptions are a few warnings about habits of old writers,
// with which decoding loses nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/formats/tiff/directories.hpp"
#include "src/formats/tiff/layout.hpp"

namespace qturn::tiff {

/// Whether the library was built with the compression.
bool tiff_library_has(std::uint16_t compression);

/// "libtiff 4.5.0".
std::string tiff_library_version();

class TiffBlockReader {
 public:
  /// `page`, of the layout, in `file`, which must outlive this. Throws ImageFileError.
  TiffBlockReader(std::span<const std::byte> file, const TiffDirectory& page,
                  const TiffLayout& layout, bool little,
                  MissingPixels missing = MissingPixels::are_damage,
                  Inflater inflater = Inflater::zlib);
  ~TiffBlockReader();
  TiffBlockReader(const TiffBlockReader&) = delete;
  TiffBlockReader& operator=(const TiffBlockReader&) = delete;

  /// Decodes a strip or tile to `block.bytes` bytes, words in the machine's byte order. Throws
  /// ImageFileError for whatever is not whole; what was decoded before that is in `to`. If missing
  /// pixels are left out, bytes beyond the end of the file are zeros.
  void read(const TiffBlock& block, std::uint8_t* to);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A page's strips or tiles, and where they lie in `file`.
struct TiffBlocks {
  std::vector<std::byte> file;
  std::vector<std::uint64_t> offsets, byte_counts;
};

class TiffBlockWriter {
 public:
  /// Throws ImageFileError if the compression cannot hold such samples.
  TiffBlockWriter(const TiffLayout& layout, bool little);
  ~TiffBlockWriter();
  TiffBlockWriter(const TiffBlockWriter&) = delete;
  TiffBlockWriter& operator=(const TiffBlockWriter&) = delete;

  /// Encodes a strip or tile, in order, from `block.bytes` bytes, which do not stay what they were.
  /// What is left out has no place and no length.
  void write(const TiffBlock& block, std::uint8_t* from);

  TiffBlocks take();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace qturn::tiff
