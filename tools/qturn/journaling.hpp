// Where the journals of a run are, and what they say about it.
#pragma once

#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/files/group_commit.hpp"
#include "src/files/journal.hpp"
#include "src/files/journals.hpp"
#include "src/plan/plan.hpp"
#include "tools/qturn/command_line.hpp"

namespace qturn {

/// Whether the record of this run stays beside its results when all is done: --resume was given.
bool leaves_record(const CommandLine& line);

/// Opens the journals of this run: in place, where roots_in_place() says; otherwise in the folder
/// of the output or of the shard. Null if the output is a file. Throws PlanError if the options do
/// not fit together, otherwise as Journals does.
std::unique_ptr<Journals> open_journals(const CommandLine& line, const PlanOptions& options,
                                        const Plan& plan, JpegEdges edges, Fsync fsync);

/// To be called where the error is caught. If the run has changed files, throws it as an
/// UnfinishedError, otherwise as it is.
[[noreturn]] void rethrow_unfinished(const std::exception& error, const Journals* journals);

/// With --resume: if nothing at the output tells what an earlier run has done, the run begins,
/// and says so. In place open_journals() does this.
void begin_if_nothing_to_resume(CommandLine& line, JpegEdges edges);

/// With --resume: the record of the samples in a tar or in numbered tars. It lies beside them.
class TarRecord {
 public:
  /// `inputs`: their names. `digest`: tells whether an input has changed.
  TarRecord(const CommandLine& line, std::filesystem::path tar, std::vector<std::string> inputs,
            const ContentHash& digest, JpegEdges edges);

  /// Whether this run has been done, and its tars are still as it wrote them. Throws FileError if
  /// the record is damaged.
  bool is_done() const;
  /// The journal to be told of each tar. Earlier content of the place no longer counts.
  Journal* begin();
  void end() { journal_->end(); }

 private:
  std::filesystem::path tar_, file_, root_;
  bool are_numbered_, flushed_;
  JournalHeader header_;
  std::optional<Journal> journal_;
};

/// For a shard with --resume: whether all shards were merged, with the options of this run.
bool is_merged(const CommandLine& line, JpegEdges edges);

}  // namespace qturn
