// Puts results in their places, several at a time.
//
// A result must be on the disk before it replaces its original, and a flush takes as long for
// sixteen files as for one. So a task that has a result is suspended here, in a queue. One thread
// takes the whole queue, flushes the files, and the folders of files that belong together, writes
// their intents to the journal, renames each file, and flushes each folder once. Meanwhile the next
// group gathers, however fast or slow the disk is, and the cores turn pictures. If nothing is
// flushed before the end, each task does this for its own result: that takes less time than to wait
// for others.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "src/files/journals.hpp"
#include "src/files/safe_file.hpp"
#include "src/tasks/suspend.hpp"

namespace qturn {

/// When results are flushed to the disk: each before it is in its place, all at the end of the run,
/// or when the system likes.
enum class Fsync : std::uint8_t { each, end, never };

class GroupCommit {
 public:
  /// `journals`: null if there are none.
  GroupCommit(Fsync fsync, Journals* journals);
  ~GroupCommit();
  GroupCommit(const GroupCommit&) = delete;
  GroupCommit& operator=(const GroupCommit&) = delete;

  /// The most results in a group. With more, each waits longer and the rate does not grow.
  static constexpr int largest_group = 16;

  /// Suspends the calling task until the files are in their places. Throws FileError only if none
  /// is; what fails later is a warning that it returns. `intent` is for the journal.
  std::vector<std::string> commit(StagedFiles& files, const Intent& intent);

  /// The same for one that no other waits for. Blocks the calling thread, which may be in no task.
  std::vector<std::string> commit_alone(StagedFiles& files, const Intent& intent);

  /// Adds a file that the interrupted run has put in its place. It may not be on the disk
  /// yet.
  void add_done(const std::filesystem::path& file);

  /// With Fsync::end, blocks until all file systems that were written to are on the disk. Returns
  /// warnings. To be called after the last commit().
  std::vector<std::string> flush() const;

 private:
  struct Member {
    StagedFiles& files;
    const Intent& intent;
    std::vector<std::string> warnings = {};
    std::exception_ptr error = {};
    std::vector<Journal*> intended = {};  // that hold its intent
    Resume resume = Resume();
  };

  void flush_groups();
  void put_in_place(std::span<Member* const> group);
  void write_intents(std::span<Member* const> group);
  void write_intents(Journal& journal, std::span<Member* const> members);

  const Fsync fsync_;
  std::mutex writing_;  // guards what `journals_` points to, and `written_`
  Journals* const journals_;
  FileSystems written_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable arrived_;
  std::deque<Member*> waiting_;
  bool is_over_ = false;
  std::thread flusher_;  // for Fsync::each: it waits for the disk, so that no core's thread does
};

}  // namespace qturn
