// A folder with all that belongs to its pictures becomes a tar.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

#include "tests/cli/labelled.hpp"
#include "tests/fixtures/metadata.hpp"
#include "tests/fixtures/tar_files.hpp"

namespace packing_test {

using namespace cli;
using tests::Members;

namespace {

const std::string jpeg = cli::jpeg(smooth_picture(64, 48));

/// Labels and masks in folders of their own, keypoints that a YAML file describes, a caption, XMP,
/// capitals, and a picture that is called as a mask.
void add_data_set(const Workplace& workplace) {
  for (const char* name : {"a", "b"}) {
    workplace.add(fmt::format("data/images/x/{}.jpg", name), jpeg);
    workplace.add(fmt::format("data/labels/x/{}.txt", name), "0 .25 .5 .1 .2 .3 .4 2 .5 .6 1\n");
  }
  workplace.add("data/images/x/C.PNG", cli::png(labelled_picture));
  workplace.add("data/images/x/c.caption", "a cat");
  workplace.add("data/images/x/face_mask.jpg", jpeg);
  workplace.add("data/masks/x/a.png", cli::png(smooth_picture(64, 48)));
  workplace.add("data/data.yaml",
                "path: .\ntrain: images\nnames: [cat]\nkpt_shape: [2, 3]\nflip_idx: [1, 0]\n");
}

/// The name in the tar of a file of the output folder.
std::string name_in_tar(std::string name) {
  for (const std::string folder : {"labels/", "masks/"}) {
    if (!name.starts_with(folder)) continue;
    name.replace(0, folder.size(), "images/");
    if (folder == "masks/") name.insert(name.rfind('.'), ".mask");
  }
  return name;
}

}  // namespace

TEST_CASE("A folder becomes a tar of samples, with the bytes that a folder as output gets") {
  const Workplace workplace;
  add_data_set(workplace);
  const Words augment = {"augment", "data", "--variants", "flop,cw", "-o"};
  const auto run = [&](const Words& words, const Words& more) {
    return workplace.done(with(words, more));
  };
  run(augment, {"folder"});
  const Result packed = run(augment, {"out.tar", "-j", "4"});
  CHECK_THAT(packed.err, ContainsSubstring("data/data.yaml describes the whole data set"));
  CHECK_THAT(packed.err, ContainsSubstring("8 variants written"));

  Members expected;
  for (const auto& [name, content] : workplace.tree("folder"))
    if (name.find('/') != std::string::npos) expected.emplace_back(name_in_tar(name), content);
  const std::string tar = workplace.content("out.tar");
  Members made = tests::members_of(tar);
  CHECK(made.front().first == "images/x/C__flop.PNG");
  // A sample's variants follow each other; the files of each begin with its name.
  Members sorted = made;
  std::ranges::sort(sorted);
  std::ranges::sort(expected);
  CHECK(sorted == expected);
  for (auto at = made.begin(); at != made.end();) {
    const auto key = [](const auto& member) {
      return member.first.substr(0, member.first.find('.'));
    };
    const std::string own = key(*at);
    at = std::find_if(at, made.end(), [&](const auto& member) { return key(member) != own; });
    CHECK(std::none_of(at, made.end(), [&](const auto& member) { return key(member) == own; }));
  }

  CHECK(run(augment, {"-", "-j", "1"}).out == tar);
  run(augment, {"out/train.tar", "--tar-size", "12KB"});
  CHECK(workplace.files("out").size() > 1);

  // What was packed is read again as the same samples.
  run({"cw", "data", "-o", "cw.tar", "--png", "fast"}, {});
  run({"augment", "data", "--variants", "cw", "-o", "cw"}, {});
  for (const auto& member : tests::members_of(workplace.content("cw.tar"))) {
    const std::string& name = member.first;
    CAPTURE(name);
    const std::string variant =
        fmt::format("{}__rotate90{}", name.substr(0, name.find('.')), name.substr(name.find('.')));
    const auto tree = workplace.tree("cw");
    CHECK(std::ranges::any_of(tree, [&](const auto& file) {
      return name_in_tar(file.first) == variant && file.second == member.second;
    }));
  }
}

/// What becomes of `files` as a variant of a folder, and under which name of a folder that a tar of
/// samples is unpacked into: "{}" stands for the end of a variant.
struct CompanionCase {
  const char* kind;
  Members files;
  std::vector<std::pair<std::string, std::string>> places;
};

TEST_CASE("A companion of any kind comes out of a tar as out of a folder, byte for byte") {
  const std::string png = cli::png(labelled_picture);
  const std::string boxes =
      "<bndbox><xmin>1</xmin><ymin>2</ymin><xmax>4</xmax><ymax>3</ymax></bndbox>";
  const std::vector<CompanionCase> cases = {
      {"YOLO",
       {{"images/x/a.png", png}, {"labels/x/a.txt", "0 .25 .5 .1 .20\n1 .1 .2 .1 .2\n"}},
       {{"images/x/a{}.png", "images/x/a{}.png"}, {"labels/x/a{}.txt", "images/x/a{}.txt"}}},
      {"Pascal VOC",
       {{"JPEGImages/a.png", png},
        {"Annotations/a.xml",
         "<annotation>\n<filename>a.png</filename>\n<size><width>9</width><height>5</height></"
         "size><object><name>cat</name>" +
             boxes + "</object>\n</annotation>\n"}},
       {{"JPEGImages/a{}.png", "JPEGImages/a{}.png"},
        {"Annotations/a{}.xml", "JPEGImages/a{}.xml"}}},
      {"LabelMe",
       {{"a.png", png},
        {"a.json",
         R"({"shapes": [{"label": "cat", "shape_type": "polygon", "points": [[1, 1], [8, 2], [3, 4.5]]}],
             "imagePath": "a.png", "imageData": null, "imageWidth": 9, "imageHeight": 5})"}},
       {{"a{}.png", "a{}.png"}, {"a{}.json", "a{}.json"}}},
      {"mask in a folder of its own",
       {{"images/a.png", png}, {"masks/a.png", cli::png(random_picture(9, 5, 1))}},
       {{"images/a{}.png", "images/a{}.png"}, {"masks/a{}.png", "images/a{}.mask.png"}}},
      {"mask beside its picture",
       {{"a.png", png}, {"a_mask.png", cli::png(random_picture(9, 5, 1))}},
       {{"a{}.png", "a{}.png"}, {"a{}_mask.png", "a{}.mask.png"}}},
      {"sidecar",
       {{"a.png", tagged_png(labelled_picture, 6)},
        {"a.xmp", qturn::tests::xmp_packet_with("tiff:Orientation='6'")},
        {"a.png.xmp", qturn::tests::xmp_packet_with("tiff:Orientation='6' tiff:ImageWidth='9'")}},
       {{"a{}.png", "a{}.png"}, {"a{}.xmp", "a{}.xmp"}, {"a{}.png.xmp", "a{}.png.xmp"}}},
      {"other",
       {{"a.png", png}, {"a.caption", "a cat on the left"}, {"a.cls", "3"}},
       {{"a{}.png", "a{}.png"}, {"a{}.caption", "a{}.caption"}, {"a{}.cls", "a{}.cls"}}},
  };
  for (const CompanionCase& each : cases) {
    CAPTURE(each.kind);
    const Workplace workplace;
    for (const auto& [name, content] : each.files) workplace.add("data/" + name, content);
    const Words variants = {"--variants", "flop,rotate90", "-o"};
    // A folder that goes through a tar, upright and then in variants.
    workplace.done({"upright", "data", "-o", "in.tar"});
    workplace.done(with({"augment", "in.tar", "--unpack"}, with(variants, {"unpacked"})));
    // One that does not, and one that becomes a tar of variants.
    workplace.done(with({"augment", "data"}, with(variants, {"folder"})));
    workplace.done(with({"augment", "data"}, with(variants, {"out.tar"})));
    std::map<std::string, std::string> packed;
    for (const auto& [name, content] : tests::members_of(workplace.content("out.tar")))
      packed[name] = content;
    Names in_folder = {"manifest.jsonl"}, in_tar;
    for (const char* variant : {"__flop", "__rotate90"}) {
      for (const auto& [place, packed_place] : each.places) {
        const auto named = [&](const std::string& pattern) {
          return std::string(pattern).replace(pattern.find("{}"), 2, variant);
        };
        CAPTURE(named(place));
        in_folder.insert(named(place));
        in_tar.insert(named(packed_place));
        const std::string expected = workplace.content("folder/" + named(place));
        CHECK(packed[named(packed_place)] == expected);
        CHECK(workplace.content("unpacked/" + named(packed_place)) == expected);
      }
    }
    CHECK(workplace.files("folder") == in_folder);
    CHECK(workplace.files("unpacked") == in_tar);
    CHECK(packed.size() == in_tar.size());
  }
}

/// A label file of many pictures, and the picture that it is about: a.png, and b.png in VIA.
struct SharedCase {
  const char *format, *name;
  std::string content;
};

std::vector<SharedCase> shared_cases() {
  const std::string png = cli::png(labelled_picture);
  return {
      {"coco", "annotations/instances_train.json",
       R"({"images": [{"id": 1, "file_name": "a.png", "width": 9, "height": 5},
                      {"id": 2, "file_name": "b.png", "width": 9, "height": 5},
                      {"id": 3, "file_name": "gone.png", "width": 9, "height": 5}],
           "annotations": [{"id": 1, "image_id": 1, "bbox": [1, 1, 2, 2]},
                           {"id": 2, "image_id": 2, "bbox": [3, 1, 2, 4]}]})"},
      {"csv", "train/_annotations.csv",
       "filename,width,height,class,xmin,ymin,xmax,ymax\nb.png,9,5,cat,1,1,3,4\na.png,9,5,cat,0,1,"
       "3,4\n"},
      {"huggingface", "train/metadata.jsonl",
       R"({"file_name": "a.png", "objects": {"bbox": [[1.0, 2.0, 3.0, 2.0]], "categories": [0]}})"
       "\n"},
      {"via", "train/via_region_data.json",
       fmt::format(
           R"({{"b.png{0}": {{"filename": "b.png", "size": {0}, "file_attributes": {{}}, "regions":
              [{{"shape_attributes": {{"name": "rect", "x": 1, "y": 1, "width": 2, "height": 3}},
                 "region_attributes": {{}}}}]}}}})",
           png.size())},
  };
}

