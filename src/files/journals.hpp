// The journals of a run: one for each folder that it changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/files/backup.hpp"
#include "src/files/folder_lock.hpp"
#include "src/files/journal.hpp"

namespace qturn {

/// A run could not begin, but had already finished results of an interrupted run.
class UnfinishedError : public std::runtime_error {
 public:
  using runtime_error::runtime_error;
};

/// A folder with a journal of its own.
struct JournalRoot {
  std::filesystem::path folder;
  std::vector<std::string> inputs;
  /// Where its journal and its lock lie; empty: in the folder itself.
  std::filesystem::path place = {};
};

struct JournalOptions {
  /// `resume` begins a run if there is no journal.
  enum class Start : std::uint8_t { anew, resume, restart };
  std::vector<JournalRoot> roots;
  std::string operation;
  Start start = Start::anew;
  bool in_place = false;
  /// In place: calls `visit` for each picture; or null.
  using Visit = std::function<void(const std::filesystem::path&, const FileState&)>;
  std::function<void(const Visit& visit)> originals = {};
  /// In place: calls `visit` with each shared file and each picture whose labels it holds; or null.
  using VisitShared =
      std::function<void(const std::filesystem::path& file, const std::filesystem::path& picture)>;
  std::function<void(const VisitShared& visit)> shared = {};
  /// To a folder without a journal: reads what else tells about the run, or nothing. May be null.
  std::function<std::optional<JournalContent>()> known = {};
  bool overwrite = false;  ///< to a folder: files that an interrupted run did not write, too
  /// The journal of a run that is done stays and says so: to resume it again turns nothing.
  bool keep = false;
  /// Otherwise it goes to this folder, to the records of other runs; empty: it is removed.
  std::filesystem::path records = {};
  bool flushed = true;          ///< each line is flushed before anything depends on it
  bool records_flushed = true;  ///< a record in `records` is, before the journal is removed
  /// In place, with `restart`: the ids of the runs that are undone. `kept_in` is their folder.
  std::vector<std::string> takes_back = {};
  std::filesystem::path kept_in = {};
};

/// What an equal run has done before, and this one does again.
struct DoneBefore {
  std::string operation;
  std::uint64_t pictures = 0;  ///< pictures of both runs
  std::string ended = {};      ///< when, in UTC; empty: not known
};

/// The journals of a run, and the locks of its roots.
class Journals {
 public:
  /// Locks the roots and reads their journals. `below`: journals of other runs that were found
  /// below the roots.
  ///
  /// Throws FileError if another run holds a root; in place, if this run was interrupted there, or
  /// any run above or below, and shall neither be resumed nor forgotten; if the run to resume is
  /// another one.
  Journals(JournalOptions options, std::span<const std::filesystem::path> below);
  ~Journals();
  Journals(const Journals&) = delete;
  Journals& operator=(const Journals&) = delete;

  /// Whether this run resumes another one.
  bool resumes() const { return options_.start == JournalOptions::Start::resume; }

  /// In place, for a run that begins: what it does once more, if anything.
  const DoneBefore& done_before() const { return done_before_; }

  /// In place: throws FileError if another run, which is not complete, has put a result there.
  /// `file`: the picture, or a shared file with its labels.
  void refuse_unfinished(const std::filesystem::path& file,
                         const std::filesystem::path& picture) const;

  /// In place: originals are kept in a folder of this run in `backups`. A run that resumes another
  /// goes on with the other's folder. To be called before begin().
  void keep_originals(const std::filesystem::path& backups);
  /// The folder of the originals; empty if there is none, or once it was removed as not needed.
  const std::filesystem::path& kept_in() const { return kept_in_; }
  bool has_kept_originals() const { return !records_.empty() && records_[0].has_intents(); }

  /// Begins the journals or goes on with them. To be called before the members below. An
  /// interrupted run may have put only a part of a result in its place: finishes such results.
  /// Removes what else the interrupted run has left in the roots and in `folders`, where results
  /// go. `folders` is called only if there was an interrupted run.
  ///
  /// Throws FileError; UnfinishedError, for any reason, once a file has been changed.
  void begin(const std::function<std::set<std::filesystem::path>()>& folders);

  /// Whether begin() has put results of the interrupted run in their places.
  bool have_changed() const { return have_changed_; }

