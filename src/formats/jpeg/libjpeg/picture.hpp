// What a JPEG is apart from its coefficients: all that a turned one has in common with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <qturn/orientation.hpp>

#include "kernels/jpeg/src/scans.hpp"
#include "src/formats/jpeg/libjpeg/session.hpp"

namespace qturn::jpeg {

/// Quantisation, row by row.
using JpegTable = std::array<UINT16, DCTSIZE2>;

struct JpegComponent {
  int id = 0, h = 1, v = 1;
  int slot = 0;  ///< of its quantisation table
  JpegTable table{};
  JDIMENSION width_in_blocks = 0, height_in_blocks = 0;  ///< without padding
};

struct JpegMarker {
  int code = 0;
  Bytes data;
};

struct JpegPicture {
  JDIMENSION width = 0, height = 0;
  bool progressive = false;
  J_COLOR_SPACE space = JCS_UNKNOWN;
  std::vector<JpegComponent> components;
  std::vector<JpegScan> scans;
  std::vector<JpegMarker> markers;  ///< APPn and COM, in order, the orientation set to 1

  int max_h() const;
  int max_v() const;
};

/// A table as libjpeg has it; what no code has is zero.
JpegHuffmanTable huffman_table_of(const JHUFF_TBL& table);

/// Sets the picture's size, and its components' sizes in blocks from it.
void set_size(JpegPicture& picture, JDIMENSION width, JDIMENSION height);

/// Size, colour space and components of the picture whose header `info` has read; what comes with
/// the scans is left out.
JpegPicture layout_of(const jpeg_decompress_struct& info);

/// Throws ImageFileError if the file that was read to its end lacks scans: of a component, or the
/// last refinements of a progressive picture.
void check_complete(const JpegDecoder& decoder);

/// The APPn and COM markers of a file, in order, the orientation set to 1. Throws ImageFileError if
/// an Exif block is too damaged for that.
std::vector<JpegMarker> upright_markers(const JpegFile& file);

/// The picture that `decoder` has read to its end, without complaint. Throws ImageFileError if that
/// lacks scans or has some that cannot be written again.
JpegPicture describe(const JpegDecoder& decoder);

/// The same of a picture when only its header was read, if it has one scan. Throws ImageFileError
/// also if a quantisation table is missing.
JpegPicture describe_by_header(const JpegDecoder& decoder);

/// The description turned: sizes, sampling factors and tables are exchanged with the axes, and
/// restart intervals of whole rows stay so.
JpegPicture turned(const JpegPicture& picture, Orientation orientation);

/// MCUs in a row and in a column of a scan of these components (indices).
Size mcus_of(const JpegPicture& picture, const std::vector<int>& components);

/// The components (indices) that a scan holds.
std::vector<int> components_of(const JpegPicture& picture, const JpegScan& scan);

}  // namespace qturn::jpeg
