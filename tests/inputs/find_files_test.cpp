#include "src/inputs/find_files.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "src/files/safe_file.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace find_files_test {

namespace fs = std::filesystem;
using qturn::find_files;
using qturn::FoundFiles;
using qturn::PlanError;
using qturn::PlanOptions;
using qturn::Sentence;

namespace {

const std::string jpeg = "\xff\xd8\xff\xe0 no more than a signature";
const std::string png = "\x89PNG\r\n\x1a\n no more than a signature";

using Keys = std::vector<std::string>;
using Types = std::map<std::string, std::uint64_t>;

Keys keys(const FoundFiles& found) {
  Keys keys;
  for (const auto& file : found.files) keys.push_back(found.files.key(file));
  return keys;
}

PlanOptions options_for(std::vector<fs::path> inputs) {
  PlanOptions options;
  options.inputs = std::move(inputs);
  options.output = "out";
  return options;
}

std::string message_of(const PlanOptions& options) {
  try {
    find_files(options);
  } catch (const PlanError& error) {
    return error.what();
  }
  return "";
}

/// Sets the current folder, and the old one again when it goes.
class CurrentFolder {
 public:
  explicit CurrentFolder(const fs::path& folder) : before_(fs::current_path()) {
    fs::current_path(folder);
  }
  ~CurrentFolder() { fs::current_path(before_); }

 private:
  fs::path before_;
};

/// Root may read everything; for as long as this lives, the process is somebody else.
class NotRoot {
 public:
  NotRoot() { is_root_ = ::geteuid() == 0 && ::seteuid(65534) == 0; }
  ~NotRoot() {
    if (is_root_ && ::seteuid(0) != 0) std::abort();
  }

 private:
  bool is_root_ = false;
};

}  // namespace

TEST_CASE("a folder is walked to its leaves, and keys are paths below it") {
  const TemporaryFolder folder;
  folder.add("a.jpg", jpeg);
  folder.add("x/b.png", png);
  folder.add("x/y/c.jpg", jpeg);
  const FoundFiles found = find_files(options_for({folder.path()}));
  CHECK(keys(found) == Keys{"a.jpg", "x/b.png", "x/y/c.jpg"});
  CHECK(found.files.path(found.files[2]) == folder.path() / "x/y/c.jpg");
  CHECK(found.files[1].bytes == png.size());
  CHECK(found.folders == std::vector{folder.path()});
  CHECK(keys(find_files(options_for({folder.path() / ""}))) == keys(found));
}

TEST_CASE("several folders go under their base names, and files under their own") {
  const TemporaryFolder folder;
  folder.add("one/a.jpg", jpeg);
  folder.add("two/a.jpg", jpeg);
  folder.add("c.jpg", jpeg);
  const CurrentFolder current(folder.path() / "two");
  const Keys wanted = {"c.jpg", "one/a.jpg", "two/a.jpg"};
  CHECK(keys(find_files(options_for({"../one/", ".", "../c.jpg"}))) == wanted);
  CHECK(keys(find_files(options_for({"../one", "../c.jpg"}))) == Keys{"a.jpg", "c.jpg"});
}

TEST_CASE("two folders of one base name are refused, one folder named twice is not") {
  const TemporaryFolder folder;
  folder.add("x/photos/a.jpg", jpeg);
  folder.add("y/photos/b.jpg", jpeg);
  const CurrentFolder current(folder.path());
  CHECK(message_of(options_for({"x/photos", "y/photos"})) ==
        "x/photos and y/photos would both be written under out/photos; run them one after the "
        "other, each with its own output");
  CHECK(keys(find_files(options_for({"x/photos", "x/../x/photos/"}))) == Keys{"a.jpg"});

  PlanOptions in_place = options_for({"x/photos", "y/photos"});
  in_place.output.clear();
  CHECK(keys(find_files(in_place)) == Keys{"photos/a.jpg", "photos/b.jpg"});
}

