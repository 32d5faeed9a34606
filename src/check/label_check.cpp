#include "src/check/label_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "src/check/check.hpp"
#include "src/files/content_hash.hpp"
#include "src/files/file_descriptor.hpp"
#include "src/files/journal.hpp"
#include "src/files/safe_file.hpp"
#include "src/formats/table.hpp"
#include "src/inputs/folder_layout.hpp"
#include "src/labels/many/coco_check.hpp"
#include "src/picture/bytes.hpp"
#include "src/sample/companion.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// Each format's own turn finds what is wrong with a label that can be read. A half turn needs to
/// know nothing of left and right.
constexpr Orientation trial = Orientation::rotate180;

std::string in_words(Size size) { return fmt::format("{} x {}", size.width, size.height); }

/// Their numbers: what lies there is not a picture of its own, whether it belongs to one or not.
std::set<std::uint32_t> folders_of_masks(const LabelSources& sources) {
  std::set<std::string> paths;
  for (const CompanionFiles::File& mask : sources.masks) {
    const std::string& of_picture = sources.files.folder_of(sources.files[mask.picture]).path;
    const std::string folder = normal_path(fs::path(sources.masks.path(mask)).parent_path() / "");
    if (folder != normal_path(fs::path(of_picture) / "")) paths.insert(folder);
  }
  std::set<std::uint32_t> folders;
  for (std::uint32_t i = 0; i < sources.files.folder_count(); ++i)
    if (paths.contains(normal_path(fs::path(sources.files.folder_at(i).path) / "")))
      folders.insert(i);
  return folders;
}

}  // namespace

void name_classes(LabelContent& content, const ClassNames& classes,
                  const std::function<void(const LabelProblem&)>& tell) {
  if (classes.empty()) return;
  TextPlace last{0, 0};
  for (LabelShape& shape : content.shapes) {
    const auto number = Decimal::parse(shape.category);
    const auto whole = number ? number->whole() : std::nullopt;
    const bool is_told = shape.place.line == last.line;  // an object can have several shapes
    last = shape.place;
    if (whole && classes.contains(*whole)) {
      shape.category = classes.at(*whole);
      continue;
    }
    if (is_told) continue;
    tell({LabelFault::unknown_category, shape.place,
          fmt::format("class {} is not among the {} names of the data set's YAML file",
                      shape.category, classes.size())});
  }
}

void read_shared_shapes(
    SharedLabels::File& file, const SharedLabelPictures& pictures,
    const std::function<bool(const std::vector<LabelProblem>&)>& begin,
    const std::function<void(std::optional<std::size_t> image, const LabelContent&)>& take) {
  const auto read = [&](auto& reader) {
    (void)file.read([&](std::string_view part) { reader.take(part); });
  };
  std::vector<LabelProblem> problems;
  if (file.format->shapes) {
    const auto images = file.format->reader({});
    read(*images);
    file.content = images->finish();
    pictures.find_those_of(file);
    if (!begin(problems)) return;
    const auto shapes = file.format->shapes(*file.content, take);
    read(*shapes);
    return shapes->finish();
  }
  CocoImagesReader images([&](const LabelProblem& problem) { problems.push_back(problem); });
  read(images);
  auto content = std::make_unique<CocoContent>(images.finish());
  const CocoContent& coco = *content;
  file.content = std::move(content);
  pictures.find_those_of(file);
  if (!begin(problems)) return;
  const std::optional<CocoCategoryNames> categories = images.categories();
  CocoAnnotationsReader annotations(
      coco, categories,
      [&](std::optional<std::size_t> image, std::vector<LabelShape> shapes,
          const std::vector<LabelProblem>& of_annotation) {
        take(image, {.shapes = std::move(shapes), .problems = of_annotation});
      });
  read(annotations);
  annotations.finish();
}

