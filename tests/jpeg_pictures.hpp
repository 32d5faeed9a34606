// JPEGs for tests, written by libjpeg-turbo itself, and what is inside a JPEG: tables and
// coefficients.
#ifndef QTURN_TESTS_JPEG_PICTURES_HPP
#define QTURN_TESTS_JPEG_PICTURES_HPP

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <jpeglib.h>

#include "src/formats/table.hpp"

namespace qturn::tests {

struct JpegMarker {
  int code;
  Bytes data;
};

struct JpegPicture {
  int width = 64, height = 48;
  J_COLOR_SPACE space = JCS_YCbCr;
  int h = 1, v = 1;  ///< sampling factors of the first component, and of the fourth
  int quality = 90;
  bool progressive = false;
  bool one_scan_each = false;  ///< sequential, a scan for each component
  bool optimised = false;
  unsigned restart_interval = 0;
  int first_id = 1;                        ///< component ids count from here
  std::vector<jpeg_scan_info> scans = {};  ///< instead of the usual ones
  std::vector<JpegMarker> markers = {};
  bool noisy = false;  ///< instead of smooth
};

inline int component_count(J_COLOR_SPACE space) {
  return space == JCS_GRAYSCALE ? 1 : space == JCS_CMYK || space == JCS_YCCK ? 4 : 3;
}

/// Smooth waves of middle brightness, so that nothing is clipped.
inline JSAMPLE jpeg_sample(int x, int y, int c) {
  return static_cast<JSAMPLE>(96 + (x * 3 + y * (2 + c)) % 64 + (x * y / 16 + 5 * c) % 9);
}

/// Noise of all values, in a third of it of 0 and 255 alone.
inline JSAMPLE noisy_sample(int x, int y, int c) {
  auto hash = static_cast<unsigned>(x) * 2654435761u ^ static_cast<unsigned>(y * 4 + c) * 40503u;
  hash = (hash ^ hash >> 15) * 2246822519u;
  hash ^= hash >> 13;
  return static_cast<JSAMPLE>(x / 23 % 3 == 0 ? hash % 2 * 255 : hash % 256);
}

/// libjpeg's encoder, which writes into memory.
class JpegEncoder {
 public:
  JpegEncoder() {
    info.err = jpeg_std_error(&errors_);
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &data_, &size_);
  }
  ~JpegEncoder() {
    jpeg_destroy_compress(&info);
    std::free(data_);
  }
  JpegEncoder(const JpegEncoder&) = delete;
  JpegEncoder& operator=(const JpegEncoder&) = delete;

  Bytes finish() {
    jpeg_finish_compress(&info);
    const auto* first = reinterpret_cast<const std::byte*>(data_);
    return {first, first + size_};
  }

  jpeg_compress_struct info{};

 private:
  jpeg_error_mgr errors_{};
  unsigned char* data_ = nullptr;
  unsigned long size_ = 0;
};

inline Bytes make_jpeg(const JpegPicture& picture) {
  JpegEncoder encoder;
  jpeg_compress_struct& info = encoder.info;
  const int components = component_count(picture.space);
  info.image_width = static_cast<JDIMENSION>(picture.width);
  info.image_height = static_cast<JDIMENSION>(picture.height);
  info.input_components = components;
  info.in_color_space = picture.space;
  jpeg_set_defaults(&info);
  jpeg_set_colorspace(&info, picture.space);
  jpeg_set_quality(&info, picture.quality, TRUE);
  for (int i = 0; i < components; ++i) {
    const bool full = i == 0 || i == 3;
    info.comp_info[i].h_samp_factor = full ? picture.h : 1;
    info.comp_info[i].v_samp_factor = full ? picture.v : 1;
    info.comp_info[i].component_id = picture.first_id + i;
  }
  std::vector<jpeg_scan_info> scans = picture.scans;
  if (picture.progressive) jpeg_simple_progression(&info);
  if (picture.one_scan_each) {
    for (int i = 0; i < components; ++i) scans.push_back({1, {i}, 0, 63, 0, 0});
  }
  if (!scans.empty()) {
    info.scan_info = scans.data();
    info.num_scans = static_cast<int>(scans.size());
  }
  info.optimize_coding = picture.optimised ? TRUE : FALSE;
  info.restart_interval = picture.restart_interval;
  jpeg_start_compress(&info, TRUE);
  for (const JpegMarker& marker : picture.markers) {
    jpeg_write_marker(&info, marker.code, reinterpret_cast<const JOCTET*>(marker.data.data()),
                      static_cast<unsigned>(marker.data.size()));
  }
  std::vector<JSAMPLE> row(static_cast<std::size_t>(picture.width * components));
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      for (int c = 0; c < components; ++c) {
        row[x * components + c] = picture.noisy ? noisy_sample(x, y, c) : jpeg_sample(x, y, c);
      }
    }
    JSAMPROW rows[] = {row.data()};
    jpeg_write_scanlines(&info, rows, 1);
  }
  return encoder.finish();
}

