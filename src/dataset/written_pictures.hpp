// What a run has written, for the files that are about all pictures.
#pragma once

#include <qturn/orientation.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/metadata/metadata_turn.hpp"
#include "src/plan/jobs.hpp"
#include "src/run/outcome.hpp"

namespace qturn {

/// The results of a run, for the manifest. Takes some bytes for each output, and keeps no names.
class MadeFiles {
 public:
  struct Hashes {
    ContentHash source, result;
  };
  struct Made {
    Route route;
    std::span<const Hashes> hashes;  ///< of the picture, its label, sidecars and masks
  };

  /// Adds an outcome that is done.
  void add(const Outcome& outcome);
  /// Sorts what was added. Must be called when all are added.
  void finish();

  /// Nothing if this run has not made it.
  std::optional<Made> of(std::size_t file, Orientation variant) const;

 private:
  struct Entry {
    std::uint32_t file;
    std::uint16_t count;
    Orientation variant;
    Route route;
    std::size_t first;  // of its hashes
  };
  std::vector<Entry> entries_;
  std::vector<Hashes> hashes_;
};

/// The results of a run by the numbers of files.
class WrittenPictures {
 public:
  explicit WrittenPictures(const JobList& jobs);
  /// For labels of many pictures, where the list is not known yet.
  WrittenPictures() : has_variants_(false), asks_for_bytes_(true), grows_(true) {}

  /// Adds an outcome, unless its job has no number of the list. One call at a time.
  void add(const Outcome& outcome);
  /// Must be called when all outcomes are added.
  void finish() { made_.finish(); }
  /// Makes room for so many files.
  void resize(std::size_t files);

  /// The variants that were written, now or by the run that this one resumes, and those that were
  /// there and are left alone, if the plan has not left them out. Without augment, the identity
  /// stands for the one result.
  const std::vector<OrientationSet>& variants() const { return variants_; }
  bool empty() const;
  /// The picture as it is stored, if this run has read it and a label file of many pictures may ask
  /// for it.
  std::optional<StoredPicture> stored(std::size_t file) const {
    return file < stored_.size() ? stored_[file] : std::nullopt;
  }
  /// The size of a result of this run, if a label file of many pictures may ask for it.
  std::optional<std::uint64_t> bytes(std::size_t file, Orientation variant) const;
  /// The results of this run, if the pictures have variants.
  const MadeFiles& made() const { return made_; }
  /// Why pictures failed, by their keys.
  const std::map<std::string, std::string>& failures() const { return failures_; }

 private:
  const bool has_variants_, asks_for_bytes_, grows_;
  std::vector<OrientationSet> variants_;
  std::map<std::pair<std::size_t, Orientation>, std::uint64_t> bytes_;
  std::vector<std::optional<StoredPicture>> stored_;
  MadeFiles made_;
  std::map<std::string, std::string> failures_;
};

}  // namespace qturn
