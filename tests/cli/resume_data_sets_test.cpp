// Runs over data sets in place that are killed or fail in part: pictures and what belongs to them
// stay in step, and the next run knows what is done.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cli/labelled.hpp"

namespace resume_data_sets_test {

using namespace cli;

namespace {

const std::string label = "0 0.25 0.5 0.1 0.20\n";
const std::string clockwise = "0 0.5 0.25 0.20 0.1\n";
const std::string temporary = "qturn-aaaaaabbbb";
const Words in_place = {"cw", "d", "--in-place", "-j1"};
const Words resumed = {"cw", "d", "--in-place", "-j1", "--resume"};

void add_data_set(const Workplace& workplace) {
  for (const std::string name : {"a", "b"}) {
    workplace.add("d/images/" + name + ".png", png(labelled_picture));
    workplace.add("d/labels/" + name + ".txt", label);
    workplace.add("d/masks/" + name + "_mask.png", png(random_picture(9, 5, 1)));
  }
}

auto tree_of_whole_run(const Words& words) {
  const Workplace workplace;
  add_data_set(workplace);
  workplace.done(words);
  return workplace.tree("d");
}

/// The environment of a run that meets a disk of the tests.
std::map<std::string, std::string> disturbed_by(const std::string& name, const std::string& value) {
  return Workplace::on_disturbed_disk({{name, value}});
}

/// Everything that the run has for itself.
bool has_own_files(const Workplace& workplace) {
  for (const auto& entry : fs::recursive_directory_iterator(workplace.path())) {
    const bool is_own = entry.path().filename().string().find("qturn-") != std::string::npos;
    const fs::path folder = entry.path().parent_path();
    const bool is_journal = entry.path().filename() == ".qturn-journal";
    if (is_journal ? workplace.has_open_journal(folder) : is_own) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("Killed when any file of a data set gets its name, a run in place can be resumed") {
  const auto wanted = tree_of_whole_run(in_place);
  for (const char* at : {"SIGNAL_AT", "SIGNAL_BEFORE"}) {
    for (const char* end : {"a.png", "a.txt", "a_mask.png", "b.png", "b.txt", "b_mask.png"}) {
      CAPTURE(at, end);
      Workplace workplace;
      add_data_set(workplace);
      workplace.environment = disturbed_by("QTURN_TEST_SIGNAL", std::to_string(SIGKILL));
      workplace.environment[std::string("QTURN_TEST_") + at] = end;
      const Result killed = workplace.qturn(in_place);
      workplace.environment.clear();
      REQUIRE(killed.exit_code == 128 + SIGKILL);
      workplace.done(resumed);
      CHECK(workplace.tree("d") == wanted);
      CHECK_FALSE(has_own_files(workplace));
    }
  }
}

TEST_CASE_METHOD(Workplace,
                 "What a killed run has left is not taken for labels, masks, sidecars or inputs") {
  add_data_set(*this);
  const auto wanted = tree_of_whole_run(in_place);
  const auto add_all = [&] {
    for (const std::string place : {"images", "labels", "masks", "Annotations"})
      for (const std::string name : {"a.png", "a.txt", "a.xml", "a.json", "a.xmp"})
        add("d/" + place + "/." + name + "." + temporary, "half");
  };
  const auto remove_all = [&] {
    for (const std::string place : {"images", "labels", "masks", "Annotations"})
      for (const std::string name : {"a.png", "a.txt", "a.xml", "a.json", "a.xmp"})
        fs::remove(path() / ("d/" + place + "/." + name + "." + temporary));
  };
  add_all();
  done({"check", "d", "--labels", "--hidden"});
  done({"cw", "d", "--in-place", "--hidden"});
  remove_all();
  CHECK(tree("d") == wanted);

  // Of a list, too.
  add_all();
  add("list", "d/images/a.png\nd/images/.a.png." + temporary + "\n");
  done({"cw", "--files-from", "list", "-o", "out"}, "1 file of an interrupted run");
  CHECK(files("out") ==
        std::set<std::string>{"d/images/a.png", "d/labels/a.txt", "d/masks/a_mask.png"});
}

TEST_CASE_METHOD(Workplace, "A resumed run is not told to turn the pictures alone") {
  add_data_set(*this);
  REQUIRE(signalled_at(SIGKILL, ".png", in_place).exit_code == 128 + SIGKILL);
  add("d/Annotations/b.mat", "what is this?");
  const Result result = refused(resumed, "correct that, then --resume again");
  CHECK(result.err.find("--labels none") == std::string::npos);
}

TEST_CASE("A label or a mask that cannot follow its picture is put in its place by --resume") {
  const auto wanted = tree_of_whole_run(in_place);
  for (const std::string end : {"a.txt", "b.txt"}) {
    CAPTURE(end);
    Workplace workplace;
    add_data_set(workplace);
    workplace.environment = disturbed_by("QTURN_TEST_RENAME", end);
    const Result failed = workplace.qturn(in_place);
    workplace.environment.clear();
    CHECK(failed.exit_code == 1);
    CHECK_THAT(failed.err, ContainsSubstring("is written, but not all that belongs to it") &&
                               ContainsSubstring("labels/" + end));
    CHECK_THAT(failed.err, ContainsSubstring("written with them: 1 label, 2 masks"));
    CHECK(workplace.content("d/labels/" + end) == label);
    workplace.refused(in_place);
    workplace.done(resumed);
    CHECK(workplace.tree("d") == wanted);
    CHECK_FALSE(has_own_files(workplace));
  }
}

TEST_CASE("A sidecar that cannot follow its picture is put in its place by --resume, or named") {
  for (const bool is_lost : {false, true}) {
    CAPTURE(is_lost);
    Workplace workplace;
    const std::string packet =
        "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF "
        "xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description rdf:about='' "
        "xmlns:tiff='http://ns.adobe.com/tiff/1.0/' tiff:Orientation='6'/></rdf:RDF></x:xmpmeta>";
    workplace.add("d/a.png", png(labelled_picture));
    workplace.add("d/a.xmp", packet);
    const Words words = {"cw", "d", "--in-place", "--sidecars"};
    workplace.environment = disturbed_by("QTURN_TEST_RENAME", "a.xmp");
    workplace.failed(words);
    workplace.environment.clear();
    CHECK(workplace.content("d/a.xmp") == packet);
    if (is_lost)
      for (const auto& entry : fs::directory_iterator(workplace.path() / "d"))
        if (entry.path().filename().string().starts_with(".a.xmp")) fs::remove(entry.path());
    const Result result = workplace.qturn({"cw", "d", "--in-place", "--sidecars", "--resume"});
    CAPTURE(result.err);
    CHECK(result.exit_code == (is_lost ? 1 : 0));
    CHECK((workplace.content("d/a.xmp") == packet) == is_lost);
    if (is_lost) CHECK_THAT(result.err, ContainsSubstring("d/a.png is turned and d/a.xmp is not"));
  }
}

TEST_CASE_METHOD(Workplace,
                 "A picture and a label that are out of step are found where a journal knows it") {
  add_data_set(*this);
  done({"check", "d", "--labels"});
  environment = disturbed_by("QTURN_TEST_RENAME", "a.txt");
  failed(in_place);
  environment.clear();
  const Result result = failed({"check", "d", "--labels"});
  CHECK_THAT(result.out,
             ContainsSubstring("d/labels/a.txt: out of step: its picture is turned and it is not, "
                               "says d/.qturn-journal; resume the run that was interrupted\n"));
  CHECK(result.out.find("b.txt") == std::string::npos);
  CHECK_THAT(qturn({"check", "d/images", "--labels"}).out,
             ContainsSubstring("labels/a.txt: out of step"));
  done(resumed);
  done({"check", "d", "--labels"});
}

TEST_CASE_METHOD(Workplace,
                 "Killed when it removes its journal, a run in place is not repeated by accident") {
  add_data_set(*this);
  const auto wanted = tree_of_whole_run(in_place);
  // The last calls that change the disk remove the journal and the lock.
  int last = 1;
  for (;; ++last) {
    Workplace trial;
    add_data_set(trial);
    trial.environment = disturbed_by("QTURN_TEST_KILL", std::to_string(last));
    if (trial.qturn(in_place).exit_code == 0) break;
    REQUIRE(last < 500);
    if (trial.tree("d") != wanted || !trial.exists("d/.qturn-journal")) continue;
    trial.environment.clear();
    trial.refused(in_place);
    trial.done(resumed);
    CHECK(trial.tree("d") == wanted);
  }
}

TEST_CASE_METHOD(Workplace, "A lock is held by an open file, and by nothing else") {
  add_data_set(*this);
  const fs::path lock = add("d/.qturn-lock", "{\"host\":\"elsewhere\",\"process\":7}\n");
  const int file = ::open(lock.c_str(), O_RDWR | O_CLOEXEC);
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  REQUIRE(::fcntl(file, F_OFD_SETLK, &whole) == 0);
  refused(in_place, "d: another qturn (process 7 on elsewhere) is working here; wait");
  ::close(file);
  done(in_place);
  CHECK_FALSE(exists("d/.qturn-lock"));
}

TEST_CASE_METHOD(Workplace, "A killed run that nobody has reaped holds nothing") {
  add_data_set(*this);
  signal_at(SIGKILL, ".png");
  const auto killed = start(in_place);
  environment.clear();
  Workplace::wait_until([&] { return !killed.is_running(); });
  REQUIRE(exists("d/.qturn-lock"));
  done(resumed);
  CHECK(killed.wait().exit_code == 128 + SIGKILL);
}

TEST_CASE("Pipes and files with holes in the place of a journal or a lock are refused at once") {
  for (const std::string name : {".qturn-lock", ".qturn-journal"}) {
    CAPTURE(name);
    Workplace workplace;
    add_data_set(workplace);
    REQUIRE(::mkfifo((workplace.path() / "d" / name).c_str(), 0600) == 0);
    workplace.refused(in_place, "d/" + name + " is not a regular file; remove it");
  }
  for (const std::string start : {"", "{\"qturn_journal\":1,\"operation\":\"x\",\"inputs\":[],"}) {
    Workplace workplace;
    add_data_set(workplace);
    const fs::path journal = workplace.add("d/.qturn-journal", start);
    fs::resize_file(journal, std::uintmax_t{1} << 30);
    workplace.done({"cw", "d", "-o", "out", "--memory", "64MiB"});  // the journal of another folder
    const Result refused = workplace.qturn(in_place);
    CHECK(refused.max_resident_kib < 600 << 10);
  }
}

}  // namespace resume_data_sets_test
