// How labels and masks follow a picture; masks, read and turned.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/files/source.hpp"
#include "src/labels/text/label_text.hpp"
#include "src/metadata/metadata_turn.hpp"
#include "src/sample/companion.hpp"
#include "src/turn/picture_turn.hpp"

namespace qturn {

/// The frame of labels: the pixels as they are stored, or the picture as a viewer shows it. The two
/// differ if the picture is tagged.
enum class LabelsDrawnOn : std::uint8_t { unknown, stored, upright };

/// What a label file of many pictures says about one.
struct SharedLabel {
  std::filesystem::path file;
  TextPlace place;           ///< in it
  std::optional<Size> size;  ///< of the picture, in the frame of the labels, if the file says it
  std::optional<Size> box_size = {};     ///< of a box in it that does not begin at its corner
  std::optional<Size> boxes_reach = {};  ///< must be within the picture
  bool is_order_named = false;           ///< the user has named the order of a box's numbers
  /// Why its labels cannot be turned, at all or by some turns; or empty.
  std::string problem = {}, mirror_problem = {}, percent_problem = {};
  Hints mirror_hints = {};
};

/// How labels and masks are turned with a picture that is turned in this way. Throws ImageFileError
/// if they cannot follow.
Orientation turn_of_labels(const MetadataTurn& turn, LabelsDrawnOn drawn_on);

/// The same, for a picture's labels in a file of many pictures. Throws FileError if they cannot be
/// turned.
Orientation turn_of_shared_label(const SharedLabel& label, const MetadataTurn& turn,
                                 LabelsDrawnOn drawn_on);

/// The size of the picture before the turn, as labels and masks see it.
Size size_for_labels(const MetadataTurn& turn, LabelsDrawnOn drawn_on);

// The masks of one picture on their way: read once, and turned with each of its outputs. A mask
// stays in its own format, and what would change the value of a pixel is refused.

/// Every error names the file of the mask.
class MaskTurns {
 public:
  MaskTurns(std::vector<std::filesystem::path> inputs, const PictureOptions& options)
      : inputs_(std::move(inputs)), options_(options) {}

  bool empty() const { return inputs_.empty(); }

  /// Reads the files and their headers. Throws FileError; ImageFileError for a file that is not a
  /// picture, or cannot be turned exactly.
  void read(const Source& source);
  /// Plans all turns of the picture. Returns the most memory that the masks take, besides their
  /// files.
  std::uint64_t plan(std::span<const MetadataTurn> turns, LabelsDrawnOn drawn_on);
  /// Decodes what was planned. Throws ImageFileError for any damage; Interrupted.
  void decode(const std::atomic<bool>& stop);
  /// Turns a mask for one of the planned turns. Each turn comes once. Throws ImageFileError if the
  /// mask cannot follow, or has another size than the picture; Interrupted.
  Companion turn(const std::filesystem::path& input, const MetadataTurn& turn,
                 const std::filesystem::path& output, const std::atomic<bool>& stop,
                 std::vector<std::string>& warnings);
  /// Compares the mask with `result`, which turn() made for this turn and which was read again.
  /// Throws ProofError; Interrupted.
  void prove(const std::filesystem::path& input, const MetadataTurn& turn,
             std::span<const std::byte> result, const std::atomic<bool>& stop);
  /// What the turn makes untrue in the masks: "its map coordinates (GeoTIFF) in m/a.tif".
  std::vector<std::string> stale_metadata(const MetadataTurn& turn) const;
  void clear() { masks_.clear(); }

 private:
  struct Mask {
    Mask(Original file, const PictureOptions& options);
    Original original;
    PictureTurn picture;
    std::unique_ptr<Lane> lane;
  };
  Mask& mask_of(const std::filesystem::path& input);

  std::vector<std::filesystem::path> inputs_;
  PictureOptions options_;
  std::vector<std::unique_ptr<Mask>> masks_;
  LabelsDrawnOn drawn_on_ = LabelsDrawnOn::unknown;
  std::vector<Orientation> orientations_;
};

}  // namespace qturn
