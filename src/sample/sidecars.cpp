#include "src/sample/sidecars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string_view>
#include <utility>

#include "src/files/safe_file.hpp"
#include "src/formats/table.hpp"
#include "src/labels/geometry.hpp"
#include "src/labels/text/label_text.hpp"
#include "src/metadata/xml_nodes.hpp"
#include "src/metadata/xmp.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/text.hpp"
#include "src/sample/companion.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

PathSet listed_stems(const fs::path& of_pictures) {
  const fs::path folder = of_pictures.empty() ? "." : of_pictures;
  PathSet stems;
  std::error_code error;
  for (fs::directory_iterator at(folder, error); !error && at != end(at); at.increment(error)) {
    if (!is_xmp(at->path())) stems.add(at->path().stem().native());
  }
  if (error) throw FileError("cannot list " + folder.string(), folder, error);
  return stems;
}

fs::path named_after(const fs::path& picture, bool after_whole_name, const fs::path& suffix) {
  fs::path path = picture;
  if (!after_whole_name) path.replace_extension();
  path += suffix;
  return path;
}

}  // namespace

bool is_xmp(const fs::path& path) { return lower_suffix(path) == ".xmp"; }

bool is_turned_sidecar(const fs::path& path) { return is_xmp(path) || is_turned_world_file(path); }

std::string turned_sidecar_text(const fs::path& name, const std::string& packet,
                                const MetadataTurn& turn, std::vector<std::string>& warnings) {
  if (!is_xmp(name)) return turned_world_file(packet, turn);
  (void)read_xmp(packet);  // turn_xmp() leaves what is not XMP as it is
  warn_of_other_orientation(packet, turn.stored, warnings);
  if (orientation_of_xmp(packet) == Orientation::identity && turn.stored != Orientation::identity)
    warnings.push_back(fmt::format("says orientation 1, the picture says {}, which counts",
                                   static_cast<int>(turn.stored)));
  warn_of_placed_in_xmp(packet, turn, warnings);
  return turn_xmp(packet, turn, warnings);
}

Companion turned_sidecar(const fs::path& input, const fs::path& output, const MetadataTurn& turn,
                         const Source& source, std::vector<std::string>& warnings) {
  Companion companion{.input = input, .output = output};
  try {
    Original original = source.read(input, {});
    companion.bytes = std::move(original.bytes);
    companion.state = original.state;
    companion.source = original.hash;
  } catch (const FileError& error) {
    throw FileError(fmt::format("{} cannot be read", input.string()), input, error.code());
  }
  if (!is_turned_sidecar(input)) return companion;
  const std::string packet(reinterpret_cast<const char*>(companion.bytes.data()),
                           companion.bytes.size());
  std::vector<std::string> own_warnings;
  try {
    companion.text = turned_sidecar_text(input, packet, turn, own_warnings);
  } catch (const ImageFileError& error) {
    throw WithHints<FileError>({{Hint::exclude, "*" + input.extension().string()}},
                               fmt::format("{}: {}", input.string(), error.what()), input,
                               std::error_code());
  }
  companion.bytes.clear();
  for (const std::string& warning : own_warnings)
    warnings.push_back(fmt::format("{}: {}", input.filename().string(), warning));
  return companion;
}

bool SharedStems::contain_that_of(const fs::path& picture) {
  const fs::path folder = picture.parent_path();
  const std::lock_guard lock(mutex_);
  if (!by_folder_.contains(folder)) add(folder, listed_stems(folder));
  return by_folder_.at(folder).contains(picture.stem().native());
}

void SharedStems::add(const fs::path& folder, PathSet stems) {
  stems.sort();
  by_folder_.emplace(folder, stems.repeated());
}

