// The pictures of a run that kept their originals, as the jobs of the run that puts them back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "src/files/backup.hpp"
#include "src/files/source.hpp"
#include "src/plan/jobs.hpp"

namespace qturn {

/// Their files are not read: the way out (restore_writer.hpp) hashes and moves them.
class RecordedPictures : public Source {
 public:
  /// It must outlive this.
  explicit RecordedPictures(const KeptRun& run) : run_(run) {}
  std::size_t size() const { return run_.pictures.size(); }
  Job operator[](std::size_t index) const {
    const IntendedFile& picture = run_.pictures[index].front();
    return {.number = index,
            .input = picture.backup,
            .key = picture.target.string(),
            .outputs = {{picture.target}},
            .copy_verbatim = true};
  }

  Original read(const std::filesystem::path& name, FileBytes /*memory*/) const override {
    return {.path = name, .lower_suffix = {}, .bytes = {}};
  }
  std::uint64_t size(const std::filesystem::path& /*name*/) const override { return 0; }

 private:
  const KeptRun& run_;
};

}  // namespace qturn
