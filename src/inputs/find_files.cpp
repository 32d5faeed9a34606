#include "src/inputs/find_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <istream>
#include <optional>
#include <span>
#include <system_error>

#include "src/files/content_hash.hpp"
#include "src/files/file_descriptor.hpp"
#include "src/files/folder_lock.hpp"
#include "src/files/journal.hpp"
#include "src/files/safe_file.hpp"
#include "src/formats/table.hpp"
#include "src/inputs/folder_layout.hpp"
#include "src/labels/text/any_text.hpp"
#include "src/picture/bytes.hpp"
#include "src/sample/file_kind.hpp"
#include "src/sample/harmless.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

std::string reason_of(int number) { return std::generic_category().message(number); }

FileId id_of(const struct stat& status) { return {status.st_dev, status.st_ino}; }

bool matches(const std::vector<std::string>& globs, const std::string& key,
             const std::string& name) {
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
    return ::fnmatch(glob.c_str(), key.c_str(), 0) == 0 ||
           ::fnmatch(glob.c_str(), name.c_str(), 0) == 0;
  });
}

const char* type_of_irregular(mode_t mode) {
  if (S_ISFIFO(mode)) return "fifo";
  if (S_ISSOCK(mode)) return "socket";
  return "device";
}

/// The last part of a folder's name, also for "photos/" and "..".
std::string base_name(const fs::path& folder) {
  return without_slash(normal_path(folder)).filename().string();
}

