#include "src/inputs/folder_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "src/formats/table.hpp"
#include "src/inputs/output_names.hpp"
#include "src/picture/text.hpp"
#include "src/sample/file_kind.hpp"

namespace qturn {

namespace fs = std::filesystem;

std::string normal_path(const fs::path& path) {
  return fs::absolute(path.empty() ? "." : path).lexically_normal();
}

fs::path without_slash(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

fs::path from_here(const fs::path& path) {
  const fs::path relative = path.lexically_relative(fs::current_path());
  return relative.empty() || *relative.begin() == ".." ? path : relative;
}

bool is_named_as_picture(const fs::path& file) {
  return codec_of_suffix(file.extension().string()) != nullptr;
}

std::optional<std::string> key_below_inputs(const fs::path& path, const FileList& files) {
  const std::string wanted = normal_path(path);
  std::optional<std::string> key;
  std::size_t deepest = 0;
  for (std::size_t i = 0; i < files.folder_count(); ++i) {
    const FileList::Folder& folder = files.folder_at(i);
    // Below several inputs, a key begins with the name of its input.
    const auto ends = std::ranges::mismatch(folder.path.rbegin(), folder.path.rend(),
                                            folder.key.rbegin(), folder.key.rend());
    const auto same = static_cast<std::size_t>(ends.in1 - folder.path.rbegin());
    if (same < folder.key.size()) continue;
    const std::string root = normal_path(folder.path.substr(0, folder.path.size() - same));
    if (!wanted.starts_with(root) || root.size() <= deepest) continue;
    deepest = root.size();
    key = wanted.substr(root.size());
  }
  return key;
}

fs::path folders_below_input(const FileList::Folder& folder) {
  fs::path below = fs::path(folder.key).parent_path();
  if (below.is_absolute() || (!below.empty() && *below.begin() == "..")) below.clear();
  return below;
}

std::string tail_from(const std::string& folder, std::string_view name) {
  if (name.empty()) return "";
  const std::string lower = "/" + lower_case(folder);
  const std::size_t at = lower.rfind(fmt::format("/{}/", name));
  return at == std::string::npos ? "" : folder.substr(at);
}

namespace {

/// The part of `folder` before `tail`; both end with '/'. Nothing if it does not end so.
std::optional<std::string> before_tail(const std::string& folder, const std::string& tail) {
  if (!folder.ends_with(tail)) return std::nullopt;
  std::string before = folder.substr(0, folder.size() - tail.size());
  if (!before.empty() && before.back() != '/') return std::nullopt;
  return before;
}

}  // namespace

std::optional<SiblingFolder> find_sibling(Listings& listings, const FileList::Folder& pictures,
                                          std::string_view from, std::string_view to) {
  const std::string absolute = normal_path(pictures.path), tail = tail_from(absolute, from);
  if (tail.empty()) return std::nullopt;
  fs::path root = absolute.substr(0, absolute.size() - tail.size());
  if (const auto typed = before_tail(pictures.path, tail)) root = *typed;
  const auto find_below = [&](fs::path folder, const fs::path& parts) -> std::optional<fs::path> {
    for (const fs::path& part : parts) {
      const Listings::Entry* found = listings.find(folder, part, true);
      if (!found) return std::nullopt;
      folder /= found->name;
    }
    return folder;
  };
  const auto found = find_below(root, to);
  if (!found) return std::nullopt;
  const fs::path below = fs::path(tail.substr(tail.find('/') + 1)).parent_path();
  const auto folder = find_below(*found, below);
  if (!folder) return std::nullopt;
  SiblingFolder sibling{.name = found->native().substr((root / "").native().size()),
                        .path = *folder / "",
                        .key = {},
                        .depth = std::distance(below.begin(), below.end())};
  if (const auto before = before_tail(pictures.key, tail))
    sibling.key = *before + sibling.name + "/" + tail.substr(tail.find('/') + 1);
  return sibling;
}

namespace {

std::string lower_name(const fs::path& folder) { return lower_case(folder.filename().string()); }

/// The parts of a name for which `is_left_out` is false.
template <typename IsLeftOut>
std::vector<std::string> other_parts(const std::string& name, IsLeftOut is_left_out) {
  std::vector<std::string> parts;
  const std::string lower = lower_case(name);
  for (std::size_t at = 0; at < lower.size();) {
    const std::size_t end = std::min(lower.find_first_of("_-. ", at), lower.size());
    const std::string part = lower.substr(at, end - at);
    if (!part.empty() && !is_left_out(part)) parts.push_back(part);
    at = end + 1;
  }
  return parts;
}

// The words of labels that label_folder_names does not have.
constexpr std::string_view more_words_of_labels[] = {
    "labeltxt", "ann",    "anns",  "anno", "annos", "gt",  "truth", "ground",
    "bbox",     "bboxes", "boxes", "json", "xml",   "txt", "csv",   "meta"};
constexpr std::string_view words_of_pictures[] = {"image",      "images",   "img",    "imgs",
                                                  "jpegimages", "pictures", "photos", "frames"};

bool is_word_of_labels(std::string_view part) {
  return std::ranges::count(label_folder_names, part) +
             std::ranges::count(more_words_of_labels, part) >
         0;
}

bool is_word_of_pictures(std::string_view part) {
  return std::ranges::count(words_of_pictures, part) > 0;
}

std::vector<std::string> all_parts(const std::string& name) {
  return other_parts(name, [](std::string_view) { return false; });
}

}  // namespace

bool is_image_folder(const fs::path& folder) {
  const std::string name = lower_name(folder);
  return name == "images" || name == "jpegimages" || name == "leftimg8bit";
}

bool are_labels_of(const std::string& folder, const std::string& pictures) {
  const std::vector<std::string> parts = other_parts(folder, is_word_of_labels);
  if (parts == all_parts(folder)) return false;  // it does not say that it holds labels
  return parts.empty() || parts == other_parts(pictures, is_word_of_pictures);
}

fs::path described_folder(const fs::path& label_file) {
  const fs::path folder = fs::path(normal_path(label_file)).parent_path();
  return lower_name(folder) == "annotations" ? folder.parent_path() : folder;
}

bool belongs_to_any(const std::string& stem, const std::set<std::string>& pictures) {
  const auto of_mask = stem_of_mask(stem);
  return pictures.contains(stem) || pictures.contains(stem.substr(0, variant_place(stem))) ||
         (of_mask && pictures.contains(std::string(*of_mask)));
}

LabelPlaces::LabelPlaces(const FileList& files) {
  std::set<std::uint32_t> seen;
  for (const FoundFile& file : files)
    if (file.is_own_picture() && seen.insert(file.folder).second) add(files.folder_of(file));
}

void LabelPlaces::add(const FileList::Folder& pictures) {
  const fs::path in_input = folders_below_input(pictures);
  auto below_input = std::distance(in_input.begin(), in_input.end());
  fs::path at = fs::path(normal_path(pictures.path)).parent_path(), below;
  for (; at.has_relative_path(); below = at, at = at.parent_path(), --below_input) {
    if (below_input >= 0 || is_image_folder(below)) folders_.insert(at);
    if (below_input == -1) parents_.insert(at);
  }
}

std::set<fs::path> LabelPlaces::all() const {
  std::set<fs::path> all = folders_;
  all.insert(parents_.begin(), parents_.end());
  return all;
}

bool LabelPlaces::is_next_to_input(const fs::path& file) const {
  const fs::path folder = described_folder(file);
  return !folders_.contains(fs::path(normal_path(file)).parent_path()) &&
         parents_.contains(folder) && !folders_.contains(folder);
}

}  // namespace qturn
