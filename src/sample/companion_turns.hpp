// The files that belong to a picture, on their way with it: labels, sidecars and masks. A flight
// turns files with it, and turn_sample() rows in memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/files/source.hpp"
#include "src/labels/one/label.hpp"
#include "src/metadata/metadata_turn.hpp"
#include "src/sample/companion.hpp"
#include "src/sample/label_turn.hpp"
#include "src/turn/picture_turn.hpp"

namespace qturn {

struct TurnedPicture {
  const MetadataTurn& turn;
  const std::filesystem::path &input, &output;
  std::span<const std::byte> bytes;
};

class CompanionTurns {
 public:
  /// The companions of one result of `picture`; the others are made of the same files, which are
  /// read once. `options` are for masks. `source` must outlive it.
  CompanionTurns(std::filesystem::path picture, std::span<const Companion> companions,
                 const Source& source, const PictureOptions& options, LabelsDrawnOn drawn_on,
                 bool is_made_once);

  /// As MaskTurns: the masks are read, planned and decoded with their picture.
  void read() { masks_.read(source_); }
  std::uint64_t plan(std::span<const MetadataTurn> turns) { return masks_.plan(turns, drawn_on_); }
  void decode(const std::atomic<bool>& stop) { masks_.decode(stop); }

  /// The companion of a result. Throws FileError or ImageFileError, which name it, if it cannot
  /// follow its picture; Interrupted.
  Companion turn(const Companion& companion, const TurnedPicture& picture,
                 const std::atomic<bool>& stop, std::vector<std::string>& warnings);
  /// Compares `result`, which turn() has made and which was read again, with what it was made of.
  /// `picture` has the bytes before the turn. Throws ProofError; Interrupted.
  void prove(const Companion& made, const TurnedPicture& picture, std::span<const std::byte> result,
             const std::atomic<bool>& stop);
  /// What is no longer true of masks, and of world files, once pixels have moved.
  std::vector<std::string> stale_metadata(const MetadataTurn& turn);
  void clear();

 private:
  Companion turn_label(const Companion& label, const TurnedPicture& picture);
  void prove_label(const Companion& label, const TurnedPicture& picture, std::string_view result);
  const std::vector<std::filesystem::path>& world_files();

  const std::filesystem::path picture_;
  const Source& source_;
  const bool is_made_once_;
  const LabelsDrawnOn drawn_on_;
  std::vector<std::filesystem::path> sidecar_inputs_;
  ReadOnce sidecars_;  ///< if there are several results
  /// As they were read, and parsed once for all results. A parse points into the text.
  std::map<std::filesystem::path, std::pair<Companion, ParsedLabel>> labels_;
  MaskTurns masks_;
  /// Those that are not turned, once they were looked for.
  std::optional<std::vector<std::filesystem::path>> world_files_;
};

}  // namespace qturn