std::vector<Sidecar> named_as_sidecars(const fs::path& picture) {
  std::vector<Sidecar> found;
  std::error_code ignored;
  for (const bool after_whole_name : {false, true}) {
    for (const char* suffix : {".xmp", ".XMP"}) {
      const fs::path path = named_after(picture, after_whole_name, suffix);
      if (!has_file(path)) continue;
      // If the file system ignores case, both names are one file.
      if (!found.empty() && found.back().after_whole_name == after_whole_name &&
          fs::equivalent(found.back().path, path, ignored)) {
        continue;
      }
      found.push_back({.path = path, .after_whole_name = after_whole_name});
    }
  }
  return found;
}

fs::path sidecar_of(const fs::path& picture, const Sidecar& like) {
  return named_after(picture, like.after_whole_name, like.path.extension());
}

FoundSidecars find_sidecars(const fs::path& picture, SharedStems& shared) {
  FoundSidecars found;
  for (Sidecar& sidecar : named_as_sidecars(picture)) {
    const std::string name = sidecar.path.filename().string();
    const auto cannot_be_read = [&](const std::string& reason) {
      found.unreadable.push_back(fmt::format("{} beside it cannot be read: {}", name, reason));
    };
    try {
      sidecar.file = read_companion(sidecar.path);
      (void)read_xmp(sidecar.file.text);
    } catch (const FileError& error) {
      cannot_be_read(error.code().message());
      continue;
    } catch (const std::runtime_error& error) {
      cannot_be_read(error.what());
      continue;
    }
    sidecar.says = orientation_of_xmp(sidecar.file.text);
    if (!sidecar.after_whole_name && shared.contain_that_of(picture)) {
      if (!sidecar.says) continue;
      found.shared.push_back(fmt::format(
          "{} beside it holds an orientation, but may belong to another file of that name", name));
      continue;
    }
    found.sidecars.push_back(std::move(sidecar));
  }
  return found;
}

Orientation stored_by(const std::vector<Sidecar>& sidecars, Orientation stored, Believe believe) {
  if (believe == Believe::picture) return stored;
  const bool picture_says = believe == Believe::neither && stored != Orientation::identity;
  const auto refuse = [](const Sidecar& at, const std::string& says) {
    throw WithHints<FileError>({Hint::believe}, says + ", and nothing tells which is right",
                               at.path, std::error_code());
  };
  const Sidecar* first = nullptr;
  std::optional<Orientation> say;
  for (const Sidecar& sidecar : sidecars) {
    if (!sidecar.says) continue;
    const std::string name = sidecar.path.filename().string();
    const int own = static_cast<int>(*sidecar.says);
    if (picture_says && *sidecar.says != stored)
      refuse(sidecar, fmt::format("it says orientation {}, {} beside it says {}",
                                  static_cast<int>(stored), name, own));
    if (!say) say = Orientation::identity;
    // Many programs leave a 1 there.
    if (*sidecar.says == Orientation::identity || sidecar.says == say) continue;
    if (first)
      refuse(sidecar,
             fmt::format("{} and {} beside it say different orientations, {} and {}",
                         first->path.filename().string(), name, static_cast<int>(*say), own));
    first = &sidecar;
    say = sidecar.says;
  }
  return say.value_or(stored);
}

FoundSidecars read_sidecars(const fs::path& picture, Orientation stored,
                            const SidecarOptions& options, SharedStems& shared) {
  const bool are_turned = options.sidecars == Sidecars::turn;
  if (options.sidecars == Sidecars::ignore) return {};
  FoundSidecars found;
  try {
    found = find_sidecars(picture, shared);
  } catch (const FileError& error) {
    if (are_turned) throw;
    return {.unreadable = {error.what()}};
  }
  // A sidecar that cannot be read may say how the picture is shown.
  if (are_turned && !found.unreadable.empty())
    throw WithHints<FileError>({Hint::turn_without_sidecars}, found.unreadable.front(), picture,
                               std::error_code());
  if (options.decide() || options.in_place) {
    const Orientation say = stored_by(found.sidecars, stored, options.believe);
    if (options.decide()) found.say = say;
  }
  return found;
}

