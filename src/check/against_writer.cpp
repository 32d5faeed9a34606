#include "src/check/against_writer.hpp"

#include <utility>

#include "src/files/safe_file.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

std::string stem_of(const std::string& key) { return fs::path(key).replace_extension().string(); }

class Counterpart final : public StagedResult {
 public:
  explicit Counterpart(fs::path path) : path_(std::move(path)) {}
  const std::vector<std::string>& warnings() const override { return none_; }
  std::vector<std::string> put_in_place() override { return {}; }
  FileBytes read_back(std::size_t, FileBytes memory) const override {
    FileState state;
    ContentHash hash;
    return read_file(path_, std::move(memory), state, hash);
  }

 private:
  fs::path path_;
  std::vector<std::string> none_;
};

}  // namespace

Counterparts::Counterparts(const FileList& files) : files_(files) {
  for (const FoundFile& file : files) {
    const std::string key = files.key(file);
    by_key_.emplace(key, &file);
    const auto [place, is_new] = by_stem_.emplace(stem_of(key), &file);
    if (!is_new) place->second = nullptr;
  }
}

const FoundFile* Counterparts::of(const std::string& key) const {
  if (const auto found = by_key_.find(key); found != by_key_.end()) return found->second;
  const auto found = by_stem_.find(stem_of(key));
  return found == by_stem_.end() ? nullptr : found->second;
}

std::unique_ptr<StagedResult> AgainstWriter::stage(const Result& result,
                                                   const Companions& /*companions*/) const {
  const FoundFile* file = counterparts_.of(result.key.string());
  if (!file) throw FileError("it has no counterpart of the same name", result.input, {});
  return std::make_unique<Counterpart>(counterparts_.path(*file));
}

}  // namespace qturn
