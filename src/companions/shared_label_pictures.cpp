#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "src/companions/shared_labels.hpp"
#include "src/files/file_descriptor.hpp"
#include "src/inputs/folder_layout.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/text.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// Whether a word, the name of a folder, is a part of another name, between characters that are
/// neither letters nor digits.
bool is_part_of(const std::string& word, const std::string& name) {
  const auto ends_word = [&](std::size_t at) {
    return at >= name.size() || !std::isalnum(static_cast<unsigned char>(name[at]));
  };
  if (word.empty()) return false;
  for (std::size_t at = 0; (at = name.find(word, at)) != std::string::npos; ++at)
    if ((at == 0 || ends_word(at - 1)) && ends_word(at + word.size())) return true;
  return false;
}

/// Of a label file, with '/' at its end.
std::string own_folder(const fs::path& file) {
  return fs::path(normal_path(file)).parent_path() / "";
}

/// A file_name as a path below a folder: "./a.jpg" and "..\a.jpg" are "a.jpg".
std::string path_below(std::string file_name) {
  std::ranges::replace(file_name, '\\', '/');
  std::string path = fs::path(file_name).lexically_normal().relative_path();
  while (path.starts_with("../")) path.erase(0, 3);
  return path;
}

/// The folder below which a file is called so, with '/' at its end.
std::optional<std::string> folder_above(const std::string& wanted, const std::string& path) {
  const std::size_t before = path.size() - std::min(wanted.size(), path.size());
  if (before == 0 || path[before - 1] != '/' || !path.ends_with(wanted)) return std::nullopt;
  return path.substr(0, before);
}

std::string folder_of(const fs::path& file, const std::map<std::string, std::size_t>& folders) {
  const std::string stem = lower_case(file.stem().string());
  const std::string own = own_folder(file);
  const auto rank = [&](const auto& folder) {
    const std::string word = lower_case(fs::path(folder.first).parent_path().filename().string());
    return std::tuple(folder.first == own, is_part_of(word, stem), folder.second);
  };
  std::vector<std::pair<std::tuple<bool, bool, std::size_t>, std::string>> ranked;
  for (const auto& folder : folders) ranked.emplace_back(rank(folder), folder.first);
  std::ranges::sort(ranked, std::greater<>());
  if (ranked.size() > 1 && ranked[0].first == ranked[1].first) {
    throw PlanError(
        fmt::format("{}: its images may be those in {} and those in {}; name the right folder "
                    "alone as the input",
                    file.string(), ranked[1].second, ranked[0].second));
  }
  return ranked[0].second;
}

/// Whether a file neither lies beside a picture, nor names it by its way from where it lies itself.
bool is_from_elsewhere(const SharedLabels::File& file, const std::string& folder_of_picture,
                       const std::string& folder) {
  return folder != described_folder(file.input) / "" && folder_of_picture != own_folder(file.input);
}

std::string_view stem_of(std::string_view name) { return name.substr(0, name.rfind('.')); }

}  // namespace

SharedLabelPictures::SharedLabelPictures(const FileList& files, const SharedLabelFiles& labels)
    : files_(files) {
  const bool takes_stems = std::ranges::any_of(
      labels, [](const auto& file) { return file.second->names_may_lack_suffix; });
  for (std::size_t number = 0; number < files.size(); ++number) {
    const FoundFile& file = files[number];
    if (!file.is_own_picture()) continue;
    by_name_.emplace(file.name, number);
    if (takes_stems) by_stem_.emplace(stem_of(file.name), number);
    auto& folder = folders_[file.folder];
    if (folder.empty()) folder = normal_path(files.folder_of(file).path);
  }
}

template <typename Visit>
void SharedLabelPictures::for_each_match(const SharedLabels::File& file, Visit visit) const {
  for (std::size_t image = 0; image < file.content->size(); ++image) {
    if (!(*file.content)[image].is_listed) continue;
    const std::string wanted = path_below((*file.content)[image].file_name);
    const std::string_view name = std::string_view(wanted).substr(wanted.rfind('/') + 1);
    auto [first, last] = by_name_.equal_range(name);
    if (first == last && file.format->names_may_lack_suffix)
      std::tie(first, last) = by_stem_.equal_range(name);
    for (auto at = first; at != last; ++at) {
      const std::string path = folders_.at(files_[at->second].folder) + std::string(name);
      if (const auto folder = folder_above(wanted, path)) visit(image, at->second, *folder);
    }
  }
}

