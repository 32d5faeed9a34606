// Where the pictures of `qturn check` go: nowhere. Each is compared with itself, with the XMP files
// beside it and, if asked for, with its labels.
#pragma once

#include <qturn/pictures.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "src/check/label_check.hpp"
#include "src/sample/sidecars.hpp"
#include "src/sinks/sample_writer.hpp"

namespace qturn {

class CheckWriter final : public SampleWriter {
 public:
  /// `labels`: null if they are not checked; must outlive it.
  explicit CheckWriter(const Limits& limits, LabelCheck* labels = nullptr)
      : limits_(limits), labels_(labels) {}

  /// What was found in the labels of a picture whose outcome is known. Once.
  std::vector<LabelFinding> take_label_findings(std::size_t job);

  /// Warns of what in the file's orientation metadata does not agree or is damaged. Writes nothing.
  /// Throws ImageFileError if the header cannot be read.
  std::unique_ptr<StagedResult> stage(const Result& result,
                                      const Companions& companions) const override;

 private:
  const Limits limits_;
  LabelCheck* const labels_;
  mutable std::mutex mutex_;  // guards what follows
  mutable std::map<std::size_t, std::vector<LabelFinding>> found_;
  mutable SharedStems shared_stems_;
};

}  // namespace qturn
