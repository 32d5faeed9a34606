#include "src/files/journals.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "src/files/safe_file.hpp"
#include "src/picture/errors.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const fs::path& target) {
  throw FileError("cannot write " + target.string(), target, system_code(errno));
}

/// Nothing if another program has just removed the file.
std::optional<fs::path> place_of(const IntendedFile& file) {
  std::error_code reason;
  fs::path place = fs::weakly_canonical(file.target, reason);
  if (!reason) return place;
  if (reason == std::errc::no_such_file_or_directory) return std::nullopt;
  throw FileError("cannot look at " + file.target.string(), file.target, reason);
}

std::optional<FileState> state_of_file(const fs::path& file) {
  struct stat status;
  if (::stat(file.c_str(), &status) == 0) return state_of(status);
  // If a file is only out of reach now, it is not taken for gone: its temporary would be removed.
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  throw FileError("cannot look at " + file.string(), file, system_code(errno));
}

/// The temporary that a killed run has left for the file.
Temporary left_of(const IntendedFile& file, const fs::path& place) {
  FileDescriptor folder = open_folder(place.parent_path());
  if (!folder) cannot_write(file.target);
  return {std::move(folder), place.filename(), file.temporary.filename()};
}

/// A killed run may have exchanged a result with a file that another program had just saved. Puts
/// that file back.
void put_back_others(const Intent& intent, bool& has_changed) {
  for (const IntendedFile& file : intent) {
    const auto beside = hash_of_file(file.temporary);
    if (!beside || *beside == file.source || *beside == file.result) continue;
    const auto place = place_of(file);
    const auto ours = place ? state_of_file(*place) : std::nullopt;
    if (!ours || hash_of_file(file.target) != file.result) continue;
    has_changed = true;
    Temporary others = left_of(file, *place);
    if (!others.exchange(*ours).value_or(false)) {
      throw FileError(fmt::format("cannot put back {}, which another program has saved",
                                  file.temporary.string()),
                      file.target, system_code(EBUSY));
    }
  }
}

/// Puts a file in its place. A file there must be in the state `original`; without `original` there
/// must be none.
void put_rest_in_place(const IntendedFile& file, const fs::path& place,
                       const std::optional<FileState>& original) {
  Temporary rest = left_of(file, place);
  const auto is_done =
      original ? rest.exchange(*original) : std::optional(rest.rename(IfExists::fail));
  // If another program has removed the file, or written its own, is_done() will find that.
  constexpr int others[] = {ENOENT, EEXIST, EBUSY};
  const bool is_others = !is_done || rest.is_kept() || std::ranges::count(others, errno) > 0;
  if (!is_others && !*is_done) cannot_write(file.target);
  FlushedFolders().flush(rest.folder().get());
}

/// Finishes each result that has only some of its files in their places: the other files still have
/// temporaries. `has_changed` becomes true before a file is replaced.
void finish_begun(const JournalContent& content, bool in_place, bool& has_changed) {
  for (const Intent& intent : content.begun) {
    if (in_place) put_back_others(intent, has_changed);
    const auto is_in_place = [](const IntendedFile& file) {
      return hash_of_file(file.target) == file.result;
    };
    if (std::ranges::none_of(intent, is_in_place)) continue;
    for (const IntendedFile& file : intent) {
      const auto place = place_of(file);
      const auto original = place && in_place ? state_of_file(*place) : std::nullopt;
      const auto found = hash_of_file(file.target);
      const bool may_be_replaced = in_place ? original && found == file.source : !found;
      if (!place || !may_be_replaced || hash_of_file(file.temporary) != file.result) continue;
      has_changed = true;
      put_rest_in_place(file, *place, original);
    }
  }
}

/// The temporaries that the runs of a journal have left in these folders.
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

/// How the names of the records of one run end.
std::string name_of_record(const JournalHeader& header) {
  return fmt::format("-{:016x}.jsonl",
                     xxh64(fmt::format("{}\n{}\n{}", header.root, header.operation,
                                       fmt::join(header.inputs, "\n")),
                           0));
}

void refuse_to_resume(const fs::path& file, const JournalHeader& header, const JournalHeader& own) {
  if (header.is_of_same_run(own)) return;
  throw FileError(fmt::format("{} is of '{}' with {}, this run is '{}' with {}; resume with the "
                              "same operation, options and inputs",
                              file.string(), header.operation, fmt::join(header.inputs, ", "),
                              own.operation, fmt::join(own.inputs, ", ")),
                  file, {});
}

