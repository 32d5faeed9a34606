#include "src/check/check_writer.hpp"

#include <utility>

#include "src/check/check.hpp"
#include "src/formats/table.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {
namespace {

class Checked final : public StagedResult {
 public:
  explicit Checked(std::vector<std::string> findings) : findings_(std::move(findings)) {}
  std::vector<std::string> warnings() const override { return findings_; }

 private:
  std::vector<std::string> findings_;
};

}  // namespace

std::unique_ptr<StagedResult> CheckWriter::stage(const Result& result,
                                                 const Companions& /*companions*/) const {
  const Codec* codec = codec_of_content(result.bytes, lower_suffix(result.input));
  if (!codec) throw ImageFileError("not a picture in a format that qturn reads");
  MetadataCheck check = check_metadata(result.bytes, *codec, limits_);
  if (std::string wrong = wrong_suffix(*codec, lower_suffix(result.input)); !wrong.empty())
    check.add(std::move(wrong));
  const FoundSidecars found = find_sidecars(result.input, shared_stems_);
  for (const auto* sentences : {&found.unreadable, &found.shared}) {
    for (const std::string& sentence : *sentences) check.add(sentence);
  }
  for (const Sidecar& sidecar : found.sidecars) {
    check.xmp(sidecar.path.filename().string() + " beside it", sidecar.file.text);
  }
  if (labels_) {
    std::vector<LabelFinding> of_labels =
        labels_->check_picture(result.job, codec->read_header(result.bytes));
    const std::lock_guard lock(mutex_);
    found_.emplace(result.job, std::move(of_labels));
  }
  return std::make_unique<Checked>(check.findings());
}

std::vector<LabelFinding> CheckWriter::take_label_findings(std::size_t job) {
  const std::lock_guard lock(mutex_);
  const auto found = found_.extract(job);
  return found ? std::move(found.mapped()) : std::vector<LabelFinding>();
}

}  // namespace qturn
