// Originals that are kept under another name before their results replace them, and the folder
// of a run that keeps them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/files/journal.hpp"
#include "src/files/real_places.hpp"

namespace qturn {

/// Where the original of a picture with this key is kept. Throws FileError if that is outside of
/// `backup`.
std::filesystem::path backup_place(const std::filesystem::path& backup,
                                   const std::filesystem::path& key);

/// Where the original of a companion is kept. It has the same place relative to the backup of its
/// picture as the companion to the picture.
std::filesystem::path backup_place(const std::filesystem::path& backup,
                                   const std::filesystem::path& key,
                                   const std::filesystem::path& picture,
                                   const std::filesystem::path& companion);

/// Whether originals on the file system of `original` take no room there. Leaves nothing behind.
bool takes_no_room(const std::filesystem::path& original, const std::filesystem::path& folder);

class Backup {
 public:
  /// Makes a hard link to `original`. If that is not possible, makes a reflink, which shares its
  /// blocks, or copies its bytes. If an interrupted run has kept the same content there, that is
  /// enough. Throws FileError if another file is there. `flushed`: blocks until the disk has the
  /// name, and the names of the folders from `run` to it, which another thread may just have made.
  /// `places`: as in NewFile.
  Backup(const std::filesystem::path& original, std::filesystem::path place,
         const std::filesystem::path& run, bool flushed, const RealPlaces* places);
  /// Removes the backup, unless keep() was called: then the original was replaced.
  ~Backup();
  Backup(Backup&& other) noexcept : made_(std::exchange(other.made_, {})) {}
  Backup& operator=(Backup&&) = delete;

  void keep() { made_.clear(); }

 private:
  std::filesystem::path made_;
};

// The folder of a run that keeps originals, in a folder of backups: BACKUPS/2026-11-24T18-20-11.
// The originals lie there under their keys, with the record of the run (journal.hpp). For each
// original it says where that was, what the run put there and what belongs to it. Its names of
// originals are relative, so the folder can be moved. There are two copies, in case one is damaged.

inline constexpr std::string_view record_names[] = {"qturn-run.jsonl", "qturn-run-copy.jsonl"};

/// Makes a new folder that is named after the time, for one run alone. Returns its absolute path.
/// Throws FileError.
std::filesystem::path make_run_folder(const std::filesystem::path& backups);

/// The folders of runs, the earliest first. Throws FileError if the folder cannot be read; there
/// are none if it does not exist.
std::vector<std::filesystem::path> runs_in(const std::filesystem::path& backups);

/// Whether the folder has a record.
bool is_run_folder(const std::filesystem::path& folder);

/// The copy with more lines, if both can be read. Nothing if there is none, or if the run was
/// killed before its first line was whole. Throws FileError if neither can be read.
std::optional<JournalContent> read_record(const std::filesystem::path& folder);
/// The same, and makes the other copy equal to it.
std::optional<JournalContent> read_and_repair_record(const std::filesystem::path& folder);

struct KeptRun {
  std::filesystem::path folder;
  JournalHeader header;           ///< its inputs are the folders that the run changed
  std::vector<std::string> runs;  ///< the ids of the runs that wrote the record
  std::vector<Intent> pictures;   ///< each with what belongs to it
  std::uint64_t files = 0;        ///< how many files the run replaced
  std::uint64_t files_kept = 0, bytes_kept = 0;  ///< the originals that are not put back yet

  /// Whether it is a shared file, or a picture with labels in one.
  bool is_shared(std::size_t picture) const {
    const IntendedFile& first = pictures[picture].front();
    return first.is_shared || first.stored;
  }
};

/// Has no pictures if there is no record, or if the run was killed before its first line was whole.
/// Throws FileError, also if an original would lie outside of the folder.
KeptRun read_run(const std::filesystem::path& folder);

/// All files in the folder and below, without records and temporaries.
std::vector<std::filesystem::path> originals_in(const std::filesystem::path& folder);

/// The folder that the run changed lies at `to` now. Throws FileError if the run changed several.
void move_root(KeptRun& run, const std::filesystem::path& to);

/// The originals that later runs beside this one have replaced again and could put back.
std::set<std::filesystem::path> held_by_later_runs(const KeptRun& run);

/// Leaves only the originals that are not put back. Removes what else the run has left in its
/// folder: hard links to files that it did not replace, temporaries, and empty folders.
void tidy(const KeptRun& run);

/// All folders below, and the folder itself.
std::set<std::filesystem::path> folders_below(const std::filesystem::path& folder);
/// Removes the empty folders below, and the folder itself if it is empty.
void remove_empty_folders(const std::filesystem::path& folder);

}  // namespace qturn
