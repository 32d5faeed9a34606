// Random pictures of the formats that have no program of their own here: WebP, GIF, PNM, OpenEXR,
// HDR, TGA, BMP, HEIC, AVIF, JPEG XL and camera raw. None may crash, and what is read must come out
// of a turn and its inverse as it was.
//
//   cmake --preset fuzz && cmake --build build/fuzz --target pictures_fuzz
//   build/fuzz/tests/fuzz/pictures_fuzz -max_len=4096 NEW_FILES tests/fuzz/pictures
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "src/check/check.hpp"
#include "tests/fixtures/codec_pictures.hpp"

namespace {

using namespace qturn;
using namespace qturn::tests;

constexpr std::uint64_t largest_picture = 1 << 22;

void require(bool condition) {
  if (!condition) std::abort();
}

void turn_and_back(std::span<const std::byte> file, const Codec& format) {
  const Header header = format.read_header(file);
  if (header.pixel_bytes_total > largest_picture) return;
  const Decoded source(file, format);
  const Page& first = source.image.pages.front();
  require(source.image.canvas.value_or(Size{first.width, first.height}) == header.size());
  Bytes once;
  try {
    once = turn_file(file, format, Orientation::rotate90);
  } catch (const ImageFileError&) {
    return;  // it cannot be written, or its metadata is damaged
  }
  require(format.read_header(once).width == header.height);
  const Decoded result(turn_file(once, format, Orientation::rotate270), format);
  require(result.image.pages.size() == source.image.pages.size());
  if (header.lossy) return;
  for (std::size_t i = 0; i < result.image.pages.size(); ++i) {
    const Page &before = source.image.pages[i], &after = result.image.pages[i];
    // libwebp leaves out an alpha that is opaque everywhere.
    if (&format == &webp::codec && after.channels != before.channels) continue;
    require(pixels_of(after) == pixels_of(before));
  }
}

void show(std::span<const std::byte> file, const Codec& format) {
  if (format.read_header(file).pixel_bytes_total > largest_picture) return;
  const Decoded shown(file, format, png::codec);
  encode(shown.image, Orientation::identity, tiff::codec);
}

// What is not decoded must be read again after a turn, and show the rest of the turn.
void turn_container(std::span<const std::byte> file, const Codec& format) {
  const auto source = format.turn_compressed(file, {}, Limits{});
  std::vector<std::string> warnings;
  const std::atomic<bool> stop = false;
  const Bytes once = source->turn(Orientation::rotate90, {}, stop, warnings);
  const auto turned = format.turn_compressed(once, {}, Limits{});
  require(turned->header().size() == turned_size(Orientation::rotate90, source->header().size()));
  check_metadata(once, format, Limits{});
}

void change_metadata(std::span<const std::byte> file, const Codec& format) {
  std::vector<std::string> warnings;
  check_metadata(file, format, Limits{});
  retag(file, format, Orientation::rotate90, MissingTag::is_added, warnings);
}

// Only the bytes of a tag change.
void change_raw(std::span<const std::byte> file, const Codec& format) {
  std::vector<std::string> warnings;
  check_metadata(file, format, Limits{});
  const Bytes once = retag(file, format, Orientation::rotate90, MissingTag::is_added, warnings);
  require(once.size() == file.size());
  require(format.read_header(once).stored == Orientation::rotate90);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  // A TIFF is tried as a camera raw file; its pixels have a fuzzer of their own.
  const Codec* format =
      raw::codec.recognises(file, ".dng") ? &raw::codec : codec_of_content(file, ".tga");
  if (!format || format == &jpeg::codec || format == &png::codec) return 0;
  std::vector<void (*)(std::span<const std::byte>, const Codec&)> runs = {turn_container};
  if (format->decode) runs = {turn_and_back, show, change_metadata};
  if (format == &raw::codec) runs = {change_raw};
  for (const auto run : runs) {
    try {
      run(file, *format);
    } catch (const ImageFileError&) {
    }
  }
  return 0;
}
