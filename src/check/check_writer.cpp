#include "src/check/check_writer.hpp"

#include <filesystem>
#include <utility>
#include <vector>

#include "src/check/check.hpp"
#include "src/files/safe_file.hpp"
#include "src/formats/table.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

class Checked final : public StagedResult {
 public:
  explicit Checked(std::vector<std::string> findings) : findings_(std::move(findings)) {}
  std::vector<std::string> warnings() const override { return findings_; }

 private:
  std::vector<std::string> findings_;
};

}  // namespace

std::unique_ptr<StagedResult> CheckWriter::stage(const Result& result,
                                                 const Companions& companions) const {
  const Codec* codec = codec_of_content(result.bytes, lower_suffix(result.job.input));
  if (!codec) throw ImageFileError("not a picture in a format that qturn reads");
  MetadataCheck check = check_metadata(result.bytes, *codec, limits_);
  if (std::string wrong = wrong_suffix(*codec, lower_suffix(result.job.input)); !wrong.empty())
    check.add(std::move(wrong));
  const auto compare = [&](const fs::path& sidecar, std::string_view text) {
    check.xmp(sidecar.filename().string() + " beside it", text);
  };
  for (const Companion& companion : companions)
    if (companion.kind == CompanionKind::sidecar) compare(companion.input, companion.text);
  const FoundSidecars found =
      inputs_are_files_ ? find_sidecars(result.job.input, shared_stems_) : FoundSidecars();
  for (const auto* sentences : {&found.unreadable, &found.shared}) {
    for (const std::string& sentence : *sentences) check.add(sentence);
  }
  for (const Sidecar& sidecar : found.sidecars) compare(sidecar.path, sidecar.file.text);
  if (const auto picture = labels_ ? labels_->sources().files.find(result.job.key) : std::nullopt) {
    std::vector<LabelFinding> of_labels =
        labels_->check_picture(*picture, codec->read_header(result.bytes));
    const std::lock_guard lock(mutex_);
    found_.emplace(result.job.number, std::move(of_labels));
  }
  return std::make_unique<Checked>(check.findings());
}

std::vector<LabelFinding> CheckWriter::take_label_findings(std::size_t job) {
  const std::lock_guard lock(mutex_);
  const auto found = found_.extract(job);
  return found ? std::move(found.mapped()) : std::vector<LabelFinding>();
}

namespace {

std::string stem_of(const std::string& key) { return fs::path(key).replace_extension().string(); }

class Counterpart final : public StagedResult {
 public:
  explicit Counterpart(std::vector<fs::path> files) : files_(std::move(files)) {}
  FileBytes read_back(std::size_t index, FileBytes memory) const override {
    FileState state;
    ContentHash hash;
    return read_file(files_[index], std::move(memory), &state, &hash);
  }

 private:
  std::vector<fs::path> files_;
};

}  // namespace

Counterparts::Counterparts(const FileList& files) {
  for (std::size_t number = 0; number < files.size(); ++number) {
    const std::string key = files.key(files[number]);
    by_key_.emplace(key, number);
    const auto [place, is_new] = by_stem_.emplace(stem_of(key), number);
    if (!is_new) place->second.reset();
  }
}

std::optional<std::size_t> Counterparts::of(const std::string& key) const {
  if (const auto found = by_key_.find(key); found != by_key_.end()) return found->second;
  const auto found = by_stem_.find(stem_of(key));
  return found == by_stem_.end() ? std::nullopt : found->second;
}

std::unique_ptr<StagedResult> AgainstWriter::stage(const Result& result,
                                                   const Companions& companions) const {
  std::vector<fs::path> files = {result.output.path};
  for (const Companion& companion : companions) files.push_back(companion.output);
  return std::make_unique<Counterpart>(std::move(files));
}

}  // namespace qturn
