// The way out to a tar, or to numbered tars of limited size. Samples keep their order, and the
// files in a sample keep theirs.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/files/journal.hpp"
#include "src/files/safe_file.hpp"
#include "src/files/tar/tar.hpp"
#include "src/sinks/sample_writer.hpp"

namespace qturn {

struct TarWriterOptions {
  std::filesystem::path place;  ///< "-": standard output. Paths of results lie in it
  /// 0: one tar. Otherwise tars are numbered, out-000000.tar, out-000001.tar, ... for out.tar, and
  /// only a tar with a single sample may be larger.
  std::uint64_t largest_bytes = 0;
  IfExists if_exists = IfExists::fail;  ///< of one tar
  bool flushed = true;
  bool verifies = false;      ///< each tar is read again, and compared with what was written
  Journal* record = nullptr;  ///< is told of each tar before it is in its place; or null
};

// A tar that is whole or not there: written beside its place, flushed and renamed as
// safe_file.hpp does it.

/// Its destructor gives it up unless finish() was called.
class TarOutput {
 public:
  /// "-" is standard output, which gives up when `stop` is raised and nobody reads. The options
  /// must outlive it. Throws FileError, as add() and finish() do; Interrupted.
  TarOutput(std::filesystem::path path, const TarWriterOptions& options,
            const std::atomic<bool>& stop);

  void add(std::span<const NewMember> members);
  bool is_empty() const { return is_empty_; }
  /// Puts it in its place. Returns warnings.
  std::vector<std::string> finish();

 private:
  void verify() const;

  const std::filesystem::path path_;
  const TarWriterOptions& options_;
  Hasher hasher_;  // hashes the written bytes, for the record and the proof
  bool is_empty_ = true;
  std::optional<StagedFiles> staged_;  // none: standard output
  TarWriter writer_;
};

/// "out-000012.tar" of "out.tar".
std::filesystem::path numbered_tar(const std::filesystem::path& tar, std::uint64_t number);

class TarSampleWriter : public SampleWriter {
 public:
  /// `stop` must outlive it. Throws FileError, as end_variant() and finish() do.
  TarSampleWriter(TarWriterOptions options, const std::atomic<bool>& stop);

  std::unique_ptr<StagedResult> stage(const Result& result,
                                      const Companions& companions) const override;
  bool is_ordered() const override { return true; }
  void end_variant() const override;
  std::vector<std::string> add_file(const std::filesystem::path& place,
                                    std::span<const std::byte> content) const override;
  void reuse(SpareBytes* spare) const override { spare_ = spare; }
  std::vector<std::string> finish() override;

  /// A file of a sample, and its position in the sample.
  struct Placed {
    std::size_t position;
    NewMember member;
  };

 private:
  void begin() const;
  void add(std::span<const NewMember> members) const;

  const TarWriterOptions options_;
  const std::string prefix_;
  const std::atomic<bool>& stop_;
  mutable SpareBytes* spare_ = nullptr;  // does not change while results are staged
  // Only the one task that puts results in their places uses these.
  mutable std::vector<Placed> variant_;
  mutable std::optional<TarOutput> tar_;
  mutable std::uint64_t number_ = 0, bytes_ = 0;
  mutable std::vector<std::string> warnings_;
};

}  // namespace qturn
