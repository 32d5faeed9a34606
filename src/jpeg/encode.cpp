#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "src/carriers/exif.hpp"
#include "src/jpeg/codec.hpp"
#include "src/jpeg/extras.hpp"
#include "src/jpeg/markers.hpp"
#include "src/jpeg/session.hpp"

namespace qturn {
namespace {

constexpr int fresh_quality = 95;

void check_can_be_jpeg(const Image& image) {
  if (image.pages.size() != 1) {
    throw ImageFileError(fmt::format("{} pages cannot be kept in a JPEG", image.pages.size()));
  }
  const Page& page = image.pages.front();
  if (page.type != SampleFormat::u8) {
    throw ImageFileError("only 8-bit samples can be kept in a JPEG");
  }
  if (page.channels == 2 || page.channels == 4) {
    throw ImageFileError("transparency cannot be kept in a JPEG");
  }
  if (page.channels != 1 && page.channels != 3) {
    throw ImageFileError(fmt::format("{} channels cannot be kept in a JPEG", page.channels));
  }
}

void set_tables(jpeg_compress_struct& info, const JpegExtras& extras, bool swapped) {
  // Two components with the same table number can have different tables, when one was defined anew
  // between their scans: the second then gets a number that is free.
  std::array<const JpegTable*, NUM_QUANT_TBLS> used{};
  for (int i = 0; i < extras.component_count; ++i) {
    const JpegTable& table = extras.tables[i];
    int slot = extras.components[i].table;
    if (used[slot] && *used[slot] != table) {
      slot = static_cast<int>(std::find(used.begin(), used.end(), nullptr) - used.begin());
    }
    used[slot] = &table;
    info.comp_info[i].quant_tbl_no = slot;
    if (!info.quant_tbl_ptrs[slot]) {
      info.quant_tbl_ptrs[slot] = jpeg_alloc_quant_table(reinterpret_cast<j_common_ptr>(&info));
    }
    for (int row = 0; row < DCTSIZE; ++row) {
      for (int column = 0; column < DCTSIZE; ++column) {
        info.quant_tbl_ptrs[slot]->quantval[row * DCTSIZE + column] =
            swapped ? table[column * DCTSIZE + row] : table[row * DCTSIZE + column];
      }
    }
    info.quant_tbl_ptrs[slot]->sent_table = FALSE;
  }
}

void set_codes(j_common_ptr codec, JHUFF_TBL*& slot, const JpegHuffmanTable& table) {
  if (!slot) slot = jpeg_alloc_huff_table(codec);
  std::copy(table.bits.begin(), table.bits.end(), slot->bits);
  std::copy(table.symbols.begin(), table.symbols.end(), slot->huffval);
  slot->sent_table = FALSE;
}

// Settings that make the new file what the old one was. `scans` outlives the compression.
void set_like(jpeg_compress_struct& info, const JpegExtras& extras, bool swapped,
              jpeg_scan_info* scans) {
  info.in_color_space = extras.space;
  jpeg_set_defaults(&info);
  jpeg_set_colorspace(&info, extras.space);
  for (int i = 0; i < extras.component_count; ++i) {
    const JpegComponent& component = extras.components[i];
    info.comp_info[i].component_id = component.id;
    info.comp_info[i].h_samp_factor = swapped ? component.v : component.h;
    info.comp_info[i].v_samp_factor = swapped ? component.h : component.v;
  }
  set_tables(info, extras, swapped);
  for (int i = 0; i < extras.component_count; ++i) {
    const auto codec = reinterpret_cast<j_common_ptr>(&info);
    const JpegComponent& component = extras.components[i];
    if (!extras.dc_codes[component.dc_codes] || !extras.ac_codes[component.ac_codes]) continue;
    info.comp_info[i].dc_tbl_no = component.dc_codes;
    info.comp_info[i].ac_tbl_no = component.ac_codes;
    set_codes(codec, info.dc_huff_tbl_ptrs[component.dc_codes],
              *extras.dc_codes[component.dc_codes]);
    set_codes(codec, info.ac_huff_tbl_ptrs[component.ac_codes],
              *extras.ac_codes[component.ac_codes]);
  }
  if (!extras.interleaved) {
    for (int i = 0; i < extras.component_count; ++i) {
      scans[i] = {.comps_in_scan = 1, .component_index = {i}, .Ss = 0, .Se = 63, .Ah = 0, .Al = 0};
    }
    info.scan_info = scans;
    info.num_scans = extras.component_count;
  }
  info.restart_interval = extras.restart_interval;
  info.restart_in_rows = static_cast<int>(extras.restart_rows);
  // They are among the markers that are copied, where the source has them.
  info.write_JFIF_header = FALSE;
  info.write_Adobe_marker = FALSE;
}

void set_fresh(jpeg_compress_struct& info) {
  info.in_color_space = info.input_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, fresh_quality, TRUE);
  for (int i = 0; i < info.num_components; ++i) {
    info.comp_info[i].h_samp_factor = info.comp_info[i].v_samp_factor = 1;
  }
}

// What other formats said, as JPEG's markers.
std::vector<JpegMarker> markers_of(const Metadata& metadata) {
  constexpr std::size_t max_payload = 65533;
  std::vector<JpegMarker> markers;
  const auto add = [&](int code, std::string_view signature, std::span<const std::byte> body) {
    if (body.empty() || signature.size() + body.size() > max_payload) return;
    const auto first = std::as_bytes(std::span(signature.data(), signature.size()));
    JpegMarker marker{code, Bytes(first.begin(), first.end())};
    marker.data.insert(marker.data.end(), body.begin(), body.end());
    markers.push_back(std::move(marker));
  };
  const auto bytes_of = [](const std::string& text) { return std::as_bytes(std::span(text)); };
  add(JPEG_APP0 + 1, exif_signature, metadata.exif);
  add(JPEG_APP0 + 1, xmp_signature, bytes_of(metadata.xmp));
  add(JPEG_COM, "", bytes_of(metadata.comment));
  return markers;
}

}  // namespace

