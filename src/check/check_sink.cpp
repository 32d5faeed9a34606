#include "src/check/check_sink.hpp"

#include "src/check/check.hpp"
#include "src/formats/table.hpp"
#include "src/store/sidecars.hpp"

namespace qturn {
namespace {

class Checked final : public StagedResult {
 public:
  explicit Checked(std::vector<std::string> findings) : findings_(std::move(findings)) {}
  const std::vector<std::string>& warnings() const override { return findings_; }
  std::vector<std::string> put_in_place() override { return {}; }

 private:
  std::vector<std::string> findings_;
};

}  // namespace

Sink::Companions CheckSink::companions(const Result& /*result*/,
                                       std::vector<std::string>& /*warnings*/) const {
  return {};
}

std::unique_ptr<StagedResult> CheckSink::stage(const Result& result,
                                               const Companions& /*companions*/) const {
  const Codec* codec = codec_of_content(result.bytes, lower_suffix(result.input));
  if (!codec) throw ImageFileError("not a picture in a format that qturn reads");
  MetadataCheck check = check_metadata(result.bytes, *codec, limits_);
  const FoundSidecars found = find_sidecars(result.input, shared_stems_);
  for (const auto* sentences : {&found.unreadable, &found.shared}) {
    for (const std::string& sentence : *sentences) check.add(sentence);
  }
  for (const Sidecar& sidecar : found.sidecars) {
    check.xmp(sidecar.path.filename().string() + " beside it", sidecar.file.text);
  }
  return std::make_unique<Checked>(check.findings());
}

}  // namespace qturn
