#include "src/store/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <map>
#include <utility>

#include "src/store/json_names.hpp"
#include "src/store/safe_file.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

constexpr const char* first_member = "qturn_journal";
constexpr int version = 1;
constexpr std::string_view beginning = "{\"qturn_journal\":";

fs::path normal(const fs::path& path) { return fs::absolute(path).lexically_normal(); }

ContentHash hash_of_name(const std::string& name) {
  return hash_of(std::as_bytes(std::span(name)));
}

/// Names of files below the root are relative to it, so that the folder can be moved.
std::string name_in(const fs::path& root, const fs::path& path) {
  const fs::path absolute = normal(path);
  if (root.empty()) return absolute.string();
  const fs::path relative = absolute.lexically_relative(root);
  return relative.empty() || *relative.begin() == ".." ? absolute.string() : relative.string();
}

Json json_of(const IntendedFile& file, const char* member, const fs::path& root) {
  Json json;
  put_name(json, member, name_in(root, file.target));
  put_name(json, "temporary", name_in(root, file.temporary));
  json["source"] = digits_of(file.source);
  json["result"] = digits_of(file.result);
  return json;
}

IntendedFile intended_file(const Json& json, const char* member, const fs::path& root) {
  const auto source = hash_of_digits(json.at("source").get<std::string>());
  const auto result = hash_of_digits(json.at("result").get<std::string>());
  if (!source || !result) throw std::invalid_argument("not a hash");
  return {root / get_name(json, member), root / get_name(json, "temporary"), *source, *result};
}

std::string header_line(const JournalHeader& header) {
  Json json;
  json[first_member] = version;
  json["operation"] = header.operation;
  json["inputs"] = Json::array();
  for (const std::string& input : header.inputs) {
    Json name;
    put_name(name, "name", input);
    json["inputs"].push_back(std::move(name));
  }
  json["run"] = run_id();
  return dump(json) + "\n";
}

class Reader {
 public:
  explicit Reader(fs::path root) : root_(std::move(root)) {}

  /// Throws an exception of any kind if it is not such a line.
  void take(const std::string& line) {
    const Json json = Json::parse(line);
    if (content_.runs.empty()) {
      if (json.at(first_member).get<int>() != version) throw std::invalid_argument("version");
      content_.header.operation = json.at("operation").get<std::string>();
      for (const Json& input : json.at("inputs"))
        content_.header.inputs.push_back(get_name(input, "name"));
      content_.runs.push_back(json.at("run").get<std::string>());
    } else if (json.contains("intent")) {
      Intent intent = {intended_file(json, "intent", root_)};
      for (const Json& more : json.at("with")) intent.push_back(intended_file(more, "name", root_));
      for (const IntendedFile& file : intent) {
        content_.files[hash_of_name(name_in(root_, file.target))] = {file.source, file.result};
      }
      begun_[get_name(json, "intent")] = std::move(intent);
    } else if (json.contains("done")) {
      begun_.erase(get_name(json, "done"));
    } else if (json.contains("given_up")) {
      const auto intent = begun_.extract(get_name(json, "given_up"));
      if (intent.empty()) throw std::invalid_argument("nothing to give up");
      for (const IntendedFile& file : intent.mapped())
        content_.files.erase(hash_of_name(name_in(root_, file.target)));
    } else if (json.contains("resumed")) {
      content_.runs.push_back(json.at("resumed").get<std::string>());
      content_.is_complete = false;
    } else {
      content_.is_complete = json.at("end").get<bool>();
    }
  }

  JournalContent content() && {
    for (auto& [name, intent] : begun_) content_.begun.push_back(std::move(intent));
    return std::move(content_);
  }

  JournalContent content_;

 private:
  fs::path root_;
  std::map<std::string, Intent> begun_;
};

