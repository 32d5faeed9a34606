#include "src/sample/world_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>

#include "src/files/safe_file.hpp"
#include "src/formats/table.hpp"
#include "src/labels/geometry.hpp"
#include "src/labels/text/words.hpp"
#include "src/metadata/xml_nodes.hpp"
#include "src/picture/text.hpp"
#include "src/sample/companion.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view polynomials = ".rpb", polynomials_text = "_rpc.txt", notes = ".aux.xml",
                           of_polynomials = "domain=\"RPC\"";

// Of a.tif: .tfw, .tifw, .wld, .rpb.
std::array<std::string, 4> suffixes_of(const std::string& lower_suffix) {
  const std::string whole = lower_suffix + "w";
  const std::string without_middle =
      lower_suffix.size() < 3 ? whole : fmt::format(".{}{}w", lower_suffix[1], lower_suffix.back());
  return {without_middle, whole, ".wld", std::string(polynomials)};
}

bool is_notes(const fs::path& file) {
  const std::string& name = file.native();
  return name.ends_with(notes) &&
         codec_of_suffix(lower_suffix(name.substr(0, name.size() - notes.size())));
}

bool have_polynomials(std::string_view notes_of_gdal) {
  return has_any(notes_of_gdal, {of_polynomials, "domain=\"GEOLOCATION\""});
}

// X = A x + B y + C and Y = D x + E y + F of a place in the picture.
enum PlaceNumber : std::size_t { A, D, B, E, C, F };

/// Turns the six numbers in `text` from `at` on. `to_last`: 1 if they are those of the centres of
/// pixels, 0 if pixel 0 lies between 0 and 1.
void turn_place(std::string_view text, std::size_t at, std::array<PlaceNumber, 6> order,
                std::int64_t to_last, const MetadataTurn& turn, std::vector<TextEdit>& edits) {
  std::array<Decimal, 6> numbers;
  constexpr std::string_view between = " \t\r\n,";
  const std::size_t first = edits.size();
  for (const PlaceNumber which : order) {
    at = std::min(text.find_first_not_of(between, at), text.size());
    const std::size_t end = std::min(text.find_first_of(between, at), text.size());
    const auto number = Decimal::parse(text.substr(at, end - at));
    if (!number) throw ImageFileError("a world file has six numbers, and this one has others");
    numbers.at(which) = *number;
    edits.push_back({at, end - at, {}});
    at = end;
  }
  const auto mirror = [&](PlaceNumber along_x, PlaceNumber along_y, std::int64_t side) {
    for (const auto& [slope, sum] : {std::pair(along_x, C), std::pair(along_y, F)}) {
      numbers.at(sum) = numbers.at(sum).plus(numbers.at(slope).times(side - to_last));
      numbers.at(slope) = numbers.at(slope).mirrored(0);
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
  for (std::size_t i = 0; i < order.size(); ++i)
    edits[first + i].by = numbers.at(order.at(i)).text();
}

/// <GeoTransform> has C, A, B, F, D, E; <GCP Pixel="0.5" Line="2"> is where a point lies.
std::string turned_notes(std::string_view text, const MetadataTurn& turn) {
  if (have_polynomials(text)) throw ImageFileError("its polynomials cannot be turned");
  const Size size = turn.old_size();
  const std::vector<XmlNode> nodes = xml_nodes(text);
  std::vector<TextEdit> edits;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].is_attribute) continue;
    const std::string_view up_to_end = text.substr(0, nodes[i].value_at + nodes[i].value.size());
    if (nodes[i].name == "GeoTransform")
      turn_place(up_to_end, nodes[i].value_at, {C, A, B, F, D, E}, 0, turn, edits);
    if (nodes[i].name != "GCP") continue;
    std::map<std::string_view, const XmlNode*> of;
    for (std::size_t k = i + 1; k < nodes.size() && nodes[k].is_attribute; ++k)
      of[nodes[k].name] = &nodes[k];
    const auto x = of.contains("Pixel") ? Decimal::parse(of["Pixel"]->value) : std::nullopt;
    const auto y = of.contains("Line") ? Decimal::parse(of["Line"]->value) : std::nullopt;
    if (!x || !y) throw ImageFileError("a GCP in it does not say its Pixel and Line");
    const LabelPoint now = turned(LabelPoint{*x, *y}, {turn.pixels, size.width, size.height});
    edits.push_back({of["Pixel"]->value_at, of["Pixel"]->value.size(), now.x.text()});
    edits.push_back({of["Line"]->value_at, of["Line"]->value.size(), now.y.text()});
  }
  return edited(text, edits);
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
  return is_notes(file) || (is_named_as_world_file(file) && lower_suffix(file) != polynomials);
}

std::string turned_world_file(std::string_view text, const MetadataTurn& turn) {
  if (turn.pixels == Orientation::identity) return std::string(text);
  if (text.find('<') != text.npos) return turned_notes(text, turn);
  std::vector<TextEdit> edits;
  turn_place(text, 0, {A, D, B, E, C, F}, 1, turn, edits);
  return edited(text, edits);
}

std::string world_file_name(const std::string& name, const fs::path& picture) {
  if (!is_turned_world_file(name) || is_world_file(name, picture)) return name;
  return fs::path(name).replace_extension(suffixes_of(lower_suffix(picture)).front());
}

bool are_notes_of_place(std::string_view name, std::string_view text) {
  return is_notes(name) && has_any(text, {"<GeoTransform>", "<GCPList", of_polynomials});
}

bool are_turned_notes(std::string_view name, std::string_view text) {
  return are_notes_of_place(name, text) && !have_polynomials(text);
}

std::vector<fs::path> world_files_beside(const fs::path& picture) {
  std::vector<fs::path> found;
  const auto look = [&](const std::string& path) {
    if (has_file(path)) found.emplace_back(path);
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
