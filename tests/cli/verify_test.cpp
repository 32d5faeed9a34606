// Results that are proved before they are in their places.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/metadata.hpp"
#include "tests/fixtures/other_programs.hpp"

namespace verify_test {

using namespace cli;

namespace {

const std::string jpeg = cli::jpeg(smooth_picture(64, 48));
const std::string png = cli::png(random_picture(9, 7));
const std::string label = "0 0.25 0.5 0.1 0.2\n";

/// A disk that changes a byte of what is written for `name`.
struct Spoiled : Workplace {
  explicit Spoiled(const std::string& name) {
    environment = Workplace::on_disturbed_disk({{"QTURN_TEST_SPOIL", name}});
    add("in/images/a.jpg", jpeg);
    add("in/images/b.png", png);
    add("in/labels/a.txt", label);
    add("in/labels/b.txt", label);
  }
};

}  // namespace

TEST_CASE("In place, a result that the disk has spoiled is rejected, and its original stays") {
  for (const std::string name : {"a.jpg", "b.png", "a.txt"}) {
    CAPTURE(name);
    const Spoiled workplace(name);
    const Result result = workplace.failed({"cw", "in", "--in-place", "--json"});
    const std::string picture = name == "b.png" ? "b.png" : "a.jpg";
    CHECK_THAT(result.err, ContainsSubstring("qturn: in/images/" + picture +
                                             ": the result was rejected, because it is wrong: "));
    CHECK_THAT(result.err, ContainsSubstring("1 of 2 pictures written (1 ") &&
                               ContainsSubstring("1 rejected because the result was wrong"));
    CHECK_THAT(result.out, ContainsSubstring("\"status\":\"rejected\""));
    const bool is_first = picture == "a.jpg";
    CHECK((workplace.content("in/images/a.jpg") == jpeg) == is_first);
    CHECK((workplace.content("in/labels/a.txt") == label) == is_first);
    CHECK((workplace.content("in/images/b.png") == png) != is_first);
    CHECK(workplace.files("in/images") == Names{"a.jpg", "b.png"});
    CHECK(workplace.files("in/labels") == Names{"a.txt", "b.txt"});
  }
}

TEST_CASE(
    "In place, a sidecar or a world file that the disk has spoiled keeps its picture as it was") {
  const std::map<std::string, std::string> files = {
      {"a.jgw", "0.5\n0\n0\n-0.5\n100\n200\n"},
      {"a.xmp", qturn::tests::xmp_packet_with(
                    "tiff:Orientation='1' tiff:ImageWidth='64' tiff:ImageLength='48'")}};
  for (const auto& [name, content] : files) {
    for (const bool is_spoiled : {true, false}) {
      CAPTURE(name, is_spoiled);
      Workplace workplace;
      workplace.add("in/a.jpg", jpeg);
      workplace.add("in/" + name, content);
      const auto before = workplace.tree("in");
      if (is_spoiled)
        workplace.environment = Workplace::on_disturbed_disk({{"QTURN_TEST_SPOIL", name}});
      const Result result = workplace.qturn({"cw", "in", "--in-place", "--sidecars"});
      CAPTURE(result.err);
      CHECK(result.exit_code == (is_spoiled ? 1 : 0));
      CHECK((workplace.tree("in") == before) == is_spoiled);
      if (is_spoiled)
        CHECK_THAT(result.err,
                   ContainsSubstring("the result was rejected, because it is wrong: in/" + name));
    }
  }
}

TEST_CASE("Without the proof a spoiled result is written, and the summary says that") {
  const Spoiled workplace("b.png");
  const Result result = workplace.done({"cw", "in", "--in-place", "--no-verify"});
  CHECK(workplace.content("in/images/b.png") != png);
  CHECK_THAT(result.err, ContainsSubstring("the results were not verified, as --no-verify says"));
}

TEST_CASE("Into a folder, results are proved if that is asked for") {
  const Spoiled workplace("b.png");
  workplace.done({"cw", "in", "-o", "out", "-q"});
  workplace.failed({"cw", "in", "-o", "proved", "--verify"},
                   "in/images/b.png: the result was rejected");
  CHECK(workplace.files("proved/images") == Names{"a.jpg"});
}

TEST_CASE("What another program changes after the proof is not put in its place") {
  const std::map<std::string, std::string> originals = {
      {"images/a.jpg", jpeg}, {"images/b.png", png}, {"labels/a.txt", label}};
  for (const std::string touched : {"a.jpg", "b.png", "a.txt"}) {
    for (const std::string at : {"flush", "rename", "link"}) {
      for (const bool in_place : {true, false}) {
        CAPTURE(touched, at, in_place);
        Spoiled workplace("none");
        workplace.environment = Workplace::on_disturbed_disk(
            {{"QTURN_TEST_TOUCH", touched}, {"QTURN_TEST_TOUCH_AT", at}});
        const Words words = {"cw", "in", "--verify", "--fsync", "each"};
        workplace.failed(
            with(words, in_place ? Words{"--in-place"} : Words{"-o", "out"}),
            "/" + touched +
                " was changed by another program after it was compared, so it is not used");
        // What is there already, and cannot be taken back, stays.
        const bool is_too_late = touched == "a.txt" && at == "rename" && !in_place;
        for (const auto& [name, content] : originals) {
          const bool is_of_it = name.find(touched.substr(0, 1) + ".") != std::string::npos;
          if (in_place)
            CHECK((workplace.content("in/" + name) == content) == is_of_it);
          else
            CHECK(workplace.exists("out/" + name) ==
                  (!is_of_it || (is_too_late && name == "images/a.jpg")));
        }
      }
    }
  }
}

TEST_CASE("Labels of many pictures are turned back, variant by variant, before they are in place") {
  const auto check = [](const std::string& name, const std::string& text) {
    CAPTURE(name);
    Spoiled workplace(name);
    workplace.add("data/a.png", png);
    workplace.add("data/b.png", png);
    workplace.add("data/" + name, text);
    for (const Words& words : {Words{"flop", "data", "-o", "out"},
                               {"augment", "data", "-o", "eight"},
                               {"cw", "data", "-o", "quarter", "--exclude", "b.png"}}) {
      workplace.failed(with(words, {"--verify"}),
                       words[3] + "/" + name +
                           " is not written: the result was rejected, because it is wrong: ");
      CHECK_FALSE(workplace.files(words[3]).contains(name));
    }
    workplace.environment.clear();
    for (const Words& words : {Words{"flop", "data", "-o", "good"},
                               {"augment", "data", "-o", "good8"},
                               {"cw", "data", "-o", "good4", "--exclude", "b.png"}}) {
      workplace.done(with(words, {"--verify"}));
      CHECK(workplace.files(words[3]).contains(name));
    }
    CHECK_THAT(workplace.qturn({"check", "--against", "data", "good"}).err,
               ContainsSubstring("data/" + name + ": labels of many pictures are not compared"));
  };
  check("instances.json",
        "{\"images\": [{\"id\": 1, \"file_name\": \"a.png\", \"width\": 9, \"height\": 7}, "
        "{\"id\": 2, \"file_name\": \"b.png\", \"width\": 9, \"height\": 7}], \"annotations\": "
        "[{\"id\": 1, \"image_id\": 2, \"bbox\": [1.5, 2e0, 3.25, 1]}, {\"id\": 2, \"image_id\": "
        "1, \"bbox\": [0, 0.125, 4, 2]}]}");
  check("boxes.csv",
        "filename,width,height,class,xmin,ymin,xmax,ymax\n"
        "a.png,9,7,cat,1,2.50,5,3e0\n"
        "b.png,9,7,dog,0,1,2,3");  // without an end
}

TEST_CASE_METHOD(Workplace,
                 "A number with an exponent is proved in the form that it has after turns") {
  add("in/a.png", png);
  add("in/a.txt", "0 0.25 5e-1 0.1 2e-1\n");
  for (const std::string operation : {"flop", "cw", "transpose", "rotate180"}) {
    const Result result = qturn({operation, "in", "-o", operation, "--verify"});
    CAPTURE(operation, result.err);
    CHECK(result.exit_code == 0);
  }
}

TEST_CASE_METHOD(Workplace, "What cannot be proved is refused before anything starts") {
  add("in/a.png", png);
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"-o", "out", "--format", "tiff"},
        {"-o", "out", "--salvage"},
        {"-o", "-"},
        {"--in-place", "--no-verify"}}) {
    std::vector<std::string> words = {"cw", "in", "--verify"};
    words.insert(words.end(), more.begin(), more.end());
    refused(words, "--verify");
  }
  CHECK(content("in/a.png") == png);
}

