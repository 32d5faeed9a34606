#include "src/dataset/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "src/files/json_names.hpp"
#include "src/files/safe_file.hpp"
#include "src/inputs/find_files.hpp"
#include "src/run/flight.hpp"
#include "src/run/outcome.hpp"
#include "src/sample/companion.hpp"

namespace qturn {
namespace {

constexpr const char* first_member = "qturn_manifest";
constexpr int manifest_version = 1;

const char* name_of(CompanionKind kind) {
  switch (kind) {
    case CompanionKind::label:
      return "label";
    case CompanionKind::sidecar:
      return "sidecars";
    case CompanionKind::mask:
      break;
  }
  return "masks";
}

void put_file(Json& json, const ManifestFile& file) {
  json["source"] = digits_of(file.source);
  json["result"] = digits_of(file.result);
}

Json json_of(const ManifestFile& file) {
  Json json;
  put_name(json, "output", file.output);
  put_file(json, file);
  return json;
}

/// Throws an exception of any kind if the member is not a file.
ManifestFile read_file_of(const Json& json, const char* name = "output") {
  const auto hash = [&](const char* member) {
    const auto read = hash_of_digits(json.at(member).get<std::string>());
    if (!read) throw std::invalid_argument(member);
    return *read;
  };
  return {get_name(json, name), hash("source"), hash("result")};
}

}  // namespace

std::weak_ordering ManifestEntry::operator<=>(const ManifestEntry& other) const {
  return std::tie(key, variant, picture.output) <=>
         std::tie(other.key, other.variant, other.picture.output);
}

std::string manifest_line(const ManifestEntry& entry) {
  Json json;
  put_name(json, "key", entry.key);
  json["variant"] = name(entry.variant);
  json["orientation"] = static_cast<int>(entry.variant);
  put_name(json, "output", entry.picture.output);
  json["route"] = word(entry.route);
  put_file(json, entry.picture);
  for (const ManifestFile& each : entry.companions) {
    Json& place = json[name_of(each.kind)];
    if (each.kind == CompanionKind::label)
      place = json_of(each);
    else
      place.push_back(json_of(each));
  }
  put_names(json, "labels_in", entry.labels_in);
  return dump(json);
}

std::optional<ManifestEntry> read_manifest_line(const std::string& line) try {
  const Json json = Json::parse(line);
  const Json& number = json.at("orientation");
  if (!number.is_number_integer()) return std::nullopt;
  const auto orientation = number.get<std::int64_t>();
  if (orientation < 1 || orientation > 8) return std::nullopt;
  ManifestEntry entry{.key = get_name(json, "key"),
                      .variant = static_cast<Orientation>(orientation),
                      .picture = read_file_of(json),
                      .route = route_of(json.at("route").get<std::string>()).value(),
                      .labels_in = get_names(json, "labels_in")};
  for (const CompanionKind kind :
       {CompanionKind::label, CompanionKind::sidecar, CompanionKind::mask}) {
    if (!json.contains(name_of(kind))) continue;
    const Json& place = json[name_of(kind)];
    const bool is_one = kind == CompanionKind::label;
    for (const Json& file : is_one ? Json::array({place}) : place) {
      entry.companions.push_back(read_file_of(file));
      entry.companions.back().kind = kind;
    }
  }
  return entry;
} catch (const std::exception&) {
  return std::nullopt;
}

std::string manifest_line(const ManifestHeader& header) {
  Json json;
  json[first_member] = manifest_version;
  json["program"] = header.program;
  if (header.options) put_names(json, "options", *header.options);
  return dump(json);
}

std::string manifest_line(const ManifestFile& file) {
  Json json;
  put_name(json, "file", file.output);
  put_file(json, file);
  return dump(json);
}

std::string manifest_line(const ManifestFailure& failure) {
  Json json;
  put_name(json, "key", failure.key);
  put_name(json, "failed", failure.why);
  return dump(json);
}

std::optional<ManifestHeader> read_manifest_header(const std::string& line) try {
  const Json json = Json::parse(line);
  if (json.at(first_member) != manifest_version) return std::nullopt;
  ManifestHeader header{json.at("program").get<std::string>(), std::nullopt};
  if (json.contains("options")) header.options = get_names(json, "options");
  return header;
} catch (const std::exception&) {
  return std::nullopt;
}

std::optional<ManifestFile> read_manifest_file(const std::string& line) try {
  return read_file_of(Json::parse(line), "file");
} catch (const std::exception&) {
  return std::nullopt;
}

std::optional<ManifestFailure> read_manifest_failure(const std::string& line) try {
  const Json json = Json::parse(line);
  return ManifestFailure{get_name(json, "key"), get_name(json, "failed")};
} catch (const std::exception&) {
  return std::nullopt;
}

namespace fs = std::filesystem;

namespace {

/// The entries of an earlier manifest, ascending and each once. qturn writes them ascending, so the
/// manifest is read line by line, and only lines that are out of order are held.
class EarlierEntries {
 public:
  explicit EarlierEntries(const fs::path& manifest) : lines_(manifest, std::ios::binary) {
    std::optional<ManifestEntry> greatest;
    while (auto entry = read_line(true)) {
      if (greatest && *entry <= *greatest)
        late_.insert(std::move(*entry));
      else
        greatest = std::move(entry);
    }
    lines_.clear();
    lines_.seekg(0);
    read_in_order();
  }

