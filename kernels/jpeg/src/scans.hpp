// The scans of a JPEG, read from its markers without decoding: for each scan its components, which
// of their coefficients it holds, and the Huffman tables that coded it.
//
// A GPU is told of the first scan (header.hpp). src/ writes a turned picture in the same scans with
// the same tables, so it keeps its kind of coding and needs no pass for statistics. libjpeg does
// not keep them.
#pragma once

#include <qturn/jpeg_huffman_table.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/jpeg/src/markers.hpp"

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

inline void JpegScanReader::take(const JpegSegment& segment) {
  using namespace jpeg_marker;
  if (is_in_scan_) {
    // The marker and, unless it is the end, the length lie before the payload.
    const std::size_t data_end = segment.offset - (segment.marker == eoi ? 2 : 4);
    scans_.back().bytes = data_end - scans_.back().data_at;
    is_in_scan_ = false;
  }
  if (segment.marker == dht) define(segment.payload);
  if (segment.marker == dri && segment.payload.size() >= 2) {
    restart_interval_ = word_at(segment.payload, 0);
  }
  if (segment.marker == sos && !is_damaged_) begin_scan(segment);
}

// A DHT segment may define several tables.
inline void JpegScanReader::define(std::span<const std::byte> tables) {
  using jpeg_marker::byte_at;
  while (tables.size() >= 17) {
    const unsigned char which = byte_at(tables, 0);
    JpegHuffmanTable table;
    std::size_t count = 0;
    for (std::size_t length = 1; length <= 16; ++length) {
      table.bits[length] = byte_at(tables, length);
      count += table.bits[length];
    }
    if (count > table.symbols.size() || tables.size() - 17 < count || which % 16 >= slots ||
        which >= 32) {
      return;
    }
    for (std::size_t i = 0; i < count; ++i) table.symbols[i] = byte_at(tables, 17 + i);
    (which < 16 ? dc_ : ac_)[which % 16] = table;
    tables = tables.subspan(17 + count);
  }
}

inline void JpegScanReader::begin_scan(const JpegSegment& segment) {
  using jpeg_marker::byte_at;
  const std::span<const std::byte> header = segment.payload;
  is_damaged_ = true;
  if (header.empty()) return;
  const std::size_t count = byte_at(header, 0);
  if (count > 4 || header.size() < 4 + 2 * count) return;
  JpegScan scan;
  for (std::size_t i = 0; i < count; ++i) {
    JpegScanComponent component;
    component.id = byte_at(header, 1 + 2 * i);
    const unsigned char chosen = byte_at(header, 2 + 2 * i);
    component.dc_slot = chosen / 16;
    component.ac_slot = chosen % 16;
    if (component.dc_slot >= static_cast<int>(slots)) return;
    if (component.ac_slot >= static_cast<int>(slots)) return;
    component.dc = dc_[static_cast<std::size_t>(component.dc_slot)];
    component.ac = ac_[static_cast<std::size_t>(component.ac_slot)];
    scan.components.push_back(component);
  }
  scan.first = byte_at(header, 1 + 2 * count);
  scan.last = byte_at(header, 2 + 2 * count);
  scan.high = byte_at(header, 3 + 2 * count) / 16;
  scan.low = byte_at(header, 3 + 2 * count) % 16;
  scan.restart_interval = restart_interval_;
  scan.data_at = segment.offset + segment.payload.size();
  scans_.push_back(std::move(scan));
  is_in_scan_ = true;
  is_damaged_ = false;
}

}  // namespace qturn::jpeg
