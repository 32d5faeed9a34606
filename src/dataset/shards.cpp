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

/// The shards of one output have the same of each of these.
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

}  // namespace qturn
