#include "tools/qturn/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <span>

#include "src/plan/find_files.hpp"
#include "src/store/path_set.hpp"
#include "tools/qturn/command_line.hpp"
#include "tools/qturn/data_set_files.hpp"
#include "tools/qturn/version.hpp"

namespace qturn {

namespace fs = std::filesystem;

namespace {

std::string name_of(const std::string& option) { return option.substr(0, option.find('=')); }

template <typename Names>
bool is_among(const std::string& option, const Names& names) {
  return std::ranges::find(names, name_of(option)) != std::end(names);
}

}  // namespace

Replay::Replay(fs::path manifest) : path_(std::move(manifest)), stream_(path_, std::ios::binary) {
  const auto fail = [&](const std::string& why) {
    throw PlanError(fmt::format("{}: {}", path_.string(), why));
  };
  if (!stream_) fail("cannot be read: " + system_code(errno).message());
  std::optional<ManifestHeader> header;
  std::uint64_t number = 0;
  for_each_line([&](const std::string& line, std::streamoff at) {
    if (++number == 1) {
      header = read_manifest_header(line);
      return;
    }
    if (const auto entry = read_manifest_line(line)) {
      variants_->add(entry->key, entry->variant);
      places_.push_back({xxh64(entry->picture.output, 0), at});
    } else if (const auto file = read_manifest_file(line)) {
      variants_->add(file->output, Orientation::identity);
      places_.push_back({xxh64(file->output, 0), at});
    } else {
      fail(fmt::format("line {} is damaged", number));
    }
  });
  if (!header) fail("is not a manifest of qturn augment");
  if (!header->options) {
    fail(
        "runs with different or unknown options have made what it lists, so it cannot be replayed; "
        "make the data set again in one run");
  }
  header_ = *std::move(header);
  std::ranges::sort(places_, {}, &Place::output);
}

void Replay::for_each_line(
    const std::function<void(const std::string&, std::streamoff)>& visit) const {
  const std::lock_guard lock(mutex_);
  stream_.clear();
  stream_.seekg(0);
  std::streamoff at = 0;
  for (std::string line; std::getline(stream_, line); at += std::ssize(line) + 1) visit(line, at);
  if (stream_.bad()) throw PlanError(path_.string() + " cannot be read");
}

bool Replay::lists(const std::string& output) const {
  return std::ranges::binary_search(places_, xxh64(output, 0), {}, &Place::output);
}

std::string Replay::line_of(const std::string& output) const {
  const auto found = std::ranges::lower_bound(places_, xxh64(output, 0), {}, &Place::output);
  std::string line;
  const std::lock_guard lock(mutex_);
  stream_.clear();
  if (found == places_.end() || !stream_.seekg(found->line) || !std::getline(stream_, line))
    throw FileError(path_.string() + " cannot be read", path_, {});
  return line;
}

std::uint64_t Replay::check(const Plan& plan) const {
  const FileList& files = plan.jobs.files();
  PathSet planned;
  std::uint64_t others = 0;
  const auto add = [&](const fs::path& path) {
    planned.add(path.lexically_relative(plan.output_folder).native());
  };
  for (const FoundFile& file : files) {
    if (file.to_do.empty() && file.picture && !file.is_companion) ++others;
    file.to_do.for_each(
        [&](Orientation variant) { add(plan.jobs.names().path_of(files, file, variant)); });
  }
  for (const SharedLabels::File& file : plan.jobs.shared_labels().files())
    if (file.found > 0) add(file.output);
  for (const DataSets::File& file : plan.jobs.data_sets().files()) add(file.output);
  planned.sort();

  SomeNames missing;
  std::string last;
  for_each_line([&](const std::string& line, std::streamoff) {
    const auto entry = read_manifest_line(line);
    const auto file = entry ? std::nullopt : read_manifest_file(line);
    if (!entry && !file) return;
    if (file) refuse_moved(plan, *file);
    if (planned.contains(entry ? entry->picture.output : file->output)) return;
    const std::string& name = entry ? entry->key : file->output;
    if (name != std::exchange(last, name)) missing.add(name);
  });
  if (missing.count() > 0) {
    throw PlanError(fmt::format(
        "{} lists {}, which cannot be made of these inputs; name the same inputs as for that run",
        path_.string(), missing.text()));
  }
  return others;
}

/// What has absolute paths, or would have those of the originals, is another file elsewhere.
void Replay::refuse_moved(const Plan& plan, const ManifestFile& listed) const {
  const fs::path output = plan.output_folder / listed.output;
  const DataSets& data_sets = plan.jobs.data_sets();
  const auto elsewhere =
      std::ranges::find(data_sets.elsewhere(), output, &DataSets::Elsewhere::output);
  if (elsewhere == data_sets.elsewhere().end() || elsewhere->hash != listed.source) return;
  const auto planned = std::ranges::find(data_sets.files(), output, &DataSets::File::output);
  if (planned != data_sets.files().end()) {
    std::vector<OrientationSet> written;
    for (const FoundFile& file : plan.jobs.files()) written.push_back(file.to_do);
    const std::string text = data_set_text(*planned, plan, written);
    if (header_.program != version || hash_of(std::as_bytes(std::span(text))) == listed.result)
      return;
  }
  throw PlanError(fmt::format(
      "{} would not become what {} lists: it leads to {}, and the data set has been moved or "
      "copied "
      "since; put it where it lay for that run (a symbolic link will do), and name it by that path",
      elsewhere->input.string(), path_.string(), elsewhere->place.string()));
}

void Replay::compare(const ManifestFile& made, const ManifestFile& listed,
                     const fs::path& input) const {
  if (made.source != listed.source) {
    throw FileError(
        fmt::format("{} is not the file that the manifest was made of: its hash is {}, and not {}",
                    input.string(), digits_of(made.source), digits_of(listed.source)),
        input, {});
  }
  if (made.output != listed.output || made.result != listed.result) {
    throw FileError(fmt::format("{} would not be what the manifest lists; that was made by qturn "
                                "{}, and this is qturn {}",
                                made.output, header_.program, version),
                    made.output, {});
  }
}

void Replay::check(const ManifestFile& file, const fs::path& input) const {
  const auto listed = read_manifest_file(line_of(file.output));
  if (!listed) throw FileError(file.output + " is not a file of the manifest", file.output, {});
  compare(file, *listed, input);
}

void Replay::check(const fs::path& output_folder, const Result& result,
                   const Sink::Companions& companions) const {
  const auto in_output = [&](const fs::path& path) {
    return path.lexically_relative(output_folder).string();
  };
  const std::string output = in_output(result.output);
  const ManifestFile picture{output, result.input_hash, hash_of(result.bytes)};
  const std::string line = line_of(output);
  const auto entry = read_manifest_line(line);
  if (!entry) return check(picture, result.input);  // which is copied
  compare(picture, entry->picture, result.input);

  std::vector<ManifestFile> listed;
  if (entry->label) listed.push_back(*entry->label);
  listed.insert(listed.end(), entry->sidecars.begin(), entry->sidecars.end());
  listed.insert(listed.end(), entry->masks.begin(), entry->masks.end());
  for (const Companion& each : companions) {
    const ManifestFile made{in_output(each.output), each.hash, hash_of(each.content())};
    const auto found = std::ranges::find(listed, made.output, &ManifestFile::output);
    if (found == listed.end()) {
      throw FileError(
          each.input.string() + " belongs to the picture, and the manifest does not list it",
          each.input, {});
    }
    compare(made, *found, each.input);
    listed.erase(found);
  }
  if (!listed.empty()) {
    const std::string& missing = listed.front().output;
    throw FileError(fmt::format("the manifest lists {}, and the input has no file for it", missing),
                    missing, {});
  }
}

std::vector<std::string> without_replay(std::vector<std::string> words, const Replay& replay) {
  const auto is_typed = [&](const std::string& name) {
    return std::ranges::any_of(words,
                               [&](const std::string& word) { return name_of(word) == name; });
  };
  std::vector<std::string> recorded;
  for (const std::string& option : *replay.header().options) {
    if (is_among(option, place_options)) {
      if (is_typed(name_of(option))) continue;
    } else if (!is_among(option, result_option_names)) {
      throw PlanError(fmt::format("{}: '{}' in its first line is not an option of a replay",
                                  replay.manifest().string(), option));
    }
    recorded.push_back(option);
  }
  const auto at = std::ranges::find(words, "--replay", name_of);
  const bool has_value = at->find('=') != std::string::npos;
  const auto after = words.erase(at, at + (has_value ? 1 : 2));
  words.insert(after, recorded.begin(), recorded.end());
  return words;
}

}  // namespace qturn
