// Records every call of a run that changes files in its folder.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "tests/faults/disk_states.hpp"
#include "tests/faults/system_calls.hpp"

namespace faults {

class Recorder {
 public:
  /// Begins with what is in the folder.
  explicit Recorder(std::filesystem::path folder);

  // To be called with the calls of a run.
  void enter(const SystemCall& call);
  void leave(const SystemCall& call, std::int64_t result);

  /// Throws if what is in the folder does not follow from the record.
  Record record() const;

 private:
  using Identity = std::pair<std::uint64_t, std::uint64_t>;  // device, inode

  Entry entry_of(const std::filesystem::path& path) const;
  Inode named(const Entry& entry) const;
  /// Of what the call uses.
  Inode used_by(const SystemCall& call) const;
  std::string path_of(const SystemCall& call) const;
  Inode add_node(const std::filesystem::path& path);
  void add(Operation operation);
  void write(const SystemCall& call, std::uint64_t length);
  void truncate(const SystemCall& call);
  void name(const SystemCall& call);
  void rename(const SystemCall& call);
  void flush(const SystemCall& call);

  std::filesystem::path folder_;
  Record record_;
  Disk now_;
  std::map<Identity, Inode> inodes_;
  std::map<pid_t, std::size_t> flushing_;  // by the thread: how many operations there were
};

}  // namespace faults
