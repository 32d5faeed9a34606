#include "src/formats/jpeg/hardware/hardware.hpp"

#include <algorithm>

#include "src/formats/jpeg/file/segments.hpp"
#include "src/formats/jpeg/hardware/intact.hpp"
#include "src/formats/jpeg/libjpeg/header.hpp"
#include "src/formats/jpeg/writing/turned_blocks.hpp"

namespace qturn {
namespace {

// For smaller pictures a launch costs more than the pixels, and engines have a smallest size.
constexpr JDIMENSION smallest_side = 64;
constexpr JDIMENSION largest_side = 16384;

/// The tables of the standard's annex K, by class (DC, AC) and slot.
using HuffmanTables = std::array<std::array<JpegHuffmanTable, 2>, 2>;

const HuffmanTables& standard_tables() {
  static const HuffmanTables tables = [] {
    JpegEncoder encoder(nullptr, 64);
    guarded(encoder.errors, [&] {
      encoder.info.input_components = 3;
      encoder.info.in_color_space = JCS_YCbCr;
      jpeg_set_defaults(&encoder.info);
    });
    HuffmanTables found;
    for (std::size_t slot = 0; slot < 2; ++slot) {
      found[0][slot] = huffman_table_of(*encoder.info.dc_huff_tbl_ptrs[slot]);
      found[1][slot] = huffman_table_of(*encoder.info.ac_huff_tbl_ptrs[slot]);
    }
    return found;
  }();
  return tables;
}

bool header_fits(const jpeg_decompress_struct& info) {
  if (info.progressive_mode || info.arith_code || info.data_precision != 8) return false;
  if (info.jpeg_color_space != JCS_YCbCr || info.num_components != 3) return false;
  if (info.comps_in_scan != 3 || info.Ss != 0 || info.Se != DCTSIZE2 - 1) return false;
  if (info.restart_interval != 0) return false;
  if (std::min(info.image_width, info.image_height) < smallest_side) return false;
  if (std::max(info.image_width, info.image_height) > largest_side) return false;
  const jpeg_component_info* components = info.comp_info;
  if (components[0].h_samp_factor > 2 || components[0].v_samp_factor > 2) return false;
  for (int i = 0; i < 3; ++i) {
    const jpeg_component_info& component = components[i];
    if (i > 0 && (component.h_samp_factor != 1 || component.v_samp_factor != 1)) return false;
    // The file's own number, at which libjpeg only looks when it decodes.
    if (component.quant_tbl_no < 0 || component.quant_tbl_no >= NUM_QUANT_TBLS) return false;
    const JQUANT_TBL* table = info.quant_tbl_ptrs[component.quant_tbl_no];
    if (!table || *std::max_element(table->quantval, table->quantval + DCTSIZE2) > 255) {
      return false;
    }
    if (component.dc_tbl_no > 1 || component.ac_tbl_no > 1) return false;
    if (!info.dc_huff_tbl_ptrs[component.dc_tbl_no] ||
        !info.ac_huff_tbl_ptrs[component.ac_tbl_no]) {
      return false;
    }
    if (info.cur_comp_info[i] != &component) return false;
  }
  const UINT16* cb = info.quant_tbl_ptrs[components[1].quant_tbl_no]->quantval;
  const UINT16* cr = info.quant_tbl_ptrs[components[2].quant_tbl_no]->quantval;
  return std::equal(cb, cb + DCTSIZE2, cr);
}

// Reads what a device has written, marker by marker.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  unsigned take8() {
    if (at_ >= bytes_.size()) throw ImageFileError("the device's JPEG is cut");
    return std::to_integer<unsigned>(bytes_[at_++]);
  }
  unsigned take16() {
    const unsigned high = take8();
    return high << 8 | take8();
  }
  std::span<const std::byte> take(std::size_t count) {
    if (bytes_.size() - at_ < count) throw ImageFileError("the device's JPEG is cut");
    at_ += count;
    return bytes_.subspan(at_ - count, count);
  }
  std::size_t left() const { return bytes_.size() - at_; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

[[noreturn]] void disobeyed(const char* what) {
  throw ImageFileError(std::string("the device's encoder wrote other ") + what +
                       " than it was given");
}

void put_segment(Bytes& file, unsigned marker, std::span<const std::byte> payload) {
  const std::size_t length = payload.size() + 2;
  for (const unsigned value :
       {0xFFU, marker, static_cast<unsigned>(length >> 8), static_cast<unsigned>(length & 0xFF)}) {
    file.push_back(static_cast<std::byte>(value));
  }
  file.insert(file.end(), payload.begin(), payload.end());
}

}  // namespace

std::optional<HardwareJpeg> HardwareJpeg::of(std::span<const std::byte> file,
                                             const std::atomic<bool>& stop) {
  return of(JpegDecoder(file, &stop));
}

std::optional<HardwareJpeg> HardwareJpeg::of(const JpegDecoder& decoder) {
  const jpeg_decompress_struct& info = decoder.info;
  if (!header_fits(info) || decoder.file.scans.empty()) return std::nullopt;

  HardwareJpeg jpeg;
  jpeg.file_ = decoder.file.bytes;
  jpeg.picture_ = layout_of(info);
  std::array<JpegHuffmanTable, 6> huffman;
  std::vector<BaselineComponent> components;
  for (int i = 0; i < 3; ++i) {
    const jpeg_component_info& from = info.comp_info[i];
    JpegComponent& component = jpeg.picture_.components[static_cast<std::size_t>(i)];
    std::copy_n(info.quant_tbl_ptrs[from.quant_tbl_no]->quantval, DCTSIZE2,
                component.table.begin());
    auto& dc = huffman[static_cast<std::size_t>(2 * i)];
    auto& ac = huffman[static_cast<std::size_t>(2 * i + 1)];
    dc = huffman_table_of(*info.dc_huff_tbl_ptrs[from.dc_tbl_no]);
    ac = huffman_table_of(*info.ac_huff_tbl_ptrs[from.ac_tbl_no]);
    const std::size_t slot = i == 0 ? 0 : 1;
    jpeg.optimised_ |= dc != standard_tables()[0][slot] || ac != standard_tables()[1][slot];
    components.push_back({from.h_samp_factor * from.v_samp_factor, &dc, &ac});
  }
  const Size mcus = mcus_of(jpeg.picture_, {0, 1, 2});
  const std::size_t data_at = decoder.file.scans.front().data_at;
  const auto data = jpeg.file_.subspan(data_at);
  jpeg.header_ = jpeg.file_.first(data_at);
  std::size_t after = 0;
  if (!is_intact(data, components, static_cast<std::uint64_t>(mcus.width * mcus.height), after)) {
    return std::nullopt;
  }
  jpeg.tail_ = data.subspan(after);
  jpeg.picture_.markers = upright_markers(decoder.file);
  return jpeg;
}

bool HardwareJpeg::takes(Orientation orientation) const {
  const Reading r = reading(orientation);
  const auto cut = [](JDIMENSION size, int step) {
    return size % static_cast<JDIMENSION>(step) != 0;
  };
  return !(r.from_right && cut(picture_.width, picture_.max_h())) &&
         !(r.from_bottom && cut(picture_.height, picture_.max_v()));
}

PlanarRequest HardwareJpeg::request(std::span<const Orientation> orientations) const {
  PlanarRequest request{.file = file_,
                        .header = header_,
                        .size = {picture_.width, picture_.height},
                        .h = picture_.max_h(),
                        .v = picture_.max_v(),
                        .optimised = optimised_,
                        .outputs = {}};
  for (const Orientation each : orientations) {
    request.outputs.push_back({each, tables_jpeg(turned(picture_, each))});
  }
  return request;
}

Bytes HardwareJpeg::finish(std::span<const std::byte> made, Orientation orientation,
                           SpareBytes& spare) const {
  using namespace jpeg_marker;
  const JpegPicture wanted = turned(picture_, orientation);
  Bytes head;
  head.push_back(std::byte{0xFF});
  head.push_back(std::byte{soi});
  for (const JpegMarker& marker : wanted.markers) {
    put_segment(head, static_cast<unsigned>(marker.code), marker.data);
  }
  Reader in(made);
  if (in.take16() != (0xFF00 | soi)) disobeyed("data");
  std::array<std::span<const std::byte>, 4> tables;
  while (true) {
    const unsigned code = in.take16();
    if (code >> 8 != 0xFF) disobeyed("data");
    const unsigned marker = code & 0xFF, length = in.take16();
    if (length < 2) disobeyed("data");
    const auto payload = in.take(length - 2);
    Bytes copy(payload.begin(), payload.end());
    if (marker == dqt) {
      Reader all(payload);
      while (all.left() > 0) {
        const unsigned slot = all.take8();
        if (slot > 3) disobeyed("tables");
        tables[slot] = all.take(DCTSIZE2);
      }
    } else if (marker == sof0) {
      Reader frame(payload);
      if (frame.take8() != 8 || frame.take16() != wanted.height || frame.take16() != wanted.width ||
          frame.take8() != 3) {
        disobeyed("sizes");
      }
      for (std::size_t i = 0; i < 3; ++i) {
        const JpegComponent& component = wanted.components[i];
        frame.take8();
        if (frame.take8() != static_cast<unsigned>(component.h << 4 | component.v)) {
          disobeyed("sampling");
        }
        const auto table = tables[frame.take8() & 3];
        if (table.empty()) disobeyed("tables");
        for (std::size_t k = 0; k < DCTSIZE2; ++k) {
          if (std::to_integer<unsigned>(table[k]) != component.table[jpeg_zigzag[k]]) {
            disobeyed("tables");
          }
        }
        copy[6 + 3 * i] = static_cast<std::byte>(component.id);
      }
    } else if (marker == sos) {
      if (copy.size() != 10) disobeyed("scans");
      for (std::size_t i = 0; i < 3; ++i) {
        copy[1 + 2 * i] = static_cast<std::byte>(wanted.components[i].id);
      }
    } else if (marker != dht && marker != dri) {
      continue;  // its own APPn and COM
    }
    put_segment(head, marker, copy);
    if (marker == sos) break;
  }
  const auto data = in.take(in.left());
  // What follows its end, if anything, is not ours.
  constexpr std::array eoi{std::byte{0xFF}, std::byte{0xD9}};
  const auto end = std::find_end(data.begin(), data.end(), eoi.begin(), eoi.end());
  if (end == data.end()) disobeyed("data");
  const auto scan = data.first(static_cast<std::size_t>(end - data.begin()) + eoi.size());
  Bytes file = spare.take(head.size() + scan.size() + tail_.size());
  file.assign(head.begin(), head.end());
  file.insert(file.end(), scan.begin(), scan.end());
  file.insert(file.end(), tail_.begin(), tail_.end());
  return file;
}

Bytes tables_jpeg(const JpegPicture& picture) {
  JpegEncoder encoder(nullptr, 1024);
  jpeg_compress_struct& info = encoder.info;
  guarded(encoder.errors, [&] {
    info.image_width = info.image_height = 16;
    info.input_components = 3;
    info.in_color_space = JCS_YCbCr;
    jpeg_set_defaults(&info);
    for (std::size_t slot = 0; slot < 2; ++slot) {
      const JpegTable& table = picture.components[slot].table;
      std::copy(table.begin(), table.end(), info.quant_tbl_ptrs[slot]->quantval);
    }
    info.comp_info[0].h_samp_factor = picture.components[0].h;
    info.comp_info[0].v_samp_factor = picture.components[0].v;
    jpeg_start_compress(&info, TRUE);
    std::array<JSAMPLE, 48> grey;
    grey.fill(128);
    JSAMPROW row = grey.data();
    while (info.next_scanline < info.image_height) jpeg_write_scanlines(&info, &row, 1);
    jpeg_finish_compress(&info);
  });
  return encoder.take();
}

}  // namespace qturn
