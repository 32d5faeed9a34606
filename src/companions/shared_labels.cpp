#include "src/companions/shared_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/companions/label_files.hpp"
#include "src/files/file_descriptor.hpp"
#include "src/files/safe_file.hpp"
#include "src/formats/table.hpp"
#include "src/inputs/find_files.hpp"
#include "src/inputs/folder_layout.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/text.hpp"
#include "src/sample/harmless.hpp"
#include "src/turn/picture_turn.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// The first of these formats that a file is of; null if it is of none. The file is read once for
/// all. `plain`: also if it does not say where something is. Throws PlanError if it cannot be read.
const SharedLabelFormat* format_among(const std::vector<const SharedLabelFormat*>& formats,
                                      FoundFiles& among, const fs::path& path,
                                      const Listings::Entry& entry, bool plain) {
  struct Asked {
    std::function<std::optional<bool>(std::string_view part)> tells;
    std::optional<bool> told;
  };
  if (formats.empty()) return nullptr;
  const auto head = [&] {
    return among.listings.head(path, entry, text_head_bytes, among.tar.get());
  };
  std::vector<Asked> asked;
  for (const SharedLabelFormat* format : formats) {
    asked.push_back({format->recogniser(), {}});
    if (plain && path.filename() == format->plain_name &&
        head().find("file_name") != std::string::npos)
      asked.back().told = true;
  }
  const auto ask = [&](std::string_view part) {
    for (Asked& each : asked)
      if (!each.told) each.told = each.tells(part);
    return !std::ranges::all_of(asked, [](const Asked& each) { return each.told.has_value(); });
  };
  try {
    const std::string first = head();
    std::size_t known = first.size();
    const auto ask_further = [&](std::span<const std::byte> part) {
      const std::size_t before = std::min(known, part.size());
      known -= before;
      return before == part.size() || ask(text_of(part.subspan(before)));
    };
    if (ask(first) && first.size() == text_head_bytes)
      read_in_parts(path, ask_further, among.tar.get());
  } catch (const FileError& error) {
    throw LabelsError(error.what());
  }
  ask("");
  for (std::size_t i = 0; i < formats.size(); ++i)
    if (asked[i].told.value_or(false)) return formats[i];
  return nullptr;
}

/// The files where they may be found by themselves. `named`: null, or the only format to find.
SharedLabelFiles files_beside(FoundFiles& among, bool plain, const SharedLabelFormat* named) {
  const FileList& files = among.files;
  PathSet stems;  // of pictures: a.json beside a.jpg is not for many pictures
  std::uint32_t last_folder = 0;
  std::string prefix;
  for (const FoundFile& file : files) {
    if (!file.is_own_picture()) continue;
    if (prefix.empty() || file.folder != last_folder) {
      last_folder = file.folder;
      prefix = normal_path(files.folder_of(file).path);
    }
    const std::string stem = lower_case(fs::path(file.name).stem().string());
    stems.add(prefix + stem);
    stems.add(stem + ".xml");
  }
  stems.sort();
  SharedLabelFiles found;
  const auto look_in = [&](const fs::path& folder, auto enter) {
    for (const Listings::Entry& entry : among.listings.if_readable(folder)) {
      const fs::path path = folder / entry.name, lower = entry.lower;
      if (entry.is_folder()) {
        if (lower == "annotations") enter(path);
        continue;
      }
      // A JSON file of the stem of a picture is a label of that picture alone. So is an XML file,
      // wherever it lies: Pascal VOC has a folder of them.
      const std::string suffix = lower.extension(), stem = lower.stem();
      if (suffix == ".json" && stems.contains((folder / stem).native())) continue;
      if (suffix == ".xml" && stems.contains(stem + ".xml")) continue;
      const auto is_wanted = [&](const SharedLabelFormat& format) {
        return named ? format.option == named->option && entry.name == format.plain_name
                     : !format.is_named_only;
      };
      std::vector<const SharedLabelFormat*> formats;
      for (const SharedLabelFormat& format : shared_label_formats)
        if (suffix == format.suffix && is_wanted(format)) formats.push_back(&format);
      if (const SharedLabelFormat* format = format_among(formats, among, path, entry, plain))
        found.emplace(from_here(path), format);
    }
  };
  for (const fs::path& place : LabelPlaces(files).all())
    look_in(place, [&](const fs::path& folder) { look_in(folder, [](const fs::path&) {}); });
  return found;
}

