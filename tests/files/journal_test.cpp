#include "src/files/journals.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <fstream>
#include <set>

#include "src/files/backup.hpp"
#include "src/files/safe_file.hpp"
#include "src/picture/errors.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace journal_test {

namespace fs = std::filesystem;
using namespace qturn;
using Catch::Matchers::ContainsSubstring;

namespace {

std::set<fs::path> flushed;

ContentHash hash(const std::string& text) { return hash_of(std::as_bytes(std::span(text))); }

IntendedFile file(const fs::path& folder, const std::string& name) {
  return {folder / name, folder / ("." + name + ".qturn-" + run_id() + "aaaa"), hash("old"),
          hash("new")};
}

JournalOptions options_for(const fs::path& root) {
  return {.roots = {{root, {"."}}}, .operation = "cw", .in_place = true};
}

std::unique_ptr<Journals> open(const JournalOptions& options) {
  auto journals = std::make_unique<Journals>(options, std::span<const fs::path>());
  journals->begin([] { return std::set<fs::path>(); });
  return journals;
}

/// Where lines begin and end: 0, and the place after the end of each.
std::vector<std::size_t> ends_of_lines(const std::string& text) {
  std::vector<std::size_t> ends = {0};
  while (ends.back() < text.size()) ends.push_back(text.find('\n', ends.back()) + 1);
  return ends;
}

std::string error_of(const JournalOptions& options) {
  try {
    open(options);
  } catch (const FileError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

/// Instead of libc's.
extern "C" int fsync(int file) {
  flushed.insert(fs::read_symlink("/proc/self/fd/" + std::to_string(file)));
  return static_cast<int>(::syscall(SYS_fsync, file));
}

TEST_CASE("hashes are those of XXH3, and are read back from their digits") {
  // Of xxhsum -H2 of an empty file.
  CHECK(digits_of(hash("")) == "99aa06d3014798d86001c324468d497f");
  CHECK(hash_of_digits(digits_of(hash("x"))) == hash("x"));
  CHECK_FALSE(hash_of_digits("99aa"));
  CHECK_FALSE(hash_of_digits(std::string(32, 'x')));
  const TemporaryFolder folder;
  const std::string large(3'000'000, 'x');
  CHECK(hash_of_file(folder.add("a", large)) == hash(large));
  CHECK_FALSE(hash_of_file(folder.path() / "none"));
}

TEST_CASE("a journal is read back as it was written, with names of any bytes") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "journal";
  const JournalHeader header{"cw", {".", "\xff\n"}};
  const Intent done = {file(folder.path(), "\xfe\".jpg")};
  const Intent begun = {file(folder.path(), "b.jpg"), file(folder.path(), "b.xmp")};
  const Intent given_up = {file(folder.path(), "c.jpg")};
  {
    Journal journal(path, folder.path(), header, {}, true);
    CHECK_FALSE(journal.has_intents());
    const Intent* all[] = {&done, &begun, &given_up};
    journal.intend(all);
    journal.give_up(given_up);
  }
  folder.add(begun[1].temporary, "half");
  auto content = read_journal(path, folder.path());
  REQUIRE(content);
  CHECK(content->header.is_of_same_run(header));
  CHECK(content->runs == std::vector{run_id()});
  CHECK_FALSE(content->is_complete);
  REQUIRE(content->begun.size() == 1);
  CHECK(content->begun.front().back().target == folder.path() / "b.xmp");
  CHECK(content->begun.front().back().temporary == begun[1].temporary);
  CHECK(content->files.size() == 3);
  CHECK(content->pictures == 2);
  CHECK(content->bytes == fs::file_size(path));

  Journal journal(path, folder.path(), header, std::move(content), true);
  const auto* known = journal.before(done.front().target);
  REQUIRE(known);
  CHECK(known->result == hash("new"));
  CHECK_FALSE(journal.before(given_up.front().target));
  journal.end();
  CHECK(read_journal(path, folder.path())->is_complete);
}

TEST_CASE("a journal that is cut anywhere is read up to its last whole line") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "journal";
  const Intent intent = {file(folder.path(), "a.jpg")};
  {
    Journal journal(path, folder.path(), {"cw", {"."}}, {}, false);
    const Intent* all[] = {&intent};
    journal.intend(all);
  }
  const std::string whole = content_of(path);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    folder.add("journal", whole.substr(0, length));
    const auto content = read_journal(path, folder.path());
    const std::size_t last = whole.rfind('\n', length == 0 ? 0 : length - 1);
    if (length == 0 || last == std::string::npos) {
      CHECK_FALSE(content);
    } else {
      REQUIRE(content);
      CHECK(content->bytes == last + 1);
    }
  }
  folder.add("journal", whole + "\n" + whole);
  CHECK_THROWS_WITH(read_journal(path, folder.path()), ContainsSubstring("line 3 of the journal"));
  folder.add("journal", "my notes");
  CHECK_THROWS_WITH(read_journal(path, folder.path()), ContainsSubstring("is not a journal"));
}

