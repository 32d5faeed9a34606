#include "tests/cli/program.hpp"

#include <fcntl.h>
#include <pty.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <thread>

#include "tests/fixtures/sources.hpp"

namespace cli {

namespace {

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

std::vector<std::string> Result::out_lines() const {
  std::vector<std::string> lines;
  std::istringstream stream(out);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string program() {
  const char* other = std::getenv("QTURN");
  return other ? other : QTURN_PROGRAM;
}

fs::path testdata() {
  const char* other = std::getenv("QTURN_TESTDATA");
  return other ? other : qturn::tests::sources() / "testdata";
}

bool Workplace::Running::wait_until_stopped() const {
  siginfo_t info = {};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WSTOPPED | WNOWAIT) == 0 &&
         info.si_code == CLD_STOPPED;
}

bool Workplace::Running::is_running() const {
  siginfo_t info = {};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0;
}

Result Workplace::Running::wait() const {
  Result result;
  int status = 0;
  struct rusage usage;
  if (::wait4(pid_, &status, 0, &usage) != pid_) throw std::runtime_error("wait4 failed");
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.max_resident_kib = usage.ru_maxrss;
  for (const timeval& time : {usage.ru_utime, usage.ru_stime})
    result.cpu_seconds += static_cast<double>(time.tv_sec) + 1e-6 * time.tv_usec;
  if (fs::is_regular_file(out_)) result.out = content_of(out_);  // not a pipe
  result.raw_err = content_of(err_);
  result.err =
      replaced(replaced(result.raw_err, "\nqturn: hint: ", "; "), "qturn: error: ", "qturn: ");
  return result;
}

Workplace::Running Workplace::start(Words arguments) const {
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
    ::setenv("XDG_STATE_HOME", (streams_.path() / "state").c_str(), 1);
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    ::execv(path.c_str(), words.data());
    ::_exit(127);
  }
  return {pid, out, err};
}

Result Workplace::on_terminal(Words words, unsigned short columns) const {
  const winsize size = {.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  const std::string path = program();
  words.insert(words.begin(), path);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int terminal = -1;
  const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (pid < 0) SKIP("this system lends no terminals");
  if (pid == 0) {
    if (::chdir(this->path().c_str()) != 0) ::_exit(126);
    ::setenv("TERM", "xterm", 1);
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    ::execv(path.c_str(), arguments.data());
    ::_exit(127);
  }
  std::thread waker([pid] {
    siginfo_t info = {};
    if (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WSTOPPED | WNOWAIT) != 0 ||
        info.si_code != CLD_STOPPED)
      return;
    ::usleep(300'000);
    ::kill(pid, SIGCONT);
  });
  Result result;
  char buffer[4096];
  for (ssize_t got; (got = ::read(terminal, buffer, sizeof buffer)) > 0;)
    result.out.append(buffer, static_cast<std::size_t>(got));
  ::close(terminal);
  waker.join();
  int status = 0;
  if (::waitpid(pid, &status, 0) != pid) throw std::runtime_error("waitpid failed");
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

Result Workplace::refused(const Words& words, const Says& says, Where where) const {
  const auto before = tree(".");
  const auto folders_before = folders();
  Result result = ended(2, words, says, where);
  INFO(where.file_name() << ":" << where.line() << ": " << result.err);
  CHECK(result.out.empty());
  CHECK(tree(".") == before);
  CHECK(folders() == folders_before);
  return result;
}

Result Workplace::ended(int exit_code, const Words& words, const Says& says,
                        const Where& where) const {
  Result result = qturn(words);
  INFO(where.file_name() << ":" << where.line() << ": " << result.err);
  CHECK(result.exit_code == exit_code);
  for (const std::string& part : says.parts) CHECK_THAT(result.err, ContainsSubstring(part));
  return result;
}

std::set<fs::path> Workplace::folders() const {
  std::set<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(path()))
    if (entry.is_directory()) found.insert(entry.path());
  return found;
}

Workplace::Environment Workplace::on_disturbed_disk(Environment how) {
  how.insert({{"LD_PRELOAD", QTURN_DISTURBED_DISK}, {"ASAN_OPTIONS", "verify_asan_link_order=0"}});
  return how;
}

void Workplace::signal_at(int number, const std::string& end) {
  environment = on_disturbed_disk(
      {{"QTURN_TEST_SIGNAL", std::to_string(number)}, {"QTURN_TEST_SIGNAL_AT", end}});
}

void Workplace::signal_before(int number, const std::string& end) {
  environment = on_disturbed_disk(
      {{"QTURN_TEST_SIGNAL", std::to_string(number)}, {"QTURN_TEST_SIGNAL_BEFORE", end}});
}

Result Workplace::signalled_at(int number, const std::string& end, const Words& words) {
  signal_at(number, end);
  Result result = qturn(words);
  environment.clear();
  return result;
}

Result Workplace::killed_at(int call, const Words& words) {
  environment = on_disturbed_disk({{"QTURN_TEST_KILL", std::to_string(call)}});
  Result result = qturn(words);
  environment.clear();
  return result;
}

void Workplace::signal_in_wait(int number) {
  environment = on_disturbed_disk(
      {{"QTURN_TEST_SIGNAL", std::to_string(number)}, {"QTURN_TEST_SIGNAL_IN_WAIT", "1"}});
}

std::set<std::string> Workplace::files(const fs::path& name) const {
  std::set<std::string> names;
  if (!exists(name)) return names;
  for (const auto& entry : fs::recursive_directory_iterator(path() / name))
    if (!entry.is_directory() && !entry.path().filename().string().starts_with(".qturn-journal") &&
        entry.path().filename() != ".qturn-lock")
      names.insert(entry.path().lexically_relative(path() / name).string());
  return names;
}

fs::path Workplace::run_in(const fs::path& backups) const {
  std::vector<fs::path> runs;
  for (const auto& entry : fs::directory_iterator(path() / backups))
    runs.push_back(entry.path().lexically_relative(path()));
  if (runs.size() != 1) throw std::runtime_error(std::to_string(runs.size()) + " runs");
  return runs.front();
}

std::set<std::pair<std::string, std::string>> Workplace::originals_in(
    const fs::path& backups) const {
  auto found = tree(run_in(backups));
  std::erase_if(found, [](const auto& file) { return file.first.starts_with("qturn-run"); });
  return found;
}

std::set<std::pair<std::string, std::string>> Workplace::tree(const fs::path& name) const {
  std::set<std::pair<std::string, std::string>> found;
  for (const std::string& file : files(name))
    found.emplace(file, fs::is_fifo(path() / name / file) ? "" : content(name / file));
  return found;
}

}  // namespace cli
