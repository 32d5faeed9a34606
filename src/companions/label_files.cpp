#include "src/companions/label_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "src/files/safe_file.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/folder_layout.hpp"
#include "src/labels/swap_pairs.hpp"
#include "src/labels/text/any_text.hpp"
#include "src/labels/text/label_text.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/text.hpp"
#include "src/sample/harmless.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& path) { return std::string(text_of(read_file(path))); }

/// Takes the pairs of --swap-pairs for those that change places in a mirror.
void set_swap_pairs(Keypoints& keypoints, const std::vector<int>& pairs,
                    const PlanOptions& options) {
  if (keypoints.count == 0 || pairs.empty()) return;
  const auto flip = flip_of(pairs, keypoints.count);
  if (!flip) {
    throw PlanError(fmt::format("{} names keypoint {}, and objects have 0 to {}",
                                options.labels.swap_pairs.string(), pairs.size() - 1,
                                keypoints.count - 1));
  }
  keypoints.flip = *flip;
}

[[noreturn]] void refuse_pairs(const PlanOptions& options, const char* why) {
  throw WithHints<PlanError>({Hint::say_number_of_keypoints},
                             fmt::format("the pairs of {} are keypoints, and {}",
                                         options.labels.swap_pairs.string(), why));
}

/// Of the label of a picture; nothing if the format has none for such a picture.
std::optional<std::string> name_wanted(const LabelFormat& format, const std::string& picture) {
  std::string name = format.follows_whole_name ? picture : fs::path(picture).stem().string();
  if (!lower_case(name).ends_with(format.picture_end)) return std::nullopt;
  name.resize(name.size() - format.picture_end.size());
  return name.append(format.label_end).append(format.suffix);
}

class LabelFinder {
 public:
  LabelFinder(const PlanOptions& options, FoundFiles& found, const OutputNames* names)
      : options_(options),
        found_(found),
        files_(found.files),
        names_(names),
        pairs_(swap_pairs_of(options)),
        listings_(found.listings) {}

  CompanionFiles find() {
    std::map<std::uint32_t, std::vector<std::uint32_t>> places;
    for (std::size_t number = 0; number < files_.size(); ++number) {
      const FoundFile& file = files_[number];
      if (!file.is_own_picture()) continue;
      const auto [known, is_new] = places.try_emplace(file.folder);
      if (is_new) known->second = places_of(files_.folder_of(file));
      add_label_of(number, known->second);
    }
    labels_.finish();
    if (names_) find_caches();
    const bool may_lie_elsewhere = found_.tar && options_.labels.folder.empty();  // in samples
    if (labels_.empty() && options_.labels.take == TakeLabels::one_format && !may_lie_elsewhere)
      throw LabelsError(
          fmt::format("no {} label belongs to a picture", options_.labels.rule.format->name));
    if (!pairs_.keypoints.empty() && !labels_.empty() && !labels_.have_keypoints()) {
      refuse_pairs(options_, "no YAML file says that labels have any");
    }
    if (names_) refuse_other_texts();
    return std::move(labels_);
  }

 private:
  std::vector<std::uint32_t> places_of(const FileList::Folder& pictures) {
    if (!options_.labels.folder.empty()) {
      return {add_place(*options_.labels.rule.format,
                        found_.place_of(options_.labels.folder) / pictures.key / "", pictures.key,
                        depth_of(pictures) + 1)};
    }
    std::vector<std::uint32_t> places;
    // In a tar, what lies beside a picture is in its sample, unless the tar is in another order.
    const auto is_other = [](const Listings::Entry& entry) {
      return !entry.is_folder() && !is_named_as_picture(entry.name);
    };
    const bool may_lie_beside =
        !found_.tar || std::ranges::any_of(listings_.of(pictures.path), is_other);
    for (const LabelFormat& format : label_formats) {
      if (options_.labels.rule.format ? options_.labels.rule.format != &format
                                      : format.is_named_only)
        continue;
      if (may_lie_beside && (!format.lies_apart || options_.labels.rule.format))
        places.push_back(add_place(format, pictures.path, pictures.key, depth_of(pictures) + 1));
      if (const auto place = place_of_layout(format, pictures)) places.push_back(*place);
    }
    return places;
  }

  std::optional<std::uint32_t> place_of_layout(const LabelFormat& format,
                                               const FileList::Folder& pictures) {
    const auto sibling = find_sibling(listings_, pictures, format.pictures, format.labels);
    if (!sibling) return std::nullopt;
    return add_place(format, sibling->path, sibling->key.value_or(pictures.key),
                     sibling->depth + 2);
  }

  static std::ptrdiff_t depth_of(const FileList::Folder& pictures) {
    const fs::path below = folders_below_input(pictures);
    return std::distance(below.begin(), below.end());
  }

