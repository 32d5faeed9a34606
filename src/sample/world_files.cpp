#include "src/sample/world_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <system_error>

#include "src/files/safe_file.hpp"
#include "src/formats/table.hpp"
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

bool are_notes_of_place(std::string_view name, std::string_view text) {
  if (!name.ends_with(notes)) return false;
  name.remove_suffix(notes.size());
  constexpr std::string_view words[] = {"<GeoTransform>", "<GCPList", "domain=\"RPC\""};
  return codec_of_suffix(lower_suffix(name)) &&
         std::ranges::any_of(words, [&](auto word) { return text.find(word) != text.npos; });
}

std::vector<fs::path> world_files_beside(const fs::path& picture) {
  std::vector<fs::path> found;
  const bool has_capitals = picture.extension() != lower_suffix(picture);
  fs::path path = picture;
  const auto look = [&] {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (error && status.type() != fs::file_type::not_found)
      throw FileError("cannot look at " + path.string(), path, error);
    if (fs::is_regular_file(status)) found.push_back(path);
  };
  for (const std::string& suffix : suffixes_of(lower_suffix(picture))) {
    path.replace_extension(suffix);
    look();
    if (!has_capitals && suffix != polynomials) continue;  // those come in capitals mostly
    path.replace_extension(in_capitals(suffix));
    look();
  }
  for (const std::string& end :
       {std::string(polynomials_text), in_capitals(std::string(polynomials_text))}) {
    path.replace_filename(picture.stem().string() + end);
    look();
  }
  path = picture;
  path += notes;
  look();
  if (!found.empty() && found.back() == path && !is_about_place(path)) found.pop_back();
  return found;
}

std::string stale_world_file(const fs::path& file) {
  return fmt::format("{} beside it (where it lies on a map)", file.filename().string());
}

}  // namespace qturn
