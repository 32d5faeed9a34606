// The reader of progressive pictures against libjpeg's: the same coefficients, and never a "yes"
// where libjpeg has something to say.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <optional>
#include <vector>

#include "src/jpeg/picture.hpp"
#include "src/jpeg/progressive.hpp"
#include "tests/jpeg_pictures.hpp"

namespace {

using qturn::Bytes;

const std::atomic<bool> never{false};

using Coefficients = std::vector<JCOEF>;

Coefficients copied(const qturn::JpegPicture& picture, const qturn::JpegBlocks& blocks) {
  Coefficients all;
  for (std::size_t i = 0; i < picture.components.size(); ++i) {
    const qturn::JpegComponent& component = picture.components[i];
    for (JDIMENSION y = 0; y < component.height_in_blocks; ++y) {
      for (JDIMENSION x = 0; x < component.width_in_blocks; ++x) {
        const JCOEF* block = blocks.component(static_cast<int>(i)).block(x, y);
        all.insert(all.end(), block, block + DCTSIZE2);
      }
    }
  }
  return all;
}

// Nothing if it is left to libjpeg.
std::optional<Coefficients> read_by_ours(const Bytes& file) {
  qturn::PixelArena arena;
  qturn::JpegBlocks blocks(arena);
  try {
    const qturn::JpegDecoder decoder(file, nullptr);  // also libjpeg: throws for a damaged header
    const auto plain = read_progressive(decoder, file, blocks, never);
    if (!plain) return std::nullopt;
    return copied(plain->picture, blocks);
  } catch (const qturn::ImageFileError&) {
    return std::nullopt;
  }
}

// Nothing if libjpeg complains.
std::optional<Coefficients> read_by_libjpeg(const Bytes& file) {
  try {
    qturn::PixelArena arena;
    qturn::JpegBlocks blocks(arena);
    qturn::JpegDecoder decoder(file, nullptr);
    blocks.serve(reinterpret_cast<j_common_ptr>(&decoder.info));
    guarded(decoder.errors, [&] { jpeg_read_coefficients(&decoder.info); });
    return copied(describe(decoder, file), blocks);
  } catch (const qturn::ImageFileError&) {
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("Progressive pictures are read as libjpeg reads them") {
  using qturn::tests::JpegPicture;
  const auto kind = GENERATE(values<JpegPicture>({{.h = 2, .v = 2},
                                                  {.h = 2, .v = 1},
                                                  {.h = 1, .v = 1, .quality = 100},
                                                  {.h = 4, .v = 1, .quality = 30},
                                                  {.space = JCS_GRAYSCALE, .quality = 98},
                                                  {.space = JCS_CMYK},
                                                  {.space = JCS_GRAYSCALE,
                                                   .scans = {{1, {0}, 0, 0, 0, 3},
                                                             {1, {0}, 1, 63, 0, 3},
                                                             {1, {0}, 0, 0, 3, 2},
                                                             {1, {0}, 0, 0, 2, 1},
                                                             {1, {0}, 0, 0, 1, 0},
                                                             {1, {0}, 1, 63, 3, 2},
                                                             {1, {0}, 1, 63, 2, 1},
                                                             {1, {0}, 1, 63, 1, 0}}}}));
  for (const auto& [width, height] : {std::pair{64, 48}, {1, 1}, {93, 71}, {257, 130}}) {
    JpegPicture picture = kind;
    picture.width = width;
    picture.height = height;
    picture.progressive = picture.scans.empty();
    const Bytes file = make_jpeg(picture);
    const auto ours = read_by_ours(file);
    REQUIRE(ours);
    CHECK(ours == read_by_libjpeg(file));
  }
}

TEST_CASE("What is damaged is left to libjpeg, or read as libjpeg reads it") {
  const Bytes file = qturn::tests::make_jpeg(
      {.width = 40, .height = 24, .h = 2, .v = 2, .quality = 80, .progressive = true});
  const std::size_t first = [&] {
    std::size_t at = 0;
    while (file[at] != std::byte{0xFF} || file[at + 1] != std::byte{0xDA}) ++at;
    return at;
  }();
  int read = 0, left = 0;
  const auto compare = [&](const Bytes& damaged) {
    const auto ours = read_by_ours(damaged);
    ++(ours ? read : left);
    if (ours) CHECK(ours == read_by_libjpeg(damaged));
  };
  for (std::size_t at = first; at < file.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      Bytes damaged = file;
      damaged[at] ^= static_cast<std::byte>(1 << bit);
      compare(damaged);
    }
    Bytes shorter = file, longer = file;
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(at));
    longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(at), std::byte{0x55});
    compare(shorter);
    compare(longer);
    compare({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(at)});
  }
  CHECK(read > 0);
  CHECK(left > read);
}

TEST_CASE("Restarts and markers between the scans are left to libjpeg") {
  CHECK_FALSE(read_by_ours(
      qturn::tests::make_jpeg({.h = 2, .v = 2, .progressive = true, .restart_interval = 2})));
  Bytes file = qturn::tests::make_jpeg({.progressive = true});
  CHECK(read_by_ours(file));
  // A comment before the last scan's tables.
  const std::byte comment[] = {std::byte{0xFF}, std::byte{0xFE}, std::byte{0}, std::byte{2}};
  const std::byte table[] = {std::byte{0xFF}, std::byte{0xC4}};
  const auto last = std::find_end(file.begin(), file.end(), std::begin(table), std::end(table));
  file.insert(last, std::begin(comment), std::end(comment));
  CHECK_FALSE(read_by_ours(file));
  CHECK(read_by_libjpeg(file));
}

TEST_CASE("A scan that names its components in another order than the frame is left to libjpeg") {
  Bytes file = qturn::tests::make_jpeg({.progressive = true});
  const std::byte scan[] = {std::byte{0xFF}, std::byte{0xDA}, std::byte{0}, std::byte{12},
                            std::byte{3}};
  const auto last = std::find_end(file.begin(), file.end(), std::begin(scan), std::end(scan));
  REQUIRE(last != file.end());
  const auto second = last + std::ssize(scan) + 2;
  std::swap_ranges(second, second + 2, second + 2);
  CHECK_FALSE(read_by_ours(file));
  CHECK_FALSE(read_by_libjpeg(file));
}