LabelCheck::LabelCheck(LabelSources sources, LabelsDrawnOn drawn_on, const Limits& limits)
    : sources_(std::move(sources)),
      drawn_on_(drawn_on),
      limits_(limits),
      seen_(sources_.files.size()),
      frames_(4) {}

std::vector<LabelFinding> LabelCheck::check_picture(std::size_t picture, const Header& header) {
  std::vector<LabelFinding> findings;
  Seen& seen = seen_[picture];
  seen.stored = header.size();
  seen.tag = header.stored;
  seen.is_read = true;
  check_own_label(picture, findings);
  std::ranges::stable_sort(findings, {}, [](const LabelFinding& finding) {
    const TextPlace place = finding.problem.place.value_or(TextPlace{0, 0});
    return std::pair(place.line, place.column);
  });
  for (const CompanionFiles::File& mask : sources_.masks.all_of(picture))
    check_mask(picture, sources_.masks.path(mask), findings);
  return findings;
}

void LabelCheck::check_own_label(std::size_t picture, std::vector<LabelFinding>& findings) {
  const CompanionFiles::File* label = sources_.labels.of(picture);
  if (!label) return;
  Seen& seen = seen_[picture];
  seen.is_labelled = true;
  const fs::path path = sources_.labels.path(*label);
  const CompanionFiles::Place& place = sources_.labels.place_of(*label);
  bool is_wrong_already = false;
  const auto tell = [&](const LabelProblem& problem) {
    is_wrong_already = is_wrong_already || is_wrong(problem.fault);
    findings.push_back({path, picture, problem});
  };
  try {
    const bool lies_in_tar = sources_.tar && sources_.tar->contain(path);
    const std::string text = lies_in_tar
                                 ? std::string(text_of(read_whole(path, sources_.tar.get())))
                                 : read_companion(path).text;
    LabelContent content = place.rule->format->read(text, place.rule->keypoints);
    for (const LabelProblem& problem : content.problems) tell(problem);
    name_classes(content, place.classes, tell);
    const Size size = compare_size(content, seen, tell);
    check_shapes(in_pixels(content, size), size, tell);
    const std::string name = sources_.files.path(sources_.files[picture]);
    if (!is_wrong_already)
      (void)place.rule->format->turned(
          text, {.orientation = trial, .size = size, .name = name, .rule = *place.rule});
  } catch (const LabelError& error) {
    tell(broken(error));
  } catch (const std::exception& error) {
    tell({LabelFault::broken, {}, error.what()});
  }
}

void LabelCheck::check_mask(std::size_t picture, const fs::path& mask,
                            std::vector<LabelFinding>& findings) {
  Seen& seen = seen_[picture];
  seen.is_labelled = true;
  const auto tell = [&](const LabelProblem& problem) {
    findings.push_back({mask, picture, problem});
  };
  try {
    const Header header = header_of(mask);
    if (header.stored != Orientation::identity) {
      tell({LabelFault::broken,
            {},
            fmt::format("a mask has an orientation tag of its own, {}",
                        static_cast<int>(header.stored))});
    }
    compare_size({.said = header.size()}, seen, tell);
  } catch (const std::exception& error) {
    tell({LabelFault::broken, {}, error.what()});
  }
}

Header LabelCheck::header_of(const fs::path& picture) const {
  const Bytes file = read_whole(picture, sources_.tar.get());
  const Codec* codec = codec_of_content(file, lower_suffix(picture));
  if (!codec) throw ImageFileError("not a picture in a format that qturn reads");
  if (codec->check_limits) codec->check_limits(file, limits_);
  return codec->read_header(file);
}