TEST_CASE("a journal that is cut in its middle is refused, with the line where that shows") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "journal";
  {
    Journal journal(path, folder.path(), {"cw", {"."}}, {}, false);
    for (const char* name : {"a.jpg", "b.jpg", "c.jpg"}) {
      const Intent intent = {file(folder.path(), name)};
      const Intent* all[] = {&intent};
      journal.intend(all);
    }
  }
  Journal(path, folder.path(), {"cw", {"."}}, read_journal(path, folder.path()), false).end();
  REQUIRE(read_journal(path, folder.path())->is_complete);

  const std::string whole = content_of(path);
  const std::vector<std::size_t> ends = ends_of_lines(whole);
  REQUIRE(ends.size() == 7);  // 6 lines
  // Whole lines, which leave what looks like a journal: a.jpg would be turned once more.
  for (std::size_t begin = 1; begin < 5; ++begin) {
    for (std::size_t end = begin + 1; end < 6; ++end) {
      CAPTURE(begin, end);
      folder.add("journal", whole.substr(0, ends[begin]) + whole.substr(ends[end]));
      CHECK_THROWS_WITH(read_journal(path, folder.path()),
                        ContainsSubstring(fmt::format("line {} of the journal", begin + 1)) &&
                            ContainsSubstring("does not follow the one before it"));
    }
  }
  // Parts of lines.
  for (std::size_t begin = ends[1] + 1; begin < ends[2] - 1; ++begin) {
    CAPTURE(begin);
    folder.add("journal", whole.substr(0, begin) + whole.substr(begin + ends[3] - ends[2]));
    CHECK_THROWS_AS(read_journal(path, folder.path()), FileError);
  }
  folder.add("journal", whole.substr(ends[1]));
  CHECK_THROWS_WITH(read_journal(path, folder.path()), ContainsSubstring("is not a journal"));
}

TEST_CASE("another byte anywhere in a journal is noticed, in its last line, too") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "journal";
  const Intent intent = {file(folder.path(), "a.jpg"), file(folder.path(), "a.xmp")};
  {
    Journal journal(path, folder.path(), {"cw", {"."}}, {}, true);
    const Intent* all[] = {&intent};
    journal.intend(all);
  }
  const std::string whole = content_of(path);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char to : {static_cast<char>(whole[at] ^ 1), static_cast<char>(whole[at] ^ 0x20)}) {
      CAPTURE(at, to);
      std::string other = whole;
      other[at] = to;
      folder.add("journal", other);
      CHECK_THROWS_AS(read_journal(path, folder.path()), FileError);
    }
    if (whole[at] == '\n' || at == 0 || whole[at - 1] == '\n') continue;
    std::string zero = whole;
    zero[at] = '\0';
    folder.add("journal", zero);
    CHECK_THROWS_AS(read_journal(path, folder.path()), FileError);
  }
}

TEST_CASE("a picture takes at most 100 bytes of a journal, beyond its path") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "journal";
  constexpr std::size_t pictures = 2000;
  {
    Journal journal(path, folder.path(), {"cw", {"."}, "1"}, {}, true);
    std::vector<Intent> intents;
    for (std::size_t i = 0; i < pictures; ++i)
      intents.push_back({file(folder.path(), fmt::format("{:05}.jpg", i))});
    for (std::size_t i = 0; i < pictures; i += 16) {
      std::vector<const Intent*> group;
      for (std::size_t j = i; j < std::min(i + 16, pictures); ++j) group.push_back(&intents[j]);
      journal.intend(group);
    }
  }
  CHECK(fs::file_size(path) <= pictures * (100 + std::string_view("00000.jpg").size()));
  CHECK((fs::status(path).permissions() & fs::perms::mask) ==
        (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("journals of version 1 are read, and gone on with") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "journal";
  const std::string hashes = R"("source":")" + digits_of(hash("old")) + R"(","result":")" +
                             digits_of(hash("new")) + R"(")";
  folder.add("journal",
             R"({"qturn_journal":1,"operation":"cw","inputs":[{"name":"."}],"run":"abcdef",)"
             R"("originals":"1","line":1})"
             "\n"
             R"({"intent":"a.jpg","temporary":".a.jpg.qturn-abcdefaaaa",)" +
                 hashes + R"(,"with":[{"name":"a.xmp","temporary":".a.xmp.qturn-abcdefaaab",)" +
                 hashes +
                 R"(}],"line":2})"
                 "\n"
                 R"({"done":"a.jpg","flushed":2,"line":3})"
                 "\n"
                 R"({"intent":"b.jpg","temporary":".b.jpg.qturn-abcdefaaac",)" +
                 hashes +
                 R"(,"with":[],"line":4})"
                 "\n"
                 R"({"given_up":"b.jpg","line":5})"
                 "\n");
  auto content = read_journal(path, folder.path());
  REQUIRE(content);
  CHECK(content->files.size() == 2);
  CHECK(content->begun.empty());
  CHECK(content->of(folder.path() / "a.xmp", folder.path())->source == hash("old"));
  const Intent intent = {file(folder.path(), "c.jpg")};
  {
    Journal journal(path, folder.path(), {"cw", {"."}}, std::move(content), true);
    const Intent* all[] = {&intent};
    journal.intend(all);
  }
  CHECK(read_journal(path, folder.path())->files.size() == 3);
}

