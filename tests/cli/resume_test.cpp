// Runs that are killed, interrupted or fail in part, and what the next run does.
#include "src/metadata/xmp.hpp"
#include "tests/cli/labelled.hpp"
#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/metadata.hpp"
#include "tests/fixtures/tar_files.hpp"

namespace resume_test {

using namespace cli;
using qturn::Orientation;

namespace {

const std::string packet = qturn::tests::xmp_packet_with("tiff:Orientation='6'");
const Words in_place = {"cw", "in", "--in-place", "--sidecars", "-j", "2"};
const Words to_folder = {"cw", "in", "-o", "out", "--sidecars", "-j", "2"};

void add_pictures(const Workplace& workplace) {
  for (int i = 0; i < 4; ++i)
    workplace.add("in/x" + std::to_string(i % 2) + "/" + std::to_string(i) + ".png",
                  png(numbered_picture(i)));
  workplace.add("in/x0/0.txt", "0 0.25 0.5 0.1 0.2\n");
  workplace.add("in/x1/1.txt", "");
  workplace.add("in/x1/1_mask.png", png(random_picture(6, 4, 1)));
  workplace.add("in/a.jpg", jpeg(smooth_picture(64, 48)));
  workplace.add("in/a.xmp", packet);
}

/// What an undisturbed run makes.
std::set<std::pair<std::string, std::string>> undisturbed(const Words& words, const char* folder) {
  Workplace workplace;
  add_pictures(workplace);
  workplace.done(words);
  return workplace.tree(folder);
}

bool has_own_files(const Workplace& workplace, const fs::path& folder) {
  return workplace.has_open_journal(folder) || workplace.exists(folder / ".qturn-lock");
}

/// In place, one of two pictures is turned and the other is damaged.
void fail_in_part(Workplace& workplace) {
  workplace.add("in/a.png", png(random_picture(6, 4)));
  workplace.add("in/b.png", png(random_picture(6, 4)).substr(0, 60));
  workplace.failed({"cw", "in", "--in-place"});
  REQUIRE(workplace.files("in") == Names{"a.png", "b.png"});
  REQUIRE(workplace.exists("in/.qturn-journal"));
}

}  // namespace

TEST_CASE("Killed at any call and resumed, a run in place turns each picture exactly once") {
  const auto wanted = undisturbed(in_place, "in");
  int kills = 0, resumed = 0;
  for (int call = 1;; ++call) {
    CAPTURE(call);
    Workplace workplace;
    add_pictures(workplace);
    const auto before = workplace.tree("in");
    workplace.killed_at(call, in_place);
    if (workplace.tree("in") == wanted && !workplace.exists("in/.qturn-journal")) break;
    ++kills;
    // Without its journal a run has changed nothing, or all.
    if (!workplace.exists("in/.qturn-journal") || workplace.content("in/.qturn-journal").empty()) {
      if (workplace.tree("in") != wanted) {
        workplace.done(with(in_place, {"--resume"}), "no interrupted run to resume");
      }
    } else {
      const Result refused = workplace.qturn(in_place);
      if (refused.exit_code == 2) {
        CHECK_THAT(refused.err, ContainsSubstring("--resume") && ContainsSubstring("--restart"));
        workplace.done(with(in_place, {"--resume"}));
        ++resumed;
      }
    }
    REQUIRE(workplace.tree("in") == wanted);
    REQUIRE_FALSE(has_own_files(workplace, "in"));
  }
  CHECK(kills > 20);
  CHECK(resumed > 10);
}

TEST_CASE_METHOD(Workplace, "Resumed in place, a run that is done is not done twice") {
  add_pictures(*this);
  const Words resumed = with(in_place, {"--resume"});
  done(resumed);
  const auto once = tree("in");
  CHECK(once == undisturbed(in_place, "in"));

  done(resumed);
  CHECK(tree("in") == once);

  add("in/new.png", png(random_picture(6, 4)));
  const std::string stored = content("in/new.png");
  done(resumed);
  CHECK(content("in/new.png") != stored);
  REQUIRE(fs::remove(path() / "in/new.png"));
  CHECK(tree("in") == once);

  // Another operation is another run, and leaves what says that this one is done.
  done({"ccw", "in", "--in-place"});
  CHECK(tree("in") != once);
  CHECK(is_ended_journal(content("in/.qturn-journal")));
}

TEST_CASE_METHOD(Workplace,
                 "A run in place that --resume has completed is done once more with --restart") {
  add_pictures(*this);
  done(with(in_place, {"--resume"}));
  const auto once = tree("in");
  done(with(in_place, {"--restart"}));
  CHECK(tree("in") != once);
  CHECK_FALSE(exists("in/.qturn-journal"));
}

TEST_CASE(
    "Killed at any call and resumed, a run to a folder gives the tree of an undisturbed run") {
  const auto wanted = undisturbed(to_folder, "out");
  int resumed = 0;
  for (int call = 1; call < 200; ++call) {
    CAPTURE(call);
    Workplace workplace;
    add_pictures(workplace);
    workplace.killed_at(call, to_folder);
    if (workplace.tree("out") == wanted) break;
    const bool is_begun = !workplace.content("out/.qturn-journal").empty();
    workplace.done(with(to_folder, {"--resume"}));
    resumed += is_begun ? 1 : 0;
    REQUIRE(workplace.tree("out") == wanted);
    REQUIRE_FALSE(has_own_files(workplace, "out"));
  }
  CHECK(resumed > 10);
}

TEST_CASE_METHOD(
    Workplace,
    "A run in place that failed in part is resumed or restarted, never repeated by accident") {
  fail_in_part(*this);
  const std::string turned = content("in/a.png");
  refused(
      {"cw", "in", "--in-place"},
      "in/.qturn-journal: 'rotate90 --jpeg lossless --jpeg-edges tag --png small' is not complete");
  CHECK(content("in/a.png") == turned);

  refused({"flop", "in", "--in-place", "--resume"},
          "resume with the same operation, options and inputs");

  refused({"cw", "in/a.png", "--in-place", "--resume"});

  add("in/b.png", png(random_picture(6, 4)));
  done({"cw", "in", "--in-place", "--resume"},
       "1 of 2 pictures written (1 re-encoded without loss), 1 done before");
  CHECK(content("in/a.png") == turned);
  CHECK(content("in/b.png") == turned);
  CHECK(files("in") == Names{"a.png", "b.png"});
  CHECK_FALSE(has_own_files(*this, "in"));
}

TEST_CASE_METHOD(Workplace,
                 "What a killed run has left hidden goes, also where no picture is any more") {
  add("in/a.png", png(random_picture(6, 4)));
  add("in/deep/b.png", png(random_picture(6, 4)));
  for (int call = 1; files("in/deep") == Names{"b.png"}; ++call) {
    REQUIRE(call < 60);
    killed_at(call, {"cw", "in", "--in-place", "-j", "1", "--restart"});
  }
  fs::remove(path() / "in/deep/b.png");
  done({"cw", "in", "--in-place", "--restart"});
  CHECK(files("in/deep").empty());
}

TEST_CASE(
    "A tar that is unpacked into a folder, killed at any call, is resumed and leaves nothing") {
  const std::string coco =
      R"({"images": [{"id": 1, "file_name": "b.png", "width": 6, "height": 4}],
          "annotations": [{"id": 1, "image_id": 1, "bbox": [1, 1, 2, 2]}]})";
  const tests::Members members = {{"x/a.jpg", jpeg(smooth_picture(64, 48))},
                                  {"x/a.txt", "0 0.25 0.5 0.1 0.2\n"},
                                  {"x/b.png", png(random_picture(6, 4))},
                                  {"x/c.png", png(random_picture(6, 4))},
                                  {"x/metadata.csv", "file_name,width\nb.png,6\nc.png,6\n"},
                                  {"coco.json", coco}};
  const std::string plain = tests::tar(members),
                    gzip = tests::tar(members, {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP});
  const Words unpacked = {"cw", "in.tar", "-o", "out", "--unpack", "-j", "1"};
  const std::pair<std::string, Words> runs[] = {
      {plain, unpacked}, {gzip, with(unpacked, {"--labels", "coco:coco.json"})}};
  for (const auto& [tar, words] : runs) {
    CAPTURE(words);
    Workplace undisturbed;
    undisturbed.add("in.tar", tar);
    undisturbed.done(words);
    bool is_any_known = false;
    for (int call = 1;; call += 2) {
      CAPTURE(call);
      Workplace workplace;
      workplace.add("in.tar", tar);
      workplace.killed_at(call, words);
      if (workplace.tree("out") == undisturbed.tree("out")) break;
      const bool has_results = !workplace.files("out").empty();
      const Result resumed = workplace.done(with(words, {"--resume"}));
      is_any_known =
          is_any_known || (has_results && resumed.err.find("done before") != std::string::npos);
      fs::remove(workplace.path() / "out/.qturn-journal");
      CHECK(workplace.tree("out") == undisturbed.tree("out"));
      CHECK_FALSE(has_own_files(workplace, "out"));
    }
    CHECK(is_any_known);
  }
}