  const std::optional<ManifestHeader>& header() const { return header_; }
  /// Files that are not variants of pictures.
  const std::vector<ManifestFile>& files() const { return files_; }
  bool empty() const { return files_.empty() && !front(); }

  /// Null at the end.
  const ManifestEntry* front() const {
    if (late_.empty() || (in_order_ && *in_order_ <= *late_.begin()))
      return in_order_ ? &*in_order_ : nullptr;
    return &*late_.begin();
  }

  void pop() {
    const ManifestEntry entry = *front();
    late_.erase(entry);
    if (in_order_ == entry) read_in_order();
  }

 private:
  std::optional<ManifestEntry> read_line(bool takes_others = false) {
    for (std::string line; std::getline(lines_, line);) {
      if (auto entry = read_manifest_line(line)) return entry;
      if (!takes_others) continue;
      if (auto header = read_manifest_header(line)) header_ = std::move(header);
      if (auto file = read_manifest_file(line)) files_.push_back(*std::move(file));
    }
    return std::nullopt;
  }

  void read_in_order() {
    const std::optional<ManifestEntry> before = std::move(in_order_);
    do {
      in_order_ = read_line();
    } while (in_order_ && before && *in_order_ <= *before);
  }

  std::ifstream lines_;
  std::optional<ManifestHeader> header_;
  std::vector<ManifestFile> files_;
  std::optional<ManifestEntry> in_order_;
  std::set<ManifestEntry> late_;
};

ContentHash hash_of_present(const fs::path& path) {
  const auto hash = hash_of_file(path);
  if (!hash) throw FileError("cannot read " + path.string(), path, system_code(ENOENT));
  return *hash;
}

/// The options that made the results which the plan leaves alone. Nothing if the manifest does not
/// list all these results, or if runs with different options made it.
std::optional<std::vector<std::string>> options_of_kept(const fs::path& manifest,
                                                        const Plan& plan) {
  EarlierEntries earlier(manifest);
  if (!earlier.header()) return std::nullopt;
  bool are_listed = true;
  const FileList& files = plan.jobs.files();
  for (const FoundFile& file : files) {
    if (!file.picture) continue;
    file.kept.for_each([&](Orientation variant) {
      const fs::path output = plan.jobs.names().path_of(files, file, variant);
      const ManifestEntry entry{
          .key = files.key(file),
          .variant = variant,
          .picture = {output.lexically_relative(plan.output_folder).string()}};
      while (earlier.front() && *earlier.front() < entry) earlier.pop();
      are_listed = are_listed && earlier.front() && *earlier.front() == entry;
    });
  }
  return are_listed ? earlier.header()->options : std::nullopt;
}

/// The header names no options if some files may have been made with others: an interrupted run
/// keeps earlier lines, and no manifest may tell the options of results that are left alone.
ManifestHeader header_of(const fs::path& manifest, const RunRecord& record,
                         const EarlierEntries& earlier, const Plan& plan) {
  ManifestHeader header = record.header;
  const bool is_alike = earlier.header() && earlier.header()->options == header.options;
  if (record.is_interrupted && !earlier.empty() && !is_alike) header.options.reset();
  if (plan.jobs.skipped_count() > 0 && options_of_kept(manifest, plan) != header.options)
    header.options.reset();
  return header;
}

/// The files that are not variants of pictures, ascending by their paths.
std::vector<ManifestFile> files_of(const RunRecord& record, const EarlierEntries& earlier,
                                   const Plan& plan) {
  std::map<std::string, ManifestFile> files;
  if (record.is_interrupted)
    for (const ManifestFile& file : earlier.files()) files[file.output] = file;
  for (const ManifestFile& file : record.files) files[file.output] = file;
  const FileList& found = plan.jobs.files();
  for (std::size_t number = 0; number < found.size(); ++number) {
    const FoundFile& file = found[number];
    if (file.picture || (file.kept | record.written.variants()[number]).empty()) continue;
    const fs::path output = plan.jobs.names().path_of(found, file, Orientation::identity);
    ManifestFile copied{output.lexically_relative(plan.output_folder).string()};
    if (const auto made = record.written.made().of(number, Orientation::identity)) {
      copied.source = made->hashes.front().source;
      copied.result = made->hashes.front().result;
    } else if (record.is_interrupted) {
      continue;
    } else {
      copied.source = hash_of_present(found.path(file));
      copied.result = hash_of_present(output);
    }
    files[copied.output] = copied;
  }
  std::vector<ManifestFile> sorted;
  for (auto& [output, file] : files) sorted.push_back(std::move(file));
  return sorted;
}

/// The hashes of results by their paths.
using Unmade = std::map<std::string, ContentHash>;

/// Removes these results: a trainer would take a label that is left over for a picture's label.
std::vector<std::string> remove_unmade(const Unmade& unmade, const fs::path& output) {
  SomeNames removed, changed;
  for (const auto& [name, hash] : unmade) {
    const fs::path path = output / name;
    std::error_code error;
    if (!fs::exists(path, error)) continue;
    if (hash_of_file(path) == hash && fs::remove(path, error))
      removed.add(path.string());
    else
      changed.add(path.string());
  }
  std::vector<std::string> said;
  if (removed.count() > 0)
    said.push_back(removed.text() + ": removed, because what it was made of is not there any more");
  if (changed.count() > 0)
    said.push_back(changed.text() +
                   ": not removed, though what it was made of is not there any more: it has "
                   "changed since; remove it");
  return said;
}

/// Makes the entries of the lines.
class Entries {
 public:
  Entries(const Plan& plan, const RunRecord& record) : plan_(plan), record_(record) {
    for (const SharedLabels::File& file : plan.jobs.shared_labels().files())
      shared_[file.input] = file.output;
  }

