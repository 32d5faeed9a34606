// What the user typed, as plain values. parse() fills it in, as the table of options says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/files/group_commit.hpp"
#include "src/files/temporary.hpp"
#include "src/plan/jobs.hpp"
#include "src/sample/label_turn.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {

/// What the user typed. Each value is checked, but not yet against the file system.
struct CommandLine {
  enum class Command : std::uint8_t { turn, augment, merge, check, restore, devices };
  Command command = Command::turn;
  Orientation orientation = Orientation::identity;  ///< turn: identity is `upright`

  std::vector<std::string> inputs;
  std::string files_from;  ///< a file; "-" for standard input; empty if not given
  std::string output;
  bool nul_separated = false;
  bool in_place = false;
  bool tag_only = false, salvage = false, strict = false, sidecars = false,
       allow_storage_change = false, allow_stale_metadata = false;
  std::string base;
  std::vector<std::string> include, exclude;
  std::uint64_t tar_bytes = 0;  ///< of --tar-size, or 0
  bool unpack = false;
  bool hidden = false, raw = false, follow = false, break_links = false;
  bool resume = false, restart = false, no_record = false;
  bool begins_resumable = false;  ///< --resume, but there was nothing to go on with
  std::string backup;             ///< a folder, or empty; of restore, or that of a run in it
  std::string to;                 ///< of restore: the folder that was turned, now; or empty
  std::optional<bool> verify;     ///< not set: in place
  std::optional<Fsync> fsync;     ///< not set: `each` in place, `end` to a folder
  Others others = Others::stop;
  Believe believe = Believe::neither;
  Existing existing = Existing::refuse;
  std::optional<int> quality;  ///< of a lossy `format`
  JpegMode jpeg = JpegMode::lossless;
  std::optional<PngMode> png;           ///< not set: see png_mode()
  std::optional<JpegEdges> jpeg_edges;  ///< not set: the default, which depends on the operation
  const Codec* format = nullptr;        ///< null: the input's own

  std::string variants;  ///< all, rotations or a list
  int random = 0;
  std::optional<Shard> shard;     ///< augment: one of several runs
  std::string shard_variables;    ///< of the environment that say which; or empty
  std::optional<int> local_rank;  ///< among several processes on this machine
  std::uint64_t seed = 0;
  DrawGroup group = {};
  LabelOptions labels = {.take = TakeLabels::found};
  std::optional<MaskOptions> masks;  ///< not set: as --labels none says

  std::string device = "auto";
  int threads = 0;  ///< 0: one per core
  std::uint64_t memory_bytes = 0;
  Limits limits;
  double seconds = 600;  ///< as RunOptions
  bool dry_run = false;
  bool shard_is_auto = false;  ///< the environment says which
  bool quick = false;          ///< check: without the pixels
  bool check_labels = false;
  std::string against;  ///< check: a folder of originals, or empty
  bool json = false;
  bool quiet = false, verbose = false;
  int progress_seconds = 0;  ///< between lines of progress in a log; 0: none
  LabelsDrawnOn labels_drawn_on = LabelsDrawnOn::unknown;
  std::string json_file;  ///< empty: standard output
  std::string html_file;  ///< empty: no page

  /// Whether files about all pictures take the place of older ones. Shards write no such files: a
  /// merge does, when all are complete.
  IfExists if_shared_files_exist() const {
    return !shard && (existing != Existing::refuse || resume) ? IfExists::replace : IfExists::fail;
  }

  /// What --masks says, or else --labels.
  MaskOptions mask_options() const {
    return masks.value_or(MaskOptions{.take = labels.take != TakeLabels::none});
  }

  bool verifies() const { return verify.value_or(in_place); }

  /// What --png says, or the operation's default: a data set can be made again, so it need not be
  /// small.
  PngMode png_mode() const {
    return png.value_or(command == Command::augment ? PngMode::fast : PngMode::small);
  }
};

}  // namespace qturn