TEST_CASE_METHOD(Workplace, "With --resume, a tar that is done is done, unless something changed") {
  add("in/a.jpg", jpeg(smooth_picture(64, 48)));
  add("in/b.png", png(random_picture(6, 4)));
  add("in.tar", tests::tar({{"a.jpg", jpeg(smooth_picture(64, 48))}}));
  const std::vector<Words> runs = {
      {"cw", "in", "-o", "packed.tar", "--resume"},
      {"augment", "in", "-o", "all.tar", "--resume"},
      {"cw", "in.tar", "-o", "one.tar", "--resume"},
      {"cw", "in.tar", "-o", "parts.tar", "--tar-size", "4K", "--resume"},
      {"cw", "in.tar", "-o", "tars", "--resume"}};
  for (const Words& words : runs) done(words);
  const auto before = tree(".");
  for (const Words& words : runs) {
    done(words, "this run is already complete");
  }
  CHECK(tree(".") == before);

  // Other options, an input or a tar that is another one, and a run that left no record.
  refused({"ccw", "in.tar", "-o", "one.tar", "--resume"}, "one.tar: exists already");
  add("parts-000000.tar", content("parts-000000.tar") + std::string(1024, '\0'));
  refused(runs[3], "exists already");
  add("in/c.png", png(random_picture(6, 4)));
  refused(runs[0], "packed.tar: exists already");
  done({"cw", "in", "-o", "other.tar"});
  refused({"cw", "in", "-o", "other.tar", "--resume"}, "other.tar: exists already");
}

