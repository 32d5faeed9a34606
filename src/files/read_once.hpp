// A source that reads each file once and keeps its bytes, for files that are needed several times.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>

#include "src/files/source.hpp"
#include "src/picture/bytes.hpp"

namespace qturn {

/// Only one thread may use it at a time.
class ReadOnce : public Source {
 public:
  /// `source` must outlive it.
  explicit ReadOnce(const Source& source) : source_(source) {}

  Original read(const std::filesystem::path& name, FileBytes) const override {
    const Original& kept = kept_of(name);
    return {.path = kept.path,
            .lower_suffix = kept.lower_suffix,
            .bytes = Bytes(kept.bytes.begin(), kept.bytes.end()),
            .state = kept.state,
            .hash = kept.hash};
  }
  std::uint64_t size(const std::filesystem::path& name) const override {
    const auto kept = kept_.find(name);
    return kept == kept_.end() ? source_.size(name) : kept->second.bytes.size();
  }
  void clear() { kept_.clear(); }

 private:
  const Original& kept_of(const std::filesystem::path& name) const {
    const auto kept = kept_.find(name);
    return kept == kept_.end() ? kept_.emplace(name, source_.read(name, {})).first->second
                               : kept->second;
  }

  const Source& source_;
  mutable std::map<std::filesystem::path, Original> kept_;
};

}  // namespace qturn
