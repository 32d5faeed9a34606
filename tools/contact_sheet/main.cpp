// Puts small copies of pictures side by side: before and after in two columns, or any number per
// row. Each has the name of its column, if columns have names, and the name of its file below it.
//
// Pictures are shown as they are stored, whatever their orientation tag says: that is what a
// program sees that ignores the tag, and the difference between the columns.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "src/files/safe_file.hpp"
#include "src/formats/table.hpp"
#include "src/turn/small_picture.hpp"
#include "tools/contact_sheet/captions.hpp"

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

struct Cell {
  std::string name;
  SmallPicture picture;
};

/// The columns of the sheet: how many, and what they are called, if they have names.
struct Columns {
  std::size_t count = 0;
  std::vector<std::string> names = {};
};

/// "3", or "as stored,upright,turned".
Columns parse_columns(const std::string& text) {
  Columns columns;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, columns.count);
  if (error == std::errc() && read == end) return columns;
  std::istringstream names(text);
  for (std::string name; std::getline(names, name, ',');) columns.names.push_back(name);
  columns.count = columns.names.size();
  return columns;
}

/// The pictures of whole rows. A row with a picture that cannot be shown is left out, with a
/// message.
std::vector<Cell> read_rows(std::size_t columns, const std::vector<std::string>& paths) {
  std::vector<Cell> cells;
  for (std::size_t first = 0; first < paths.size(); first += columns) {
    std::vector<Cell> row;
    for (std::size_t i = first; i < std::min(first + columns, paths.size()); ++i) {
      try {
        row.push_back({std::filesystem::path(paths[i]).filename().string(),
                       small_picture(read_file(paths[i]), lower_suffix(paths[i]), cell,
                                     Shrink::mean, Limits{})});
      } catch (const ImageFileError& error) {
        fmt::print(stderr, "qturn-contact-sheet: {}: {}; left out of the sheet\n", paths[i],
                   error.what());
        row.clear();
        break;
      }
    }
    std::ranges::move(row, std::back_inserter(cells));
  }
  if (cells.empty()) throw ImageFileError("none of the pictures can be shown");
  return cells;
}

void make_sheet(const std::filesystem::path& output, const Columns& columns,
                const std::vector<std::string>& paths) {
  const std::vector<Cell> cells = read_rows(columns.count, paths);
  const std::int64_t captions = caption_height * (columns.names.empty() ? 1 : 2);
  const std::int64_t step_x = cell + gap, step_y = cell + captions + gap;
  const auto width = static_cast<std::int64_t>(columns.count);
  const std::int64_t rows = (static_cast<std::int64_t>(cells.size()) + width - 1) / width;
  SmallPicture sheet{.width = width * step_x + gap, .height = rows * step_y + gap};
  sheet.pixels.assign(static_cast<std::size_t>(sheet.width * sheet.height * 3), 255);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const SmallPicture& small = cells[i].picture;
    const std::size_t column = i % columns.count;
    const std::int64_t left = gap + static_cast<std::int64_t>(column) * step_x;
    const std::int64_t top = gap + static_cast<std::int64_t>(i / columns.count) * step_y;
    paste(sheet, small, left + (cell - small.width) / 2, top + (cell - small.height) / 2);
    const std::int64_t below = top + cell + caption_height / 4;
    if (!columns.names.empty()) write_caption(sheet, columns.names[column], left, below, cell);
    write_caption(sheet, cells[i].name, left, below + captions - caption_height, cell);
  }
  write_file(output, encoded(std::move(sheet), "png"), {}, IfExists::replace);
}

}  // namespace
}  // namespace qturn

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const qturn::Columns columns =
      words.size() < 3 ? qturn::Columns() : qturn::parse_columns(words[1]);
  if (columns.count == 0) {
    fmt::print(stderr,
               "usage: qturn-contact-sheet OUTPUT.png COLUMNS PICTURE...\n"
               "COLUMNS is a number, or the names of the columns: before,after\n");
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
