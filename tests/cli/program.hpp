// The fixture of these tests. Each case has a folder of its own, a Workplace. It runs the built
// program there as a user would, with arguments, an environment and perhaps a standard input, and
// tells what came of it:
//
//   TEST_CASE_METHOD(Workplace, "A picture is turned") {
//     add("in/a.png", png(random_picture(4, 3)));
//     done({"cw", "in", "-o", "out"});
//     CHECK(files("out") == Names{"a.png"});
//   }
#ifndef QTURN_TESTS_CLI_PROGRAM_HPP
#define QTURN_TESTS_CLI_PROGRAM_HPP

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <source_location>
#include <sstream>
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

struct Result {
  int exit_code = -1;  ///< 128 + the signal's number if one ended it
  std::string out, err;
  long max_resident_kib = 0;
  double cpu_seconds = 0;

  std::vector<std::string> out_lines() const {
    std::vector<std::string> lines;
    std::istringstream stream(out);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }
};

/// The program under test: the one that was built with the tests, or the one that the environment
/// variable QTURN names, so that the tests of a bundle run its program.
inline std::string program() {
  const char* other = std::getenv("QTURN");
  return other ? other : QTURN_PROGRAM;
}

/// The folder testdata/, or where the environment variable QTURN_TESTDATA says it is.
inline fs::path testdata() {
  const char* other = std::getenv("QTURN_TESTDATA");
  return other ? other : QTURN_TESTDATA;
}

/// A folder for one test, in which the program runs.
class Workplace : public TemporaryFolder {
 public:
  /// The program, started and not yet waited for.
  class Running {
   public:
    Running(pid_t pid, fs::path out, fs::path err)
        : pid_(pid), out_(std::move(out)), err_(std::move(err)) {}

    void signal(int number) const { ::kill(pid_, number); }

    /// Until a signal has stopped it; false if it ended before.
    bool wait_until_stopped() const {
      siginfo_t info = {};
      return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WSTOPPED | WNOWAIT) == 0 &&
             info.si_code == CLD_STOPPED;
    }

    bool is_running() const {
      siginfo_t info = {};
      return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
             info.si_pid == 0;
    }

    Result wait() const {
      Result result;
      int status = 0;
      struct rusage usage;
      if (::wait4(pid_, &status, 0, &usage) != pid_) throw std::runtime_error("wait4 failed");
      result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      result.max_resident_kib = usage.ru_maxrss;
      for (const timeval& time : {usage.ru_utime, usage.ru_stime})
        result.cpu_seconds += static_cast<double>(time.tv_sec) + 1e-6 * time.tv_usec;
      if (fs::is_regular_file(out_)) result.out = content_of(out_);  // not a pipe
      result.err = content_of(err_);
      return result;
    }

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
  std::map<std::string, std::string> environment;
  /// Bytes of the largest file that may be written; 0: any.
  rlim_t largest_file = 0;

