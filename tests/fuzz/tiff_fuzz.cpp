// Random TIFFs: none may crash, and what is read must come out of a turn and its inverse as it was.
//
//   cmake --preset fuzz && cmake --build build/fuzz --target tiff_fuzz
//   build/fuzz/tests/fuzz/tiff_fuzz -max_len=4096 NEW_FILES tests/fuzz/tiff
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "src/tiff/codec.hpp"
#include "tests/codec_pictures.hpp"

namespace {

using namespace qturn;
using namespace qturn::tests;

constexpr std::uint64_t largest_picture = 1 << 22;

void require(bool condition) {
  if (!condition) std::abort();
}

void turn_and_back(std::span<const std::byte> file) {
  const Header header = read_header(file, Format::tiff);
  if (header.pixel_bytes_total > largest_picture) return;
  const Decoded source(file, Format::tiff);
  Bytes once;
  try {
    once = turn_file(file, Format::tiff, Orientation::rotate90);
  } catch (const ImageFileError&) {
    return;  // the compression does not keep such pixels, or a carrier is damaged
  }
  const Decoded result(turn_file(once, Format::tiff, Orientation::rotate270), Format::tiff);
  require(result.image.pages.size() == source.image.pages.size());
  for (std::size_t i = 0; i < result.image.pages.size(); ++i) {
    require(pixels_of(result.image.pages[i]) == pixels_of(source.image.pages[i]));
  }
  require(read_header(once, Format::tiff).width == header.height);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    turn_and_back(std::as_bytes(std::span(data, size)));
  } catch (const ImageFileError&) {
  }
  return 0;
}
