// The scans of a JPEG, read from its markers without decoding: which coefficients of which
// components each one holds, and with which Huffman tables it was coded.
//
// libjpeg forgets them on its way. A turned picture is written in the same scans with the same
// tables (completed: huffman.hpp), so that it stays what it was and needs no pass for statistics.
#ifndef QTURN_SRC_JPEG_SCANS_HPP
#define QTURN_SRC_JPEG_SCANS_HPP

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "src/jpeg/huffman.hpp"

namespace qturn {

struct JpegScanComponent {
  int id = 0;                              ///< as the frame header names it
  int dc_slot = 0, ac_slot = 0;            ///< numbers of its tables
  std::optional<JpegHuffmanTable> dc, ac;  ///< as they were defined when the scan began
};

struct JpegScan {
  std::vector<JpegScanComponent> components;
  int first = 0, last = 63;            ///< coefficients, in zigzag order
  int high = 0, low = 0;               ///< bits: refined from `high`, down to `low`
  unsigned restart_interval = 0;       ///< in MCUs, 0: none
  std::size_t data_at = 0, bytes = 0;  ///< of its entropy-coded data in the file
};

struct JpegScans {
  std::vector<JpegScan> scans;  ///< as far as they can be read
  /// Behind the first scan's header there are only scans, Huffman tables and the end of the
  /// picture, without a byte between.
  bool plain = false;
  std::size_t end = 0;  ///< of a plain picture, in the file
};

JpegScans jpeg_scans(std::span<const std::byte> file);

}  // namespace qturn

#endif  // QTURN_SRC_JPEG_SCANS_HPP
