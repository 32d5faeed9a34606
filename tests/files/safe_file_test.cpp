#include "src/files/safe_file.hpp"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <thread>

#include "tests/fixtures/temporary_folder.hpp"

namespace safe_file_test {

namespace fs = std::filesystem;
using qturn::FileError;
using qturn::IfExists;
using qturn::read_file;

namespace {

void write_file(const fs::path& target, const std::string& content, const fs::path& like = {},
                IfExists if_exists = IfExists::replace) {
  qturn::write_file(target, std::as_bytes(std::span(content)), like, if_exists);
}

/// What replaces a file as it is now, with content that outlives it.
qturn::NewFile successor_of(const fs::path& path, std::string_view content = {}) {
  qturn::FileState state;
  read_file(path, {}, &state);
  return {path, std::as_bytes(std::span(content)), path, state};
}

std::vector<std::string> replace(const qturn::NewFile& file) {
  return qturn::write_files(std::span(&file, 1), IfExists::replace);
}

/// The reason for which `work` throws FileError; 0 if it does not.
int error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const FileError& error) {
    return error.code().value();
  }
  return 0;
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

struct stat status_of(const fs::path& path) {
  struct stat status;
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status;
}

/// What `work` says in a process of its own, so that limits and rights do not reach the other
/// cases.
bool holds_in_child(const std::function<bool()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work() ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

using Names = std::set<std::string>;

}  // namespace

TEST_CASE("what was written is read back, whatever its length") {
  const TemporaryFolder folder;
  for (const std::size_t length : {0, 1, 4095, 4096, 4097, 3'000'000}) {
    std::string content(length, 'x');
    if (length > 0) content.back() = '\0';
    write_file(folder.path() / "a", content);
    const auto read = read_file(folder.path() / "a");
    CHECK(std::string(reinterpret_cast<const char*>(read.data()), read.size()) == content);
  }
  CHECK(names_in(folder.path()) == Names{"a"});
}

TEST_CASE("a file is hashed as it is read and as it is written, part by part") {
  const TemporaryFolder folder;
  for (const std::size_t size : {0, 1, (256 << 10) - 1, 256 << 10, (256 << 10) + 1, 3 << 20}) {
    std::string content(size, '.');
    for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * i >> 7);
    const auto bytes = std::as_bytes(std::span(content));
    const fs::path file = folder.path() / "file";
    qturn::StagedFiles staged(std::array{qturn::NewFile{.target = file, .content = bytes}},
                              IfExists::replace, false);
    CHECK(staged.hash(0) == qturn::hash_of(bytes));
    staged.finish_writing();
    staged.put_in_place();
    qturn::FileState state;
    qturn::ContentHash hash;
    const qturn::FileBytes read = read_file(file, qturn::FileBytes(), &state, &hash);
    CHECK(std::ranges::equal(read, bytes));
    CHECK(hash == qturn::hash_of(bytes));
    CHECK(state.bytes == size);
  }
}

TEST_CASE("reading says why it fails") {
  const TemporaryFolder folder;
  REQUIRE(::mkfifo((folder.path() / "fifo").c_str(), 0600) == 0);
  CHECK(error_of([&] { read_file(folder.path() / "none"); }) == ENOENT);
  CHECK(error_of([&] { read_file(folder.path()); }) == EISDIR);
  CHECK(error_of([&] { read_file(folder.path() / "fifo"); }) == EINVAL);
  try {
    read_file(folder.path() / "none");
  } catch (const FileError& error) {
    CHECK(std::string(error.what()) == "cannot read: No such file or directory");
    CHECK(error.path1() == folder.path() / "none");
  }
}

TEST_CASE("a file whose size differs from what the system says is an error") {
  // Files in /proc have contents and a size of 0, as if they had grown since.
  CHECK(error_of([] { read_file("/proc/self/status"); }) == EBUSY);
}

