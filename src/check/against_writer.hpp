// Where the originals of `qturn check --against` go: nowhere. Each has a counterpart, which another
// run or another program has made of it, and which takes the place of a result.
#ifndef QTURN_SRC_CHECK_AGAINST_WRITER_HPP
#define QTURN_SRC_CHECK_AGAINST_WRITER_HPP

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "src/plan/file_list.hpp"
#include "src/sinks/sample_writer.hpp"

namespace qturn {

/// Pairs by key, with its suffix, or else without it where that is not ambiguous.
class Counterparts {
 public:
  /// `files` must outlive it.
  explicit Counterparts(const FileList& files);

  /// Null: there is none.
  const FoundFile* of(const std::string& key) const;
  std::filesystem::path path(const FoundFile& file) const { return files_.path(file); }

 private:
  const FileList& files_;
  std::map<std::string, const FoundFile*, std::less<>> by_key_, by_stem_;  // null: several
};

class AgainstWriter final : public SampleWriter {
 public:
  /// Both must outlive it.
  explicit AgainstWriter(const Counterparts& counterparts) : counterparts_(counterparts) {}

  /// Writes nothing: what can be read back is the counterpart. Throws FileError if there is none.
  std::unique_ptr<StagedResult> stage(const Result& result,
                                      const Companions& companions) const override;
  bool is_done(const Result& /*result*/) const override { return false; }
  int results_on_their_way() const override { return 0; }

 private:
  const Counterparts& counterparts_;
};

}  // namespace qturn

#endif  // QTURN_SRC_CHECK_AGAINST_WRITER_HPP
