#include "src/inputs/file_list.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <vector>

namespace file_list_test {

using namespace qturn;

namespace {

struct stat status_of(std::uint64_t device, std::uint64_t inode) {
  struct stat status = {};
  status.st_dev = device;
  status.st_ino = inode;
  return status;
}

/// As if each key was found below the folder "in".
FileList list_of(const std::vector<std::string>& keys) {
  FileList files;
  std::uint64_t inode = 0;
  for (const std::string& key : keys) {
    const std::size_t name = key.rfind('/') + 1;
    const std::string folder = key.substr(0, name);
    files.add(files.add_folder("in/" + folder, folder), key.substr(name), status_of(1, ++inode));
  }
  return files;
}

int sign(int number) { return (number > 0) - (number < 0); }

}  // namespace

TEST_CASE("keys in folders compare as the strings that they are") {
  const std::vector<std::string> keys = {
      "a", "a!",  "a.jpg",    "a/b",    "a/b/c",    "a/b.jpg",      "a/bb/c", "aa/b",
      "b", "b/a", "\xff.jpg", "a/\x01", "a/\xff/b", "x/\xc3\xa9/a", "x/z/a",  "x/z"};
  const FileList files = list_of(keys);
  for (std::size_t a = 0; a < keys.size(); ++a) {
    for (std::size_t b = 0; b < keys.size(); ++b) {
      CAPTURE(keys[a], keys[b]);
      CHECK(sign(files.compare_keys(files[a], files[b])) == sign(keys[a].compare(keys[b])));
    }
  }
}

TEST_CASE("a list is sorted by key, and holds a file once under each of its keys") {
  FileList files = list_of({"b.jpg", "x/a.jpg", "a.jpg"});
  const std::uint32_t again = files.add_folder("./in/", "");
  files.add(again, "a.jpg", status_of(1, 3));  // found before
  files.add(again, "a.jpg", status_of(2, 3));  // on another device
  files.add(again, "c.jpg", status_of(1, 3));  // another name of the first
  files.sort();
  std::vector<std::string> paths;
  for (const FoundFile& file : files) paths.push_back(files.path(file));
  CHECK(paths ==
        std::vector<std::string>{"in/a.jpg", "./in/a.jpg", "in/b.jpg", "./in/c.jpg", "in/x/a.jpg"});
  CHECK(files.id(files[1]) == FileId{2, 3});
}

TEST_CASE("orientations of a set come ascending, each once") {
  OrientationSet set, other;
  CHECK(set.empty());
  for (const Orientation each :
       {Orientation::rotate270, Orientation::identity, Orientation::flop, Orientation::flop}) {
    set.add(each);
  }
  other.add(Orientation::flip);
  set.remove(Orientation::flop);
  std::vector<Orientation> seen;
  (set | other).for_each([&](Orientation each) { seen.push_back(each); });
  CHECK(seen == std::vector{Orientation::identity, Orientation::flip, Orientation::rotate270});
  CHECK(set.size() == 2);
  CHECK_FALSE(set.contains(Orientation::flop));
}

}  // namespace file_list_test
