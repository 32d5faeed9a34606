#include "src/files/journal.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <map>
#include <utility>

#include "src/files/file_descriptor.hpp"
#include "src/files/safe_file.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

constexpr const char* first_member = "qturn_journal";
constexpr int version = 2;
constexpr std::string_view beginning = "{\"qturn_journal\":";
/// More than a picture with ten thousand masks needs.
constexpr std::size_t longest_line = std::size_t{16} << 20;

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

/// A name in a line that is an array: a plain string if it is UTF-8.
Json name_json(const std::string& name) {
  Json json;
  put_name(json, "name", name);
  return json.size() == 1 ? json["name"] : json;
}

std::string name_of(const Json& json) {
  return json.is_string() ? json.get<std::string>() : get_name(json, "name");
}

constexpr std::size_t hash_digits = 32, last_letters = 4;

/// Whether the last letters of the temporary's name are enough to know all of it.
bool has_usual_temporary(const IntendedFile& file) {
  const std::string name = file.temporary.filename().string();
  std::error_code unknown;
  return name.size() > last_letters && !fs::is_symlink(file.target, unknown) &&
         name == temporary_name(file.target.filename().string(), run_id(),
                                std::string_view(name).substr(name.size() - last_letters));
}

ContentHash hash_in(const Json& digits) {
  const auto hash = hash_of_digits(digits.get<std::string>());
  if (!hash) throw std::invalid_argument("not a hash");
  return *hash;
}

Json json_of(const StoredPicture& stored) {
  return {static_cast<int>(stored.orientation), stored.size.width, stored.size.height};
}

StoredPicture stored_in(const Json& json) {
  const auto orientation = json.at(0).get<int>();
  if (orientation < 1 || orientation > 8) throw std::invalid_argument("not an orientation");
  return {static_cast<Orientation>(orientation),
          {json.at(1).get<std::int64_t>(), json.at(2).get<std::int64_t>()}};
}

/// Adds a file to an array, one member after the other.
void add_file(Json& array, const IntendedFile& file, const fs::path& root, bool with_backup) {
  array.push_back(name_json(name_in(root, file.target)));
  std::string hashes = digits_of(file.source) + digits_of(file.result);
  const std::string temporary = file.temporary.filename().string();
  const bool is_usual = has_usual_temporary(file);
  if (is_usual) hashes += temporary.substr(temporary.size() - last_letters);
  array.push_back(std::move(hashes));
  if (with_backup && !file.backup.empty()) array.push_back(name_json(name_in(root, file.backup)));
  if (file.stored) array.emplace_back()["stored"] = json_of(*file.stored);
  if (is_usual) return;
  put_name(array.emplace_back(), "temporary", name_in(root, file.temporary));
}

/// Reads the members of a file from `at` on, and moves `at` to the next file.
IntendedFile file_in(const Json& array, std::size_t& at, const fs::path& root,
                     const std::string& run) {
  const fs::path target = root / name_of(array.at(at++));
  const auto text = array.at(at++).get<std::string>();
  const auto source = hash_of_digits(std::string_view(text).substr(0, hash_digits));
  const auto result = hash_of_digits(std::string_view(text).substr(hash_digits, hash_digits));
  if (!source || !result) throw std::invalid_argument("not a hash");
  IntendedFile file{target,
                    target.parent_path() / temporary_name(target.filename().string(), run,
                                                          text.substr(2 * hash_digits)),
                    *source, *result};
  const bool is_of_line = array.front().is_number();  // which ends in a checksum
  for (; at + (is_of_line ? 1 : 0) < array.size() && !array[at].is_array(); ++at) {
    if (array[at].is_object() && array[at].contains("temporary"))
      file.temporary = root / get_name(array[at], "temporary");
    else if (array[at].is_object() && array[at].contains("stored"))
      file.stored = stored_in(array[at]["stored"]);
    else if (!array[at].is_object() || !array[at].contains("without"))
      file.backup = root / name_of(array[at]);
  }
  return file;
}

/// A file as version 1 writes it.
IntendedFile file_of_version_1(const Json& json, const char* member, const fs::path& root) {
  const auto source = hash_of_digits(json.at("source").get<std::string>());
  const auto result = hash_of_digits(json.at("result").get<std::string>());
  if (!source || !result) throw std::invalid_argument("not a hash");
  fs::path backup;
  if (json.contains("backup")) backup = root / get_name(json, "backup");
  return {root / get_name(json, member), root / get_name(json, "temporary"), *source, *result,
          std::move(backup)};
}

