// The way out to standard output, for one picture.
#pragma once

#include <atomic>
#include <cerrno>
#include <memory>
#include <span>
#include <vector>

#include "src/files/content_hash.hpp"
#include "src/files/standard_streams.hpp"
#include "src/picture/errors.hpp"
#include "src/sinks/sample_writer.hpp"

namespace qturn {

/// Takes one result, without companions. Staging writes it at once, because a stream has no other
/// place.
class StandardOutput : public SampleWriter {
 public:
  explicit StandardOutput(const std::atomic<bool>& stop) : stop_(stop) {}
  std::unique_ptr<StagedResult> stage(const Result& result,
                                      const Companions& companions) const override {
    if (!companions.empty())
      throw FileError("standard output takes one file alone", {}, system_code(EINVAL));
    write_to_standard_output(result.bytes, stop_);
    return std::make_unique<Written>(result.bytes);
  }

 private:
  class Written : public StagedResult {
   public:
    explicit Written(std::span<const std::byte> picture) : hash_(hash_of(picture)) {}
    std::vector<ContentHash> hashes() const override { return {hash_}; }

   private:
    ContentHash hash_;
  };

  const std::atomic<bool>& stop_;
};

}  // namespace qturn
