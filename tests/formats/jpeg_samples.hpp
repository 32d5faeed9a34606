// What libjpeg makes of coefficients and of samples, without upsampling and conversion of colours.
#ifndef QTURN_TESTS_FORMATS_JPEG_SAMPLES_HPP
#define QTURN_TESTS_FORMATS_JPEG_SAMPLES_HPP

#include <array>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "tests/jpeg_pictures.hpp"

namespace qturn::tests {

/// A component's samples in whole blocks, of which `width` x `height` belong to the picture.
struct SamplePlane {
  int width = 0, height = 0, pitch = 0;
  std::vector<JSAMPLE> samples = {};

  JSAMPLE at(int x, int y) const { return samples[static_cast<std::size_t>(y * pitch + x)]; }
};

/// Pointers to the rows that libjpeg reads or writes with one call.
class RawRows {
 public:
  RawRows(std::vector<SamplePlane>& planes, const jpeg_component_info* components, int row) {
    for (std::size_t c = 0; c < planes.size(); ++c) {
      const int high = components[c].v_samp_factor * DCTSIZE;
      const int rows = static_cast<int>(planes[c].samples.size()) / planes[c].pitch;
      for (int y = 0; y < high; ++y) {
        const int at = std::min(row * high + y, rows - 1);
        rows_[c][static_cast<std::size_t>(y)] = planes[c].samples.data() + at * planes[c].pitch;
      }
      planes_[c] = rows_[c].data();
    }
  }
  JSAMPIMAGE get() { return planes_.data(); }

