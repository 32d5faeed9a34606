#include "src/formats/jpeg/writing/writer.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "src/formats/jpeg/file/huffman_table.hpp"
#include "src/formats/jpeg/writing/scan_data.hpp"

namespace qturn::jpeg {
namespace {

using namespace jpeg_marker;

class Segments {
 public:
  explicit Segments(Bytes& file) : file_(file) {}

  void put8(unsigned value) { file_.push_back(static_cast<std::byte>(value & 0xFF)); }
  void put16(unsigned value) {
    put8(value >> 8);
    put8(value);
  }
  void put(std::span<const std::byte> bytes) {
    file_.insert(file_.end(), bytes.begin(), bytes.end());
  }
  void marker(int code) {
    put8(0xFF);
    put8(static_cast<unsigned>(code));
  }
  void segment(int code, std::size_t payload_bytes) {
    marker(code);
    put16(static_cast<unsigned>(payload_bytes + 2));
  }

 private:
  Bytes& file_;
};

bool is_16_bit(const JpegTable& table) {
  return std::ranges::any_of(table, [](UINT16 step) { return step > 255; });
}

void put_quantisation(Segments& out, const JpegPicture& picture) {
  std::vector<int> written;
  for (const JpegComponent& component : picture.components) {
    if (std::ranges::find(written, component.slot) != written.end()) continue;
    written.push_back(component.slot);
    const bool wide = is_16_bit(component.table);
    out.segment(dqt, 1 + DCTSIZE2 * (wide ? 2 : 1));
    out.put8(static_cast<unsigned>((wide ? 16 : 0) + component.slot));
    for (const std::uint8_t at : zigzag) {
      if (wide) {
        out.put16(component.table[at]);
      } else {
        out.put8(component.table[at]);
      }
    }
  }
}

void put_frame(Segments& out, const JpegPicture& picture) {
  // Baseline has two Huffman tables of each kind, and quantisation in 8 bits.
  const bool extended =
      std::ranges::any_of(picture.components, is_16_bit, &JpegComponent::table) ||
      std::ranges::any_of(picture.scans, [](const JpegScan& scan) {
        return std::ranges::any_of(scan.components, [](const JpegScanComponent& component) {
          return component.dc_slot > 1 || component.ac_slot > 1;
        });
      });
  out.segment(picture.progressive ? sof2
              : extended          ? sof1
                                  : sof0,
              6 + 3 * picture.components.size());
  out.put8(8);
  out.put16(picture.height);
  out.put16(picture.width);
  out.put8(static_cast<unsigned>(picture.components.size()));
  for (const JpegComponent& component : picture.components) {
    out.put8(static_cast<unsigned>(component.id));
    out.put8(static_cast<unsigned>(component.h << 4 | component.v));
    out.put8(static_cast<unsigned>(component.slot));
  }
}

void put_codes(Segments& out, unsigned kind_and_slot, const JpegHuffmanTable& table) {
  const std::size_t count = table.symbol_count();
  out.segment(dht, 17 + count);
  out.put8(kind_and_slot);
  for (std::size_t length = 1; length <= 16; ++length) out.put8(table.bits[length]);
  for (std::size_t i = 0; i < count; ++i) out.put8(table.symbols[i]);
}

bool needs_dc(const JpegPicture& picture, const JpegScan& scan) {
  return scan.first == 0 && !(picture.progressive && scan.high != 0);
}

bool needs_ac(const JpegPicture& picture, const JpegScan& scan) {
  return !picture.progressive || scan.first != 0;
}

// Each scan's tables with all codes that a turned picture may need.
void complete_tables(JpegPicture& picture) {
  for (JpegScan& scan : picture.scans) {
    const JpegSymbols ac = !picture.progressive ? JpegSymbols::ac
                           : scan.high == 0     ? JpegSymbols::ac_first
                                                : JpegSymbols::ac_refined;
    for (JpegScanComponent& component : scan.components) {
      if (needs_dc(picture, scan)) {
        component.dc = complete(component.dc.value_or(JpegHuffmanTable{}), JpegSymbols::dc);
      }
      if (needs_ac(picture, scan)) {
        component.ac = complete(component.ac.value_or(JpegHuffmanTable{}), ac);
      }
    }
  }
}

void put_scan_header(Segments& out, const JpegPicture& picture, const JpegScan& scan) {
  out.segment(sos, 4 + 2 * scan.components.size());
  out.put8(static_cast<unsigned>(scan.components.size()));
  for (const JpegScanComponent& component : scan.components) {
    out.put8(static_cast<unsigned>(component.id));
    const int dc = needs_dc(picture, scan) ? component.dc_slot : 0;
    const int ac = needs_ac(picture, scan) ? component.ac_slot : 0;
    out.put8(static_cast<unsigned>(dc << 4 | ac));
  }
  out.put8(static_cast<unsigned>(scan.first));
  out.put8(static_cast<unsigned>(scan.last));
  out.put8(static_cast<unsigned>(scan.high << 4 | scan.low));
}

/// A file up to the data of a scan, one scan after the other.
class FileWriter {
 public:
  /// `file` and `picture` must outlive this.
  FileWriter(Bytes& file, const JpegPicture& picture) : out_(file), picture_(picture) {
    out_.marker(soi);
    for (const JpegMarker& marker : picture.markers) {
      out_.segment(marker.code, marker.data.size());
      out_.put(marker.data);
    }
    put_quantisation(out_, picture);
    put_frame(out_, picture);
  }

