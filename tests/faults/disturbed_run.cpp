#include "tests/faults/disturbed_run.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <map>
#include <stdexcept>

#include "src/files/safe_file.hpp"
#include "tests/faults/two_programs.hpp"
#include "tests/fixtures/temporary_folder.hpp"

/// The program's own main(), compiled under this name. To start it by fork() takes a hundredth of
/// the time that the loader needs for the program and its libraries.
int qturn_main(int argc, char** argv);

namespace faults {
namespace {

namespace fs = std::filesystem;

constexpr unsigned longest_run_s = 20;

const std::map<std::string_view, std::map<std::string, int>> errors = {
    {"open",
     {{"EACCES", EACCES},
      {"EIO", EIO},
      {"EINTR", EINTR},
      {"EMFILE", EMFILE},
      {"ENOSPC", ENOSPC},
      {"ESTALE", ESTALE}}},
    {"close", {{"EIO", EIO}, {"EINTR", EINTR}, {"ENOSPC", ENOSPC}}},
    {"read", {{"EIO", EIO}, {"EINTR", EINTR}, {"ESTALE", ESTALE}}},
    {"getdents", {{"EIO", EIO}, {"ESTALE", ESTALE}}},
    {"write", {{"ENOSPC", ENOSPC}, {"EIO", EIO}, {"EINTR", EINTR}, {"ESTALE", ESTALE}}},
    {"fsync", {{"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EINTR", EINTR}, {"ESTALE", ESTALE}}},
    {"truncate", {{"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EINTR", EINTR}}},
    {"rename", {{"EACCES", EACCES}, {"EIO", EIO}, {"ENOSPC", ENOSPC}, {"ESTALE", ESTALE}}},
    {"link", {{"EACCES", EACCES}, {"EIO", EIO}, {"ENOSPC", ENOSPC}}},
    {"unlink", {{"EACCES", EACCES}, {"EIO", EIO}}},
    {"mkdir", {{"EACCES", EACCES}, {"EIO", EIO}, {"ENOSPC", ENOSPC}}},
    {"stat", {{"EACCES", EACCES}, {"EIO", EIO}, {"ESTALE", ESTALE}, {"ENOMEM", ENOMEM}}},
    {"access", {{"EACCES", EACCES}, {"EIO", EIO}}},
    {"readlink", {{"EACCES", EACCES}, {"EIO", EIO}}},
    {"chmod", {{"EPERM", EPERM}, {"EIO", EIO}}},
    {"chown", {{"EPERM", EPERM}, {"EIO", EIO}}},
    {"utimens", {{"EPERM", EPERM}, {"EIO", EIO}}},
    {"setxattr", {{"EPERM", EPERM}, {"ENOSPC", ENOSPC}}},
    {"getxattr", {{"EIO", EIO}}},
    {"listxattr", {{"EIO", EIO}}},
    {"lock", {{"EINTR", EINTR}, {"EIO", EIO}, {"ENOLCK", ENOLCK}}},
    {"mmap", {{"ENOMEM", ENOMEM}}},
    {"brk", {{"ENOMEM", ENOMEM}}},
    {"clone", {{"EAGAIN", EAGAIN}}},
};

// A sanitizer ends the program where there is no memory. The oneTBB that is built for it gives each
// suspended task a thread, and ends the program where there is none; else it gives it a stack.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool has_sanitizer = true;
#else
constexpr bool has_sanitizer = false;
#endif

/// What a client of NFS reports if the answer was lost: the server has done it already.
const std::map<std::string_view, std::map<std::string, int>> errors_of_done = {
    {"rename", {{"EIO", EIO}, {"ENOENT", ENOENT}, {"ETIMEDOUT", ETIMEDOUT}}},
    {"link", {{"EEXIST", EEXIST}, {"EIO", EIO}, {"ETIMEDOUT", ETIMEDOUT}}},
    {"unlink", {{"EIO", EIO}, {"ENOENT", ENOENT}}},
    {"mkdir", {{"EEXIST", EEXIST}, {"EIO", EIO}}},
};

bool is_memory(std::string_view name) { return name == "mmap" || name == "brk"; }

/// A file in memory that takes what the program writes, outside of the folder that is looked at.
class Stream {
 public:
  Stream() : file_(::memfd_create("stream", MFD_CLOEXEC)) {
    if (file_ < 0) throw std::runtime_error("no file in memory");
  }
  ~Stream() { ::close(file_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  void become(int number) const {
    if (::dup2(file_, number) < 0) ::_exit(126);
  }
  std::string content() const {
    std::string text;
    std::array<char, 4096> part;
    for (ssize_t got;
         (got = ::pread(file_, part.data(), part.size(), static_cast<off_t>(text.size()))) > 0;) {
      text.append(part.data(), static_cast<std::size_t>(got));
    }
    return text;
  }

 private:
  int file_;
};

[[noreturn]] void become_program(std::vector<std::string> words, const fs::path& folder,
                                 const Stream& out, const Stream& err, bool is_followed) {
  words.insert(words.begin(), "qturn");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  out.become(STDOUT_FILENO);
  err.become(STDERR_FILENO);
  constexpr struct rlimit no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (::chdir(folder.c_str()) != 0) ::_exit(126);
  if (is_followed)
    be_followed(longest_run_s);
  else
    ::alarm(longest_run_s);
  const int status = qturn_main(static_cast<int>(words.size()), argv.data());
  std::fflush(nullptr);
  ::_exit(status);  // the libraries' ends would wait for threads that fork() has not copied
}

/// `on_call` is empty: nobody follows it.
int run_to_end(pid_t child, const fs::path& folder, const OnCall& on_call,
               const OnReturn& on_return) {
  if (!on_call) {
    int status = 0;
    if (::waitpid(child, &status, 0) != child) throw std::runtime_error("waitpid failed");
    return status;
  }
  const auto in_folder = [&](const fs::path& path) {
    const fs::path relative = path.lexically_relative(folder);
    return relative.empty() || *relative.begin() == ".." ? fs::path() : relative;
  };
  const auto counts = [&](SystemCall& call) {
    const bool is_on_file = !call.path.empty();
    call.path = in_folder(call.path);
    call.to = in_folder(call.to);
    return !is_on_file || !call.path.empty() || !call.to.empty();
  };
  const auto call_in_folder = [&](SystemCall call) {
    if (!counts(call)) return Effect{};
    Effect effect = on_call(call);
    // So that a run takes no longer than its disk makes necessary.
    effect.is_skipped = effect.is_skipped || (call.name == "fsync" && effect.error == 0);
    return effect;
  };
  const auto return_in_folder = [&](SystemCall call, std::int64_t returned) {
    if (on_return && counts(call)) on_return(call, returned);
  };
  return follow(child, call_in_folder, return_in_folder);
}

bool is_journal(const Tree::value_type& file) {
  return file.first.ends_with(".qturn-journal") && !file.second.content.empty();
}

}  // namespace

Run run(const std::vector<std::string>& words, const fs::path& folder, const OnCall& on_call,
        const OnReturn& on_return) {
  const Stream out, err;
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) become_program(words, folder, out, err, static_cast<bool>(on_call));
  Run result;
  result.status = run_to_end(child, folder, on_call, on_return);
  result.err = err.content();
  result.after = read_tree(folder);
  return result;
}

bool is_own(const std::string& name) {
  const std::string file = fs::path(name).filename().string();
  return file.starts_with(".qturn-journal") || file == ".qturn-lock" ||
         qturn::is_temporary_name(file);
}

bool is_record(const std::string& name) {
  return fs::path(name).filename().string().starts_with("qturn-run");
}

std::optional<std::vector<std::string>> words_to_finish(const Scenario& scenario,
                                                        const Tree& after) {
  std::vector<std::string> words = scenario.words;
  const auto add = [&](const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  if (scenario.to_finish) return add(*scenario.to_finish);
  const bool is_resumed = std::erase(words, "--resume") > 0;
  if (std::ranges::any_of(after, is_journal)) return add({"--resume"});
  if (is_resumed) return {};
  for (const Tree* tree : {&scenario.before, &after}) {
    for (const auto& [name, file] : *tree) {
      const auto before = scenario.before.find(name), now = after.find(name);
      if (is_own(name) || is_record(name) || name == json_file) continue;
      if (before == scenario.before.end() || now == after.end()) return {};
      if (before->second.content != now->second.content) return {};
    }
  }
  return words;
}

std::vector<Fault> faults_of(std::string_view call) {
  if (has_sanitizer && (is_memory(call) || call == "clone")) return {};
  std::vector<Fault> all;
  for (const auto& [name, number] : errors.at(call)) all.push_back({name, {.error = number}});
  if (const auto done = errors_of_done.find(call); done != errors_of_done.end())
    for (const auto& [name, number] : done->second)
      all.push_back({name + ", yet done", {.error = number, .is_made = true}});
  if (call == "read" || call == "write") all.push_back({"short", {.is_short = true}});
  if (call == "write") all.push_back({"ENOSPC from now on", {.error = ENOSPC}, true});
  if (call == "clone") all.push_back({"EAGAIN from now on", {.error = EAGAIN}, true});
  if (is_memory(call)) {
    all.push_back({"ENOMEM from now on", {.error = ENOMEM}, true});
  } else {
    all.push_back({"SIGKILL", {.signal = SIGKILL}});
    all.push_back({"SIGINT", {.signal = SIGINT}});
  }
  return all;
}

Run undisturbed(const Scenario& scenario, const fs::path& folder) {
  write_tree(scenario.before, folder);
  std::vector<SystemCall> calls;
  Run result = run(scenario.words, folder, [&](const SystemCall& call) {
    calls.push_back(call);
    return Effect{};
  });
  result.calls = std::move(calls);
  return result;
}

Run undisturbed(const Scenario& scenario) {
  const TemporaryFolder folder;
  return undisturbed(scenario, folder.path());
}

std::vector<Place> places_of(const Run& whole) {
  std::map<std::string_view, std::size_t> counts;
  std::vector<Place> places;
  for (const SystemCall& call : whole.calls) places.push_back({call.name, counts[call.name]++});
  return places;
}

Run disturbed(const Scenario& scenario, const Place& place, const Fault& fault) {
  const TemporaryFolder folder;
  write_tree(scenario.before, folder.path());
  std::size_t number = 0;
  std::optional<SystemCall> struck;
  std::optional<OtherProgram> other;
  if (fault.act) other.emplace(*fault.act, folder.path());
  Deed deed;
  Run result = run(scenario.words, folder.path(), [&](const SystemCall& call) {
    const bool counts = call.name == place.call && (place.to.empty() || call.to == place.to);
    if (counts && number++ == place.number) {
      struck = call;
      if (other) deed = other->act(scenario, &call);
      return fault.effect;
    }
    const bool is_alike =
        call.name == place.call || (is_memory(call.name) && is_memory(place.call));
    return struck && fault.lasts && is_alike ? fault.effect : Effect{};
  });
  result.struck = std::move(struck);
  result.deed = std::move(deed);
  if (other) return result;
  // A run that failed in part is resumed too, once what made it fail is over.
  const bool is_resumable = !scenario.to_finish && std::ranges::any_of(result.after, is_journal);
  if (result.status != 0 && (fault.effect.signal != 0 || is_resumable)) {
    if (const auto words = words_to_finish(scenario, result.after)) {
      const Run next = run(*words, folder.path(), [](const SystemCall&) { return Effect{}; });
      result.next = {{next.status, next.err, next.after}};
    }
  }
  return result;
}

}  // namespace faults
