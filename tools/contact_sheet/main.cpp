// Puts small copies of pictures side by side: before and after in two columns, or any number per
// row. Each has the name of its column, if columns have names, and the name of its file below it.
// The sheet is an SVG, so that its words are in the reader's own font, and light or dark as he has
// his screen.
//
// Pictures are shown as they are stored, whatever their orientation tag says: that is what a
// program sees that ignores the tag, and the difference between the columns.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "src/files/json_names.hpp"
#include "src/files/safe_file.hpp"
#include "src/formats/table.hpp"
#include "src/labels/text/xml_text.hpp"
#include "src/picture/base64.hpp"
#include "src/turn/decoded.hpp"

namespace qturn {
namespace {

constexpr std::int64_t cell = 320, gap = 16, line = 28;  // pixels

constexpr const char* style = R"(<style>
text { font: 20px system-ui, sans-serif; text-anchor: middle; fill: #222 } .ground { fill: #fff }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .ground { fill: #1e2129 } }
</style>
<rect class="ground" width="100%" height="100%"/>
)";

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

/// The end of `text`, because names differ there, in as many letters as a cell has room for.
std::string caption(std::string text, std::int64_t x, std::int64_t y) {
  constexpr std::ptrdiff_t most = 28;
  for (char& c : text) c = c >= 0 && c < ' ' ? '?' : c;
  text = Json::parse(dump(text)).get<std::string>();  // U+FFFD for what is not UTF-8
  const auto begins_letter = [](char c) { return (c & 0xc0) != 0x80; };
  if (std::ranges::count_if(text, begins_letter) > most) {
    auto from = text.end();
    for (std::ptrdiff_t letters = 1; letters < most; letters += begins_letter(*from)) --from;
    text = "\u2026" + std::string(from, text.end());
  }
  return fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", x, y, xml_escaped(text));
}

std::string image(const SmallPicture& picture, std::int64_t x, std::int64_t y) {
  const Bytes png = encoded(picture, "png"), jpeg = encoded(picture, "jpeg");
  const bool is_drawing = png.size() <= jpeg.size();
  return fmt::format(
      "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" href=\"data:image/{};base64,{}\"/>\n", x,
      y, picture.width, picture.height, is_drawing ? "png" : "jpeg",
      base64(is_drawing ? png : jpeg));
}

void make_sheet(const std::filesystem::path& output, const Columns& columns,
                const std::vector<std::string>& paths) {
  const std::vector<Cell> cells = read_rows(columns.count, paths);
  const std::int64_t step_x = cell + gap;
  const std::int64_t step_y = cell + gap + line * (columns.names.empty() ? 1 : 2);
  const auto width = static_cast<std::int64_t>(columns.count);
  const std::int64_t rows = (static_cast<std::int64_t>(cells.size()) + width - 1) / width;
  const std::int64_t right = width * step_x + gap, bottom = rows * step_y + gap;
  std::string sheet = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\">\n{2}",
      right, bottom, style);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const SmallPicture& small = cells[i].picture;
    const std::size_t column = i % columns.count;
    const std::int64_t left = gap + static_cast<std::int64_t>(column) * step_x;
    const std::int64_t top = gap + static_cast<std::int64_t>(i / columns.count) * step_y;
    const std::int64_t middle = left + cell / 2, below = top + step_y - gap - line / 4;
    sheet += image(small, middle - small.width / 2, top + (cell - small.height) / 2);
    if (!columns.names.empty()) sheet += caption(columns.names[column], middle, below - line);
    sheet += caption(cells[i].name, middle, below);
  }
  sheet += "</svg>\n";
  write_file(output, bytes_of(sheet), {}, IfExists::replace);
}

}  // namespace
}  // namespace qturn

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const qturn::Columns columns =
      words.size() < 3 ? qturn::Columns() : qturn::parse_columns(words[1]);
  if (columns.count == 0) {
    fmt::print(stderr,
               "usage: qturn-contact-sheet OUTPUT.svg COLUMNS PICTURE...\n"
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
