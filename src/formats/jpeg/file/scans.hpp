// The scans of a JPEG, read from its markers without decoding: which coefficients of which
// components each one holds, and with which Huffman tables it was coded.
//
// libjpeg does not keep them. A turned picture is written in the same scans with the same tables
// (completed: huffman_table.hpp), so it keeps its kind of coding and needs no pass for statistics.
#ifndef QTURN_SRC_FORMATS_JPEG_FILE_SCANS_HPP
#define QTURN_SRC_FORMATS_JPEG_FILE_SCANS_HPP

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "src/formats/jpeg/file/huffman_table.hpp"
#include "src/metadata/jpeg_markers.hpp"

namespace qturn::jpeg {

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

/// Gathers the scans of a file from its segments.
class JpegScanReader {
 public:
  /// The next segment of the file; the last one is EOI.
  void take(const JpegSegment& segment);

  /// The scans that have begun, up to the first damaged one. The last may still lack its length.
  const std::vector<JpegScan>& scans() const { return scans_; }

 private:
  void define(std::span<const std::byte> tables);
  void begin_scan(const JpegSegment& segment);

  static constexpr std::size_t slots = 4;

  std::array<std::optional<JpegHuffmanTable>, slots> dc_, ac_;
  unsigned restart_interval_ = 0;
  bool is_in_scan_ = false, is_damaged_ = false;
  std::vector<JpegScan> scans_;
};

}  // namespace qturn::jpeg

#endif  // QTURN_SRC_FORMATS_JPEG_FILE_SCANS_HPP
