// One run of a scenario, with a fault at one of its system calls.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/faults/scenarios.hpp"
#include "tests/faults/system_calls.hpp"
#include "tests/faults/tree.hpp"

namespace faults {

/// What another program does to a file, or to a folder (two_programs.hpp).
struct Act {
  enum class Kind : std::uint8_t {
    save,       ///< truncates it and writes
    save_late,  ///< the same, of a file that it has had open since before the run
    replace,    ///< renames its own file over it
    hard_link,
    symbolic_link,
    move,
    remove,
    move_folder,  ///< and puts a link to another one in its place
    qturn,        ///< the same command
  };
  Kind kind;
  std::string name;
};
/// The name that stands for the temporary that the struck call is about.
inline constexpr char a_temporary[] = "a temporary";

/// What it has done.
struct Deed {
  std::string place = {};                   ///< where its work is; empty: it found nothing to do
  std::optional<std::string> content = {};  ///< of its work, unless that is that nothing is there
  std::optional<int> second = {};           ///< the status of the second qturn
};

struct Fault {
  std::string name;
  Effect effect = {};
  bool lasts = false;  ///< all later calls of that name fail, too
  std::optional<Act> act = {};
};

/// What may happen to a call of this name.
std::vector<Fault> faults_of(std::string_view call);

struct Run {
  int status = 0;  ///< as waitpid() says it
  std::string err;
  Tree after;
  /// Those on files in the run's folder, for memory and for threads. Their paths are relative.
  std::vector<SystemCall> calls;
  std::optional<SystemCall> struck;
  Deed deed;  ///< of another program

  struct Next {
    int status;
    std::string err;
    Tree after;
  };
  std::optional<Next> next;  ///< the run that is to finish one that was ended or failed in part
};

/// Runs the program in the folder. The calls have relative paths; those on other files do not
/// count. `on_call` is empty: nobody follows it.
Run run(const std::vector<std::string>& words, const std::filesystem::path& folder,
        const OnCall& on_call = {}, const OnReturn& on_return = {});

/// Of the run that is to finish another one; nothing, if that has no journal and yet has changed
/// files: then it must be complete.
std::optional<std::vector<std::string>> words_to_finish(const Scenario& scenario,
                                                        const Tree& after);

/// What a user calls the file: of a temporary, the file that it was to become.
std::string user_name_of(const std::filesystem::path& path);
/// What a run has for its own purposes while it lasts: a temporary, a journal, a lock.
bool is_own(const std::string& name);
/// What it writes of itself beside the originals that it keeps: no two are alike.
bool is_record(const std::string& name);

/// In this folder, which is empty, or in one of its own.
Run undisturbed(const Scenario& scenario, const std::filesystem::path& folder);
Run undisturbed(const Scenario& scenario);

/// Where a fault strikes: the calls of each name are counted from 0. Threads take turns, so the
/// same number may be a call for another file in the next run.
struct Place {
  std::string_view call;
  std::size_t number = 0;
  std::filesystem::path to = {};  ///< if not empty, only calls that rename or link to it count
};
std::vector<Place> places_of(const Run& whole);

Run disturbed(const Scenario& scenario, const Place& place, const Fault& fault);

}  // namespace faults
