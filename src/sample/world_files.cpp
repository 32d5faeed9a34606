#include "src/sample/world_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "src/files/safe_file.hpp"
#include "src/formats/table.hpp"
#include "src/labels/text/decimal.hpp"
#include "src/picture/text_edits.hpp"
#include "src/sample/companion.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view polynomials = ".rpb", polynomials_text = "_rpc.txt", notes = ".aux.xml";

// Of a.tif: .tfw, .tifw, .wld, .rpb.
std::array<std::string, 4> suffixes_of(const std::string& lower_suffix) {
  const std::string whole = lower_suffix + "w";
  const std::string without_middle =
      lower_suffix.size() < 3 ? whole : fmt::format(".{}{}w", lower_suffix[1], lower_suffix.back());
  return {without_middle, whole, ".wld", std::string(polynomials)};
}

bool is_about_place(const fs::path& file) try {
  return are_notes_of_place(file.filename().native(), read_companion(file).text);
} catch (const ImageFileError& error) {
  throw ImageFileError(
      fmt::format("{} beside it cannot be read: {}", file.filename().string(), error.what()));
}

std::string in_capitals(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

}  // namespace

bool is_world_file(const fs::path& file, const fs::path& picture) {
  const std::string suffix = lower_suffix(file);
  return std::ranges::count(suffixes_of(lower_suffix(picture)), suffix) > 0;
}

bool is_named_as_world_file(const fs::path& file) {
  constexpr std::string_view in_short[] = {".tfw", ".jgw", ".pgw",     ".bpw",
                                           ".gfw", ".wld", polynomials};
  const std::string suffix = lower_suffix(file);
  if (std::ranges::count(in_short, suffix) > 0) return true;
  return suffix.ends_with('w') && codec_of_suffix(suffix.substr(0, suffix.size() - 1));
}

bool is_turned_world_file(const fs::path& file) {
  return is_named_as_world_file(file) && lower_suffix(file) != polynomials;
}

// X = A x + B y + C and Y = D x + E y + F of the centre of a pixel, in lines A, D, B, E, C, F.
std::string turned_world_file(std::string_view text, const MetadataTurn& turn) {
  if (turn.pixels == Orientation::identity) return std::string(text);
  enum : std::size_t { A, D, B, E, C, F };
  std::vector<TextEdit> edits;
  std::vector<Decimal> numbers;
  constexpr std::string_view blanks = " \t\r\n";
  for (std::size_t at = 0, end = 0; numbers.size() <= F; at = end) {
    at = std::min(text.find_first_not_of(blanks, at), text.size());
    end = std::min(text.find_first_of(blanks, at), text.size());
    const auto number = Decimal::parse(text.substr(at, end - at));
    if (!number) throw ImageFileError("a world file has six numbers, and this one has others");
    numbers.push_back(*number);
    edits.push_back({at, end - at, {}});
  }
  const auto mirror = [&](std::size_t along_x, std::size_t along_y, std::int64_t side) {
    for (const auto& [slope, sum] :
         {std::pair(along_x, std::size_t{C}), std::pair(along_y, std::size_t{F})}) {
      numbers[sum] = numbers[sum].plus(numbers[slope].times(side - 1));
      numbers[slope] = numbers[slope].mirrored(0);
    }
  };
  const Reading how = reading(turn.pixels);
  const Size size = turn.old_size();
  if (how.from_right) mirror(A, D, size.width);
  if (how.from_bottom) mirror(B, E, size.height);
  if (how.swap_axes) {
    std::swap(numbers[A], numbers[B]);
    std::swap(numbers[D], numbers[E]);
  }
  for (std::size_t i = 0; i < edits.size(); ++i) edits[i].by = numbers[i].text();
  return edited(text, edits);
}

std::string world_file_name(const std::string& name, const fs::path& picture) {
  if (!is_turned_world_file(name) || is_world_file(name, picture)) return name;
  return fs::path(name).replace_extension(suffixes_of(lower_suffix(picture)).front());
}

bool are_notes_of_place(std::string_view name, std::string_view text) {
  if (!name.ends_with(notes)) return false;
  name.remove_suffix(notes.size());
  constexpr std::string_view words[] = {"<GeoTransform>", "<GCPList", "domain=\"RPC\""};
  return codec_of_suffix(lower_suffix(name)) &&
         std::ranges::any_of(words, [&](auto word) { return text.find(word) != text.npos; });
}

std::vector<fs::path> world_files_beside(const fs::path& picture) {
  std::vector<fs::path> found;
  // Names as text: of small pictures, a path for each name took a twentieth of the time.
  const auto look = [&](const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) {
      if (S_ISREG(status.st_mode)) found.emplace_back(path);
    } else if (errno != ENOENT && errno != ENOTDIR) {
      throw FileError("cannot look at " + path, path, {errno, std::generic_category()});
    }
  };
  const std::string suffix = picture.extension(), in_lower = lower_suffix(picture);
  const std::string stem = picture.native().substr(0, picture.native().size() - suffix.size());
  for (const std::string& each : suffixes_of(in_lower)) {
    look(stem + each);
    if (suffix == in_lower && each != polynomials) continue;  // those come in capitals mostly
    look(stem + in_capitals(each));
  }
  const std::string text(polynomials_text);
  look(stem + text);
  look(stem + in_capitals(text));
  const std::string of_gdal = picture.native() + std::string(notes);
  look(of_gdal);
  if (!found.empty() && found.back() == of_gdal && !is_about_place(of_gdal)) found.pop_back();
  return found;
}

std::string stale_world_file(const fs::path& file) {
  return fmt::format("{} beside it (where it lies on a map)", file.filename().string());
}

}  // namespace qturn