TEST_CASE("an existing file is replaced, or kept where that is asked") {
  const TemporaryFolder folder;
  const fs::path a = folder.add("a", "old");
  CHECK(error_of([&] { write_file(a, "new", {}, IfExists::fail); }) == EEXIST);
  CHECK(content_of(a) == "old");
  write_file(a, "new");
  CHECK(content_of(a) == "new");
  write_file(folder.path() / "b", "other", {}, IfExists::fail);
  CHECK(content_of(folder.path() / "b") == "other");
  CHECK(names_in(folder.path()) == Names{"a", "b"});
}

TEST_CASE("files that belong together are all written, or none of them") {
  const TemporaryFolder folder;
  const fs::path a = folder.add("a", "old");
  const std::string content = "new";
  const auto file = [&](const fs::path& target) {
    return qturn::NewFile{.target = target, .content = std::as_bytes(std::span(content))};
  };
  const auto write = [](const std::vector<qturn::NewFile>& files, IfExists if_exists) {
    return qturn::write_files(files, if_exists);
  };
  const fs::path b = folder.path() / "b", no_folder = a / "c";
  CHECK(error_of([&] {
          write({file(a), file(b), file(no_folder)}, IfExists::replace);
        }) == ENOTDIR);
  CHECK(error_of([&] { write({file(a), file(b)}, IfExists::fail); }) == EEXIST);
  CHECK(content_of(a) == "old");
  CHECK(names_in(folder.path()) == Names{"a"});

  // Once the first is in its place, it stays, and so does what can follow it.
  const fs::path c = folder.path() / "c";
  CHECK(write({file(b), file(a), file(c)}, IfExists::fail) ==
        std::vector<std::string>{b.string() +
                                 " is written, but not all that belongs to it: "
                                 "cannot write " +
                                 a.string() + ": File exists"});
  CHECK(content_of(a) == "old");
  CHECK(names_in(folder.path()) == Names{"a", "b", "c"});
  CHECK(write({file(a), file(b)}, IfExists::replace).empty());
  CHECK(content_of(a) == "new");
  CHECK(names_in(folder.path()) == Names{"a", "b", "c"});
}

TEST_CASE("a file that changed since it was read is not replaced, nor is what belongs to it") {
  const std::string content = "new";
  const auto change = [](const fs::path& path, const std::string& how) {
    const struct stat before = status_of(path);
    const timespec times[] = {before.st_atim, before.st_mtim};
    std::ofstream(path, how == "longer" ? std::ios::app : std::ios::in | std::ios::out) << "x";
    if (how == "longer" || how == "another file") {
      ::utimensat(AT_FDCWD, path.c_str(), times, 0);
    } else {
      const timespec later[] = {before.st_atim, {before.st_mtim.tv_sec, 1}};
      ::utimensat(AT_FDCWD, path.c_str(), later, 0);
    }
    if (how != "another file") return;
    fs::copy_file(path, path.string() + "2");
    ::utimensat(AT_FDCWD, (path.string() + "2").c_str(), times, 0);
    fs::rename(path.string() + "2", path);
  };
  for (const std::string how : {"longer", "later", "another file", "deleted"}) {
    for (const std::string changed : {"a", "a.xmp"}) {
      CAPTURE(how, changed);
      const TemporaryFolder folder;
      std::vector<qturn::NewFile> files;
      for (const char* name : {"a", "a.xmp"})
        files.push_back(successor_of(folder.add(name, "old"), content));
      if (how == "deleted") {
        fs::remove(folder.path() / changed);
      } else {
        change(folder.path() / changed, how);
      }
      const std::string found = content_of(folder.path() / changed);
      const Names names = names_in(folder.path());
      try {
        qturn::write_files(files, IfExists::replace);
        FAIL("it was written");
      } catch (const FileError& error) {
        if (how == "deleted") {
          CHECK(error.code().value() == ENOENT);
        } else {
          CHECK(error.what() == (changed == "a" ? "" : (folder.path() / changed).string() + " ") +
                                    "changed meanwhile and was left as it is");
        }
      }
      CHECK(content_of(folder.path() / changed) == found);
      CHECK(content_of(folder.path() / (changed == "a" ? "a.xmp" : "a")) == "old");
      CHECK(names_in(folder.path()) == names);
    }
  }
}