/// The place below the output. A file that lies elsewhere than below the input keeps its name, and
/// the folder annotations.
std::string key_of(const fs::path& file, const FileList& files) {
  if (const auto key = key_below_inputs(file, files)) return *key;
  const fs::path folder = fs::path(normal_path(file)).parent_path().filename();
  const bool is_kept = lower_case(folder.string()) == "annotations";
  return (is_kept ? folder / file.filename() : file.filename()).string();
}

}  // namespace

FileState SharedLabels::File::read(const std::function<void(std::string_view part)>& take) const {
  const auto take_bytes = [&](std::span<const std::byte> part) {
    take(text_of(part));
    return true;
  };
  return read_in_parts(input, take_bytes, tar.get());
}

void SharedLabels::add(File file) {
  paths_.add(normal_path(file.input));
  for (std::size_t image = 0; image < file.pictures.size(); ++image) {
    if (!file.pictures[image] || !file.content->has_geometry()) continue;
    uses_.push_back({*file.pictures[image], static_cast<std::uint32_t>(files_.size()),
                     static_cast<std::uint32_t>(image)});
  }
  files_.push_back(std::move(file));
}

void SharedLabels::add_broken(Broken file) {
  paths_.add(normal_path(file.input));
  broken_.push_back(std::move(file));
}

std::string SharedLabels::problem(std::size_t picture) const {
  const auto found =
      std::ranges::find_if(broken_, [&](const Broken& file) { return file.may_label[picture]; });
  return found == broken_.end() ? "" : found->problem;
}

void SharedLabels::finish() {
  paths_.sort();
  std::ranges::sort(uses_, {},
                    [](const Use& use) { return std::tie(use.picture, use.file, use.image); });
}

SharedLabel SharedLabels::label_of(const File& file, std::size_t image) {
  const LabelledImages::Image& named = (*file.content)[image];
  return {
      .file = file.input,
      .place = named.place,
      .size = named.size,
      .box_size = named.box_size,
      .boxes_reach = named.boxes_reach,
      .is_order_named = file.format->is_named_only,
      .problem = file.content->problem(image),
      .mirror_problem = file.content->mirror_problem(image),
      .percent_problem = file.content->percent_problem(image),
      .mirror_hints = file.format->has_keypoints ? Hints{Hint::say_swapped_keypoints} : Hints()};
}

std::vector<SharedLabel> SharedLabels::of(std::size_t picture) const {
  std::vector<SharedLabel> labels;
  for (auto at = std::ranges::lower_bound(uses_, picture, {}, &Use::picture);
       at != uses_.end() && at->picture == picture; ++at)
    labels.push_back(label_of(files_[at->file], at->image));
  return labels;
}

Header header_of_picture(const fs::path& picture, const TarFiles* tar) try {
  const Bytes bytes = read_whole(picture, tar);
  return PictureTurn(bytes, lower_suffix(picture), {}).header();
} catch (const std::runtime_error& error) {
  throw FileError(fmt::format("{}: {}", picture.string(), error.what()), picture, {});
}

SharedLabels::File read_shared_labels(const fs::path& path, const SharedLabelFormat& format,
                                      const SwapPairs& swap_pairs,
                                      std::shared_ptr<const TarFiles> tar) {
  SharedLabels::File file{.input = path,
                          .output = {},
                          .tar = std::move(tar),
                          .format = &format,
                          .swap_pairs = swap_pairs};
  try {
    const auto reader = format.reader(swap_pairs);
    file.state = file.read([&](std::string_view part) { reader->take(part); });
    file.content = reader->finish();
  } catch (const LabelError& error) {
    throw PlanError(fmt::format("{}:{}", path.string(), error.what()));
  } catch (const FileError& error) {
    throw PlanError(error.what());
  }
  return file;
}