  /// The journal for results at this place.
  Journal& of(const std::filesystem::path& target);
  /// Two equal records, which say where the originals are; none if originals are not kept.
  std::span<Journal> records() { return records_; }

  /// Whether the interrupted run has put a result there, or was about to.
  bool know(const std::filesystem::path& target, const std::filesystem::path& picture) const {
    return before(target, picture) != nullptr;
  }
  /// Whether the interrupted run has put a result there: the picture itself or a file that belongs
  /// to it. Throws FileError if the file there is neither the result nor the one that it
  /// replaces.
  bool is_done(const std::filesystem::path& target, const std::filesystem::path& picture) const;
  /// Whether the interrupted run's result has the same content as its source.
  bool stays_the_same(const std::filesystem::path& target,
                      const std::filesystem::path& picture) const;

  /// Of a picture in place, which the interrupted run has turned or has not: throws FileError if
  /// its labels in this shared file are not what they were with it, or if that is not known.
  void refuse_apart(const std::filesystem::path& shared, const std::filesystem::path& picture,
                    bool is_done) const;
  /// Of a picture that the interrupted run has turned: how it was stored, if its labels in this
  /// shared file are still to be turned.
  std::optional<StoredPicture> stored_before(const std::filesystem::path& shared,
                                             const std::filesystem::path& picture) const;
  /// The result of a picture with labels in shared files is in its place. To be called before such
  /// files are replaced.
  void confirm(const std::filesystem::path& picture);
  /// What a shared file was before the first run that this one goes on with.
  ContentHash first_content(const std::filesystem::path& shared) const;

  /// The hash of the source from which the interrupted run has made the file at this place; nothing
  /// if it has not made it.
  std::optional<ContentHash> source_before(const std::filesystem::path& target) const;

  /// Ends the run. If all is done, the kept journals or the records say so. If nothing was done,
  /// the journals are removed. `all_taken_back`: the journals of the undone runs are removed;
  /// otherwise they say what is still turned. Returns warnings.
  std::vector<std::string> finish(bool all_done, bool all_taken_back = false);

 private:
  struct Root {
    std::filesystem::path folder, absolute, place;
    std::vector<std::filesystem::path> made;  // folders that this run made; the deepest first
    std::size_t journal = 0;
  };
  /// The journal of another run.
  struct Other {
    std::filesystem::path file, root;
    JournalContent content;
  };
  struct Place {
    std::filesystem::path file, root;
    JournalHeader header;
    std::optional<JournalContent> content;
    std::filesystem::path record = {};   ///< the record that `content` is from; or empty
    std::vector<Other> taken_back = {};  ///< journals of the runs that are undone
  };
  struct Shared {
    std::size_t journal;
    std::optional<SharedFileNow> now = {};  // once the journals are begun
  };
  const Root& root_of(const std::filesystem::path& target) const;
  std::size_t index_of(const std::filesystem::path& target) const {
    const auto shared = shared_.find(target);
    return shared == shared_.end() ? root_of(target).journal : shared->second.journal;
  }
  const JournalContent::Hashes* before(const std::filesystem::path& target,
                                       const std::filesystem::path& picture) const;
  void find_places();
  void find_journal(Place& place, const std::filesystem::path& folder);
  void find_record(Place& place) const;
  void look_at_originals();
  void look_at_done();
  void leave_record(Journal& journal, const Place& place) const;
  void remove_old_records() const;
  void forget_taken_back() const;
  bool is_taken_back(const JournalContent& content) const;
  void begin_record();
  void remove_unused_record();
  static void refuse_cut(const Place& place);
  void refuse_others(std::span<const std::filesystem::path> below) const;
  void refuse_own() const;
  void refuse_lagging() const;
  void begin_shared();
  bool has_intents() const;

  JournalOptions options_;
  std::vector<Root> roots_;
  std::vector<FolderLock> locks_;
  std::vector<Place> places_;  // in the order of roots_
  std::vector<Other> others_;  // in the roots, of runs that are not complete
  std::map<std::filesystem::path, Shared> shared_;
  DoneBefore done_before_;
  bool have_changed_ = false;
  std::vector<Journal> journals_;  // likewise, once they are begun
  std::filesystem::path backups_, kept_in_;
  bool has_made_backups_ = false;
  std::vector<Journal> records_;  // likewise
};

}  // namespace qturn
