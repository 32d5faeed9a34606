// Writes the seeds of tiff_fuzz: small TIFFs of every kind. tiff_seeds FOLDER
#include <filesystem>
#include <fstream>

#include "tests/fixtures/tiff_pictures.hpp"

int main(int argc, char** argv) {
  using qturn::tests::TiffKind;
  if (argc != 2) return 2;
  const struct {
    const char* name;
    TiffKind kind;
    const char* mode = "wl";
    int pages = 1;
  } seeds[] = {
      {"grey1-packbits", {.bits = 1, .compression = COMPRESSION_PACKBITS}},
      {"white4-lzw-strips",
       {.photometric = PHOTOMETRIC_MINISWHITE,
        .bits = 4,
        .compression = COMPRESSION_LZW,
        .rows_per_strip = 5},
       "wb"},
      {"grey12", {.bits = 12}},
      {"rgb8-deflate-predictor",
       {.photometric = PHOTOMETRIC_RGB,
        .samples = 3,
        .compression = COMPRESSION_ADOBE_DEFLATE,
        .predictor = 2}},
      {"rgba16-planar-big",
       {.photometric = PHOTOMETRIC_RGB,
        .bits = 16,
        .samples = 4,
        .planar = PLANARCONFIG_SEPARATE,
        .extra_samples = 1},
       "wb8"},
      {"rgb8-tiles-pages",
       {.photometric = PHOTOMETRIC_RGB,
        .samples = 3,
        .compression = COMPRESSION_LZW,
        .tile_width = 16,
        .tile_height = 32},
       "wl",
       2},
      {"float32-predictor",
       {.bits = 32,
        .compression = COMPRESSION_ADOBE_DEFLATE,
        .sample_format = SAMPLEFORMAT_IEEEFP,
        .predictor = 3}},
      {"cmyk8", {.photometric = PHOTOMETRIC_SEPARATED, .samples = 4}},
      {"fax3", {.bits = 1, .compression = COMPRESSION_CCITTFAX3}},
      {"fax3-2d",
       {.bits = 1,
        .compression = COMPRESSION_CCITTFAX3,
        .fill_order = FILLORDER_LSB2MSB,
        .fax_options = GROUP3OPT_2DENCODING}},
      {"fax4", {.bits = 1, .compression = COMPRESSION_CCITTFAX4, .rows_per_strip = 6}},
      {"jpeg", {.photometric = PHOTOMETRIC_RGB, .samples = 3, .compression = COMPRESSION_JPEG}},
      {"lzma", {.compression = COMPRESSION_LZMA}},
      {"zstd", {.compression = COMPRESSION_ZSTD}},
      {"webp", {.photometric = PHOTOMETRIC_RGB, .samples = 3, .compression = COMPRESSION_WEBP}},
      {"palette4", {.photometric = PHOTOMETRIC_PALETTE, .bits = 4}},
      {"jbig", {.bits = 1, .compression = COMPRESSION_JBIG}},
      {"logluv",
       {.photometric = PHOTOMETRIC_LOGLUV, .bits = 32, .compression = COMPRESSION_SGILOG}},
      {"logl", {.photometric = PHOTOMETRIC_LOGL, .bits = 16, .compression = COMPRESSION_SGILOG}},
      {"pixarlog", {.compression = COMPRESSION_PIXARLOG}},
      {"lerc", {.compression = COMPRESSION_LERC}},
  };
  std::filesystem::create_directories(argv[1]);
  for (const auto& [name, kind, mode, pages] : seeds) {
    const std::vector<qturn::tests::TiffPicture> all(static_cast<std::size_t>(pages),
                                                     tiff_picture(kind, 20, 13));
    const qturn::Bytes file = write_with_libtiff(all, mode);
    std::ofstream(std::filesystem::path(argv[1]) / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(file.data()),
               static_cast<std::streamsize>(file.size()));
  }
}
