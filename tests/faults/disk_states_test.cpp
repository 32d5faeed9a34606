#include "tests/faults/disk_states.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace faults::disk_states_test {
namespace {

using Kind = Operation::Kind;
using States = std::set<std::string>;

constexpr Inode root = Disk::root, old_file = 2, new_file = 3, folder = 4;

Operation name(Inode inode, const std::string& to, Inode in = root) {
  return {.kind = Kind::name, .inode = inode, .to = {in, to}};
}
Operation write(Inode inode, const std::string& data, std::uint64_t offset = 0) {
  return {.kind = Kind::write, .inode = inode, .offset = offset, .data = data};
}
Operation rename(const std::string& from, const std::string& to, bool replaces) {
  return {.kind = Kind::rename,
          .inode = new_file,
          .to = {root, to},
          .from = {root, from},
          .replaces = replaces};
}
Operation flush(Inode inode, std::size_t flushed) {
  return {.kind = Kind::flush, .inode = inode, .flushed = flushed};
}

/// With a file "a" that holds "old", and nodes for a file and a folder that have no name yet.
Record record(std::vector<Operation> operations) {
  Record all;
  all.before.nodes[root].names["a"] = old_file;
  all.before.nodes[old_file].file.content = "old";
  all.before.nodes[new_file] = {};
  all.before.nodes[folder].is_folder = true;
  all.operations = std::move(operations);
  return all;
}

void list(const Disk& disk, Inode inode, const std::string& path, std::string& text) {
  for (const auto& [name, of_name] : disk.nodes.at(inode).names) {
    const Node& node = disk.nodes.at(of_name);
    std::string content = node.file.content;
    std::replace(content.begin(), content.end(), '\0', '0');
    text += (text.empty() ? "" : " ") + path + name + (node.is_folder ? "/" : "=" + content);
    if (node.is_folder) list(disk, of_name, path + name + "/", text);
  }
}

States states(const Record& record, Rules rules, std::size_t most = 1000) {
  States all;
  for_each_state(record, rules, {.most = most}, [&](const Fates& fates) {
    std::string text;
    list(disk_after(record, fates), root, "", text);
    all.insert(text);
  });
  return all;
}

TEST_CASE("A file that is flushed before it replaces another is that or the other") {
  const Record safe = record({name(new_file, "t"), write(new_file, "new!"), flush(new_file, 2),
                              rename("t", "a", true), flush(root, 4)});
  CHECK(states(safe, Rules::posix) ==
        States{"a=old", "a=old t=", "a=old t=ne", "a=old t=0000", "a=old t=new!", "a=new!"});
  CHECK(states(safe, Rules::ext4) ==
        States{"a=old", "a=old t=", "a=old t=ne", "a=old t=new!", "a=new!"});
}

TEST_CASE("A file that is not flushed may be cut off in its new place") {
  const auto unsafe = [](bool replaces) {
    return record({name(new_file, "t"), write(new_file, "new!"),
                   rename("t", replaces ? "a" : "b", replaces)});
  };
  CHECK(states(unsafe(true), Rules::posix) == States{"a=old", "a=old t=", "a=old t=ne",
                                                     "a=old t=0000", "a=old t=new!", "a=", "a=ne",
                                                     "a=0000", "a=new!"});
  SECTION("not on ext4 if it replaces another") {
    CHECK(states(unsafe(true), Rules::ext4) ==
          States{"a=old", "a=old t=", "a=old t=ne", "a=old t=new!", "a=new!"});
  }
  SECTION("also on ext4 if it does not") {
    CHECK(states(unsafe(false), Rules::ext4) == States{"a=old", "a=old t=", "a=old t=ne",
                                                       "a=old t=new!", "a=old b=", "a=old b=ne",
                                                       "a=old b=new!"});
  }
}

TEST_CASE("ext4 keeps names in the order of the calls, POSIX does not") {
  const Record two = record({name(new_file, "b"), name(new_file, "c")});
  CHECK(states(two, Rules::ext4) == States{"a=old", "a=old b=", "a=old b= c="});
  CHECK(states(two, Rules::posix) == States{"a=old", "a=old b=", "a=old c=", "a=old b= c="});
}

TEST_CASE("A flush of a file keeps all names on ext4, and by POSIX not even its own") {
  Record flushed = record({name(new_file, "b"), write(new_file, "n"), flush(new_file, 2)});
  flushed.operations.push_back(name(old_file, "c"));
  const auto has = [](const States& all, const char* state) { return all.contains(state); };
  CHECK(has(states(flushed, Rules::posix), "a=old c=old"));
  CHECK_FALSE(has(states(flushed, Rules::ext4), "a=old c=old"));
  CHECK_FALSE(has(states(flushed, Rules::posix), "a=old b= c=old"));
  flushed.operations.insert(flushed.operations.begin() + 3, flush(root, 3));
  CHECK_FALSE(has(states(flushed, Rules::posix), "a=old c=old"));
}

TEST_CASE("A flush covers what was done before it began") {
  const Record early = record({name(new_file, "b"), flush(root, 0), name(old_file, "c")});
  CHECK(states(early, Rules::posix).contains("a=old c=old"));
  const Record late = record({name(new_file, "b"), flush(root, 1), name(old_file, "c")});
  CHECK_FALSE(states(late, Rules::posix).contains("a=old c=old"));
  const Record all = record({name(new_file, "b"), flush(0, 1), name(old_file, "c")});
  CHECK_FALSE(states(all, Rules::posix).contains("a=old c=old"));
}

TEST_CASE("Without its own name a folder loses what is in it") {
  const Record below = record({name(folder, "f"), name(new_file, "b", folder), flush(folder, 2)});
  CHECK(states(below, Rules::posix) == States{"a=old", "a=old f/", "a=old f/ f/b="});
}

TEST_CASE("Writes are lost one by one by POSIX, and from the last one on ext4") {
  const Record lines = record({write(old_file, "11", 3), write(old_file, "22", 5)});
  CHECK(states(lines, Rules::posix) == States{"a=old", "a=old1", "a=old00", "a=old11", "a=old112",
                                              "a=old1122", "a=old1100", "a=old0022", "a=old002",
                                              "a=old0000", "a=old1022", "a=old102", "a=old1000"});
  CHECK(states(lines, Rules::ext4) ==
        States{"a=old", "a=old1", "a=old11", "a=old112", "a=old1122"});
}

TEST_CASE("A sample holds what is kept, what is lost, and each single loss") {
  std::vector<Operation> many;
  for (char i = 'b'; i < 'z'; ++i) many.push_back(name(old_file, std::string(1, i)));
  const States all = states(record(many), Rules::posix, 100);
  CHECK(all.size() > 70);
  CHECK(all.size() <= 102);
  CHECK(all.contains("a=old"));
  CHECK(all.contains("a=old k=old"));
}

}  // namespace
}  // namespace faults::disk_states_test