Json header_line(const JournalHeader& header) {
  Json json;
  json[first_member] = version;
  json["operation"] = header.operation;
  json["inputs"] = Json::array();
  for (const std::string& input : header.inputs) {
    Json name;
    put_name(name, "name", input);
    json["inputs"].push_back(std::move(name));
  }
  if (!header.root.empty()) put_name(json, "root", header.root);
  json["run"] = run_id();
  json["began"] = utc_now();
  if (!header.originals.empty()) json["originals"] = header.originals;
  if (!header.kept_in.empty()) put_name(json, "kept_in", header.kept_in);
  if (header.is_record) json["record"] = true;
  return json;
}

Json end_line() {
  Json json;
  json["end"] = true;
  json["ended"] = utc_now();
  return json;
}

std::string checksum_of(std::string_view text) {
  return fmt::format("{:08x}", xxh64(text, 0) & 0xFFFFFFFFU);
}

/// Whether the line ends with the checksum of the part before it.
bool has_checksum(std::string_view line) {
  constexpr std::size_t length = 8;
  const std::string_view before = line.ends_with("\"]") ? R"(,")" : R"(,"sum":")";
  const std::size_t rest = before.size() + length + 2;
  return line.size() > rest && line.substr(line.size() - rest).starts_with(before) &&
         line.substr(line.size() - length - 2, length) ==
             checksum_of(line.substr(0, line.size() - rest));
}

