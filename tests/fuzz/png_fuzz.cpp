// Random PNGs: none may crash, and what is read must come out of a turn and its inverse as it was.
//
// A random file has wrong checksums and pixels that cannot be decompressed, and nothing behind
// these checks would ever be reached. So the checksums are put right and, for every other file, the
// pixels are taken for decompressed ones.
#include <qturn/cpu.hpp>

#include <algorithm>
#include <span>

#include "src/formats/codec/zlib.hpp"
#include "src/formats/png/chunks.hpp"
#include "src/formats/png/codec.hpp"
#include "src/formats/table.hpp"
#include "src/picture/bytes.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fuzz/other_readers.hpp"
#include "tests/fuzz/picture_checks.hpp"
#include "tests/fuzz/target.hpp"

namespace qturn::fuzz {
namespace {

using namespace png;
using namespace tests;

void append(Bytes& to, std::span<const std::byte> data) {
  to.insert(to.end(), data.begin(), data.end());
}

Bytes compressed(std::span<const std::byte> data) {
  const Deflater deflater(1);
  Bytes stream(deflater.largest(data.size()));
  stream.resize(deflater.deflate({reinterpret_cast<const std::uint8_t*>(data.data()), data.size()},
                                 stream.data()));
  return stream;
}

// The chunks as far as they go, with right checksums.
Bytes repaired(Input file, bool compress) {
  Bytes result(file.begin(), file.begin() + std::min<std::ptrdiff_t>(8, std::ssize(file)));
  std::size_t at = result.size();
  while (file.size() - at >= 12) {
    const std::uint64_t length = big_endian(file, at, 4);
    if (length > file.size() - at - 12) break;
    const auto type = file.subspan(at + 4, 4), data = file.subspan(at + 8, length);
    const bool pixels = compress && text_of(type) == "IDAT";
    const Bytes stream = pixels ? compressed(data) : Bytes(data.begin(), data.end());
    append_png_chunk(result, text_of(type), stream);
    at += 12 + length;
  }
  append(result, file.subspan(at));
  return result;
}

}  // namespace

void fuzz_png(Input input) {
  if (input.empty()) return;
  const Bytes file = repaired(input.subspan(1), (input[0] & std::byte{1}) != std::byte{0});
  const auto attempt = [](auto&& work) {
    try {
      work();
    } catch (const ImageFileError&) {
    }
  };
  attempt([&] { turn_and_back(file, png::codec, read_by_libpng); });
  attempt([&] {
    std::vector<std::string> warnings;
    retag(file, png::codec, Orientation::rotate90, MissingTag::is_added, warnings);
  });
  attempt([&] { check_unturned(file, png::codec); });
  attempt([&] { show(file, png::codec, pnm::codec); });
  for (const Input damaged : {input.subspan(1), Input(file)}) {
    attempt([&] {
      if (read_damaged_png_header(damaged).pixel_bytes_total > largest_picture) return;
      const std::atomic<bool> never = false;
      PixelArena arena;
      std::vector<std::string> warnings;
      require(salvage_png(damaged, arena, never, warnings).pages.size() == 1);
    });
  }
}

}  // namespace qturn::fuzz
