#include "src/dataset/tar_shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <stdexcept>
#include <utility>

#include "src/files/json_names.hpp"
#include "src/files/safe_file.hpp"
#include "src/picture/bytes.hpp"

namespace qturn {
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