/// The lines of a file. If a line is too long for a journal, the rest of it is not kept, so a file
/// with holes takes no memory.
class Lines {
 public:
  explicit Lines(const fs::path& file) : file_(file) {
    // O_NONBLOCK: a pipe without a writer must not block the run.
    opened_ = FileDescriptor(
        ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
    struct stat status;
    if (!opened_ && (errno == ENOENT || errno == ENOTDIR)) return;
    if (!opened_ || ::fstat(opened_.get(), &status) != 0) fail(errno);
    if (!S_ISREG(status.st_mode))
      throw FileError(file.string() + " is not a regular file; remove it", file, {});
  }
  bool exist() const { return static_cast<bool>(opened_); }

  /// False at the end of the file. `is_whole`: false for a last line without an end, and for a line
  /// that is too long.
  bool next(std::string& line, bool& is_whole) {
    line.clear();
    std::size_t length = 0;
    while (has_more()) {
      const std::string_view part = std::string_view(buffer_).substr(at_, have_ - at_);
      const std::size_t end = part.find('\n');
      line += part.substr(0, std::min(end, longest_line - line.size()));
      length += std::min(end, part.size());
      at_ += end == part.npos ? part.size() : end + 1;
      if (end == part.npos) continue;
      is_whole = length == line.size();
      return true;
    }
    is_whole = false;
    return length > 0;
  }

  bool has_more() {
    if (at_ < have_) return true;
    ssize_t got = 0;
    do {
      got = ::read(opened_.get(), buffer_.data(), buffer_.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) fail(errno);
    at_ = 0;
    have_ = static_cast<std::size_t>(got);
    return have_ > 0;
  }

 private:
  [[noreturn]] void fail(int number) const {
    throw FileError("cannot read " + file_.string(), file_, system_code(number));
  }

  fs::path file_;
  FileDescriptor opened_;
  std::string buffer_ = std::string(std::size_t{1} << 16, '\0');
  std::size_t at_ = 0, have_ = 0;
};

/// What follows the last zero of a line.
std::string_view after_zeros(std::string_view line) { return line.substr(line.rfind('\0') + 1); }

/// Whether a line that follows was written when the line with this number was on the disk. `next`:
/// the first of them, if it is one.
bool is_relied_on(std::uint64_t number, std::string next, Lines& lines) {
  const auto count = [](const Json& value) {
    return value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
  };
  bool is_whole = false;
  for (bool is_there = true; is_there; is_there = lines.next(next, is_whole)) {
    const Json json = Json::parse(next, nullptr, false);
    std::uint64_t own = 0, flushed = 0;
    if (json.is_array() && json.size() > 1) {
      own = count(json[0]);
      flushed = own - std::min(own, 1 + count(json[1]));
    } else if (json.is_object()) {
      own = count(json.value("line", Json()));
      const Json said = json.value("flushed", Json());
      flushed = said.is_null() ? own - std::min<std::uint64_t>(own, 1) : count(said);
    }
    if (own > number && flushed >= number) return true;
  }
  return false;
}

/// Whether a power cut may have left these zeros: they begin where a line begins, end where one
/// begins, or are a whole block of the disk.
bool may_be_cut_off(std::string_view line) {
  constexpr std::size_t block = 512;
  return line.front() == '\0' || line.find(std::string(block, '\0')) != line.npos ||
         has_checksum(after_zeros(line));
}

/// A line's number does not follow the number of the line before.
struct MissingLines : std::exception {};

class Reader {
 public:
  Reader(fs::path root, bool looks_for_gone)
      : root_(std::move(root)), looks_for_gone_(looks_for_gone) {}

  bool has_checksums() const { return version_ > 1; }

  /// Throws an exception of any kind if it is not the next line of a journal.
  void take(const std::string& line) {
    const Json json = Json::parse(line);
    if ((json.is_array() || has_checksums()) && !has_checksum(line))
      throw std::invalid_argument("checksum");
    if ((json.is_array() ? json.at(0) : json.at("line")) != content_.lines + 1)
      throw MissingLines();
    if (content_.runs.empty()) {
      version_ = json.at(first_member).get<int>();
      if (version_ != 1 && version_ != version) throw std::invalid_argument("version");
      if (has_checksums() && !has_checksum(line)) throw std::invalid_argument("checksum");
      take_header(json);
    } else if (json.is_array()) {
      std::size_t at = json.at(1).is_number() ? 2 : 1;
      without_.clear();
      for (const Json& member : json)
        if (member.is_object() && member.contains("without"))
          for (const Json& digits : member["without"]) without_.push_back(hash_in(digits));
      Intent intent = {file_in(json, at, root_, content_.runs.back())};
      for (; at + 1 < json.size(); ++at) {
        std::size_t first = 0;
        intent.push_back(file_in(json[at], first, root_, content_.runs.back()));
      }
      // A file that is only out of reach now is not taken for gone: the rest of the picture would
      // be removed.
      const bool is_begun = std::ranges::any_of(intent, [](const IntendedFile& file) {
        std::error_code unknown;
        return fs::symlink_status(file.temporary, unknown).type() != fs::file_type::not_found;
      });
      take_intent(std::move(intent), is_begun);
    } else if (json.contains("intent")) {
      Intent intent = {file_of_version_1(json, "intent", root_)};
      for (const Json& more : json.at("with"))
        intent.push_back(file_of_version_1(more, "name", root_));
      take_intent(std::move(intent), true);
    } else if (json.contains("done")) {
      begun_.erase(get_name(json, "done"));
    } else if (json.contains("given_up") && json.at("given_up").is_array()) {
      const Json& names = json.at("given_up");
      give_up(name_of(names.at(0)));
      for (const Json& name : names) content_.files.erase(hash_of_name(name_of(name)));
    } else if (json.contains("given_up")) {
      const std::string name = get_name(json, "given_up");
      const auto intent = begun_.find(name);
      if (intent == begun_.end()) throw std::invalid_argument("nothing to give up");
      for (const IntendedFile& file : intent->second)
        content_.files.erase(hash_of_name(name_in(root_, file.target)));
      give_up(name);
    } else if (json.contains("shared")) {
      content_.shared[hash_of_name(get_name(json, "shared"))].push_back(
          {hash_in(json.at("content")), content_.lines + 1});
    } else if (json.contains("resumed")) {
      content_.runs.push_back(json.at("resumed").get<std::string>());
      content_.is_complete = false;
    } else {
      content_.is_complete = json.at("end").get<bool>();
      content_.header.ended = json.value("ended", "");
    }
  }

  JournalContent content() && {
    for (auto& [name, intent] : begun_) content_.begun.push_back(std::move(intent));
    for (auto& [name, intent] : kept_) content_.kept.push_back(std::move(intent));
    return std::move(content_);
  }

  JournalContent content_;

 private:
  void take_header(const Json& json) {
    content_.header.operation = json.at("operation").get<std::string>();
    for (const Json& input : json.at("inputs"))
      content_.header.inputs.push_back(get_name(input, "name"));
    content_.header.originals = json.value("originals", "");
    if (json.contains("kept_in")) content_.header.kept_in = get_name(json, "kept_in");
    if (json.contains("root")) content_.header.root = get_name(json, "root");
    content_.header.is_record = json.value("record", false);
    content_.header.began = json.value("began", "");
    content_.runs.push_back(json.at("run").get<std::string>());
  }

  void take_intent(Intent intent, bool is_begun) {
    const std::string name = name_in(root_, intent.front().target);
    const ContentHash hash = hash_of_name(name);
    const std::uint64_t line = content_.lines + 1;
    const auto shared = content_.shared.find(hash);
    const bool is_shared = shared != content_.shared.end();
    content_.pictures += is_shared ? 0 : 1;
    if (is_shared)
      shared->second.push_back({intent.front().result, line, without_});
    else if (intent.front().stored)
      content_.labelled[hash] = {*intent.front().stored, line};
    for (const IntendedFile& file : intent) {
      if (is_shared) break;
      const JournalContent::Hashes hashes{file.source, file.result};
      content_.files[hash_of_name(name_in(root_, file.target))] = hashes;
      std::error_code unknown;
      if (looks_for_gone_ &&
          fs::symlink_status(file.target, unknown).type() == fs::file_type::not_found)
        content_.gone[file.result] = hashes;
    }
    if (content_.header.is_record) keep(name, intent, is_shared);
    if (is_begun)
      begun_[name] = std::move(intent);
    else
      begun_.erase(name);
  }

  /// Of a shared file, the original that was kept first stays.
  void keep(const std::string& name, const Intent& intent, bool is_shared) {
    const auto [kept, is_new] = kept_.try_emplace(name, intent);
    IntendedFile& file = kept->second.front();
    file.is_shared = is_shared;
    if (is_new) return;
    if (is_shared)
      file.earlier.push_back(std::exchange(file.result, intent.front().result));
    else
      kept->second = intent;
  }

  void give_up(const std::string& name) {
    begun_.erase(name);
    const ContentHash hash = hash_of_name(name);
    content_.labelled.erase(hash);
    const auto shared = content_.shared.find(hash);
    if (shared != content_.shared.end()) {
      if (shared->second.size() > 1) shared->second.pop_back();
      const auto kept = kept_.find(name);
      if (kept != kept_.end() && !kept->second.front().earlier.empty()) {
        std::vector<ContentHash>& earlier = kept->second.front().earlier;
        kept->second.front().result = earlier.back();
        return earlier.pop_back();
      }
    } else {
      --content_.pictures;
    }
    kept_.erase(name);
  }

  fs::path root_;
  bool looks_for_gone_;
  int version_ = 1;  // before the first line says it
  std::map<std::string, Intent> begun_, kept_;
  std::vector<ContentHash> without_;  // of the last line
};

}  // namespace

std::string utc_now() {
  const auto now = std::chrono::system_clock::now();
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch());
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", fmt::gmtime(us.count() / 1'000'000),
                     us.count() % 1'000'000);
}

