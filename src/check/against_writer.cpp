#include "src/check/against_writer.hpp"

#include <filesystem>
#include <utility>
#include <vector>

#include "src/files/safe_file.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

std::string stem_of(const std::string& key) { return fs::path(key).replace_extension().string(); }

class Counterpart final : public StagedResult {
 public:
  explicit Counterpart(std::vector<fs::path> files) : files_(std::move(files)) {}
  FileBytes read_back(std::size_t index, FileBytes memory) const override {
    FileState state;
    ContentHash hash;
    return read_file(files_[index], std::move(memory), state, hash);
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
  std::vector<fs::path> files = {result.output};
  for (const Companion& companion : companions) files.push_back(companion.output);
  return std::make_unique<Counterpart>(std::move(files));
}

}  // namespace qturn