TEST_CASE(
    "zeros that a power cut leaves are cut off with what follows, unless that relied on them") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "journal";
  const Intent first = {file(folder.path(), "a.jpg")}, second = {file(folder.path(), "b.jpg")},
               third = {file(folder.path(), "c.jpg")};
  {
    Journal journal(path, folder.path(), {"cw", {"."}}, {}, true);
    const Intent* all[] = {&first, &second};
    journal.intend(all);
    journal.give_up(second);
    const Intent* more[] = {&third};
    journal.intend(more);
  }
  const std::string whole = content_of(path);
  const std::vector<std::size_t> ends = ends_of_lines(whole);
  REQUIRE(ends.size() == 6);  // 5 lines
  const auto with_zeros = [&](std::size_t from, std::size_t to) {
    std::string text = whole;
    std::fill(text.begin() + static_cast<std::ptrdiff_t>(from),
              text.begin() + static_cast<std::ptrdiff_t>(to), '\0');
    folder.add("journal", text);
    return read_journal(path, folder.path());
  };
  for (std::size_t from = ends[3]; from < whole.size(); ++from) {
    CAPTURE(from);
    const auto content = with_zeros(from, whole.size());
    REQUIRE(content);
    CHECK(content->lines == (from < ends[4] ? 3 : 4));
  }
  for (std::size_t to = ends[3] + 1; to < ends[4]; ++to) {
    CAPTURE(to);
    const auto content = with_zeros(ends[3], to);
    REQUIRE(content);
    CHECK(content->lines == 3);
    CHECK(content->files.size() == 2);
  }
  for (std::size_t from = ends[3] + 1; from + 1 < ends[4]; ++from) {
    CAPTURE(from);
    CHECK(with_zeros(from, ends[4])->lines == 3);
    CHECK_THROWS_WITH(with_zeros(from, ends[4] - 1), ContainsSubstring("line 4 of the journal"));
  }
  CHECK_THROWS_WITH(with_zeros(ends[1] + 9, ends[2]), ContainsSubstring("line 2 of the journal"));
  CHECK_THROWS_WITH(with_zeros(ends[2], ends[3]), ContainsSubstring("line 3 of the journal"));
  CHECK_THROWS_WITH(with_zeros(ends[1], ends[3]), ContainsSubstring("line 2 of the journal"));
  CHECK_THROWS_WITH(with_zeros(0, ends[1]), ContainsSubstring("is not a journal"));
  CHECK_FALSE(with_zeros(0, whole.size()));
}

TEST_CASE("a journal that is never flushed relies on no line, unless it is of a run in place") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "journal";
  const Intent intent = {file(folder.path(), "a.jpg")};
  const auto with_zeros = [&](const JournalHeader& header, std::size_t line, std::size_t from) {
    fs::remove(path);
    {
      Journal journal(path, folder.path(), header, {}, false);
      const Intent* all[] = {&intent, &intent};
      journal.intend(all);
    }
    std::string text = content_of(path);
    const std::vector<std::size_t> ends = ends_of_lines(text);
    const std::size_t begin = ends[line - 1] + from, bytes = ends[line] - begin;
    folder.add("journal", text.replace(begin, bytes, bytes, '\0'));
    return read_journal(path, folder.path());
  };
  const JournalHeader to_folder = {"cw", {"."}}, in_place = {"cw", {"."}, "1"};
  for (const std::size_t from : {0, 9}) {
    CHECK(with_zeros(to_folder, 2, from)->files.empty());
    CHECK_FALSE(with_zeros(to_folder, 1, from));
    CHECK_THROWS_WITH(with_zeros(in_place, 2, from), ContainsSubstring("line 2 of the journal"));
    CHECK_THROWS_WITH(with_zeros(in_place, 1, from), ContainsSubstring("is not a journal"));
  }
}