std::optional<JournalContent> read_journal(const fs::path& file, const fs::path& root,
                                           bool looks_for_gone) {
  Lines lines(file);
  if (!lines.exist()) return std::nullopt;
  Reader reader(root, looks_for_gone);
  std::uint64_t number = 0;
  bool is_whole = false;
  for (std::string line; lines.next(line, is_whole);) {
    ++number;
    const bool is_begun =
        line.size() < beginning.size() ? beginning.starts_with(line) : line.starts_with(beginning);
    const bool has_zeros = line.find('\0') != line.npos;
    if (number == 1 && !is_begun && !has_zeros)
      throw FileError(file.string() + " is not a journal of qturn", file, {});
    const bool is_last = !lines.has_more();
    const auto refuse = [&](const char* what) {
      throw FileError(fmt::format("line {} of the journal {} {}; remove the file to forget what "
                                  "it says",
                                  number, file.string(), what),
                      file, {});
    };
    try {
      if (!is_whole || has_zeros) throw std::invalid_argument("torn");
      reader.take(line);
    } catch (const MissingLines&) {
      refuse("does not follow the one before it");
    } catch (const std::exception&) {
      // If the line is right but for its last byte, that was its end: it is damaged, not torn.
      const bool is_torn = has_zeros ? !is_whole || may_be_cut_off(line)
                                     : !is_whole && !has_checksum(line.substr(0, line.size() - 1));
      const bool may_be_lost = is_torn || (number > 1 && !reader.has_checksums());
      const auto is_needed = [&] {
        return has_zeros ? is_relied_on(number, std::string(after_zeros(line)), lines) : !is_last;
      };
      if (may_be_lost && !is_needed()) break;
      if (number == 1) throw FileError(file.string() + " is not a journal of qturn", file, {});
      refuse("is damaged");
    }
    reader.content_.bytes += line.size() + 1;
    ++reader.content_.lines;
  }
  if (reader.content_.runs.empty()) return std::nullopt;
  return std::move(reader).content();
}

