// From what the user names to a list of jobs: which files, where each result goes, and every reason
// not to start at all.
#ifndef QTURN_SRC_PLAN_JOBS_HPP
#define QTURN_SRC_PLAN_JOBS_HPP

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <qturn/orientation.hpp>

#include "src/formats/format.hpp"

namespace qturn {

/// Nothing can be started: the inputs or the output do not make sense together. The message says
/// what to do.
class PlanError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Existing : std::uint8_t { refuse, overwrite, skip, update };
enum class Others : std::uint8_t { count, copy };

struct PlanOptions {
  std::vector<std::filesystem::path> inputs;  ///< files and folders, as given
  std::vector<std::filesystem::path> listed;  ///< from --files-from, as written there
  std::filesystem::path output;               ///< empty: in place
  std::filesystem::path base;                 ///< --base
  std::vector<std::string> include,
      exclude;  ///< globs: matched against the key and against the file name
  bool hidden = false;
  bool follow = false;
  bool break_links = false;
  bool sidecars = false;  ///< --sidecars: the XMP files beside pictures are written too
  Others others = Others::count;
  Existing existing = Existing::refuse;
  std::optional<Format> format;  ///< --format
  std::vector<Orientation>
      variants;             ///< augment: outputs are named <stem>__<orientation><ext>; else empty
  int random_variants = 0;  ///< augment --random: so many of the eight, chosen by seed and key
  std::uint64_t seed = 0;
};

/// One output of a job. For a plain operation there is one, and `variant` is unused (identity).
struct JobOutput {
  std::filesystem::path path;
  Orientation variant = Orientation::identity;
};

/// One input file and what is to be made of it.
struct Job {
  std::filesystem::path input;
  std::string key;  ///< relative path with '/' between parts, the bytes of the file system
  std::uint64_t file_bytes = 0;
  std::optional<Format> target;  ///< the format to write; not set: the input's own
  std::vector<JobOutput> outputs;
  bool copy_verbatim = false;  ///< not a picture; --others copy
};

/// An output that was there already and is left alone (--skip-existing, --update).
struct Skipped {
  std::filesystem::path input, output;
  std::string key;
  Orientation variant = Orientation::identity;
  bool is_picture = true;
};

struct Plan {
  std::vector<Job> jobs;  ///< largest file first, ties by key
  std::vector<Skipped> skipped;
  std::map<std::string, std::uint64_t>
      others;  ///< what is no picture, counted by type (".txt", "no suffix")
  std::vector<std::string>
      unreadable;  ///< folders and entries that could not be looked into, with the reason
  std::filesystem::path output_folder;  ///< empty if the output is a file or in place
};

/// Looks at the file system and writes nothing. Which files are found and what their keys are says
/// find_files.hpp, where the results go outputs.hpp and sidecars.hpp. A file that was given twice
/// is one job.
///
/// Throws PlanError: a missing input, no picture at all, an output that exists, equals or lies
/// inside an input, two jobs with one output, a hard link in place...
Plan plan(const PlanOptions& options);

}  // namespace qturn

#endif  // QTURN_SRC_PLAN_JOBS_HPP
