#include "tools/qturn/sample_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>

#include "src/formats/table.hpp"
#include "src/plan/jobs.hpp"
#include "src/store/group_commit.hpp"
#include "src/store/safe_file.hpp"
#include "src/store/tar/output.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

class OneTar : public SampleOutput {
 public:
  OneTar(const CommandLine& line, const fs::path& place, IfExists if_exists,
         const std::atomic<bool>& stop)
      : tar_(place, if_exists, line.fsync != Fsync::never, stop) {}
  std::string add(std::span<const NewMember> members) override {
    tar_.add(members);
    return {};
  }
  bool is_empty() const override { return tar_.is_empty(); }
  std::vector<std::string> finish() override { return tar_.finish(); }

 private:
  TarOutput tar_;
};

/// No tar is larger than the size, unless one sample alone is.
class NumberedTars : public SampleOutput {
 public:
  NumberedTars(const CommandLine& line, fs::path place, const std::atomic<bool>& stop)
      : largest_(line.tar_bytes),
        place_(std::move(place)),
        flushed_(line.fsync != Fsync::never),
        stop_(stop) {
    begin();
  }

  std::string add(std::span<const NewMember> members) override {
    const std::uint64_t more =
        std::transform_reduce(members.begin(), members.end(), std::uint64_t{0}, std::plus<>(),
                              [](const NewMember& member) { return bytes_in_tar(member); });
    if (!tar_->is_empty() && bytes_ + more > largest_) {
      std::ranges::move(tar_->finish(), std::back_inserter(warnings_));
      ++number_;
      begin();
    }
    tar_->add(members);
    bytes_ += more;
    return {};
  }

  bool is_empty() const override { return tar_->is_empty(); }

  std::vector<std::string> finish() override {
    std::ranges::move(tar_->finish(), std::back_inserter(warnings_));
    return std::move(warnings_);
  }

 private:
  static constexpr std::uint64_t bytes_of_end = 1024;

  void begin() {
    fs::path name = place_;
    name.replace_filename(fmt::format("{}-{:06}.tar", place_.stem().string(), number_));
    tar_.emplace(name, IfExists::fail, flushed_, stop_);
    bytes_ = bytes_of_end;
  }

  const std::uint64_t largest_;
  const fs::path place_;
  const bool flushed_;
  const std::atomic<bool>& stop_;
  std::uint64_t number_ = 0, bytes_ = 0;
  std::optional<TarOutput> tar_;
  std::vector<std::string> warnings_;
};

class Folder : public SampleOutput {
 public:
  Folder(const CommandLine& line, fs::path place, IfExists if_exists)
      : place_(std::move(place)), if_exists_(if_exists), fsync_(line.fsync.value_or(Fsync::end)) {
    places_.add_folder(place_);
  }

  std::string add(std::span<const NewMember> members) override try {
    is_empty_ = false;
    std::vector<NewFile> files;
    for (const NewMember& member : members)
      files.push_back(
          {.target = place_ / member.name, .content = member.content, .places = &places_});
    StagedFiles staged(files, if_exists_, fsync_ == Fsync::each);
    staged.finish_writing();
    const std::vector<std::string> problems = staged.put_in_place();
    if (fsync_ == Fsync::each) staged.flush_folders(flushed_, warnings_);
    if (fsync_ == Fsync::end) staged.add_to(file_systems_);
    return problems.empty() ? "" : problems.front();
  } catch (const FileError& error) {
    if (error.code().value() != EEXIST) throw;
    return error.what();
  }

  bool is_empty() const override { return is_empty_; }

  std::vector<std::string> finish() override {
    std::ranges::move(file_systems_.flush(), std::back_inserter(warnings_));
    return std::move(warnings_);
  }

 private:
  const fs::path place_;
  const IfExists if_exists_;
  const Fsync fsync_;
  bool is_empty_ = true;
  RealPlaces places_;
  FlushedFolders flushed_;
  FileSystems file_systems_;
  std::vector<std::string> warnings_;
};

/// "out-000012.tar" of "out.tar".
bool is_numbered(const fs::path& name, const fs::path& tar) {
  const std::string stem = tar.stem().string() + "-", text = name.filename().string();
  if (!text.starts_with(stem) || !text.ends_with(".tar")) return false;
  const std::string number = text.substr(stem.size(), text.size() - stem.size() - 4);
  return number.size() >= 6 && number.find_first_not_of("0123456789") == std::string::npos;
}

void refuse_numbered(const fs::path& place) {
  const fs::path folder = place.has_parent_path() ? place.parent_path() : ".";
  if (!fs::exists(folder)) return;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (is_numbered(entry.path(), place))
      throw PlanError(entry.path().string() +
                      ": exists already; remove the tars of the earlier run, or name others");
  }
}

}  // namespace

std::unique_ptr<SampleOutput> open_sample_output(const CommandLine& line, const fs::path& place,
                                                 IfExists if_exists,
                                                 const std::atomic<bool>& stop) {
  if (line.unpack) return std::make_unique<Folder>(line, place, if_exists);
  if (line.tar_bytes > 0) return std::make_unique<NumberedTars>(line, place, stop);
  return std::make_unique<OneTar>(line, place, if_exists, stop);
}

void refuse_name_of_tar(const fs::path& output) {
  const std::string suffix = lower_suffix(output);
  const char* const of_tars[] = {".tar", ".tgz", ".gz", ".tzst", ".zst"};
  if (fs::is_directory(output) || std::ranges::find(of_tars, suffix) == std::end(of_tars)) return;
  throw PlanError(output.string() +
                  ": tars are written uncompressed; name a file that ends in .tar, or a folder");
}

void refuse_existing_output(const CommandLine& line, const fs::path& place) {
  if (line.tar_bytes > 0) return refuse_numbered(place);
  if (place == "-" || !fs::exists(fs::symlink_status(place))) return;
  if (line.unpack) {
    if (fs::is_directory(place)) return;
    throw PlanError(place.string() + ": is not a folder; --unpack needs one");
  }
  if (!fs::is_regular_file(place))
    throw PlanError(place.string() + ": is not a regular file; choose another output");
  if (line.existing == Existing::overwrite) return;
  throw PlanError(place.string() + (line.shard
                                        ? ": exists already; choose another output"
                                        : ": exists already; use --overwrite, or another output"));
}

}  // namespace qturn
