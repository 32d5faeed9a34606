// The journals of a run: one for each folder that it changes.
#ifndef QTURN_SRC_FILES_JOURNALS_HPP
#define QTURN_SRC_FILES_JOURNALS_HPP

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "src/files/folder_lock.hpp"
#include "src/files/journal.hpp"
#include "src/files/kept_run.hpp"

namespace qturn {

/// A run could not begin after it had finished results of an interrupted one.
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
  bool overwrite = false;  ///< to a folder: what an interrupted run did not write is replaced
  /// The journal of a run that is done stays and says so: to resume it again turns nothing.
  bool keep = false;
  bool flushed = true;
  /// In place, with `restart`: the folder of the
  /// run that is undone. Only its journal is forgotten.
  std::filesystem::path takes_back = {};
};

/// The journals of a run, and the locks of its roots.
class Journals {
 public:
  /// Locks the roots and reads their journals. `below`: journals of other runs that were found
  /// below the roots.
  ///
  /// Throws FileError if another run holds a root; in place, if a run was interrupted there, above
  /// or below, and is not to be resumed or forgotten; if it is another one that is to be
  /// resumed; if the same run is done and its journal was kept.
  Journals(JournalOptions options, std::span<const std::filesystem::path> below);
  ~Journals();
  Journals(const Journals&) = delete;
  Journals& operator=(const Journals&) = delete;

  /// Whether there was a run to go on with.
  bool resumes() const { return options_.start == JournalOptions::Start::resume; }

  /// In place: originals are kept in a folder of this run in `backups`; one that resumes another
  /// goes on with the folder of that. To be called before begin().
  void keep_originals(const std::filesystem::path& backups);
  /// That folder; empty if there is none, or if it was removed because nothing was replaced.
  const std::filesystem::path& kept_in() const { return kept_in_; }

  /// Begins the journals or goes on with them, before anything else of these members is called.
  /// Finishes results of which an interrupted run has put only a part in its place. Removes what
  /// else that run has left in the roots and in `folders`, which results go to; it is called only
  /// if there was such a run.
  ///
  /// Throws FileError; UnfinishedError, for any reason, once a file has been changed.
  void begin(const std::function<std::set<std::filesystem::path>()>& folders);

  /// Whether begin() has put results of that run in their places.
  bool have_changed() const { return have_changed_; }

  /// The journal for results at this place.
  Journal& of(const std::filesystem::path& target);
  /// What says about all results where their originals are; null if they are not kept.
  Journal* record() { return record_ ? &*record_ : nullptr; }

  /// Whether that run has put a result there, or was about to.
  bool know(const std::filesystem::path& target, const std::filesystem::path& picture) const {
    return before(target, picture) != nullptr;
  }
  /// Whether the run that this one resumes has put a result there, the picture itself or what
  /// belongs to it. Throws FileError if what is there is neither that nor what the result is to
  /// replace.
  bool is_done(const std::filesystem::path& target, const std::filesystem::path& picture) const;
  /// Whether what that run has put there, or was about to, is the same as what it was made of.
  bool stays_the_same(const std::filesystem::path& target,
                      const std::filesystem::path& picture) const;

  /// The hash of the source from which the run that this one resumes has made the file at this
  /// place, if it has.
  std::optional<ContentHash> source_before(const std::filesystem::path& target) const;

  /// Ends the run. If all is done, or nothing was, the journals are removed, or say so if they are
  /// kept. Returns warnings.
  std::vector<std::string> finish(bool all_done);

 private:
  struct Root {
    std::filesystem::path folder, absolute, place;
    std::vector<std::filesystem::path> made;  // by this run, for the place; the deepest first
    std::size_t journal = 0;
  };
  struct Place {
    std::filesystem::path file, root;
    JournalHeader header;
    std::optional<JournalContent> content;
  };
  const Root& root_of(const std::filesystem::path& target) const;
  std::size_t index_of(const std::filesystem::path& target) const {
    return root_of(target).journal;
  }
  const JournalContent::Hashes* before(const std::filesystem::path& target,
                                       const std::filesystem::path& picture) const;
  void find_places();
  void look_at_originals();
  bool is_taken_back(const JournalHeader& header) const;
  void begin_record();
  void remove_unused_record();
  static void refuse_cut(const Place& place);
  void refuse_others(std::span<const std::filesystem::path> below) const;
  void refuse_own() const;
  bool has_intents() const;

  JournalOptions options_;
  std::vector<Root> roots_;
  std::vector<FolderLock> locks_;
  std::vector<Place> places_;  // in the order of roots_
  bool have_changed_ = false;
  std::vector<Journal> journals_;  // likewise, once they are begun
  std::filesystem::path backups_, kept_in_;
  bool has_made_backups_ = false;
  std::optional<Journal> record_;  // likewise
};

}  // namespace qturn

#endif  // QTURN_SRC_FILES_JOURNALS_HPP
