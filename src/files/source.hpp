// Where samples come from: files, or memory that keeps them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "src/files/content_hash.hpp"
#include "src/files/safe_file.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/file_bytes.hpp"

namespace qturn {

/// A file as it was when it was read.
struct Original {
  std::filesystem::path path;
  std::string lower_suffix;  ///< ".tga": tells what the content cannot
  FileBytes bytes;
  FileState state = {};
  ContentHash hash = {};
};

class Source {
 public:
  virtual ~Source() = default;
  /// Reads the file of this name into `memory`. Throws FileError.
  virtual Original read(const std::filesystem::path& name, FileBytes memory) const = 0;
  /// Whether read() hands over memory that already holds the file.
  virtual bool hands_over() const { return false; }
  /// How many bytes read() will give. Throws FileError.
  virtual std::uint64_t size(const std::filesystem::path& name) const = 0;
  /// The position of the file in its sample. A writer that keeps the order of files gives it to the
  /// result.
  virtual std::size_t position(const std::filesystem::path& /*name*/) const { return 0; }
  /// World files of a picture that lie beside it and are not among the files of its sample.
  virtual std::vector<std::filesystem::path> world_files(
      const std::filesystem::path& /*picture*/) const {
    return {};
  }
};

// A source that reads each file once and keeps its bytes, for files that are needed several times.

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