TEST_CASE("a result that another program changes after it was read back is not put in its place") {
  const std::string content = "new";
  const auto change = [](const fs::path& path, const std::string& how) {
    const struct stat before = status_of(path);
    if (how == "a byte") std::ofstream(path, std::ios::in | std::ios::out) << "x";
    if (how == "longer") std::ofstream(path, std::ios::app) << "x";
    if (how == "a byte, and the time put back") {
      std::ofstream(path, std::ios::in | std::ios::out) << "x";
      const timespec times[] = {before.st_atim, before.st_mtim};
      ::utimensat(AT_FDCWD, path.c_str(), times, 0);
    }
    if (how == "a link") fs::create_hard_link(path, path.string() + "2");
    if (how == "another file") {
      fs::copy_file(path, path.string() + "2");
      fs::rename(path.string() + "2", path);
    }
  };
  for (const std::string how :
       {"nothing", "a byte", "a byte, and the time put back", "longer", "a link", "another file"}) {
    for (const bool is_late : {false, true}) {  // after the flush, or before
      for (const std::size_t which : {0, 1}) {
        for (const bool in_place : {true, false}) {
          CAPTURE(how, is_late, which, in_place);
          const TemporaryFolder folder;
          std::vector<qturn::NewFile> files;
          for (const char* name : {"a", "a.txt"}) {
            files.push_back(successor_of(folder.add(name, "old"), content));
            if (!in_place) files.back().target += ".out";
          }
          qturn::StagedFiles staged(files, in_place ? IfExists::replace : IfExists::fail, true);
          for (std::size_t i = 0; i < files.size(); ++i) (void)staged.read_back(i, {});
          if (how == "a byte, and the time put back")  // a tick of the clock
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
          if (!is_late) change(staged.temporary(which), how);
          std::string said;
          try {
            staged.finish_writing();
            if (is_late) change(staged.temporary(which), how);
            staged.put_in_place();
          } catch (const FileError& error) {
            said = error.what();
          }
          const bool is_done = how == "nothing";
          for (const qturn::NewFile& file : files) {
            CHECK(content_of(file.like) == (is_done && in_place ? "new" : "old"));
            CHECK(fs::exists(file.target) == (is_done || in_place));
          }
          if (is_done) {
            CHECK(said == "");
          } else if (how != "longer" || is_late) {  // otherwise its length tells
            CHECK(said == "the new " + files[which].target.string() +
                              " was changed by another program after it was compared, so it is "
                              "not used");
          } else {
            CHECK(said != "");
          }
        }
      }
    }
  }
}

TEST_CASE("a file that was only looked at is replaced") {
  const TemporaryFolder folder;
  const fs::path a = folder.add("a", "old");
  const std::string content = "new";
  const qturn::NewFile file = successor_of(a, content);
  fs::create_hard_link(a, folder.path() / "b");
  REQUIRE(::chmod(a.c_str(), 0600) == 0);
  CHECK(replace(file).empty());
  CHECK(content_of(a) == "new");
}

TEST_CASE("content may be handed over in parts, and an error among them leaves nothing") {
  const TemporaryFolder folder;
  const fs::path target = folder.add("a", "old");
  const std::string parts[] = {"one ", "two"};
  bool fails = true;
  const auto write_more = [&](const qturn::NewFile::Append& append) {
    for (const std::string& part : parts) append(std::as_bytes(std::span(part)));
    if (fails) throw std::runtime_error("no more parts");
  };
  const qturn::NewFile file{.target = target, .content = {}, .write_more = write_more};
  CHECK_THROWS_WITH(replace(file), "no more parts");
  CHECK(content_of(target) == "old");
  CHECK(names_in(folder.path()) == std::set<std::string>{"a"});

  fails = false;
  CHECK(replace(file).empty());
  CHECK(content_of(target) == "one two");
}

