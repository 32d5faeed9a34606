// Which files beside pictures are harmless when the pictures are turned and they are not.
//
// A file is about a picture if it has its stem (a.txt, a.jpg.json, gt_a.txt, a_seg.npz for a.jpg),
// or if its text names one. It is harmless
//
//   - if it is of a known kind: a table of suffixes, names and first bytes; or
//   - if it is a text in which no record that names a picture has more than one number. The record
//     of a file with the stem of a picture is the whole file.
//
// A number is a cell, a number of JSON or YAML, or a string that is nothing else, not a digit in a
// sentence. Those do not count that say no place: columns of 0, 1 and -1, a column that counts up
// by one, the size of the picture itself, members that are known to be about the whole picture
// (iso, latitude, score), and 64 numbers or more, many of them negative, which are an embedding.
//
// What is not harmless need not be dangerous. The user is asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <qturn/orientation.hpp>

#include "src/labels/many/shared_label.hpp"
#include "src/labels/text/any_text.hpp"

namespace qturn {

/// So much is read of a text that has named no picture in its first text_head_bytes.
inline constexpr std::size_t most_text_bytes = 1 << 22;

enum class KnownKind : std::uint8_t { none, harmless, keeps_crops };
/// By its path. `keeps_crops`: of a program that develops pictures, which keeps crops in it.
KnownKind known_kind(const std::filesystem::path& file);
/// By its first bytes.
bool is_known_text(std::string_view head);

/// Pictures, by their stems. Case does not matter. They may come in any order.
class PictureNames {
 public:
  void add(std::string_view name, std::size_t number);
  bool empty() const { return stems_.empty(); }
  /// The number of one with this stem. `stem`: xxh64 of it in lower case.
  std::optional<std::size_t> find(std::uint64_t stem) const;
  /// Of those that a file is about by its name.
  std::vector<std::size_t> of_file(std::string_view name) const;

 private:
  mutable std::vector<std::pair<std::uint64_t, std::size_t>> stems_;
  mutable bool are_sorted_ = true;
};

/// Whether a text names any of them.
bool names_any(std::string_view text, const PictureNames& pictures);
/// The hashes of all stems that a file may be about, ascending: by its name and by its text.
std::vector<std::uint64_t> stems_in(std::string_view name, std::string_view text);

struct Suspicion {
  std::string why;  ///< after the name of the file: "names 3 pictures with 4 numbers each: x, y"
  std::vector<std::size_t> pictures = {};  ///< that it is about; ascending
};

using SizeOfPicture = std::function<std::optional<Size>(std::size_t number)>;

/// Nothing if a file that is not of a known kind is harmless, or about no picture. `head`: the
/// first bytes of it. `own`: the pictures that it is about by its name; then `all` may be empty.
std::optional<Suspicion> suspicion_of(const std::filesystem::path& file, std::string_view head,
                                      const std::vector<std::size_t>& own, const PictureNames& all,
                                      const SizeOfPicture& size_of);

/// The same of a file of the sample of a picture. `picture`: its size, if it is known.
std::optional<Suspicion> suspicion_beside(const std::filesystem::path& file,
                                          std::string_view content,
                                          const std::optional<Size>& picture = {});

/// The name of a format that is turned where its files are looked for; empty if it is none.
/// `lower_suffix`, `head`: of a file.
std::string_view turned_format(std::string_view lower_suffix, std::string_view head);
/// The format of a label file of many pictures; null if it is none.
const SharedLabelFormat* shared_format_of(std::string_view lower_suffix, std::string_view head);
/// "BDD100K labels are not turned with their pictures; convert them to COCO". Empty if the format
/// is not known.
std::string format_in_words(std::string_view lower_suffix, std::string_view head);

}  // namespace qturn
