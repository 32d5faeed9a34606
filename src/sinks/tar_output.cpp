#include "src/sinks/tar_output.hpp"

#include <utility>

#include "src/files/standard_streams.hpp"

namespace qturn {
namespace {

std::optional<StagedFiles> stage(const std::filesystem::path& path, IfExists if_exists,
                                 bool flushed) {
  if (path == "-") return std::nullopt;
  const NewFile file{path, {}};
  return StagedFiles(std::span(&file, 1), if_exists, flushed);
}

}  // namespace

TarOutput::TarOutput(std::filesystem::path path, IfExists if_exists, bool flushed, Journal* record,
                     const std::atomic<bool>& stop)
    : path_(std::move(path)),
      record_(record),
      flushed_(flushed),
      staged_(stage(path_, if_exists, flushed)),
      writer_([this, &stop](std::span<const std::byte> part) {
        if (record_) hasher_.add(part);
        if (staged_)
          staged_->append(0, part);
        else
          write_to_standard_output(part, stop);
      }) {}

void TarOutput::add(std::span<const NewMember> members) {
  for (const NewMember& member : members) {
    is_empty_ = false;
    writer_.add(member);
  }
}

std::vector<std::string> TarOutput::finish() {
  writer_.finish();
  if (!staged_) return {};
  staged_->finish_writing();
  if (record_) {
    const Intent intent = {{path_, staged_->temporary(0), {}, hasher_.hash()}};
    const Intent* const all[] = {&intent};
    record_->intend(all);
  }
  std::vector<std::string> warnings = staged_->put_in_place();
  FlushedFolders folders;
  if (flushed_) staged_->flush_folders(folders, warnings);
  return warnings;
}

}  // namespace qturn
