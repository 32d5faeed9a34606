// A tar that is whole or not there: written beside its place, flushed and renamed as
// safe_file.hpp does it.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/files/journal.hpp"
#include "src/files/safe_file.hpp"
#include "src/files/tar/writer.hpp"

namespace qturn {

/// Its destructor gives it up unless finish() was called.
class TarOutput {
 public:
  /// "-" is standard output, which gives up when `stop` is raised and nobody reads. `record` is
  /// told of it before it is in its place; or null. Throws FileError, as all that follows;
  /// Interrupted.
  TarOutput(std::filesystem::path path, IfExists if_exists, bool flushed, Journal* record,
            const std::atomic<bool>& stop);

  void add(std::span<const NewMember> members);
  bool is_empty() const { return is_empty_; }
  /// Puts it in its place. Returns warnings.
  std::vector<std::string> finish();

 private:
  std::filesystem::path path_;
  Journal* record_;
  Hasher hasher_;  // of what is written, for the record
  bool flushed_, is_empty_ = true;
  std::optional<StagedFiles> staged_;  // none: standard output
  TarWriter writer_;
};

}  // namespace qturn
