// The record of a run: what it is about to do and what it has done. So another run can go on after
// a kill or a power cut, and turn each picture exactly once; also later, when all is done.
//
// A journal is a file of JSON lines. The first says what the run does. Before a result is put in
// its place, a line states the intent: the names of the picture and of the files that belong to it,
// and for each of them the hashes of its source and of its result, and the last letters of its
// temporary:
//
//   [7,"a.jpg","<32 digits of the source><32 of the result>Xb3k",["a.xmp","..."],"<checksum>"]
//
// With Fsync::each this line is on the disk before anything is replaced. No line says that it is
// done. Later the hashes tell what happened: a result means that it is done, a source that it must
// be done again; anything else is an error. If only some of the files that belong together are in
// their places, the others still have their temporaries, and follow.
//
// In place, a shared file (one with the labels of many pictures) is replaced when all pictures are
// in their places. A line names it, with its hash, before the first of them:
//
//   {"shared":"x.json","content":"<32 digits>","line":2,"sum":"<checksum>"}
//
// Its new content has a line like that of a picture. That content has the labels of the pictures
// whose lines stand between these two, except for those that it names as not in their places. Until
// then the file lags behind its pictures: {"stored":[6,640,480]} in the line of a picture says how
// the picture was stored, for --resume to turn its labels, too.
//
// If originals are kept, the record of the run is a journal, too. It lies with the originals, says
// where each is, and stays when all is done: `qturn restore` needs it.
//
// Each line has its number and a checksum, so missing lines and changed bytes are noticed.
// Otherwise pictures would be turned again. Lines that were not flushed when the power failed may
// be zeros, even before whole lines. So a line also says how many lines before it were not on the
// disk when it was written, if any. Damage to such a line ends the journal: nothing depends on it.
//
// Version 1, which is read, too, has an object for each file, no checksums, and says "done".
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/files/content_hash.hpp"
#include "src/files/file_descriptor.hpp"
#include "src/files/json_names.hpp"
#include "src/files/safe_file.hpp"
#include "src/metadata/metadata_turn.hpp"

namespace qturn {

/// The journal's name in the folder that a run changes. If another run's journal is there, "-" and
/// the run's id follow.
inline constexpr std::string_view journal_name = ".qturn-journal";
inline bool is_journal_name(std::string_view name) { return name.starts_with(journal_name); }

/// One file of a result.
struct IntendedFile {
  std::filesystem::path target, temporary;
  ContentHash source, result;
  std::filesystem::path backup = {};  ///< where the original is kept; or empty
  /// Of a picture with labels in shared files: as its source is stored.
  std::optional<StoredPicture> stored = {};
  bool is_shared = false;                 ///< in a record: a shared file
  std::vector<ContentHash> earlier = {};  ///< what that became before, with fewer pictures
};
/// A picture, then the files that belong to it.
using Intent = std::vector<IntendedFile>;

/// What a run does, as far as it decides the results.
struct JournalHeader {
  std::string operation;            ///< with options
  std::vector<std::string> inputs;  ///< as names in the root, or absolute
  /// In place: a digest that tells whether an original was replaced since the run began; or empty.
  std::string originals = {};
  /// In place: the folder of the run that has the originals. The record in that folder says it,
  /// too. Or empty.
  std::string kept_in = {};
  bool is_record = false;
  std::string root = {};               ///< the folder, for people
  std::string began = {}, ended = {};  ///< when, in UTC; empty: not known