TEST_CASE("where the file system cannot rename without replacing, an existing file is kept too") {
  const TemporaryFolder folder;
  const fs::path a = folder.add("a", "old");
  const fs::path b = folder.path() / "b", c = folder.add("c", "old");
  const bool held = holds_in_child([&] {
    // Makes renameat2() answer as NFS does.
    sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    sock_fprog program = {4, rules};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0 ||
        ::renameat2(AT_FDCWD, "", AT_FDCWD, "", RENAME_NOREPLACE) == 0 || errno != EINVAL) {
      return false;
    }
    write_file(b, "new", {}, IfExists::fail);
    replace(successor_of(c));
    return error_of([&] { write_file(a, "new", {}, IfExists::fail); }) == EEXIST;
  });
  CHECK(held);
  CHECK(content_of(a) == "old");
  CHECK(content_of(b) == "new");
  CHECK(content_of(c).empty());
  CHECK(status_of(b).st_nlink == 1);
  CHECK(names_in(folder.path()) == Names{"a", "b", "c"});
}

TEST_CASE("a new file gets the mode that the umask leaves") {
  const TemporaryFolder folder;
  const mode_t before = ::umask(027);
  write_file(folder.path() / "a", "x");
  ::umask(before);
  CHECK((status_of(folder.path() / "a").st_mode & 07777) == 0640);
}

TEST_CASE("mode, times and user attributes come from the file it is to be like") {
  const TemporaryFolder folder;
  const fs::path a = folder.add("a", "old");
  REQUIRE(::chmod(a.c_str(), 0604) == 0);
  const timespec times[] = {{1'000'000'000, 123}, {1'200'000'000, 456'789'012}};
  REQUIRE(::utimensat(AT_FDCWD, a.c_str(), times, 0) == 0);
  const bool has_attributes = ::setxattr(a.c_str(), "user.rating", "5", 1, 0) == 0;

  write_file(a, "newer", a);
  write_file(folder.path() / "b", "newer", a);
  for (const char* name : {"a", "b"}) {
    const fs::path path = folder.path() / name;
    const struct stat status = status_of(path);
    CHECK(content_of(path) == "newer");
    CHECK((status.st_mode & 07777) == 0604);
    CHECK(status.st_mtim.tv_sec == 1'200'000'000);
    CHECK(status.st_mtim.tv_nsec == 456'789'012);
    if (has_attributes) {
      char value = 0;
      CHECK(::getxattr(path.c_str(), "user.rating", &value, 1) == 1);
      CHECK(value == '5');
    }
  }
}

TEST_CASE("the owner is kept if that is permitted") {
  if (::geteuid() != 0) SKIP("only root may give files away");
  const TemporaryFolder folder;
  const fs::path a = folder.add("a", "old");
  REQUIRE(::chown(a.c_str(), 1234, 5678) == 0);
  REQUIRE(::chmod(a.c_str(), 06755) == 0);
  write_file(folder.path() / "b", "new", a);
  CHECK(status_of(folder.path() / "b").st_uid == 1234);
  CHECK(status_of(folder.path() / "b").st_gid == 5678);
  CHECK((status_of(folder.path() / "b").st_mode & 07777) == 06755);

  REQUIRE(::chmod(folder.path().c_str(), 0777) == 0);
  const std::string c = folder.path() / "c", d = folder.path() / "d";
  const bool held = holds_in_child([&] {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) return false;
    const auto warnings_of = [](const fs::path& target, const fs::path& like) {
      return qturn::write_file(target, {}, like, IfExists::replace);
    };
    return warnings_of(c, a) == std::vector<std::string>{"the owner and the group of " + c +
                                                         " could not be set: Operation not "
                                                         "permitted"} &&
           warnings_of(d, c).empty();
  });
  CHECK(held);
  CHECK(status_of(folder.path() / "c").st_uid == 65534);
  CHECK((status_of(folder.path() / "c").st_mode & 07777) == 0755);
}

