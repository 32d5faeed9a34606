// Random PNGs: none may crash, and what is read must come out of a turn and its inverse as it was.
//
//   cmake --preset fuzz && cmake --build build/fuzz --target png_fuzz
//   build/fuzz/tests/fuzz/png_fuzz -max_len=4096 NEW_FILES tests/fuzz/png
//
// A random file has wrong checksums and pixels that cannot be decompressed, and nothing behind
// these checks would ever be reached. So the checksums are put right and, for every other file, the
// pixels are taken for decompressed ones.
#include <qturn/cpu.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "src/formats/png/chunks.hpp"
#include "src/formats/png/codec.hpp"
#include "src/formats/png/zlib.hpp"
#include "tests/fixtures/codec_pictures.hpp"

namespace {

using namespace qturn;
using namespace qturn::png;
using namespace qturn::tests;

constexpr std::uint64_t largest_picture = 1 << 22;

std::uint32_t number(std::span<const std::byte> at) {
  std::uint32_t value = 0;
  for (const std::byte byte : at.first(4))
    value = value << 8 | std::to_integer<std::uint32_t>(byte);
  return value;
}

void append_number(Bytes& to, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) to.push_back(static_cast<std::byte>(value >> shift));
}

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
Bytes repaired(std::span<const std::byte> file, bool compress) {
  Bytes result(file.begin(), file.begin() + std::min<std::ptrdiff_t>(8, std::ssize(file)));
  std::size_t at = result.size();
  while (file.size() - at >= 12) {
    const std::uint32_t length = number(file.subspan(at));
    if (length > file.size() - at - 12) break;
    const auto type = file.subspan(at + 4, 4), data = file.subspan(at + 8, length);
    const bool pixels = compress && text_of(type) == "IDAT";
    const Bytes stream = pixels ? compressed(data) : Bytes(data.begin(), data.end());
    append_number(result, static_cast<std::uint32_t>(stream.size()));
    const std::size_t summed = result.size();
    append(result, type);
    append(result, stream);
    append_number(result, crc32(std::span(result).subspan(summed)));
    at += 12 + length;
  }
  append(result, file.subspan(at));
  return result;
}

void require(bool condition) {
  if (!condition) std::abort();
}

void turn_and_back(std::span<const std::byte> file) {
  const Header header = png::codec.read_header(file);
  if (header.pixel_bytes_total > largest_picture) return;
  const Decoded source(file, png::codec);
  const Bytes once = turn_file(file, png::codec, Orientation::rotate90);
  const Bytes back = turn_file(once, png::codec, Orientation::rotate270);
  const Decoded result(back, png::codec);
  require(result.image.pages.size() == source.image.pages.size());
  for (std::size_t i = 0; i < result.image.pages.size(); ++i) {
    require(pixels_of(result.image.pages[i]) == pixels_of(source.image.pages[i]));
  }
  require(result.image.pages[0].width == header.width);
  require(png::codec.read_header(once).width == header.height);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto input = std::as_bytes(std::span(data, size));
  const Bytes file = repaired(input.subspan(1), data[0] % 2 == 1);
  const auto attempt = [](auto&& work) {
    try {
      work();
    } catch (const ImageFileError&) {
    }
  };
  attempt([&] { turn_and_back(file); });
  attempt([&] {
    std::vector<std::string> warnings;
    retag(file, png::codec, Orientation::rotate90, MissingTag::is_added, warnings);
  });
  attempt([&] {
    if (png::codec.read_header(file).pixel_bytes_total > largest_picture) return;
    const Decoded expanded(file, png::codec, tiff::codec);
    tests::encode(expanded.image, Orientation::identity, pnm::codec);
  });
  for (const std::span<const std::byte> damaged :
       {input.subspan(1), std::span<const std::byte>(file)}) {
    attempt([&] {
      if (read_damaged_png_header(damaged).pixel_bytes_total > largest_picture) return;
      const std::atomic<bool> never = false;
      PixelArena arena;
      std::vector<std::string> warnings;
      require(salvage_png(damaged, arena, never, warnings).pages.size() == 1);
    });
  }
  return 0;
}
