// Where results go. A writer puts a picture and its companions (XMP sidecars, labels, masks) in
// their places as one outcome.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/files/safe_file.hpp"
#include "src/files/source.hpp"
#include "src/metadata/metadata_turn.hpp"
#include "src/picture/errors.hpp"
#include "src/picture/file_bytes.hpp"
#include "src/plan/jobs.hpp"
#include "src/sample/companion.hpp"

namespace qturn {

/// A picture that is to be written, and how it was made. The source knows the name of its input,
/// the writer the name of its output.
struct Result {
  const Job& job;
  const JobOutput& output;
  std::size_t position = 0;    ///< of the input, as its source counts
  FileState input_state = {};  ///< when it was read
  ContentHash input_hash = {};
  std::optional<StoredPicture> stored = {};  ///< if shared files have labels of it
  std::span<const std::byte> bytes = {};
};

/// A result that is written, but not yet in its place. If it never is, the destructor removes it.
class StagedResult {
 public:
  virtual ~StagedResult() = default;
  /// The warnings about it that are known by now.
  virtual std::vector<std::string> warnings() const { return {}; }
  /// The hashes of the written bytes: first the picture's, then its companions'. Empty if nothing
  /// is written.
  virtual std::vector<ContentHash> hashes() const { return {}; }
  /// Reads what is written back from the file system into `memory`: the picture is 0, its
  /// companions follow. A member of a tar comes from memory, and the tar is read again when it is
  /// whole. Throws FileError. A writer that writes nothing cannot be asked.
  virtual FileBytes read_back(std::size_t /*index*/, FileBytes /*memory*/) const {
    throw std::logic_error("what is written here cannot be read again");
  }
  /// How many bytes of it wait in memory.
  virtual std::uint64_t bytes_held() const { return 0; }
  /// Puts the picture and its companions in their places, and returns when they are there. Throws
  /// only if nothing is in its place; what fails later is a warning that it returns. May wait for
  /// other results, and then suspends the calling task.
  virtual std::vector<std::string> put_in_place() { return {}; }
  /// After put_in_place(): whether all companions are in their places, too.
  virtual bool is_whole() const { return true; }
  /// After put_in_place(): whether the companion with this number is in its place.
  virtual bool has_placed(std::size_t /*companion*/) const { return true; }
};

class SampleWriter {
 public:
  using Companions = std::vector<Companion>;

  virtual ~SampleWriter() = default;

  /// Writes the result and its companions. Once this returns, their bytes are not needed any more.
  virtual std::unique_ptr<StagedResult> stage(const Result& result,
                                              const Companions& companions) const = 0;

  /// Whether a run that was interrupted, and that this one resumes, has put this result in its
  /// place. Throws FileError if something else is there.
  virtual bool is_done(const Job& /*job*/, const JobOutput& /*output*/) const { return false; }

  /// Whether something is in the place of this result, and is to stay.
  virtual bool is_left(const Job& /*job*/, const JobOutput& /*output*/) const { return false; }

  /// Whether results are put in their places in the order of their samples, one at a time.
  virtual bool is_ordered() const { return false; }
  /// The results of all pictures of a sample, for one of its variants, are in their places.
  virtual void end_variant() const {}
  /// Adds a file about many pictures, when their results are in their places. Returns warnings.
  /// Throws FileError.
  virtual std::vector<std::string> add_file(const std::filesystem::path& /*place*/,
                                            std::span<const std::byte> /*content*/) const {
    throw std::logic_error("no file about many pictures is written here");
  }
  /// From now on large results wait in memory that comes from `spare` and goes back there; null: no
  /// longer.
  virtual void reuse(SpareBytes* /*spare*/) const {}
  /// Ends a run: puts the rest in place, and blocks until all is on the disk. Returns
  /// warnings.
  virtual std::vector<std::string> finish() { return {}; }

  /// How many results may be on their way to their places while other pictures are turned.
  virtual int results_on_their_way() const { return 0; }
};

}  // namespace qturn
