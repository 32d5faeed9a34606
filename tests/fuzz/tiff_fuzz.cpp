// Random TIFFs: none may crash, and what is read must come out of a turn and its inverse as it was.
//
//   cmake --preset fuzz && cmake --build build/fuzz --target tiff_fuzz
//   build/fuzz/tests/fuzz/tiff_fuzz -max_len=4096 NEW_FILES tests/fuzz/tiff
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "src/formats/tiff/codec.hpp"
#include "tests/fixtures/codec_pictures.hpp"

namespace {

using namespace qturn;
using namespace qturn::tiff;
using namespace qturn::tests;

constexpr std::uint64_t largest_picture = 1 << 22;

void require(bool condition) {
  if (!condition) std::abort();
}

void turn_and_back(std::span<const std::byte> file) {
  const Header header = tiff::codec.read_header(file);
  if (header.pixel_bytes_total > largest_picture) return;
  const Decoded source(file, tiff::codec);
  Bytes once;
  try {
    once = turn_file(file, tiff::codec, Orientation::rotate90);
  } catch (const ImageFileError&) {
    return;  // the compression does not keep such pixels, or its metadata is damaged
  }
  const Decoded result(turn_file(once, tiff::codec, Orientation::rotate270), tiff::codec);
  require(result.image.pages.size() == source.image.pages.size());
  for (std::size_t i = 0; i < result.image.pages.size(); ++i) {
    require(pixels_of(result.image.pages[i]) == pixels_of(source.image.pages[i]));
  }
  require(tiff::codec.read_header(once).width == header.height);
}

void show(std::span<const std::byte> file) {
  const Header header = tiff::codec.read_header(file);
  if (header.pixel_bytes_total > largest_picture) return;
  const Decoded shown(file, tiff::codec, png::codec);
  require(shown.image.pages.size() == static_cast<std::size_t>(header.pages));
  require(shown.image.pages[0].width == header.width);
}

void salvage(std::span<const std::byte> file) {
  const Header header = tiff::codec.read_damaged_header(file);
  if (header.pixel_bytes_total > largest_picture) return;
  const std::atomic<bool> never = false;
  PixelArena arena;
  std::vector<std::string> warnings;
  const Image image = tiff::codec.salvage(file, arena, never, warnings);
  require(image.pages.size() == static_cast<std::size_t>(header.pages));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const auto run : {turn_and_back, show, salvage}) {
    try {
      run(std::as_bytes(std::span(data, size)));
    } catch (const ImageFileError&) {
    }
  }
  return 0;
}