SharedLabelFiles shared_label_files(const PlanOptions& options, FoundFiles& found) {
  const LabelOptions& labels = options.labels;
  const bool is_one_file = labels.take == TakeLabels::one_file;
  if (is_one_file && !labels.file.empty())
    return {{found.place_of(labels.file), labels.file_format}};
  if (!is_one_file && labels.take != TakeLabels::found) return {};
  // Pictures that get other names: what is said of each must be said again.
  const bool are_renamed = options.has_variants() && !options.to_samples;
  return files_beside(found, are_renamed, labels.file_format);
}

namespace {

/// Which pictures may have labels in a file that cannot be read: those at its place that have none
/// elsewhere.
std::vector<bool> pictures_without_labels(const fs::path& file, const PlanOptions& options,
                                          const FileList& files, const CompanionFiles& own,
                                          const SharedLabels& shared) {
  const fs::path place = described_folder(file);
  const bool is_named = options.labels.take == TakeLabels::one_file;
  std::map<std::uint32_t, bool> are_at_place;
  std::vector<bool> without(files.size());
  for (std::size_t number = 0; number < files.size(); ++number) {
    const FoundFile& picture = files[number];
    if (!picture.is_own_picture()) continue;
    const auto [known, is_new] = are_at_place.try_emplace(picture.folder, is_named);
    if (is_new && !is_named)
      known->second = normal_path(files.folder_of(picture).path).starts_with((place / "").native());
    without[number] = known->second && !own.of(number) && shared.of(number).empty();
  }
  return without;
}

/// Its boxes enclose pixels of masks, which must be turned with it.
void expect_masks(const SharedLabels::File& file, const FileList& files,
                  const CompanionFiles& masks, bool are_taken) {
  for (std::size_t image = 0; image < file.pictures.size(); ++image) {
    const std::string named = file.content->mask_of(image);
    if (!file.pictures[image] || named.empty()) continue;
    const std::size_t picture = *file.pictures[image];
    const std::string name = named.substr(named.find_last_of("/\\") + 1);
    const auto is_called_so = [&](const CompanionFiles::File& mask) { return mask.name == name; };
    if (std::ranges::any_of(masks.all_of(picture), is_called_so)) continue;
    throw LabelsError(fmt::format(
        "{}: {} is not {} as a mask of {}, so it would not be turned with it", file.input.string(),
        named, are_taken ? "found" : "taken", files.path(files[picture])));
  }
}

void add_broken(std::vector<SharedLabels::Broken> broken, const PlanOptions& options,
                const FileList& files, const CompanionFiles& own, SharedLabels& labels) {
  for (SharedLabels::Broken& file : broken)
    file.may_label = pictures_without_labels(file.input, options, files, own, labels);
  const auto is_left = [&](const FoundFile& picture) {
    const auto number = static_cast<std::size_t>(&picture - &*files.begin());
    return picture.is_own_picture() &&
           std::ranges::none_of(broken, [&](const auto& file) { return file.may_label[number]; });
  };
  if (std::ranges::none_of(files, is_left)) throw LabelsError(broken.front().problem);
  for (SharedLabels::Broken& file : broken) labels.add_broken(std::move(file));
  labels.finish();
}

/// Hugging Face's boxes are x, y, width and height, or two corners, and no file says which.
/// `may_be_turned`: an interrupted run may have turned pictures, and their boxes not.
void refuse_corners(const SharedLabels::File& file, const FoundFiles& among, bool may_be_turned) {
  const FileList& files = among.files;
  for (std::size_t image = 0; image < file.pictures.size(); ++image) {
    const auto& reach = (*file.content)[image].boxes_reach;
    if (!file.pictures[image] || !reach) continue;
    Size size;
    try {
      const Header header =
          header_of_picture(files.path(files[*file.pictures[image]]), among.tar.get());
      size = header.size();
      // The boxes may be drawn on the upright picture.
      if (may_be_turned || swaps_axes(header.stored))
        size = {std::max(size.width, size.height), std::max(size.width, size.height)};
    } catch (const FileError&) {
      continue;  // the picture fails
    }
    if (reach->width <= size.width && reach->height <= size.height) continue;
    throw LabelsError(fmt::format("{}:{}", file.input.string(),
                                  at_place((*file.content)[image].place, box_beyond_picture)),
                      {{Hint::choose_label_format, "huggingface:voc"}});
  }
}

/// Those of a pair that no file has.
void refuse_unknown_classes(const PlanOptions& options, const ClassSwap& classes,
                            const SharedLabels& labels) {
  for (const auto& pair : classes) {
    const auto has_any = [&](const SharedLabels::File& file) {
      const std::set<std::string>& swapped = file.content->swapped();
      return swapped.contains(pair.first) || swapped.contains(pair.second);
    };
    if (std::ranges::none_of(labels.files(), has_any)) {
      throw PlanError(fmt::format("{} names classes {} and {}, which no label has",
                                  options.labels.swap_pairs.string(), pair.first, pair.second));
    }
  }
}

}  // namespace

