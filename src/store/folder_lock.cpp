#include "src/store/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "src/store/file_descriptor.hpp"
#include "src/store/json_names.hpp"
#include "src/store/safe_file.hpp"

namespace qturn {
namespace {

namespace fs = std::filesystem;

struct Holder {
  std::string host;  ///< with the container, in which process numbers mean something
  std::string boot;  ///< changes when the host boots
  long process = 0;
  std::string started;   ///< in ticks after the boot; empty: there is no such process
  std::string job = {};  ///< of Slurm; or empty
  long attempt = 0;      ///< how often Slurm has put the job back into its queue

  bool operator==(const Holder&) const = default;
};

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string start_of(long process) {
  // The second field is the name of the program in brackets, with any characters.
  const std::string stat = first_line(fmt::format("/proc/{}/stat", process));
  const std::size_t name_end = stat.rfind(')');
  if (name_end == stat.npos) return {};
  constexpr int spaces_before = 20;
  std::size_t at = name_end;
  for (int space = 0; space < spaces_before && at != stat.npos; ++space)
    at = stat.find(' ', at + 1);
  if (at == stat.npos) return {};
  const std::size_t begin = at + 1;
  return stat.substr(begin, stat.find(' ', begin) - begin);
}

/// "CLUSTER JOB" of the Slurm job that this process belongs to; or empty.
std::string slurm_job() {
  const char* job = std::getenv("SLURM_JOB_ID");
  const char* cluster = std::getenv("SLURM_CLUSTER_NAME");
  return job ? fmt::format("{} {}", cluster ? cluster : "", job) : "";
}

Holder this_process() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  std::error_code ignored;
  const fs::path container = fs::read_symlink("/proc/self/ns/pid", ignored);
  const long process = ::getpid();
  const char* attempt = std::getenv("SLURM_RESTART_COUNT");  // not set at the first
  return {fmt::format("{} {}", name, container.string()),
          first_line("/proc/sys/kernel/random/boot_id"),
          process,
          start_of(process),
          slurm_job(),
          attempt ? std::strtol(attempt, nullptr, 10) : 0};
}

std::string text_of(const Holder& holder) {
  Json json;
  put_name(json, "host", holder.host);
  json["boot"] = holder.boot;
  json["process"] = holder.process;
  json["started"] = holder.started;
  if (!holder.job.empty()) {
    json["job"] = holder.job;
    json["attempt"] = holder.attempt;
  }
  return dump(json) + "\n";
}

std::optional<Holder> holder_in(const std::string& text) try {
  const Json json = Json::parse(text);
  return Holder{get_name(json, "host"),         json.at("boot").get<std::string>(),
                json.at("process").get<long>(), json.at("started").get<std::string>(),
                json.value("job", ""),          json.value("attempt", 0L)};
} catch (const std::exception&) {
  return std::nullopt;
}

std::string content_of(int file) {
  std::string text(4096, '\0');
  const ssize_t length = ::pread(file, text.data(), text.size(), 0);
  text.resize(length < 0 ? 0 : static_cast<std::size_t>(length));
  return text;
}

[[noreturn]] void refuse(const fs::path& lock, const std::optional<Holder>& holder) {
  const fs::path folder = lock.parent_path();
  if (holder && holder->host == this_process().host) {
    throw FileError(fmt::format("{}: another qturn (process {}) works here; wait for its end",
                                folder.string(), holder->process),
                    lock, {});
  }
  throw FileError(
      fmt::format("{}: another qturn ({}) works here, or was killed; if it does not run any more, "
                  "remove {}",
                  folder.string(),
                  holder ? fmt::format("process {} on {}", holder->process, holder->host)
                         : "of which nothing is known",
                  lock.string()),
      lock, {});
}

bool is_stale(const Holder& holder) {
  const Holder own = this_process();
  if (!own.job.empty() && holder.job == own.job && holder.attempt < own.attempt) return true;
  if (holder.host != own.host) return false;
  return holder.boot != own.boot || holder.started != start_of(holder.process);
}

/// Removes the lock if nobody holds it; throws FileError if somebody does. Of several processes
/// that find it stale, one removes it: the one that has it locked while it still has its name.
void remove_stale(const fs::path& lock) {
  const FileDescriptor file(::open(lock.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return;  // it is gone, or the next attempt to make one says why not
  struct stat opened, named;
  ::flock(file.get(), LOCK_EX);
  if (::fstat(file.get(), &opened) != 0 || ::lstat(lock.c_str(), &named) != 0 ||
      opened.st_ino != named.st_ino || opened.st_dev != named.st_dev) {
    return;
  }
  const std::optional<Holder> holder = holder_in(content_of(file.get()));
  if (!holder || !is_stale(*holder)) refuse(lock, holder);
  ::unlink(lock.c_str());
}

/// Makes the lock with its content, all at once. Returns false if there is one. A kill leaves
/// nothing where the file system has files without names.
bool make(const fs::path& lock, const std::string& text) {
  const std::span bytes = std::as_bytes(std::span(text));
  const FileDescriptor file(
      ::open(lock.parent_path().c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644));
  if (file && write_all(file.get(), bytes)) {
    const std::string name = fmt::format("/proc/self/fd/{}", file.get());
    if (::linkat(AT_FDCWD, name.c_str(), AT_FDCWD, lock.c_str(), AT_SYMLINK_FOLLOW) == 0)
      return true;
    if (errno == EEXIST) return false;
  }
  try {
    write_file(lock, bytes, {}, IfExists::fail);
    return true;
  } catch (const FileError& error) {
    if (error.code().value() != EEXIST) throw;
    return false;
  }
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder) {
  const fs::path lock = folder / lock_name;
  while (!make(lock, text_of(this_process()))) remove_stale(lock);
  file_ = lock;
}

FolderLock::~FolderLock() {
  if (!file_.empty()) ::unlink(file_.c_str());
}

FolderLock::FolderLock(FolderLock&& other) noexcept : file_(std::exchange(other.file_, {})) {}

}  // namespace qturn