TEST_CASE_METHOD(Workplace, "Option --restart forgets an interrupted run") {
  fail_in_part(*this);
  add("in/b.png", png(random_picture(6, 4)));
  done({"cw", "in", "--in-place", "--restart"});
  CHECK(pixels_of(path() / "in/a.png") ==
        cli::turned(random_picture(6, 4), Orientation::rotate180));
  CHECK(files("in") == Names{"a.png", "b.png"});
  CHECK_FALSE(has_own_files(*this, "in"));
}

TEST_CASE_METHOD(Workplace,
                 "An interrupted run is also found above and below the folder of a new one") {
  fail_in_part(*this);
  add("in/deep/a.png", png(random_picture(6, 4)));
  const std::string deep = content("in/deep/a.png");
  for (const Words& words :
       {Words{"cw", "in/deep", "--in-place"}, Words{"cw", ".", "--in-place"}}) {
    refused(words, "finish it with --resume, or remove");
  }
  CHECK(content("in/deep/a.png") == deep);
}

TEST_CASE_METHOD(Workplace,
                 "Each of several folders can be resumed by itself, and then with the others") {
  const std::string good = png(random_picture(6, 4));
  for (const char* name : {"in/a.png", "two/a.png"}) add(name, good);
  for (const char* name : {"in/b.png", "two/b.png"}) add(name, good.substr(0, 60));
  failed({"cw", "in", "two", "--in-place"});
  const std::string turned = content("two/a.png");
  add("two/b.png", good);
  done({"cw", "two", "--in-place", "--resume"});
  failed({"cw", "in", "two", "--in-place", "--resume"}, "3 done before the interruption, 1 failed");
  REQUIRE(fs::remove(path() / "two/.qturn-journal"));
  refused({"cw", "in", "two", "--in-place", "--resume"}, "--resume the other inputs without it");
  CHECK(content("two/a.png") == turned);
  CHECK(content("two/b.png") == turned);
}

TEST_CASE_METHOD(
    Workplace,
    "A picture that was changed after the interruption fails by name and stays as it is") {
  fail_in_part(*this);
  add("in/a.png", png(random_picture(5, 5)));
  const std::string edited = content("in/a.png");
  failed({"cw", "in", "--in-place", "--resume"},
         "qturn: in/a.png: is neither the original nor what the interrupted run made of it");
  CHECK(content("in/a.png") == edited);
}

TEST_CASE_METHOD(Workplace,
                 "Damage in a journal is named; a line that is not whole at its end is cut off") {
  fail_in_part(*this);
  const std::string journal = content("in/.qturn-journal");
  add("in/b.png", png(random_picture(6, 4)));
  add("in/.qturn-journal", journal.substr(0, journal.find('\n') + 1) + "{\"int\n" +
                               journal.substr(journal.find('\n') + 1));
  refused({"cw", "in", "--in-place", "--resume"},
          "line 2 of the journal in/.qturn-journal is damaged");

  add("in/.qturn-journal", journal + "{\"intent\":\"b.p");
  done({"cw", "in", "--in-place", "--resume"});
  CHECK(files("in") == Names{"a.png", "b.png"});
  CHECK_FALSE(has_own_files(*this, "in"));
}

