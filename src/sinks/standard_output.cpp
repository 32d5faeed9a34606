#include "src/sinks/standard_output.hpp"

#include <cerrno>
#include <span>

#include "src/files/content_hash.hpp"
#include "src/files/standard_streams.hpp"
#include "src/picture/errors.hpp"

namespace qturn {
namespace {

class WrittenPicture : public StagedResult {
 public:
  explicit WrittenPicture(std::span<const std::byte> picture) : hash_(hash_of(picture)) {}
  std::vector<ContentHash> hashes() const override { return {hash_}; }

 private:
  ContentHash hash_;
};

}  // namespace

std::unique_ptr<StagedResult> StandardOutput::stage(const Result& result,
                                                    const Companions& companions) const {
  if (!companions.empty())
    throw FileError("standard output takes one file alone", {}, system_code(EINVAL));
  write_to_standard_output(result.bytes, stop_);
  return std::make_unique<WrittenPicture>(result.bytes);
}

}  // namespace qturn
