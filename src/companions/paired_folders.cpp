#include "src/companions/paired_folders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "src/files/content_hash.hpp"
#include "src/picture/text.hpp"
#include "src/sample/file_kind.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t fewest = 3;  // cover.jpg in each of two albums says nothing
constexpr std::string_view digits = "0123456789";

/// The pictures of a folder, or of one folder and those below it.
struct FolderStems {
  std::string key;
  std::vector<std::uint64_t> stems = {};  // their hashes, ascending
  bool only_counts = true;                // their names have one text before a number
};

/// "frame_" of "frame_0012"; nothing of "frame_0012a".
std::optional<std::string_view> before_number(std::string_view stem) {
  const std::size_t end = stem.find_last_not_of(digits) + 1;
  if (end == stem.size()) return std::nullopt;
  return stem.substr(0, end);
}

std::vector<FolderStems> folders_of(const FileList& files) {
  std::map<std::uint32_t, FolderStems> by_number;
  std::map<std::uint32_t, std::string> before;
  for (const FoundFile& file : files) {
    if (!file.is_own_picture()) continue;
    FolderStems& folder = by_number[file.folder];
    const std::string stem = fs::path(file.name).stem();
    const auto text = before_number(stem);
    const auto [known, is_new] = before.try_emplace(file.folder, text.value_or(""));
    if (!text || *text != known->second) folder.only_counts = false;
    folder.stems.push_back(xxh64(stem, 0));
  }
  std::vector<FolderStems> folders;
  for (auto& [number, folder] : by_number) {
    folder.key = files.folder_at(number).key;
    if (folder.key.ends_with('/')) folder.key.pop_back();
    std::ranges::sort(folder.stems);
    // Clang 14 does not compile std::ranges::unique with GCC's library.
    folder.stems.erase(std::unique(folder.stems.begin(), folder.stems.end()), folder.stems.end());
    if (!folder.key.empty()) folders.push_back(std::move(folder));
  }
  return folders;
}

/// Whether a name is a kind of pictures that belong to pictures of another: "rgb", "image_2".
bool is_of_a_kind(const std::string& name) {
  constexpr std::string_view words[] = {
      "rgb",    "rgbd",  "depth",    "disparity", "disp",    "flow",  "normal", "normals",
      "ir",     "nir",   "thermal",  "infrared",  "visible", "vis",   "lwir",   "left",
      "right",  "input", "target",   "source",    "img",     "imgs",  "gt",     "clean",
      "noisy",  "blur",  "sharp",    "hr",        "lr",      "low",   "high",   "image",
      "images", "color", "colour",   "gray",      "grey",    "pan",   "ms",     "albedo",
      "edges",  "seg",   "semantic", "instance",  "alpha",   "trimap"};
  std::string word;
  bool found = false;
  const auto end_word = [&] {
    found = found || std::ranges::find(words, word) != std::end(words);
    word.clear();
  };
  for (const char c : lower_case(name)) {
    if (c >= 'a' && c <= 'z')
      word += c;
    else
      end_word();
  }
  end_word();
  return found;
}

/// "_seg|_depth", as a regular expression has it.
std::string one_of(const std::vector<std::string>& texts) {
  std::string expression;
  for (const std::string& text : texts) {
    if (!expression.empty()) expression += '|';
    for (const char c : text) {
      if (std::string_view(".[](){}+?*^$|\\").find(c) != std::string_view::npos) expression += '\\';
      expression += c;
    }
  }
  return expression;
}

bool are_paired(const FolderStems& a, const FolderStems& b) {
  std::vector<std::uint64_t> both;
  std::ranges::set_intersection(a.stems, b.stems, std::back_inserter(both));
  const std::size_t all = a.stems.size() + b.stems.size() - both.size();
  return both.size() >= fewest && 10 * both.size() >= 9 * all;
}

/// Folders that may be a pair: their keys differ in one part. By the key without it, and the first
/// hashes, which are the same in folders with the same stems nearly everywhere.
std::map<std::pair<std::string, std::uint64_t>, std::vector<std::size_t>> candidates_in(
    const std::vector<FolderStems>& folders) {
  std::map<std::pair<std::string, std::uint64_t>, std::vector<std::size_t>> candidates;
  constexpr std::size_t first_hashes = 4;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const fs::path key = folders[i].key;
    for (auto part = key.begin(); part != key.end(); ++part) {
      fs::path rest;
      for (auto other = key.begin(); other != key.end(); ++other)
        rest /= other == part ? fs::path("*") : *other;
      for (std::size_t k = 0; k < std::min(first_hashes, folders[i].stems.size()); ++k)
        candidates[{rest.string(), folders[i].stems[k]}].push_back(i);
    }
  }
  return candidates;
}

