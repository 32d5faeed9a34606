#include "tests/faults/disk_record.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "src/files/file_descriptor.hpp"

namespace faults {
namespace {

namespace fs = std::filesystem;
using Kind = Operation::Kind;

/// Of a file or, through its descriptor, of one that has no name any more.
File read_file(const fs::path& path) {
  File file;
  std::ifstream in(path, std::ios::binary);
  file.content.assign(std::istreambuf_iterator<char>(in), {});
  read_attributes(path, file);
  return file;
}

std::uint64_t position(const SystemCall& call, int file) {
  std::ifstream in("/proc/" + std::to_string(call.thread) + "/fdinfo/" + std::to_string(file));
  std::string word;
  std::uint64_t at = 0;
  if (!(in >> word >> at) || word != "pos:") throw std::runtime_error("a file has no position");
  return at;
}

}  // namespace

Recorder::Recorder(fs::path folder) : folder_(std::move(folder)) {
  const auto identify = [&](const fs::path& path, Inode inode) {
    struct stat status;
    if (::stat(path.c_str(), &status) != 0) throw std::runtime_error("no " + path.string());
    return inodes_.try_emplace({status.st_dev, status.st_ino}, inode).first->second;
  };
  identify(folder_, Disk::root);
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    const Entry place = entry_of(entry.path().lexically_relative(folder_));
    const Inode inode = identify(entry.path(), now_.nodes.size() + 1);
    Node& node = now_.nodes[inode];
    node.is_folder = entry.is_directory();
    if (!node.is_folder) node.file = read_file(entry.path());
    now_.nodes[place.folder].names[place.name] = inode;
  }
  record_.before = now_;
}

Entry Recorder::entry_of(const fs::path& path) const {
  Inode folder = Disk::root;
  for (const fs::path& part : path.parent_path())
    if (part != ".") folder = named({folder, part});
  return {folder, path.filename()};
}

Inode Recorder::named(const Entry& entry) const {
  const auto folder = now_.nodes.find(entry.folder);
  if (folder == now_.nodes.end()) return 0;
  const auto found = folder->second.names.find(entry.name);
  return found == folder->second.names.end() ? 0 : found->second;
}

std::string Recorder::path_of(const SystemCall& call) const {
  if (call.file < 0) return folder_ / call.path;
  return "/proc/" + std::to_string(call.thread) + "/fd/" + std::to_string(call.file);
}

Inode Recorder::used_by(const SystemCall& call) const {
  struct stat status;
  if (::stat(path_of(call).c_str(), &status) != 0) return 0;
  const auto found = inodes_.find({status.st_dev, status.st_ino});
  return found == inodes_.end() ? 0 : found->second;
}

Inode Recorder::add_node(const fs::path& path) {
  struct stat status;
  if (::stat((folder_ / path).c_str(), &status) != 0)
    throw std::runtime_error(path.string() + " is gone");
  Node node{.is_folder = S_ISDIR(status.st_mode)};
  if (!node.is_folder) {
    node.file = read_file(folder_ / path);
    node.file.content.clear();
  }
  const Inode inode = record_.before.nodes.size() + 1;
  record_.before.nodes[inode] = now_.nodes[inode] = node;
  return inodes_[{status.st_dev, status.st_ino}] = inode;
}

void Recorder::add(Operation operation) {
  apply(operation, Fate::kept, now_);
  record_.operations.push_back(std::move(operation));
}

void Recorder::write(const SystemCall& call, std::uint64_t length) {
  if (length == 0) return;
  const bool has_offset = call.number == SYS_pwrite64 || call.number == SYS_pwritev;
  const std::uint64_t offset = has_offset ? call.arguments[3] : position(call, call.file) - length;
  std::string data(length, '\0');
  const qturn::FileDescriptor file(::open(path_of(call).c_str(), O_RDONLY | O_CLOEXEC));
  if (::pread(file.get(), data.data(), length, static_cast<off_t>(offset)) !=
      static_cast<ssize_t>(length))
    throw std::runtime_error("cannot read what was written to " + call.path.string());
  add({.kind = Kind::write, .inode = used_by(call), .offset = offset, .data = std::move(data)});
}

