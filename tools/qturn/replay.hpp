// augment --replay: the results of an earlier run, written again from its manifest. What the
// manifest lists is made, with the options that it states, and every file is compared with it: an
// input that has changed and a result of other bytes are failures.
#ifndef QTURN_TOOLS_QTURN_REPLAY_HPP
#define QTURN_TOOLS_QTURN_REPLAY_HPP

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "src/plan/jobs.hpp"
#include "src/plan/listed_variants.hpp"
#include "src/store/sink.hpp"
#include "tools/qturn/manifest_lines.hpp"

namespace qturn {

class Replay {
 public:
  /// Throws PlanError if it is not a manifest with the options of its run. Keeps it open, and some
  /// bytes for each line.
  explicit Replay(std::filesystem::path manifest);

  const std::filesystem::path& manifest() const { return path_; }
  const ManifestHeader& header() const { return header_; }
  std::shared_ptr<const ListedVariants> variants() const { return variants_; }
  bool lists(const std::string& output) const;

  /// Throws PlanError if the plan does not make all that is listed, and names what it does not
  /// find, or what depends on where a data set lies that has been moved. Returns the number of
  /// pictures that are not listed.
  std::uint64_t check(const Plan& plan) const;

  /// These throw FileError if what was read or made is not what is listed. Safe on several threads.
  void check(const std::filesystem::path& output_folder, const Result& result,
             const Sink::Companions& companions) const;
  void check(const ManifestFile& file, const std::filesystem::path& input) const;

 private:
  struct Place {
    std::uint64_t output;  // its hash
    std::streamoff line;
  };
  void for_each_line(const std::function<void(const std::string&, std::streamoff)>& visit) const;
  std::string line_of(const std::string& output) const;
  void refuse_moved(const Plan& plan, const ManifestFile& listed) const;
  void compare(const ManifestFile& made, const ManifestFile& listed,
               const std::filesystem::path& input) const;

  std::filesystem::path path_;
  mutable std::mutex mutex_;  // guards the stream
  mutable std::ifstream stream_;
  ManifestHeader header_;
  std::vector<Place> places_;  // ascending by output
  std::shared_ptr<ListedVariants> variants_ = std::make_shared<ListedVariants>();
};

/// The words of a command line with --replay as it would be typed without: with the options of the
/// manifest, but for those about places that are typed.
std::vector<std::string> without_replay(std::vector<std::string> words, const Replay& replay);

/// Compares results with the manifest before they are written.
class ReplaySink final : public Sink {
 public:
  ReplaySink(const Replay& replay, const Sink& sink, std::filesystem::path output)
      : replay_(replay), sink_(sink), output_(std::move(output)) {}

  Companions companions(const Result& result, std::vector<std::string>& warnings) const override {
    return sink_.companions(result, warnings);
  }
  std::unique_ptr<StagedResult> stage(const Result& result,
                                      const Companions& companions) const override {
    replay_.check(output_, result, companions);
    return sink_.stage(result, companions);
  }
  bool is_done(const Result& result) const override { return sink_.is_done(result); }
  int results_on_their_way() const override { return sink_.results_on_their_way(); }

 private:
  const Replay& replay_;
  const Sink& sink_;
  const std::filesystem::path output_;
};

}  // namespace qturn

#endif  // QTURN_TOOLS_QTURN_REPLAY_HPP