TEST_CASE("Labels of many pictures come out of a tar as out of a folder, byte for byte") {
  const std::string png = cli::png(labelled_picture);
  for (const SharedCase& each : shared_cases()) {
    CAPTURE(each.format);
    Workplace workplace;
    const Members files = {{"train/a.png", png}, {"train/b.png", png}, {each.name, each.content}};
    for (const auto& [name, content] : files) workplace.add("data/" + name, content);
    workplace.add("in.tar", tests::tar(files));
    const Words augmented = {"augment", "--verify", "--variants", "flop,rotate90"};
    const std::string named = fmt::format("{}:{}", each.format, each.name);
    const Words from_tar = with(augmented, {"in.tar"});
    const Words from_gzip = with(augmented, {"in.tar.gz", "-o", "gzip.tar"});
    workplace.add("in.tar.gz", tests::tar(files, {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP}));
    workplace.done(with(augmented, {"data", "-o", "folder"}));
    workplace.done(with(augmented, {"data", "-o", "packed.tar"}));
    workplace.done(with(from_tar, {"-o", "out.tar"}));
    workplace.done(with(from_tar, {"-o", "named.tar", "--labels", named}));
    workplace.done(with(from_tar, {"-o", "unpacked", "--unpack"}));
    workplace.done(with(from_gzip, {"--labels", named}));
    auto expected = workplace.tree("folder");
    std::erase_if(expected, [](const auto& file) { return file.first == "manifest.jsonl"; });
    CHECK(expected.size() == 5);
    CHECK(workplace.tree("unpacked") == expected);
    for (const char* tar : {"packed.tar", "out.tar", "named.tar", "gzip.tar"}) {
      const Members members = tests::members_of(workplace.content(tar));
      CHECK(members.back().first == each.name);
      CHECK(std::set(members.begin(), members.end()) == expected);
    }
    // A compressed tar is read once, unless the file is named.
    fs::remove(workplace.path() / "gzip.tar");
    const Result refused = workplace.refused(from_gzip, each.name);
    CHECK(refused.err.find(fmt::format("--labels {} turns them", named)) != std::string::npos);
    const Words piped = {"-", "-o", "piped.tar"};
    workplace.standard_input = tests::tar(files);
    workplace.refused(with(augmented, piped), "labels of pictures that have come before");
    CHECK_FALSE(fs::exists(workplace.path() / "piped.tar"));
    // Then they come first.
    const Members first = {files[2], files[0], files[1]};
    workplace.standard_input = tests::tar(first);
    workplace.done(with(augmented, piped));
    workplace.done(with(augmented, {"-", "-o", "piped", "--unpack", "--labels", named}));
    workplace.add("in.tar.gz", tests::tar(first, {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP}));
    workplace.done(from_gzip);
    CHECK(workplace.tree("piped") == expected);
    fs::remove(workplace.path() / "piped/train/a__flop.png");
    workplace.done(with(augmented, {"-", "-o", "piped", "--unpack", "--skip-existing"}));
    CHECK(workplace.tree("piped") == expected);
    for (const char* tar : {"piped.tar", "gzip.tar"}) {
      const Members members = tests::members_of(workplace.content(tar));
      CHECK(members.back().first == each.name);
      CHECK(std::set(members.begin(), members.end()) == expected);
    }
  }
}