bool SharedLabelPictures::any_is_named_in(const fs::path& file) const {
  constexpr std::string_view between = "\"',;:/\\ \t\r\n";
  constexpr std::size_t longest = 1 << 10;
  bool is_named = false;
  std::string rest;
  read_in_parts(file, [&](std::span<const std::byte> part) {
    rest.append(text_of(part));
    std::size_t at = 0;
    for (std::size_t end = 0; (end = rest.find_first_of(between, at)) != rest.npos; at = end + 1) {
      const std::string word = rest.substr(at, end - at);
      is_named = is_named || by_name_.contains(word) || by_stem_.contains(word);
    }
    rest.erase(0, std::max(at, rest.size() - std::min(rest.size(), longest)));
    return !is_named;
  });
  return is_named || by_name_.contains(rest) || by_stem_.contains(rest);
}

void SharedLabelPictures::refuse_two(const SharedLabels::File& file, std::size_t image,
                                     std::size_t picture) const {
  const LabelledImages::Image& named = (*file.content)[image];
  const FoundFile &first = files_[*file.pictures[image]], &second = files_[picture];
  if (files_.id(first) == files_.id(second)) {
    throw PlanError(fmt::format(
        "{} is found twice, as {} and as {}, and {} could name one of them only; name it once",
        files_.path(first), files_.key(first), files_.key(second), file.input.string()));
  }
  throw PlanError(fmt::format(
      "{}:{}", file.input.string(),
      at_place(named.place, fmt::format("{} may be {} or {}; name it with its suffix",
                                        named.file_name, files_.path(files_[*file.pictures[image]]),
                                        files_.path(files_[picture])))));
}

void SharedLabelPictures::add_described_beside(const SharedLabels::File& file) {
  const std::string own = own_folder(file.input);
  for_each_match(file, [&](std::size_t, std::size_t picture, const std::string& folder) {
    if (folder == own && folders_.at(files_[picture].folder) == own)
      described_beside_.insert(picture);
  });
}

bool SharedLabelPictures::is_of_another(const SharedLabels::File& file, std::size_t picture,
                                        const std::string& folder) const {
  return described_beside_.contains(picture) &&
         is_from_elsewhere(file, folders_.at(files_[picture].folder), folder);
}

void SharedLabelPictures::find_those_of(SharedLabels::File& file) const {
  std::map<std::string, std::size_t> folders;
  for_each_match(file, [&](std::size_t, std::size_t picture, const std::string& folder) {
    if (!is_of_another(file, picture, folder)) ++folders[folder];
  });
  file.pictures.resize(file.content->size());
  if (folders.empty()) return;
  const std::string chosen = folder_of(file.input, folders);
  for_each_match(file, [&](std::size_t image, std::size_t picture, const std::string& folder) {
    if (folder != chosen || is_of_another(file, picture, folder)) return;
    if (file.pictures[image]) refuse_two(file, image, picture);
    file.pictures[image] = picture;
  });
  file.found = folders[chosen];
}

void SharedLabelImages::add(const SharedLabels::File& file) {
  if (!file.content->has_geometry()) return;
  for (std::size_t image = 0; image < file.content->size(); ++image)
    if ((*file.content)[image].is_listed)
      by_name_.emplace(fs::path(path_below((*file.content)[image].file_name)).filename(),
                       Image{&file, image});
}

std::vector<SharedLabel> SharedLabelImages::of(const fs::path& picture) const {
  const std::string path = normal_path(picture), own = own_folder(path);
  std::vector<std::pair<Image, std::string>> found;
  const auto find = [&](const std::string& called, bool lacks_suffix) {
    const auto [first, last] = by_name_.equal_range(called.substr(called.rfind('/') + 1));
    for (auto at = first; at != last; ++at) {
      const auto& [file, number] = at->second;
      if (lacks_suffix && !file->format->names_may_lack_suffix) continue;
      if (auto folder = folder_above(path_below((*file->content)[number].file_name), called))
        found.emplace_back(at->second, std::move(*folder));
    }
  };
  find(path, false);
  if (const std::string stem(stem_of(path)); stem.size() < path.size()) find(stem, true);
  const bool is_described_beside = std::ranges::any_of(found, [&](const auto& each) {
    return each.second == own && own_folder(each.first.file->input) == own;
  });
  std::vector<SharedLabel> labels;
  for (const auto& [image, folder] : found)
    if (!is_described_beside || !is_from_elsewhere(*image.file, own, folder))
      labels.push_back(SharedLabels::label_of(*image.file, image.number));
  return labels;
}

}  // namespace qturn
