#include "src/companions/data_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "src/inputs/folder_layout.hpp"
#include "src/labels/many/data_yaml.hpp"
#include "src/labels/text/label_text.hpp"
#include "src/picture/text.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

// The lists in ImageSets of a Pascal VOC data set, beside JPEGImages: ImageSets/Main/train.txt. A
// line has the name of a picture without its suffix, and perhaps more, such as whether a class is
// in it ("2008_000002 -1"). Turned, a list has such a line for each variant.

class ImageSetsFinder {
 public:
  ImageSetsFinder(const FileList& files, Listings& listings, const OutputNames& names,
                  DataSets& found)
      : files_(files), listings_(listings), names_(names), found_(found) {}

  void find() {
    for (const fs::path& pictures : image_folders()) {
      const fs::path root = pictures.parent_path();
      const Listings::Entry* sets = listings_.find(root, "ImageSets", true);
      if (!sets) continue;
      if (by_path_.empty()) number_pictures();
      const fs::path folder = root / sets->name;
      add_lists(folder, folder, pictures);
      for (const Listings::Entry& below : listings_.of(folder))
        if (below.is_folder()) add_lists(folder / below.name, folder, pictures);
      if (lines_left_out_ > 0) {
        found_.add_problem(fmt::format("{}: {} of {} lines name no picture of this run",
                                       from_here(folder).string(), lines_left_out_, lines_));
      }
      lines_left_out_ = lines_ = 0;
    }
  }

 private:
  struct Named {
    std::size_t picture;
    std::optional<std::size_t> other;  ///< that has the name, too
  };

  std::set<fs::path> image_folders() const {
    std::set<std::uint32_t> seen;
    std::set<fs::path> found;
    for (const FoundFile& file : files_) {
      if (!file.is_own_picture() || !seen.insert(file.folder).second) continue;
      fs::path at = fs::path(normal_path(files_.folder_of(file).path)).parent_path();
      for (; at.has_relative_path(); at = at.parent_path())
        if (is_image_folder(at)) found.insert(at);
    }
    return found;
  }

  void number_pictures() {
    for (std::size_t number = 0; number < files_.size(); ++number) {
      if (!files_[number].is_own_picture()) continue;
      fs::path path = normal_path(files_.path(files_[number]));
      by_path_.try_emplace(path.string(), Named{number, {}});
      const auto [known, is_new] =
          by_path_.try_emplace(path.replace_extension().string(), Named{number, {}});
      if (!is_new) known->second.other = number;
    }
  }

  void add_lists(const fs::path& folder, const fs::path& sets, const fs::path& pictures) {
    for (const Listings::Entry& entry : listings_.of(folder))
      if (!entry.is_folder() && entry.lower.ends_with(".txt"))
        add_list(folder / entry.name, sets, pictures);
  }

  void add_list(const fs::path& path, const fs::path& sets, const fs::path& pictures) {
    DataSets::File list = read_list_file(path);
    list.output = output_of(path, sets.parent_path());
    list.image_sets = from_here(sets);
    std::istringstream lines(std::exchange(list.text, {}));
    std::uint64_t number = 0, left_out = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      const std::string name = line.substr(0, line.find_first_of(" \t"));
      if (name.empty()) continue;
      const auto found = by_path_.find((pictures / name).lexically_normal().string());
      if (found == by_path_.end()) {
        ++left_out;
        continue;
      }
      const Named& named = found->second;
      if (named.other) {
        throw PlanError(fmt::format(
            "{}:{}: {} may be {} or {}; name one of them alone as an input", list.input.string(),
            number, name, files_.path(files_[named.picture]), files_.path(files_[*named.other])));
      }
      list.pictures.push_back(named.picture);
      list.around.push_back({.before = name.substr(0, name.rfind('/') + 1),
                             .after = line.substr(name.size()),
                             .has_suffix = name.ends_with(files_[named.picture].name)});
    }
    if (list.pictures.empty()) return;
    lines_left_out_ += left_out;
    lines_ += left_out + list.pictures.size();
    found_.add(std::move(list));
  }

  fs::path output_of(const fs::path& list, const fs::path& root) const {
    const auto key = key_below_inputs(list, files_);
    return names_.folder() / (key ? fs::path(*key) : list.lexically_relative(root));
  }

  const FileList& files_;
  Listings& listings_;
  const OutputNames& names_;
  std::unordered_map<std::string, Named> by_path_;  // with its suffix and without
  std::uint64_t lines_ = 0, lines_left_out_ = 0;    // of the lists in a folder ImageSets
  DataSets& found_;
};

// The YAML files of Ultralytics, and their lists.