TEST_CASE("In a pipe, labels of many pictures lie in the folders of their pictures, before them") {
  // Both folders have a picture of this name, of other sizes.
  const auto labels_of = [](int width, int height) {
    return fmt::format(
        R"({{"images": [{{"id": 1, "file_name": "a.png", "width": {}, "height": {}}}],
            "annotations": [{{"id": 1, "image_id": 1, "bbox": [1, 1, 2, 2]}}]}})",
        width, height);
  };
  const std::pair<std::string, std::string> first = {"train/_annotations.coco.json",
                                                     labels_of(9, 5)},
                                            train = {"train/a.png", cli::png(labelled_picture)},
                                            second = {"valid/_annotations.coco.json",
                                                      labels_of(6, 4)},
                                            valid = {"valid/a.png",
                                                     cli::png(cli::random_picture(6, 4))};
  Workplace workplace;
  for (const auto& [name, content] : {first, train, second, valid})
    workplace.add("data/" + name, content);
  workplace.done({"cw", "data", "-o", "folder"});
  const Words piped = {"cw", "-", "--unpack", "-o"};
  const auto turn = [&](const Members& members) {
    workplace.standard_input = tests::tar(members);
    fs::remove_all(workplace.path() / "piped");
    return workplace.qturn(with(piped, {"piped"}));
  };
  for (const Members& members :
       {Members{first, train, second, valid}, Members{first, second, train, valid},
        Members{second, valid, first, train}}) {
    const Result result = turn(members);
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    CHECK(workplace.tree("piped") == workplace.tree("folder"));
  }
  // What was written before stays.
  const Result late = turn({first, train, valid, second});
  CHECK(late.exit_code == 1);
  CHECK(late.err.find("valid/_annotations.coco.json: COCO labels of pictures that have come") !=
        std::string::npos);
}

