#include "src/plan/label_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <tuple>

#include "src/labels/label_text.hpp"
#include "src/plan/lower_case.hpp"
#include "src/store/safe_file.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

constexpr const char* turn_pictures_alone = "--labels none turns each picture by itself";

std::string normal(const fs::path& folder) {
  return fs::absolute(folder.empty() ? "." : folder).lexically_normal();
}

/// What ends with `tail`, without it: both end with '/'.
std::optional<std::string> before_tail(const std::string& folder, const std::string& tail) {
  if (!folder.ends_with(tail)) return std::nullopt;
  std::string before = folder.substr(0, folder.size() - tail.size());
  if (!before.empty() && before.back() != '/') return std::nullopt;
  return before;
}

/// "images/train/" of "/data/images/train/": from the last folder on that holds the pictures of the
/// format. Empty if there is none.
std::string pictures_tail(const std::string& folder, const LabelFormat& format) {
  const std::string lower = "/" + lower_case(folder);
  const std::size_t at = lower.rfind(fmt::format("/{}/", format.pictures));
  return at == std::string::npos ? "" : folder.substr(at);
}

std::string text_of(const fs::path& path) {
  const std::vector<std::byte> bytes = read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The entries of folders that may be labels, folders of labels or YAML files, each folder listed
/// once.
class Listings {
 public:
  struct Entry {
    std::string lower, name;
    bool is_folder;
  };

  /// Ascending by their names in lower case. Throws PlanError if it exists and cannot be listed.
  const std::vector<Entry>& of(const fs::path& folder) {
    const auto [known, is_new] = by_folder_.try_emplace(folder.native());
    if (is_new) known->second = list(folder);
    return known->second;
  }

  /// The entry of this name, or else of this name but for capitals.
  const Entry* find(const fs::path& folder, const std::string& name, bool is_folder) {
    const Entry* found = nullptr;
    const std::string lower = lower_case(name);
    const auto& entries = of(folder);
    for (auto at = std::ranges::lower_bound(entries, lower, {}, &Entry::lower);
         at != entries.end() && at->lower == lower; ++at) {
      if (at->is_folder == is_folder && (!found || at->name == name)) found = &*at;
    }
    return found;
  }

 private:
  static std::vector<Entry> list(const fs::path& folder) {
    std::vector<Entry> entries;
    std::error_code error;
    for (fs::directory_iterator at(folder.empty() ? "." : folder, error); !error && at != end(at);
         at.increment(error)) {
      std::error_code unknown;
      const std::string name = at->path().filename();
      const std::string lower = lower_case(name);
      const bool is_folder = at->is_directory(unknown);
      const bool is_file = lower.ends_with(".txt") || lower.ends_with(".xml") ||
                           lower.ends_with(".yaml") || lower.ends_with(".yml");
      if (is_folder || (is_file && at->is_regular_file(unknown)))
        entries.push_back({lower, name, is_folder});
    }
    if (error && error != std::errc::no_such_file_or_directory &&
        error != std::errc::not_a_directory)
      throw PlanError(fmt::format("cannot look for labels in {}: {}; {}", folder.string(),
                                  error.message(), turn_pictures_alone));
    std::ranges::sort(entries, {},
                      [](const Entry& entry) { return std::tie(entry.lower, entry.name); });
    return entries;
  }

  std::map<std::string, std::vector<Entry>> by_folder_;
};

class Finder {
 public:
  Finder(const PlanOptions& options, const FileList& files, const OutputNames& names)
      : options_(options), files_(files), names_(names) {}

  LabelFiles find() {
    std::map<std::uint32_t, std::vector<std::uint32_t>> places;
    for (std::size_t number = 0; number < files_.size(); ++number) {
      const FoundFile& file = files_[number];
      if (!file.picture) continue;
      const auto [known, is_new] = places.try_emplace(file.folder);
      if (is_new) known->second = places_of(files_.folder_of(file));
      add_label_of(number, known->second);
    }
    labels_.finish();
    if (labels_.empty() && options_.labels.take == TakeLabels::one_format)
      throw PlanError(fmt::format("no {} label belongs to a picture; {}",
                                  options_.labels.format->name, turn_pictures_alone));
    refuse_other_texts();
    if (!labels_.empty() && options_.others == Others::copy) {
      throw PlanError("--others copy would also copy the labels as they are; leave it out");
    }
    return std::move(labels_);
  }

 private:
  std::vector<std::uint32_t> places_of(const FileList::Folder& pictures) {
    if (!options_.labels.folder.empty()) {
      return {add_place(*options_.labels.format, options_.labels.folder / pictures.key / "",
                        pictures.key, depth_of(pictures.key) + 1)};
    }
    std::vector<std::uint32_t> places;
    for (const LabelFormat& format : label_formats) {
      if (options_.labels.format && options_.labels.format != &format) continue;
      places.push_back(add_place(format, pictures.path, pictures.key, depth_of(pictures.key) + 1));
      if (const auto place = place_of_layout(format, pictures)) places.push_back(*place);
    }
    return places;
  }

  std::optional<std::uint32_t> place_of_layout(const LabelFormat& format,
                                               const FileList::Folder& pictures) {
    const std::string absolute = normal(pictures.path), tail = pictures_tail(absolute, format);
    if (tail.empty()) return std::nullopt;
    fs::path root = absolute.substr(0, absolute.size() - tail.size());
    if (const auto typed = before_tail(pictures.path, tail)) root = *typed;
    const Listings::Entry* labels = listings_.find(root, std::string(format.labels), true);
    if (!labels) return std::nullopt;
    fs::path folder = root / labels->name;
    const fs::path below = tail.substr(tail.find('/') + 1);
    for (const fs::path& part : below.parent_path()) {
      const Listings::Entry* same = listings_.find(folder, part, true);
      if (!same) return std::nullopt;
      folder /= same->name;
    }
    std::string key = pictures.key;
    if (const auto before = before_tail(pictures.key, tail)) {
      key = *before + labels->name + "/" + below.string();
    }
    return add_place(format, folder / "", key, depth_of(below) + 2);
  }

  static std::ptrdiff_t depth_of(const fs::path& folder) {
    const fs::path name = folder.parent_path();
    return std::distance(name.begin(), name.end());
  }

  /// `above`: in how many folders above it the YAML file of the data set may be.
  std::uint32_t add_place(const LabelFormat& format, const fs::path& path, const std::string& key,
                          std::ptrdiff_t above) {
    LabelFiles::Place place;
    place.format = &format;
    place.folder.path = path;
    place.folder.key = key;
    above_.push_back(above);
    return labels_.add_place(std::move(place));
  }

  std::optional<Keypoints> keypoints_of(std::uint32_t place) {
    std::optional<Keypoints> keypoints = options_.labels.keypoints;
    std::ptrdiff_t above = above_[place];
    fs::path at = fs::path(normal(labels_.place(place).folder.path)).parent_path();
    for (; !keypoints && above >= 0 && at.has_relative_path(); at = at.parent_path(), --above)
      keypoints = keypoints_in(at);
    return keypoints;
  }

  const std::optional<Keypoints>& keypoints_in(const fs::path& folder) {
    const auto [known, is_new] = keypoints_.try_emplace(folder);
    if (!is_new) return known->second;
    std::string from;
    for (const Listings::Entry& entry : listings_.of(folder)) {
      if (entry.is_folder || !(entry.lower.ends_with(".yaml") || entry.lower.ends_with(".yml")))
        continue;
      const fs::path path = folder / entry.name;
      const auto read = read_yaml(path);
      if (!read) continue;
      if (known->second && known->second != read) {
        throw PlanError(fmt::format(
            "{} and {} disagree about keypoints; give --keypoints none, or their number as in "
            "--keypoints 17x3",
            from, path.string()));
      }
      known->second = read;
      from = path.string();
    }
    return known->second;
  }

  static std::optional<Keypoints> read_yaml(const fs::path& path) try {
    return read_data_yaml(text_of(path));
  } catch (const LabelError& error) {
    throw PlanError(fmt::format("{}:{}; --keypoints says it instead", path.string(), error.what()));
  }

  void add_label_of(std::size_t number, const std::vector<std::uint32_t>& places) {
    const FoundFile& file = files_[number];
    const std::string stem = fs::path(file.name).stem();
    std::string found;
    for (const std::uint32_t place : places) {
      const FileList::Folder& folder = labels_.place(place).folder;
      const LabelFormat& format = *labels_.place(place).format;
      const std::string wanted = stem + std::string(format.suffix);
      const Listings::Entry* entry = listings_.find(folder.path, wanted, false);
      if (!entry) continue;
      const std::string path = folder.path + entry->name;
      if (!found.empty()) {
        throw PlanError(
            fmt::format("{} has two labels, {} and {}; --labels {}:DIR names the "
                        "folder of the right ones",
                        files_.path(file), found, path, format.option));
      }
      found = path;
      if (!labels_.place(place).holds_any) labels_.set_keypoints(place, keypoints_of(place));
      labels_.add(number, place, entry->name);
      refuse_outside(file, place);
    }
  }

  /// A label that would not be found beside its picture.
  void refuse_outside(const FoundFile& file, std::uint32_t place) const {
    const FileList::Folder& pictures = files_.folder_of(file);
    const FileList::Folder& labels = labels_.place(place).folder;
    if (labels.path == pictures.path || labels.key != pictures.key) return;
    const std::string output = normal(names_.folder_of(pictures));
    const LabelFormat& format = *labels_.place(place).format;
    if (pictures_tail(output, format).empty()) return;
    throw PlanError(fmt::format(
        "the label of {} would go outside of the output {}; name as the input the folder that "
        "holds {} and {} (--include chooses among its pictures), or an output outside of such a "
        "folder",
        files_.path(file), options_.output.string(), format.pictures, format.labels));
  }

  /// A caption of a picture is also a .txt beside it. One that cannot be read is for its sample to
  /// report.
  void refuse_other_texts() const {
    std::set<const LabelFormat*> known;
    for (const LabelFiles::Label& label : labels_) {
      const LabelFormat& format = *labels_.place_of(label).format;
      if (known.contains(&format)) continue;
      const fs::path path = labels_.path(label);
      std::string text;
      try {
        text = text_of(path);
      } catch (const FileError&) {
        continue;
      }
      if (text.empty()) continue;
      if (!format.is_of(text))
        throw PlanError(fmt::format("{}: is not a {} label; {}", path.string(), format.name,
                                    turn_pictures_alone));
      known.insert(&format);
    }
  }

  const PlanOptions& options_;
  const FileList& files_;
  const OutputNames& names_;
  Listings listings_;
  std::map<fs::path, std::optional<Keypoints>> keypoints_;
  std::vector<std::ptrdiff_t> above_;  // of places
  LabelFiles labels_;
};

}  // namespace

std::uint32_t LabelFiles::add_place(Place place) {
  places_.push_back(std::move(place));
  return static_cast<std::uint32_t>(places_.size() - 1);
}

void LabelFiles::add(std::size_t file, std::uint32_t place, std::string_view name) {
  labels_.push_back({file, place, names_.add(name)});
  paths_.add(normal(path(labels_.back())));
  places_[place].holds_any = true;
}

const LabelFiles::Label* LabelFiles::of(std::size_t file) const {
  const auto found = std::ranges::lower_bound(labels_, file, {}, &Label::file);
  return found == labels_.end() || found->file != file ? nullptr : &*found;
}

fs::path LabelFiles::name_of(const Label& label, const fs::path& output) {
  return fs::path(output).replace_extension(fs::path(label.name).extension());
}

bool LabelFiles::are_below(const fs::path& folder) const {
  const std::string prefix = folder / "";
  return std::ranges::any_of(places_, [&](const Place& place) {
    return place.holds_any && normal(place.folder.path).starts_with(prefix);
  });
}

LabelFiles find_label_files(const PlanOptions& options, const FileList& files,
                            const OutputNames& names) {
  if (options.labels.take == TakeLabels::none) return {};
  return Finder(options, files, names).find();
}

}  // namespace qturn
