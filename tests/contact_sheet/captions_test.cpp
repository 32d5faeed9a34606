// The letters below a picture of a contact sheet.
#include "tools/contact_sheet/captions.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace captions_test {

using qturn::SmallPicture;

namespace {

/// Which dots of a caption are black, a line for each row of them.
std::string drawn(std::string_view text, std::int64_t width) {
  SmallPicture sheet{.width = width, .height = qturn::caption_height};
  sheet.pixels.assign(static_cast<std::size_t>(sheet.width * sheet.height * 3), 255);
  qturn::write_caption(sheet, text, 0, 0, width);
  std::string rows;
  for (std::int64_t y = 0; y < 14; y += 2) {
    for (std::int64_t x = 0; x < width; x += 2)
      rows += sheet.pixels[static_cast<std::size_t>((y * width + x) * 3)] == 0 ? '#' : '.';
    rows += '\n';
  }
  return rows;
}

}  // namespace

TEST_CASE("A caption is drawn in letters of five by seven dots") {
  CHECK(drawn("L1", 24) ==
        "#.......#...\n"
        "#......##...\n"
        "#.......#...\n"
        "#.......#...\n"
        "#.......#...\n"
        "#.......#...\n"
        "#####..###..\n");
}

TEST_CASE("A caption that is too long loses its beginning, and other letters are question marks") {
  CHECK(drawn("a-long-name.jpg", 60) == drawn("..jpg", 60));
  CHECK(drawn("\u00e4", 60) == drawn("?", 60));
  CHECK(drawn("\n", 60) == drawn("?", 60));
}

}  // namespace captions_test