TEST_CASE("Labels of many pictures in a pipe that cannot be turned end the run by name") {
  const std::string coco =
      R"({"images": [{"id": 1, "file_name": "a.png", "width": 9, "height": 5}],
          "annotations": [{"id": 1, "image_id": 1, "bbox": [1, 1, 2, 2]}]})";
  const std::pair<std::string, std::string> picture = {"a.png", cli::png(labelled_picture)};
  Workplace workplace;
  const Words flop = {"flop", "-", "-o", "o.tar"};
  const auto refuse = [&](const Members& members, const std::string& says, const Words& more = {}) {
    CAPTURE(says);
    workplace.standard_input = tests::tar(members);
    workplace.refused(with(flop, more), says);
    CHECK_FALSE(fs::exists(workplace.path() / "o.tar"));
  };
  refuse({{"x.json", coco.substr(0, coco.size() - 20)}, picture}, "standard input/x.json:2:");
  refuse(
      {{"boxes/a.xml", R"(<annotations><image id="0" name="a.png" width="9" height="5">)"
                       R"(<box xtl="1" ytl="1" xbr="2" ybr="2" label="x"/></image></annotations>)"},
       picture},
      "a.xml: has the name of a picture");
  refuse({{"panoptic.json",
           R"({"images": [{"id": 1, "file_name": "a.png", "width": 9, "height": 5}],
            "annotations": [{"image_id": 1, "file_name": "a.png",
                             "segments_info": [{"id": 1, "bbox": [0, 0, 1, 1]}]}]})"},
          picture},
         "panoptic.json: is about the pixels of a.png");
  refuse({{"x.json", coco + std::string(8 << 20, ' ')}, picture},
         "x.json: labels of many pictures need more than", {"--memory", "64MiB"});
  refuse({{"x.json", coco}, {"b.png", picture.second}}, "none of the pictures is an image of");
  refuse({picture}, "x.json", {"--labels", "coco:x.json"});
  const std::string of_others = std::string(coco).replace(coco.find("9"), 1, "8");
  workplace.standard_input = tests::tar({{"x.json", of_others}, picture});
  workplace.failed(with(flop, {"--overwrite"}), "a.png: standard input/x.json:1:13: says 8 x 5");
  // What is late goes its own way.
  const Members late = {picture, {"x.json", coco}};
  workplace.standard_input = tests::tar(late);
  workplace.done(with(flop, {"--others", "leave"}));
  CHECK(tests::members_of(workplace.content("o.tar")).size() == 1);
  workplace.done(with(flop, {"--others", "copy", "--overwrite"}));
  CHECK(tests::members_of(workplace.content("o.tar")).back() == late.back());
  // A file on the disk is there before all pictures.
  workplace.add("x.json", coco);
  workplace.standard_input = tests::tar({picture});
  workplace.done(with(flop, {"--labels", "coco:x.json", "--overwrite"}));
  CHECK(tests::members_of(workplace.content("o.tar")).back().first == "x.json");
}