void Recorder::truncate(const SystemCall& call) {
  const Inode inode = used_by(call);
  struct stat status;
  if (::stat(path_of(call).c_str(), &status) != 0) throw std::runtime_error("a file is gone");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (now_.nodes[inode].file.content.size() != size)
    add({.kind = Kind::truncate, .inode = inode, .offset = size});
}

void Recorder::name(const SystemCall& call) {
  const bool is_link = call.name == "link";
  const Entry entry = entry_of(is_link ? call.to : call.path);
  if (named(entry) == 0) {
    const Inode inode = is_link ? named(entry_of(call.path)) : add_node(call.path);
    add({.kind = Kind::name, .inode = inode, .to = entry});
  } else if (call.name == "open") {
    truncate(call);
  }
}

void Recorder::rename(const SystemCall& call) {
  const Entry from = entry_of(call.path), to = entry_of(call.to);
  const bool is_exchange =
      call.number == SYS_renameat2 && (call.arguments[4] & RENAME_EXCHANGE) != 0;
  add({.kind = Kind::rename,
       .inode = named(from),
       .to = to,
       .from = from,
       .other = is_exchange ? named(to) : 0,
       .replaces = !is_exchange && named(to) != 0});
}

void Recorder::flush(const SystemCall& call) {
  const bool is_of_all = call.number == SYS_syncfs;
  const Inode inode = is_of_all ? 0 : used_by(call);
  if (is_of_all || inode != 0)
    add({.kind = Kind::flush, .inode = inode, .flushed = flushing_[call.thread]});
}

void Recorder::enter(const SystemCall& call) {
  if (call.name == "fsync") flushing_[call.thread] = record_.operations.size();
}

void Recorder::leave(const SystemCall& call, std::int64_t result) {
  if (result < 0) return;
  const std::string_view name = call.name;
  if (name == "open") {
    const std::uint64_t flags =
        call.number == SYS_creat ? O_CREAT : call.arguments[call.number == SYS_open ? 1 : 2];
    if ((flags & (O_CREAT | O_TRUNC)) != 0) this->name(call);
  } else if (name == "mkdir" || name == "link") {
    this->name(call);
  } else if (name == "write") {
    if (used_by(call) != 0) write(call, static_cast<std::uint64_t>(result));
  } else if (name == "truncate") {
    truncate(call);
  } else if (name == "rename") {
    rename(call);
  } else if (name == "unlink") {
    const Entry entry = entry_of(call.path);
    add({.kind = Kind::unname, .inode = named(entry), .to = entry});
  } else if (name == "fsync") {
    flush(call);
  } else if (name == "chmod" || name == "chown" || name == "utimens" || name == "setxattr") {
    const Inode inode = used_by(call);
    File file;
    read_attributes(path_of(call), file);
    if (inode != 0) add({.kind = Kind::attributes, .inode = inode, .attributes = file});
  }
}

Record Recorder::record() const {
  const Recorder found(folder_);
  const auto is_alike = [&](const auto& self, Inode a, Inode b) -> bool {
    const Node &one = now_.nodes.at(a), &other = found.now_.nodes.at(b);
    return one.is_folder == other.is_folder && one.file.content == other.file.content &&
           one.names.size() == other.names.size() &&
           std::ranges::all_of(one.names, [&](const auto& name) {
             const auto same = other.names.find(name.first);
             return same != other.names.end() && self(self, name.second, same->second);
           });
  };
  if (!is_alike(is_alike, Disk::root, Disk::root))
    throw std::runtime_error("the record misses a call that changes files");
  return record_;
}

}  // namespace faults
