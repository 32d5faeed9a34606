// Random pictures of the formats that have no more to try than this: none may crash, and what is
// read must come out of a turn and its inverse as it was. GIF, HEIF (HEIC, AVIF), JPEG XL and
// camera raw have a target each; WebP, PNM, OpenEXR, HDR, NumPy's arrays, TGA and
// BMP share one.
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fuzz/picture_checks.hpp"
#include "tests/fuzz/target.hpp"

namespace qturn::fuzz {
namespace {

using namespace tests;

// What is not decoded must be read again after a turn, and show the rest of the turn.
void turn_container(Input file, const Codec& format) {
  const auto source = format.turn_compressed(file, {}, Limits{});
  std::vector<std::string> warnings;
  const std::atomic<bool> stop = false;
  const Bytes once = source->turn(Orientation::rotate90, {}, stop, warnings);
  const auto turned = format.turn_compressed(once, {}, Limits{});
  require(turned->header().size() == turned_size(Orientation::rotate90, source->header().size()));
  check_unturned(once, format);
}

void change_metadata(Input file, const Codec& format) {
  std::vector<std::string> warnings;
  check_unturned(file, format);
  retag(file, format, Orientation::rotate90, MissingTag::is_added, warnings);
}

// Only the bytes of a tag change.
void change_raw(Input file, const Codec& format) {
  std::vector<std::string> warnings;
  check_unturned(file, format);
  const Bytes once = retag(file, format, Orientation::rotate90, MissingTag::is_added, warnings);
  require(once.size() == file.size());
  require(format.read_header(once).stored == Orientation::rotate90);
}

void run(Input file, const Codec& format,
         std::initializer_list<void (*)(Input, const Codec&)> all) {
  for (const auto each : all) {
    try {
      each(file, format);
    } catch (const ImageFileError&) {
    }
  }
}

void show_as_png(Input file, const Codec& format) { show(file, format, png::codec); }

}  // namespace

void fuzz_gif(Input input) {
  const auto turn = [](Input file, const Codec& format) {
    turn_and_back(file, format, read_by_giflib);
  };
  run(input, gif::codec, {turn, show_as_png, change_metadata});
}

void fuzz_heif(Input input) {
  const bool is_avif = heif::avif_codec.recognises(input, "");
  run(input, is_avif ? heif::avif_codec : heif::heic_codec, {turn_container});
}

void fuzz_jxl(Input input) { run(input, jxl::codec, {turn_container}); }

void fuzz_raw(Input input) { run(input, raw::codec, {change_raw}); }

void fuzz_pictures(Input input) {
  const Codec* format = codec_of_content(input, ".tga");
  if (!format || !format->decode || format == &jpeg::codec || format == &png::codec ||
      format == &tiff::codec) {
    return;
  }
  const auto turn = [](Input file, const Codec& its) { turn_and_back(file, its); };
  if (!format->encode) return run(input, *format, {show_as_png});
  run(input, *format, {turn, show_as_png, change_metadata});
}

}  // namespace qturn::fuzz
