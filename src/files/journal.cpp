#include "src/files/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <utility>

#include "src/files/safe_file.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

constexpr const char* first_member = "qturn_journal";
constexpr int version = 1;
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

Json json_of(const IntendedFile& file, const char* member, const fs::path& root) {
  Json json;
  put_name(json, member, name_in(root, file.target));
  put_name(json, "temporary", name_in(root, file.temporary));
  json["source"] = digits_of(file.source);
  json["result"] = digits_of(file.result);
  if (!file.backup.empty()) put_name(json, "backup", name_in(root, file.backup));
  return json;
}

IntendedFile intended_file(const Json& json, const char* member, const fs::path& root) {
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
  json["run"] = run_id();
  if (!header.originals.empty()) json["originals"] = header.originals;
  if (!header.kept_in.empty()) put_name(json, "kept_in", header.kept_in);
  if (header.is_record) json["record"] = true;
  return json;
}

/// The lines of a file, as far as they may be lines of a journal: of one that is longer, the rest
/// is not kept. So a file with holes takes no memory.
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

  /// False at the end. `is_whole`: false of a last line without an end, and of one that is too
  /// long.
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

/// Whether one of the lines that are left was written when the line of this number was on the disk.
bool is_relied_on(std::uint64_t number, Lines& lines) {
  const auto count = [](const Json& value) {
    return value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
  };
  bool is_whole = false;
  for (std::string text; lines.next(text, is_whole);) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) continue;
    const Json flushed = json.value("flushed", Json());
    if (flushed.is_null() ? count(json.value("line", Json())) > number : count(flushed) >= number)
      return true;
  }
  return false;
}

/// The number of a line is not the one that follows.
struct MissingLines : std::exception {};

class Reader {
 public:
  explicit Reader(fs::path root) : root_(std::move(root)) {}

  /// Throws an exception of any kind if it is not such a line.
  void take(const std::string& line) {
    const Json json = Json::parse(line);
    if (json.at("line") != content_.lines + 1) throw MissingLines();
    if (content_.runs.empty()) {
      if (json.at(first_member) != version) throw std::invalid_argument("version");
      content_.header.operation = json.at("operation").get<std::string>();
      for (const Json& input : json.at("inputs"))
        content_.header.inputs.push_back(get_name(input, "name"));
      content_.header.originals = json.value("originals", "");
      if (json.contains("kept_in")) content_.header.kept_in = get_name(json, "kept_in");
      content_.header.is_record = json.value("record", false);
      content_.runs.push_back(json.at("run").get<std::string>());
    } else if (json.contains("intent")) {
      Intent intent = {intended_file(json, "intent", root_)};
      for (const Json& more : json.at("with")) intent.push_back(intended_file(more, "name", root_));
      for (const IntendedFile& file : intent) {
        content_.files[hash_of_name(name_in(root_, file.target))] = {file.source, file.result};
      }
      const std::string name = get_name(json, "intent");
      if (content_.header.is_record) kept_[name] = intent;
      begun_[name] = std::move(intent);
    } else if (json.contains("done")) {
      begun_.erase(get_name(json, "done"));
    } else if (json.contains("given_up")) {
      const auto intent = begun_.extract(get_name(json, "given_up"));
      if (intent.empty()) throw std::invalid_argument("nothing to give up");
      kept_.erase(get_name(json, "given_up"));
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
    for (auto& [name, intent] : kept_) content_.kept.push_back(std::move(intent));
    return std::move(content_);
  }

  JournalContent content_;

 private:
  fs::path root_;
  std::map<std::string, Intent> begun_, kept_;
};

}  // namespace

std::optional<JournalContent> read_journal(const fs::path& file, const fs::path& root) {
  Lines lines(file);
  if (!lines.exist()) return std::nullopt;
  Reader reader(root);
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
      if (is_last || (has_zeros && !is_relied_on(number, lines))) break;
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
      flushed_(flushed),
      may_lose_lines_(flushed || header.originals.empty()) {
  opened_ = FileDescriptor(::open(
      file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
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
      // What is cut off must not follow the next line after a power cut.
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
    if (is_new) ::unlink(file_.c_str());  // it says nothing
    throw;
  }
}

const JournalContent::Hashes* JournalContent::of(const fs::path& target,
                                                 const fs::path& root) const {
  const auto found = files.find(hash_of_name(name_in(root, target)));
  return found == files.end() ? nullptr : &found->second;
}

const JournalContent::Hashes* Journal::before(const fs::path& target) const {
  return before_.of(target, root_);
}

void Journal::intend(std::span<const Intent* const> intents) {
  std::vector<Json> lines;
  for (const Intent* intent : intents) {
    Json& json = lines.emplace_back(json_of(intent->front(), "intent", root_));
    json["with"] = Json::array();
    for (const IntendedFile& file : std::span(*intent).subspan(1))
      json["with"].push_back(json_of(file, "name", root_));
  }
  append(lines, flushed_);
  has_intents_ = true;
}

void Journal::settle(const Intent& intent, bool is_done) try {
  Json json;
  put_name(json, is_done ? "done" : "given_up", name_in(root_, intent.front().target));
  append({&json, 1}, false);
} catch (const FileError&) {
}

void Journal::end() {
  Json json;
  json["end"] = true;
  append({&json, 1}, flushed_);
}

void Journal::append(std::span<Json> lines, bool flushed) {
  std::string text;
  std::uint64_t number = lines_;
  for (Json& line : lines) {
    if (may_lose_lines_ && lines_on_disk_ < number) line["flushed"] = lines_on_disk_;
    line["line"] = ++number;
    text += dump(line) + "\n";
  }
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
  lines_ = number;
  // After a flush that failed, the system may take for written what is lost.
  if (!flushed) return;
  if (::fsync(opened_.get()) != 0) fail(broken_ = system_code(errno));
  lines_on_disk_ = lines_;
}

}  // namespace qturn