TEST_CASE("attributes of every name space are kept") {
  const TemporaryFolder folder;
  const fs::path a = folder.add("a", "old");
  const std::string names[] = {"user.rating", "trusted.mine", "security.mine"};
  for (const std::string& name : names)
    if (::setxattr(a.c_str(), name.c_str(), "5", 1, 0) != 0)
      SKIP("this user may not set the attribute " + name);
  CHECK(qturn::write_file(a, {}, a, IfExists::replace).empty());
  for (const std::string& name : names) {
    char value = 0;
    CHECK(::getxattr(a.c_str(), name.c_str(), &value, 1) == 1);
    CHECK(value == '5');
  }

  // Who may not set them is told so.
  REQUIRE(::chown(a.c_str(), 65534, 65534) == 0);
  REQUIRE(::chown(folder.path().c_str(), 65534, 65534) == 0);
  const bool held = holds_in_child([&] {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) return false;
    return qturn::write_file(a, {}, a, IfExists::replace) ==
           std::vector<std::string>{"the attributes of " + a.string() +
                                    " could not be set: Operation not permitted"};
  });
  CHECK(held);
}

TEST_CASE("the access list is the original's, not what the folder gives new files") {
  struct Entry {
    std::uint16_t tag, rights;
    std::uint32_t id;
  };
  struct List {
    std::uint32_t version = 2;
    // The owner, user 1234, the group, the mask, all others.
    Entry entries[5] = {{1, 6, ~0U}, {2, 6, 1234}, {4, 4, ~0U}, {0x10, 6, ~0U}, {0x20, 0, ~0U}};
  } list;
  const TemporaryFolder folder;
  const fs::path without = folder.add("without", "old"), with = folder.add("with", "old");
  REQUIRE(::chmod(without.c_str(), 0600) == 0);
  const auto set = [&](const fs::path& path, const char* name) {
    return ::setxattr(path.c_str(), name, &list, sizeof list, 0) == 0;
  };
  if (!set(with, "system.posix_acl_access") || !set(folder.path(), "system.posix_acl_default"))
    SKIP("this file system has no access lists");
  for (const fs::path& path : {with, without}) {
    const struct stat before = status_of(path);
    CHECK(qturn::write_file(path, {}, path, IfExists::replace).empty());
    List found;
    const ssize_t length =
        ::getxattr(path.c_str(), "system.posix_acl_access", &found, sizeof found);
    CHECK(length == (path == with ? static_cast<ssize_t>(sizeof list) : -1));
    CHECK(found.entries[1].id == 1234);
    CHECK(status_of(path).st_mode == before.st_mode);
  }
}

TEST_CASE("what may not be replaced stays, and no temporary is left") {
  const TemporaryFolder folder;
  const fs::path a = folder.add("a", "old");
  const auto write = [&] { return error_of([&] { replace(successor_of(a)); }); };
  SECTION("an immutable file, and one that can only grow") {
    for (const unsigned flag : {FS_IMMUTABLE_FL, FS_APPEND_FL}) {
      const qturn::FileDescriptor opened(::open(a.c_str(), O_RDONLY));
      unsigned flags = 0;
      if (::ioctl(opened.get(), FS_IOC_GETFLAGS, &flags) != 0)
        SKIP("this file system has no flags of files");
      flags |= flag;
      if (::ioctl(opened.get(), FS_IOC_SETFLAGS, &flags) != 0)
        SKIP("this user may not set flags of files");
      CHECK(write() == EPERM);
      flags &= ~flag;
      CHECK(::ioctl(opened.get(), FS_IOC_SETFLAGS, &flags) == 0);
    }
  }
  SECTION("the file of another user in a sticky folder") {
    if (::geteuid() != 0) SKIP("only root may give files away");
    REQUIRE(::chmod(folder.path().c_str(), 01777) == 0);
    CHECK(holds_in_child([&] { return ::setuid(65534) == 0 && write() == EPERM; }));
  }
  CHECK(content_of(a) == "old");
  CHECK(names_in(folder.path()) == Names{"a"});
}