TEST_CASE_METHOD(
    Workplace,
    "Where no run was interrupted, --resume begins one, and replaces nothing that is there") {
  add("in/a.png", png(random_picture(6, 4)));
  const std::string begins = "there is no interrupted run to resume";
  const std::vector<Words> with_journal = {{"cw", "in", "-o", "out", "--resume"},
                                           {"augment", "in", "-o", "out8", "--resume"},
                                           {"cw", "in", "--in-place", "--resume"}};
  for (const Words& words : with_journal) {
    done(words, begins);
    // Then there is nothing to do.
    const auto before = tree(".");
    CHECK(done(words).err.find(begins) == std::string::npos);
    CHECK(tree(".") == before);
  }
  // What is new is done, and what the run did not write is left.
  add("in/b.png", png(random_picture(6, 4)));
  done(with_journal.front());
  CHECK(exists("out/b.png"));
  refused({"flop", "in", "-o", "out", "--resume"},
          "resume with the same operation, options and inputs");
  const Words to_file = {"cw", "in/a.png", "-o", "b.png", "--resume"};
  done(to_file, begins);
  CHECK(exists("b.png"));
  refused(to_file, "already");
}

TEST_CASE(
    "Where files about all pictures cannot be written, the journal stays, and --resume ends it") {
  const std::string picture = png(labelled_picture);
  for (const std::string name : {"x.json", "data.yaml", "manifest.jsonl"}) {
    CAPTURE(name);
    Workplace workplace;
    workplace.add("in/a.png", picture);
    workplace.add("in/x.json",
                  R"({"images": [{"id": 1, "file_name": "a.png", "width": 9, "height": 5}],)"
                  R"( "annotations": [{"id": 1, "image_id": 1, "bbox": [1, 2, 3, 1]}]})");
    workplace.add("in/data.yaml", "train: .\nnames: [cat]\n");
    const Words words = {"augment", "in", "-o", "out", "--variants", "flop"};
    workplace.environment = Workplace::on_disturbed_disk({{"QTURN_TEST_RENAME", name}});
    const Result failed = workplace.qturn(words);
    workplace.environment.clear();
    CHECK(failed.exit_code == 1);
    CHECK_FALSE(workplace.exists("out/" + name));
    CHECK(workplace.exists("out/.qturn-journal"));
    workplace.done(with(words, {"--resume"}));
    CHECK(workplace.files("out") == Names{"a__flop.png", "data.yaml", "manifest.jsonl", "x.json"});
    CHECK_FALSE(has_own_files(workplace, "out"));
  }
}

TEST_CASE_METHOD(Workplace,
                 "A journal that was cut to its first line lets no picture be turned twice") {
  fail_in_part(*this);
  add("in/b.png", png(random_picture(6, 4)));
  const std::string journal = content("in/.qturn-journal");
  const auto before = tree("in");
  add("in/.qturn-journal", journal.substr(0, journal.find('\n') + 1));
  for (const Words& more : {Words{"--resume"}, Words()}) {
    refused(with({"cw", "in", "--in-place"}, more),
            "in/.qturn-journal: pictures have changed since");
    CHECK(tree("in") == before);
  }
  done({"cw", "in", "--in-place", "--restart"});
}

TEST_CASE_METHOD(Workplace,
                 "A run in place that was killed before its first result can be resumed") {
  add("in/a.png", png(random_picture(6, 4)));
  signal_before(SIGKILL, "a.png");
  const Words words = {"cw", "in", "--in-place"};
  CHECK(qturn(words).exit_code == 128 + SIGKILL);
  environment.clear();
  const std::string journal = content("in/.qturn-journal");
  add("in/.qturn-journal", journal.substr(0, journal.find('\n') + 1));
  done(with(words, {"--resume"}));
}

TEST_CASE("Option --backup keeps each original, also of a run that was killed, and replaces none") {
  const Words words = with(in_place, {"--backup", "kept"});
  Workplace first;
  add_pictures(first);
  const auto originals = first.tree("in");
  const auto wanted = undisturbed(in_place, "in");
  for (int call = 5; call < 60; call += 3) {
    CAPTURE(call);
    Workplace workplace;
    add_pictures(workplace);
    workplace.killed_at(call, words);
    const bool is_begun = workplace.exists("in/.qturn-journal");
    const Result result = workplace.qturn(is_begun ? with(words, {"--resume"}) : words);
    INFO(result.err);
    if (workplace.tree("in") != wanted || is_begun) REQUIRE(result.exit_code == 0);
    if (!is_begun) continue;
    CHECK(workplace.tree("in") == wanted);
    CHECK(workplace.originals_in("kept") == originals);
  }
  first.refused(with(in_place, {"--restart", "--backup", "in/kept"}));
}

}  // namespace resume_test