  /// An entry with its names alone.
  ManifestEntry of(std::size_t number, Orientation variant) const {
    const JobList& jobs = plan_.jobs;
    const FoundFile& file = jobs.files()[number];
    ManifestEntry entry{.key = jobs.files().key(file),
                        .variant = variant,
                        .picture = {in_output(jobs.names().path_of(jobs.files(), file, variant))},
                        .labels_in = {}};
    for (const Companion& each : jobs.companions_of(number, variant))
      entry.companions.push_back({.output = in_output(each.output), .kind = each.kind});
    for (const SharedLabel& label : jobs.shared_labels().of(number))
      entry.labels_in.push_back(in_output(shared_.at(label.file)));
    return entry;
  }

  /// Adds the route and the hashes if this run has made the result.
  bool take_made(std::size_t number, ManifestEntry& entry) const {
    const auto made = record_.written.made().of(number, entry.variant);
    if (!made) return false;
    entry.route = made->route;
    const auto* hashes = made->hashes.data();
    for_each_file(entry, [&](ManifestFile& file) {
      file.source = hashes->source;
      file.result = hashes->result;
      ++hashes;
    });
    return true;
  }

  /// Adds the route and the hashes of an earlier run's result, from the files as they are now.
  void read(std::size_t number, ManifestEntry& entry) {
    const JobList& jobs = plan_.jobs;
    if (number_ != number) {
      number_ = number;
      read_picture(jobs.files()[number]);
      sources_ = {original_.hash};
      for (const Companion& each : jobs.companions_of(number, entry.variant))
        sources_.push_back(hash_of_present(each.input));
    }
    entry.route = picture_->plan(entry.variant).route;
    const ContentHash* source = sources_.data();
    for_each_file(entry, [&](ManifestFile& file) {
      const fs::path place = plan_.output_folder / file.output;
      // The input may have changed since.
      const auto before = record_.journals ? record_.journals->source_before(place) : std::nullopt;
      file.source = before.value_or(*source++);
      file.result = hash_of_present(place);
    });
  }

  /// Moves companions that are not made any more, because their inputs are gone, from an earlier
  /// entry to `unmade`.
  static void drop_unmade(ManifestEntry& earlier, ManifestEntry now, Unmade& unmade) {
    std::set<std::string> made;
    for_each_file(now, [&](const ManifestFile& file) { made.insert(file.output); });
    std::erase_if(earlier.companions, [&](const ManifestFile& file) {
      if (made.contains(file.output)) return false;
      unmade[file.output] = file.result;
      return true;
    });
  }

  /// Takes out of `unmade` what this plan makes for another picture.
  void keep_unmade(Unmade& unmade) const {
    const FileList& files = plan_.jobs.files();
    for (std::size_t number = 0; number < files.size() && !unmade.empty(); ++number) {
      if (!files[number].picture) continue;
      (files[number].kept | files[number].to_do).for_each([&](Orientation variant) {
        ManifestEntry entry = of(number, variant);
        for_each_file(entry, [&](const ManifestFile& file) { unmade.erase(file.output); });
      });
    }
  }

