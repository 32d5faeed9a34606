#include "src/plan/suspected_label.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <utility>

#include "src/files/content_hash.hpp"
#include "src/formats/table.hpp"
#include "src/labels/coordinates.hpp"
#include "src/picture/text.hpp"
#include "src/plan/output_names.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

std::uint64_t hash_of_name(std::string_view lower) { return xxh64(lower, 0); }

std::string_view stem_of_name(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == 0 ? name : name.substr(0, dot);
}

/// Without what follows the last '_'.
std::string_view begin_of_name(std::string_view name) { return name.substr(0, name.rfind('_')); }

std::string_view suffix_of_name(std::string_view name) {
  return name.substr(stem_of_name(name).size());
}

/// The names and stems of pictures that a file may be about.
class NamedPictures {
 public:
  /// By its own name: "a" and "a.jpg" of "a.jpg.json", "a" of "gt_a.txt" and "a_boxes.csv".
  void add_own(std::string_view lower_name) {
    std::string_view stem = stem_of_name(lower_name);
    add(stem);
    add(stem_of_name(stem));
    add(stem.substr(0, variant_place(std::string(stem))));
    constexpr std::string_view starts[] = {"gt_", "gt-", "label_", "res_"};
    for (const std::string_view start : starts)
      if (stem.starts_with(start)) add(stem.substr(start.size()));
    constexpr std::string_view ends[] = {
        "gt",         "label",       "labels",   "bbox",      "bboxes",    "boxes",   "ann", "anno",
        "annotation", "annotations", "polygons", "keypoints", "landmarks", "objects", "pts"};
    const std::size_t mark = stem.find_last_of("_-");
    if (mark != stem.npos && std::ranges::count(ends, stem.substr(mark + 1)) > 0)
      add(stem.substr(0, mark));
  }

  void add_those_in(std::string_view text) {
    constexpr std::string_view between = "\r\n\t\"'<>,;|=(){}[]";
    for_each_part(text, between, [&](std::string_view part) {
      add_name(part);
      for_each_part(part, " :", [&](std::string_view word) { add_name(word); });
    });
  }

  std::vector<std::uint64_t> finish() {
    std::ranges::sort(hashes_);
    // Clang 14 does not compile std::ranges::unique with GCC's library.
    hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
    return std::move(hashes_);
  }

 private:
  template <typename Visit>
  static void for_each_part(std::string_view text, std::string_view between, Visit visit) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = std::min(text.find_first_not_of(between, at), text.size());
      const std::size_t end = std::min(text.find_first_of(between, begin), text.size());
      if (end > begin) visit(text.substr(begin, end - begin));
      at = end;
    }
  }

  void add(std::string_view lower) {
    if (!lower.empty()) hashes_.push_back(hash_of_name(lower));
  }

  /// A path, with or without the suffix of a picture ("./train/r_0"), a part of one ("a.jpg_1"), or
  /// a word that can hardly be anything but the stem of a picture: "IMG_0001".
  void add_name(std::string_view part) {
    const bool is_path = part.find_last_of("/\\") != part.npos;
    part = part.substr(part.find_last_of("/\\") + 1);
    const std::size_t first = std::min(part.find_first_not_of(' '), part.size());
    part = part.substr(first, part.find_last_not_of(' ') + 1 - first);
    constexpr std::size_t longest = 256, shortest_stem = 6;
    if (part.empty() || part.size() > longest) return;
    const std::string lower = lower_case(std::string(part));
    for (const std::string_view name : {std::string_view(lower), begin_of_name(lower)}) {
      if (!codec_of_suffix(std::string(suffix_of_name(name)))) continue;
      add(name);
      return add(stem_of_name(name));
    }
    const bool has_digit = std::ranges::any_of(
        lower, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
    const bool is_stem = is_path || (has_digit && lower.size() >= shortest_stem);
    if (is_stem && lower.find(' ') == lower.npos) add(lower);
  }

  std::vector<std::uint64_t> hashes_;
};