/// Puts the record in the journal's place, where at most the beginning of a line lies.
void take(const fs::path& record, const fs::path& journal) {
  ::unlink(journal.c_str());
  if (::link(record.c_str(), journal.c_str()) == 0) return;
  const NewFile copy{.target = journal, .content = {}, .same_as = record};
  (void)write_files(std::span(&copy, 1), IfExists::fail);
}

void end_where_it_is(Journal& journal) try {
  journal.end();
} catch (const FileError&) {  // then it says that the run is not complete
}

void refuse_unfinished_run(const fs::path& file, const JournalHeader& header) {
  throw WithHints<FileError>({{Hint::finish_journal, file.string()}},
                             fmt::format("{}: '{}' of this folder is not complete",
                                         file.parent_path().string(), header.operation),
                             file, std::error_code());
}

}  // namespace

Journals::Journals(JournalOptions options, std::span<const fs::path> below)
    : options_(std::move(options)) {
  for (const JournalRoot& root : options_.roots) {
    const fs::path place = root.place.empty() ? root.folder : root.place;
    std::vector<fs::path> made;
    for (fs::path at = place; !at.empty() && !fs::exists(at); at = at.parent_path())
      made.push_back(at);
    if (!made.empty()) fs::create_directories(place);
    if (options_.flushed) {
      std::set<fs::path> parents;
      for (const fs::path& folder : made) parents.insert(folder.parent_path());
      flush_folders(parents);
    }
    roots_.push_back(
        {root.folder, fs::absolute(root.folder / "").lexically_normal(), place, std::move(made)});
    locks_.emplace_back(place);
  }
  if (options_.shared)
    options_.shared([&](const fs::path& file, const fs::path& picture) {
      if (!shared_.contains(file)) shared_.emplace(file, Shared{index_of(picture)});
    });
  if (options_.in_place) refuse_others(below);
  find_places();
  look_at_originals();
  const auto is_begun = [](const Place& place) { return place.content.has_value(); };
  const bool is_any_begun = std::ranges::any_of(places_, is_begun);
  for (const Other& other : others_) {
    if (!options_.takes_back.empty()) refuse_unfinished_run(other.file, other.content.header);
    if (resumes() && !is_any_begun)
      refuse_to_resume(other.file, other.content.header, places_.front().header);
  }
  if (resumes() && !is_any_begun) options_.start = JournalOptions::Start::anew;
  look_at_done();
  refuse_own();
  refuse_lagging();
}

Journals::~Journals() {
  // Nothing was put in its place, and the run ended before finish().
  if (journals_.size() == places_.size() && !has_intents())
    for (const Journal& journal : journals_) ::unlink(journal.file().c_str());
  remove_unused_record();
  locks_.clear();
  // A run that wrote nothing leaves no folder.
  for (const Root& root : roots_)
    for (const fs::path& folder : root.made) ::rmdir(folder.c_str());
}

// Journals above the roots and below them belong to other runs.
void Journals::refuse_others(std::span<const fs::path> below) const {
  std::set<fs::path> own;
  for (const Root& root : roots_) own.insert(fs::canonical(root.folder));
  std::set<fs::path> others(below.begin(), below.end());
  for (const Root& root : roots_) {
    for (fs::path at = fs::canonical(root.folder); at.has_relative_path();) {
      at = at.parent_path();
      others.insert(at / journal_name);
    }
  }
  for (const fs::path& other : others) {
    std::error_code unknown;
    if (!fs::exists(other, unknown) || own.contains(fs::canonical(other).parent_path())) continue;
    const auto content = read_journal(other, other.parent_path());
    if (!content || !content->is_left_undone()) continue;
    refuse_unfinished_run(other, content->header);
  }
}

