#include "src/dataset/shards.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>

#include "src/files/folder_lock.hpp"
#include "src/files/journal.hpp"
#include "src/files/json_names.hpp"
#include "src/files/safe_file.hpp"
#include "src/picture/bytes.hpp"

namespace qturn {

namespace fs = std::filesystem;

namespace {

constexpr int shards_version = 3;

constexpr const char* dealt_words[] = {"samples", "tars"};

fs::path place_of_run(const fs::path& output) { return shards_folder(output) / "run.json"; }
fs::path place_of_done(const fs::path& output, const Shard& shard) {
  return shard_folder(output, shard) / "done.json";
}

ContentHash hash_in(const Json& json) {
  const auto hash = hash_of_digits(json.get<std::string>());
  if (!hash) throw std::invalid_argument("hash");
  return *hash;
}

Dealt dealt_in(const Json& json) {
  const auto* word = std::ranges::find(dealt_words, json.get<std::string>());
  if (word == std::end(dealt_words)) throw std::invalid_argument("dealt");
  return static_cast<Dealt>(word - dealt_words);
}

/// What `read` makes of the file's JSON; nothing if there is no file.
template <typename Read>
auto read_json(const fs::path& file, Read read) -> std::optional<decltype(read(Json()))> {
  if (!fs::exists(fs::symlink_status(file))) return std::nullopt;
  const std::vector<std::byte> bytes = read_file(file);
  try {
    const Json json = Json::parse(text_of(bytes));
    if (json.at("qturn_shards") != shards_version) throw std::invalid_argument("version");
    return read(json);
  } catch (const std::exception&) {
    throw FileError(fmt::format("{} is damaged, or of another version of qturn; choose another "
                                "output, or remove this one and run all shards again",
                                file.string()),
                    file, {});
  }
}

std::vector<std::string> write_json(const fs::path& file, const Json& json, IfExists if_exists) {
  const std::string text = dump(json) + "\n";
  return write_file(file, std::as_bytes(std::span(text)), {}, if_exists);
}

Json json_of(const ShardedRun& run) {
  Json json;
  json["qturn_shards"] = shards_version;
  json["program"] = run.program;
  json["shards"] = run.shards;
  put_name(json, "operation", run.operation);
  put_name(json, "inputs", run.inputs);
  json["dealt"] = dealt_words[static_cast<int>(run.dealt)];
  json["count"] = run.count;
  json["keys"] = digits_of(run.keys);
  return json;
}

/// False if there is a record already.
bool write_record(const fs::path& output, const ShardedRun& run,
                  std::vector<std::string>& warnings) try {
  std::ranges::move(write_json(place_of_run(output), json_of(run), IfExists::fail),
                    std::back_inserter(warnings));
  return true;
} catch (const FileError& error) {
  if (error.code().value() != EEXIST) throw;
  return false;
}

[[noreturn]] void refuse(const fs::path& output, const std::string& theirs,
                         const std::string& ours) {
  throw PlanError(fmt::format(
      "{} is the output of {}, and this is {}; choose another output, or remove it and run all "
      "shards again",
      output.string(), theirs, ours));
}

void compare_counts(const fs::path& output, const ShardedRun& there, std::uint64_t own) {
  if (there.shards != own)
    refuse(output, fmt::format("{} shards", there.shards), fmt::format("one of {}", own));
}

/// The shards of one output must agree in all this.
void compare(const fs::path& output, const ShardedRun& there, const ShardedRun& own) {
  compare_counts(output, there, own.shards);
  const auto operation_of = [](const ShardedRun& run) {
    return fmt::format("'{}'", run.operation);
  };
  if (operation_of(there) != operation_of(own))
    refuse(output, operation_of(there), operation_of(own));
  if (there.program != own.program)
    refuse(output, "qturn " + there.program, "qturn " + own.program);
  const auto inputs_of = [](const ShardedRun& run) {
    std::string names = run.inputs;
    std::ranges::replace(names, '\n', ' ');
    return "the inputs " + names;
  };
  if (there.inputs != own.inputs) refuse(output, inputs_of(there), "a run of " + inputs_of(own));
  if (there.dealt != own.dealt || there.count != own.count || there.keys != own.keys) {
    const auto in_words = [](const ShardedRun& run) {
      return fmt::format("{} {}", run.count, run.dealt == Dealt::samples ? "samples" : "tars");
    };
    refuse(output, in_words(there) + ", as the first shard has found them",
           fmt::format("a run of {} with other names", in_words(own)));
  }
}

}  // namespace

fs::path shards_folder(const fs::path& output) { return output / shards_name; }

fs::path shard_folder(const fs::path& output, const Shard& shard) {
  return shards_folder(output) / fmt::format("{}-of-{}", shard.index, shard.count);
}

std::optional<ShardedRun> read_sharded_run(const fs::path& output) {
  return read_json(place_of_run(output), [](const Json& json) {
    return ShardedRun{.program = json.at("program").get<std::string>(),
                      .shards = json.at("shards").get<std::uint64_t>(),
                      .operation = get_name(json, "operation"),
                      .inputs = get_name(json, "inputs"),
                      .dealt = dealt_in(json.at("dealt")),
                      .count = json.at("count").get<std::uint64_t>(),
                      .keys = hash_in(json.at("keys"))};
  });
}

std::optional<ShardDone> read_shard_done(const fs::path& output, const Shard& shard) {
  return read_json(place_of_done(output, shard), [](const Json& json) {
    ShardDone done{.count = json.at("count").get<std::uint64_t>(),
                   .has_failures = json.value("has_failures", false),
                   .files = {}};
    for (const auto& [name, hash] : json.at("files").items()) done.files[name] = hash_in(hash);
    return done;
  });
}

void DealtKeys::add(const std::string& key, bool is_own) {
  hasher_.add(std::as_bytes(std::span(key.c_str(), key.size() + 1)));
  ++count_;
  own_ += is_own ? 1 : 0;
}

DealtKeys keys_of(const Plan& plan, const Shard& shard) {
  DealtKeys keys;
  const FileList& files = plan.jobs.files();
  for (const FoundFile& file : files) {
    if (file.is_companion) continue;
    const std::string key = files.key(file);
    keys.add(key, shard.takes(key));
  }
  return keys;
}

ShardOfRun::ShardOfRun(ShardOptions options, fs::path output, Dealt dealt, DealtKeys keys)
    : shard_(options.shard),
      variables_(std::move(options.variables)),
      output_(std::move(output)),
      run_{.program = std::move(options.program),
           .shards = shard_.count,
           .operation = std::move(options.operation),
           .inputs = fmt::format("{}", fmt::join(options.inputs, "\n")),
           .dealt = dealt,
           .count = keys.count(),
           .keys = keys.hash()},
      own_(keys.own()) {
  look();
  const auto done = read_shard_done(output_, shard_);
  is_complete_ = done && !done->has_failures;
}

bool ShardOfRun::look() const {
  if (const auto there = read_sharded_run(output_)) {
    compare(output_, *there, run_);
    return true;
  }
  refuse_other_run(output_, shard_);
  return false;
}

bool ShardOfRun::begin(std::vector<std::string>& warnings) {
  if (const auto done = read_shard_done(output_, shard_)) {
    if (!done->has_failures) return false;
    fs::remove(place_of_done(output_, shard_));
    flush_folders({folder()});
  }
  if (look() || write_record(output_, run_, warnings) || look()) return true;
  throw PlanError(fmt::format("{} was removed by another program; run the shard again",
                              place_of_run(output_).string()));
}

std::string ShardOfRun::in_words() const {
  const std::string variables = variables_.empty() ? "" : fmt::format(" ({})", variables_);
  return fmt::format("shard {} of {}{}: {} of {} {}", shard_.index, shard_.count, variables, own_,
                     run_.count, dealt_words[static_cast<int>(run_.dealt)]);
}

std::vector<std::string> ShardOfRun::complete(std::initializer_list<const char*> files,
                                              bool has_failures) const {
  Json json;
  json["qturn_shards"] = shards_version;
  json["shard"] = shard_.index;
  json["of"] = shard_.count;
  json["count"] = own_;
  if (has_failures) json["has_failures"] = true;
  for (const char* name : files)
    json["files"][name] = digits_of(hash_of_file(folder() / name).value());
  // A shard without a sample has flushed nothing but its own files.
  const fs::path output = fs::absolute(output_ / "").lexically_normal().parent_path();
  flush_folders({output.parent_path(), output, shards_folder(output)});
  return write_json(place_of_done(output_, shard_), json, IfExists::replace);
}

bool is_begun(const fs::path& output, const Shard& shard) {
  std::error_code none;
  const auto bytes = fs::file_size(shard_folder(output, shard) / journal_name, none);
  return (!none && bytes > 0) || fs::exists(place_of_done(output, shard));
}

void refuse_other_run(const fs::path& output, const Shard& shard) {
  if (const auto there = read_sharded_run(output))
    return compare_counts(output, *there, shard.count);
  const fs::path manifest = output / "manifest.jsonl";
  if (fs::exists(manifest)) {
    throw WithHints<PlanError>(
        {Hint::choose_other_output},
        fmt::format("{} is there, so the output is complete, or that of a run without shards",
                    manifest.string()));
  }
  const auto refuse_file = [&](std::string_view name) {
    const fs::path file = output / name;
    throw WithHints<PlanError>(
        {Hint::finish_plain_run},
        fmt::format("{} is of a run without shards, which works there or was interrupted",
                    file.string()));
  };
  if (fs::exists(fs::symlink_status(output / journal_name))) refuse_file(journal_name);
  if (is_locked(output)) refuse_file(lock_name);
}

void refuse_unmerged_inputs(const PlanOptions& options) {
  std::set<fs::path> seen;
  for (const fs::path& input : options.inputs) {
    std::error_code none;
    fs::path at = fs::canonical(input, none);
    for (; at.has_relative_path() && seen.insert(at).second; at = at.parent_path()) {
      if (!fs::exists(shards_folder(at), none) || fs::equivalent(at, options.output, none))
        continue;
      throw WithHints<PlanError>({{Hint::merge_first, at.string()}},
                                 fmt::format("{}: {} is the output of shards that are not merged",
                                             input.string(), at.string()));
    }
  }
}

void refuse_unmerged_shards(const fs::path& output) {
  if (output.empty() || !fs::exists(shards_folder(output))) return;
  throw WithHints<PlanError>({{Hint::merge_or_choose_other_output, output.string()}},
                             output.string() + " is the output of a run in shards");
}

namespace {

namespace fs = std::filesystem;

constexpr int tars_version = 1;

/// Calls `visit(tar, is_own)`. Tars are dealt in the order of their names, like cards.
template <typename Visit>
void deal(const Shard& shard, const std::set<std::string>& tars, Visit visit) {
  std::uint64_t number = 0;
  for (const std::string& tar : tars) visit(tar, number++ % shard.count == shard.index);
}

DealtKeys keys_of(const Shard& shard, const std::set<std::string>& tars) {
  DealtKeys keys;
  deal(shard, tars, [&](const std::string& tar, bool is_own) { keys.add(tar, is_own); });
  return keys;
}

std::set<std::string> own_of(const Shard& shard, const std::set<std::string>& tars) {
  std::set<std::string> own;
  deal(shard, tars, [&](const std::string& tar, bool is_own) {
    if (is_own) own.insert(tar);
  });
  return own;
}

}  // namespace

WrittenTars read_written_tars(const fs::path& manifest) try {
  const Bytes bytes = read_file(manifest);
  WrittenTars tars;
  std::string_view rest = text_of(bytes);
  bool is_first = true;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const Json json = Json::parse(line);
    if (std::exchange(is_first, false)) {
      if (json.at("qturn_tars") != tars_version) throw std::invalid_argument("version");
      continue;
    }
    WrittenTar& tar = tars[get_name(json, "tar")];
    tar.samples = json.at("samples").get<std::uint64_t>();
    tar.bytes = json.at("bytes").get<std::uint64_t>();
    const std::vector<std::string> failed = get_names(json, "failed");
    tar.failed = {failed.begin(), failed.end()};
  }
  return tars;
} catch (const FileError&) {
  throw;
} catch (const std::exception&) {
  throw FileError(manifest.string() + " is damaged, or of another version of qturn", manifest, {});
}