TEST_CASE("hidden entries and what programs keep are left out unless asked for") {
  const TemporaryFolder folder;
  for (const char* name : {"a.jpg", ".b.jpg", ".git/c.jpg", "@eaDir/d.jpg", "P.photoslibrary/e.jpg",
                           "C Previews.lrdata/f.jpg"}) {
    folder.add(name, jpeg);
  }
  PlanOptions options = options_for({folder.path()});
  CHECK(keys(find_files(options)) == Keys{"a.jpg"});
  options.hidden = true;
  CHECK(find_files(options).files.size() == 6);

  SECTION("except where they are named") {
    const FoundFiles found = find_files(options_for({folder.path() / ".b.jpg"}));
    CHECK(keys(found) == Keys{".b.jpg"});
    CHECK(keys(find_files(options_for({folder.path() / "@eaDir"}))) == Keys{"d.jpg"});
  }
}

TEST_CASE("temporaries of a killed run are never found in folders") {
  const TemporaryFolder folder;
  folder.add(".a.jpg.qturn-abcdefghij", jpeg);
  folder.add(".a.jpg", jpeg);
  PlanOptions options = options_for({folder.path()});
  options.hidden = true;
  CHECK(keys(find_files(options)) == Keys{".a.jpg"});
}

TEST_CASE("symbolic links are counted, and followed if asked") {
  const TemporaryFolder folder;
  folder.add("photos/a.jpg", jpeg);
  folder.add("elsewhere/b.jpg", jpeg);
  fs::create_symlink("../elsewhere", folder.path() / "photos/folder");
  fs::create_symlink("../elsewhere/b.jpg", folder.path() / "photos/file.jpg");
  PlanOptions options = options_for({folder.path() / "photos"});
  FoundFiles found = find_files(options);
  CHECK(keys(found) == Keys{"a.jpg"});
  CHECK(found.types == Types{{"symbolic link", 2}});

  options.follow = true;
  found = find_files(options);
  CHECK(keys(found) == Keys{"a.jpg", "file.jpg", "folder/b.jpg"});
  CHECK(found.files[1].is_link);
  CHECK(found.files[1].bytes == jpeg.size());
  CHECK_FALSE(found.files[2].is_link);

  SECTION("a link given by name is always followed") {
    fs::create_symlink("photos", folder.path() / "link");
    CHECK(keys(find_files(options_for({folder.path() / "link"}))) == Keys{"a.jpg"});
    CHECK(keys(find_files(options_for({folder.path() / "photos/file.jpg"}))) == Keys{"file.jpg"});
  }
}

TEST_CASE("links in a loop end, and links to nothing are told") {
  const TemporaryFolder folder;
  folder.add("x/y/a.jpg", jpeg);
  fs::create_symlink("../..", folder.path() / "x/y/up");
  fs::create_symlink(".", folder.path() / "x/self");
  fs::create_symlink("nowhere", folder.path() / "dangling");
  fs::create_symlink("itself", folder.path() / "itself");
  PlanOptions options = options_for({folder.path()});
  options.follow = true;
  const FoundFiles found = find_files(options);
  CHECK(keys(found) == Keys{"x/y/a.jpg"});
  CHECK(found.types == Types{{"symbolic link in a loop", 2}});
  CHECK(found.unreadable ==
        std::vector<Sentence>{
            (folder.path() / "dangling").string() + ": No such file or directory",
            (folder.path() / "itself").string() + ": Too many levels of symbolic links"});
}

TEST_CASE("globs match the key and the name, and exclude prunes folders") {
  const TemporaryFolder folder;
  for (const char* name : {"a.jpg", "a.png", "thumbs/b.jpg", "x/c.jpg", "x/a_small.jpg"}) {
    folder.add(name, jpeg);
  }
  PlanOptions options = options_for({folder.path()});
  options.include = {"*.jpg"};
  CHECK(keys(find_files(options)) == Keys{"a.jpg", "thumbs/b.jpg", "x/a_small.jpg", "x/c.jpg"});
  options.exclude = {"thumbs", "*_small.*"};
  const FoundFiles found = find_files(options);
  CHECK(keys(found) == Keys{"a.jpg", "x/c.jpg"});
  CHECK(found.left_out == 2);
  options.include = {"x/*", "a.p[mn]g"};
  CHECK(keys(find_files(options)) == Keys{"a.png", "x/c.jpg"});

  SECTION("but never leave out a file that is named") {
    PlanOptions named = options_for({folder.path() / "a.jpg"});
    named.exclude = {"*"};
    CHECK(keys(find_files(named)) == Keys{"a.jpg"});
  }
}