void Journals::find_places() {
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    roots_[i].journal = i;
    Place& place = places_.emplace_back();
    place.root = roots_[i].absolute;
    place.header.operation = options_.operation;
    place.header.inputs = options_.roots[i].inputs;
    place.header.root = fs::canonical(roots_[i].folder).string();
    place.file = roots_[i].place / journal_name;
    if (options_.in_place) {
      find_journal(place, roots_[i].place);
      if (!place.content) find_record(place);
      continue;
    }
    // Alone, because g++ 12 frees the parts of an aggregate twice if the last of them throws.
    auto content = read_journal(place.file, place.root);
    // The journal of another run that is done does not matter to one that begins.
    if (content &&
        (!content->is_complete || resumes() || content->header.is_of_same_run(place.header)))
      place.content = std::move(content);
    if (!place.content && resumes() && options_.known) {
      place.content = options_.known();
      if (place.content) place.content->header = place.header;
    }
  }
}

/// Finds the journal of this run among the journals of other runs.
void Journals::find_journal(Place& place, const fs::path& folder) {
  const fs::path usual = place.file;
  std::set<fs::path> names = {usual};
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (is_journal_name(entry->path().filename().string()))
      names.insert(folder / entry->path().filename());
  bool is_taken = false;  // another run has the usual name
  for (const fs::path& name : names) {
    auto content = read_journal(name, place.root, resumes() || !options_.takes_back.empty());
    if (!content) {
      // A run has ended before its first line was written.
      if (name != usual) ::unlink(name.c_str());
      continue;
    }
    if (content->header.is_of_same_run(place.header)) {
      place.file = name;
      place.content = std::move(content);
      continue;
    }
    is_taken = is_taken || name == usual;
    if (!options_.takes_back.empty() && is_taken_back(*content))
      place.taken_back.push_back({name, place.root, std::move(*content)});
    else if (content->is_left_undone() && content->header.operation.starts_with("restore "))
      refuse_unfinished_run(name, content->header);  // it is about all pictures of a run
    else if (content->is_left_undone())
      others_.push_back({name, place.root, std::move(*content)});
  }
  if (is_taken && !place.content) place.file += "-" + run_id();
}

/// Finds the last record of this run among the records of all runs.
void Journals::find_record(Place& place) const try {
  const std::string end = name_of_record(place.header);
  std::error_code error;
  for (fs::directory_iterator entry(options_.records, error), last; !error && entry != last;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.ends_with(end) && name > place.record.filename().string())
      place.record = entry->path();
  }
  if (!place.record.empty()) place.content = read_journal(place.record, place.root, resumes());
} catch (const FileError&) {
  if (resumes()) throw;  // others do not depend on it
}

/// Sums up hashes, so the order of the pictures makes no difference. A replaced file has another
/// inode.
void Journals::look_at_originals() {
  if (!options_.originals) return;
  std::vector<ContentHash> sums(places_.size());
  options_.originals([&](const fs::path& picture, const FileState& state) {
    const std::uint64_t numbers[] = {state.inode, state.bytes,
                                     static_cast<std::uint64_t>(state.modified_ns)};
    const ContentHash hash = hash_of(std::as_bytes(std::span(numbers)));
    const std::size_t index = index_of(picture);
    ContentHash& sum = sums[index];
    sum = {sum.high + hash.high, sum.low + hash.low};
  });
  for (std::size_t i = 0; i < places_.size(); ++i) places_[i].header.originals = digits_of(sums[i]);
}

/// A record that is complete stops no run.
void Journals::look_at_done() {
  if (options_.start != JournalOptions::Start::anew || !options_.originals) return;
  options_.originals([&](const fs::path& picture, const FileState& /*state*/) {
    const Place& place = places_[index_of(picture)];
    if (!place.content || !place.content->is_complete || !place.content->of(picture, place.root))
      return;
    const JournalHeader& header = place.content->header;
    done_before_ = {header.operation, done_before_.pictures + 1,
                    std::max(header.ended, done_before_.ended)};
  });
  for (Place& place : places_)
    if (!place.record.empty()) place.content.reset();
}

/// A journal without results: either the run replaced nothing, or the journal was cut.
void Journals::refuse_cut(const Place& place) {
  if (!place.content || !place.content->files.empty() || place.content->is_complete) return;
  const std::string& then = place.content->header.originals;
  if (then.empty() || then == place.header.originals) return;
  throw WithHints<FileError>(
      {Hint::restart_all},
      fmt::format("{}: pictures have changed since '{}' began, and this journal of it names none, "
                  "so it may have been cut; look at them",
                  place.file.string(), place.content->header.operation),
      place.file, std::error_code());
}

