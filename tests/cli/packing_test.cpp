// A folder with all that belongs to its pictures becomes a tar.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>

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

TEST_CASE("What a tar of samples cannot hold is refused before anything is written") {
  const Workplace workplace;
  workplace.add("data/a.jpg", jpeg);
  workplace.add("dots/x/IMG.1.jpg", jpeg);
  workplace.add("dots/x/IMG.2.jpg", jpeg);
  workplace.add("coco/a.png", cli::png(labelled_picture));
  workplace.add("coco/coco.json",
                R"({"images": [{"id": 1, "file_name": "a.png", "width": 9, "height": 5}],
                    "annotations": [{"id": 1, "image_id": 1, "bbox": [1, 1, 2, 2]}]})");
  workplace.add("broken/a.png", cli::png(labelled_picture));
  workplace.add("broken/b.png", cli::png(labelled_picture));
  workplace.add("broken/b.txt", "0 .5 .5 .1 .1\n");
  workplace.add("broken/coco.json", R"({"images": [{"id": 1, "file_name": "a.png", )");
  workplace.add("there.tar", "x");
  workplace.refused({"augment", "dots", "-o", "o.tar"}, "would be one sample, called x/IMG");
  workplace.refused({"augment", "coco", "-o", "o.tar"}, "coco/coco.json: labels many pictures");
  workplace.refused({"augment", "broken", "-o", "o.tar"}, "broken/coco.json:1:");
  workplace.refused({"augment", "data", "-o", "there.tar"}, "there.tar: exists already");
  workplace.refused({"augment", "data", "-o", "o.tgz"}, "written uncompressed");
  workplace.refused({"cw", "data", "-o", "o.tar.gz"}, "written uncompressed");
  workplace.refused({"augment", "data", "-o", "o.tar", "--shard", "0/2"},
                    "--shard does not divide one tar");
  workplace.refused({"cw", "data", "-o", "o.tar", "--others", "copy"}, "--others copy");
  workplace.refused({"cw", "data", "-o", "o.tar", "--unpack"}, "--unpack");
  workplace.refused({"cw", "data", "-o", "o.tar", "--update"}, "use --resume");
  workplace.done({"augment", "coco", "-o", "o.tar", "--labels", "none"});
  workplace.done({"cw", "data", "-o", "begun.tar", "--resume"});
}

}  // namespace packing_test
