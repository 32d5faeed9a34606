// Makes a list of jobs from the user's options: which files are turned, where each result goes, and
// every reason not to start.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "src/companions/leftovers.hpp"
#include "src/files/real_places.hpp"
#include "src/files/tar/input.hpp"
#include "src/inputs/options.hpp"
#include "src/plan/jobs.hpp"
#include "src/sample/sidecars.hpp"

namespace qturn {

struct Plan {
  JobList jobs;
  std::map<std::string, std::uint64_t>
      others;  ///< files that are not pictures, counted by type (".txt", "no suffix")
  std::vector<Sentence>
      unreadable;  ///< folders and entries that could not be looked into, with the reason
  std::vector<std::filesystem::path> journals;       ///< in the input folders and below
  std::set<std::filesystem::path> with_temporaries;  ///< as FoundFiles::with_temporaries
  std::filesystem::path output_folder;               ///< empty if the output is a file or in place
  RealPlaces places;                                 ///< of the results
  std::shared_ptr<SharedStems> shared_stems;         ///< as FoundFiles::shared_stems; or null
  Leftovers leftovers;                               ///< what would be left untrue
  std::shared_ptr<const TarFiles> tar;               ///< if the files lie in one; else null
};

/// Looks at the file system and writes nothing. inputs/find_files.hpp says which files are found
/// and what their keys are; places.hpp says where the results go. A file that was given twice is
/// one job.
///
/// Throws PlanError: a missing input, no picture at all, an output that exists, equals or lies
/// inside an input, two jobs with one output, a hard link in place...
Plan plan(const PlanOptions& options);

}  // namespace qturn