Bytes encode_jpeg(const Image& turned, Orientation applied, const std::atomic<bool>& stop) {
  const auto* extras = dynamic_cast<const JpegExtras*>(turned.extras.get());
  if (!extras) check_can_be_jpeg(turned);
  const Page& page = turned.pages.front();
  const std::vector<JpegMarker> fresh_markers =
      !extras && turned.extras ? markers_of(turned.extras->metadata) : std::vector<JpegMarker>{};
  const std::vector<JpegMarker>& markers = extras ? extras->markers : fresh_markers;
  static const Bytes no_profile;
  const Bytes& profile = !extras && turned.extras ? turned.extras->metadata.icc : no_profile;

  const std::size_t likely_bytes =
      extras ? extras->file_bytes + extras->file_bytes / 8 : page.bytes() / 4;
  JpegEncoder encoder(&stop, (64 << 10) + likely_bytes);
  jpeg_compress_struct& info = encoder.info;
  std::array<jpeg_scan_info, jpeg_max_components> scans{};
  guarded(encoder.errors, [&] {
    info.image_width = static_cast<JDIMENSION>(page.width);
    info.image_height = static_cast<JDIMENSION>(page.height);
    info.input_components = page.channels;
    if (extras) {
      set_like(info, *extras, swaps_axes(applied), scans.data());
    } else {
      set_fresh(info);
    }
    jpeg_start_compress(&info, TRUE);
    for (std::size_t i = 0; i < markers.size(); ++i) {
      jpeg_write_marker(&info, markers[i].code,
                        reinterpret_cast<const JOCTET*>(markers[i].data.data()),
                        static_cast<unsigned>(markers[i].data.size()));
    }
    if (!profile.empty()) {
      jpeg_write_icc_profile(&info, reinterpret_cast<const JOCTET*>(profile.data()),
                             static_cast<unsigned>(profile.size()));
    }
    JSAMPROW rows[jpeg_rows_at_a_time];
    while (info.next_scanline < info.image_height) {
      check_stop(encoder.errors);
      const JDIMENSION count =
          std::min<JDIMENSION>(jpeg_rows_at_a_time, info.image_height - info.next_scanline);
      for (JDIMENSION i = 0; i < count; ++i) {
        rows[i] = static_cast<JSAMPLE*>(page.pixels) +
                  static_cast<std::size_t>(page.row_bytes()) * (info.next_scanline + i);
      }
      jpeg_write_scanlines(&info, rows, count);
    }
    jpeg_finish_compress(&info);
  });
  return encoder.take();
}

}  // namespace qturn