SharedLabels find_shared_labels(const PlanOptions& options, FoundFiles& among,
                                const CompanionFiles& own, const CompanionFiles& masks,
                                const OutputNames& names, const std::vector<Sentence>& unreadable) {
  const FileList& files = among.files;
  const SharedLabelFiles formats = shared_label_files(options, among);
  SharedLabels labels;
  const SharedLabelFormat* const named = options.labels.file_format;
  if (formats.empty() && named)
    throw LabelsError(fmt::format("no {} labels lie beside the pictures", named->option));
  if (formats.empty()) return labels;

  const SwapPairs swap_pairs = swap_pairs_of(options);
  if (named && !swap_pairs.keypoints.empty() && !named->has_keypoints) {
    throw WithHints<PlanError>(
        {Hint::leave_out_swap_pairs},
        fmt::format("the pairs of {} are keypoints of an object, which {} labels do not have",
                    options.labels.swap_pairs.string(), named->name));
  }
  SharedLabelPictures pictures(files, formats);
  const LabelPlaces places(files);
  const bool are_named = options.labels.take == TakeLabels::one_file;
  const auto may_be_of_others = [&](const fs::path& file) {
    return !are_named && places.is_next_to_input(file);
  };
  SomeNames without_pictures;
  std::vector<SharedLabels::Broken> broken;
  std::vector<SharedLabels::File> read;
  std::size_t found = 0;
  for (const auto& [path, format] : formats) {
    try {
      read.push_back(read_shared_labels(path, *format, swap_pairs, among.tar));
      pictures.add_described_beside(read.back());
    } catch (const PlanError& error) {
      if (!may_be_of_others(path) || pictures.any_is_named_in(path))
        broken.push_back({path, error.what()});
    }
  }
  for (SharedLabels::File& file : read) {
    const fs::path path = file.input;
    pictures.find_those_of(file);
    if (file.found == 0 && !file.content->has_geometry()) continue;
    expect_masks(file, files, masks, options.masks.take);
    if (!are_named && file.content->may_be_corners())
      refuse_corners(file, among, names.in_place() && options.existing == Existing::resume);
    found += file.found;
    if (!may_be_of_others(path)) without_pictures.add(path.string());
    if (file.found > 0) {
      const fs::path key = key_of(path, files);
      const FileList::Folder folder{.path = "", .key = (key.parent_path() / "").string()};
      file.output = names.in_place() ? path : fs::path(names.folder_of(folder)) / key.filename();
    }
    labels.add(std::move(file));
  }
  labels.finish();
  if (broken.empty() && own.empty() && found > 0)
    refuse_unknown_classes(options, swap_pairs.classes, labels);
  if (!broken.empty()) {
    add_broken(std::move(broken), options, files, own, labels);
  } else if (found == 0 && without_pictures.count() > 0) {
    throw LabelsError(fmt::format("none of the pictures is an image of {}{}",
                                  without_pictures.text(), cannot_look_into(unreadable)));
  }
  return labels;
}

}  // namespace qturn