Size LabelCheck::compare_size(const LabelContent& content, Seen& seen,
                              const std::function<void(const LabelProblem&)>& tell) const {
  const auto& place = content.said_at;
  const Size stored = seen.stored, upright = turned_size(seen.tag, stored);
  const bool is_told = seen.tag == Orientation::identity || drawn_on_ != LabelsDrawnOn::unknown;
  if (is_told) {
    const Size size = drawn_on_ == LabelsDrawnOn::upright ? upright : stored;
    if (!content.said || *content.said == size) return size;
    tell({LabelFault::size, place,
          fmt::format("says {}, the picture is {}", in_words(*content.said), in_words(size))});
    const bool is_empty = content.said->width <= 0 || content.said->height <= 0;
    return is_empty ? size : *content.said;
  }
  const FrameFit fit = frame_that_fits(content, stored, upright);
  seen.frame = static_cast<std::uint8_t>(fit.frame) + 1;
  const std::string tagged =
      fmt::format("the picture is tagged with orientation {}", static_cast<int>(seen.tag));
  switch (fit.frame) {
    case FittingFrame::neither:
      tell({LabelFault::size, place,
            fmt::format("says {}, the picture is {} as it is stored and {} upright",
                        in_words(*content.said), in_words(stored), in_words(upright))});
      return *content.said;
    case FittingFrame::unknown:
      tell({LabelFault::frame,
            {},
            tagged + "; cannot tell on which pixels the label was drawn, because it fits both",
            {Hint::draw_labels}});
      return stored;
    default:
      break;
  }
  const bool is_upright = fit.frame == FittingFrame::upright;
  tell({LabelFault::frame,
        {},
        fmt::format("{}; the label fits the {}: {}", tagged,
                    is_upright ? "upright picture" : "pixels as they are stored", fit.why),
        {{Hint::say_labels_drawn_on, is_upright ? "upright" : "stored"}}});
  return is_upright ? upright : stored;
}

void LabelCheck::check_rest(const Tell& tell, const std::function<void(const std::string&)>& note) {
  read_journals(tell);
  const SharedLabelPictures pictures(sources_.files, sources_.shared);
  std::set<fs::path> shared;
  for (const auto& [path, format] : sources_.shared) {
    shared.insert(path);
    check_shared({.input = path, .output = {}, .tar = sources_.tar, .format = format}, pictures,
                 tell, note);
  }
  for (const CompanionFiles* among : {&sources_.labels, &sources_.masks}) {
    for (const fs::path& stray : find_stray_labels(*among, sources_, shared)) {
      tell({stray, {}, {LabelFault::no_picture, {}, "a label without a picture"}});
    }
  }
  check_uses(tell);
  const std::set<std::uint32_t> of_masks = folders_of_masks(sources_);
  for (std::size_t number = 0; number < seen_.size(); ++number) {
    const FoundFile& file = sources_.files[number];
    if (seen_[number].is_labelled || !seen_[number].is_read || file.is_companion) continue;
    if (of_masks.contains(file.folder)) continue;
    tell({sources_.files.path(file),
          number,
          {LabelFault::no_label, {}, "a picture without a label"}});
  }
  for (const Seen& seen : seen_)
    if (seen.frame > 0) ++frames_[seen.frame - 1U];
  for (const ReadJournal& journal : journals_) check_steps(journal, tell);
}

/// A label or a mask of two pictures is refused where it is turned.
void LabelCheck::check_uses(const Tell& tell) const {
  for (const CompanionFiles* among : {&sources_.labels, &sources_.masks}) {
    PathSet paths;
    for (const CompanionFiles::File& label : *among) paths.add(normal_path(among->path(label)));
    paths.sort();
    const PathSet suspects = paths.repeated();
    if (suspects.empty()) continue;
    std::map<std::string, std::size_t> first;  // picture
    for (const CompanionFiles::File& label : *among) {
      const fs::path path = among->path(label);
      if (!suspects.contains(normal_path(path))) continue;
      const auto [other, is_new] = first.try_emplace(normal_path(path), label.picture);
      if (is_new) continue;
      tell({path,
            label.picture,
            {LabelFault::broken,
             {},
             fmt::format("belongs to {} and to {}, and one label cannot be turned with both",
                         sources_.files.path(sources_.files[other->second]),
                         sources_.files.path(sources_.files[label.picture]))}});
    }
  }
}