  Running start(Words arguments) const {
    const fs::path in = input_pipe.empty() ? streams_.add("in", standard_input) : input_pipe;
    const fs::path out = output_pipe.empty() ? streams_.path() / "out" : output_pipe;
    const fs::path err = streams_.path() / "err";
    const std::string path = program();
    arguments.insert(arguments.begin(), path);
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    const bool drop = without_privileges;
    const int full = full_stream, closed = closed_stream;
    const rlim_t largest = largest_file;

    const pid_t pid = ::fork();
    if (pid < 0) throw std::runtime_error("fork failed");
    if (pid == 0) {
      const auto open_as = [](int number, const fs::path& name, int flags) {
        const int file = ::open(name.c_str(), flags, 0600);
        if (file < 0 || ::dup2(file, number) < 0) ::_exit(126);
      };
      open_as(0, in, O_RDONLY);
      open_as(1, out, O_WRONLY | O_CREAT | O_TRUNC);
      open_as(2, err, O_WRONLY | O_CREAT | O_TRUNC);
      if (full != 0) open_as(full, "/dev/full", O_WRONLY);
      if (closed != 0) ::close(closed);
      const struct rlimit limit = {largest, largest};
      if (largest != 0 && ::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(126);
      if (drop) {
        constexpr int dac_override = 1, dac_read_search = 2;
        ::prctl(PR_CAPBSET_DROP, dac_override, 0, 0, 0);
        ::prctl(PR_CAPBSET_DROP, dac_read_search, 0, 0, 0);
      }
      if (::chdir(this->path().c_str()) != 0) ::_exit(126);
      for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
      ::execv(path.c_str(), words.data());
      ::_exit(127);
    }
    return {pid, out, err};
  }

  Result qturn(Words words) const { return start(std::move(words)).wait(); }

  using Where = std::source_location;
  /// Runs it, and checks its status: all is done.
  Result done(const Words& words, Where where = Where::current()) const {
    return ended(0, words, where);
  }
  /// Some failed, the others are done.
  Result failed(const Words& words, Where where = Where::current()) const {
    return ended(1, words, where);
  }
  /// Nothing was started: what lay there is as it was.
  Result refused(const Words& words, Where where = Where::current()) const {
    const auto before = tree(".");
    Result result = ended(2, words, where);
    CHECK(result.out.empty());
    CHECK(tree(".") == before);
    return result;
  }

  /// The next runs get signal `number` as soon as a file is in its place whose name ends in `end`.
  /// `disk` is the library that QTURN_DISTURBED_DISK names.
  void signal_at(int number, const std::string& end, const char* disk) {
    environment = {{"LD_PRELOAD", disk},
                   {"ASAN_OPTIONS", "verify_asan_link_order=0"},
                   {"QTURN_TEST_SIGNAL", std::to_string(number)},
                   {"QTURN_TEST_SIGNAL_AT", end}};
  }
  /// The same, right before the file is put into its place.
  void signal_before(int number, const std::string& end, const char* disk) {
    signal_at(number, end, disk);
    environment["QTURN_TEST_SIGNAL_BEFORE"] = environment.extract("QTURN_TEST_SIGNAL_AT").mapped();
  }

  /// They get it while they wait for the other end of a pipe.
  void signal_in_wait(int number, const char* disk) {
    environment = {{"LD_PRELOAD", disk},
                   {"ASAN_OPTIONS", "verify_asan_link_order=0"},
                   {"QTURN_TEST_SIGNAL", std::to_string(number)},
                   {"QTURN_TEST_SIGNAL_IN_WAIT", "1"}};
  }

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
  std::set<std::string> files(const fs::path& name) const {
    std::set<std::string> names;
    if (!exists(name)) return names;
    for (const auto& entry : fs::recursive_directory_iterator(path() / name))
      if (!entry.is_directory() && entry.path().filename() != ".qturn-journal" &&
          entry.path().filename() != ".qturn-lock")
        names.insert(entry.path().lexically_relative(path() / name).string());
    return names;
  }

  /// Whether it holds the journal of a run that is not done. One in place that --resume has
  /// completed leaves a journal that says so.
  bool has_open_journal(const fs::path& folder) const {
    const fs::path journal = folder / ".qturn-journal";
    return exists(journal) && !is_ended_journal(content(journal));
  }

  /// The folder of the only run that has kept originals in `backups`.
  fs::path run_in(const fs::path& backups) const {
    std::vector<fs::path> runs;
    for (const auto& entry : fs::directory_iterator(path() / backups))
      runs.push_back(entry.path().lexically_relative(path()));
    if (runs.size() != 1) throw std::runtime_error(std::to_string(runs.size()) + " runs");
    return runs.front();
  }
  /// The originals that it has kept.
  std::set<std::pair<std::string, std::string>> originals_in(const fs::path& backups) const {
    auto found = tree(run_in(backups));
    std::erase_if(found, [](const auto& file) { return file.first == "qturn-run.jsonl"; });
    return found;
  }

  /// Every file with its content: what a test compares when nothing, or the same, must be there.
  /// Of a pipe the name alone.
  std::set<std::pair<std::string, std::string>> tree(const fs::path& name) const {
    std::set<std::pair<std::string, std::string>> found;
    for (const std::string& file : files(name))
      found.emplace(file, fs::is_fifo(path() / name / file) ? "" : content(name / file));
    return found;
  }

 private:
  Result ended(int exit_code, const Words& words, const Where& where) const {
    Result result = qturn(words);
    INFO(where.file_name() << ":" << where.line() << ": " << result.err);
    CHECK(result.exit_code == exit_code);
    return result;
  }

  TemporaryFolder streams_;
};

}  // namespace cli

#endif  // QTURN_TESTS_CLI_PROGRAM_HPP
