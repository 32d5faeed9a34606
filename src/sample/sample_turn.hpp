// A sample in memory: a picture with the files that belong to it, turned without a disk. This does
// for a caller that has rows what a flight does with files and budgets.
#pragma once

#include <qturn/orientation.hpp>
#include <qturn/pictures.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/labels/one/label.hpp"
#include "src/sample/companion.hpp"
#include "src/sample/label_turn.hpp"
#include "src/turn/picture_turn.hpp"

namespace qturn {

/// The caller's bytes, under the name of a file: "x/a.jpg".
struct FileInMemory {
  std::string name;
  std::span<const std::byte> bytes;
  CompanionKind kind = CompanionKind::sidecar;  ///< a sidecar that is not XMP is copied
  const LabelFormat* format = nullptr;          ///< of a label
};

struct Sample {
  FileInMemory picture;
  std::vector<FileInMemory> files;
};

struct SampleOptions {
  PictureOptions picture;
  bool allow_storage_change = false;
  LabelsDrawnOn labels_drawn_on = LabelsDrawnOn::unknown;
  LabelRule rule = {};  ///< without a format: files have theirs
};

struct TurnedSample {
  Bytes picture = {};
  TurnOutcome outcome = {};
  std::vector<Bytes> files = {};  ///< in the order of the sample
  std::vector<std::string> warnings = {};
};

/// Returns one sample for each orientation; the orientations must differ. `names`: what the turned
/// pictures are called, "a__flop.jpg". The picture is decoded once. Throws ImageFileError, whose
/// message names the file, if a file of the sample cannot be turned.
std::vector<TurnedSample> turn_sample(const Sample& sample,
                                      std::span<const Orientation> orientations,
                                      std::span<const std::string> names,
                                      const SampleOptions& options);

}  // namespace qturn