struct JpegComponent {
  int id, h, v;
  int blocks_wide, blocks_high;
  std::array<UINT16, 64> table;  ///< quantisation, row by row
  std::vector<std::array<JCOEF, 64>> blocks;
};

struct JpegInside {
  int width, height;
  J_COLOR_SPACE space;
  bool progressive, standard_huffman;
  unsigned restart_interval;
  int scans;
  std::vector<JpegComponent> components;
  std::vector<JpegMarker> markers;
};

inline JpegInside look_inside(const Bytes& file) {
  jpeg_error_mgr errors{};
  jpeg_decompress_struct info{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  for (int app = 0; app < 16; ++app) jpeg_save_markers(&info, JPEG_APP0 + app, 0xFFFF);
  jpeg_save_markers(&info, JPEG_COM, 0xFFFF);
  jpeg_read_header(&info, TRUE);
  // The luma table for differences of a standard encoder begins so.
  const JHUFF_TBL* huffman = info.dc_huff_tbl_ptrs[0];
  const bool standard =
      huffman && huffman->bits[2] == 1 && huffman->bits[3] == 5 && huffman->bits[9] == 1;
  jvirt_barray_ptr* arrays = jpeg_read_coefficients(&info);
  JpegInside inside{static_cast<int>(info.image_width),
                    static_cast<int>(info.image_height),
                    info.jpeg_color_space,
                    info.progressive_mode != 0,
                    standard,
                    info.restart_interval,
                    info.input_scan_number,
                    {},
                    {}};
  for (int i = 0; i < info.num_components; ++i) {
    const jpeg_component_info& from = info.comp_info[i];
    JpegComponent component{from.component_id,
                            from.h_samp_factor,
                            from.v_samp_factor,
                            static_cast<int>(from.width_in_blocks),
                            static_cast<int>(from.height_in_blocks),
                            {},
                            {}};
    for (int k = 0; k < 64; ++k) component.table[k] = from.quant_table->quantval[k];
    for (JDIMENSION y = 0; y < from.height_in_blocks; ++y) {
      JBLOCKARRAY rows = info.mem->access_virt_barray(reinterpret_cast<j_common_ptr>(&info),
                                                      arrays[i], y, 1, FALSE);
      for (JDIMENSION x = 0; x < from.width_in_blocks; ++x) {
        std::array<JCOEF, 64> block;
        for (int k = 0; k < 64; ++k) block[k] = rows[0][x][k];
        component.blocks.push_back(block);
      }
    }
    inside.components.push_back(std::move(component));
  }
  for (const jpeg_marker_struct* marker = info.marker_list; marker; marker = marker->next) {
    const auto* data = reinterpret_cast<const std::byte*>(marker->data);
    inside.markers.push_back({marker->marker, Bytes(data, data + marker->data_length)});
  }
  jpeg_destroy_decompress(&info);
  return inside;
}

}  // namespace qturn::tests

#endif  // QTURN_TESTS_JPEG_PICTURES_HPP
