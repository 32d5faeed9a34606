#include "src/dataset/shard_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <queue>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "src/dataset/shards.hpp"
#include "src/dataset/shared_files.hpp"
#include "src/files/file_descriptor.hpp"
#include "src/files/json_names.hpp"
#include "src/files/safe_file.hpp"

namespace qturn {

namespace fs = std::filesystem;

namespace {

/// The hash of the file. Throws FileError if it has changed since it was planned.
ContentHash source_of(const SharedLabels::File& file) {
  Hasher source;
  const FileState state = read_in_parts(file.input, [&](std::span<const std::byte> part) {
    source.add(part);
    return true;
  });
  if (state == file.state) return source.hash();
  throw FileError(file.input.string() + " has changed during the run", file.input, {});
}

Json json_of(const std::string& name, const SharedFile& file) {
  Json json;
  put_name(json, "file", name);
  put_name(json, "input", file.input.string());
  json["source"] = digits_of(file.source);
  if (file.format) json["format"] = file.format->name;
  if (const auto& keypoints = file.swap_pairs.keypoints; !keypoints.empty())
    json["swap_pairs"] = keypoints;
  std::vector<std::string> classes;
  for (const auto& [name, other] : file.swap_pairs.classes)
    classes.insert(classes.end(), {name, other});
  put_names(json, "swap_classes", classes);
  if (!file.text.empty()) put_name(json, "text", file.text);
  return json;
}

std::pair<std::string, SharedFile> shared_file(const Json& json) {
  const auto source = hash_of_digits(json.at("source").get<std::string>());
  SharedFile file{.input = get_name(json, "input"), .source = source.value()};
  if (json.contains("format")) {
    const auto format = std::ranges::find(shared_label_formats, json["format"].get<std::string>(),
                                          &SharedLabelFormat::name);
    if (format == shared_label_formats.end()) throw std::invalid_argument("format");
    file.format = &*format;
  }
  if (json.contains("swap_pairs"))
    file.swap_pairs.keypoints = json["swap_pairs"].get<std::vector<int>>();
  const std::vector<std::string> classes = get_names(json, "swap_classes");
  for (std::size_t i = 0; i + 1 < classes.size(); i += 2)
    file.swap_pairs.classes.emplace(classes[i], classes[i + 1]);
  if (json.contains("text")) file.text = get_name(json, "text");
  return {get_name(json, "file"), std::move(file)};
}

Json json_of(std::size_t image, const std::vector<LabelledVariant>& variants) {
  Json json;
  json["image"] = image;
  for (const LabelledVariant& variant : variants) {
    Json each;
    each["variant"] = static_cast<int>(variant.turn.variant.value());
    each["orientation"] = static_cast<int>(variant.turn.orientation);
    put_name(each, "name", variant.name);
    each["width"] = variant.size.width;
    each["height"] = variant.size.height;
    if (variant.bytes > 0) each["bytes"] = variant.bytes;
    std::vector<std::string> others;
    for (const auto& [before, after] : variant.others) others.insert(others.end(), {before, after});
    put_names(each, "others", others);
    json["variants"].push_back(std::move(each));
  }
  return json;
}

Orientation orientation_in(const Json& json, const char* member) {
  const int number = json.at(member).get<int>();
  if (number < 1 || number > 8) throw std::invalid_argument(member);
  return static_cast<Orientation>(number);
}

std::map<std::string, std::string> others_in(const Json& json) {
  std::map<std::string, std::string> others;
  const std::vector<std::string> names = get_names(json, "others");
  for (std::size_t i = 0; i + 1 < names.size(); i += 2) others[names[i]] = names[i + 1];
  return others;
}

std::vector<LabelledVariant> variants_in(const Json& json) {
  std::vector<LabelledVariant> variants;
  for (const Json& each : json.at("variants"))
    variants.push_back(
        {.turn = {orientation_in(each, "variant"), orientation_in(each, "orientation")},
         .name = get_name(each, "name"),
         .size = {each.at("width").get<std::int64_t>(), each.at("height").get<std::int64_t>()},
         .bytes = each.value("bytes", std::uint64_t{0}),
         .others = others_in(each)});
  return variants;
}

/// Throws an exception of any kind if it is not such a line. `current`: the file that was named
/// last.
void take_line(const Json& json, SharedPartsByName& parts, SharedParts*& current) {
  const auto must_be_new = [](bool is_new) {
    if (!is_new) throw std::invalid_argument("twice");
  };
  if (json.contains("file")) {
    auto [name, file] = shared_file(json);
    const auto [known, is_new] = parts.try_emplace(name, SharedParts{.file = file});
    if (!is_new && known->second.file != file)
      throw std::invalid_argument(
          fmt::format("{} has changed between the shards, and {} is made of it; run all shards "
                      "again, to another output",
                      file.input.string(), name));
    current = &known->second;
  } else if (!current) {
    throw std::invalid_argument("no file");
  } else if (json.contains("image")) {
    must_be_new(
        current->images.emplace(json["image"].get<std::size_t>(), variants_in(json)).second);
  } else {
    must_be_new(
        current->lines.emplace(json.at("line").get<std::size_t>(), get_name(json, "lines")).second);
  }
}

}  // namespace

std::vector<std::string> write_shard_parts(const fs::path& place, const Plan& plan,
                                           const RunOptions& options,
                                           const WrittenPictures& written) {
  const auto write = [&](const NewFile::Append& append) {
    const auto put = [&](const Json& json) {
      const std::string text = dump(json) + "\n";
      append(std::as_bytes(std::span(text)));
    };
    const auto name_of = [&](const fs::path& output) {
      return output.lexically_relative(plan.output_folder).string();
    };
    for (const SharedLabels::File& file : plan.jobs.shared_labels().files()) {
      if (file.found == 0) continue;
      put(json_of(name_of(file.output), {.input = fs::absolute(file.input).lexically_normal(),
                                         .source = source_of(file),
                                         .format = file.format,
                                         .swap_pairs = file.swap_pairs}));
      VariantsInPlace variants(file, plan.jobs, options, written);
      for (std::size_t image = 0; image < file.pictures.size(); ++image)
        if (const auto& there = variants(image); !there.empty()) put(json_of(image, there));
    }
    for (const DataSets::File& file : plan.jobs.data_sets().files()) {
      put(json_of(name_of(file.output), {.input = fs::absolute(file.input).lexically_normal(),
                                         .source = file.hash,
                                         .text = file.text}));
      for (std::size_t at = 0; at < file.pictures.size(); ++at) {
        Json json;
        json["line"] = at;
        const std::string lines = lines_of_picture(file, at, plan, written.variants());
        put_name(json, "lines", lines);
        if (!lines.empty()) put(json);
      }
    }
  };
  const NewFile file{.target = place, .content = {}, .write_more = write};
  return write_files(std::span(&file, 1), IfExists::replace);
}

void read_shard_parts(const fs::path& place, SharedPartsByName& parts) {
  std::ifstream lines(place, std::ios::binary);
  if (!lines) throw FileError("cannot read " + place.string(), place, {});
  SharedParts* current = nullptr;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    try {
      take_line(Json::parse(line), parts, current);
    } catch (const std::exception& error) {
      throw FileError(fmt::format("{}:{}: cannot be merged with the other shards: {}",
                                  place.string(), number, error.what()),
                      place, {});
    }
  }
}

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
  /// The number of the last line.
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

// A key is in one shard alone, so no two shards have the same entry.
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