TEST_CASE("Unpacked over pictures that are there, labels of many pictures are those of a folder") {
  const std::string png = cli::png(labelled_picture), tagged = tagged_png(labelled_picture, 6);
  for (const SharedCase& each : shared_cases()) {
    CAPTURE(each.format);
    const Workplace workplace;
    const Members files = {
        {"train/a.png", tagged}, {"train/b.png", png}, {each.name, each.content}};
    for (const auto& [name, content] : files) workplace.add("data/" + name, content);
    workplace.add("in.tar", tests::tar(files));
    workplace.add("in.tar.gz", tests::tar(files, {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP}));
    const Words augmented = {"augment",       "--verify",          "--variants",
                             "flop,rotate90", "--labels-drawn-on", "stored"};
    const std::map<std::string, Words> runs = {
        {"folder", {"data"}},
        {"tar", {"in.tar", "--unpack"}},
        {"gzip",
         {"in.tar.gz", "--unpack", "--labels", fmt::format("{}:{}", each.format, each.name)}}};
    const auto run = [&](const std::string& output, const Words& more) {
      return with(with(augmented, with({"-o", output}, runs.at(output))), more);
    };
    const auto all_done = [&](const Words& more) {
      for (const auto& [output, words] : runs) workplace.done(run(output, more));
      auto expected = workplace.tree("folder");
      std::erase_if(expected, [](const auto& file) { return file.first == "manifest.jsonl"; });
      CHECK(workplace.tree("tar") == expected);
      CHECK(workplace.tree("gzip") == expected);
      return expected;
    };
    const auto whole = all_done({});
    CHECK(whole.size() == 5);
    for (const auto& [output, words] : runs) {
      fs::remove(workplace.path() / output / "train/a__flop.png");
      if (output != "folder")
        workplace.refused(run(output, {}), fmt::format("{}/{} exists", output, each.name));
      workplace.add(fmt::format("{}/train/b__flop.png", output), "old");
    }
    const auto with_old = all_done({"--skip-existing"});
    CHECK((with_old == whole) == false);
    CHECK(with_old.size() == 5);
    CHECK(all_done({"--update"}) == with_old);
    for (const auto& [output, words] : runs)
      fs::last_write_time(workplace.path() / output / "train/b__flop.png",
                          fs::file_time_type::clock::now() - std::chrono::hours(1));
    CHECK(all_done({"--update"}) == whole);
    CHECK(all_done({"--overwrite"}) == whole);
  }
}

