// What a disk may hold after a power cut.
//
// A program's calls reach the disk later, and not in their order. What is certain is only what was
// flushed. So a record of the calls has not one state at each moment but many, and they follow from
// rules. Two sets of rules are here: what ext4 does with its default options, and what POSIX
// allows.
//
// POSIX: fsync() of a file keeps its content and its attributes, but not its name. fsync() of a
// folder keeps the names in it. Whatever was not flushed is kept or lost, each operation for
// itself: a rename is one operation; a write may also be cut short, or be kept in the size of the
// file alone, as zeros.
//
// ext4 (data=ordered, delayed allocation, auto_da_alloc): what changes names, sizes or attributes
// is kept in the order of the calls, up to some moment. Data may stay behind, the last writes of
// each file. fsync() of any file keeps all names and attributes up to then, and the data of that
// file. So does a rename over a file that exists, for the data of the file that is renamed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/faults/tree.hpp"

namespace faults {

using Inode = std::uint64_t;  ///< 0: none

struct Node {
  bool is_folder = false;
  File file = {};
  std::map<std::string, Inode> names = {};  ///< of a folder
};

/// Also of nodes that have no name yet, or none any more.
struct Disk {
  static constexpr Inode root = 1;
  std::map<Inode, Node> nodes = {{root, {.is_folder = true}}};
};

struct Entry {
  Inode folder = 0;
  std::string name;
};

struct Operation {
  enum class Kind : std::uint8_t {
    name,        ///< `inode` gets the name `to`: a new file or folder, or a link
    unname,      ///< `to` is removed, which was the name of `inode`
    rename,      ///< of `inode` from `from` to `to`; `other` gets the name `from`
    write,       ///< of `data` at `offset`
    truncate,    ///< to the size `offset`, or extended to it
    attributes,  ///< mode, times or extended attributes become those of `attributes`
    flush,       ///< of `inode`, or of the whole file system if that is 0
  };
  Kind kind;
  Inode inode = 0;
  Entry to = {}, from = {};
  Inode other = 0;  ///< of two that exchange their names
  std::uint64_t offset = 0;
  std::string data = {};
  File attributes = {};     ///< without its content
  bool replaces = false;    ///< a rename: over a file that exists
  std::size_t flushed = 0;  ///< a flush: the number of operations that it covers
};

struct Record {
  Disk before;  ///< with the nodes that the operations name later
  std::vector<Operation> operations;
};

/// What has become of an operation.
enum class Fate : std::uint8_t { kept, lost, cut, zeros };
/// Of the first operations; those after them were not made.
using Fates = std::vector<Fate>;

void apply(const Operation& operation, Fate fate, Disk& disk);
Disk disk_after(const Record& record, const Fates& fates);

enum class Rules : std::uint8_t { ext4, posix };

/// From one flush to the next (ext4: from one operation to the next), all states are visited if
/// they are at most `most`; otherwise those with one deviation, and then a sample.
struct Bounds {
  std::size_t most = 1000;
  std::uint64_t seed = 1;
};

using Visit = std::function<void(const Fates&)>;
void for_each_state(const Record& record, Rules rules, const Bounds& bounds, const Visit& visit);

}  // namespace faults