void Journals::refuse_own() const {
  using Start = JournalOptions::Start;
  const bool any_begun = std::ranges::any_of(
      places_, [](const Place& place) { return place.content && !place.content->files.empty(); });
  for (const Place& place : places_) {
    if (!place.content) {
      // All journals are made before the first picture is turned.
      if (resumes() && any_begun) {
        throw WithHints<FileError>(
            {Hint::resume_others},
            fmt::format("there is no journal {}, so what is there is done or forgotten",
                        place.file.string()),
            place.file, std::error_code());
      }
      continue;
    }
    if (resumes()) refuse_to_resume(place.file, place.content->header, place.header);
    if (options_.in_place && options_.start != Start::restart) refuse_cut(place);
    if (options_.start == Start::anew && options_.in_place && place.content->is_left_undone()) {
      throw WithHints<FileError>(
          {Hint::resume_or_restart},
          fmt::format("{}: '{}' is not complete, and a new run could turn pictures twice",
                      place.file.string(), place.content->header.operation),
          place.file, std::error_code());
    }
  }
}

/// Without its journal, nobody would know which labels in a shared file are turned with their
/// pictures.
void Journals::refuse_lagging() const {
  if (options_.start != JournalOptions::Start::restart || !options_.shared) return;
  std::map<fs::path, SharedFileNow> files;
  options_.shared([&](const fs::path& file, const fs::path& picture) {
    const Place& place = places_[index_of(file)];
    if (!place.content) return;
    const SharedFileNow& now =
        files.try_emplace(file, *place.content, place.root, file).first->second;
    const JournalContent::Hashes* known = place.content->of(picture, place.root);
    if (now.has_turned(picture) != false || !known || hash_of_file(picture) != known->result)
      return;
    throw WithHints<FileError>(
        {Hint::finish_run},
        fmt::format("{} lags behind its pictures: '{}' has turned {}, and not its labels",
                    file.string(), place.content->header.operation, picture.string()),
        file, std::error_code());
  });
}

void Journals::refuse_unfinished(const fs::path& file, const fs::path& picture) const {
  for (const Other& other : others_) {
    if (!other.content.of(file, other.root) && other.content.versions_of(file, other.root).empty())
      continue;
    throw WithHints<FileError>(
        {{Hint::finish_journal, other.file.string()}},
        fmt::format("'{}' has turned {}, or was about to, and is not complete",
                    other.content.header.operation, file == picture ? "it" : file.string()),
        picture, std::error_code());
  }
}

bool Journals::is_taken_back(const JournalContent& content) const {
  const auto is_undone = [&](const std::string& run) {
    return std::ranges::find(options_.takes_back, run) != options_.takes_back.end();
  };
  return content.header.kept_in == options_.kept_in || std::ranges::any_of(content.runs, is_undone);
}

void Journals::keep_originals(const fs::path& backups) {
  backups_ = backups;
  for (const Place& place : places_)
    if (resumes() && place.content && kept_in_.empty()) kept_in_ = place.content->header.kept_in;
  if (kept_in_.empty()) {
    has_made_backups_ = !fs::exists(backups);
    kept_in_ = make_run_folder(backups);
  }
  for (Place& place : places_) place.header.kept_in = kept_in_.string();
}

void Journals::begin_record() {
  JournalHeader header;
  header.operation = options_.operation;
  header.is_record = true;
  for (const Root& root : roots_) header.inputs.push_back(fs::canonical(root.folder).string());
  fs::create_directories(kept_in_);  // if a run is resumed, it may be gone
  // A run that was killed before its journal named it has left its probes of takes_no_room().
  std::error_code error;
  for (fs::directory_iterator entry(kept_in_, error), end; !error && entry != end;
       entry.increment(error))
    if (is_temporary_name(entry->path().filename().string())) ::unlink(entry->path().c_str());
  if (error) throw FileError("cannot read the folder " + kept_in_.string(), kept_in_, error);
  const auto content = read_and_repair_record(kept_in_);
  for (const std::string_view name : record_names)
    records_.emplace_back(kept_in_ / name, kept_in_, header, content, options_.flushed);
}

// A run that replaced nothing leaves nothing.
void Journals::remove_unused_record() try {
  if (kept_in_.empty() || has_kept_originals()) return;
  for (const Journal& record : records_) ::unlink(record.file().c_str());
  remove_empty_folders(kept_in_);
  if (has_made_backups_) ::rmdir(backups_.c_str());
  kept_in_.clear();
} catch (const std::exception&) {  // then an empty folder stays
}

