// Where the pictures of `qturn check` go: nowhere. Each is compared with itself, with the XMP files
// beside it and, if asked for, with its labels.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <qturn/pictures.hpp>

#include "src/check/label_check.hpp"
#include "src/inputs/file_list.hpp"
#include "src/sample/sidecars.hpp"
#include "src/sinks/sample_writer.hpp"

namespace qturn {

class CheckWriter final : public SampleWriter {
 public:
  /// `labels`: null if they are not checked; must outlive it. XMP files are looked for beside
  /// `inputs_are_files`; what lies in a tar brings its own.
  explicit CheckWriter(const Limits& limits, LabelCheck* labels = nullptr,
                       bool inputs_are_files = true)
      : limits_(limits), labels_(labels), inputs_are_files_(inputs_are_files) {}

  /// What was found in the labels of a picture whose outcome is known. Once.
  std::vector<LabelFinding> take_label_findings(std::size_t job);

  /// Warns of what in the file's orientation metadata does not agree or is damaged. Writes nothing.
  /// Throws ImageFileError if the header cannot be read.
  std::unique_ptr<StagedResult> stage(const Result& result,
                                      const Companions& companions) const override;

 private:
  const Limits limits_;
  LabelCheck* const labels_;
  const bool inputs_are_files_;
  mutable std::mutex mutex_;  // guards what follows
  mutable std::map<std::size_t, std::vector<LabelFinding>> found_;
  mutable SharedStems shared_stems_;
};

// Where the originals of `qturn check --against` go: nowhere. Each has a counterpart, which another
// run or another program has made of it, and which takes the place of a result.

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
