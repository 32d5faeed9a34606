
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "src/dataset/shard_parts.hpp"
#include "src/dataset/shards.hpp"
#include "src/dataset/shared_files.hpp"
#include "src/files/folder_lock.hpp"
#include "src/files/journals.hpp"
#include "src/files/safe_file.hpp"
#include "src/inputs/find_files.hpp"

namespace qturn {

namespace fs = std::filesystem;

namespace {

class Merge {
 public:
  Merge(fs::path output, ShardedRun run) : output_(std::move(output)), run_(std::move(run)) {}

  /// Throws PlanError or FileError if the shards are not complete, or do not fit together.
  void check();
  /// Throws FileError.
  void write();
  MergedShards result() const;

 private:
  void refuse_incomplete();
  void refuse_changed(const Shard& shard, const ShardDone& done) const;
  void check_tars();
  void check_entries();
  void read_parts();
  void remove_temporaries() const;
  void write_parts(const std::string& name, const SharedParts& parts);
  void write_manifest();
  void warn(std::vector<std::string> warnings) {
    std::ranges::move(warnings, std::back_inserter(warnings_));
  }

  const fs::path output_;
  const ShardedRun run_;
  std::vector<FolderLock> locks_;
  std::optional<ShardManifests> manifests_;
  SharedPartsByName parts_;
  std::map<std::string, ManifestFile> files_;  // as in the manifest
  WrittenTars tars_;
  std::uint64_t pictures_ = 0;
  std::vector<std::string> warnings_;
};

void Merge::check() {
  refuse_incomplete();
  if (run_.dealt != Dealt::samples) return check_tars();
  manifests_.emplace(output_, run_.shards);
  files_ = manifests_->files();
  check_entries();
  read_parts();
}

void Merge::refuse_incomplete() {
  SomeNames incomplete;
  std::uint64_t count = 0;
  for (std::uint64_t index = 0; index < run_.shards; ++index) {
    const Shard shard{index, run_.shards};
    const auto done = read_shard_done(output_, shard);
    if (!done) {
      incomplete.add(fmt::format("number {}", index));
      continue;
    }
    locks_.emplace_back(shard_folder(output_, shard));
    refuse_changed(shard, *done);
    count += done->count;
  }
  if (incomplete.count() > 0) {
    throw WithHints<PlanError>(
        {{Hint::resume_these_shards, incomplete.count() == 1 ? "it" : "them"}},
        fmt::format("{}: {} of {} shards {} not complete: {}", output_.string(), incomplete.count(),
                    run_.shards, incomplete.count() == 1 ? "is" : "are", incomplete.text()));
  }
  if (count != run_.count) {
    throw PlanError(fmt::format(
        "{}: the shards have {} {}, the run has {}; run all shards "
        "again, to another output",
        output_.string(), count, run_.dealt == Dealt::samples ? "samples" : "tars", run_.count));
  }
}

void Merge::refuse_changed(const Shard& shard, const ShardDone& done) const {
  for (const auto& [name, hash] : done.files) {
    const fs::path file = shard_folder(output_, shard) / name;
    if (hash_of_file(file) == hash) continue;
    throw PlanError(fmt::format(
        "{} is not what shard {} has written; remove the folder {} and the results of the shard, "
        "and run it again",
        file.string(), shard.index, file.parent_path().string()));
  }
}

void Merge::check_tars() {
  for (std::uint64_t index = 0; index < run_.shards; ++index) {
    const fs::path manifest = shard_folder(output_, {index, run_.shards}) / shard_manifest_name;
    for (const auto& [name, tar] : read_written_tars(manifest)) {
      std::error_code none;
      if (tar.bytes > 0 && fs::file_size(output_ / name, none) != tar.bytes) {
        throw WithHints<PlanError>(
            {Hint::resume_shard_after_that},
            fmt::format("{} is not the tar that shard {} has written; put it back, or remove the "
                        "folder {}",
                        (output_ / name).string(), index, manifest.parent_path().string()));
      }
      tars_[name] = tar;
    }
  }
}

void Merge::check_entries() {
  SomeNames missing;
  manifests_->for_each_entry([&](const ManifestEntry& entry, const std::string&) {
    ++pictures_;
    const auto look_for = [&](const ManifestFile& file) {
      if (!fs::exists(output_ / file.output)) missing.add((output_ / file.output).string());
    };
    look_for(entry.picture);
    for (const ManifestFile& each : entry.companions) look_for(each);
  });
  for (const auto& [name, file] : files_)
    if (!fs::exists(output_ / name)) missing.add((output_ / name).string());
  if (missing.count() == 0) return;
  throw PlanError(
      fmt::format("a shard has written {}, and {} not there any more; put {} back, or "
                  "run all shards again, to another output",
                  missing.text(), missing.count() == 1 ? "it is" : "they are",
                  missing.count() == 1 ? "it" : "them"));
}

void Merge::read_parts() {
  for (std::uint64_t index = 0; index < run_.shards; ++index)
    read_shard_parts(shard_folder(output_, {index, run_.shards}) / shard_parts_name, parts_);
  for (const auto& [name, parts] : parts_) {
    if (hash_of_file(parts.file.input) == parts.file.source) continue;
    throw PlanError(fmt::format(
        "{} is not the file that the shards have read, and {} is made of it; put it back",
        parts.file.input.string(), (output_ / name).string()));
  }
}

/// Removes what a killed merge has left. No other program writes here while the locks are held.
void Merge::remove_temporaries() const {
  std::set<fs::path> folders = {output_};
  for (const auto& [name, parts] : parts_) folders.insert((output_ / name).parent_path());
  for (const fs::path& folder : folders) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none))
      if (is_temporary_name(entry.path().filename().string())) fs::remove(entry.path());
  }
}

