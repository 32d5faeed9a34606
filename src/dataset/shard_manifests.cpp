#include "src/dataset/shard_manifests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "src/dataset/shards.hpp"
#include "src/files/safe_file.hpp"

namespace qturn {

namespace fs = std::filesystem;

namespace {

/// The lines of a file that is open only while some of them are read: there may be more shards than
/// files that a process may open.
class Lines {
 public:
  explicit Lines(fs::path file) : file_(std::move(file)) {}

  /// Nothing at the end.
  std::optional<std::string> next() {
    if (at_ == some_.size()) read_some();
    if (at_ == some_.size()) return std::nullopt;
    ++number_;
    return std::move(some_[at_++]);
  }
  /// Of the line that came last.
  std::uint64_t number() const { return number_; }
  const fs::path& file() const { return file_; }

 private:
  void read_some() {
    constexpr std::size_t many = 256;
    some_.clear();
    at_ = 0;
    std::ifstream in(file_, std::ios::binary);
    in.seekg(place_);
    if (!in) throw FileError("cannot read " + file_.string(), file_, {});
    for (std::string line; some_.size() < many && std::getline(in, line);) {
      place_ += static_cast<std::streamoff>(line.size()) + 1;
      some_.push_back(std::move(line));
    }
  }

  fs::path file_;
  std::streamoff place_ = 0;
  std::vector<std::string> some_;
  std::size_t at_ = 0;
  std::uint64_t number_ = 0;
};

[[noreturn]] void refuse(const Lines& lines, const std::string& why) {
  throw FileError(fmt::format("{}:{}: {}", lines.file().string(), lines.number(), why),
                  lines.file(), {});
}

/// The entries of a shard, one after the other.
class Cursor {
 public:
  Cursor(fs::path manifest, const Shard& shard) : lines_(std::move(manifest)), shard_(shard) {
    next();
  }

  void next() {
    const std::optional<ManifestEntry> before = std::exchange(entry_, std::nullopt);
    while (auto line = lines_.next()) {
      entry_ = read_manifest_line(*line);
      line_ = *std::move(line);
      if (!entry_ && !read_manifest_header(line_) && !read_manifest_file(line_) &&
          !read_manifest_failure(line_))
        refuse(lines_, "is not a line of a manifest");
      if (entry_) break;
    }
    if (!entry_) return;
    if (!shard_.takes(entry_->key)) refuse(lines_, entry_->key + " belongs to another shard");
    if (before && !(*before < *entry_)) refuse(lines_, entry_->key + " is there twice");
  }

  const std::optional<ManifestEntry>& entry() const { return entry_; }
  const std::string& line() const { return line_; }

 private:
  Lines lines_;
  Shard shard_;
  std::optional<ManifestEntry> entry_;
  std::string line_;
};

}  // namespace

ShardManifests::ShardManifests(fs::path output, std::uint64_t shards)
    : output_(std::move(output)), shards_(shards) {
  for (std::uint64_t shard = 0; shard < shards_; ++shard) {
    Lines lines(place_of(shard));
    const std::optional<std::string> first = lines.next();
    const auto header = first ? read_manifest_header(*first) : std::nullopt;
    if (!header) refuse(lines, "is not the first line of a manifest");
    if (shard == 0) header_ = *header;
    if (*header != header_) refuse(lines, "has other options than the first shard");
    while (const auto line = lines.next()) {
      if (const auto file = read_manifest_file(*line))
        files_[file->output] = *file;
      else if (const auto failure = read_manifest_failure(*line))
        failures_[failure->key] = failure->why;
      else
        break;
    }
  }
}

fs::path ShardManifests::place_of(std::uint64_t shard) const {
  return shard_folder(output_, {shard, shards_}) / shard_manifest_name;
}

// A key is in one shard alone, so no two of them have the same entry.
void ShardManifests::for_each_entry(const Visit& visit) const {
  std::vector<Cursor> cursors;
  for (std::uint64_t shard = 0; shard < shards_; ++shard)
    cursors.emplace_back(place_of(shard), Shard{shard, shards_});
  const auto comes_later = [&](std::size_t a, std::size_t b) {
    return *cursors[b].entry() < *cursors[a].entry();
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(comes_later)> next(
      comes_later);
  for (std::size_t i = 0; i < cursors.size(); ++i)
    if (cursors[i].entry()) next.push(i);
  while (!next.empty()) {
    const std::size_t first = next.top();
    next.pop();
    visit(*cursors[first].entry(), cursors[first].line());
    cursors[first].next();
    if (cursors[first].entry()) next.push(first);
  }
}

}  // namespace qturn
