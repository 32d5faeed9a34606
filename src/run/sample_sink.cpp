#include <utility>

#include "src/run/sample_stream.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// A result on its way to its sample.
class StagedMembers : public StagedResult {
 public:
  /// Throws as count_result().
  StagedMembers(SampleStream& samples, std::size_t job, std::uint64_t bytes)
      : samples_(samples), job_(job), bytes_(bytes) {
    samples_.count_result(job_, bytes_);
  }
  ~StagedMembers() override {
    if (!is_kept_) samples_.forget_result(job_, bytes_);
  }
  StagedMembers(const StagedMembers&) = delete;
  StagedMembers& operator=(const StagedMembers&) = delete;

  void add(const fs::path& input, const fs::path& output, std::span<const std::byte> content) {
    files_.push_back({input, output, Bytes(content.begin(), content.end())});
  }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  std::vector<std::string> put_in_place() override {
    samples_.keep(job_, std::move(files_));
    is_kept_ = true;
    return {};
  }

 private:
  SampleStream& samples_;
  const std::size_t job_;
  const std::uint64_t bytes_;
  bool is_kept_ = false;
  std::vector<SampleStream::Made> files_;
  std::vector<std::string> warnings_;
};

}  // namespace

std::unique_ptr<StagedResult> SampleSink::stage(const Result& result,
                                                const Companions& companions) const {
  std::uint64_t bytes = result.bytes.size();
  for (const Companion& each : companions) bytes += each.content().size();
  auto staged = std::make_unique<StagedMembers>(samples_, result.job, bytes);
  staged->add(result.input, result.output, result.bytes);
  for (const Companion& each : companions) staged->add(each.input, each.output, each.content());
  return staged;
}

}  // namespace qturn
