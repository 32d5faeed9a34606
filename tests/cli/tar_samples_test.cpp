// What belongs to a sample of a tar, and that no part of one is written or lost in silence.
#include <nlohmann/json.hpp>

#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/tar_files.hpp"

namespace tar_samples_test {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using cli::Result;
using cli::Workplace;
using Names = std::vector<std::string>;

namespace {

const std::string jpeg = cli::jpeg(cli::smooth_picture(64, 48));
const std::string png = cli::png(cli::random_picture(31, 17));
const std::string mask = cli::png(cli::random_picture(64, 48, 1));
const std::string yolo = "0 0.25 0.5 0.1 0.2\n";

Names names_in(const Workplace& workplace, const fs::path& tar) {
  Names names;
  for (const auto& [name, content] : tests::members_of(workplace.content(tar)))
    names.push_back(name);
  return names;
}

}  // namespace

TEST_CASE_METHOD(cli::Workplace, "Labels that --labels none leaves untrue are counted") {
  const tests::Members members = {{"images/a.jpg", jpeg},
                                  {"images/a.txt", yolo},
                                  {"images/b.jpg", jpeg},
                                  {"images/b.caption", "a cat"},
                                  {"labels/b.txt", yolo}};
  for (const auto& [name, content] : members) add(fs::path("in") / name, content);
  add("in.tar", tests::tar(members));
  const auto says = ContainsSubstring("2 label files were not turned with their pictures");
  for (const char* output : {"out.tar", "out"})
    CHECK_THAT(done({"cw", "in", "-o", output, "--labels", "none"}).err, says);
  CHECK_THAT(done({"cw", "in.tar", "-o", "other.tar", "--labels", "none"}).err, says);
  CHECK_THAT(done({"upright", "in", "-o", "same", "--labels", "none"}).err, !says);
  CHECK_THAT(done({"cw", "in", "--in-place", "--labels", "none"}).err,
             ContainsSubstring("2 label files do not fit their pictures any more"));
}

TEST_CASE_METHOD(
    cli::Workplace,
    "A file about a picture of another sample that is not turned ends the run before it starts") {
  const auto turn_all = [&](const tests::Members& members, std::vector<std::string> more = {}) {
    add("in.tar", tests::tar(members));
    fs::remove(path() / "out.tar");
    const cli::Words words = cli::with({"cw", "in.tar", "-o", "out.tar"}, more);
    const Result result = qturn(words);
    CHECK((result.exit_code == 2) == !exists("out.tar"));
    return result;
  };
  const auto turn = [&](const std::string& name, const std::string& text,
                        const std::vector<std::string>& more = {}) {
    return turn_all({{"images/a.jpg", jpeg}, {name, text}}, more);
  };
  const Result lost = turn("other/a.txt", yolo);
  CHECK(lost.exit_code == 2);
  CHECK_THAT(lost.err, ContainsSubstring("in.tar/other/a.txt: looks like YOLO labels, and "
                                         "does not lie where those of the pictures"));
  CHECK(turn("images/b.txt", yolo).exit_code == 0);  // about no picture
  CHECK(turn("other/a.txt", yolo, {"--others", "copy"}).exit_code == 0);
  CHECK(names_in(*this, "out.tar") == Names{"images/a.jpg", "other/a.txt"});
  CHECK(turn("boxes.csv", "a.jpg,1,2,3,4", {"--others", "leave"}).exit_code == 0);
  CHECK(turn("boxes.csv", "a.jpg,1,2,3,4").exit_code == 2);
  CHECK(turn("labels/a.txt", yolo, {"--labels", "none"}).exit_code == 0);
  CHECK(turn("labels/a.txt", yolo, {"--labels", "voc"}).exit_code == 0);
  CHECK(turn("labels/a.txt", yolo, {"--exclude", "*.txt"}).exit_code == 0);
  CHECK(turn("labels/a.txt", "").exit_code == 0);
  // About no picture of the tar.
  CHECK(turn("all.json", R"({"annotations": [{"bbox": [1, 2, 3, 4]}]})").exit_code == 0);
  CHECK(names_in(*this, "out.tar") == Names{"images/a.jpg"});
  // Before its picture comes.
  CHECK_THAT(turn_all({{"boxes.csv", "b.jpg,1,2,3,4"}, {"x/a.jpg", jpeg}, {"x/b.jpg", jpeg}}).err,
             ContainsSubstring("in.tar/boxes.csv: names a picture with 4 numbers"));
  // Also where the tar before it would be turned and unpacked.
  add("in.tar", tests::tar({{"a.jpg", jpeg}}));
  add("more.tar", tests::tar({{"c.jpg", jpeg}, {"z.csv", "c.jpg,1,2,3,4"}}));
  refused({"cw", "in.tar", "more.tar", "-o", "out", "--unpack"}, "more.tar/z.csv");
  CHECK_FALSE(exists("out"));
  // A compressed tar is read once, so there the file is found when it comes.
  add("in.tar.gz", tests::tar({{"a.jpg", jpeg}, {"z.csv", "a.jpg,1,2,3,4"}},
                              {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP}));
  CHECK_THAT(qturn({"cw", "in.tar.gz", "-o", "gz.tar"}).err, ContainsSubstring("in.tar.gz/z.csv"));
  CHECK_FALSE(exists("gz.tar"));
}

TEST_CASE_METHOD(cli::Workplace,
                 "Labels and masks of other folders of a tar are turned with their pictures") {
  const tests::Members members = {{"images/x/a.jpg", jpeg},
                                  {"images/x/b.c.jpg", jpeg},
                                  {"images/x/b.c_mask.png", mask},
                                  {"labels/x/a.txt", yolo},
                                  {"labels/x/b.c.txt", yolo},
                                  {"masks/x/a.png", mask},
                                  {"other/x/a.txt", "1 0.5 0.25 0.1 0.2\n"}};
  for (const auto& [name, content] : members) add("in/" + name, content);
  add("in.tar", tests::tar(members));
  const auto as_in_folder = [&](cli::Words words) {
    fs::remove_all(path() / "folder");
    fs::remove_all(path() / "tar");
    done(cli::with(words, {"in", "-o", "folder", "--exclude", "other/*"}));
    std::ranges::replace(words, std::string("yolo:in/labels"), std::string("yolo:labels"));
    const Result result =
        done(cli::with(words, {"in.tar", "-o", "tar", "--unpack", "--exclude", "other/*"}));
    CHECK_THAT(result.err, ContainsSubstring("YOLO labels of 2 of 2 pictures turn with them"));
    auto expected = tree("folder");
    std::erase_if(expected, [](const auto& file) { return file.first == "manifest.jsonl"; });
    CHECK(tree("tar") == expected);
  };
  as_in_folder({"cw"});
  as_in_folder({"upright"});
  as_in_folder({"flop", "--verify"});
  as_in_folder({"flop", "--format", "png"});
  // The folder's name of a second dot would join two samples of a tar, so names differ there.
  done({"augment", "in.tar", "-o", "all.tar", "--random", "2", "--exclude", "other/*"});
  const Names augmented = names_in(*this, "all.tar");
  CHECK(augmented.size() == 12);

  // A label beside a picture, and one elsewhere.
  add("two.tar",
      tests::tar({{"images/a.jpg", jpeg}, {"images/a.txt", yolo}, {"labels/a.txt", yolo}}));
  CHECK_THAT(failed({"cw", "two.tar", "-o", "two-out.tar"}).err,
             ContainsSubstring("two.tar/labels/a.txt is a second label of images/a.jpg"));
  add("twice.tar", tests::tar({{"images/a.jpg", jpeg},
                               {"labels/a.txt", yolo},
                               {"labels/a.txt", "1 0.5 0.5 0.1 0.1\n"}}));
  refused({"cw", "twice.tar", "-o", "out.tar"}, "twice.tar/labels/a.txt: is in the tar twice");
}

TEST_CASE_METHOD(cli::Workplace, "A folder that --labels names lies in the tar, or on the disk") {
  add("in.tar", tests::tar({{"x/a.jpg", jpeg}, {"other/x/a.txt", yolo}}));
  add("disk/x/a.txt", "1 0.5 0.25 0.1 0.2\n");
  refused({"cw", "in.tar", "-o", "out.tar"}, "in.tar/other/x/a.txt");
  const auto turned = [&](const std::string& folder) {
    done({"flop", "in.tar", "-o", "out.tar", "--labels", "yolo:" + folder, "--overwrite",
          "--others", "leave", "--keypoints", "none"});
    return tests::members_of(content("out.tar")).back();
  };
  CHECK(turned("other") == std::pair<std::string, std::string>{"x/a.txt", "0 0.75 0.5 0.1 0.2\n"});
  CHECK(turned("in.tar/other") == turned("other"));
  CHECK(turned("disk") == std::pair<std::string, std::string>{"x/a.txt", "1 0.5 0.25 0.1 0.2\n"});
  refused({"cw", "in.tar", "-o", "no.tar", "--labels", "yolo:absent"},
          "no YOLO label belongs to a picture");
  add("in.tar.gz",
      tests::tar({{"x/a.jpg", jpeg}}, {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP}));
  refused({"cw", "in.tar.gz", "-o", "no.tar", "--labels", "yolo:disk"}, "in.tar.gz: is compressed");
}

TEST_CASE_METHOD(cli::Workplace, "A tar that is cut does not lose labels in silence") {
  const std::string whole =
      tests::tar({{"images/a.jpg", jpeg}, {"labels/a.txt", yolo}, {"labels/b.txt", yolo}});
  add("in.tar", whole.substr(0, whole.size() - 1024 - 600));
  refused({"cw", "in.tar", "-o", "out.tar"}, "in.tar: is damaged or cut");
}

TEST_CASE_METHOD(
    cli::Workplace,
    "A mask that is a sample of its own turns with its picture; without one it is a picture") {
  add("in.tar", tests::tar({{"a.jpg", jpeg}, {"a_mask.png", mask}}));
  done({"augment", "in.tar", "-o", "out.tar", "--variants", "cw"});
  CHECK(names_in(*this, "out.tar") == Names{"a__rotate90.jpg", "a__rotate90_mask.png"});
  done({"cw", "in.tar", "-o", "all.tar", "--masks", "none"});
  CHECK(names_in(*this, "all.tar") == Names{"a.jpg", "a_mask.png"});
  add("in.tar", tests::tar({{"a.mask.png", mask}, {"a.mask_2.png", mask}}));
  done({"cw", "in.tar", "-o", "alone.tar"});
  CHECK(names_in(*this, "alone.tar") == Names{"a.mask.png", "a.mask_2.png"});
  standard_input = content("in.tar");  // in a pipe, its picture may come later
  failed({"cw", "-", "-o", "piped.tar"}, "a.mask.png has the name of a mask, ");
  add("in.tar", tests::tar({{"b.x.jpg", jpeg}, {"b.x_mask.png", mask}}));
  done({"cw", "in.tar", "-o", "x.tar"});
}

TEST_CASE_METHOD(cli::Workplace,
                 "A mask in a folder of masks of a tar gets the variants of its picture") {
  add("in.tar", tests::tar({{"images/a.jpg", jpeg}, {"masks/a.png", mask}}));
  done({"augment", "in.tar", "-o", "out.tar", "--random", "1", "--seed", "3"});
  const Names names = names_in(*this, "out.tar");
  REQUIRE(names.size() == 2);
  CHECK(names[0].substr(8, names[0].size() - 12) == names[1].substr(7, names[1].size() - 11));
  add("alone.tar", tests::tar({{"images/a.jpg", jpeg}, {"masks/b.png", mask}}));
  refused({"augment", "alone.tar", "-o", "no.tar", "--random", "1"}, "alone.tar/masks/b.png");
  done({"augment", "alone.tar", "-o", "all.tar", "--random", "1", "--masks", "none"});
  done({"augment", "alone.tar", "-o", "same.tar", "--variants", "flop"});
  CHECK(names_in(*this, "same.tar") == Names{"images/a__flop.jpg", "masks/b__flop.png"});
}

TEST_CASE_METHOD(cli::Workplace, "An array without a picture is copied from a tar") {
  add("in.tar", tests::tar({{"a.jpg", jpeg}, {"poses.npy", "\x93NUMPY"}}));
  done({"cw", "in.tar", "-o", "out.tar", "--others", "copy"});
  CHECK(names_in(*this, "out.tar") == Names{"a.jpg", "poses.npy"});
}

TEST_CASE_METHOD(cli::Workplace,
                 "A picture that is not selected is not copied with the variants of another") {
  add("in.tar", tests::tar({{"a.png", png},
                            {"a.depth.png", png},
                            {"a.dng", "raw"},
                            {"a.seen", png},
                            {"a.cls", "1"}}));
  const Result result =
      done({"augment", "in.tar", "--include", "*a.png", "--variants", "flop", "-o", "out.tar"});
  CHECK(names_in(*this, "out.tar") == Names{"a__flop.png", "a__flop.cls"});
  CHECK_THAT(result.err, ContainsSubstring("1 .png"));
}

TEST_CASE_METHOD(cli::Workplace,
                 "Notes of GDAL turn in their sample, or stay if they are of no place") {
  const std::string other = "<PAMDataset><MDI key=\"STATISTICS_MEAN\">7</MDI></PAMDataset>";
  add("in.tar", tests::tar({{"a.png", png},
                            {"a.png.aux.xml",
                             "<PAMDataset><GeoTransform>5, 1, 0, 9, 0, -1"
                             "</GeoTransform></PAMDataset>"},
                            {"b.png", png},
                            {"b.png.aux.xml", other}}));
  REQUIRE(qturn({"flop", "in.tar", "-o", "out.tar", "--strict"}).exit_code == 0);
  const auto members = tests::members_of(content("out.tar"));
  CHECK(members.at(1).second ==
        "<PAMDataset><GeoTransform>36, -1, 0, 9, 0, -1</GeoTransform></PAMDataset>");
  CHECK(members.at(3).second == other);
}

TEST_CASE_METHOD(cli::Workplace, "A sample is written whole, or it is left out") {
  const auto status_of = [&](const Result& result, const std::string& output) {
    for (const std::string& line : result.out_lines()) {
      const auto json = nlohmann::json::parse(line);
      if (json["output"] == output) return json["status"].get<std::string>();
    }
    return std::string("none");
  };
  add("in.tar", tests::tar({{"a.left.png", png.substr(0, 200)},
                            {"a.right.png", png},
                            {"a.txt", yolo},
                            {"b.png", png}}));
  for (const std::string threads : {"1", "4"}) {
    CAPTURE(threads);
    const Result damaged =
        failed({"cw", "in.tar", "-o", "out.tar", "--overwrite", "--json", "-j", threads});
    CHECK_THAT(
        damaged.err,
        ContainsSubstring("in.tar/a.right.png: left out, because a.left.png of "
                          "the same sample is") &&
            ContainsSubstring("1 of 3 pictures written (1 re-encoded without loss), 2 failed"));
    CHECK(status_of(damaged, "out.tar/a.right.png") == "failed");
    CHECK(names_in(*this, "out.tar") == Names{"b.png"});
  }
  // The right edge of the first is not a whole block, so that it stays as it is.
  const std::string odd = cli::jpeg(cli::smooth_picture(61, 48));
  add("in.tar", tests::tar({{"a.jpg", odd}, {"a.right.jpg", jpeg}, {"a.cls", "1"}}));
  const Result skipped = done({"augment", "in.tar", "-o", "skip.tar", "--variants", "identity,flop",
                               "--jpeg-edges", "skip", "--json"});
  CHECK_THAT(skipped.err, ContainsSubstring("2 left alone because a turn would not be lossless"));
  CHECK(status_of(skipped, "skip.tar/a__flop.right.jpg") == "skipped");
  CHECK(names_in(*this, "skip.tar") ==
        Names{"a__identity.jpg", "a__identity.right.jpg", "a__identity.cls"});
}

}  // namespace tar_samples_test
