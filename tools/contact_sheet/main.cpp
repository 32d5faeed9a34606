// Puts small copies of pictures side by side: before and after in two columns, or any number per
// row.
//
// Pictures are shown as they are stored, whatever their orientation tag says: that is what a
// program sees that ignores the tag, and the difference between the columns.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "src/formats/table.hpp"
#include "src/store/safe_file.hpp"
#include "src/turn/small_picture.hpp"

namespace qturn {
namespace {

constexpr std::int64_t cell = 320;
constexpr std::int64_t gap = 16;

void paste(SmallPicture& sheet, const SmallPicture& picture, std::int64_t left, std::int64_t top) {
  for (std::int64_t y = 0; y < picture.height; ++y)
    std::memcpy(&sheet.pixels[static_cast<std::size_t>(((top + y) * sheet.width + left) * 3)],
                &picture.pixels[static_cast<std::size_t>(y * picture.width * 3)],
                static_cast<std::size_t>(picture.width * 3));
}

/// The pictures of whole rows. A row with a picture that cannot be shown is left out, with a
/// message.
std::vector<SmallPicture> read_rows(std::size_t columns, const std::vector<std::string>& paths) {
  std::vector<SmallPicture> cells;
  for (std::size_t first = 0; first < paths.size(); first += columns) {
    std::vector<SmallPicture> row;
    for (std::size_t i = first; i < std::min(first + columns, paths.size()); ++i) {
      try {
        row.push_back(small_picture(read_file(paths[i]), lower_suffix(paths[i]), cell, Shrink::mean,
                                    Limits{}));
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
  const std::vector<SmallPicture> cells = read_rows(static_cast<std::size_t>(columns), paths);
  const auto count = static_cast<std::int64_t>(cells.size());
  const std::int64_t rows = (count + columns - 1) / columns;
  SmallPicture sheet{.width = columns * (cell + gap) + gap, .height = rows * (cell + gap) + gap};
  sheet.pixels.assign(static_cast<std::size_t>(sheet.width * sheet.height * 3), 255);
  for (std::int64_t i = 0; i < count; ++i) {
    const SmallPicture& small = cells[static_cast<std::size_t>(i)];
    paste(sheet, small, gap + i % columns * (cell + gap) + (cell - small.width) / 2,
          gap + i / columns * (cell + gap) + (cell - small.height) / 2);
  }
  write_file(output, encoded(std::move(sheet), "png"), {}, IfExists::replace);
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