TEST_CASE("Labels of many pictures that cannot be unpacked leave what is there") {
  const Workplace workplace;
  const std::string png = cli::png(labelled_picture);
  const std::string coco =
      R"({"images": [{"id": 1, "file_name": "a.png", "width": 9, "height": 5},
                     {"id": 2, "file_name": "b.png", "width": 9, "height": 5}],
          "annotations": [{"id": 1, "image_id": 1, "bbox": [1, 1, 2, 2]}]})";
  const auto add_tars = [&](const std::string& second) {
    const Members files = {{"a.png", png}, {"b.png", second}, {"x/coco.json", coco}};
    workplace.add("in.tar", tests::tar(files));
    workplace.add("in.tar.gz", tests::tar(files, {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP}));
  };
  add_tars(png);
  const auto words = [](const std::string& tar, const Words& more) {
    return with({"flop", "--unpack", "-o", "out", "--labels", "coco:x/coco.json", tar}, more);
  };
  workplace.refused(words("in.tar", {"--json=out/x/coco.json"}), "would overwrite out/x/coco.json");
  workplace.add("out/coco.json", coco);
  workplace.refused({"flop", "--unpack", "-o", "out", "--labels", "coco:out/coco.json", "in.tar"},
                    "out/coco.json: is an input as well");
  workplace.add("elsewhere/coco.json", "kept");
  const fs::path folder = workplace.path() / "out/x";
  fs::create_directory(folder);
  fs::create_symlink("../../elsewhere/coco.json", folder / "coco.json");
  workplace.refused(words("in.tar", {"--overwrite"}), "is a symbolic link");
  fs::remove_all(folder);
  fs::create_directory_symlink("../elsewhere", folder);
  workplace.failed(words("in.tar", {"--overwrite"}), "out/x/coco.json");
  CHECK(workplace.content("elsewhere/coco.json") == "kept");
  fs::remove_all(workplace.path() / "out");
  workplace.done(words("in.tar", {}));
  const auto whole = workplace.tree("out");
  // The picture that is there has been made of another one.
  add_tars(png.substr(0, 20));
  for (const std::string tar : {"in.tar", "in.tar.gz"}) {
    workplace.failed(words(tar, {"--skip-existing"}),
                     {tar + "/b.png: truncated", "out/x/coco.json is not written: " + tar +
                                                     "/b.png: its header could not be"});
    CHECK(workplace.tree("out") == whole);
  }
}

TEST_CASE("Where the name of a sample ends, its labels of many pictures name the variant") {
  const Workplace workplace;
  workplace.add("data/a.left.png", cli::png(labelled_picture));
  workplace.add("data/coco.json",
                R"({"images": [{"id": 1, "file_name": "a.left.png", "width": 9, "height": 5}],
                    "annotations": [{"id": 1, "image_id": 1, "bbox": [1, 1, 2, 2]}]})");
  workplace.done({"augment", "data", "-o", "out.tar", "--variants", "flop"});
  const Members members = tests::members_of(workplace.content("out.tar"));
  CHECK(members.front().first == "a__flop.left.png");
  const auto labels = nlohmann::json::parse(members.back().second);
  CHECK(labels["images"][0]["file_name"] == "a__flop.left.png");
  CHECK(labels["annotations"][0]["bbox"] == nlohmann::json({6, 1, 2, 2}));
}

