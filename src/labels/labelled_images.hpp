// What a label file of many pictures says of each of them. Memory grows with the pictures, not with
// the labels: the file is read before any picture is turned, and again when it is known which
// variants are there.
#pragma once

#include <fmt/format.h>
#include <qturn/orientation.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/labels/swap_pairs.hpp"
#include "src/labels/text/label_text.hpp"

namespace qturn {

/// Why a label with a `box_size` that is the picture's is not turned.
inline constexpr const char* box_as_large_as_picture =
    "a box is as large as the picture and does not begin at its corner; if width and height are "
    "the picture's, call their columns image_width and image_height";

/// Why a label whose `boxes_reach` is not within the picture is not turned.
inline constexpr const char* box_beyond_picture =
    "a box goes beyond the picture, so its numbers may not be x, y, width and height in pixels";

class LabelledImages {
 public:
  struct Image {
    std::string file_name = {};
    std::optional<Size> size = {};         ///< if the file says it
    std::optional<Size> box_size = {};     ///< of a box that does not begin at the picture's corner
    std::optional<Size> boxes_reach = {};  ///< so far, if a file is refused where that is too far
    TextPlace place = {};
    std::uint64_t annotations = 0;
    bool is_listed = false;             ///< false: only annotations speak of it
    std::set<std::string> others = {};  ///< what may be names of other files: its mask
  };

  LabelledImages() = default;
  explicit LabelledImages(ClassSwap swap) : swap_(std::move(swap)) {}
  LabelledImages(LabelledImages&&) = default;
  LabelledImages& operator=(LabelledImages&&) = default;
  virtual ~LabelledImages() = default;

  std::size_t size() const { return images_.size(); }
  const Image& operator[](std::size_t index) const { return images_[index]; }

  /// Why the labels of an image cannot be turned, with the place in the file, at all or where
  /// the picture is mirrored; empty if they can.
  std::string problem(std::size_t image) const { return found_in(problems_, image); }
  std::string mirror_problem(std::size_t image) const { return found_in(mirror_problems_, image); }

  /// The same, where the turn does not keep percentages (geometry.hpp).
  std::string percent_problem(std::size_t image) const {
    return found_in(percent_problems_, image);
  }

  /// Names of classes that are left or right, and do not change places in a mirror.
  const std::set<std::string>& sides() const { return sides_; }
  /// Classes that change places, as the file gives them, and the names of those in the file.
  const ClassSwap& swap() const { return swap_; }
  const std::set<std::string>& swapped() const { return swapped_; }

  /// The name of the mask of an image that the labels are about; empty if they are about none.
  virtual std::string mask_of(std::size_t /*image*/) const { return ""; }

  /// Whether it has coordinates, or the size of a picture. If not, pictures are turned as without
  /// it, and it is written for them.
  virtual bool has_geometry() const { return true; }

  /// Whether boxes that are read as x, y, width and height may as well be two corners: no box of
  /// the file is against it.
  virtual bool may_be_corners() const { return false; }

  /// What is to be said about the labels before they are turned; or empty.
  virtual std::string note() const { return ""; }

 protected:
  std::vector<Image> images_;
  std::map<std::size_t, std::string> problems_, mirror_problems_, percent_problems_;  // by image
  ClassSwap swap_;

  void saw_class(const std::string& name) {
    if (swap_.contains(name))
      swapped_.insert(name);
    else if (names_a_side(name))
      sides_.insert(name);
  }

 private:
  std::set<std::string> sides_, swapped_;

  static std::string found_in(const std::map<std::size_t, std::string>& problems,
                              std::size_t image) {
    const auto found = problems.find(image);
    return found == problems.end() ? "" : found->second;
  }
};

/// What the user asked for, and what is done to the labels.
struct VariantTurn {
  /// Nothing if a picture has one result, which keeps its ids.
  std::optional<Orientation> variant = Orientation::identity;
  Orientation orientation = Orientation::identity;
};

inline constexpr std::int64_t longest_side = std::int64_t{1} << 31;  ///< of a picture

/// The id of one of several variants, of a whole number without a sign: 8 times that, and the
/// number of the variant. Ids that are hashes fill 64 bits, so it is computed by digits.
inline std::string id_of_variant(std::string id, Orientation variant) {
  int carry = static_cast<int>(variant) - 1;
  for (std::size_t at = id.size(); at-- > 0; carry /= 10) {
    carry += 8 * (id[at] - '0');
    id[at] = static_cast<char>('0' + carry % 10);
  }
  if (carry > 0) id.insert(0, std::to_string(carry));
  const std::size_t first = id.find_first_not_of('0');
  return first == std::string::npos ? "0" : id.substr(first);
}

/// A turned picture that is in its place.
struct LabelledVariant {
  VariantTurn turn;
  std::string name;         ///< of its file; its absolute path, if the labels name pictures so
  Size size = {};           ///< of the picture before the turn, in the frame of the labels
  std::uint64_t bytes = 0;  ///< of its file, if the labels say that
  std::map<std::string, std::string> others = {};  ///< names of files that turn with it, after it
  /// What the file says about the picture stays as it is, even if it cannot be turned.
  bool is_kept = false;
};

/// Returns the variants of an image, by its index.
using VariantsOf = std::function<const std::vector<LabelledVariant>&(std::size_t image)>;
/// Takes the text of a new file part by part.
using AppendText = std::function<void(std::string_view text)>;

/// "3:14: why"
inline std::string at_place(TextPlace place, const std::string& why) {
  return fmt::format("{}:{}: {}", place.line, place.column, why);
}

/// "images/a__flop.jpg" for "images/a.jpg": the folders stay. They may be separated as on Windows.
/// A name that is an absolute path takes the place of all.
inline std::string renamed(const std::string& file_name, std::string_view name) {
  if (name.starts_with('/')) return std::string(name);
  return file_name.substr(0, file_name.find_last_of("/\\") + 1) + std::string(name);
}

/// Whether a value of a label may be the name of a file: it has a suffix.
inline bool may_name_file(std::string_view value) {
  constexpr std::size_t longest_suffix = 5;
  const std::size_t dot = value.rfind('.');
  return dot != value.npos && dot > 0 && value.size() - dot <= longest_suffix &&
         value.size() > dot + 1 && !is_number(value);
}

}  // namespace qturn