TEST_CASE("Folders are compared with the folders of their originals, whoever turned them") {
  Workplace workplace;
  workplace.add("in/a.jpg", tagged_jpeg(smooth_picture(64, 48), 6));
  workplace.add("in/b.png", png);
  workplace.add("in/sub/c.jpg", cli::jpeg(smooth_picture(61, 43)));  // is re-encoded
  workplace.add("in/d.tif", encoded(random_picture(8, 6), qturn::tiff::codec));
  workplace.done({"flop", "in", "-o", "out", "-q"});
  const Result same = workplace.done({"check", "--against", "in", "out", "-j1"});
  CHECK(same.out == "in/a.jpg: transpose\nin/b.png: flop\nin/d.tif: flop\nin/sub/c.jpg: flop\n");
  CHECK_THAT(same.err, ContainsSubstring("4 of 4 pictures hold what their originals say"));

  workplace.add("out/b.png", cli::png(random_picture(9, 7, 3, qturn::SampleFormat::u8, 2)));
  workplace.add("out/more.png", png);
  std::filesystem::remove(workplace.path() / "out/d.tif");
  // Turned, and the tag left as it was.
  workplace.done({"cw", "in/sub/c.jpg", "-o", "turned.jpg", "-q"});
  const Result others = workplace.failed(
      {"check", "--against", "in", "out", "--json"},
      {"in/b.png: its counterpart is wrong: in none of the eight",
       "in/d.tif: it has no counterpart of the same name",
       "out/more.png: it has no original of the same name", "2 of 4 pictures hold"});
  CHECK_THAT(others.out, ContainsSubstring("\"status\":\"disagrees\"") &&
                             ContainsSubstring("\"applied\":\"transpose\""));
}