 private:
  void read_picture(const FoundFile& file) {
    const fs::path path = plan_.jobs.files().path(file);
    picture_.reset();
    original_ = FileSource().read(path, std::move(original_.bytes));
    try {
      picture_.emplace(original_.bytes, original_.lower_suffix,
                       picture_options(record_.options, plan_.jobs.names().target()));
    } catch (const std::runtime_error& error) {
      throw FileError(fmt::format("{}: {}", path.string(), error.what()), path, {});
    }
  }

  template <typename Visit>
  static void for_each_file(ManifestEntry& entry, Visit visit) {
    visit(entry.picture);
    for (ManifestFile& each : entry.companions) visit(each);
  }

  std::string in_output(const fs::path& path) const {
    return path.lexically_relative(plan_.output_folder).string();
  }

  const Plan& plan_;
  const RunRecord& record_;
  std::map<fs::path, fs::path> shared_;  // the output of each file with labels of many pictures
  std::optional<std::size_t> number_;    // the picture that was read last
  Original original_;
  std::optional<PictureTurn> picture_;
  std::vector<ContentHash> sources_;
};

}  // namespace

std::vector<std::string> write_manifest(const fs::path& manifest, const Plan& plan,
                                        const RunRecord& record, IfExists if_exists) {
  EarlierEntries earlier(manifest);
  Entries entries(plan, record);
  Unmade unmade;
  const auto write_lines = [&](const NewFile::Append& append) {
    std::string lines = manifest_line(header_of(manifest, record, earlier, plan)) + "\n";
    for (const ManifestFile& file : files_of(record, earlier, plan))
      lines += manifest_line(file) + "\n";
    for (const auto& [key, why] : record.written.failures())
      lines += manifest_line(ManifestFailure{key, why}) + "\n";
    const auto put = [&](const ManifestEntry& entry) {
      constexpr std::size_t many = 1 << 16;
      lines += manifest_line(entry) + "\n";
      if (lines.size() < many) return;
      append(std::as_bytes(std::span(lines)));
      lines.clear();
    };
    const auto put_earlier_before = [&](const ManifestEntry* entry) {
      for (; earlier.front() && !(entry && *entry <= *earlier.front()); earlier.pop())
        if (record.is_interrupted) put(*earlier.front());
    };
    const FileList& files = plan.jobs.files();
    for (std::size_t number = 0; number < files.size(); ++number) {
      if (!files[number].picture) continue;
      (files[number].kept | record.written.variants()[number]).for_each([&](Orientation variant) {
        ManifestEntry entry = entries.of(number, variant);
        put_earlier_before(&entry);
        const bool is_listed = earlier.front() && *earlier.front() == entry;
        ManifestEntry listed = is_listed ? *earlier.front() : ManifestEntry();
        Entries::drop_unmade(listed, entry, unmade);
        if (entries.take_made(number, entry)) {
          put(entry);
        } else if (is_listed && (files[number].kept.contains(variant) || record.is_interrupted)) {
          put(listed);
        } else if (!record.is_interrupted) {
          entries.read(number, entry);
          put(entry);
        }
        if (is_listed) earlier.pop();
      });
    }
    put_earlier_before(nullptr);
    append(std::as_bytes(std::span(lines)));
  };
  const NewFile file{
      .target = manifest, .content = {}, .write_more = write_lines, .places = &plan.places};
  std::vector<std::string> warnings = write_files(std::span(&file, 1), if_exists);
  entries.keep_unmade(unmade);
  std::ranges::move(remove_unmade(unmade, plan.output_folder), std::back_inserter(warnings));
  return warnings;
}

std::optional<JournalContent> read_manifest(const fs::path& manifest,
                                            const std::vector<std::string>& options) {
  std::ifstream lines(manifest, std::ios::binary);
  std::string line;
  if (!std::getline(lines, line)) return std::nullopt;
  const auto header = read_manifest_header(line);
  if (!header || header->options != options) return std::nullopt;
  JournalContent content;
  content.is_complete = true;
  const fs::path folder = fs::absolute(manifest).parent_path();
  const auto add = [&](const ManifestFile& file) {
    content.add(folder / file.output, folder / "", {file.source, file.result});
  };
  while (std::getline(lines, line)) {
    if (const auto file = read_manifest_file(line)) add(*file);
    const auto entry = read_manifest_line(line);
    if (!entry) continue;
    add(entry->picture);
    for (const ManifestFile& file : entry->companions) add(file);
  }
  return content;
}

}  // namespace qturn