void LabelCheck::read_journals(const Tell& tell) {
  for (const fs::path& journal : sources_.journals) {
    try {
      const fs::path root = normal_path(journal.parent_path() / "");
      if (auto content = read_journal(journal, root))
        journals_.push_back({journal, root, std::move(*content)});
    } catch (const FileError& error) {
      tell({journal, {}, {LabelFault::broken, {}, error.what()}});
    }
  }
}

/// Nothing if the journal does not know the file, or as it is now.
std::optional<bool> LabelCheck::ReadJournal::is_turned(const fs::path& file) const {
  const JournalContent::Hashes* known = content.of(file, root);
  if (!known || known->source == known->result) return std::nullopt;
  const auto found = hash_of_file(file);
  if (found == known->result) return true;
  return found == known->source ? std::optional(false) : std::nullopt;
}

/// A picture that was turned in place and a label that was not, or the other way round, may look
/// right together. The hashes of the journal tell.
void LabelCheck::check_steps(const ReadJournal& journal, const Tell& tell) const {
  for (const CompanionFiles* among : {&sources_.labels, &sources_.masks}) {
    for (const CompanionFiles::File& label : *among) {
      const fs::path path = among->path(label);
      const auto own = journal.is_turned(path);
      const auto picture =
          own ? journal.is_turned(sources_.files.path(sources_.files[label.picture]))
              : std::nullopt;
      if (!picture || *picture == *own) continue;
      tell({path,
            label.picture,
            {LabelFault::out_of_step,
             {},
             fmt::format("{}, says {}; resume the run that was interrupted",
                         *own ? "it is turned and its picture is not"
                              : "its picture is turned and it is not",
                         journal.file.string())}});
    }
  }
}

/// The same of a file of many pictures, which follows them.
void LabelCheck::check_steps(const ReadJournal& journal, const SharedLabels::File& file,
                             const Tell& tell) const {
  const SharedFileNow now(journal.content, journal.root, file.input);
  const std::string& operation = journal.content.header.operation;
  const bool is_way_back = operation.starts_with("restore ");
  const auto tell_why = [&](std::optional<std::size_t> picture, const std::string& why) {
    tell({file.input,
          picture,
          {LabelFault::out_of_step,
           {},
           fmt::format("{}, says {}: '{}' is not complete{}", why, journal.file.string(), operation,
                       is_way_back ? "; repeat it" : ""),
           is_way_back ? Hints() : Hints{Hint::finish_run}}});
  };
  if (now.is_named() && !now.is_known() && journal.content.is_left_undone())
    tell_why({}, "it is neither what it was nor what the run made of it");
  std::size_t behind = 0;
  std::optional<std::size_t> first;
  for (const auto& picture : file.pictures) {
    const fs::path path = picture ? sources_.files.path(sources_.files[*picture]) : "";
    const auto own = picture ? now.has_turned(path) : std::nullopt;
    const auto is_turned = own ? journal.is_turned(path) : std::nullopt;
    if (!is_turned || *is_turned == *own) continue;
    if (!first) first = picture;
    ++behind;
  }
  if (!first) return;
  const std::string name = sources_.files.path(sources_.files[*first]);
  const bool is_before = *now.has_turned(name);
  tell_why(first,
           fmt::format("{} {} out of step with its labels: {} is {}turned", behind,
                       behind == 1 ? "picture is" : "pictures are", name, is_before ? "not " : ""));
}

bool LabelCheck::is_for_others(const SharedLabels::File& file,
                               const std::function<void(const std::string&)>& note) const {
  if (file.found > 0 || file.content->size() == 0 || sources_.shared_are_named) return false;
  note(fmt::format("{}: none of its images ({}) is a picture of this run; not checked",
                   file.input.string(), file.content->size()));
  return true;
}