void Journals::begin(const std::function<std::set<fs::path>()>& folders) {
  const auto with_roots = [&] {
    std::set<fs::path> all = folders();
    for (const Root& root : roots_) all.insert({root.folder, root.place});
    if (!kept_in_.empty()) all.merge(folders_below(kept_in_));
    return all;
  };
  try {
    if (!kept_in_.empty()) begin_record();
    const auto finish = [&](JournalContent& content) {
      const std::set<fs::path> all = with_roots();
      const std::vector<fs::path> temporaries = temporaries_of(content, all);
      finish_begun(content, options_.in_place, have_changed_);
      for (const fs::path& temporary : temporaries) ::unlink(temporary.c_str());
      content.begun.clear();
      // What a killed run has put in its place counts as done, but may not be on the disk yet.
      if (options_.flushed) flush_folders(all);
    };
    for (Place& place : places_) {
      if (place.content) finish(*place.content);
      for (Other& other : place.taken_back) finish(other.content);
      if (!resumes()) place.content.reset();
      if (place.content && !place.record.empty()) take(place.record, place.file);
      journals_.emplace_back(place.file, place.root, place.header, std::move(place.content),
                             options_.flushed);
    }
    begin_shared();
  } catch (const std::exception& error) {
    if (have_changed_) throw WithHints<UnfinishedError>(hints_of(error), error.what());
    throw;
  }
}

void Journals::begin_shared() {
  for (auto& each : shared_) {
    const fs::path& file = each.first;
    Journal& journal = journals_[each.second.journal];
    std::optional<ContentHash> content;
    const auto name = [&](Journal& in) {
      if (!in.before().versions_of(file, in.root()).empty()) return;
      if (!content) content = hash_of_file(file);
      if (content) in.name_shared(file, *content);
    };
    name(journal);
    for (Journal& record : records_) name(record);
    each.second.now.emplace(journal.before(), journal.root(), file);
  }
}

const Journals::Root& Journals::root_of(const fs::path& target) const {
  const Root* deepest = &roots_.front();
  if (roots_.size() == 1) return *deepest;
  const std::string absolute = fs::absolute(target).lexically_normal().string();
  std::size_t length = 0;
  for (const Root& root : roots_) {
    const std::string& folder = root.absolute.native();
    if (folder.size() > length && absolute.starts_with(folder)) {
      deepest = &root;
      length = folder.size();
    }
  }
  return *deepest;
}

Journal& Journals::of(const fs::path& target) { return journals_[index_of(target)]; }

// A companion may lie elsewhere, but is in its picture's journal. In place, a renamed file is known
// by its content.
const JournalContent::Hashes* Journals::before(const fs::path& target,
                                               const fs::path& picture) const {
  const Journal& journal = journals_[index_of(picture)];
  const JournalContent::Hashes* known = journal.before(target);
  if (known || !options_.in_place || !journal.knows_gone()) return known;
  const auto content = hash_of_file(target);
  return content ? journal.renamed(*content) : nullptr;
}

bool Journals::stays_the_same(const fs::path& target, const fs::path& picture) const {
  const JournalContent::Hashes* known = before(target, picture);
  return known && known->source == known->result;
}

bool Journals::is_done(const fs::path& target, const fs::path& picture) const {
  if (!resumes()) return false;
  const JournalContent::Hashes* known = before(target, picture);
  if (options_.in_place) {
    if (!known) return false;
    const auto found = hash_of_file(target);
    if (found == known->result) return true;
    if (found == known->source) return false;
    if (found && journals_[index_of(picture)].renamed(*found)) return true;
    throw WithHints<FileError>(
        {Hint::forget_journal},
        (target == picture ? "" : target.string() + " ") +
            "is neither the original nor what the interrupted run made of it, and was left as it "
            "is; look at it",
        target, std::error_code());
  }
  const auto found = hash_of_file(target);
  if (!found || options_.overwrite) return found && known && *found == known->result;
  if (known && *found == known->result) return true;
  throw WithHints<FileError>(
      {Hint::resume_and_replace},
      target.string() + " is not what the interrupted run wrote; remove it and resume again",
      target, std::error_code());
}

