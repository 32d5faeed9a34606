// How far a JPEG that is re-encoded from its own planes is from one that is turned losslessly,
// compared with a way through RGB at the same size: qturn-jpeg-fidelity FILE... -> a Markdown
// table.
//
// Each picture is first trimmed, losslessly, to whole blocks, so that all ways can be compared; all
// are turned by rotate90. Differences are those of the pictures as decoded to RGB.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <optional>

#include <jpeglib.h>

#include <qturn/cpu.hpp>

#include "src/files/safe_file.hpp"
#include "src/formats/jpeg/codec.hpp"
#include "src/formats/jpeg/turn.hpp"

namespace qturn {
using namespace jpeg;

namespace {

const std::atomic<bool> never{false};

struct Picture {
  std::int64_t width = 0, height = 0;
  int channels = 0;
  std::vector<JSAMPLE> samples;
};

Picture decoded(const Bytes& file) {
  PixelArena arena;
  std::vector<std::string> warnings;
  const Page page = decode_jpeg(file, arena, never, warnings).pages.front();
  const auto* data = static_cast<const JSAMPLE*>(page.pixels);
  return {page.width, page.height, page.channels, {data, data + page.bytes()}};
}

// Libraries are used without checks here: their input is known to be complete.
Bytes encoded(Picture& picture, int quality) {
  jpeg_error_mgr errors{};
  jpeg_compress_struct info{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* data = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &data, &size);
  info.image_width = static_cast<JDIMENSION>(picture.width);
  info.image_height = static_cast<JDIMENSION>(picture.height);
  info.input_components = picture.channels;
  info.in_color_space = picture.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  info.optimize_coding = TRUE;
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = picture.samples.data() +
                   static_cast<std::size_t>(picture.width * picture.channels) * info.next_scanline;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  Bytes file(bytes, bytes + size);
  std::free(data);
  return file;
}

// The best quality whose file is not larger.
std::pair<Bytes, int> encoded_at_size(Picture& picture, std::size_t bytes) {
  int low = 1, high = 100;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (encoded(picture, middle).size() <= bytes) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return {encoded(picture, low), low};
}

double psnr(const Picture& a, const Picture& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.samples.size(); ++i) {
    const double difference = int{a.samples[i]} - int{b.samples[i]};
    sum += difference * difference;
  }
  return 10 * std::log10(255.0 * 255.0 * static_cast<double>(a.samples.size()) / sum);
}

std::vector<JCOEF> coefficients_of(const Bytes& file) {
  jpeg_error_mgr errors{};
  jpeg_decompress_struct info{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  jpeg_read_header(&info, TRUE);
  jvirt_barray_ptr* arrays = jpeg_read_coefficients(&info);
  std::vector<JCOEF> all;
  for (int i = 0; i < info.num_components; ++i) {
    const jpeg_component_info& component = info.comp_info[i];
    for (JDIMENSION y = 0; y < component.height_in_blocks; ++y) {
      JBLOCKARRAY rows = info.mem->access_virt_barray(reinterpret_cast<j_common_ptr>(&info),
                                                      arrays[i], y, 1, FALSE);
      all.insert(all.end(), rows[0][0], rows[0][0] + component.width_in_blocks * DCTSIZE2);
    }
  }
  jpeg_destroy_decompress(&info);
  return all;
}

struct Row {
  double unchanged = 0, unchanged_nonzero = 0, planar = 0, rgb = 0;
  std::size_t lossless_bytes = 0, planar_bytes = 0, rgb_bytes = 0;
  int quality = 0;
};

Row compare(const Bytes& file) {
  constexpr JpegOptions trim{JpegMode::lossless, JpegEdges::trim};
  const Bytes whole =
      turned_jpeg(turned_jpeg(file, Orientation::rotate180, trim), Orientation::rotate180, trim);
  const Bytes lossless = turned_jpeg(whole, Orientation::rotate90, trim);
  const Bytes planar =
      turned_jpeg(whole, Orientation::rotate90, {JpegMode::planar, JpegEdges::fail});
  const std::vector<JCOEF> wanted = coefficients_of(lossless), got = coefficients_of(planar);
  std::size_t same = 0, nonzero = 0, same_nonzero = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    same += wanted[i] == got[i];
    nonzero += wanted[i] != 0;
    same_nonzero += wanted[i] != 0 && wanted[i] == got[i];
  }
  const Picture reference = decoded(lossless);
  // Through RGB: decoded, turned, encoded.
  Picture turned = decoded(whole);
  Picture pixels{turned.height, turned.width, turned.channels, turned.samples};
  transform({turned.samples.data(), turned.width, turned.height, turned.width * turned.channels,
             turned.channels},
            View{pixels.samples.data(), pixels.width, pixels.height, pixels.width * pixels.channels,
                 pixels.channels},
            Orientation::rotate90);
  const auto [rgb, quality] = encoded_at_size(pixels, planar.size());
  return {
      static_cast<double>(same) / static_cast<double>(wanted.size()),
      static_cast<double>(same_nonzero) / static_cast<double>(std::max<std::size_t>(nonzero, 1)),
      psnr(decoded(planar), reference),
      psnr(decoded(rgb), reference),
      lossless.size(),
      planar.size(),
      rgb.size(),
      quality};
}

}  // namespace
}  // namespace qturn

int main(int argc, char** argv) {
  using namespace qturn;
  fmt::print(
      "| picture | coefficients unchanged | of those not zero | planar, PSNR | RGB, PSNR | "
      "lossless, bytes | planar | RGB | quality |\n|---|---|---|---|---|---|---|---|---|\n");
  std::vector<Row> rows;
  for (int i = 1; i < argc; ++i) {
    const Row row = compare(read_file(argv[i]));
    fmt::print("| {} | {:.2f} % | {:.2f} % | {:.1f} | {:.1f} | {} | {} | {} | {} |\n",
               std::filesystem::path(argv[i]).filename().string(), 100 * row.unchanged,
               100 * row.unchanged_nonzero, row.planar, row.rgb, row.lossless_bytes,
               row.planar_bytes, row.rgb_bytes, row.quality);
    rows.push_back(row);
  }
  const auto median = [&](auto member) {
    std::vector<double> values;
    for (const Row& row : rows) values.push_back(static_cast<double>(row.*member));
    std::ranges::nth_element(values,
                             values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
    return values[values.size() / 2];
  };
  if (rows.empty()) return 2;
  fmt::print("| median | {:.2f} % | {:.2f} % | {:.1f} | {:.1f} | | | | |\n",
             100 * median(&Row::unchanged), 100 * median(&Row::unchanged_nonzero),
             median(&Row::planar), median(&Row::rgb));
}
