// The formats of labels of one picture each, and how any of them is turned.
#pragma once

#include <qturn/orientation.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "src/labels/label_shapes.hpp"
#include "src/labels/one/yolo.hpp"
#include "src/labels/swap_pairs.hpp"

namespace qturn {

struct LabelFormat;

/// How labels are read and turned.
struct LabelRule {
  const LabelFormat* format = nullptr;
  std::optional<Keypoints> keypoints = {};  ///< not set: it is not known whether there are any
  ClassSwap swap = {};                      ///< as the labels give classes
};
inline const LabelRule no_rule;

/// What a label is turned by.
struct LabelTurn {
  Orientation orientation = Orientation::identity;
  Size size = {};         ///< of the picture before the turn, in the frame of the labels
  std::string_view name;  ///< of the turned picture's file
  const LabelRule& rule = no_rule;
  std::span<const std::byte> picture = {};  ///< the turned picture's file
  bool comes_beside = false;  ///< the turned label lies beside its picture, the label did not
};

/// Gives the text of a label, turned, any number of times. Throws LabelError. One thread at a time
/// may call it.
using ParsedLabel = std::function<std::string(const LabelTurn&)>;

struct LabelFormat {
  std::string_view option, name, suffix;
  std::string_view pictures, labels;     ///< folders beside each other, in lower case; may be empty
  bool (*is_of)(std::string_view text);  ///< whether a text looks like one
  /// A format has one of the two. What takes long to parse is parsed once for all variants of its
  /// picture; then `text` must outlive the result. Both throw LabelError.
  std::string (*turn)(std::string_view text, const LabelTurn& turn) = nullptr;
  ParsedLabel (*parse)(std::string_view text) = nullptr;
  LabelContent (*read)(std::string_view text, const std::optional<Keypoints>& keypoints);
  /// What ends the stems of pictures, in lower case, and what the labels have there.
  std::string_view picture_end = {}, label_end = {};
  /// A folder beside that of the pictures, of what no turn leaves true: then nothing is turned.
  std::string_view untrue_after_turn = {};
  bool lies_apart = false;          ///< never in the folder of the pictures
  bool follows_whole_name = false;  ///< "a.jpg.json" of "a.jpg"
  bool is_named_only = false;       ///< it is not looked for
  /// Whether one label proves that all of its set are of another format, which is called `other`.
  bool (*is_of_other)(std::string_view text) = nullptr;
  std::string_view other = {};

  std::string turned(std::string_view text, const LabelTurn& by) const {
    return parse ? parse(text)(by) : turn(text, by);
  }
};

/// The rows, each defined by labels/one/<name>.cpp.
extern const LabelFormat yolo_format, voc_format, labelme_format, dota_format, supervisely_format,
    cityscapes_format, kitti_format, voc_from_zero_format;

/// In the order in which they are told apart.
inline constexpr std::array<std::reference_wrapper<const LabelFormat>, 8> label_formats = {
    yolo_format,        voc_format,        labelme_format, dota_format,
    supervisely_format, cityscapes_format, kitti_format,   voc_from_zero_format};

/// Whether a text begins like a label of KITTI, in 3D or not.
bool is_any_kitti(std::string_view text);

}  // namespace qturn
