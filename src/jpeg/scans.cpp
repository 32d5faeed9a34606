#include "src/jpeg/scans.hpp"

#include <algorithm>
#include <cstring>

#include "src/jpeg/session.hpp"

namespace qturn {
namespace {

constexpr unsigned char dht = 0xC4, rst0 = 0xD0, rst7 = 0xD7, soi = 0xD8, eoi = 0xD9, sos = 0xDA,
                        dri = 0xDD, tem = 0x01;
constexpr std::size_t slots = 4;

unsigned char byte_of(std::span<const std::byte> data, std::size_t at) {
  return std::to_integer<unsigned char>(data[at]);
}

struct Tables {
  std::array<std::optional<JpegHuffmanTable>, slots> dc, ac;
};

// A DHT segment may define several tables. False if it is not whole.
bool define(std::span<const std::byte> segment, Tables& tables) {
  while (segment.size() >= 17) {
    const unsigned char which = byte_of(segment, 0);
    JpegHuffmanTable table;
    std::size_t count = 0;
    for (std::size_t length = 1; length <= 16; ++length) {
      table.bits[length] = byte_of(segment, length);
      count += table.bits[length];
    }
    if (count > table.symbols.size() || segment.size() - 17 < count || which % 16 >= slots ||
        which >= 32)
      return false;
    for (std::size_t i = 0; i < count; ++i) table.symbols[i] = byte_of(segment, 17 + i);
    (which < 16 ? tables.dc : tables.ac)[which % 16] = table;
    segment = segment.subspan(17 + count);
  }
  return segment.empty();
}

std::optional<JpegScan> scan_of(std::span<const std::byte> segment, const Tables& tables) {
  if (segment.empty()) return std::nullopt;
  const std::size_t count = byte_of(segment, 0);
  if (count > 4 || segment.size() < 4 + 2 * count) return std::nullopt;
  JpegScan scan;
  for (std::size_t i = 0; i < count; ++i) {
    JpegScanComponent component;
    component.id = byte_of(segment, 1 + 2 * i);
    const unsigned char chosen = byte_of(segment, 2 + 2 * i);
    component.dc_slot = chosen / 16;
    component.ac_slot = chosen % 16;
    if (component.dc_slot >= static_cast<int>(slots)) return std::nullopt;
    if (component.ac_slot >= static_cast<int>(slots)) return std::nullopt;
    component.dc = tables.dc[static_cast<std::size_t>(component.dc_slot)];
    component.ac = tables.ac[static_cast<std::size_t>(component.ac_slot)];
    scan.components.push_back(component);
  }
  scan.first = byte_of(segment, 1 + 2 * count);
  scan.last = byte_of(segment, 2 + 2 * count);
  scan.high = byte_of(segment, 3 + 2 * count) / 16;
  scan.low = byte_of(segment, 3 + 2 * count) % 16;
  return scan;
}

// Whether a progressive picture may have such a scan: of DC, or of one component's AC; with all
// bits, or with the next one.
bool is_regular(const JpegScan& scan) {
  const bool dc = scan.first == 0 && scan.last == 0;
  const bool ac = scan.first > 0 && scan.first <= scan.last && scan.last < 64;
  return (dc || (ac && scan.components.size() == 1)) && !scan.components.empty() &&
         scan.low <= 13 && (scan.high == 0 || scan.high == scan.low + 1);
}

// The end of the entropy-coded data that starts at `at`: the next marker that is no restart.
std::size_t end_of_data(std::span<const std::byte> file, std::size_t at) {
  while (at + 1 < file.size()) {
    const void* found = std::memchr(file.data() + at, 0xFF, file.size() - at - 1);
    if (!found) break;
    at = static_cast<std::size_t>(static_cast<const std::byte*>(found) - file.data());
    const unsigned char next = byte_of(file, at + 1);
    if (next != 0 && next != 0xFF && (next < rst0 || next > rst7)) return at;
    at += next == 0xFF ? 1 : 2;
  }
  return file.size();
}

}  // namespace

JpegScans jpeg_scans(std::span<const std::byte> file) {
  JpegScans found;
  std::vector<JpegScan>& scans = found.scans;
  Tables tables;
  unsigned restart_interval = 0;
  std::size_t at = 2;
  bool plain = true;
  while (true) {
    const std::size_t before = at;
    while (at < file.size() && byte_of(file, at) != 0xFF) ++at;
    while (at < file.size() && byte_of(file, at) == 0xFF) ++at;
    if (at >= file.size()) return found;
    const unsigned char marker = byte_of(file, at++);
    if (!scans.empty() && (at - before != 2 || (marker != dht && marker != sos && marker != eoi))) {
      plain = false;
    }
    if (marker == eoi) {
      found.plain = plain;
      found.end = at;
      return found;
    }
    if (marker == 0 || marker == tem || marker == soi || (marker >= rst0 && marker <= rst7)) {
      continue;
    }
    if (file.size() - at < 2) return found;
    const std::size_t length = static_cast<std::size_t>(byte_of(file, at) << 8) |
                               static_cast<std::size_t>(byte_of(file, at + 1));
    if (length < 2 || file.size() - at < length) return found;
    const auto segment = file.subspan(at + 2, length - 2);
    at += length;
    if (marker == dht && !define(segment, tables)) plain = false;
    if (marker == dri && segment.size() >= 2) {
      restart_interval = static_cast<unsigned>(byte_of(segment, 0) << 8 | byte_of(segment, 1));
    }
    if (marker != sos) continue;
    const std::optional<JpegScan> scan = scan_of(segment, tables);
    if (!scan || scans.size() == jpeg_max_scans) return found;
    scans.push_back(*scan);
    if (!is_regular(*scan) || segment.size() != 4 + 2 * scan->components.size()) plain = false;
    scans.back().data_at = at;
    scans.back().restart_interval = restart_interval;
    at = end_of_data(file, at);
    scans.back().bytes = at - scans.back().data_at;
  }
}

}  // namespace qturn