  bool is_of_same_run(const JournalHeader& other) const {
    return operation == other.operation && inputs == other.inputs;
  }
};

/// What a journal says.
struct JournalContent {
  JournalHeader header;
  std::vector<std::string> runs;  ///< ids, which are in the names of their temporaries
  struct Hashes {
    ContentHash source, result;
  };
  struct OfName {
    std::size_t operator()(const ContentHash& hash) const { return hash.low; }
  };
  /// The files, by the hashes of their names, so that a name takes 16 bytes.
  std::unordered_map<ContentHash, Hashes, OfName> files;
  /// The hashes of files that are no longer under their names, by the hashes of their results: such
  /// a file may have been renamed. Only if that was asked for.
  std::unordered_map<ContentHash, Hashes, OfName> gone;
  /// The pictures with labels in shared files.
  struct Labelled {
    StoredPicture stored;
    std::uint64_t line;
    bool is_in_place = false;  ///< as far as this run has found out
  };
  std::unordered_map<ContentHash, Labelled, OfName> labelled;
  /// What a shared file was and has become, ascending by lines.
  struct Version {
    ContentHash content;
    std::uint64_t line;
    std::vector<ContentHash> without = {};  ///< pictures that were not in their places; ascending
  };
  std::unordered_map<ContentHash, std::vector<Version>, OfName> shared;
  std::uint64_t pictures = 0;  ///< lines that name a picture
  std::vector<Intent> begun;   ///< intents with temporaries that are there, not given up
  std::vector<Intent> kept;    ///< in a record: all intents that were not given up
  void add(const std::filesystem::path& target, const std::filesystem::path& root,
           const Hashes& hashes);
  /// The hashes of a name below `root`, or elsewhere; null if the journal does not know it.
  const Hashes* of(const std::filesystem::path& target, const std::filesystem::path& root) const;
  const Labelled* labelled_at(const std::filesystem::path& picture,
                              const std::filesystem::path& root) const;
  /// Empty if it is not known as a shared file.
  std::span<const Version> versions_of(const std::filesystem::path& file,
                                       const std::filesystem::path& root) const;
  bool is_complete = false;  ///< all is done, and the journal was kept
  /// Whether a new run could turn pictures twice.
  bool is_left_undone() const { return !is_complete && !files.empty(); }
  std::uint64_t bytes = 0, lines = 0;  ///< up to the end of the last whole line
};

/// The time as journals write it: a later time sorts after an earlier one.
std::string utc_now();

/// Nothing if there is no journal, or if the run was killed before the first line was whole. A last
/// line that is not whole does not count. Neither do zeros and the lines after them, if these were
/// not flushed. Throws FileError if the file is not a journal, or is damaged: it names the damaged
/// line, or the line before which others are missing. Names are relative to `root` unless they are
/// absolute. `looks_for_gone`: JournalContent::gone is asked for.
std::optional<JournalContent> read_journal(const std::filesystem::path& file,
                                           const std::filesystem::path& root,
                                           bool looks_for_gone = false);

/// What a journal says about a shared file as it is now.
class SharedFileNow {
 public:
  /// `content` must outlive it. Throws FileError if the file cannot be read.
  SharedFileNow(const JournalContent& content, std::filesystem::path root,
                const std::filesystem::path& file);

  bool is_named() const { return !versions_.empty(); }
  /// Whether it is what it was, or what a run made of it.
  bool is_known() const { return now_ != nullptr; }
  /// Whether it has the labels of this picture as the run turned them; nothing if no run has turned
  /// the picture since the file was named, or was about to.
  std::optional<bool> has_turned(const std::filesystem::path& picture) const;

 private:
  const JournalContent& content_;
  std::filesystem::path root_;
  std::span<const JournalContent::Version> versions_;
  const JournalContent::Version* now_ = nullptr;
};

/// Writes a journal.
class Journal {
 public:
  /// Begins a journal, or goes on after `content`, which it takes. `flushed`: lines are on the disk
  /// before what depends on them. Throws FileError.
  Journal(std::filesystem::path file, std::filesystem::path root, const JournalHeader& header,
          std::optional<JournalContent> content, bool flushed);

  const std::filesystem::path& file() const { return file_; }
  const std::filesystem::path& root() const { return root_; }
  /// What the interrupted run has noted.
  const JournalContent& before() const { return before_; }
  /// The hashes that it has noted for this place; or null.
  const JournalContent::Hashes* before(const std::filesystem::path& target) const;
  bool knows_gone() const { return !before_.gone.empty(); }
  /// The hashes of a file that had this content and is no longer under its name; or null.
  const JournalContent::Hashes* renamed(const ContentHash& content) const;
  /// Whether any result may have been put in its place, in this run or before.
  bool has_intents() const { return has_intents_; }

  /// Notes the content of a shared file before its pictures are turned.
  void name_shared(const std::filesystem::path& file, const ContentHash& content);
  /// The result of a picture that the interrupted run has noted is in its place.
  void confirm(const std::filesystem::path& picture);

  void intend(std::span<const Intent* const> intents);
  /// Notes that a result will not be put in its place. It is not an error if this cannot be
  /// written: the hashes tell.
  void give_up(const Intent& intent);
  /// Notes that all is done.
  void end();
  /// The same in a copy. If `flushed`, it is on the disk afterwards. This journal does not change.
  void end_in(const std::filesystem::path& copy, bool flushed) const;

 private:
  Json without() const;
  std::string text_of(std::span<Json> lines) const;
  void append(std::span<Json> lines, bool flushed);

  std::filesystem::path file_, root_;
  bool names_backups_;
  FileDescriptor opened_;
  std::uint64_t bytes_ = 0, lines_ = 0;
  std::uint64_t lines_on_disk_ = 0;
  bool flushed_;
  bool may_lose_lines_;  // if they were not flushed; false if a picture could be turned twice
  bool has_intents_ = false;
  std::error_code broken_;                 // after that, nothing can be promised
  std::vector<ContentHash> not_given_up_;  // names of results, if that could not be noted
  JournalContent before_;
};

}  // namespace qturn
