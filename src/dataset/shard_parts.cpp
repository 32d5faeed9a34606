#include "src/dataset/shard_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <utility>

#include "src/dataset/data_set_files.hpp"
#include "src/files/file_descriptor.hpp"
#include "src/files/safe_file.hpp"
#include "src/files/json_names.hpp"

namespace qturn {

namespace fs = std::filesystem;

namespace {

/// Of the file as it was when it was planned. Throws FileError if it has changed.
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
    json["variants"].push_back(std::move(each));
  }
  return json;
}

Orientation orientation_in(const Json& json, const char* member) {
  const int number = json.at(member).get<int>();
  if (number < 1 || number > 8) throw std::invalid_argument(member);
  return static_cast<Orientation>(number);
}

std::vector<LabelledVariant> variants_in(const Json& json) {
  std::vector<LabelledVariant> variants;
  for (const Json& each : json.at("variants"))
    variants.push_back(
        {.turn = {orientation_in(each, "variant"), orientation_in(each, "orientation")},
         .name = get_name(each, "name"),
         .size = {each.at("width").get<std::int64_t>(), each.at("height").get<std::int64_t>()},
         .bytes = each.value("bytes", std::uint64_t{0})});
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
        if (const auto& there = variants.of(image); !there.empty()) put(json_of(image, there));
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

}  // namespace qturn