std::string why_foreign(const fs::path& file, const ForeignFormat* format) {
  if (is_array(file)) {
    return fmt::format(
        "{}: an array with the stem of a picture is turned only as its mask, beside it or in a "
        "folder of masks",
        file.string());
  }
  if (!format) {
    return fmt::format(
        "{}: may say where something is in a picture, and would not be turned with it; convert it "
        "to YOLO, Pascal VOC, LabelMe, COCO or CSV",
        file.string());
  }
  if (format->instead.empty()) {
    return fmt::format(
        "{}: looks like {} labels, and does not lie where those of the pictures are looked for, "
        "so they would not be turned; move them there",
        file.string(), format->name);
  }
  return fmt::format("{}: {} labels are not turned with their pictures; convert them to {}",
                     file.string(), format->name, format->instead);
}

Hints ways_around(const fs::path& file) {
  Hints hints;
  if (!file.extension().empty()) hints.push_back({Hint::exclude, "*" + file.extension().string()});
  hints.push_back(Hint::correct_labels);
  return hints;
}

}  // namespace

std::optional<std::string> label_head_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  std::string head(label_head_bytes, '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  if (in.bad()) return std::nullopt;
  head.resize(static_cast<std::size_t>(in.gcount()));
  return head;
}

bool is_note(std::string_view lower_name) { return lower_name.starts_with("readme"); }

ForeignLabelError::ForeignLabelError(const fs::path& file, const ForeignFormat* format)
    : LabelsError(why_foreign(file, format), ways_around(file)), file_(file) {}

ForeignLabelError::ForeignLabelError(const fs::path& file, std::string_view head)
    : ForeignLabelError(file, foreign_format(lower_case(file.extension().string()),
                                             head.substr(0, label_head_bytes))) {}

ForeignLabelError::ForeignLabelError(const fs::path& file, const ImageFileError& why)
    : LabelsError(fmt::format("{}: {}", file.string(), why.what()), ways_around(file)),
      file_(file) {}

void LabelSuspicion::add_picture(std::string_view name) {
  const std::string lower = lower_case(std::string(name));
  const std::string_view stem = stem_of_name(lower);
  const std::set<std::string_view> names = {lower, stem,
                                            stem.substr(0, variant_place(std::string(stem)))};
  for (const std::string_view each : names) {
    const std::uint64_t hash = hash_of_name(each);
    pictures_.push_back(hash);
    for (const Held& held : held_)
      if (!found_ && std::ranges::binary_search(held.about, hash)) found_ = held.label;
  }
  are_sorted_ = false;
}

void LabelSuspicion::add_file(const fs::path& file, std::string_view name, std::string_view head) {
  head = head.substr(0, label_head_bytes);
  const std::string lower = lower_case(std::string(name));
  const std::string suffix(suffix_of_name(lower));
  if (found_ || is_note(lower) || !has_suffix_of_labels(suffix)) return;
  if (are_notes_of_place(name, head)) return;  // the outcome says that they are stale
  if (!may_be_label(suffix, head)) return;
  const ForeignFormat* format = foreign_format(suffix, head);
  if (format && ignored_.contains(format->name)) return;
  NamedPictures about;
  about.add_own(lower);
  if (!is_array(file)) about.add_those_in(in_bytes(head));
  take({file, format}, about.finish());
}

void LabelSuspicion::add_unreadable(const fs::path& file, std::string_view name) {
  NamedPictures about;
  about.add_own(lower_case(std::string(name)));
  if (!found_) take({file}, about.finish());
}

void LabelSuspicion::take(Label label, Hashes about) {
  const bool is_found =
      std::ranges::any_of(about, [&](std::uint64_t hash) { return has_picture(hash); });
  if (is_found || held_.size() == most_held)
    found_ = std::move(label);
  else if (!pictures_come_first_)
    held_.push_back({std::move(label), std::move(about)});
}

bool LabelSuspicion::has_picture(std::uint64_t hash) {
  if (!are_sorted_) std::ranges::sort(pictures_);
  are_sorted_ = true;
  return std::ranges::binary_search(pictures_, hash);
}

}  // namespace qturn