Journal::Journal(fs::path file, fs::path root, const JournalHeader& header,
                 std::optional<JournalContent> content, bool flushed)
    : file_(std::move(file)),
      root_(std::move(root)),
      names_backups_(header.is_record),
      flushed_(flushed),
      may_lose_lines_(flushed || header.originals.empty()) {
  opened_ = FileDescriptor(::open(
      file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  const auto fail = [&](std::error_code reason) {
    throw FileError("cannot write " + file_.string(), file_, reason);
  };
  if (!opened_) fail(system_code(errno));
  if (content) {
    before_ = std::move(*content);
    bytes_ = before_.bytes;
    lines_ = before_.lines;
    has_intents_ = !before_.files.empty();
  }
  const bool is_new = bytes_ == 0;
  try {
    struct stat status;
    if (::fstat(opened_.get(), &status) != 0) fail(system_code(errno));
    if (static_cast<std::uint64_t>(status.st_size) != bytes_) {
      if (::ftruncate(opened_.get(), static_cast<off_t>(bytes_)) != 0) fail(system_code(errno));
      // The part that was cut off must not come back after the next line in a power cut.
      if (flushed_ && ::fsync(opened_.get()) != 0) fail(system_code(errno));
    }
    Json first;
    first["resumed"] = run_id();
    if (is_new) first = header_line(header);
    append({&first, 1}, flushed_);
    if (!flushed_) return;
    const FileDescriptor folder(
        ::open(normal(file_).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (const std::error_code reason = FlushedFolders().flush(folder.get())) fail(reason);
  } catch (const FileError&) {
    if (is_new) ::unlink(file_.c_str());  // it has no line
    throw;
  }
}

void JournalContent::add(const fs::path& target, const fs::path& root, const Hashes& hashes) {
  files[hash_of_name(name_in(root, target))] = hashes;
}

const JournalContent::Hashes* JournalContent::of(const fs::path& target,
                                                 const fs::path& root) const {
  const auto found = files.find(hash_of_name(name_in(root, target)));
  return found == files.end() ? nullptr : &found->second;
}

const JournalContent::Labelled* JournalContent::labelled_at(const fs::path& picture,
                                                            const fs::path& root) const {
  const auto found = labelled.find(hash_of_name(name_in(root, picture)));
  return found == labelled.end() ? nullptr : &found->second;
}

std::span<const JournalContent::Version> JournalContent::versions_of(const fs::path& file,
                                                                     const fs::path& root) const {
  const auto found = shared.find(hash_of_name(name_in(root, file)));
  if (found == shared.end()) return {};
  return found->second;
}

SharedFileNow::SharedFileNow(const JournalContent& content, fs::path root, const fs::path& file)
    : content_(content), root_(std::move(root)), versions_(content.versions_of(file, root_)) {
  if (versions_.empty()) return;
  const auto hash = hash_of_file(file);
  for (const JournalContent::Version& version : versions_)
    if (version.content == hash) now_ = &version;
}

std::optional<bool> SharedFileNow::has_turned(const fs::path& picture) const {
  const JournalContent::Labelled* labelled = content_.labelled_at(picture, root_);
  if (!labelled || !now_ || labelled->line < versions_.front().line) return std::nullopt;
  return labelled->line < now_->line &&
         !std::binary_search(now_->without.begin(), now_->without.end(),
                             hash_of_name(name_in(root_, picture)));
}

const JournalContent::Hashes* Journal::before(const fs::path& target) const {
  return before_.of(target, root_);
}

const JournalContent::Hashes* Journal::renamed(const ContentHash& content) const {
  const auto found = before_.gone.find(content);
  return found == before_.gone.end() ? nullptr : &found->second;
}

void Journal::name_shared(const fs::path& file, const ContentHash& content) {
  const std::string name = name_in(root_, file);
  Json json;
  put_name(json, "shared", name);
  json["content"] = digits_of(content);
  append({&json, 1}, flushed_);
  before_.shared[hash_of_name(name)].push_back({content, lines_});
}

void Journal::confirm(const fs::path& picture) {
  const auto found = before_.labelled.find(hash_of_name(name_in(root_, picture)));
  if (found != before_.labelled.end()) found->second.is_in_place = true;
}

/// The pictures that a shared file does not have the labels of, although lines name them.
Json Journal::without() const {
  std::vector<ContentHash> names = not_given_up_;
  for (const auto& [name, picture] : before_.labelled)
    if (!picture.is_in_place) names.push_back(name);
  std::sort(names.begin(), names.end());
  Json digits = Json::array();
  for (const ContentHash& name : names) digits.push_back(digits_of(name));
  return digits;
}

void Journal::intend(std::span<const Intent* const> intents) {
  std::vector<Json> lines;
  for (const Intent* intent : intents) {
    Json& line = lines.emplace_back(Json::array());
    add_file(line, intent->front(), root_, names_backups_);
    for (const IntendedFile& file : std::span(*intent).subspan(1))
      add_file(line.emplace_back(Json::array()), file, root_, names_backups_);
    // A record does not tell the order.
    if (names_backups_ || before_.versions_of(intent->front().target, root_).empty()) continue;
    if (Json names = without(); !names.empty()) line.emplace_back()["without"] = std::move(names);
  }
  append(lines, flushed_);
  has_intents_ = true;
}

void Journal::give_up(const Intent& intent) try {
  Json json;
  json["given_up"] = Json::array();
  for (const IntendedFile& file : intent)
    json["given_up"].push_back(name_json(name_in(root_, file.target)));
  append({&json, 1}, false);
} catch (const FileError&) {
  not_given_up_.push_back(hash_of_name(name_in(root_, intent.front().target)));
}

void Journal::end() {
  Json json = end_line();
  append({&json, 1}, flushed_);
}

void Journal::end_in(const fs::path& copy, bool flushed) const {
  const fs::path temporary =
      copy.parent_path() / temporary_name(copy.filename().string(), run_id(), "copy");
  const auto fail = [&](int number) {
    ::unlink(temporary.c_str());
    throw FileError("cannot write " + copy.string(), copy, system_code(number));
  };
  const FileDescriptor made(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!made) fail(errno);
  read_in_parts(file_, [&](std::span<const std::byte> part) {
    if (!write_all(made.get(), part)) fail(errno);
    return true;
  });
  Json end = end_line();
  const std::string text = text_of({&end, 1});
  if (!write_all(made.get(), std::as_bytes(std::span(text))) ||
      (flushed && ::fsync(made.get()) != 0) || ::rename(temporary.c_str(), copy.c_str()) != 0)
    fail(errno);
  if (flushed) flush_folders({copy.parent_path()});
}

std::string Journal::text_of(std::span<Json> lines) const {
  std::string text;
  std::uint64_t number = lines_;
  for (Json& line : lines) {
    const std::uint64_t lost = may_lose_lines_ ? number - lines_on_disk_ : 0;
    ++number;
    std::string own;
    if (line.is_array()) {
      own = dump(line);
      own.replace(0, 1,
                  lost > 0 ? fmt::format("[{},{},", number, lost) : fmt::format("[{},", number));
      own.pop_back();
      own += fmt::format(",\"{}\"]\n", checksum_of(own));
    } else {
      if (lost > 0) line["flushed"] = lines_on_disk_;
      line["line"] = number;
      own = dump(line);
      own.pop_back();
      own += fmt::format(",\"sum\":\"{}\"}}\n", checksum_of(own));
    }
    text += own;
  }
  return text;
}

void Journal::append(std::span<Json> lines, bool flushed) {
  const std::string text = text_of(lines);
  const auto fail = [&](std::error_code reason) {
    throw FileError("cannot write the journal " + file_.string(), file_, reason);
  };
  if (broken_) fail(broken_);
  if (!write_all(opened_.get(), std::as_bytes(std::span(text)))) {
    const std::error_code reason = system_code(errno);
    // Without the rest of its last line, what follows could not be read.
    if (::ftruncate(opened_.get(), static_cast<off_t>(bytes_)) != 0) broken_ = reason;
    fail(reason);
  }
  bytes_ += text.size();
  lines_ += lines.size();
  // After a failed flush, the system may take lost data for written.
  if (!flushed) return;
  if (::fsync(opened_.get()) != 0) fail(broken_ = system_code(errno));
  lines_on_disk_ = lines_;
}

}  // namespace qturn