  /// `above`: in how many folders above it the YAML file of the data set may be.
  std::uint32_t add_place(const LabelFormat& format, const fs::path& path, const std::string& key,
                          std::ptrdiff_t above) {
    above_.push_back(above);
    return labels_.add_place(
        {.rule = std::make_shared<LabelRule>(LabelRule{.format = &format}), .folder = {path, key}});
  }

  /// What `read` finds in the nearest folder from that of a place upwards, as far as the YAML file
  /// of its data set may be.
  template <typename Read>
  auto nearest(std::uint32_t place, Read read) {
    std::ptrdiff_t above = above_[place];
    fs::path at = fs::path(normal_path(labels_.place(place).folder.path)).parent_path();
    decltype(read(at)) found;
    for (; !found && above >= 0 && at.has_relative_path(); at = at.parent_path(), --above)
      found = read(at);
    return found;
  }

  std::optional<Keypoints> keypoints_of(std::uint32_t place) {
    std::optional<Keypoints> keypoints = options_.labels.rule.keypoints;
    if (!keypoints)
      keypoints = nearest(place, [&](const fs::path& folder) { return keypoints_in(folder); });
    if (keypoints) set_swap_pairs(*keypoints, pairs_.keypoints, options_);
    return keypoints;
  }

  /// The paths and the texts, each read once.
  const std::vector<std::pair<fs::path, std::string>>& yaml_files_in(const fs::path& folder) {
    const auto [known, is_new] = yaml_files_.try_emplace(folder);
    if (!is_new) return known->second;
    for (const Listings::Entry& entry : listings_.of(folder)) {
      if (entry.is_folder() || !(entry.lower.ends_with(".yaml") || entry.lower.ends_with(".yml")))
        continue;
      const fs::path path = folder / entry.name;
      known->second.emplace_back(path,
                                 listings_.head(path, entry, std::string::npos, found_.tar.get()));
    }
    return known->second;
  }

  void set_objects(std::uint32_t place) {
    CompanionFiles::Place& own = labels_.place(place);
    own.classes = nearest(place, [&](const fs::path& folder) {
                    return classes_in(folder);
                  }).value_or(ClassNames());
    own.rule->swap = pairs_.classes;
    if (own.rule->format->option == "yolo") {
      const ClassNames names = own.classes.empty() ? listed_classes_of(place) : own.classes;
      own.rule->swap = numbered_swap(names, own.folder.path);
      for (const auto& [number, name] : names)
        if (names_a_side(name) && !pairs_.classes.contains(name)) own.sides.insert(name);
    }
    own.rule->keypoints = keypoints_of(place);
  }

  /// Of YOLO labels, whose classes are numbers.
  ClassSwap numbered_swap(const ClassNames& names, const std::string& folder) const {
    const std::string file = options_.labels.swap_pairs;
    if (names.empty()) {
      for (const auto& pair : pairs_.classes) {
        if (pair.first.find_first_not_of("0123456789") == std::string::npos) continue;
        throw PlanError(
            fmt::format("{} names class {}, and no YAML file names those of {}; give their "
                        "numbers, such as 0: 1",
                        file, pair.first, folder));
      }
      return pairs_.classes;
    }
    for (const auto& pair : pairs_.classes) {
      const auto is_called = [&](const auto& each) {
        return each.second == pair.first || each.second == pair.second;
      };
      if (std::ranges::none_of(names, is_called))
        throw PlanError(
            fmt::format("{} names class {}, which {} does not have", file, pair.first, folder));
    }
    try {
      return numbered(pairs_.classes, names);
    } catch (const LabelError& error) {
      throw PlanError(fmt::format("{} cannot be used: {}", file, error.why()));
    }
  }

  /// In a list beside YOLO labels.
  ClassNames listed_classes_of(std::uint32_t place) {
    const auto list = nearest(place, [&](const fs::path& folder) -> std::optional<std::string> {
      const Listings::Entry* found = listings_.find(folder, "classes.txt", false);
      if (!found) return std::nullopt;
      return text_if_readable(folder / found->name, *found);
    });
    ClassNames names;
    std::istringstream lines(list.value_or(""));
    for (std::string line; std::getline(lines, line);) {
      if (line.ends_with('\r')) line.pop_back();
      names.emplace(static_cast<std::int64_t>(names.size()), line);
    }
    return names;
  }

  /// None where two files disagree.
  const std::optional<ClassNames>& classes_in(const fs::path& folder) {
    const auto [known, is_new] = classes_.try_emplace(folder);
    if (!is_new) return known->second;
    for (const auto& [path, text] : yaml_files_in(folder)) {
      ClassNames names = read_class_names(text);
      if (names.empty()) continue;
      if (known->second && *known->second != names) names.clear();
      known->second = std::move(names);
    }
    return known->second;
  }

