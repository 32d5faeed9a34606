// The way out to standard output, for one picture.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "src/sinks/sample_writer.hpp"

namespace qturn {

/// Takes one result, without companions. What is staged is written, because a stream has no other
/// place. `files` knows what lies beside the input, of which there may be something to say.
class StandardOutput : public SampleWriter {
 public:
  StandardOutput(const SampleWriter& files, const std::atomic<bool>& stop)
      : files_(files), stop_(stop) {}
  FoundSidecars sidecars_beside(const std::filesystem::path& picture,
                                Orientation stored) const override {
    return files_.sidecars_beside(picture, stored);
  }
  Companions found_companions(const Result& result, const FoundSidecars& sidecars,
                              std::vector<Sentence>& warnings) const override {
    return files_.found_companions(result, sidecars, warnings);
  }
  std::unique_ptr<StagedResult> stage(const Result& result,
                                      const Companions& companions) const override;

 private:
  const SampleWriter& files_;
  const std::atomic<bool>& stop_;
};

}  // namespace qturn
