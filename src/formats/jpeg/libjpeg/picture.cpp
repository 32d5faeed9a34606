#include "src/formats/jpeg/libjpeg/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/formats/jpeg/file/jpeg_file.hpp"
#include "src/metadata/exif.hpp"

namespace qturn::jpeg {
namespace {

// Files may leave the standard's tables out, which libjpeg then fills in.
void fill_in_tables(const jpeg_decompress_struct& info, std::vector<JpegScan>& scans) {
  for (JpegScan& scan : scans) {
    for (JpegScanComponent& component : scan.components) {
      const JHUFF_TBL* dc = info.dc_huff_tbl_ptrs[component.dc_slot];
      const JHUFF_TBL* ac = info.ac_huff_tbl_ptrs[component.ac_slot];
      if (!component.dc && dc) component.dc = huffman_table_of(*dc);
      if (!component.ac && ac) component.ac = huffman_table_of(*ac);
    }
  }
}

// The number of a table that no component has yet.
int free_slot(const std::vector<JpegComponent>& components) {
  int slot = 0;
  while (std::ranges::any_of(components, [&](const auto& other) { return other.slot == slot; })) {
    ++slot;
  }
  return slot;
}

// Written again in the same scans, each coefficient must come once, first whole or in part, then
// bit by bit. libjpeg reads files that repeat scans, too.
bool each_comes_once(const JpegPicture& picture) {
  constexpr int nothing = -1;
  std::vector<std::array<int, DCTSIZE2>> lowest(picture.components.size());
  for (auto& of_component : lowest) of_component.fill(nothing);
  for (const JpegScan& scan : picture.scans) {
    const std::vector<int> components = components_of(picture, scan);
    if (components.size() != scan.components.size() || scan.last >= DCTSIZE2) return false;
    for (const int i : components) {
      for (int k = scan.first; k <= scan.last; ++k) {
        int& low = lowest[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
        if (low != (scan.high == 0 ? nothing : scan.high)) return false;
        low = scan.low;
      }
    }
  }
  // Coefficients that are zero in all blocks may be in no scan.
  return std::ranges::all_of(lowest, [](const auto& of_component) {
    return of_component[0] == 0 &&
           std::ranges::all_of(of_component, [](int low) { return low <= 0; });
  });
}

}  // namespace

int JpegPicture::max_h() const {
  return std::ranges::max_element(components, {}, &JpegComponent::h)->h;
}

int JpegPicture::max_v() const {
  return std::ranges::max_element(components, {}, &JpegComponent::v)->v;
}

JpegHuffmanTable huffman_table_of(const JHUFF_TBL& table) {
  JpegHuffmanTable copied;
  std::copy_n(table.bits + 1, copied.bits.size() - 1, copied.bits.begin() + 1);
  std::copy_n(table.huffval, copied.symbol_count(), copied.symbols.begin());
  return copied;
}

void set_size(JpegPicture& picture, JDIMENSION width, JDIMENSION height) {
  const auto blocks = [](JDIMENSION size, int factor, int max_factor) {
    const std::uint64_t unit = static_cast<std::uint64_t>(max_factor) * DCTSIZE;
    const std::uint64_t samples = std::uint64_t{size} * static_cast<std::uint64_t>(factor);
    return static_cast<JDIMENSION>((samples + unit - 1) / unit);
  };
  picture.width = width;
  picture.height = height;
  const int max_h = picture.max_h(), max_v = picture.max_v();
  for (JpegComponent& component : picture.components) {
    component.width_in_blocks = blocks(width, component.h, max_h);
    component.height_in_blocks = blocks(height, component.v, max_v);
  }
}

void check_complete(const JpegDecoder& decoder) {
  const jpeg_decompress_struct& info = decoder.info;
  const bool lacks_end = decoder.file.lacks_end;
  const std::string where =
      lacks_end ? fmt::format("truncated after scan {}: ", info.input_scan_number) : "";
  for (int i = 0; i < info.num_components; ++i) {
    if (!info.comp_info[i].quant_table) {
      throw ImageFileError(
          fmt::format("{}component {} of {} is missing", where, i + 1, info.num_components));
    }
    if (!info.progressive_mode) continue;
    const int* bits = info.coef_bits[i];
    // A coefficient that is zero everywhere may be in no scan. Without an end, its scan may be what
    // is missing.
    const auto is_missing = [&](int left) { return left > 0 || (left < 0 && lacks_end); };
    if (bits[0] != 0 || std::any_of(bits + 1, bits + DCTSIZE2, is_missing))
      throw ImageFileError(where + "the last scans of the progressive picture are missing");
  }
}

std::vector<JpegMarker> upright_markers(const JpegFile& file) {
  std::vector<JpegMarker> markers;
  for (const JpegSegment& segment : file.markers) {
    markers.push_back(
        {segment.marker, is_exif(segment) ? upright_exif(segment.payload)
                                          : Bytes(segment.payload.begin(), segment.payload.end())});
  }
  return markers;
}

JpegPicture layout_of(const jpeg_decompress_struct& info) {
  JpegPicture picture;
  picture.progressive = info.progressive_mode;
  picture.space = info.jpeg_color_space;
  for (int i = 0; i < info.num_components; ++i) {
    const jpeg_component_info& from = info.comp_info[i];
    picture.components.push_back({.id = from.component_id,
                                  .h = from.h_samp_factor,
                                  .v = from.v_samp_factor,
                                  .slot = from.quant_tbl_no});
  }
  set_size(picture, info.image_width, info.image_height);
  return picture;
}

namespace {

// `table_of` is the quantisation table of a component.
template <typename TableOf>
JpegPicture described(const JpegDecoder& decoder, TableOf table_of) {
  const jpeg_decompress_struct& info = decoder.info;
  JpegPicture picture = layout_of(info);
  for (std::size_t i = 0; i < picture.components.size(); ++i) {
    JpegComponent& component = picture.components[i];
    std::copy_n(table_of(info.comp_info[i]).quantval, DCTSIZE2, component.table.begin());
    // A table can be defined again between the scans of two components that name it.
    const auto before = std::span(picture.components).first(i);
    const auto same = std::ranges::find(before, component.slot, &JpegComponent::slot);
    if (same != before.end() && same->table != component.table) {
      component.slot = free_slot(picture.components);
    }
  }
  picture.scans = decoder.file.scans;
  fill_in_tables(info, picture.scans);
  if (!picture.progressive) {
    for (JpegScan& scan : picture.scans) {
      scan.first = scan.high = scan.low = 0;
      scan.last = DCTSIZE2 - 1;
    }
  }
  picture.markers = upright_markers(decoder.file);
  if (!each_comes_once(picture)) {
    throw ImageFileError("its scans repeat what other scans hold, which is not supported");
  }
  return picture;
}

}  // namespace

JpegPicture describe(const JpegDecoder& decoder) {
  check_complete(decoder);
  return described(decoder,
                   [](const jpeg_component_info& component) { return *component.quant_table; });
}

JpegPicture describe_by_header(const JpegDecoder& decoder) {
  return described(decoder, [&](const jpeg_component_info& component) {
    const int slot = component.quant_tbl_no;
    const JQUANT_TBL* table =
        slot < 0 || slot >= NUM_QUANT_TBLS ? nullptr : decoder.info.quant_tbl_ptrs[slot];
    if (!table) throw ImageFileError("a quantisation table is missing");
    return *table;
  });
}

JpegPicture turned(const JpegPicture& picture, Orientation orientation) {
  if (!swaps_axes(orientation)) return picture;
  JpegPicture result = picture;
  for (JpegComponent& component : result.components) {
    std::swap(component.h, component.v);
    for (std::size_t row = 0; row < DCTSIZE; ++row) {
      for (std::size_t column = 0; column < row; ++column) {
        std::swap(component.table[row * DCTSIZE + column], component.table[column * DCTSIZE + row]);
      }
    }
  }
  set_size(result, picture.height, picture.width);
  for (JpegScan& scan : result.scans) {
    const std::vector<int> components = components_of(picture, scan);
    const auto before = static_cast<std::uint64_t>(mcus_of(picture, components).width);
    const auto after = static_cast<std::uint64_t>(mcus_of(result, components).width);
    const std::uint64_t rows = scan.restart_interval / before;
    if (scan.restart_interval % before == 0 && rows * after <= 0xFFFF) {
      scan.restart_interval = static_cast<unsigned>(rows * after);
    }
  }
  return result;
}

std::vector<int> components_of(const JpegPicture& picture, const JpegScan& scan) {
  std::vector<int> found;
  for (const JpegScanComponent& wanted : scan.components) {
    for (int i = 0; i < static_cast<int>(picture.components.size()); ++i) {
      if (picture.components[static_cast<std::size_t>(i)].id != wanted.id ||
          std::ranges::find(found, i) != found.end()) {
        continue;
      }
      found.push_back(i);
      break;
    }
  }
  return found;
}

Size mcus_of(const JpegPicture& picture, const std::vector<int>& components) {
  if (components.size() == 1) {
    const JpegComponent& only = picture.components[static_cast<std::size_t>(components.front())];
    return {only.width_in_blocks, only.height_in_blocks};
  }
  const auto count = [](JDIMENSION size, int factor) {
    const std::int64_t unit = std::int64_t{factor} * DCTSIZE;
    return (std::int64_t{size} + unit - 1) / unit;
  };
  return {count(picture.width, picture.max_h()), count(picture.height, picture.max_v())};
}

}  // namespace qturn::jpeg