TEST_CASE("a picture is known by its content, then by its suffix") {
  const TemporaryFolder folder;
  folder.add("content.txt", jpeg);
  folder.add("content", png);
  folder.add("empty.jpg", "");
  folder.add("text.JPG", "text");
  folder.add("text.txt", "text");
  folder.add("raw.DNG", std::string("II*\0\x08\0\0\0 tags", 13));
  std::map<std::string, bool> pictures;
  const FoundFiles found = find_files(options_for({folder.path()}));
  for (const auto& file : found.files) pictures[found.files.key(file)] = file.picture;
  CHECK(pictures == std::map<std::string, bool>{{"content.txt", true},
                                                {"content", true},
                                                {"empty.jpg", true},
                                                {"text.JPG", true},
                                                {"text.txt", false},
                                                {"raw.DNG", false}});
}

TEST_CASE("what is not a regular file is counted and never opened") {
  const TemporaryFolder folder;
  REQUIRE(::mkfifo((folder.path() / "fifo.jpg").c_str(), 0600) == 0);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  (folder.path() / "s.jpg").string().copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  ::close(socket);
  const FoundFiles found = find_files(options_for({folder.path(), "/dev/null"}));
  CHECK(found.files.empty());
  CHECK(found.types == Types{{"fifo", 1}, {"socket", 1}, {"device", 1}});
}

TEST_CASE("names of any bytes are found as they are") {
  const TemporaryFolder folder;
  const Keys names = {"#@%d [1].jpg", "new\nline/\xff\xfe.jpg", "space and 'quote\".jpg"};
  for (const std::string& name : names) folder.add(name, jpeg);
  PlanOptions options = options_for({folder.path()});
  CHECK(keys(find_files(options)) == names);
  options.include = {"*.jpg"};
  CHECK(keys(find_files(options)) == names);
}

TEST_CASE("what cannot be read is what its suffix promises, and otherwise unreadable") {
  const TemporaryFolder folder;
  for (const char* name : {"a.jpg", "b.txt", "c"}) {
    REQUIRE(::chmod(folder.add(name, jpeg).c_str(), 0) == 0);
  }
  REQUIRE(::chmod(folder.add("private/d.jpg", jpeg).parent_path().c_str(), 0) == 0);
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
  {
    const NotRoot not_root;
    FoundFiles found = find_files(options_for({folder.path()}));
    CHECK(keys(found) == Keys{"a.jpg"});
    CHECK(found.files[0].picture);
    std::vector<Sentence> unreadable;
    for (const char* name : {"b.txt", "c", "private"}) {
      unreadable.emplace_back((folder.path() / name).string() + ": Permission denied");
    }
    CHECK(found.unreadable == unreadable);

    found = find_files(options_for({folder.path() / "c"}));
    CHECK(found.files[0].picture);

    CHECK(message_of(options_for({folder.path() / "private/d.jpg"})) ==
          (folder.path() / "private/d.jpg").string() + ": Permission denied");
  }
  fs::permissions(folder.path() / "private", fs::perms::owner_all);
}

TEST_CASE("inputs that are missing are named, the first few") {
  const TemporaryFolder folder;
  folder.add("a.jpg", jpeg);
  const CurrentFolder current(folder.path());
  CHECK(message_of(options_for({"a.jpg", "b.jpg"})) == "b.jpg: No such file or directory");
  CHECK(message_of(options_for({"1", "2", "3", "4", "5"})) ==
        "1: No such file or directory, 2: No such file or directory, 3: No such file or directory "
        "and 2 more");
}

