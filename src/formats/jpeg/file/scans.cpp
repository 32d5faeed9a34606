#include "src/formats/jpeg/file/scans.hpp"

#include <utility>

#include "src/picture/endian.hpp"

namespace qturn::jpeg {
namespace {

unsigned char byte_of(std::span<const std::byte> data, std::size_t at) {
  return std::to_integer<unsigned char>(data[at]);
}

}  // namespace

void JpegScanReader::take(const JpegSegment& segment) {
  using namespace jpeg_marker;
  if (is_in_scan_) {
    // The marker and, unless it is the end, the length lie before the payload.
    const std::size_t data_end = segment.offset - (segment.marker == eoi ? 2 : 4);
    scans_.back().bytes = data_end - scans_.back().data_at;
    is_in_scan_ = false;
  }
  if (segment.marker == dht) define(segment.payload);
  if (segment.marker == dri && segment.payload.size() >= 2) {
    restart_interval_ = static_cast<unsigned>(big_endian(segment.payload, 0, 2));
  }
  if (segment.marker == sos && !is_damaged_) begin_scan(segment);
}

// A DHT segment may define several tables.
void JpegScanReader::define(std::span<const std::byte> tables) {
  while (tables.size() >= 17) {
    const unsigned char which = byte_of(tables, 0);
    JpegHuffmanTable table;
    std::size_t count = 0;
    for (std::size_t length = 1; length <= 16; ++length) {
      table.bits[length] = byte_of(tables, length);
      count += table.bits[length];
    }
    if (count > table.symbols.size() || tables.size() - 17 < count || which % 16 >= slots ||
        which >= 32) {
      return;
    }
    for (std::size_t i = 0; i < count; ++i) table.symbols[i] = byte_of(tables, 17 + i);
    (which < 16 ? dc_ : ac_)[which % 16] = table;
    tables = tables.subspan(17 + count);
  }
}

void JpegScanReader::begin_scan(const JpegSegment& segment) {
  const std::span<const std::byte> header = segment.payload;
  is_damaged_ = true;
  if (header.empty()) return;
  const std::size_t count = byte_of(header, 0);
  if (count > 4 || header.size() < 4 + 2 * count) return;
  JpegScan scan;
  for (std::size_t i = 0; i < count; ++i) {
    JpegScanComponent component;
    component.id = byte_of(header, 1 + 2 * i);
    const unsigned char chosen = byte_of(header, 2 + 2 * i);
    component.dc_slot = chosen / 16;
    component.ac_slot = chosen % 16;
    if (component.dc_slot >= static_cast<int>(slots)) return;
    if (component.ac_slot >= static_cast<int>(slots)) return;
    component.dc = dc_[static_cast<std::size_t>(component.dc_slot)];
    component.ac = ac_[static_cast<std::size_t>(component.ac_slot)];
    scan.components.push_back(component);
  }
  scan.first = byte_of(header, 1 + 2 * count);
  scan.last = byte_of(header, 2 + 2 * count);
  scan.high = byte_of(header, 3 + 2 * count) / 16;
  scan.low = byte_of(header, 3 + 2 * count) % 16;
  scan.restart_interval = restart_interval_;
  scan.data_at = segment.offset + segment.payload.size();
  scans_.push_back(std::move(scan));
  is_in_scan_ = true;
  is_damaged_ = false;
}

}  // namespace qturn::jpeg