/// Finishes results of which only a part is in its place: the temporaries of the others are there.
void finish_begun(const JournalContent& content, bool in_place) {
  for (const Intent& intent : content.begun) {
    const auto is_in_place = [](const IntendedFile& file) {
      return hash_of_file(file.target) == file.result;
    };
    if (std::ranges::none_of(intent, is_in_place)) continue;
    for (const IntendedFile& file : intent) {
      const auto found = hash_of_file(file.target);
      const bool may_be_replaced = in_place ? found == file.source : !found;
      if (!may_be_replaced || hash_of_file(file.temporary) != file.result) continue;
      const fs::path place = fs::weakly_canonical(file.target);
      if (std::rename(file.temporary.c_str(), place.c_str()) != 0) {
        throw UnfinishedError("cannot write " + file.target.string(), file.target,
                              system_code(errno));
      }
      const FileDescriptor folder(::open(place.parent_path().c_str(), O_RDONLY | O_CLOEXEC));
      FlushedFolders().flush(folder.get());
    }
  }
}

/// What the runs of a journal have left in these folders, as far as they are there.
std::vector<fs::path> temporaries_of(const JournalContent& content,
                                     const std::set<fs::path>& folders) {
  std::vector<fs::path> found;
  for (const Intent& intent : content.begun)
    for (const IntendedFile& file : intent)
      if (is_temporary_name(file.temporary.filename().string())) found.push_back(file.temporary);
  for (const fs::path& folder : folders) {
    std::error_code error;
    fs::directory_iterator entry(folder.empty() ? fs::path(".") : folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      const auto is_of = [&](const std::string& run) { return is_temporary_name(name, run); };
      if (std::ranges::any_of(content.runs, is_of)) found.push_back(entry->path());
    }
    if (error && error != std::errc::no_such_file_or_directory)
      throw FileError("cannot read the folder " + folder.string(), folder, error);
  }
  return found;
}

}  // namespace

std::optional<JournalContent> read_journal(const fs::path& file, const fs::path& root) {
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    if (!fs::exists(fs::symlink_status(file))) return std::nullopt;
    throw FileError("cannot read " + file.string(), file, system_code(errno));
  }
  Reader reader(root);
  std::uint64_t number = 0;
  for (std::string line; std::getline(in, line);) {
    const bool is_whole = !in.eof();
    const bool is_last = !is_whole || in.peek() == std::ifstream::traits_type::eof();
    ++number;
    try {
      if (!is_whole) throw std::invalid_argument("torn");
      reader.take(line);
    } catch (const std::exception&) {
      if (number == 1 && !(is_last && (beginning.starts_with(line) ||
                                       std::string_view(line).starts_with(beginning)))) {
        throw FileError(file.string() + " is not a journal of qturn", file, {});
      }
      if (!is_last) {
        throw FileError(
            fmt::format("line {} of the journal {} is damaged; remove the file to forget what "
                        "it says",
                        number, file.string()),
            file, {});
      }
      break;
    }
    reader.content_.bytes += line.size() + 1;
  }
  if (reader.content_.runs.empty()) return std::nullopt;
  return std::move(reader).content();
}

