// The way out to files: into a folder, or in place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "src/files/backup.hpp"
#include "src/files/group_commit.hpp"
#include "src/files/journals.hpp"
#include "src/files/real_places.hpp"
#include "src/files/safe_file.hpp"
#include "src/sample/sidecars.hpp"
#include "src/sinks/sample_writer.hpp"

namespace qturn {

/// What to do with XMP files beside pictures. In place, those that agree with their picture are
/// turned with it unless they are ignored.
enum class Sidecars : std::uint8_t { ignore, report, turn };

struct FileWriterOptions {
  bool in_place = false;
  bool inputs_are_files = true;  ///< whose modes and times the results get
  bool is_ordered = false;       ///< two results of one name: the one of the earlier sample stays
  IfExists if_exists = IfExists::fail;
  Sidecars sidecars = Sidecars::ignore;
  Believe believe = Believe::neither;
  Fsync fsync = Fsync::each;
  const RealPlaces* places = nullptr;  ///< of results; it must outlive the writer
};

/// Names are paths of files. In place, a result and its sidecars replace what they are made of.
class FileSampleWriter : public SampleWriter {
 public:
  /// `journals`: null if there are none. They must outlive the writer.
  explicit FileSampleWriter(const FileWriterOptions& options, Journals* journals = nullptr);
  FoundSidecars sidecars_beside(const std::filesystem::path& picture,
                                Orientation stored) const override;
  Companions found_companions(const Result& result, const FoundSidecars& sidecars,
                              std::vector<Sentence>& warnings) const override;
  std::unique_ptr<StagedResult> stage(const Result& result,
                                      const Companions& companions) const override;
  bool is_done(const Result& result) const override;
  bool is_ordered() const override { return options_.is_ordered; }
  int results_on_their_way() const override;
  std::vector<std::string> finish() override;

 private:
  bool decides() const {
    return options_.sidecars == Sidecars::turn || options_.believe != Believe::neither;
  }

  const FileWriterOptions options_;
  Journals* const journals_;
  const std::unique_ptr<GroupCommit> commits_;
  mutable SharedStems shared_stems_;
};

}  // namespace qturn
