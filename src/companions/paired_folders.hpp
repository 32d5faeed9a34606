// Folders whose pictures belong together by their names: rgb/0001.png and depth/0001.png. --random
// chooses for each path separately, so such pictures get different variants.
//
// Two folders are a pair if nine in ten of their stems are in both. Names that only count, as 1.jpg
// to 500.jpg in each folder of a class, make a pair only of folders that are called as ones that
// belong together are: rgb and depth, left and right, input and target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <qturn/orientation.hpp>

#include "src/inputs/file_list.hpp"

namespace qturn {

/// Groups of folders, by their keys without '/' at the end.
std::vector<std::vector<std::string>> paired_folders(const FileList& files);

/// "(?:.*/)?(?:img|gt)/(.*)": what --group may say of pictures in folders.
std::string group_of_folders(const std::vector<std::string>& folders);

/// Pictures of one size in one folder whose names differ by a word at their ends: a.png and
/// a_seg.png; or, if that is so three times, a_rgb.png and a_depth.png. A word has a letter, and
/// '_', '-', '.' or a blank goes before it. Of a tar, also pictures of the same name and size in
/// folders that are called as ones that belong together.
class PairedNames {
 public:
  using SizeOf = std::function<std::optional<Size>(std::size_t number)>;
  explicit PairedNames(SizeOf size_of, bool with_folders = false)
      : size_of_(std::move(size_of)), with_folders_(with_folders) {}

  /// The number of one that came before and is a pair with this one. `number`: what size_of knows
  /// it by.
  std::optional<std::size_t> add(std::string_view key, std::size_t number);
  /// What --group may say so that all that were found get the same variants: "(.*?)(_seg|_depth)?".
  std::string group() const;

 private:
  struct Worded {
    std::size_t number;
    std::string word;
  };
  bool are_alike(std::size_t a, std::size_t b) const;
  std::optional<std::size_t> in_paired_folder(const std::string& key, std::size_t number);

  const SizeOf size_of_;
  const bool with_folders_;
  std::unordered_map<std::uint64_t, std::size_t> whole_;       // by the key
  std::unordered_map<std::uint64_t, Worded> worded_;           // by the key without the word
  std::unordered_map<std::uint64_t, std::size_t> word_pairs_;  // how often both were seen
  std::unordered_map<std::uint64_t, std::pair<std::string, std::size_t>> in_folders_;
  std::set<std::string> ends_, folders_;
};

}  // namespace qturn