TEST_CASE("Labels of many pictures that a tar cannot be turned with are refused before anything") {
  Workplace workplace;
  const std::string coco =
      R"({"images": [{"id": 1, "file_name": "a.png", "width": 9, "height": 5}],
          "annotations": [{"id": 1, "image_id": 1, "bbox": [1, 1, 2, 2]}]})";
  const std::string in = tests::tar({{"a.png", cli::png(labelled_picture)}, {"coco.json", coco}});
  workplace.add("a.tar", in);
  workplace.add("b.tar", in);
  workplace.add("cut.tar", in.substr(0, 700));
  const auto refuse = [&](const Words& words, const std::string& says) {
    workplace.refused(with({"flop", "--labels", "coco:coco.json"}, words), says);
  };
  refuse({"a.tar", "b.tar", "-o", "o.tar"},
         "would both be written to o.tar/coco.json; name a folder");
  refuse({"a.tar", "b.tar", "-o", "o", "--unpack"},
         "would both be written to o/coco.json; unpack each tar into a folder of its own");
  refuse({"cut.tar", "-o", "o.tar"}, "cut.tar: is");
  workplace.standard_input = in;
  refuse({"-", "-o", "o.tar"}, "labels of pictures that have come before");
  workplace.refused({"flop", "--labels", "coco:x.json", "a.tar", "-o", "o.tar"}, "x.json");
  // One tar each, and labels beside the tars.
  workplace.add("all.json", coco);
  workplace.done({"flop", "--labels", "coco:coco.json", "a.tar", "b.tar", "-o", "each"});
  CHECK(workplace.files("each") == Names{"a.tar", "b.tar"});
  // A hidden picture is none that labels could mean.
  workplace.add("hidden.tar", tests::tar({{".old/a.png", cli::png(labelled_picture)},
                                          {"train/a.png", cli::png(labelled_picture)},
                                          {"boxes/coco.json", coco}}));
  workplace.done({"flop", "--labels", "coco:boxes/coco.json", "hidden.tar", "-o", "seen.tar"});
  CHECK(tests::members_of(workplace.content("seen.tar")).size() == 2);
  // Files about pictures that are not there are not written.
  const Members two = {
      {"x/a.png", cli::png(labelled_picture)},
      {"x/metadata.jsonl", "{\"file_name\": \"a.png\", \"objects\": {\"bbox\": [[1, 2, 3, 4]]}}\n"},
      {"y/metadata.jsonl",
       "{\"file_name\": \"b.png\", \"objects\": {\"bbox\": [[1, 2, 3, 4]]}}\n"}};
  workplace.add("c.tar", tests::tar(two));
  workplace.add("d.tar", tests::tar(two));
  workplace.done({"flop", "--labels", "huggingface:voc", "c.tar", "d.tar", "-o", "faces"});
  for (const char* name : {"faces/c.tar", "faces/d.tar"})
    CHECK(tests::members_of(workplace.content(name)).size() == 2);
  workplace.done({"flop", "--labels", "coco:all.json", "a.tar", "-o", "beside.tar"});
  CHECK(tests::members_of(workplace.content("beside.tar")).back().first == "all.json");
}

TEST_CASE("A picture that fails is left out of the tar with its sample, and the others are there") {
  const Workplace workplace;
  add_data_set(workplace);
  workplace.add("data/labels/x/b.txt", "0 .25 .5 .1 .2 .3 .4 2 .5 x 1\n");
  workplace.failed({"flop", "data", "-o", "out.tar"}, "data/labels/x/b.txt:1");
  std::vector<std::string> names;
  for (const auto& [name, content] : tests::members_of(workplace.content("out.tar")))
    names.push_back(name);
  CHECK(names == std::vector<std::string>{"images/x/C.PNG", "images/x/C.caption", "images/x/a.jpg",
                                          "images/x/a.mask.png", "images/x/a.txt",
                                          "images/x/face_mask.jpg"});
}