void Merge::write() {
  remove_temporaries();
  if (run_.dealt != Dealt::samples)
    return warn(write_written_tars(output_ / shard_manifest_name, tars_));
  for (const auto& [name, parts] : parts_) write_parts(name, parts);
  write_manifest();
}

void Merge::write_parts(const std::string& name, const SharedParts& parts) {
  const auto made = [&](const ManifestFile& file) { files_[file.output] = file; };
  if (!parts.file.format) {
    DataSets::File file{
        .input = parts.file.input, .output = output_ / name, .hash = parts.file.source};
    (void)read_file(file.input, {}, &file.state);
    std::string text = parts.file.text;
    for (const auto& [place, lines] : parts.lines) text += lines;
    return warn(write_data_set_file(file, text, output_, made, IfExists::replace));
  }
  SharedLabels::File file =
      read_shared_labels(parts.file.input, *parts.file.format, parts.file.swap_pairs);
  file.output = output_ / name;
  const std::vector<LabelledVariant> none;
  const auto variants_of = [&](std::size_t image) -> const std::vector<LabelledVariant>& {
    const auto found = parts.images.find(image);
    return found == parts.images.end() ? none : found->second;
  };
  warn(write_shared_labels(file, output_, variants_of, made, IfExists::replace));
}

void Merge::write_manifest() {
  const auto write = [&](const NewFile::Append& append) {
    const auto put = [&](const std::string& line) {
      append(std::as_bytes(std::span(line)));
      append(std::as_bytes(std::span("\n", 1)));
    };
    put(manifest_line(manifests_->header()));
    for (const auto& [name, file] : files_) put(manifest_line(file));
    for (const auto& [key, why] : manifests_->failures())
      put(manifest_line(ManifestFailure{key, why}));
    manifests_->for_each_entry([&](const ManifestEntry&, const std::string& line) { put(line); });
  };
  const NewFile file{.target = output_ / "manifest.jsonl", .content = {}, .write_more = write};
  warn(write_files(std::span(&file, 1), IfExists::replace));
}

MergedShards Merge::result() const {
  MergedShards result{.shards = run_.shards,
                      .dealt = run_.dealt,
                      .samples = run_.count,
                      .pictures = pictures_,
                      .failed = manifests_ ? manifests_->failures().size() : 0,
                      .warnings = warnings_};
  if (run_.dealt == Dealt::samples) return result;
  result.samples = 0;
  for (const auto& [name, tar] : tars_) {
    result.tars += tar.bytes > 0 ? 1 : 0;
    result.samples += tar.samples;
    result.failed += tar.failed.size();
  }
  return result;
}

/// Renames the folder first. If a kill or a power cut then leaves a part of it, that is not taken
/// for shards.
void remove_shards(const fs::path& output) {
  const fs::path merged = shards_folder(output).string() + "-merged";
  if (fs::exists(shards_folder(output))) {
    fs::rename(shards_folder(output), merged);
    flush_folders({output});
  }
  fs::remove_all(merged);
}

}  // namespace

std::optional<MergedShards> merge_shards(const fs::path& output) {
  if (!fs::is_directory(output)) throw PlanError(output.string() + ": is not a folder");
  const FolderLock lock(output);
  const std::optional<ShardedRun> run = read_sharded_run(output);
  if (!run) {
    if (!fs::exists(output / shard_manifest_name))
      throw WithHints<PlanError>({Hint::run_shards},
                                 output.string() + ": no shards have written here");
    remove_shards(output);  // if a merge was killed
    return std::nullopt;
  }
  Merge merge(output, *run);
  merge.check();
  try {
    merge.write();
    remove_shards(output);
  } catch (const std::exception& error) {
    throw UnfinishedError(error.what());
  }
  return merge.result();
}

}  // namespace qturn
