#include "src/sources/folder_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/formats/table.hpp"
#include "src/picture/text.hpp"
#include "src/sample/file_kind.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

/// Nothing is to do for a file that is not a picture.
bool is_to_do(const FoundFile& file) { return !file.to_do.empty(); }

/// The part of a companion's name in the tar after the stem of its sample. `number`: the next
/// mask's.
std::string end_of_name(const Companion& companion, const Job& job, const std::string& stem,
                        int& number) {
  const fs::path& file = companion.input;
  std::string suffix = file.extension().string();
  if (companion.kind == CompanionKind::label) return suffix;
  // The stem of a sidecar may be written with other capitals.
  std::string after_stem =
      file.filename().string().substr(fs::path(stem).filename().native().size());
  if (companion.kind == CompanionKind::sidecar) return after_stem;
  if (is_array(file) && after_stem.starts_with('.') &&
      file.parent_path() == job.input.parent_path())
    return after_stem;
  const std::string after = number++ > 1 ? fmt::format("_{}", number - 1) : "";
  return fmt::format(".mask{}{}", after, suffix);
}

}  // namespace

void refuse_one_sample_of_two(const FileList& files) {
  const FoundFile* before = nullptr;
  for (const FoundFile& file : files) {
    if (!is_to_do(file)) continue;
    if (before) {
      const std::string a = files.key(*before), b = files.key(file);
      if (webdataset_key(a) == webdataset_key(b) &&
          lower_case(std::string(sample_key(a))) != lower_case(std::string(sample_key(b)))) {
        throw PlanError(fmt::format(
            "{} and {} would be one sample, called {}, because its name ends at the first dot; "
            "rename them, or name a folder as output",
            files.path(*before), files.path(file), webdataset_key(a)));
      }
    }
    before = &file;
  }
}

std::optional<Member> FolderSamples::next() {
  if (sample_.empty()) gather();
  if (sample_.empty()) return std::nullopt;
  Member member = std::move(sample_.back());
  sample_.pop_back();
  current_ = member.path;
  return member;
}

Bytes FolderSamples::content(Bytes memory) try {
  return files_.read(current_, std::move(memory)).bytes;
} catch (const FileError& error) {
  throw MemberError(error.what());
}

/// The members of the next sample, as tar --sort=name has them.
void FolderSamples::gather() {
  const FileList& files = jobs_.files();
  std::string sample;
  for (; next_file_ < files.size(); ++next_file_) {
    if (!is_to_do(files[next_file_])) continue;
    const std::string own(webdataset_key(files.key(files[next_file_])));
    if (!sample_.empty() && own != sample) break;
    sample = own;
    const Job job = jobs_.job_of(next_file_);
    const std::string stem(sample_key(job.key));
    add(job.key, job.input);
    int number = 1;
    for (const Companion& each : job.companions())
      add(stem + end_of_name(each, job, stem, number), each.input, each);
  }
  std::ranges::sort(sample_, std::greater<>(), &Member::name);
}

void FolderSamples::add(std::string name, const fs::path& path,
                        std::optional<Companion> companion) {
  std::error_code none;  // what reads it says why it cannot
  const std::uintmax_t bytes = fs::file_size(path, none);
  sample_.push_back({.name = std::move(name),
                     .bytes = none ? 0 : bytes,
                     .path = path,
                     .is_known = true,
                     .companion = std::move(companion)});
}

}  // namespace qturn
