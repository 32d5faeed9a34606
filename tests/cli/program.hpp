// The fixture of these tests. Each case has a folder of its own, a Workplace. It runs the built
// program there as a user would, with arguments, an environment and perhaps a standard input, and
// tells what came of it:
//
//   TEST_CASE_METHOD(Workplace, "A picture is turned") {
//     add("in/a.png", png(random_picture(4, 3)));
//     done({"cw", "in", "-o", "out"});
//     CHECK(files("out") == Names{"a.png"});
//   }
#pragma once

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <set>
#include <source_location>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/fixtures/journal_text.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace cli {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using Names = std::set<std::string>;
using Words = std::vector<std::string>;

inline Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Parts of messages.
struct Says {
  Says() = default;
  Says(const char* part) : parts{part} {}
  Says(const std::string& part) : parts{part} {}
  Says(std::initializer_list<std::string> several) : parts(several) {}

  std::vector<std::string> parts;
};

struct Result {
  int exit_code = -1;  ///< 128 + the signal's number if one ended it
  std::string out;
  std::string err;  ///< a message in a line each: hints after what they are for, without "error: "
  std::string raw_err;  ///< as it was written
  long max_resident_kib = 0;
  double cpu_seconds = 0;

  std::vector<std::string> out_lines() const;
};

/// The program under test: the one that was built with the tests, or the one that the environment
/// variable QTURN names, so that the tests of a bundle run its program.
std::string program();

/// The folder testdata/, or where the environment variable QTURN_TESTDATA says it is.
fs::path testdata();

/// A folder for one test, in which the program runs.
class Workplace : public TemporaryFolder {
 public:
  using Environment = std::map<std::string, std::string>;

  /// The program, started and not yet waited for.
  class Running {
   public:
    Running(pid_t pid, fs::path out, fs::path err)
        : pid_(pid), out_(std::move(out)), err_(std::move(err)) {}

    void signal(int number) const { ::kill(pid_, number); }

    /// Until a signal has stopped it; false if it ended before.
    bool wait_until_stopped() const;
    bool is_running() const;
    Result wait() const;

   private:
    pid_t pid_;
    fs::path out_, err_;
  };

  /// What the program reads from its standard input; nothing unless set.
  std::string standard_input;
  /// Pipes that take the places of standard input and output; or empty.
  fs::path input_pipe, output_pipe;
  /// Without root's right to read and write every file, which CI containers have and users do not.
  bool without_privileges = false;
  /// 1 or 2: standard output or error, which then takes nothing.
  int full_stream = 0;
  /// 1 or 2: standard output or error, which then is closed.
  int closed_stream = 0;
  /// Added to the environment.
  Environment environment;
  /// Bytes of the largest file that may be written; 0: any.
  rlim_t largest_file = 0;

  Running start(Words arguments) const;
  Result qturn(Words words) const { return start(std::move(words)).wait(); }
  /// What a terminal of so many columns shows, as `out`. Where a signal stops the run, it goes on
  /// after 300 ms. Skips the test on a system that lends no terminals.
  Result on_terminal(Words words, unsigned short columns) const;

  using Where = std::source_location;
  /// Runs it, and checks its status and that its messages hold what it `says`: all is done.
  Result done(const Words& words, const Says& says = {}, Where where = Where::current()) const {
    return ended(0, words, says, where);
  }
  /// The same: some failed, the others are done.
  Result failed(const Words& words, const Says& says = {}, Where where = Where::current()) const {
    return ended(1, words, says, where);
  }
  /// The same: nothing was started, and what lay there is as it was, folders too.
  Result refused(const Words& words, const Says& says = {}, Where where = Where::current()) const;

  /// For `environment`: runs meet what `how` says, on the disk of disturbed_disk.cpp.
  static Environment on_disturbed_disk(Environment how);

  /// The next runs get signal `number` as soon as a file is in its place whose name ends in `end`.
  void signal_at(int number, const std::string& end);
  /// The same, right before the file is put into its place.
  void signal_before(int number, const std::string& end);
  /// One run with such a signal, and one that is killed at this call of those that change the disk.
  Result signalled_at(int number, const std::string& end, const Words& words);
  Result killed_at(int call, const Words& words);
  /// They get it while they wait for the other end of a pipe.
  void signal_in_wait(int number);

  /// Waits for the running program to get somewhere; throws after a minute.
  template <class Condition>
  static void wait_until(Condition condition) {
    for (int tries = 0; !condition(); ++tries) {
      if (tries == 60'000) throw std::runtime_error("the program does not get there");
      ::usleep(1000);
    }
  }

  bool exists(const fs::path& name) const { return fs::exists(fs::symlink_status(path() / name)); }
  std::string content(const fs::path& name) const { return content_of(path() / name); }

  /// The files below `name`, relative to it, without folders, and without the journal and the lock
  /// that a run has while it lasts and may leave (exists() tells of them).
  std::set<std::string> files(const fs::path& name) const;

  /// Where the records of runs lie that are done.
  fs::path records() const { return streams_.path() / "state/qturn"; }

  /// Whether it holds the journal of a run that is not done. One in place that --resume has
  /// completed leaves a journal that says so.
  bool has_open_journal(const fs::path& folder) const {
    const fs::path journal = folder / ".qturn-journal";
    return exists(journal) && !is_ended_journal(content(journal));
  }

  /// The folder of the only run that has kept originals in `backups`.
  fs::path run_in(const fs::path& backups) const;
  /// The originals that it has kept.
  std::set<std::pair<std::string, std::string>> originals_in(const fs::path& backups) const;

  /// Every file with its content: what a test compares when nothing, or the same, must be there.
  /// Of a pipe the name alone.
  std::set<std::pair<std::string, std::string>> tree(const fs::path& name) const;

 private:
  Result ended(int exit_code, const Words& words, const Says& says, const Where& where) const;
  std::set<fs::path> folders() const;

  TemporaryFolder streams_;
};

}  // namespace cli
