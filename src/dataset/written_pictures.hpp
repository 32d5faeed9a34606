// What a run has written, for the files that are about all pictures.
#ifndef QTURN_SRC_DATASET_WRITTEN_PICTURES_HPP
#define QTURN_SRC_DATASET_WRITTEN_PICTURES_HPP

#include <optional>
#include <vector>

#include <qturn/orientation.hpp>

#include "src/dataset/made_files.hpp"
#include "src/plan/jobs.hpp"
#include "src/run/outcome.hpp"

namespace qturn {

/// What the labels of a picture depend on.
struct StoredPicture {
  Orientation orientation;
  Size size;
};

/// All by the numbers of files.
class WrittenPictures {
 public:
  explicit WrittenPictures(const JobList& jobs);

  /// Adds an outcome. One call at a time.
  void add(const Outcome& outcome);
  /// Must be called when all outcomes are added.
  void finish() { made_.finish(); }

  /// The variants that were written, now or by the run that this one resumes; of other operations
  /// than augment, the identity stands for the turn.
  const std::vector<OrientationSet>& variants() const { return variants_; }
  bool empty() const;
  /// The picture as it is stored, if this run has read it and a label file of many pictures may ask
  /// for it.
  std::optional<StoredPicture> stored(std::size_t file) const {
    return file < stored_.size() ? stored_[file] : std::nullopt;
  }
  /// What this run has made, if the pictures have variants.
  const MadeFiles& made() const { return made_; }

 private:
  const bool has_variants_;
  std::vector<OrientationSet> variants_;
  std::vector<std::optional<StoredPicture>> stored_;
  MadeFiles made_;
};

}  // namespace qturn

#endif  // QTURN_SRC_DATASET_WRITTEN_PICTURES_HPP
