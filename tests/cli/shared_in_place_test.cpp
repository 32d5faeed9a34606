// Labels of many pictures in one file, turned in place: the file is replaced last, from the record.
// Which formats are turned in place is in tests/labels/layouts.py.
#include <fmt/format.h>

#include "tests/cli/labelled.hpp"
#include "tests/fixtures/journal_text.hpp"

namespace shared_in_place_test {

using namespace cli;

namespace {

const Words in_place = {"cw", "d", "--in-place", "-j1"};
const Words resumed = with(in_place, {"--resume"});
const Words kept = with(in_place, {"--backup", "kept"});
const std::string labels = "d/annotations/x.json";
constexpr char names[] = {'a', 'b', 'c'};

/// A COCO file of three pictures, of which these are turned clockwise, and of one that is not
/// there.
std::string coco(const std::string& turned) {
  std::string images, annotations;
  for (const char name : names) {
    const bool is_turned = turned.find(name) != turned.npos;
    images +=
        fmt::format("{{\"id\": {}, \"file_name\": \"{}.png\", \"width\": {}, \"height\": {}}}, ",
                    name - 'a', name, is_turned ? 5 : 9, is_turned ? 9 : 5);
    annotations += fmt::format("{{\"id\": {0}, \"image_id\": {0}, \"bbox\": [{1}]}},\n", name - 'a',
                               is_turned ? "2, 1, 2, 3.5" : "1, 1, 3.5, 2");
  }
  return "{\"images\": [" + images +
         "{\"id\": 9, \"file_name\": \"gone.png\", \"width\": 9, \"height\": 5}],\n" +
         "\"annotations\": [" + annotations +
         "{\"id\": 8, \"image_id\": 9, \"bbox\": [1]}, {\"id\": 9, \"image_id\": 7}]}\n";
}

Picture picture_of(char name) { return numbered_picture(name, 9, 5); }

/// Of two pictures of one size the first by name is turned first.
void add_data_set(const Workplace& workplace) {
  for (const char name : names)
    workplace.add(fmt::format("d/images/{}.png", name), png(picture_of(name)));
  workplace.add(labels, coco(""));
}

bool is_turned(const Workplace& workplace, char name) {
  return pixels_of(workplace.path() / fmt::format("d/images/{}.png", name)) != picture_of(name);
}

std::string turned_in(const Workplace& workplace) {
  std::string turned;
  for (const char name : names)
    if (is_turned(workplace, name)) turned += name;
  return turned;
}

/// The program is killed right before it puts b.png in its place.
void kill_at_b(Workplace& workplace) {
  workplace.signal_before(SIGKILL, "b.png");
  CHECK(workplace.qturn(in_place).exit_code == 128 + SIGKILL);
  workplace.environment.clear();
  CHECK(turned_in(workplace).find('b') == std::string::npos);
}

void damage(const Workplace& workplace, char name) {
  workplace.add(fmt::format("d/images/{}.png", name), png(picture_of(name)).substr(0, 60));
}
void mend(const Workplace& workplace, char name) {
  workplace.add(fmt::format("d/images/{}.png", name), png(picture_of(name)));
}

}  // namespace

TEST_CASE_METHOD(Workplace,
                 "In place, a COCO file becomes what a folder gets, and keeps the rest") {
  add_data_set(*this);
  fs::permissions(path() / labels, fs::perms::owner_read | fs::perms::owner_write);
  done({"cw", "d", "-o", "out"});
  const auto pictures = tree("out/images");
  const std::string elsewhere = content("out/annotations/x.json");
  done(in_place, "qturn: COCO labels of 3 of 3 pictures turn with them: " + labels);
  CHECK(content(labels) == coco("abc"));
  CHECK(tree("d/images") == pictures);
  CHECK(content(labels).starts_with(elsewhere.substr(0, elsewhere.find("]"))));
  CHECK(files("d").size() == 4);
  CHECK((fs::status(path() / labels).permissions() & fs::perms::all) ==
        (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(exists("d/.qturn-journal") == false);

  // The way back, and a run with one picture alone.
  done({"ccw", "d", "--in-place"});
  CHECK(content(labels) == coco(""));
  done({"cw", "d", "--in-place", "--include", "b.png"});
  CHECK(content(labels) == coco("b"));
  CHECK(turned_in(*this) == "b");
}

TEST_CASE_METHOD(Workplace,
                 "A picture that fails in place keeps its labels, and --resume turns both") {
  add_data_set(*this);
  damage(*this, 'b');
  failed(in_place, "d/images/b.png: ");
  CHECK(content(labels) == coco("ac"));
  refused(in_place, "is not complete");
  mend(*this, 'b');
  done(resumed, "1 of 3 pictures written (1 re-encoded without loss), 2 done before");
  CHECK(content(labels) == coco("abc"));
  CHECK(turned_in(*this) == "abc");
  const auto once = tree("d");
  done(resumed, "3 done before");
  CHECK(tree("d") == once);
}

TEST_CASE("Of any format, labels of a picture that fails in place stay, byte for byte") {
  struct Format {
    std::string file, begin, element, between, end;  // @: the name of a picture
  };
  const std::string bytes = std::to_string(png(picture_of('a')).size());
  const Format formats[] = {
      {"x.csv", "filename,width,height,class,xmin,ymin,xmax,ymax\r\n", "@.png,9,5,\"c\",01,1,3,4.",
       "\r\n", ""},
      {"metadata.jsonl", "", R"({"file_name":"@.png",  "objects": {"bbox": [[1, 2.50, 3, 2]]}})",
       "\n", "\n"},
      {"annotations.xml", "<annotations><version>1.1</version>\n",
       R"(<image id="1" name="@.png" width="9" height='5'><box label="c" xtl="1.00" )"
       R"(ytl="01.00" xbr="3.00" ybr="4.00"/></image>)",
       "\n  ", "\n</annotations>\n"},
      {"via.json", "{",
       "\"@.png" + bytes + R"(": {"filename": "@.png", "size": )" + bytes +
           R"(, "regions": [{"shape_attributes": {"name": "rect", "x": 1, "y": 1.0, )"
           R"("width": 2, "height": 3}, "region_attributes": {}}], "file_attributes": {}})",
       ",\n", "}"}};
  for (const Format& format : formats) {
    CAPTURE(format.file);
    const auto said_of = [&](const std::string& name) {
      std::string text = format.element;
      for (std::size_t at = 0; (at = text.find('@')) != text.npos;) text.replace(at, 1, name);
      return text;
    };
    const std::string file = "d/" + format.file;
    Workplace workplace;
    for (const char* name : {"a", "b"})
      workplace.add(fmt::format("d/{}.png", name), png(picture_of(*name)));
    workplace.add(file, format.begin + said_of("a") + format.between + said_of("b") + format.end);
    workplace.done({"cw", "d", "-o", "out"});
    workplace.add("d/b.png", png(picture_of('b')).substr(0, 60));
    workplace.failed(in_place, "d/b.png: ");
    const std::string found = workplace.content(file);
    CHECK(found.find(said_of("a")) == found.npos);
    CHECK(found.ends_with(format.between + said_of("b") + format.end));
    workplace.add("d/b.png", png(picture_of('b')));
    workplace.done(resumed);
    CHECK(workplace.content(file) == workplace.content("out/" + format.file));
    CHECK(workplace.tree("d") == workplace.tree("out"));
  }
}

TEST_CASE_METHOD(Workplace, "Pictures that are upright keep their labels") {
  add("d/a.png", tagged_png(picture_of('a'), 6));
  add("d/b.png", png(picture_of('b')));
  add("d/x.json", coco(""));
  done({"upright", "d", "--in-place", "--labels-drawn-on", "stored"});
  CHECK(content("d/x.json") == coco("a"));
  const auto once = tree("d");
  done({"upright", "d", "--in-place"});
  CHECK(tree("d") == once);
}

TEST_CASE(
    "Killed at any call and resumed, a run in place turns all labels of a file exactly once") {
  int lagging = 0, resumed_runs = 0, restored = 0;
  for (int call = 1;; ++call) {
    CAPTURE(call);
    Workplace workplace;
    add_data_set(workplace);
    const auto before = workplace.tree("d");
    const Result killed = workplace.killed_at(call, kept);
    const std::string turned = turned_in(workplace), found = workplace.content(labels);
    REQUIRE((found == coco("") || (found == coco("abc") && turned == "abc")));
    if (killed.exit_code == 0) break;
    const bool lags = !turned.empty() && found == coco("");
    const Result checked = workplace.qturn({"check", "--labels", "d"});
    const bool says_so = checked.out.find(labels + ": out of step: ") != std::string::npos;
    CHECK(says_so == lags);
    lagging += lags ? 1 : 0;
    const bool has_record = std::ranges::any_of(workplace.tree("kept"), [](const auto& file) {
      return file.first.ends_with("/qturn-run.jsonl") && !file.second.empty();
    });
    if (call % 2 == 0 && has_record) {
      // What was kept is put back at any time, the labels with their pictures.
      workplace.done({"restore", workplace.run_in("kept")});
      CHECK(workplace.tree("d") == before);
      CHECK_FALSE(workplace.has_open_journal("d"));
      ++restored;
      continue;
    }
    if (lags) {
      workplace.refused(with(kept, {"--restart"}), labels + " lags behind its pictures: ");
      workplace.failed({"flop", "d", "--in-place", "--backup", "kept"}, "is not complete");
      CHECK(turned_in(workplace) == turned);
      CHECK(workplace.content(labels) == found);
    }
    const bool has_journal = workplace.exists("d/.qturn-journal");
    const Result result = workplace.qturn(has_journal ? with(kept, {"--resume"}) : kept);
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    if (has_journal || turned.empty()) {
      CHECK(workplace.content(labels) == coco("abc"));
      CHECK(turned_in(workplace) == "abc");
    }
    resumed_runs += has_journal ? 1 : 0;
    CHECK_FALSE(workplace.has_open_journal("d"));
  }
  CHECK(lagging > 5);
  CHECK(resumed_runs > 10);
  CHECK(restored > 10);
}

TEST_CASE_METHOD(Workplace, "Killed once more while it resumes, a run in place turns labels once") {
  add_data_set(*this);
  damage(*this, 'b');
  failed(kept);
  REQUIRE(content(labels) == coco("ac"));
  mend(*this, 'b');
  signal_before(SIGKILL, "x.json");
  CHECK(qturn(with(kept, {"--resume"})).exit_code == 128 + SIGKILL);
  environment.clear();
  CHECK(turned_in(*this) == "abc");
  CHECK(content(labels) == coco("ac"));
  CHECK_THAT(
      qturn({"check", "--labels", "d"}).out,
      ContainsSubstring(labels + ": out of step: 1 picture is out of step with its labels: "
                                 "d/images/b.png is turned, says d/.qturn-journal: 'rotate90 ") &&
          ContainsSubstring("is not complete; finish it with --resume\n"));
  SECTION("resumed") {
    done(with(kept, {"--resume"}));
    CHECK(content(labels) == coco("abc"));
    done({"restore", run_in("kept")}, "3 of 3 pictures restored");
  }
  SECTION("taken back") { done({"restore", run_in("kept")}, "3 of 3 pictures restored"); }
  CHECK(content(labels) == coco(""));
  CHECK(turned_in(*this).empty());
  CHECK_FALSE(exists("d/.qturn-journal"));
}

TEST_CASE_METHOD(
    Workplace,
    "A picture that a killed run was about to turn, and that fails then, is not taken for "
    "one whose labels are turned") {
  add_data_set(*this);
  kill_at_b(*this);
  failed(with(resumed, {"--limit", "pixels=1"}));
  const std::string turned = turned_in(*this);
  CHECK(turned.find('b') == std::string::npos);
  CHECK(content(labels) == coco(turned));
  done(resumed);
  CHECK(turned_in(*this) == "abc");
  CHECK(content(labels) == coco("abc"));
}

TEST_CASE_METHOD(Workplace, "Labels of many pictures that were edited before --resume are left") {
  add_data_set(*this);
  kill_at_b(*this);
  const std::string edited = coco("") + " ", turned = turned_in(*this);
  add(labels, edited);
  failed(resumed,
         {"d/images/b.png: " + labels +
              ", which has its labels, is neither what it was nor what the interrupted run "
              "made of it; look at it",
          "0 of 3 pictures written"});
  CHECK(content(labels) == edited);
  CHECK(turned_in(*this) == turned);
  CHECK_THAT(
      qturn({"check", "--labels", "d"}).out,
      ContainsSubstring(labels + ": out of step: it is neither what it was nor what the run"));
  add(labels, coco(""));
  done(resumed);
  CHECK(content(labels) == coco("abc"));
}

TEST_CASE_METHOD(Workplace, "What another program saves in labels of many pictures is not lost") {
  add_data_set(*this);
  signal_before(SIGSTOP, "x.json");
  const Running running = start(in_place);
  REQUIRE(running.wait_until_stopped());
  add(labels, coco("") + " ");
  running.signal(SIGCONT);
  const Result result = running.wait();
  environment.clear();
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, ContainsSubstring(labels + " is not written: changed meanwhile"));
  CHECK(content(labels) == coco("") + " ");
  CHECK(exists("d/.qturn-journal"));
  add(labels, coco(""));
  done(resumed);
  CHECK(content(labels) == coco("abc"));
}

TEST_CASE_METHOD(Workplace,
                 "A picture that was restored by hand, and labels that are new, fail by name") {
  add_data_set(*this);
  damage(*this, 'b');
  failed(in_place);
  mend(*this, 'a');
  mend(*this, 'b');
  failed(resumed, "d/images/a.png: of what belongs together, " + labels +
                      " is turned and d/images/a.png is not; restore one of them");
  CHECK(turned_in(*this) == "bc");
  CHECK(content(labels) == coco("abc"));

  add("e/images/a.png", png(picture_of('a')));
  done({"cw", "e", "--in-place", "--resume"});
  add("e/annotations/x.json", coco(""));
  failed({"cw", "e", "--in-place", "--resume"},
         "of what belongs together, e/images/a.png is turned and e/annotations/x.json is not");
  CHECK(content("e/annotations/x.json") == coco(""));
}

TEST_CASE_METHOD(Workplace, "Interrupted in place, a run says which labels lag behind") {
  std::string before, after;
  for (int i = 0; i < 40; ++i) {
    add(fmt::format("d/{}.png", i), png(random_picture(300, 200)));
    const auto line = [&](const char* box) {
      return fmt::format("{{\"file_name\": \"{}.png\", \"objects\": {{\"bbox\": [{}]}}}}\n", i,
                         box);
    };
    before += line("[10, 20, 30, 5]");
    after += line("[175, 10, 5, 30]");
  }
  add("d/metadata.jsonl", before);
  const Words words = {"cw", "d", "--in-place", "-j2"};
  const Result result = signalled_at(SIGINT, ".png", words);
  CHECK(result.exit_code == 130);
  CHECK_THAT(result.err,
             ContainsSubstring("d/metadata.jsonl lags behind its pictures until --resume"));
  CHECK(content("d/metadata.jsonl") == before);
  done(with(words, {"--resume"}), "done before the interruption");
  CHECK(content("d/metadata.jsonl") == after);
}

TEST_CASE_METHOD(Workplace, "Labels that are written wrong are rejected in place") {
  add_data_set(*this);
  environment = on_disturbed_disk({{"QTURN_TEST_SPOIL", "x.json"}});
  failed(in_place, labels + " is not written: the result was rejected, because it is wrong: ");
  environment.clear();
  CHECK(content(labels) == coco(""));
  CHECK(files("d").size() == 4);
  done(resumed);
  CHECK(content(labels) == coco("abc"));
}

TEST_CASE_METHOD(Workplace,
                 "A file of many pictures and its pictures are restored together, or none") {
  add_data_set(*this);
  add("d/images/other.png", png(picture_of('x')));
  const auto before = tree("d");
  const std::string other = content("d/images/other.png");
  done(kept);
  const fs::path run = run_in("kept");
  const auto turned = tree("d/images");
  SECTION("the labels were edited") {
    add(labels, coco("abc") + " ");
    failed({"restore", run},
           {labels + ": is not what the run wrote", "d/images/a.png: was left as it is, because ",
            labels + " cannot be put back", "1 of 5 pictures restored, 4 failed"});
    CHECK(content(labels) == coco("abc") + " ");
    CHECK(turned_in(*this) == "abc");
    add(labels, coco("abc"));
  }
  SECTION("a picture was edited") {
    mend(*this, 'b');
    add("d/images/b.png", content("d/images/b.png") + " ");
    failed({"restore", run},
           {labels + ": was left as it is, because ", "d/images/b.png: is not what the run wrote"});
    CHECK(content(labels) == coco("abc"));
    CHECK(is_turned(*this, 'a'));
    CHECK(content("d/images/other.png") == other);
    mend(*this, 'b');  // by hand
  }
  SECTION("nothing was edited") {}
  done({"restore", run});
  CHECK(tree("d") == before);
  CHECK(originals_in("kept").empty());
}

TEST_CASE_METHOD(Workplace, "Killed at any call, a restoration is repeated, and check says so") {
  int killed = 0, lagging = 0;
  for (int call = 1;; ++call) {
    CAPTURE(call);
    Workplace workplace;
    add_data_set(workplace);
    const auto before = workplace.tree("d");
    workplace.done(kept);
    const fs::path run = workplace.run_in("kept");
    if (workplace.killed_at(call, {"restore", run}).exit_code == 0) break;
    ++killed;
    const bool lags = turned_in(workplace) != (workplace.content(labels) == coco("") ? "" : "abc");
    const bool says_so =
        workplace.qturn({"check", "--labels", "d"}).out.find("out of step: ") != std::string::npos;
    CHECK(says_so == lags);
    lagging += lags ? 1 : 0;
    workplace.done({"restore", run});
    CHECK(workplace.tree("d") == before);
    CHECK_FALSE(workplace.has_open_journal("d"));
  }
  CHECK(killed > 10);
  CHECK(lagging > 2);
}

TEST_CASE("Labels of many pictures that cannot be turned in place are refused before anything") {
  const auto refused = [](const Words& words, const auto& prepare) {
    Workplace workplace;
    add_data_set(workplace);
    prepare(workplace);
    return workplace.refused(words).err;
  };
  const auto nothing = [](const Workplace&) {};
  CHECK(refused({"cw", "d/images", "--in-place"}, nothing) ==
        "qturn: " + labels +
            " lies outside of the input and is not turned in place; name as the input the folder "
            "that holds it and d/images/a.png, or write the turned pictures and labels into a "
            "folder with -o\n");
  CHECK_THAT(refused({"cw", "d", "--in-place", "--follow"},
                     [](const Workplace& workplace) {
                       fs::create_symlink("a.png", workplace.path() / "d/images/d.png");
                       workplace.add(labels, coco("").replace(coco("").find("gone"), 4, "d"));
                     }),
             ContainsSubstring("the labels of d/images/d.png in " + labels +
                               " would stay as they are, because it is another name of a picture"));
  const auto link = [](const Workplace& workplace) {
    fs::rename(workplace.path() / labels, workplace.path() / "other");
    fs::create_symlink("../../other", workplace.path() / labels);
  };
  CHECK_THAT(refused(in_place, link), ContainsSubstring(" would be turned where the link "));
  CHECK_THAT(refused(in_place,
                     [](const Workplace& workplace) {
                       fs::create_hard_link(workplace.path() / labels, workplace.path() / "other");
                     }),
             ContainsSubstring(labels + " has other names (hard links)"));
  Workplace workplace;
  add_data_set(workplace);
  link(workplace);
  workplace.done(with(in_place, {"--follow"}));
  CHECK(workplace.content("other") == coco("abc"));
  CHECK(fs::is_symlink(workplace.path() / labels));
}

}  // namespace shared_in_place_test
