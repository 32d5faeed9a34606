// The record of a run in place outlives the run: what later runs know by it.
#include <sys/stat.h>
#include <utime.h>

#include <catch2/generators/catch_generators.hpp>

#include <fstream>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"

namespace record_test {

using namespace cli;
using qturn::Orientation;

namespace {

const Words in_place = {"cw", "in", "--in-place"};
const Words again = {"cw", "in", "--in-place", "--resume"};

std::string picture(int number) { return png(numbered_picture(number)); }

void add_pictures(const Workplace& workplace) {
  for (int i = 0; i < 3; ++i) workplace.add("in/" + std::to_string(i) + ".png", picture(i));
}

/// What it becomes when it is turned once.
std::string once(int seed) {
  Workplace workplace;
  workplace.add("in/a.png", picture(seed));
  workplace.done(in_place);
  return workplace.content("in/a.png");
}

void rename(const Workplace& workplace, const fs::path& from, const fs::path& to) {
  fs::create_directories((workplace.path() / to).parent_path());
  fs::rename(workplace.path() / from, workplace.path() / to);
}

Names records_of(const Workplace& workplace) {
  Names names;
  if (!fs::exists(workplace.records())) return names;
  for (const auto& entry : fs::directory_iterator(workplace.records()))
    names.insert(entry.path().filename());
  return names;
}

std::string any_record_of(const Workplace& workplace) {
  return content_of(workplace.records() / *records_of(workplace).begin());
}

/// What lies in a folder that nobody sees.
Names hidden_in(const Workplace& workplace, const fs::path& folder) {
  Names names;
  for (const auto& entry : fs::directory_iterator(workplace.path() / folder))
    if (entry.path().filename().string().starts_with('.')) names.insert(entry.path().filename());
  return names;
}

}  // namespace

TEST_CASE_METHOD(Workplace,
                 "A run in place that is done is known to --resume, and leaves nothing") {
  add_pictures(*this);
  done(in_place);
  const auto turned = tree("in");
  CHECK(hidden_in(*this, "in").empty());
  REQUIRE(records_of(*this).size() == 1);
  const std::string record = any_record_of(*this);
  CHECK(is_ended_journal(record));
  for (const char* says :
       {"\"operation\":\"rotate90 ", "\"root\":\"", "\"began\":\"", "\"ended\":\""})
    CHECK_THAT(record, ContainsSubstring(says));
  struct stat status;
  REQUIRE(::stat((records() / *records_of(*this).begin()).c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);

  done(again, "0 of 3 pictures written, 3 done before");
  CHECK(tree("in") == turned);
  // Now it lies beside the pictures, and once.
  CHECK(hidden_in(*this, "in") == Names{".qturn-journal"});
  CHECK(records_of(*this).empty());
  done(again);
  CHECK(tree("in") == turned);
}

TEST_CASE_METHOD(Workplace, "A picture that was renamed or moved since is known by its content") {
  const bool is_beside = GENERATE(false, true);
  add_pictures(*this);
  add("in/0.txt", "0 0.25 0.5 0.1 0.2\n");
  done(is_beside ? again : in_place);
  rename(*this, "in/0.png", "in/new name.png");
  rename(*this, "in/0.txt", "in/new name.txt");
  rename(*this, "in/1.png", "in/deep/1.png");
  // Over one that is recorded, too.
  fs::remove(path() / "in/2.png");
  rename(*this, "in/deep/1.png", "in/2.png");
  const auto before = tree("in");
  done(again);
  CHECK(tree("in") == before);

  // What is new is turned, also a copy of a result that is still where it was.
  add("in/3.png", picture(3));
  done(again);
  CHECK(content("in/3.png") == once(3));
  add("in/4.png", once(3));
  done(again);
  CHECK(content("in/4.png") != once(3));
  CHECK(content("in/3.png") == once(3));
}

TEST_CASE_METHOD(Workplace, "A picture that is recorded is what the record says, or left by name") {
  add_pictures(*this);
  add("in/same.ppm", "P6 1 1 255\nabc");
  done(in_place);
  const std::string turned = content("in/1.png");
  add("in/0.png", picture(0));   // put back
  add("in/2.png", picture(20));  // edited
  const Result result = failed(again);
  CHECK(content("in/0.png") == once(0));
  CHECK(content("in/1.png") == turned);
  CHECK(content("in/2.png") == picture(20));
  CHECK_THAT(result.err, ContainsSubstring("in/2.png: is neither the original nor what"));
  CHECK_THAT(result.err, ContainsSubstring("1 of 5 pictures written") ||
                             ContainsSubstring("1 of 4 pictures written"));
  done({"cw", "in", "--in-place", "--restart"});
  CHECK(content("in/1.png") != turned);
}

TEST_CASE_METHOD(Workplace, "Without --resume a record stops no run, and the run warns") {
  add_pictures(*this);
  done(in_place);
  const auto turned = tree("in");
  done(in_place, {"these 3 pictures were turned by rotate90 ", " ago, and will be turned again"});
  CHECK(tree("in") != turned);
  // The last one counts.
  const auto twice = tree("in");
  done(again);
  CHECK(tree("in") == twice);
  // So does one beside the pictures.
  done(in_place, "these 3 pictures were turned by rotate90 ");
  // Another operation warns of nothing.
  CHECK(done({"ccw", "in", "--in-place"}).err.find("turned by") == std::string::npos);
}

TEST_CASE_METHOD(Workplace,
                 "Option --no-record leaves none, and --resume says when there is none") {
  add_pictures(*this);
  done(with(in_place, {"--no-record"}));
  CHECK(records_of(*this).empty());
  CHECK(hidden_in(*this, "in").empty());
  done(again, "no record of one that is done, so this one begins");
  refused(with(again, {"--no-record"}));
}

TEST_CASE_METHOD(Workplace, "Records end after 30 days; where none can be kept it stays beside") {
  add_pictures(*this);
  done(in_place);
  const fs::path old = records() / *records_of(*this).begin();
  const std::time_t then = std::time(nullptr) - 31 * 86400;
  const struct utimbuf times = {then, then};
  REQUIRE(::utime(old.c_str(), &times) == 0);
  done({"flop", "in", "--in-place"});
  CHECK_FALSE(fs::exists(old));
  CHECK(records_of(*this).size() == 1);

  environment["XDG_STATE_HOME"] = "/dev/null";
  done({"flip", "in", "--in-place"},
       {"warning: ", "the record of this run stays in in/.qturn-journal"});
  const auto now = tree("in");
  done({"flip", "in", "--in-place", "--resume"});
  CHECK(tree("in") == now);
}

TEST_CASE("Killed at any of its last calls, a run is known to --resume, whatever was renamed") {
  Workplace whole;
  add_pictures(whole);
  whole.done(in_place);
  int kills = 0, records = 0;
  for (int call = 1;; ++call) {
    CAPTURE(call);
    Workplace workplace;
    add_pictures(workplace);
    const bool is_killed = workplace.killed_at(call, in_place).exit_code != 0;
    records += records_of(workplace).empty() ? 0 : 1;
    for (const char* name : {"0", "1"})
      rename(workplace, std::string("in/") + name + ".png", std::string("in/new/") + name + ".png");
    workplace.done(again);
    for (const char* name : {"new/0", "new/1", "2"})
      CHECK(workplace.content(std::string("in/") + name + ".png") ==
            whole.content("in/" + fs::path(name).filename().string() + ".png"));
    if (!is_killed) break;
    ++kills;
  }
  CHECK(kills > 20);
  CHECK(records > 2);
}

TEST_CASE_METHOD(Workplace, "A damaged record is named, and lets no picture be turned twice") {
  add_pictures(*this);
  done(in_place);
  const fs::path record = records() / *records_of(*this).begin();
  const std::string whole = content_of(record);
  const auto turned = tree("in");
  for (const std::size_t at : {whole.find("0.png"), whole.find("2.png") + 20, whole.size() - 4}) {
    std::string other = whole;
    other[at] ^= 1;
    std::ofstream(record, std::ios::binary) << other;
    refused(again, "is damaged");
  }
  CHECK(tree("in") == turned);
}

TEST_CASE_METHOD(Workplace, "Another run in the folder leaves an unfinished one and its pictures") {
  add_pictures(*this);
  add("in/bad.png", picture(7).substr(0, 60));
  const Words list = {"cw", "in/0.png", "in/1.png", "in/bad.png", "--in-place"};
  failed(list);
  const std::string journal = content("in/.qturn-journal");
  const std::string turned = content("in/0.png");
  for (const Words& more : {Words(), Words{"--restart"}}) {
    failed(with({"flop", "in/0.png", "in/2.png", "--in-place"}, more),
           {"in/0.png: 'rotate90 ", "is not complete"});
    CHECK(content("in/0.png") == turned);
    CHECK(content("in/.qturn-journal") == journal);
  }
  CHECK(content("in/2.png") != picture(2));
  // Its own journal is unfinished now, and is found again.
  const Words own = {"flop", "in/0.png", "in/2.png", "--in-place", "--resume"};
  CHECK(hidden_in(*this, "in").size() == 2);
  failed(own);
  add("in/bad.png", picture(7));
  done(with(list, {"--resume"}));
  CHECK(content("in/0.png") == turned);
  CHECK(content("in/bad.png") == once(7));
  const std::string other = content("in/2.png");
  CHECK(content("in/2.png") == other);
}

TEST_CASE_METHOD(Workplace,
                 "A signal that comes after the last file is in its place changes nothing") {
  add_pictures(*this);
  signal_at(SIGTERM, "2.png");
  environment["QTURN_TEST_SIGNAL_AT"] = "2.png";
  const Result result = qturn(with(in_place, {"-j", "1"}));
  environment.clear();
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, ContainsSubstring("3 of 3 pictures written"));
  CHECK(result.err.find("interrupted") == std::string::npos);
  CHECK(result.err.find("--resume") == std::string::npos);
  CHECK(records_of(*this).size() == 1);
}

}  // namespace record_test