  const std::optional<Keypoints>& keypoints_in(const fs::path& folder) {
    const auto [known, is_new] = keypoints_.try_emplace(folder);
    if (!is_new) return known->second;
    std::string from;
    for (const auto& [path, text] : yaml_files_in(folder)) {
      const auto read = read_yaml(path, text);
      if (!read) continue;
      if (known->second && known->second != read) {
        throw WithHints<PlanError>(
            {Hint::say_keypoints},
            fmt::format("{} and {} disagree about keypoints", from, path.string()));
      }
      known->second = read;
      from = path.string();
    }
    return known->second;
  }

  static std::optional<Keypoints> read_yaml(const fs::path& path, const std::string& text) try {
    return read_data_yaml(text);
  } catch (const LabelError& error) {
    throw WithHints<PlanError>({Hint::say_keypoints},
                               fmt::format("{}:{}", path.string(), error.what()));
  }

  void add_label_of(std::size_t number, const std::vector<std::uint32_t>& places) {
    const FoundFile& file = files_[number];
    std::string found;
    for (const std::uint32_t place : places) {
      const FileList::Folder& folder = labels_.place(place).folder;
      const LabelFormat& format = *labels_.place(place).rule->format;
      const auto wanted = name_wanted(format, file.name);
      const auto* entry = wanted ? listings_.find(folder.path, *wanted, false) : nullptr;
      if (!entry) continue;
      const std::string path = folder.path + entry->name;
      if (is_other_text(place, files_.folder_of(file), path, *entry)) continue;
      if (!found.empty()) {
        const std::string option(format.option);
        throw WithHints<PlanError>(
            {{Hint::choose_label_format, option}, {Hint::choose_label_folder, option}},
            fmt::format("{} has two labels, {} and {}", files_.path(file), found, path));
      }
      found = path;
      if (!labels_.place(place).holds_any) set_objects(place);
      labels_.add(number, place, entry->name);
      refuse_outside(file, place);
    }
  }

  /// Whether it is not a label, but a text of another kind. A caption of a picture is also a .txt
  /// beside it.
  bool is_other_text(std::uint32_t place, const FileList::Folder& pictures, const fs::path& path,
                     const Listings::Entry& entry) {
    const bool is_beside = labels_.place(place).folder.path == pictures.path;
    if (options_.labels.take != TakeLabels::found || !is_beside || holds_labels(place))
      return false;
    return names_ || numbers_in_text(text_if_readable(path, entry),
                                     labels_.place(place).rule->format->suffix) < 2;
  }

  /// Whether any text of a folder is of the format, or none says what it is.
  bool holds_labels(std::uint32_t place) {
    const auto [known, is_new] = hold_labels_.try_emplace(place, true);
    if (!is_new) return known->second;
    const CompanionFiles::Place& own = labels_.place(place);
    for (const Listings::Entry& entry : listings_.of(own.folder.path)) {
      if (entry.is_folder() || !entry.lower.ends_with(own.rule->format->suffix)) continue;
      const std::string text = text_if_readable(own.folder.path + entry.name, entry);
      if (text.empty()) continue;
      known->second = own.rule->format->is_of(text);
      if (known->second) break;
    }
    return known->second;
  }

  std::string text_if_readable(const fs::path& path, const Listings::Entry& entry) const {
    const auto text = listings_.head_if_readable(path, entry, std::string::npos, found_.tar.get());
    return text.value_or("");
  }

  /// Finds what trainers keep in a folder of labels or beside it: Ultralytics' labels.cache.
  void find_caches() {
    Listings outputs;  // the listings of a tar have none
    Listings& listings = names_->in_place() ? listings_ : outputs;
    for (const CompanionFiles::Place& place : labels_.places()) {
      if (!place.holds_any) continue;
      const fs::path path =
          names_->in_place() ? place.folder.path : names_->folder_of(place.folder);
      const fs::path folder = without_slash(path.empty() ? "." : path);
      const fs::path above = folder.parent_path().empty() ? "." : folder.parent_path();
      for (const fs::path& each : {folder, above})
        for (const Listings::Entry& entry : listings.if_readable(each))
          if (!entry.is_folder() && entry.lower.ends_with(".cache"))
            labels_.add_cache(from_here(each / entry.name));
    }
  }