Journal::Journal(fs::path file, fs::path root, const JournalHeader& header,
                 std::optional<JournalContent> content, bool flushed)
    : file_(std::move(file)), root_(std::move(root)), flushed_(flushed) {
  opened_ = FileDescriptor(
      ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (content) {
    before_ = std::move(*content);
    bytes_ = before_.bytes;
    has_intents_ = !before_.files.empty();
  }
  if (!opened_ || ::ftruncate(opened_.get(), static_cast<off_t>(bytes_)) != 0) {
    throw FileError("cannot write " + file_.string(), file_, system_code(errno));
  }
  Json resumed;
  resumed["resumed"] = run_id();
  append(bytes_ == 0 ? header_line(header) : dump(resumed) + "\n", flushed_);
  if (!flushed_) return;
  const FileDescriptor folder(
      ::open(normal(file_).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (const std::error_code reason = FlushedFolders().flush(folder.get())) {
    throw FileError("cannot write " + file_.string(), file_, reason);
  }
}

const JournalContent::Hashes* Journal::before(const fs::path& target) const {
  const auto found = before_.files.find(hash_of_name(name_in(root_, target)));
  return found == before_.files.end() ? nullptr : &found->second;
}

void Journal::intend(std::span<const Intent* const> intents) {
  std::string lines;
  for (const Intent* intent : intents) {
    Json json = json_of(intent->front(), "intent", root_);
    json["with"] = Json::array();
    for (const IntendedFile& file : std::span(*intent).subspan(1))
      json["with"].push_back(json_of(file, "name", root_));
    lines += dump(json) + "\n";
  }
  append(lines, flushed_);
  has_intents_ = true;
}

void Journal::settle(const Intent& intent, bool is_done) try {
  Json json;
  put_name(json, is_done ? "done" : "given_up", name_in(root_, intent.front().target));
  append(dump(json) + "\n", false);
} catch (const FileError&) {
}

void Journal::end() {
  Json json;
  json["end"] = true;
  append(dump(json) + "\n", flushed_);
}

void Journal::append(const std::string& lines, bool flushed) {
  const auto fail = [&](std::error_code reason) {
    throw FileError("cannot write the journal " + file_.string(), file_, reason);
  };
  if (broken_) fail(broken_);
  if (!write_all(opened_.get(), std::as_bytes(std::span(lines)))) {
    const std::error_code reason = system_code(errno);
    // Without the rest of its last line, what follows could not be read.
    if (::ftruncate(opened_.get(), static_cast<off_t>(bytes_)) != 0) broken_ = reason;
    fail(reason);
  }
  bytes_ += lines.size();
  // After a flush that failed, the system may take for written what is lost.
  if (flushed && ::fsync(opened_.get()) != 0) fail(broken_ = system_code(errno));
}

Journals::Journals(const JournalOptions& options, std::span<const fs::path> below,
                   const std::function<std::set<fs::path>()>& folders)
    : options_(options) {
  for (const JournalRoot& root : options_.roots) {
    const bool is_new = !fs::exists(root.folder);
    if (is_new) fs::create_directories(root.folder);
    roots_.push_back({root.folder, normal(root.folder / ""), is_new});
    locks_.emplace_back(root.folder);
  }
  if (options_.in_place) refuse_begun(below);
  open(folders);
}

Journals::~Journals() {
  // Nothing was begun, and the run ended before finish().
  if (options_.file.empty() && !has_intents())
    for (const Journal& journal : journals_) ::unlink(journal.file().c_str());
  locks_.clear();
  // A run that wrote nothing leaves no folder.
  for (const Root& root : roots_)
    if (root.is_new) ::rmdir(root.folder.c_str());
}

// Journals above the roots and below them are of other runs.
void Journals::refuse_begun(std::span<const fs::path> below) const {
  std::set<fs::path> own;
  for (const Root& root : roots_) own.insert(fs::canonical(root.folder) / journal_name);
  std::set<fs::path> others(below.begin(), below.end());
  for (const Root& root : roots_) {
    for (fs::path at = fs::canonical(root.folder); at.has_relative_path();) {
      at = at.parent_path();
      others.insert(at / journal_name);
    }
  }
  for (const fs::path& other : others) {
    std::error_code unknown;
    if (!fs::exists(other, unknown) || own.contains(fs::canonical(other))) continue;
    const auto content = read_journal(other, other.parent_path());
    if (!content || !content->is_left_undone()) continue;
    throw FileError(
        fmt::format(
            "{}: '{}' of this folder is not complete; finish it with --resume, or remove {} "
            "to forget it",
            other.parent_path().string(), content->header.operation, other.string()),
        other, {});
  }
}

void Journals::open(const std::function<std::set<fs::path>()>& folders) {
  using Start = JournalOptions::Start;
  struct Place {
    fs::path file, root;
    JournalHeader header;
    std::optional<JournalContent> content;
  };
  std::vector<Place> places;
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    if (options_.file.empty() || i == 0) {
      const bool own_file = !options_.file.empty();
      places.push_back({own_file ? options_.file : roots_[i].folder / journal_name,
                        own_file ? fs::path() : roots_[i].absolute,
                        {options_.operation, {}},
                        {}});
    }
    Place& place = places.back();
    const auto& inputs = options_.roots[i].inputs;
    place.header.inputs.insert(place.header.inputs.end(), inputs.begin(), inputs.end());
    roots_[i].journal = places.size() - 1;
  }
  bool any = false, any_begun = false;
  for (Place& place : places) {
    place.content = read_journal(place.file, place.root);
    any |= place.content.has_value();
    any_begun |= place.content && !place.content->files.empty();
  }
  if (options_.start == Start::resume && !any) {
    throw FileError(fmt::format("there is no journal {} of an interrupted run; leave out --resume",
                                places.front().file.string()),
                    places.front().file, {});
  }
  for (const Place& place : places) {
    if (!place.content) {
      // All journals are made before the first picture is turned.
      if (options_.start == Start::resume && any_begun) {
        throw FileError(
            fmt::format("there is no journal {}, so what is there is done or forgotten; "
                        "--resume the other inputs without it",
                        place.file.string()),
            place.file, {});
      }
      continue;
    }
    const JournalHeader& header = place.content->header;
    if (options_.start == Start::resume && header != place.header) {
      throw FileError(
          fmt::format("{} is of '{}' with {}, this run is '{}' with {}; resume with the same "
                      "operation, options and inputs",
                      place.file.string(), header.operation, fmt::join(header.inputs, ", "),
                      place.header.operation, fmt::join(place.header.inputs, ", ")),
          place.file, {});
    }
    if (options_.start == Start::anew && options_.in_place && place.content->is_left_undone()) {
      throw FileError(
          fmt::format("{}: '{}' is not complete, and a new run could turn pictures twice; --resume "
                      "does what is not done, --restart does everything again",
                      place.file.string(), header.operation),
          place.file, {});
    }
  }
  for (Place& place : places) {
    if (place.content) {
      const std::vector<fs::path> temporaries = temporaries_of(*place.content, folders());
      finish_begun(*place.content, options_.in_place);
      for (const fs::path& temporary : temporaries) ::unlink(temporary.c_str());
      place.content->begun.clear();
    }
    if (options_.start != Start::resume) place.content.reset();
    journals_.emplace_back(place.file, place.root, place.header, std::move(place.content),
                           options_.flushed);
  }
}

std::size_t Journals::index_of(const fs::path& target) const {
  if (roots_.size() == 1) return 0;
  const std::string absolute = normal(target).string();
  const Root* deepest = &roots_.front();
  std::size_t length = 0;
  for (const Root& root : roots_) {
    const std::string& folder = root.absolute.native();
    if (folder.size() > length && absolute.starts_with(folder)) {
      deepest = &root;
      length = folder.size();
    }
  }
  return deepest->journal;
}

Journal& Journals::of(const fs::path& target) { return journals_[index_of(target)]; }

bool Journals::is_done(const fs::path& target) const {
  if (options_.start != JournalOptions::Start::resume) return false;
  const JournalContent::Hashes* known = journals_[index_of(target)].before(target);
  if (options_.in_place) {
    if (!known) return false;
    const auto found = hash_of_file(target);
    if (found == known->result) return true;
    if (found == known->source) return false;
    throw FileError(
        "is neither the original nor what the interrupted run made of it, and was left as it is; "
        "look at it, and once all others are done --restart forgets the journal",
        target, {});
  }
  const auto found = hash_of_file(target);
  if (!found || options_.overwrite) return found && known && *found == known->result;
  if (known && *found == known->result) return true;
  throw FileError(
      fmt::format("{} is not what the interrupted run wrote; remove it and resume again, or use "
                  "--resume --overwrite",
                  target.string()),
      target, {});
}

bool Journals::has_intents() const { return std::ranges::any_of(journals_, &Journal::has_intents); }

std::vector<std::string> Journals::finish(bool all_done) {
  if (!all_done && has_intents()) return {};
  std::vector<std::string> warnings;
  try {
    for (Journal& journal : journals_) journal.end();
  } catch (const FileError& error) {
    warnings.emplace_back(error.what());
    return warnings;
  }
  if (!options_.file.empty()) return warnings;
  for (const Journal& journal : journals_) {
    if (::unlink(journal.file().c_str()) != 0) {
      warnings.push_back(fmt::format("cannot remove {}: {}", journal.file().string(),
                                     system_code(errno).message()));
    }
  }
  return warnings;
}

}  // namespace qturn
