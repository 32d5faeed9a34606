// Why an output, or the shards in it, keep a run from starting.
#ifndef QTURN_SRC_DATASET_OUTPUT_ERROR_HPP
#define QTURN_SRC_DATASET_OUTPUT_ERROR_HPP

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "src/plan/options.hpp"

namespace qturn {

/// The message says what is there. What to do about it depends on how the user says it, so programs
/// add that.
class OutputError : public PlanError {
 public:
  enum class Reason : std::uint8_t {
    file_exists,         ///< and is not to be replaced
    is_place_of_copy,    ///< the copy of another file would lie there; `place` is its key
    is_complete,         ///< a manifest is there
    is_of_plain_run,     ///< a run that is not in shards works there, or was interrupted
    is_of_shards,        ///< which are not merged
    is_unmerged_input,   ///< an input lies among results of shards that are not merged
    attempt_unfinished,  ///< an earlier attempt of the shard was interrupted
    shards_incomplete,   ///< some are missing, so they cannot be merged
  };

  /// `place`: the output, or the file in it that is the reason.
  OutputError(Reason reason, std::filesystem::path place, const std::string& sentence)
      : PlanError(sentence), reason_(reason), place_(std::move(place)) {}

  Reason reason() const { return reason_; }
  const std::filesystem::path& place() const { return place_; }

 private:
  Reason reason_;
  std::filesystem::path place_;
};

}  // namespace qturn

#endif  // QTURN_SRC_DATASET_OUTPUT_ERROR_HPP