  /// A label that would not be found beside its picture.
  void refuse_outside(const FoundFile& file, std::uint32_t place) const {
    if (!names_ || names_->in_place() || options_.to_samples) return;
    const FileList::Folder& pictures = files_.folder_of(file);
    const FileList::Folder& labels = labels_.place(place).folder;
    if (labels.path == pictures.path || labels.key != pictures.key) return;
    const std::string output = normal_path(names_->folder_of(pictures));
    const LabelFormat& format = *labels_.place(place).rule->format;
    if (tail_from(output, format.pictures).empty()) return;
    throw WithHints<PlanError>(
        {Hint::choose_pictures},
        fmt::format("the label of {} would go outside of the output {}; name an output outside of "
                    "such a folder, or as the input the folder that holds {} and {}",
                    files_.path(file), options_.output.string(), format.pictures, format.labels));
  }

  /// A label that cannot be read is for its sample to report.
  void refuse_other_texts() {
    std::set<const LabelFormat*> known;
    std::set<std::uint32_t> places;
    for (const CompanionFiles::File& label : labels_) {
      if (places.insert(label.place).second) refuse_untrue(label);
      const LabelFormat& format = *labels_.place_of(label).rule->format;
      const bool may_be_other = format.is_of_other && options_.labels.take == TakeLabels::found;
      if (known.contains(&format) && !may_be_other) continue;
      const fs::path path = labels_.path(label);
      const std::string text = text_if_readable(
          path, *listings_.find(labels_.place_of(label).folder.path, label.name, false));
      if (may_be_other) refuse_other_format(format, path, text);
      if (known.contains(&format) || text.empty()) continue;
      if (!format.is_of(text)) {
        const std::string known = format_in_words(format.suffix, text);
        throw LabelsError(
            fmt::format("{}: {}", path.string(),
                        known.empty() ? fmt::format("is not a {} label", format.name) : known));
      }
      known.insert(&format);
    }
  }

  /// What one label says is true of the whole set, so all are looked at before any is turned.
  static void refuse_other_format(const LabelFormat& format, const fs::path& path,
                                  const std::string& text) {
    if (!format.is_of_other(text)) return;
    throw LabelsError(fmt::format("{}: a box begins at 0, and {} counts pixels from 1, so all "
                                  "labels of this set may be others",
                                  path.string(), format.name),
                      {{Hint::choose_label_format, std::string(format.other)}});
  }

  /// KITTI's calib/ beside image_2/.
  void refuse_untrue(const CompanionFiles::File& label) {
    const LabelFormat& format = *labels_.place_of(label).rule->format;
    const FileList::Folder& pictures = files_.folder_of(files_[label.picture]);
    if (format.untrue_after_turn.empty()) return;
    const auto sibling =
        find_sibling(listings_, pictures, format.pictures, format.untrue_after_turn);
    if (!sibling) return;
    throw LabelsError(
        fmt::format("{}: says where the camera of {} was, which no turned picture is "
                    "of, so this set of {} labels is not turned",
                    sibling->path, pictures.path, format.name));
  }

  const PlanOptions& options_;
  const FoundFiles& found_;
  const FileList& files_;
  const OutputNames* names_;
  const SwapPairs pairs_;
  Listings& listings_;
  std::map<fs::path, std::optional<Keypoints>> keypoints_;
  std::map<fs::path, std::optional<ClassNames>> classes_;
  std::map<fs::path, std::vector<std::pair<fs::path, std::string>>> yaml_files_;
  std::vector<std::ptrdiff_t> above_;  // of places
  std::map<std::uint32_t, bool> hold_labels_;
  CompanionFiles labels_{CompanionKind::label};
};

}  // namespace

SwapPairs swap_pairs_of(const PlanOptions& options) {
  const fs::path& path = options.labels.swap_pairs;
  try {
    if (path.empty()) return {};
    return read_swap_pairs(read_text(path));
  } catch (const LabelError& error) {
    throw PlanError(fmt::format("{}:{}", path.string(), error.what()));
  } catch (const FileError& error) {
    throw PlanError(fmt::format("{} cannot be read: {}", path.string(), error.code().message()));
  }
}

LabelOptions labels_without_yaml(const PlanOptions& options) {
  LabelOptions labels = options.labels;
  LabelRule& rule = labels.rule;
  const SwapPairs pairs = swap_pairs_of(options);
  if (!pairs.keypoints.empty() && !rule.keypoints) {
    refuse_pairs(options, "here no YAML file says that labels have any");
  }
  if (rule.keypoints) set_swap_pairs(*rule.keypoints, pairs.keypoints, options);
  rule.swap = pairs.classes;
  return labels;
}

CompanionFiles find_label_files(const PlanOptions& options, FoundFiles& found,
                                const OutputNames* names) {
  if (options.labels.take == TakeLabels::none || options.labels.take == TakeLabels::one_file)
    return {};
  return LabelFinder(options, found, names).find();
}

}  // namespace qturn
