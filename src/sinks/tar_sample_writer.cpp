#include "src/sinks/tar_sample_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
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

TarOutput::TarOutput(std::filesystem::path path, const TarWriterOptions& options,
                     const std::atomic<bool>& stop)
    : path_(std::move(path)),
      options_(options),
      staged_(stage(path_, options.if_exists, options.flushed)),
      writer_([this, &stop](std::span<const std::byte> part) {
        if (options_.record || options_.verifies) hasher_.add(part);
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
  if (options_.verifies) verify();
  staged_->finish_writing();
  if (options_.record) {
    const Intent intent = {{path_, staged_->temporary(0), {}, hasher_.hash()}};
    const Intent* const all[] = {&intent};
    options_.record->intend(all);
  }
  std::vector<std::string> warnings = staged_->put_in_place();
  FlushedFolders folders;
  if (options_.flushed) staged_->flush_folders(folders, warnings);
  return warnings;
}

void TarOutput::verify() const {
  staged_->seal(0);
  const ContentHash written = hasher_.hash();
  const std::optional<ContentHash> found = hash_of_file(staged_->temporary(0));
  if (found == written) return;
  throw FileError(
      fmt::format("{} was rejected, because it is wrong on the disk: hash {} expected, "
                  "{} found",
                  path_.string(), digits_of(written), found ? digits_of(*found) : "no file"),
      path_, {});
}

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t bytes_of_end = 1024;

/// Members that wait until the samples before them are in the tar.
class StagedMembers : public StagedResult {
 public:
  StagedMembers(std::vector<TarSampleWriter::Placed> members,
                std::vector<TarSampleWriter::Placed>& variant)
      : members_(std::move(members)), variant_(variant) {}
  std::uint64_t bytes_held() const override {
    std::uint64_t bytes = 0;
    for (const TarSampleWriter::Placed& each : members_) bytes += each.member.content.size();
    return bytes;
  }
  FileBytes read_back(std::size_t index, FileBytes memory) const override {
    memory.resize(0);
    memory.append(members_[index].member.content);
    return memory;
  }
  std::vector<std::string> put_in_place() override {
    std::ranges::move(members_, std::back_inserter(variant_));
    return {};
  }

 private:
  std::vector<TarSampleWriter::Placed> members_;
  std::vector<TarSampleWriter::Placed>& variant_;
};

}  // namespace

TarSampleWriter::TarSampleWriter(TarWriterOptions options, const std::atomic<bool>& stop)
    : options_(std::move(options)), prefix_((options_.place / "").native()), stop_(stop) {
  begin();
}

fs::path numbered_tar(const fs::path& tar, std::uint64_t number) {
  fs::path name = tar;
  name.replace_filename(fmt::format("{}-{:06}.tar", tar.stem().string(), number));
  return name;
}

void TarSampleWriter::begin() const {
  const fs::path name =
      options_.largest_bytes > 0 ? numbered_tar(options_.place, number_++) : options_.place;
  tar_.emplace(name, options_, stop_);
  bytes_ = bytes_of_end;
}

std::unique_ptr<StagedResult> TarSampleWriter::stage(const Result& result,
                                                     const Companions& companions) const {
  std::vector<Placed> members;
  const auto add = [&](std::size_t position, const fs::path& output,
                       std::span<const std::byte> content) {
    Bytes memory;
    if (spare_ && content.size() >= SpareBytes::worth_keeping)
      memory = spare_->take(content.size());
    memory.assign(content.begin(), content.end());
    members.push_back(
        {position, {.name = output.native().substr(prefix_.size()), .content = std::move(memory)}});
  };
  add(result.position, result.output.path, result.bytes);
  for (const Companion& each : companions) add(each.position, each.output, each.content());
  return std::make_unique<StagedMembers>(std::move(members), variant_);
}

void TarSampleWriter::end_variant() const {
  if (variant_.empty()) return;  // left out
  std::ranges::stable_sort(variant_, {}, &Placed::position);
  std::vector<NewMember> members;
  for (Placed& each : std::exchange(variant_, {})) members.push_back(std::move(each.member));
  add(members);
  if (!spare_) return;
  for (NewMember& member : members)
    if (member.content.capacity() >= SpareBytes::worth_keeping)
      spare_->give(std::move(member.content));
}

std::vector<std::string> TarSampleWriter::add_file(const fs::path& place,
                                                   std::span<const std::byte> content) const {
  const NewMember member{.name = place.native().substr(prefix_.size()),
                         .content = {content.begin(), content.end()}};
  add(std::span(&member, 1));
  return {};
}

void TarSampleWriter::add(std::span<const NewMember> members) const {
  std::uint64_t bytes = 0;
  for (const NewMember& member : members) bytes += bytes_in_tar(member);
  if (options_.largest_bytes > 0 && !tar_->is_empty() && bytes_ + bytes > options_.largest_bytes) {
    std::ranges::move(tar_->finish(), std::back_inserter(warnings_));
    begin();
  }
  tar_->add(members);
  bytes_ += bytes;
}

std::vector<std::string> TarSampleWriter::finish() {
  std::ranges::move(tar_->finish(), std::back_inserter(warnings_));
  return std::move(warnings_);
}

}  // namespace qturn
