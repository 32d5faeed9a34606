// The way out to standard output, for one picture.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "src/sinks/sample_writer.hpp"

namespace qturn {

/// Takes one result, without companions. Staging writes it at once, because a stream has no other
/// place.
class StandardOutput : public SampleWriter {
 public:
  explicit StandardOutput(const std::atomic<bool>& stop) : stop_(stop) {}
  std::unique_ptr<StagedResult> stage(const Result& result,
                                      const Companions& companions) const override;

 private:
  const std::atomic<bool>& stop_;
};

}  // namespace qturn