class DataSetFinder {
 public:
  DataSetFinder(const PlanOptions& options, FoundFiles& found, const OutputNames& names)
      : options_(options), files_(found.files), listings_(found.listings), names_(names) {}

  DataSets find() {
    const std::set<fs::path> paths = takes("yolo") ? yaml_files() : std::set<fs::path>();
    if (!paths.empty()) folders_ = folders_of_pictures();
    for (const fs::path& path : paths) add_yaml(path);
    if (takes("voc")) ImageSetsFinder(files_, listings_, names_, found_).find();
    return std::move(found_);
  }

 private:
  /// Whether such labels are turned, if there are any.
  bool takes(std::string_view format) const {
    const LabelOptions& labels = options_.labels;
    return labels.take == TakeLabels::found ||
           (labels.take == TakeLabels::one_format && labels.rule.format->option == format);
  }

  std::set<fs::path> yaml_files() {
    LabelPlaces places;
    for (std::size_t i = 0; i < files_.folder_count(); ++i) places.add(files_.folder_at(i));
    std::set<fs::path> found;
    for (const fs::path& place : places.all())
      for (const Listings::Entry& entry : listings_.of(place))
        if (!entry.is_folder() && (entry.lower.ends_with(".yaml") || entry.lower.ends_with(".yml")))
          found.insert(from_here(place / entry.name));
    return found;
  }

  void add_yaml(const fs::path& path) try {
    const DataSets::File file = read_list_file(path);
    if (!is_data_set(file.text)) return;
    const std::vector<DataSetPath> paths = data_set_paths(file.text);
    const fs::path own = fs::path(normal_path(path)).parent_path();
    roots_ = {own};
    for (const DataSetPath& each : paths)
      if (each.key == "path") roots_ = {own / each.value, fs::absolute(each.value), own};
    const fs::path output = output_of(path);
    // It may be that of another data set, above this one.
    if (std::ranges::none_of(paths, [&](const DataSetPath& each) { return leads_to_run(each); }))
      return;
    LabelText turned(file.text);
    for (const DataSetPath& each : paths) {
      if (each.key == "path") {
        turned.replace(each.text, "");
      } else if (const auto there = turned_path(path, each)) {
        turned.replace(each.text,
                       yaml_text(there->lexically_relative(output.parent_path()), each.text));
      } else if (const auto original = resolved(each.value)) {
        turned.replace(each.text, yaml_text(*original, each.text));
      }
    }
    found_.add({.input = path,
                .output = output,
                .state = file.state,
                .hash = file.hash,
                .text = turned.finish()});
  } catch (const LabelError& error) {
    throw LabelsError(fmt::format("{}:{}", path.string(), error.what()));
  }

  /// Whether it is a list, or a folder with pictures of the run.
  bool leads_to_run(const DataSetPath& entry) const {
    if (entry.key == "path") return false;
    const auto found = resolved(entry.value);
    return found && (fs::is_directory(*found) ? holds_pictures(*found) : is_list(*found));
  }
  static bool is_list(const fs::path& file) {
    return lower_case(file.extension().string()) == ".txt";
  }

  /// Where the folder or the list goes; nothing if that is not below the output.
  std::optional<fs::path> turned_path(const fs::path& yaml, const DataSetPath& entry) {
    const auto found = resolved(entry.value);
    if (found && fs::is_directory(*found)) {
      if (const auto key = key_below_inputs(*found / "", files_))
        if (holds_pictures(*found)) return (names_.folder() / *key / "").parent_path();
    } else if (found && is_list(*found)) {
      const fs::path output = output_of(*found);
      const auto [known, is_new] = lists_.try_emplace(*found);
      if (is_new) known->second = add_list(from_here(*found), output);
      if (known->second) return output;
    }
    found_.add_problem(
        fmt::format("{}: {}: no picture of {} is turned, so the output lacks it; {}", yaml.string(),
                    entry.key, entry.value,
                    found ? "the path becomes that of the originals, " + found->string()
                          : "it does not exist, and the path keeps its text"));
    return std::nullopt;
  }

