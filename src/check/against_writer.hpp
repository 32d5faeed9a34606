// Where the originals of `qturn check --against` go: nowhere. Each has a counterpart, which another
// run or another program has made of it, and which takes the place of a result.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "src/plan/file_list.hpp"
#include "src/sinks/sample_writer.hpp"

namespace qturn {

/// Pairs by key, with its suffix, or else without it where that is not ambiguous.
class Counterparts {
 public:
  explicit Counterparts(const FileList& files);

  /// The number of its file.
  std::optional<std::size_t> of(const std::string& key) const;

 private:
  std::map<std::string, std::optional<std::size_t>, std::less<>> by_key_, by_stem_;  // or several
};

class AgainstWriter final : public SampleWriter {
 public:
  /// Writes nothing: what can be read back are the counterparts, which lie where the results would.
  std::unique_ptr<StagedResult> stage(const Result& result,
                                      const Companions& companions) const override;
};

}  // namespace qturn