TEST_CASE("a file that another program has open for writing is not replaced") {
  const TemporaryFolder folder;
  const fs::path a = folder.add("a", "old"), b = folder.add("b", "old");
  const std::string content = "new";
  const std::vector<qturn::NewFile> files = {successor_of(a, content), successor_of(b, content)};
  {
    const qturn::FileDescriptor other(::open(b.c_str(), O_WRONLY));
    CHECK_THROWS_WITH(qturn::write_files(files, IfExists::replace),
                      b.string() + " changed meanwhile and was left as it is");
    CHECK(::write(other.get(), "saved", 5) == 5);
  }
  CHECK(content_of(a) == "old");
  CHECK(content_of(b) == "saved");
  CHECK(names_in(folder.path()) == Names{"a", "b"});
  // To read it is no reason.
  const qturn::FileDescriptor reader(::open(a.c_str(), O_RDONLY));
  CHECK(replace(files.front()).empty());
  CHECK(content_of(a) == "new");
}

TEST_CASE("a sparse file is read and written whole") {
  const TemporaryFolder folder;
  const fs::path a = folder.add("a", "x");
  REQUIRE(::truncate(a.c_str(), 3 << 20) == 0);
  const auto read = read_file(a);
  qturn::write_file(folder.path() / "b", read, a, IfExists::fail);
  CHECK(content_of(folder.path() / "b") == content_of(a));
}

TEST_CASE("a symbolic link is written through to its target") {
  const TemporaryFolder folder;
  const fs::path target = folder.add("x/target", "old");
  fs::create_symlink("x/target", folder.path() / "link");
  fs::create_symlink("link", folder.path() / "link_to_link");
  write_file(folder.path() / "link_to_link", "new");
  CHECK(content_of(target) == "new");
  CHECK(fs::is_symlink(folder.path() / "link"));
  CHECK(error_of([&] { write_file(folder.path() / "link", "x", {}, IfExists::fail); }) == EEXIST);

  fs::create_symlink("x/missing", folder.path() / "dangling");
  write_file(folder.path() / "dangling", "made", {}, IfExists::fail);
  CHECK(content_of(folder.path() / "x/missing") == "made");

  fs::create_symlink("loop", folder.path() / "loop");
  CHECK(error_of([&] { write_file(folder.path() / "loop", "x"); }) == ELOOP);
}

TEST_CASE("missing folders are made") {
  const TemporaryFolder folder;
  write_file(folder.path() / "x/y/z/a", "deep");
  CHECK(content_of(folder.path() / "x/y/z/a") == "deep");
  CHECK(error_of([&] { write_file(folder.path() / "x/y/z/a/b", "x"); }) == ENOTDIR);
}

TEST_CASE("a path without a folder is in the current one") {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  write_file("a", "here");
  write_file("x/b", "there");
  fs::current_path(before);
  CHECK(content_of(folder.path() / "a") == "here");
  CHECK(content_of(folder.path() / "x/b") == "there");
}

TEST_CASE("names of every length and of any bytes can be written") {
  const TemporaryFolder folder;
  std::string umlauts;
  for (int i = 0; i < 127; ++i) umlauts += "\xc3\xa4";
  const Names names = {std::string(255, 'a'), std::string(240, 'b'), std::string(242, 'c'), umlauts,
                       "a b%d[1]#@\n.jpg",    "\xff\xfe.png"};
  for (const std::string& name : names) write_file(folder.path() / name, name);
  CHECK(names_in(folder.path()) == names);
  for (const std::string& name : names) CHECK(content_of(folder.path() / name) == name);
  CHECK(error_of([&] { write_file(folder.path() / std::string(256, 'a'), "x"); }) == ENAMETOOLONG);
}

TEST_CASE("temporaries are known by their names") {
  CHECK(qturn::is_temporary_name(".a.jpg.qturn-abc012abcd"));
  CHECK(qturn::is_temporary_name(".a.jpg.qturn-abc012abcd", "abc012"));
  CHECK_FALSE(qturn::is_temporary_name(".a.jpg.qturn-abc012abcd", "bc012a"));
  CHECK_FALSE(qturn::is_temporary_name("a.jpg.qturn-abc012abcd"));
  CHECK_FALSE(qturn::is_temporary_name(".a.jpg.qturn-abc012abc"));
  CHECK_FALSE(qturn::is_temporary_name(".a.jpg.qturn-abc012abc.png"));
  CHECK_FALSE(qturn::is_temporary_name(".qturn"));
  CHECK_FALSE(qturn::is_temporary_name(""));
}

