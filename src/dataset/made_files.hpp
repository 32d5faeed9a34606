// What a run has made, for the manifest: some bytes for each output, and no names.
#ifndef QTURN_SRC_DATASET_MADE_FILES_HPP
#define QTURN_SRC_DATASET_MADE_FILES_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "src/run/outcome.hpp"

namespace qturn {

class MadeFiles {
 public:
  struct Hashes {
    ContentHash source, result;
  };
  struct Made {
    Route route;
    std::span<const Hashes> hashes;  ///< of the picture, its label, sidecars and masks
  };

  /// An outcome that is done.
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

}  // namespace qturn

#endif  // QTURN_SRC_DATASET_MADE_FILES_HPP
