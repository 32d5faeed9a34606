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
    no_shards,           ///< there is nothing to be merged
    shards_incomplete,   ///< `count` of them, so that they cannot be merged
    tar_changed,         ///< one that a shard has written
  };

  /// `place`: the output, or the file in it that is the reason. `count`: of shards.
  OutputError(Reason reason, std::filesystem::path place, const std::string& sentence,
              std::uint64_t count = 0)
      : PlanError(sentence), reason_(reason), place_(std::move(place)), count_(count) {}

  Reason reason() const { return reason_; }
  const std::filesystem::path& place() const { return place_; }
  std::uint64_t count() const { return count_; }

 private:
  Reason reason_;
  std::filesystem::path place_;
  std::uint64_t count_;
};

}  // namespace qturn

#endif  // QTURN_SRC_DATASET_OUTPUT_ERROR_HPP