TEST_CASE("a full disk leaves the original and no temporary") {
  if (::geteuid() != 0) SKIP("only root can mount a small file system");
  const TemporaryFolder folder;
  if (::mount("none", folder.path().c_str(), "tmpfs", 0, "size=256k") != 0) {
    SKIP("no file system can be mounted here");
  }
  const fs::path a = folder.add("a", "old");
  CHECK(error_of([&] { write_file(a, std::string(1'000'000, 'x'), a); }) == ENOSPC);
  CHECK(content_of(a) == "old");
  CHECK(names_in(folder.path()) == Names{"a"});
  ::umount(folder.path().c_str());
}

TEST_CASE("a limit on file sizes leaves the original and no temporary") {
  const TemporaryFolder folder;
  const fs::path a = folder.add("a", "old");
  const bool held = holds_in_child([&] {
    const rlimit limit = {4096, 4096};
    ::signal(SIGXFSZ, SIG_IGN);
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    return error_of([&] { write_file(a, std::string(1'000'000, 'x'), a); }) == EFBIG;
  });
  CHECK(held);
  CHECK(content_of(a) == "old");
  CHECK(names_in(folder.path()) == Names{"a"});
}

TEST_CASE("an unwritable folder is an error that names the target") {
  const TemporaryFolder folder;
  const fs::path a = folder.add("x/a", "old");
  REQUIRE(::chmod((folder.path() / "x").c_str(), 0555) == 0);
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
  const bool held = holds_in_child([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return false;
    try {
      write_file(a, "new");
    } catch (const FileError& error) {
      return error.what() == "cannot write " + a.string() + ": Permission denied";
    }
    return false;
  });
  CHECK(held);
  CHECK(content_of(a) == "old");
}

TEST_CASE("a missing file to be like, and a target that is a folder, are errors") {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "x");
  CHECK(error_of([&] { write_file(folder.path() / "a", "new", folder.path() / "none"); }) ==
        ENOENT);
  CHECK(error_of([&] { write_file(folder.path() / "x", "new"); }) == EISDIR);
  CHECK(error_of([&] { write_file(folder.path() / "x", "new", {}, IfExists::fail); }) == EEXIST);
  CHECK(names_in(folder.path()) == Names{"x"});
}

TEST_CASE("a folder that goes away while files are written is an error, and no crash") {
  const TemporaryFolder folder;
  std::atomic<bool> stop = false;
  std::thread remover([&] {
    while (!stop) {
      ::rename((folder.path() / "x").c_str(), (folder.path() / "gone").c_str());
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  std::set<int> errors;
  for (int i = 0; i < 500; ++i) {
    errors.insert(error_of([&] { write_file(folder.path() / "x/a", "new"); }));
    std::error_code ignored;
    fs::remove_all(folder.path() / "gone", ignored);
  }
  stop = true;
  remover.join();
  errors.erase(0);
  errors.erase(ENOENT);
  CHECK(errors.empty());
}

TEST_CASE("whenever it is killed, the target is the old file or the new one") {
  const TemporaryFolder folder;
  const std::string odd(300'000, 'o');
  const std::string even(200'000, 'e');
  const fs::path a = folder.add("a", odd);
  int killed_between = 0;
  for (int round = 0; round < 60; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (;;) {
        write_file(a, even, a);
        write_file(a, odd, a);
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(2000 + round * 173));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);

    const std::string content = content_of(a);
    REQUIRE((content == odd || content == even));
    for (const std::string& name : names_in(folder.path())) {
      if (name == "a") continue;
      REQUIRE(qturn::is_temporary_name(name));
      fs::remove(folder.path() / name);
      ++killed_between;
    }
  }
  CHECK(killed_between > 0);
}

}  // namespace safe_file_test