  void begin_scan(const JpegScan& scan) {
    for (const JpegScanComponent& component : scan.components) {
      if (needs_dc(picture_, scan)) define(0, component.dc_slot, *component.dc);
      if (needs_ac(picture_, scan)) define(1, component.ac_slot, *component.ac);
    }
    if (scan.restart_interval != restart_interval_) {
      restart_interval_ = scan.restart_interval;
      out_.segment(dri, 2);
      out_.put16(restart_interval_);
    }
    put_scan_header(out_, picture_, scan);
  }

  void end() { out_.marker(eoi); }

 private:
  void define(int kind, int slot, const JpegHuffmanTable& table) {
    const auto which = static_cast<unsigned>(kind << 4 | slot);
    const auto found = defined_.find(which);
    if (found != defined_.end() && found->second == table) return;
    defined_[which] = table;
    put_codes(out_, which, table);
  }

  Segments out_;
  const JpegPicture& picture_;
  std::map<unsigned, JpegHuffmanTable> defined_;
  unsigned restart_interval_ = 0;
};

std::size_t marker_bytes(const JpegPicture& picture) {
  std::size_t bytes = 0;
  for (const JpegMarker& marker : picture.markers) bytes += 4 + marker.data.size();
  return bytes;
}

}  // namespace

JpegPicture written_picture(const JpegPicture& stored, Orientation orientation) {
  JpegPicture picture = turned(stored, orientation);
  complete_tables(picture);
  return picture;
}

Bytes header_before_scan(const JpegPicture& picture) {
  Bytes file;
  file.reserve(marker_bytes(picture) + 4096);
  FileWriter(file, picture).begin_scan(picture.scans.front());
  return file;
}

Bytes write_jpeg(const JpegPicture& stored, const JpegBlocks& blocks, Orientation orientation,
                 JpegTables tables, const std::atomic<bool>& stop) {
  JpegPicture picture = turned(stored, orientation);
  std::vector<TurnedBlocks> components;
  for (std::size_t i = 0; i < stored.components.size(); ++i) {
    components.push_back(turned_blocks(blocks.component(static_cast<int>(i)),
                                       stored.components[i].width_in_blocks,
                                       stored.components[i].height_in_blocks, orientation));
  }
  const TurnedOrder& order = TurnedOrder::of(orientation);
  if (tables == JpegTables::fitted && !picture.progressive) {
    fit_tables(picture, components, order, stop);
  } else {
    complete_tables(picture);
  }
  const std::vector<JpegData> data = code_scans(picture, components, order, stop);

  std::size_t size = 4096 + marker_bytes(picture);
  for (const JpegData& of_scan : data) size += 1024 + of_scan.size() + of_scan.size() / 64;
  Bytes file;
  file.reserve(size);
  FileWriter writer(file, picture);
  for (std::size_t i = 0; i < data.size(); ++i) {
    writer.begin_scan(picture.scans[i]);
    data[i].append_to(file);
  }
  writer.end();
  return file;
}

}  // namespace qturn::jpeg