/// Reads on until `head` is full or the file ends; it has `have` bytes of it. False, with errno
/// set, if the file cannot be read.
bool read_on(int file, std::span<std::byte> head, std::size_t& have) {
  while (have < head.size()) {
    const ssize_t got = ::read(file, head.data() + have, head.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  return true;
}

class FileFinder {
 public:
  explicit FileFinder(const PlanOptions& options) : options_(options) {}

  void take_inputs();
  void take_listed();
  FoundFiles result();

 private:
  struct Folder {
    fs::path path;
    FileId id;
  };

  void walk(const fs::path& folder, const std::string& key_prefix, std::vector<FileId>& ancestors);
  void take_named(const std::string& path, const std::string& key, const struct stat& status,
                  bool is_input);
  void take_file(int opened, const char* path, std::uint32_t folder, std::string_view name,
                 const struct stat& status, bool is_link, bool is_input,
                 Listings::Entry* listed = nullptr);
  bool is_selected(const std::string& key, const std::string& name);
  std::string key_of_listed(const fs::path& path) const;
  void cannot_look_into(const fs::path& path, int number) {
    found_.unreadable.emplace_back(path.string() + ": " + reason_of(number));
  }

  const PlanOptions& options_;
  FoundFiles found_;
  bool any_picture_ = false;  // arrays do not count
  Bytes head_ = Bytes(text_head_bytes);
  std::map<std::pair<std::string, std::string>, std::uint32_t> folders_of_named_;
};

void refuse_missing(const SomeNames& missing) {
  if (missing.count() > 0) throw PlanError(missing.text());
}

void FileFinder::take_inputs() {
  std::vector<Folder> folders;
  SomeNames missing;
  for (const fs::path& path : options_.inputs) {
    struct stat status;
    if (::stat(path.c_str(), &status) != 0) {
      missing.add(path.string() + ": " + reason_of(errno));
    } else if (S_ISDIR(status.st_mode)) {
      const auto same = [&](const Folder& folder) { return folder.id == id_of(status); };
      if (std::none_of(folders.begin(), folders.end(), same)) {
        folders.push_back({path, id_of(status)});
      }
    } else {
      take_named(path, path.filename(), status, true);
    }
  }
  refuse_missing(missing);

  std::map<std::string, fs::path> by_base_name;
  for (const Folder& folder : folders) {
    std::string prefix;
    if (folders.size() > 1) {
      prefix = base_name(folder.path);
      const auto [other, is_new] = by_base_name.emplace(prefix, folder.path);
      if (!is_new && !options_.output.empty()) {
        throw PlanError(fmt::format(
            "{} and {} would both be written under {}; run them one after the other, "
            "each with its own output",
            other->second.string(), folder.path.string(), (options_.output / prefix).string()));
      }
      prefix += '/';
    }
    std::vector<FileId> ancestors = {folder.id};
    walk(folder.path, prefix, ancestors);
    found_.folders.push_back(folder.path);
  }
}

void FileFinder::take_listed() {
  SomeNames missing;
  options_.listed.for_each([&](std::string_view name) {
    const fs::path path = name;
    struct stat status;
    if (::stat(path.c_str(), &status) != 0) {
      missing.add(path.string() + ": " + reason_of(errno));
    } else if (S_ISDIR(status.st_mode)) {
      throw PlanError(path.string() + ": is a folder; a list takes files only");
    } else {
      const std::string key = key_of_listed(path);
      if (is_selected(key, path.filename())) take_named(path, key, status, false);
    }
  });
  refuse_missing(missing);
}

std::string FileFinder::key_of_listed(const fs::path& path) const {
  const fs::path normal = path.lexically_normal();
  if (options_.output.empty()) return normal.string();  // in place, keys lead nowhere
  if (!path.is_absolute()) {
    if (*normal.begin() == "..") {
      throw WithHints<PlanError>(
          {Hint::say_base}, path.string() + ": leads out of the current folder, and so out of " +
                                "the output; list it as an absolute path");
    }
    return normal.string();
  }
  if (options_.base.empty()) {
    throw WithHints<PlanError>({Hint::say_base}, path.string() + ": is absolute");
  }
  const fs::path key =
      normal.lexically_relative((fs::absolute(options_.base) / "").lexically_normal());
  if (key.empty() || *key.begin() == "..") {
    throw PlanError(path.string() + ": does not lie under the base " + options_.base.string());
  }
  return key.string();
}

bool FileFinder::is_selected(const std::string& key, const std::string& name) {
  const bool selected = qturn::is_selected(options_, key, name);
  if (!selected) ++found_.left_out;
  return selected;
}

void FileFinder::walk(const fs::path& folder, const std::string& key_prefix,
                      std::vector<FileId>& ancestors) {
  const bool keys_are_matched = !options_.include.empty() || !options_.exclude.empty();
  std::vector<std::pair<std::string, FileId>> subfolders;
  std::optional<std::uint32_t> number;  // nothing if the folder cannot be opened
  const auto index = [&] {
    if (!number) {
      number = found_.files.add_folder(folder / "", key_prefix);
      found_.files.folder(*number).may_hold_sidecars = false;
    }
    return *number;
  };
  const fs::path& of_masks = options_.masks.folder;
  const bool holds_masks =
      !of_masks.empty() && normal_path(folder / "").starts_with(normal_path(of_masks / ""));
  using enum Listings::Pictures;
  Listings::Reader listing = found_.listings.reader(folder, holds_masks ? all : masks);
  PathSet stems;
  const std::error_code error = for_each_entry(folder, [&](int opened, const dirent& entry) {
    index();
    Listings::Entry* listed = listing.add(opened, entry);
    const std::string name = entry.d_name;
    if (!is_xmp(name)) stems.add(sample_key(name));
    if (is_journal_name(name)) found_.journals.push_back(folder / name);
    if (is_temporary_name(name)) found_.with_temporaries.insert(folder);
    if (is_of_a_run(name)) return;
    if (lower_suffix(name) == ".xmp" || is_named_as_world_file(name) || is_turned_world_file(name))
      found_.files.folder(index()).may_hold_sidecars = true;
    if (!options_.hidden && is_hidden(name)) return;

    struct stat status;
    if (::fstatat(opened, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno != ENOENT) cannot_look_into(folder / name, errno);  // deleted in the meantime
      return;
    }
    const bool is_link = S_ISLNK(status.st_mode);
    if (is_link && !options_.follow) {
      ++found_.types["symbolic link"];
      return;
    }
    if (is_link && ::fstatat(opened, name.c_str(), &status, 0) != 0)
      return cannot_look_into(folder / name, errno);
    const std::string key = keys_are_matched ? key_prefix + name : "";
    if (S_ISDIR(status.st_mode)) {
      if (!is_excluded(options_, key, name)) subfolders.emplace_back(name, id_of(status));
    } else if (is_selected(key, name)) {
      take_file(opened, name.c_str(), index(), name, status, is_link, false, listed);
    }
  });
  if (!error) index();
  listing.finish(error);
  if (error) cannot_look_into(folder, error.value());
  if (!error && found_.files.folder(index()).may_hold_sidecars)
    found_.shared_stems->add(without_slash(folder), std::move(stems));
  stems = {};
  // Subfolders are walked after this folder is closed, so a deep tree does not use up the files
  // that a process may open.
  for (const auto& [name, id] : subfolders) {
    if (std::find(ancestors.begin(), ancestors.end(), id) != ancestors.end()) {
      ++found_.types["symbolic link in a loop"];
      continue;
    }
    ancestors.push_back(id);
    walk(folder / name, key_prefix + name + '/', ancestors);
    ancestors.pop_back();
  }
}

void FileFinder::take_named(const std::string& path, const std::string& key,
                            const struct stat& status, bool is_input) {
  const auto without_name = [](const std::string& whole) {
    return whole.substr(0, whole.rfind('/') + 1);
  };
  std::pair<std::string, std::string> named(without_name(path), without_name(key));
  auto folder = folders_of_named_.find(named);
  if (folder == folders_of_named_.end()) {
    const std::uint32_t index = found_.files.add_folder(named.first, named.second);
    folder = folders_of_named_.emplace(std::move(named), index).first;
  }
  take_file(AT_FDCWD, path.c_str(), folder->second, key.substr(folder->first.second.size()), status,
            fs::is_symlink(fs::symlink_status(path)), is_input);
}

void FileFinder::take_file(int opened, const char* path, std::uint32_t folder,
                           std::string_view name, const struct stat& status, bool is_link,
                           bool is_input, Listings::Entry* listed) {
  if (!S_ISREG(status.st_mode)) {
    ++found_.types[type_of_irregular(status.st_mode)];
    return;
  }
  if (is_of_a_run(name)) {  // of a list, or named
    ++found_.types["file of an interrupted run"];
    return;
  }
  const std::string suffix = lower_suffix(name);
  bool picture = format_of(options_, suffix, {}) != nullptr;
  if (!picture) {
    const FileDescriptor content(
        ::openat(opened, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    const std::span head(head_);
    std::size_t have = 0;
    const bool is_read = content && read_on(content.get(), head.first(signature_bytes), have);
    if (!is_read && !is_input) {
      const fs::path whole = found_.files.folder(folder).path + std::string(name);
      cannot_look_into(whole, errno);
      found_.unopened.emplace(whole, found_.unreadable.back());
      return;
    }
    const auto is_picture = [](const Codec* codec) { return codec && !codec->is_array; };
    picture = !is_read || is_picture(format_of(options_, suffix, head.first(have)));
    if (listed)
      listed->is_no_picture = is_read && !is_picture(codec_of_content(head.first(have), suffix));
    // Who looks for labels and the like asks for more of it.
    if (listed && listed->is_no_picture &&
        (known_kind(name) == KnownKind::none || is_turned_world_file(name)) &&
        read_on(content.get(), head, have))
      found_.listings.keep(*listed, text_of(head.first(have)), have < head.size());
  }
  any_picture_ = any_picture_ || (picture && !is_array(name));
  FoundFile& file = found_.files.add(folder, name, status);
  file.picture = picture;
  file.is_link = is_link;
  file.is_named = is_input;
}

FoundFiles FileFinder::result() {
  if (any_picture_)
    for (FoundFile& file : found_.files)
      if (is_array(file.name)) file.picture = false;
  found_.files.sort();
  std::ranges::sort(found_.unreadable, {}, &Sentence::text);
  return std::move(found_);
}

}  // namespace

FoundFiles find_files(const PlanOptions& options) {
  FileFinder finder(options);
  finder.take_inputs();
  finder.take_listed();
  return finder.result();
}

FoundFiles find_on_standard_input(const PlanOptions& options) {
  const std::span<const std::byte> picture = *options.standard_input;
  if (picture.empty()) throw PlanError("standard input is empty");
  if (!codec_of_content(picture, "")) {
    Sentence why = not_a_picture(standard_input_name);
    throw WithHints<PlanError>(std::move(why.hints), why.text);
  }
  FoundFiles found;
  struct stat status = {};
  status.st_size = static_cast<off_t>(picture.size());
  FoundFile& file = found.files.add(found.files.add_folder("", ""), standard_input_name, status);
  file.picture = true;
  file.is_named = true;
  return found;
}

const Codec* format_of(const PlanOptions& options, const std::string& lower_suffix,
                       std::span<const std::byte> head) {
  for (const Codec* codec : {codec_of_suffix(lower_suffix), codec_of_content(head, lower_suffix)})
    if (codec && (options.raw || !codec->only_if_asked)) return codec;
  return nullptr;
}

bool is_selected(const PlanOptions& options, const std::string& key, const std::string& name) {
  return (options.include.empty() || matches(options.include, key, name)) &&
         !is_excluded(options, key, name);
}

/// Files that file managers and photo programs keep for themselves.
bool is_hidden(std::string_view name) {
  return name.starts_with('.') || name == "@eaDir" || name.ends_with(".photoslibrary") ||
         name.ends_with(".lrdata");
}

bool is_of_a_run(std::string_view name) {
  return is_temporary_name(name) || name == lock_name || is_journal_name(name) ||
         name == shards_name;
}

bool is_excluded(const PlanOptions& options, const std::string& key, const std::string& name) {
  return matches(options.exclude, key, name);
}

bool is_camera_raw(std::string_view suffix) {
  const Codec* codec = codec_of_suffix(suffix);
  return codec && codec->only_if_asked && codec->retag;
}

Sentence not_a_picture(const std::string& path) {
  const std::string suffix = lower_suffix(path);
  const Codec* codec = codec_of_suffix(suffix);
  if (is_camera_raw(suffix))
    return {path + ": a camera raw file, whose pixels are not turned", {Hint::turn_raw_tag}};
  if (codec && codec->only_if_asked) return path + ": camera raw of a kind that is not supported";
  return path + ": not a picture in a format that qturn reads";
}

void SomeNames::add(std::string name) {
  constexpr std::size_t shown = 3;
  if (++count_ <= shown) first_.push_back(std::move(name));
}

std::string SomeNames::text() const {
  std::string text = fmt::format("{}", fmt::join(first_, ", "));
  if (count_ > first_.size()) text += fmt::format(" and {} more", count_ - first_.size());
  return text;
}

std::string cannot_look_into(const std::vector<Sentence>& unreadable) {
  SomeNames names;
  for (const Sentence& reason : unreadable) names.add(reason.text);
  return names.count() == 0 ? "" : "; cannot look into " + names.text();
}

NameList read_file_list(std::istream& in, bool nul_separated) {
  NameList names;
  for (std::string line; std::getline(in, line, nul_separated ? '\0' : '\n');) {
    if (!line.empty()) names.add(line);
  }
  return names;
}

}  // namespace qturn