  /// In the quotes that the old value has, or those that the path needs.
  static std::string yaml_text(const fs::path& path, std::string_view old) {
    constexpr std::string_view special = ":#,[]{}&*!|>'\"%@`";
    std::string text = path.string();
    if (old.starts_with('"')) {
      for (const char* mark : {"\\", "\""}) replace_all(text, mark, std::string("\\") + mark);
      return fmt::format("\"{}\"", text);
    }
    if (!old.starts_with('\'') && text.find_first_of(special) == std::string::npos) return text;
    replace_all(text, "'", "''");
    return fmt::format("'{}'", text);
  }
  static void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  }

  /// As Ultralytics finds it.
  std::optional<fs::path> resolved(const std::string& value) const {
    for (const fs::path& root : roots_) {
      fs::path path = (root / value).lexically_normal();
      if (fs::exists(path)) return without_slash(path);
      if (!value.starts_with("../")) continue;
      path = (root / value.substr(3)).lexically_normal();
      if (fs::exists(path)) return without_slash(path);
    }
    return std::nullopt;
  }

  bool holds_pictures(const fs::path& folder) const {
    const std::string prefix = folder / "";
    const auto first = folders_.lower_bound(prefix);
    return first != folders_.end() && first->starts_with(prefix);
  }

  std::set<std::string> folders_of_pictures() const {
    std::set<std::uint32_t> seen;
    std::set<std::string> folders;
    for (const FoundFile& file : files_)
      if (file.is_own_picture() && seen.insert(file.folder).second)
        folders.insert(normal_path(files_.folder_of(file).path));
    return folders;
  }

  /// False if no picture of it is turned.
  bool add_list(const fs::path& path, const fs::path& output) {
    DataSets::File list = read_list_file(path);
    list.output = output;
    if (numbers_.empty()) number_pictures();
    const fs::path own = fs::path(normal_path(path)).parent_path();
    std::istringstream lines(std::exchange(list.text, {}));
    std::uint64_t number = 0, left_out = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
      if (line.empty()) continue;
      const auto picture = picture_of(line, own);
      if (!picture) {
        ++left_out;
        continue;
      }
      refuse_outside(*picture, output, fmt::format("{}:{}", path.string(), number));
      list.pictures.push_back(*picture);
    }
    if (list.pictures.empty()) return false;
    if (left_out > 0) {
      found_.add_problem(fmt::format("{}: {} of {} lines name no picture of this run",
                                     path.string(), left_out, left_out + list.pictures.size()));
    }
    found_.add(std::move(list));
    return true;
  }

  std::optional<std::size_t> picture_of(const std::string& line, const fs::path& own) const {
    std::vector<fs::path> roots = {own};
    roots.insert(roots.end(), roots_.begin(), roots_.end());
    roots.push_back(fs::current_path());
    for (const fs::path& root : roots) {
      const auto found = numbers_.find((root / line).lexically_normal().native());
      if (found != numbers_.end()) return found->second;
    }
    return std::nullopt;
  }

  /// Ultralytics puts the list's folder in the place of each "./", also in "../".
  void refuse_outside(std::size_t picture, const fs::path& list, const std::string& place) const {
    const fs::path folder = names_.folder_of(files_.folder_of(files_[picture]));
    const fs::path relative = (folder / "").lexically_relative(list.parent_path() / "");
    if (*relative.begin() != "..") return;
    throw PlanError(
        fmt::format("{}: {} does not lie below the folder of the list, so the turned list could "
                    "not name it; move the list to a folder above its pictures",
                    place, files_.path(files_[picture])));
  }

  void number_pictures() {
    for (std::size_t number = 0; number < files_.size(); ++number)
      if (files_[number].is_own_picture())
        numbers_.emplace(normal_path(files_.path(files_[number])), number);
  }

  fs::path output_of(const fs::path& file) const {
    const auto key = key_below_inputs(file, files_);
    return names_.folder() / key.value_or(file.filename().string());
  }

  const PlanOptions& options_;
  const FileList& files_;
  Listings& listings_;
  const OutputNames& names_;
  std::set<std::string> folders_;   ///< those that hold pictures of the run, as normal paths
  std::vector<fs::path> roots_;     // below which the paths of the YAML file lie
  std::map<fs::path, bool> lists_;  // whether any picture of it is turned
  std::unordered_map<std::string, std::size_t> numbers_;  // of pictures, by their paths
  DataSets found_;
};

}  // namespace

DataSets::File read_list_file(const fs::path& path) try {
  DataSets::File file{.input = from_here(path), .output = {}};
  const std::vector<std::byte> bytes = read_file(path, {}, &file.state);
  file.text = text_of(bytes);
  file.hash = hash_of(bytes);
  if (file.text.find("\r\n") != std::string::npos) file.end_of_line = "\r\n";
  return file;
} catch (const FileError& error) {
  throw LabelsError(fmt::format("{} cannot be read: {}", path.string(), error.code().message()));
}

DataSets find_data_sets(const PlanOptions& options, FoundFiles& found, const OutputNames& names) {
  return DataSetFinder(options, found, names).find();
}

}  // namespace qturn