/// The keys of two folders up to the part in which they differ.
std::pair<std::string, std::string> parts_that_differ(const fs::path& a, const fs::path& b) {
  fs::path before;
  auto x = a.begin(), y = b.begin();
  for (; x != a.end() && y != b.end() && *x == *y; ++x, ++y) before /= *x;
  return {(before / *x).string(), (before / *y).string()};
}

}  // namespace

std::vector<std::vector<std::string>> paired_folders(const FileList& files) {
  const std::vector<FolderStems> folders = folders_of(files);
  std::map<std::string, std::set<std::string>> groups;  // by the first of each
  for (const auto& [of, some] : candidates_in(folders)) {
    const FolderStems& first = folders[some.front()];
    for (std::size_t i = 1; i < some.size(); ++i) {
      const FolderStems& other = folders[some[i]];
      const auto [a, b] = parts_that_differ(first.key, other.key);
      const bool are_called_so = is_of_a_kind(fs::path(a).filename().string()) &&
                                 is_of_a_kind(fs::path(b).filename().string());
      if ((first.only_counts || other.only_counts) && !are_called_so) continue;
      if (groups[a].contains(b) || !are_paired(first, other)) continue;
      groups[a].insert({a, b});
    }
  }
  std::vector<std::vector<std::string>> paired;
  for (const auto& [first, group] : groups)
    if (!group.empty()) paired.emplace_back(group.begin(), group.end());
  return paired;
}

bool PairedNames::are_alike(std::size_t a, std::size_t b) const {
  const auto size = size_of_(a);
  return size && size == size_of_(b);
}

std::optional<std::size_t> PairedNames::add(std::string_view path, std::size_t number) {
  const std::string key(sample_key(path));
  const std::uint64_t hash = xxh64(key, 0);
  whole_.emplace(hash, number);
  const auto longer = worded_.find(hash);
  if (longer != worded_.end() && are_alike(longer->second.number, number)) {
    ends_.insert(longer->second.word);
    return longer->second.number;
  }
  if (const auto other = in_paired_folder(key, number)) return other;
  const std::size_t mark = key.find_last_of("_-. "), name = key.rfind('/') + 1;
  if (mark == key.npos || mark <= name) return std::nullopt;
  const std::string word = key.substr(mark);
  if (std::ranges::none_of(word, [](unsigned char c) { return std::isalpha(c) || c >= 0x80; }))
    return std::nullopt;
  const std::uint64_t base = xxh64(key.substr(0, mark), 0);
  const auto shorter = whole_.find(base);
  if (shorter != whole_.end() && are_alike(shorter->second, number)) {
    ends_.insert(word);
    return shorter->second;
  }
  const auto [other, is_new] = worded_.try_emplace(base, Worded{number, word});
  if (is_new || other->second.word == word) return std::nullopt;
  constexpr std::size_t often = 3;
  if (++word_pairs_[xxh64(other->second.word + word, 0)] < often ||
      !are_alike(other->second.number, number))
    return std::nullopt;
  ends_.insert({other->second.word, word});
  return other->second.number;
}

std::optional<std::size_t> PairedNames::in_paired_folder(const std::string& key,
                                                         std::size_t number) {
  if (!with_folders_) return std::nullopt;
  std::size_t begin = 0;
  for (std::size_t end; (end = key.find('/', begin)) != key.npos; begin = end + 1) {
    const std::string folder = key.substr(begin, end - begin);
    if (!is_of_a_kind(folder)) continue;
    const std::string rest = key.substr(0, begin) + "*" + key.substr(end);
    const auto [other, is_new] = in_folders_.try_emplace(xxh64(rest, 0), std::pair(folder, number));
    if (is_new || other->second.first == folder || !are_alike(other->second.second, number))
      continue;
    folders_.insert({other->second.first, folder});
    return other->second.second;
  }
  return std::nullopt;
}

std::string PairedNames::group() const {
  if (!folders_.empty()) return group_of_folders({folders_.begin(), folders_.end()});
  return fmt::format("(.*?)({})?", one_of({ends_.begin(), ends_.end()}));
}

std::string group_of_folders(const std::vector<std::string>& folders) {
  return fmt::format("(?:.*/)?(?:{})/(.*)", one_of(folders));
}

}  // namespace qturn
