// Writes the seeds of jpeg_fuzz: small JPEGs of every kind. jpeg_seeds FOLDER
#include <filesystem>
#include <fstream>

#include "tests/fixtures/jpeg_pictures.hpp"

int main(int argc, char** argv) {
  using qturn::tests::JpegPicture;
  if (argc != 2) return 2;
  int number = 100;
  const auto write = [&](JpegPicture kind, int width, int height) {
    kind.width = width;
    kind.height = height;
    const qturn::Bytes file = qturn::tests::make_jpeg(kind);
    const std::string name = std::to_string(number++) + ".jpg";
    std::ofstream out(std::filesystem::path(argv[1]) / name, std::ios::binary);
    out.write(reinterpret_cast<const char*>(file.data()),
              static_cast<std::streamsize>(file.size()));
  };
  for (const JpegPicture& kind : qturn::tests::jpeg_kinds()) {
    write(kind, 32, 16);
    write(kind, 19, 11);
  }
  // As small as a device takes them.
  write({.h = 2, .v = 2, .quality = 10}, 64, 64);
  write({.h = 2, .v = 1, .quality = 10, .optimised = true}, 65, 64);
  write({.h = 1, .v = 1, .quality = 10}, 64, 66);
}