TEST_CASE("what belongs to a picture follows it, and temporaries of other runs stay") {
  const TemporaryFolder folder;
  const JournalOptions options = options_for(folder.path());
  const Intent intent = {file(folder.path(), "a.jpg"), file(folder.path(), "a.xmp")};
  {
    Journal journal(folder.path() / journal_name, folder.path(), {"cw", {"."}}, {}, true);
    const Intent* all[] = {&intent};
    journal.intend(all);
  }
  folder.add("a.jpg", "new");
  folder.add("a.xmp", "old");
  folder.add(intent[1].temporary, "new");
  folder.add(".b.jpg.qturn-" + run_id() + "bbbb", "half");
  folder.add(".b.jpg.qturn-othersbbbb", "half");
  CHECK_THAT(error_of(options), ContainsSubstring("a new run could turn pictures twice"));
  CHECK_THROWS_AS(open(options), WithHints<FileError>);

  JournalOptions resume = options;
  resume.start = JournalOptions::Start::resume;
  const auto journals = open(resume);
  CHECK(content_of(folder.path() / "a.xmp") == "new");
  CHECK(journals->is_done(folder.path() / "a.jpg", folder.path() / "a.jpg"));
  CHECK_FALSE(journals->is_done(folder.path() / "b.jpg", folder.path() / "b.jpg"));
  CHECK_FALSE(fs::exists(folder.path() / (".b.jpg.qturn-" + run_id() + "bbbb")));
  CHECK(fs::exists(folder.path() / ".b.jpg.qturn-othersbbbb"));
  folder.add("a.jpg", "old");
  CHECK_FALSE(journals->is_done(folder.path() / "a.jpg", folder.path() / "a.jpg"));
  folder.add("a.jpg", "edited");
  CHECK_THROWS_AS(journals->is_done(folder.path() / "a.jpg", folder.path() / "a.jpg"), FileError);
  CHECK(journals->finish(true).empty());
  CHECK_FALSE(fs::exists(folder.path() / journal_name));
}

TEST_CASE("the record of a run says where each original is, wherever its folder has gone") {
  const TemporaryFolder folder;
  const fs::path in = folder.path() / "in", run = folder.path() / "kept/run";
  const auto kept = [&](const std::string& name) {
    IntendedFile each = file(in, name);
    each.backup = run / name;
    return each;
  };
  fs::create_directories(run);
  const Intent done = {kept("a.jpg"), kept("a.xmp")}, given_up = {kept("b.jpg")},
               begun = {kept("c.jpg")};
  {
    Journal record(run / record_names[0], run,
                   {.operation = "cw", .inputs = {in.string()}, .is_record = true}, {}, true);
    const Intent* all[] = {&done, &given_up, &begun};
    record.intend(all);
    record.give_up(given_up);
  }
  folder.add("kept/run/a.jpg", "old");
  folder.add("in/b.jpg", "old");
  fs::create_hard_link(in / "b.jpg", run / "b.jpg");  // of what was given up
  const fs::path moved = folder.path() / "moved/here";
  fs::create_directories(moved.parent_path());
  fs::rename(run, moved);
  CHECK(runs_in(folder.path() / "kept").empty());
  CHECK(runs_in(folder.path() / "moved") == std::vector{moved});
  const KeptRun read = read_run(moved);
  CHECK(read.header.is_record);
  CHECK(read.header.inputs == std::vector{in.string()});
  REQUIRE(read.pictures.size() == 2);
  REQUIRE(read.pictures[0].size() == 2);
  CHECK(read.pictures[0][1].target == in / "a.xmp");
  CHECK(read.pictures[0][1].backup == moved / "a.xmp");
  CHECK(read.pictures[0][0].source == hash("old"));
  CHECK(read.pictures[1][0].backup == moved / "c.jpg");
  CHECK(read.files == 3);
  CHECK(read.files_kept == 1);
  CHECK(read.bytes_kept == 3);
  tidy(read);
  CHECK_FALSE(fs::exists(moved / "b.jpg"));
  CHECK(fs::exists(moved / "a.jpg"));
  CHECK(fs::exists(moved / record_names[0]));
}

TEST_CASE("the name of a folder that another thread has just made is flushed before a backup") {
  const TemporaryFolder folder;
  const fs::path run = folder.path() / "run", original = folder.add("a.jpg", "old");
  fs::create_directories(run / "x/y");  // by another thread, which has not flushed it yet
  flushed.clear();
  Backup(original, run / "x/y/a.jpg", run, true, nullptr).keep();
  for (const fs::path& each : {run, run / "x", run / "x/y"}) {
    CAPTURE(each);
    CHECK(flushed.contains(each));
  }
  CHECK_FALSE(flushed.contains(folder.path()));
  flushed.clear();
  Backup(original, run / "x/y/b.jpg", run, false, nullptr).keep();
  CHECK(flushed.empty());
}

TEST_CASE("two runs cannot hold one folder") {
  const TemporaryFolder folder;
  const auto journals = open(options_for(folder.path()));
  CHECK_THAT(error_of(options_for(folder.path())),
             ContainsSubstring("is working here; wait until it ends"));
}

}  // namespace journal_test