 private:
  std::array<std::array<JSAMPROW, 4 * DCTSIZE>, 4> rows_{};
  std::array<JSAMPARRAY, 4> planes_{};
};

/// The samples of a file, by libjpeg.
inline std::vector<SamplePlane> planes_in(const Bytes& file) {
  jpeg_error_mgr errors{};
  jpeg_decompress_struct info{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  jpeg_read_header(&info, TRUE);
  info.raw_data_out = TRUE;
  info.out_color_space = info.jpeg_color_space;
  info.do_fancy_upsampling = FALSE;
  info.do_block_smoothing = FALSE;
  jpeg_start_decompress(&info);
  std::vector<SamplePlane> planes;
  for (int c = 0; c < info.num_components; ++c) {
    const jpeg_component_info& from = info.comp_info[c];
    planes.push_back({static_cast<int>(from.downsampled_width),
                      static_cast<int>(from.downsampled_height),
                      static_cast<int>(from.width_in_blocks) * DCTSIZE});
    planes.back().samples.resize(static_cast<std::size_t>(planes.back().pitch) *
                                 from.height_in_blocks * DCTSIZE);
  }
  const int high = info.max_v_samp_factor * DCTSIZE;
  for (int row = 0; info.output_scanline < info.output_height; ++row) {
    RawRows rows(planes, info.comp_info, row);
    jpeg_read_raw_data(&info, rows.get(), static_cast<JDIMENSION>(high));
  }
  jpeg_destroy_decompress(&info);
  return planes;
}

/// The pixels of a file in RGB, by libjpeg.
inline std::vector<JSAMPLE> rgb_in(const Bytes& file, bool repeats_samples) {
  jpeg_error_mgr errors{};
  jpeg_decompress_struct info{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  jpeg_read_header(&info, TRUE);
  info.do_fancy_upsampling = repeats_samples ? FALSE : TRUE;
  jpeg_start_decompress(&info);
  const std::size_t row_bytes = std::size_t{3} * info.output_width;
  std::vector<JSAMPLE> pixels(row_bytes * info.output_height);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = pixels.data() + row_bytes * info.output_scanline;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_destroy_decompress(&info);
  return pixels;
}

/// Blocks of noise, of black and white, and of black and white stripes of every frequency.
inline std::vector<JSAMPLE> random_samples(std::size_t count, std::mt19937& random) {
  std::vector<JSAMPLE> samples(count);
  constexpr std::size_t run = 509;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t kind = i / run % 3, period = 1 + i / run % 11;
    samples[i] = static_cast<JSAMPLE>(kind == 0   ? random() % 256
                                      : kind == 1 ? random() % 2 * 255
                                                  : i / period % 2 * 255);
  }
  return samples;
}

/// Sampling factors of each component, in any combination that fits into an MCU.
struct AnySampling {
  struct Factors {
    int h = 1, v = 1;
  };
  int width = 0, height = 0;
  std::vector<Factors> factors = {};
  unsigned restart_interval = 0;
  int quality = 90;
};

/// A picture of random samples.
inline Bytes make_any_sampling(const AnySampling& picture, std::mt19937& random) {
  JpegEncoder encoder;
  jpeg_compress_struct& info = encoder.info;
  info.image_width = static_cast<JDIMENSION>(picture.width);
  info.image_height = static_cast<JDIMENSION>(picture.height);
  info.input_components = static_cast<int>(picture.factors.size());
  constexpr J_COLOR_SPACE spaces[] = {JCS_GRAYSCALE, JCS_UNKNOWN, JCS_YCbCr, JCS_CMYK};
  info.in_color_space = spaces[picture.factors.size() - 1];
  jpeg_set_defaults(&info);
  jpeg_set_colorspace(&info, info.in_color_space);
  jpeg_set_quality(&info, picture.quality, TRUE);
  info.raw_data_in = TRUE;
  info.restart_interval = picture.restart_interval;
  for (std::size_t i = 0; i < picture.factors.size(); ++i) {
    info.comp_info[i].h_samp_factor = picture.factors[i].h;
    info.comp_info[i].v_samp_factor = picture.factors[i].v;
  }
  jpeg_start_compress(&info, TRUE);
  std::vector<SamplePlane> planes;
  for (std::size_t i = 0; i < picture.factors.size(); ++i) {
    const jpeg_component_info& component = info.comp_info[i];
    // As many as the rows of MCUs need.
    const int wide = static_cast<int>(component.width_in_blocks) + 4;
    const int high = static_cast<int>(component.height_in_blocks) + 4;
    planes.push_back({0, 0, wide * DCTSIZE,
                      random_samples(static_cast<std::size_t>(wide * high * DCTSIZE2), random)});
  }
  const auto rows = static_cast<JDIMENSION>(info.max_v_samp_factor * DCTSIZE);
  for (int row = 0; info.next_scanline < info.image_height; ++row) {
    RawRows raw(planes, info.comp_info, row);
    jpeg_write_raw_data(&info, raw.get(), rows);
  }
  return encoder.finish();
}

/// A picture of one component.
struct GreyBlocks {
  int blocks_wide = 0, blocks_high = 0;
  std::array<UINT16, 64> steps{};
  std::vector<std::array<JCOEF, 64>> blocks = {};  ///< with libjpeg's limits: AC up to 1023
  std::vector<JSAMPLE> samples = {};               ///< instead of blocks
};

/// The file of a grey picture, of its coefficients or of its samples.
inline Bytes make_grey(GreyBlocks picture) {
  JpegEncoder encoder;
  jpeg_compress_struct& info = encoder.info;
  info.err->emit_message = [](j_common_ptr, int) {};  // that steps are too coarse for baseline
  info.image_width = static_cast<JDIMENSION>(picture.blocks_wide * DCTSIZE);
  info.image_height = static_cast<JDIMENSION>(picture.blocks_high * DCTSIZE);
  info.input_components = 1;
  info.in_color_space = JCS_GRAYSCALE;
  jpeg_set_defaults(&info);
  info.optimize_coding = TRUE;
  std::copy(picture.steps.begin(), picture.steps.end(), info.quant_tbl_ptrs[0]->quantval);
  if (picture.samples.empty()) {
    jvirt_barray_ptr blocks =
        info.mem->request_virt_barray(reinterpret_cast<j_common_ptr>(&info), JPOOL_IMAGE, FALSE,
                                      static_cast<JDIMENSION>(picture.blocks_wide),
                                      static_cast<JDIMENSION>(picture.blocks_high), 1);
    jpeg_write_coefficients(&info, &blocks);
    for (int y = 0; y < picture.blocks_high; ++y) {
      JBLOCKROW row = *info.mem->access_virt_barray(reinterpret_cast<j_common_ptr>(&info), blocks,
                                                    static_cast<JDIMENSION>(y), 1, TRUE);
      for (int x = 0; x < picture.blocks_wide; ++x) {
        const auto& block = picture.blocks[static_cast<std::size_t>(y * picture.blocks_wide + x)];
        std::copy(block.begin(), block.end(), row[x]);
      }
    }
  } else {
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
      JSAMPROW row = picture.samples.data() + std::size_t{info.image_width} * info.next_scanline;
      jpeg_write_scanlines(&info, &row, 1);
    }
  }
  return encoder.finish();
}

/// Coefficients of all sizes up to `largest`, in some or in all frequencies.
inline std::vector<std::array<JCOEF, 64>> random_blocks(std::size_t count, int largest,
                                                        std::mt19937& random) {
  std::vector<std::array<JCOEF, 64>> blocks(count);
  for (auto& block : blocks) {
    const auto sparse = 1 + random() % 64;
    for (std::size_t k = 0; k < 64; ++k) {
      if (random() % sparse != 0) continue;
      const int size = static_cast<int>(random() % static_cast<unsigned>(largest + 1));
      block[k] = static_cast<JCOEF>(random() % 2 == 0 ? size : -size);
    }
  }
  return blocks;
}

}  // namespace qturn::tests

#endif  // QTURN_TESTS_FORMATS_JPEG_SAMPLES_HPP