std::vector<Companion> turned_sidecars(const FoundSidecars& found, const MetadataTurn& turn,
                                       const fs::path& output, const SidecarOptions& options,
                                       std::vector<Sentence>& warnings) {
  const bool stays_upright = turn.leaves_upright();
  const auto is_written = [&](const Sidecar& sidecar) {
    if (!options.in_place) return options.sidecars == Sidecars::turn;
    return !stays_upright &&
           (options.decide() || sidecar.says.value_or(turn.stored) == turn.stored);
  };
  // Nothing is done to the sidecars of a picture that is left upright, so problems with them are
  // not reported.
  if (!stays_upright || (options.sidecars == Sidecars::turn && !options.in_place)) {
    for (const auto* sentences : {&found.unreadable, &found.shared}) {
      warnings.insert(warnings.end(), sentences->begin(), sentences->end());
    }
  }
  std::vector<Companion> turned;
  std::vector<std::string> of_xmp;
  for (const Sidecar& sidecar : found.sidecars) {
    const std::string name = sidecar.path.filename().string();
    const bool writes = is_written(sidecar);
    const int says = static_cast<int>(sidecar.says.value_or(turn.stored));
    const int counts = static_cast<int>(turn.stored);
    if (stays_upright && says != counts) {
      // A sidecar that contradicts the picture is named.
      warnings.emplace_back(
          fmt::format("{} beside it says orientation {}, the picture is upright: {}", name, says,
                      writes ? "1 beside the copy" : "not changed"),
          options.decide() ? Hints() : Hints{Hint::turn_sidecars});
    } else if (!stays_upright && !writes && sidecar.says) {
      const bool differs = counts != 1 && says != counts && !options.decide();
      warnings.emplace_back(
          differs ? fmt::format("{} beside it says orientation {}, the picture says {}, which "
                                "counts",
                                name, says, counts)
                  : name + " beside it holds an orientation of its own, which stays as it is",
          Hints{differs ? Hint::believe : Hint::turn_sidecars});
    }
    if (!writes) continue;
    warn_of_placed_in_xmp(sidecar.file.text, turn, of_xmp);
    std::string text = turn_xmp(sidecar.file.text, turn, of_xmp);
    if (options.in_place && text == sidecar.file.text) continue;
    Companion& companion = turned.emplace_back(sidecar.file);
    companion.is_required = false;
    companion.output = options.in_place ? sidecar.path : sidecar_of(output, sidecar);
    companion.text = std::move(text);
  }
  warnings.insert(warnings.end(), of_xmp.begin(), of_xmp.end());
  return turned;
}

bool is_sidecar(const fs::path& file, const fs::path& picture, SharedStems& shared) {
  const std::vector<Sidecar> found = find_sidecars(picture, shared).sidecars;
  return std::ranges::find(found, file, &Sidecar::path) != found.end();
}

void prove_sidecar(const Companion& made, const MetadataTurn& turn, std::string_view text) {
  const std::string name = made.output.string();
  if (text_of(made.content()) != text) {
    throw ProofError(fmt::format("{}: {} bytes that were made expected, {} other ones found", name,
                                 made.content().size(), text.size()));
  }
  const auto says = orientation_of_xmp(text);
  if (says && *says != turn.tag) {
    throw ProofError(fmt::format("{}: orientation {} expected, {} found", name,
                                 static_cast<int>(turn.tag), static_cast<int>(*says)));
  }
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view polynomials = ".rpb", polynomials_text = "_rpc.txt", notes = ".aux.xml",
                           of_polynomials = "domain=\"RPC\"";

// The suffixes of world files; for a.tif they are .tfw, .tifw, .wld and .rpb.
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

// The pixel (x, y) lies on the map at X = A x + B y + C and Y = D x + E y + F.
enum PlaceNumber : std::size_t { A, D, B, E, C, F };

/// Turns the six numbers in `text` from `at` on. `to_last`: 1 if (0, 0) is the centre of the first
/// pixel, 0 if it is the corner.
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

/// <GeoTransform> has C, A, B, F, D, E; <GCP Pixel="0.5" Line="2"> is a point in the picture.
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
    if (suffix == in_lower && each != polynomials) continue;  // only .RPB is mostly in capitals
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