TEST_CASE("Labels and masks are compared with those of the originals, as the pictures are turned") {
  Workplace workplace;
  const auto mask = [](std::uint64_t seed) {
    return cli::png(random_picture(9, 7, 1, qturn::SampleFormat::u8, seed));
  };
  for (const std::string name : {"a", "b", "c", "d"}) {
    workplace.add("in/images/" + name + ".png", png);
    workplace.add("in/labels/" + name + ".txt", label);
    workplace.add("in/masks/" + name + ".png", mask(2));
  }
  workplace.done({"cw", "in", "-o", "out", "-q"});
  const Words check = {"check", "--against", "in", "out", "-j1"};
  workplace.done(check);

  workplace.add("out/labels/a.txt", label);  // as it was before the turn
  workplace.done(
      {"ccw", "in/masks/b.png", "-o", "out/masks/b.png", "-q", "--overwrite", "--labels", "none"});
  std::filesystem::remove(workplace.path() / "out/labels/c.txt");
  std::filesystem::remove(workplace.path() / "out/masks/d.png");
  workplace.add("note.txt", "a text");
  workplace.failed(
      {"check", "--against", "in", "out", "note.txt", "-j1"},
      {"in/images/a.png: its counterpart is wrong: ", "labels/a.txt: turned back, 1:5 '0 0.25",
       "in/images/b.png: its counterpart is wrong: in/masks/b.png: page 1, pixel",
       "in/images/c.png: in/labels/c.txt has no counterpart",
       "in/images/d.png: it has 1 mask, its counterpart has 0", "note.txt: not a picture"});
  workplace.refused({"check", "--against", "in", "out", "--labels", "yolo:in/labels"},
                    "finds the labels and masks of both folders by itself");
}

TEST_CASE("jpegtran's turns are proved too, and a tag that it leaves is found") {
  Workplace workplace;
  const std::string tagged = tagged_jpeg(smooth_picture(64, 48), 6);
  const auto by_jpegtran = [](const std::string& file) {
    return std::string(qturn::text_of(qturn::tests::made_by(
        "jpegtran -rotate 90 -copy all -outfile out in", qturn::bytes_of(file))));
  };
  workplace.add("in/a.jpg", tagged);
  workplace.add("in/b.jpg", jpeg);
  workplace.add("out/a.jpg", by_jpegtran(tagged));
  workplace.add("out/b.jpg", by_jpegtran(jpeg));
  const Result result = workplace.failed({"check", "--against", "in", "out", "-j1"});
  CHECK(result.out == "in/b.jpg: rotate90\n");
  CHECK_THAT(result.err, ContainsSubstring("in/a.jpg: its counterpart is wrong: its pixels are "
                                           "turned (rotate90), and its tag says 6 all the same"));
}

}  // namespace verify_test
