// What the user asks of a plan.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <qturn/orientation.hpp>

#include "src/formats/codec/codec.hpp"
#include "src/inputs/name_list.hpp"
#include "src/inputs/shard.hpp"
#include "src/inputs/variants.hpp"
#include "src/labels/many/shared_label.hpp"
#include "src/labels/one/label.hpp"
#include "src/picture/errors.hpp"

namespace qturn {

/// Nothing can be started, because inputs and output do not make sense together.
class PlanError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Nothing can be started because of labels.
class LabelsError : public PlanError, public Hinted {
 public:
  explicit LabelsError(const std::string& why) : LabelsError(why, {Hint::correct_labels}) {}
  LabelsError(const std::string& why, Hints hints) : PlanError(why), Hinted(std::move(hints)) {}
};

/// What to do with outputs that exist. `resume`: they are jobs, and the journal tells the rest.
enum class Existing : std::uint8_t { refuse, overwrite, skip, update, resume };
/// What to do with files that are not pictures: leave them, or copy them. `stop`: a file stops the
/// run if it is about pictures and neither turned nor known to be harmless.
enum class Others : std::uint8_t { leave, copy, stop };

/// Which label files are turned with their pictures. `found`: all that are found, and a label that
/// is found but not turned counts as a leftover; `one_format`: one format alone; `one_file`: one
/// file of many pictures alone.
enum class TakeLabels : std::uint8_t { none, found, one_format, one_file };

struct LabelOptions {
  TakeLabels take = TakeLabels::none;
  /// `format`: the one format. `keypoints`: not set if the data set's YAML file says it. `swap`:
  /// from `swap_pairs`, for labels in a tar.
  LabelRule rule = {};
  std::filesystem::path folder = {};  ///< where they lie, under the keys of the pictures; or empty
  const SharedLabelFormat* file_format = nullptr;  ///< of the one file
  std::filesystem::path file = {};        ///< the one; empty: all of `file_format` that are found
  std::filesystem::path swap_pairs = {};  ///< a file of pairs (swap_pairs.hpp); or empty
};

/// Which masks are turned with their pictures: all that are found, or the masks in a folder.
struct MaskOptions {
  bool take = false;
  std::filesystem::path folder = {};  ///< where they lie, under the keys of the pictures; or empty
};

struct PlanOptions {
  std::vector<std::filesystem::path> inputs;  ///< files and folders, as given
  NameList listed;                            ///< from --files-from, as written there
  /// Instead of `inputs` and `listed`: the picture that standard input holds.
  std::optional<std::span<const std::byte>> standard_input = {};
  std::filesystem::path output;  ///< empty: in place
  /// Instead of files, the results are samples of tars, with all that belongs to the pictures.
  bool to_samples = false;
  std::filesystem::path base;  ///< --base
  std::vector<std::string> include,
      exclude;  ///< globs: matched against the key and against the file name
  bool hidden = false;
  bool follow = false;
  bool raw = false;  ///< --raw: camera raw files are pictures too
  bool break_links = false;
  std::filesystem::path backup;  ///< in place: where runs keep originals under their keys; or empty
  bool sidecars = false;         ///< the XMP files beside pictures are written too
  Others others = Others::stop;
  Existing existing = Existing::refuse;
  bool only_tagged = false;       ///< a picture whose tag is upright is not turned
  const Codec* format = nullptr;  ///< --format; null: each input's own
  std::vector<Orientation>
      variants;             ///< augment: outputs are named <stem>__<orientation><ext>; else empty
  int random_variants = 0;  ///< augment --random: this many of the eight, chosen by seed and key
  std::uint64_t seed = 0;
  DrawGroup group = {};  ///< --group
  /// Whether a picture may have several results, with their variants' names; and how many at most.
  bool has_variants() const { return !variants.empty() || random_variants > 0; }
  std::size_t most_variants() const {
    return std::max({std::size_t{1}, variants.size(), static_cast<std::size_t>(random_variants)});
  }
  /// If set, only the samples of this shard are written.
  std::optional<Shard> shard = {};
  LabelOptions labels = {};
  MaskOptions masks = {};
};

}  // namespace qturn