std::vector<std::string> write_written_tars(const fs::path& manifest, const WrittenTars& tars) {
  Json first;
  first["qturn_tars"] = tars_version;
  std::string text = dump(first) + "\n";
  for (const auto& [name, tar] : tars) {
    Json json;
    put_name(json, "tar", name);
    json["samples"] = tar.samples;
    json["bytes"] = tar.bytes;
    put_names(json, "failed", {tar.failed.begin(), tar.failed.end()});
    text += dump(json) + "\n";
  }
  return write_file(manifest, std::as_bytes(std::span(text)), {}, IfExists::replace);
}

TarShard::TarShard(const ShardOptions& options, fs::path output, const std::set<std::string>& tars,
                   bool resumes)
    : output_(std::move(output)),
      own_(own_of(options.shard, tars)),
      run_(options, output_, Dealt::tars, keys_of(options.shard, tars)),
      is_begun_(fs::exists(manifest())) {
  if (!is_begun_ || resumes || is_complete()) return;
  throw WithHints<PlanError>(
      {Hint::resume_shard},
      run_.folder().string() + ": an earlier attempt of this shard did not end");
}

bool TarShard::is_to_do(const std::string& tar) const {
  return own_.contains(tar) && !written_.contains(tar);
}

bool TarShard::begin(std::vector<std::string>& warnings) {
  std::error_code failure;
  fs::create_directories(run_.folder(), failure);
  if (failure) throw FileError("cannot make " + run_.folder().string(), run_.folder(), failure);
  lock_.emplace(run_.folder());
  if (!run_.begin(warnings)) return false;
  if (!fs::exists(manifest()))
    std::ranges::move(write_written_tars(manifest(), {}), std::back_inserter(warnings));
  remove_temporaries();
  written_ = read_written_tars(manifest());
  std::erase_if(written_, [&](const auto& each) {
    const auto& [name, tar] = each;
    std::error_code none;
    return !tar.failed.empty() ||
           (tar.bytes > 0 && fs::file_size(output_ / name, none) != tar.bytes);
  });
  return true;
}

/// No other run writes these tars while the lock is held.
void TarShard::remove_temporaries() const {
  for (const auto& entry : fs::directory_iterator(output_)) {
    const std::string name = entry.path().filename().string();
    if (!is_temporary_name(name)) continue;
    if (own_.contains(name.substr(1, name.rfind(".qturn-") - 1))) fs::remove(entry.path());
  }
}

std::vector<std::string> TarShard::complete() const {
  const bool has_failures =
      std::ranges::any_of(written_, [](const auto& each) { return !each.second.failed.empty(); });
  return run_.complete({shard_manifest_name}, has_failures);
}

std::vector<std::string> TarShard::add(const std::string& tar, const WrittenTar& written) {
  written_[tar] = written;
  return write_written_tars(manifest(), written_);
}

}  // namespace qturn
