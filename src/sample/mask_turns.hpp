// The masks of one picture on their way: read once, and turned with each of its outputs. A mask
// stays in its own format, and what would change the value of a pixel is refused.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "src/files/source.hpp"
#include "src/metadata/metadata_turn.hpp"
#include "src/sample/companion.hpp"
#include "src/sample/label_turn.hpp"
#include "src/turn/picture_turn.hpp"

namespace qturn {

/// All that throws names the file of the mask.
class MaskTurns {
 public:
  MaskTurns(std::vector<std::filesystem::path> inputs, const PictureOptions& options)
      : inputs_(std::move(inputs)), options_(options) {}

  bool empty() const { return inputs_.empty(); }

  /// Reads the files and their headers. Throws FileError; ImageFileError for one that is not a
  /// picture, or cannot be turned exactly.
  void read(const Source& source);
  /// For a picture that is turned so. Returns the most memory that the masks take, besides their
  /// files.
  std::uint64_t plan(std::span<const MetadataTurn> turns, LabelsDrawnOn drawn_on);
  /// As it was planned. Throws ImageFileError for any damage; Interrupted.
  void decode(const std::atomic<bool>& stop);
  /// For one of those turns, each of which comes once. Throws ImageFileError if the mask cannot
  /// follow, or is of another size than the picture; Interrupted.
  Companion turn(std::size_t index, const MetadataTurn& turn, const std::filesystem::path& output,
                 const std::atomic<bool>& stop, std::vector<std::string>& warnings);
  /// Compares the mask with `result`, which turn() made for this turn and which was read again.
  /// Throws ProofError; Interrupted.
  void prove(std::size_t index, const MetadataTurn& turn, std::span<const std::byte> result,
             const std::atomic<bool>& stop);
  /// What is no longer true of the masks after that: "its map coordinates (GeoTIFF) in m/a.tif".
  std::vector<std::string> stale_metadata(const MetadataTurn& turn) const;
  void clear() { masks_.clear(); }

 private:
  struct Mask {
    Mask(Original file, const PictureOptions& options);
    Original original;
    PictureTurn picture;
    std::unique_ptr<Lane> lane;
  };
  std::vector<std::filesystem::path> inputs_;
  PictureOptions options_;
  std::vector<std::unique_ptr<Mask>> masks_;
  LabelsDrawnOn drawn_on_ = LabelsDrawnOn::unknown;
  std::vector<Orientation> orientations_;
};

}  // namespace qturn
