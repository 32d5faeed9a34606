// Random TIFFs: none may crash, and what is read must come out of a turn and its inverse as it was.
#include "src/formats/table.hpp"
#include "src/formats/tiff/codec.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fuzz/other_readers.hpp"
#include "tests/fuzz/picture_checks.hpp"
#include "tests/fuzz/target.hpp"

namespace qturn::fuzz {
namespace {

using namespace tests;

void salvage(Input file) {
  const Header header = tiff::codec.read_damaged_header(file);
  if (header.pixel_bytes_total > largest_picture) return;
  const std::atomic<bool> never = false;
  PixelArena arena;
  std::vector<std::string> warnings;
  const Image image = tiff::codec.salvage(file, arena, never, warnings);
  require(image.pages.size() == static_cast<std::size_t>(header.pages));
}

}  // namespace

void fuzz_tiff(Input input) {
  const auto attempt = [&](auto&& work) {
    try {
      work();
    } catch (const ImageFileError&) {
    }
  };
  attempt([&] { turn_and_back(input, tiff::codec, read_by_libtiff); });
  attempt([&] { show(input, tiff::codec, png::codec); });
  attempt([&] { salvage(input); });
}

}  // namespace qturn::fuzz