TEST_CASE_METHOD(Workplace,
                 "A dry run names the members that a folder becomes, and writes nothing") {
  add_data_set(*this);
  const Result planned = done({"cw", "data", "-o", "out.tar", "--dry-run", "--json"});
  CHECK(!exists("out.tar"));
  std::set<std::string> names;
  for (const std::string& text : planned.out_lines()) {
    const auto line = nlohmann::json::parse(text);
    CHECK(line["status"] == "planned");
    names.insert(line["output"]);
    if (line.contains("label")) names.insert(line["label"]["output"]);
    for (const char* kind : {"masks", "sidecars"})
      for (const auto& each : line.value(kind, nlohmann::json::array()))
        names.insert(each["output"]);
  }
  done({"cw", "data", "-o", "out.tar", "--verify"});
  std::set<std::string> members;
  for (const auto& [name, member] : tests::members_of(content("out.tar")))
    members.insert("out.tar/" + name);
  CHECK(names == members);
}

TEST_CASE("A packed tar is done as long as no file of it has changed") {
  const Workplace workplace;
  const std::string coco =
      R"({"images": [{"id": 1, "file_name": "b.png", "width": 9, "height": 5}], "annotations": []})";
  workplace.add("data/a.png", cli::png(labelled_picture));
  workplace.add("data/a.txt", "0 .25 .5 .1 .2\n");
  workplace.add("data/b.png", cli::png(labelled_picture));
  workplace.add("data/coco.json", coco);
  const Words packed = {"flop", "data", "-o", "out.tar", "--resume"};
  workplace.done(packed);
  const std::string tar = workplace.content("out.tar");
  workplace.done(packed);
  for (const auto& [name, content] :
       Members{{"data/a.txt", "0 .25 .5 .1 .25\n"}, {"data/coco.json", coco + "\n"}}) {
    CAPTURE(name);
    workplace.add(name, content);
    workplace.refused(packed, "out.tar: exists already");
    workplace.done(with(packed, {"--overwrite"}));
    CHECK(workplace.content("out.tar") != tar);
  }
}

TEST_CASE("What a tar of samples cannot hold is refused before anything is written") {
  const Workplace workplace;
  workplace.add("data/a.jpg", jpeg);
  workplace.add("dots/x/IMG.1.jpg", jpeg);
  workplace.add("dots/x/IMG.2.jpg", jpeg);
  workplace.add("broken/a.png", cli::png(labelled_picture));
  workplace.add("broken/b.png", cli::png(labelled_picture));
  workplace.add("broken/b.txt", "0 .5 .5 .1 .1\n");
  workplace.add("broken/coco.json", R"({"images": [{"id": 1, "file_name": "a.png", )");
  workplace.add("there.tar", "x");
  workplace.refused({"augment", "dots", "-o", "o.tar"}, "would be one sample, called x/IMG");
  workplace.refused({"augment", "broken", "-o", "o.tar"}, "broken/coco.json:1:");
  workplace.refused({"augment", "data", "-o", "there.tar"}, "there.tar: exists already");
  workplace.refused({"augment", "data", "-o", "o.tgz"}, "written uncompressed");
  workplace.refused({"cw", "data", "-o", "o.tar.gz"}, "written uncompressed");
  workplace.refused({"augment", "data", "-o", "o.tar", "--shard", "0/2"},
                    "--shard does not divide one tar");
  workplace.refused({"cw", "data", "-o", "o.tar", "--others", "copy"}, "--others copy");
  workplace.refused({"cw", "data", "-o", "o.tar", "--unpack"}, "--unpack");
  workplace.refused({"cw", "data", "-o", "o.tar", "--update"}, "use --resume");
  workplace.done({"cw", "data", "-o", "begun.tar", "--resume"});
}

}  // namespace packing_test