void Journals::refuse_apart(const fs::path& shared, const fs::path& picture, bool is_done) const {
  const SharedFileNow& now = *shared_.at(shared).now;
  if (!now.is_known()) {
    throw WithHints<FileError>(
        {Hint::forget_journal},
        shared.string() +
            ", which has its labels, is neither what it was nor what the interrupted run made of "
            "it; look at it",
        shared, std::error_code());
  }
  const std::optional<bool> has_turned = now.has_turned(picture);
  if (is_done ? has_turned.has_value() : has_turned != true) return;
  throw FileError(
      fmt::format("of what belongs together, {} is turned and {} is not; restore one "
                  "of them, and resume again",
                  (is_done ? picture : shared).string(), (is_done ? shared : picture).string()),
      shared, {});
}

std::optional<StoredPicture> Journals::stored_before(const fs::path& shared,
                                                     const fs::path& picture) const {
  const Shared& file = shared_.at(shared);
  if (file.now->has_turned(picture) != false) return std::nullopt;
  const Journal& journal = journals_[file.journal];
  return journal.before().labelled_at(picture, journal.root())->stored;
}

void Journals::confirm(const fs::path& picture) { of(picture).confirm(picture); }

ContentHash Journals::first_content(const fs::path& shared) const {
  const Journal& journal = journals_[shared_.at(shared).journal];
  return journal.before().versions_of(shared, journal.root()).front().content;
}

std::optional<ContentHash> Journals::source_before(const fs::path& target) const {
  if (!resumes()) return std::nullopt;
  const JournalContent::Hashes* known = journals_[index_of(target)].before(target);
  return known ? std::optional(known->source) : std::nullopt;
}

bool Journals::has_intents() const { return std::ranges::any_of(journals_, &Journal::has_intents); }

// A run is complete if its journal is missing, or has the last line. A journal that goes to the
// records gets that line only there, and is then removed. If it had the line here first, and the
// run were killed, a new run would not be refused.
void Journals::leave_record(Journal& journal, const Place& place) const {
  if (options_.keep) {
    journal.end();
    if (!place.record.empty()) ::unlink(place.record.c_str());
    return;
  }
  if (!options_.records.empty()) {
    if (fs::create_directories(options_.records))
      fs::permissions(options_.records, fs::perms::owner_all);
    std::string when = utc_now();
    std::ranges::replace(when, ':', '-');
    journal.end_in(
        options_.records / fmt::format("{}-{}{}", when, run_id(), name_of_record(place.header)),
        options_.records_flushed);
  }
  if (::unlink(journal.file().c_str()) != 0)
    throw FileError("cannot remove " + journal.file().string(), journal.file(), system_code(errno));
}

/// Removes old records, because nothing else does.
void Journals::remove_old_records() const {
  constexpr auto longest = std::chrono::days(30);
  std::error_code error;
  for (fs::directory_iterator entry(options_.records, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unknown;
    const auto written = entry->last_write_time(unknown);
    const fs::path name = entry->path().filename();
    const bool is_own = name.extension() == ".jsonl" || is_temporary_name(name.string());
    if (!unknown && is_own && fs::file_time_type::clock::now() - written > longest)
      ::unlink(entry->path().c_str());
  }
}

// A journal with files that have other names now stays: these cannot be taken back, and must not be
// turned twice.
void Journals::forget_taken_back() const {
  for (const Place& place : places_)
    for (const Other& other : place.taken_back)
      if (other.content.gone.empty()) ::unlink(other.file.c_str());
}

std::vector<std::string> Journals::finish(bool all_done, bool all_taken_back) {
  remove_unused_record();
  const bool has_any = has_intents();
  if (!all_done && has_any) return {};
  if (all_done && all_taken_back) forget_taken_back();
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < journals_.size(); ++i) {
    Journal& journal = journals_[i];
    try {
      if (has_any)
        leave_record(journal, places_[i]);
      else if (::unlink(journal.file().c_str()) != 0)
        warnings.push_back(fmt::format("cannot remove {}: {}", journal.file().string(),
                                       system_code(errno).message()));
    } catch (const fs::filesystem_error& error) {
      warnings.push_back(fmt::format("{}; the record of this run stays in {}", sentence_of(error),
                                     journal.file().string()));
      end_where_it_is(journal);
    }
  }
  if (has_any && !options_.records.empty()) remove_old_records();
  return warnings;
}

}  // namespace qturn