void LabelCheck::check_shared(SharedLabels::File file, const SharedLabelPictures& pictures,
                              const Tell& tell,
                              const std::function<void(const std::string&)>& note) {
  const auto tell_of_file = [&](const LabelProblem& problem) { tell({file.input, {}, problem}); };
  const bool is_coco = !file.format->shapes;
  bool knows_all_images = true;
  // What is wrong is told only if the file is for these pictures.
  const auto begin = [&](const std::vector<LabelProblem>& problems) {
    if (is_for_others(file, note)) return false;
    for (const LabelProblem& problem : problems) tell_of_file(problem);
    // The ids of broken images are not known, so an annotation may be of one of them.
    knows_all_images =
        std::ranges::find(problems, LabelFault::broken, &LabelProblem::fault) == problems.end();
    check_images(file, tell);
    return true;
  };
  std::uint64_t count = 0;
  bool any_to_check = false;
  const auto take = [&](std::optional<std::size_t> image, const LabelContent& content) {
    ++count;
    any_to_check = any_to_check || !content.shapes.empty() || !content.problems.empty();
    const auto picture = image ? file.pictures[*image] : std::nullopt;
    const auto tell_of_picture = [&](const LabelProblem& problem) {
      tell({file.input, picture, problem});
    };
    for (const LabelProblem& problem : content.problems)
      if (knows_all_images || problem.fault != LabelFault::no_picture) tell_of_picture(problem);
    const bool is_read = picture && seen_[*picture].is_read;
    if (!image || (!is_coco && !is_read)) return;
    const Size size =
        (*file.content)[*image].size.value_or(is_coco ? Size() : frame_of(seen_[*picture]));
    check_shapes(in_pixels(content, size), size, tell_of_picture);
  };
  try {
    read_shared_shapes(file, pictures, begin, take);
    for (const ReadJournal& journal : journals_) check_steps(journal, file, tell);
    if (is_coco && count > 0 && !any_to_check) {
      note(
          fmt::format("{}: its annotations ({}) have no boxes, polygons, masks or keypoints, so "
                      "there is nothing to check in them",
                      file.input.string(), count));
    }
  } catch (const LabelError& error) {
    tell_of_file(broken(error));
  } catch (const std::exception& error) {
    tell_of_file({LabelFault::broken, {}, error.what()});
  }
}

Size LabelCheck::frame_of(const Seen& seen) const {
  const Size upright = turned_size(seen.tag, seen.stored);
  if (drawn_on_ == LabelsDrawnOn::upright) return upright;
  if (drawn_on_ == LabelsDrawnOn::stored) return seen.stored;
  return {std::max(upright.width, seen.stored.width), std::max(upright.height, seen.stored.height)};
}

void LabelCheck::check_images(const SharedLabels::File& file, const Tell& tell) {
  for (std::size_t index = 0; index < file.content->size(); ++index) {
    const LabelledImages::Image& image = (*file.content)[index];
    const auto picture = file.pictures[index];
    if (!picture && !image.is_listed) continue;
    if (!picture) {
      tell({file.input,
            {},
            {LabelFault::no_picture, image.place,
             fmt::format("{} is not a picture of this run", image.file_name)}});
      continue;
    }
    Seen& seen = seen_[*picture];
    seen.is_labelled = true;
    if (!seen.is_read) continue;
    const auto tell_of_image = [&](const LabelProblem& problem) {
      tell({file.input, picture, problem});
    };
    if (image.size) compare_size({.said = image.size, .said_at = image.place}, seen, tell_of_image);
    const bool is_upright = drawn_on_ == LabelsDrawnOn::upright;
    if (image.box_size == (is_upright ? turned_size(seen.tag, seen.stored) : seen.stored))
      tell_of_image({LabelFault::broken, image.place, box_as_large_as_picture});
  }
}

std::size_t LabelCheck::labelled() const {
  return static_cast<std::size_t>(std::ranges::count(seen_, true, &Seen::is_labelled));
}

}  // namespace qturn