TEST_CASE("a listed path is its own key") {
  const TemporaryFolder folder;
  folder.add("x/a.jpg", jpeg);
  folder.add("b.jpg", jpeg);
  folder.add(".hidden/c.jpg", jpeg);
  const CurrentFolder current(folder.path());
  PlanOptions options = options_for({});
  options.listed = {"./x//a.jpg", "x/../b.jpg", ".hidden/c.jpg", "b.jpg"};
  CHECK(keys(find_files(options)) == Keys{".hidden/c.jpg", "b.jpg", "x/a.jpg"});

  SECTION("globs choose from the list") {
    options.exclude = {"x/*"};
    CHECK(keys(find_files(options)) == Keys{".hidden/c.jpg", "b.jpg"});
  }
  SECTION("a folder in it is refused") {
    options.listed = {"x"};
    CHECK(message_of(options) == "x: is a folder; a list takes files only");
  }
  SECTION("a missing file in it is refused") {
    options.listed = {"none.jpg"};
    CHECK(message_of(options) == "none.jpg: No such file or directory");
  }
}

TEST_CASE("a folder with sidecars that was walked is not listed again for them") {
  const TemporaryFolder folder;
  for (const char* name : {"x/a.jpg", "x/a.tif", "x/a.xmp", "x/b.jpg", "x/b.xmp"})
    folder.add(name, jpeg);
  for (const char* input : {"x", "x/"}) {
    const FoundFiles found = find_files(options_for({folder.path() / input}));
    fs::rename(folder.path() / "x", folder.path() / "z");
    CHECK(found.shared_stems->contain_that_of(folder.path() / "x/a.jpg"));
    CHECK_FALSE(found.shared_stems->contain_that_of(folder.path() / "x/b.jpg"));
    CHECK_THROWS_AS(found.shared_stems->contain_that_of(folder.path() / "w/c.jpg"),
                    qturn::FileError);
    fs::rename(folder.path() / "z", folder.path() / "x");
  }
}

TEST_CASE("a listed path that would lead out of the output is refused") {
  const TemporaryFolder folder;
  folder.add("x/a.jpg", jpeg);
  folder.add("y/b.jpg", jpeg);
  const CurrentFolder current(folder.path() / "x");
  const std::string absolute = (folder.path() / "y/b.jpg").string();
  PlanOptions options = options_for({});
  options.listed = {"../y/b.jpg"};
  CHECK(message_of(options) ==
        "../y/b.jpg: leads out of the current folder, and so out of the output; list it as an "
        "absolute path");
  options.listed = {absolute};
  CHECK(message_of(options) == absolute + ": is absolute");
  options.base = "../x";
  CHECK(message_of(options) == absolute + ": does not lie under the base ../x");
  for (const char* base : {"..", "../", "../y/.."}) {
    options.base = base;
    CHECK(keys(find_files(options)) == Keys{"y/b.jpg"});
  }
  options.base = "/";
  CHECK(keys(find_files(options)) == Keys{absolute.substr(1)});

  SECTION("in place it leads nowhere and is taken") {
    options.output.clear();
    options.base.clear();
    options.listed = {absolute, "../y/b.jpg"};
    CHECK(find_files(options).files.size() == 2);
  }
}

TEST_CASE("a list is split at line ends, or at NUL bytes and nowhere else") {
  const auto names = [](const std::string& list, bool nul_separated) {
    std::istringstream in(list);
    Keys split;
    qturn::read_file_list(in, nul_separated).for_each([&](std::string_view name) {
      split.emplace_back(name);
    });
    return split;
  };
  CHECK(names("a.jpg\n\n b c.jpg\nx/d.jpg", false) == Keys{"a.jpg", " b c.jpg", "x/d.jpg"});
  CHECK(names(std::string("a\nb.jpg\0\0\xff.jpg\0", 15), true) == Keys{"a\nb.jpg", "\xff.jpg"});
  CHECK(names("", false).empty());
}

TEST_CASE("a tree deeper than the files a process may open is walked") {
  const TemporaryFolder folder;
  fs::path deep;
  for (int i = 0; i < 100; ++i) deep /= "d";
  folder.add(deep / "a.jpg", jpeg);
  rlimit before;
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit few = {50, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  const FoundFiles found = find_files(options_for({folder.path()}));
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(keys(found) == Keys{(deep / "a.jpg").string()});
}

}  // namespace find_files_test
