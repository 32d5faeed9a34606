// Puts small copies of pictures side by side: before and after in two columns, or any number per
// row.
//
// Pictures are shown as they are stored, whatever their orientation tag says: that is what a
// program sees that ignores the tag, and the difference between the columns.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "src/formats/table.hpp"
#include "src/store/safe_file.hpp"

namespace qturn {
namespace {

constexpr std::int64_t cell = 320;
constexpr std::int64_t gap = 16;

/// Pixels of 3 bytes, rows without padding.
struct Picture {
  std::int64_t width = 0, height = 0;
  std::vector<std::uint8_t> pixels;
};

/// The first page as 8-bit RGB. Throws ImageFileError.
Picture read_picture(const std::filesystem::path& path) {
  const Bytes file = read_file(path);
  const Codec* codec = codec_of_content(file, lower_suffix(path));
  if (!codec) throw ImageFileError("not a picture");
  PixelArena arena;
  std::vector<std::string> warnings;
  const Image image =
      codec->decode(file, Samples::for_another_format, arena, std::atomic<bool>{false}, warnings);
  const Page& page = image.pages.front();
  const int shift = page.type == SampleFormat::u16 ? 8 : 0;
  if (page.type != SampleFormat::u8 && page.type != SampleFormat::u16)
    throw ImageFileError("a contact sheet shows 8 and 16 bit pictures");

  Picture picture{
      page.width, page.height,
      std::vector<std::uint8_t>(static_cast<std::size_t>(page.width * page.height * 3))};
  const auto sample = [&](std::int64_t pixel, int channel) -> std::uint8_t {
    const std::int64_t index = pixel * page.channels + (page.channels < 3 ? 0 : channel);
    if (shift == 0) return static_cast<const std::uint8_t*>(page.pixels)[index];
    return static_cast<std::uint8_t>(static_cast<const std::uint16_t*>(page.pixels)[index] >>
                                     shift);
  };
  for (std::int64_t i = 0; i < page.width * page.height; ++i)
    for (int c = 0; c < 3; ++c) picture.pixels[static_cast<std::size_t>(i * 3 + c)] = sample(i, c);
  return picture;
}

/// The mean of the pixels that fall on each pixel of the smaller picture; never enlarged.
Picture shrink_to_cell(const Picture& big) {
  const double scale = std::min(
      1.0, static_cast<double>(cell) / static_cast<double>(std::max(big.width, big.height)));
  const auto length = [&](std::int64_t n) {
    return std::max<std::int64_t>(1, std::llround(static_cast<double>(n) * scale));
  };
  Picture small{length(big.width), length(big.height), {}};
  small.pixels.resize(static_cast<std::size_t>(small.width * small.height * 3));
  for (std::int64_t y = 0; y < small.height; ++y) {
    const std::int64_t top = y * big.height / small.height,
                       bottom = (y + 1) * big.height / small.height;
    for (std::int64_t x = 0; x < small.width; ++x) {
      const std::int64_t left = x * big.width / small.width,
                         right = (x + 1) * big.width / small.width;
      for (int c = 0; c < 3; ++c) {
        std::uint64_t sum = 0;
        for (std::int64_t v = top; v < bottom; ++v)
          for (std::int64_t u = left; u < right; ++u)
            sum += big.pixels[static_cast<std::size_t>((v * big.width + u) * 3 + c)];
        small.pixels[static_cast<std::size_t>((y * small.width + x) * 3 + c)] =
            static_cast<std::uint8_t>(sum /
                                      static_cast<std::uint64_t>((bottom - top) * (right - left)));
      }
    }
  }
  return small;
}

void paste(Picture& sheet, const Picture& picture, std::int64_t left, std::int64_t top) {
  for (std::int64_t y = 0; y < picture.height; ++y)
    std::memcpy(&sheet.pixels[static_cast<std::size_t>(((top + y) * sheet.width + left) * 3)],
                &picture.pixels[static_cast<std::size_t>(y * picture.width * 3)],
                static_cast<std::size_t>(picture.width * 3));
}

/// The pictures of whole rows. A row with a picture that cannot be shown is left out, with a
/// message.
std::vector<Picture> read_rows(std::size_t columns, const std::vector<std::string>& paths) {
  std::vector<Picture> cells;
  for (std::size_t first = 0; first < paths.size(); first += columns) {
    std::vector<Picture> row;
    for (std::size_t i = first; i < std::min(first + columns, paths.size()); ++i) {
      try {
        row.push_back(shrink_to_cell(read_picture(paths[i])));
      } catch (const ImageFileError& error) {
        fmt::print(stderr, "qturn-contact-sheet: {}: {}; left out\n", paths[i], error.what());
        row.clear();
        break;
      }
    }
    cells.insert(cells.end(), row.begin(), row.end());
  }
  if (cells.empty()) throw ImageFileError("none of the pictures can be shown");
  return cells;
}

void make_sheet(const std::filesystem::path& output, std::int64_t columns,
                const std::vector<std::string>& paths) {
  const std::vector<Picture> cells = read_rows(static_cast<std::size_t>(columns), paths);
  const auto count = static_cast<std::int64_t>(cells.size());
  const std::int64_t rows = (count + columns - 1) / columns;
  Picture sheet{columns * (cell + gap) + gap, rows * (cell + gap) + gap, {}};
  sheet.pixels.assign(static_cast<std::size_t>(sheet.width * sheet.height * 3), 255);
  for (std::int64_t i = 0; i < count; ++i) {
    const Picture& small = cells[static_cast<std::size_t>(i)];
    paste(sheet, small, gap + i % columns * (cell + gap) + (cell - small.width) / 2,
          gap + i / columns * (cell + gap) + (cell - small.height) / 2);
  }
  Image image;
  image.pages = {Page{sheet.pixels.data(), sheet.width, sheet.height, 3, SampleFormat::u8}};
  std::vector<std::string> warnings;
  const Bytes file = codec_of_name("png")->encode(image, Orientation::identity,
                                                  std::atomic<bool>{false}, warnings);
  write_file(output, file, {}, IfExists::replace);
}

}  // namespace
}  // namespace qturn

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  int columns = 0;
  if (words.size() < 3 ||
      std::from_chars(words[1].data(), words[1].data() + words[1].size(), columns).ec !=
          std::errc() ||
      columns < 1) {
    fmt::print(stderr, "usage: qturn-contact-sheet OUTPUT.png COLUMNS PICTURE...\n");
    return 2;
  }
  try {
    qturn::make_sheet(words[0], columns, {words.begin() + 2, words.end()});
  } catch (const std::exception& error) {
    fmt::print(stderr, "qturn-contact-sheet: {}\n", error.what());
    return 1;
  }
  return 0;
}
