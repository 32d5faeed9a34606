#include "tests/faults/scenarios.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "src/files/temporary.hpp"
#include "tests/cli/pictures.hpp"
#include "tests/faults/disturbed_run.hpp"
#include "tests/fixtures/metadata.hpp"

namespace faults {
namespace {

using Words = std::vector<std::string>;

const Words in_place_with_companions = {"rotate90",          "in",     "--in-place", "--sidecars",
                                        "--labels-drawn-on", "upright"};

Tree pictures() {
  using cli::random_picture;
  Tree tree;
  tree["in/a.jpg"].content = cli::tagged_jpeg(cli::smooth_picture(48, 32), 6);
  tree["in/b.png"].content = cli::png(random_picture(9, 7));
  tree["in/scan"].content = cli::png(random_picture(6, 5));  // known by its content alone
  tree["in/sub/c.tif"].content =
      cli::encoded(std::vector{random_picture(8, 6), random_picture(5, 4)}, qturn::tiff::codec);
  return tree;
}

Tree with_sidecars() {
  Tree tree = pictures();
  const std::string packet = qturn::tests::xmp_packet_with("tiff:Orientation='6'");
  tree["in/a.xmp"].content = packet;
  tree["in/b.png.xmp"].content = packet;
  return tree;
}

Tree with_labels() {
  Tree tree;
  tree["in/images/a.jpg"].content = cli::tagged_jpeg(cli::smooth_picture(48, 32), 6);
  tree["in/labels/a.txt"].content = "0 0.25 0.5 0.1 0.2\n";
  tree["in/images/b.png"].content = cli::png(cli::random_picture(9, 7));
  tree["in/labels/b.txt"].content = "1 0.5 0.5 1 1\n";
  tree["in/data.yaml"].content = "path: x\ntrain: images\nval: images\nnames: [a, b]\n";
  tree["in/masks/b.png"].content = cli::png(cli::random_picture(9, 7, 1));
  tree["in/images/b.caption"].content = "A field.\n";
  tree["in/images/a.xmp"].content = qturn::tests::xmp_packet_with("tiff:Orientation='6'");
  return tree;
}

/// And with labels of the other formats.
Tree with_companions() {
  Tree tree = with_labels();
  tree["in/images/c.png"].content = cli::png(cli::random_picture(9, 7));
  tree["in/images/c.json"].content =
      R"({"shapes": [{"shape_type": "point", "points": [[1, 2]]}], "imagePath": "c.png",)"
      R"( "imageWidth": 9, "imageHeight": 7})";
  tree["in/images/d.png"].content = cli::png(cli::random_picture(6, 5));
  tree["in/images/d.xml"].content =
      "<annotation><filename>d.png</filename><size><width>6</width><height>5</height></size>"
      "<object><bndbox><xmin>1</xmin><ymin>2</ymin><xmax>3</xmax><ymax>4</ymax></bndbox></object>"
      "</annotation>";
  return tree;
}

Tree with_lists() {
  Tree tree;
  tree["in/images/a.png"].content = cli::png(cli::random_picture(9, 7));
  tree["in/images/b.png"].content = cli::png(cli::random_picture(6, 5));
  tree["in/data.yaml"].content = "path: x\ntrain: images\nval: val.txt\nnames: [a, b]\n";
  tree["in/val.txt"].content = "./images/b.png\n./images/a.png\n";
  return tree;
}

Tree with_coco_labels() {
  Tree tree;
  tree["in/images/a.png"].content = cli::png(cli::random_picture(9, 7));
  tree["in/images/b.png"].content = cli::png(cli::random_picture(6, 5));
  tree["in/annotations/x.json"].content =
      R"({"images": [{"id": 1, "file_name": "a.png", "width": 9, "height": 7}],)"
      R"( "annotations": [{"id": 1, "image_id": 1, "bbox": [1, 2, 3, 4]}]})";
  return tree;
}

/// With results of earlier runs: of a.jpg an old one, of b.png one that is newer than the picture.
Tree with_outputs() {
  Tree tree = pictures();
  tree["out/a.jpg"] = {.content = "old", .modified_s = 1'400'000'000};
  tree["out/b.png"] = {.content = "newer", .modified_s = 1'600'000'000};
  return tree;
}

Tree with_others() {
  Tree tree = pictures();
  tree["in/notes.txt"].content = "Taken in May.\n";
  return tree;
}

/// Whether a journal states a picture, other than this file, that is ready and not in its place
/// yet.
bool has_ready_picture(const Tree& tree, const Tree& before, const std::string& other_than) {
  for (const auto& [name, file] : tree) {
    if (!name.ends_with(".qturn-journal")) continue;
    std::istringstream lines(file.content);
    std::string run;
    for (std::string line; std::getline(lines, line);) {
      const auto intent = nlohmann::json::parse(line, nullptr, false);
      if (intent.is_object()) run = intent.value("run", intent.value("resumed", run));
      if (!intent.is_array()) continue;
      const std::filesystem::path picture =
          std::filesystem::path(name).parent_path() /
          intent[intent[1].is_number() ? 2 : 1].get<std::string>();
      if (picture == other_than) continue;
      const std::string hashes = intent[intent[1].is_number() ? 3 : 2];
      const std::string temporary =
          qturn::temporary_name(picture.filename().string(), run, hashes.substr(64));
      if (!tree.contains(picture.parent_path() / temporary)) continue;
      const auto there = tree.find(picture);
      const auto was = there == tree.end() ? before.end() : before.find(there->first);
      if (there == tree.end() ||
          (was != before.end() && was->second.content == there->second.content))
        return true;
    }
  }
  return false;
}

/// What a run leaves that was killed between a picture and this file of it. On a busy machine the
/// next picture may be ready by then: whoever goes on puts it in its place, and counts it as done
/// before. The rules do not know that, so then it is made again.
Tree left_in_part(const Scenario& first, const std::string& companion) {
  for (int tries = 0; tries < 100; ++tries) {
    Run killed = disturbed(first, {"rename", 0, companion}, {"SIGKILL", {.signal = SIGKILL}});
    if (WEXITSTATUS(killed.status) == cannot_be_followed) return killed.after;
    if (killed.struck && !has_ready_picture(killed.after, first.before, companion))
      return killed.after;
  }
  throw std::logic_error("no run is left in part");
}

/// The run that resumes it.
Scenario resumed(std::string name, const Scenario& first, const std::string& companion) {
  return {std::move(name), with(first.words, {"--resume"}), left_in_part(first, companion)};
}

/// The run that takes back what has left these files.
Scenario restored(std::string name, Tree before, Tree completed) {
  return {
      std::move(name), {"restore", "kept/run"}, std::move(before), Words(), std::move(completed)};
}

}  // namespace

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<Scenario> scenarios() {
  std::vector<Scenario> all = {
      {"in place", {"rotate90", "in", "--in-place"}, pictures()},
      {"in place, upright", {"upright", "in", "--in-place"}, pictures()},
      {"in place, sidecars", {"rotate90", "in", "--in-place", "--sidecars"}, with_sidecars()},
      {"in place, tags",
       {"rotate90", "in/a.jpg", "in/b.png", "--in-place", "--tag-only"},
       pictures()},
      {"in place, JSON", {"rotate90", "in", "--in-place", "--json=log"}, pictures()},
      {"in place, two threads", {"rotate90", "in", "--in-place", "-j2", "--json=log"}, pictures()},
      {"in place, a data set", Words(in_place_with_companions), with_companions()},
      {"in place, a data set, two threads", with(in_place_with_companions, {"-j2"}),
       with_companions()},
      {"in place, a data set, a backup", with(in_place_with_companions, {"--backup", "kept"}),
       with_companions()},
      {"in place, COCO labels, a backup",
       {"rotate90", "in", "--in-place", "--backup", "kept"},
       with_coco_labels()},
      {"to a folder, a data set",
       {"rotate90", "in", "-o", "out", "--sidecars", "--labels-drawn-on", "upright"},
       with_companions()},
      {"to a folder", {"rotate90", "in", "-o", "out"}, pictures(), Words{"--skip-existing"}},
      {"to a folder, planar",
       {"rotate90", "in", "-o", "out", "--jpeg", "planar"},
       pictures(),
       Words{"--skip-existing"}},
      {"to a folder, sidecars", {"rotate90", "in", "-o", "out", "--sidecars"}, with_sidecars()},
      {"to a folder, others",
       {"rotate90", "in", "-o", "out", "--others", "copy"},
       with_others(),
       Words{"--skip-existing"}},
      {"--overwrite", {"rotate90", "in", "-o", "out", "--overwrite"}, with_outputs()},
      {"--update", {"rotate90", "in", "-o", "out", "--update"}, with_outputs(), Words()},
      {"to a file", {"rotate90", "in/a.jpg", "-o", "turned.jpg", "--json=log"}, pictures()},
      {"augment",
       {"augment", "in", "-o", "out", "--variants", "flip,rotate90"},
       pictures(),
       Words{"--skip-existing"}},
      {"augment, labels, a mask and sidecars",
       {"augment", "in", "-o", "out", "--variants", "flip", "--labels-drawn-on", "upright"},
       with_labels()},
      {"augment, a list", {"augment", "in", "-o", "out", "--variants", "flip"}, with_lists()},
      {"augment, COCO labels",
       {"augment", "in", "-o", "out", "--variants", "flip"},
       with_coco_labels()},
  };
  for (Scenario& scenario : all) {
    std::vector<std::string>& words = scenario.words;
    words.insert(words.end(), {"--device", "cpu", "--memory", "64MiB"});
    if (scenario.name.find("threads") == std::string::npos) words.emplace_back("-j1");
  }
  const auto named = [&](std::string_view name) {
    return *std::ranges::find(all, name, &Scenario::name);
  };
  all.push_back(resumed("in place, resumed", named("in place, sidecars"), "in/b.png.xmp"));
  all.push_back(resumed("to a folder, resumed", named("to a folder, sidecars"), "out/b.png.xmp"));
  for (const char* companion :
       {"in/labels/a.txt", "in/images/a.xmp", "in/masks/b.png", "in/images/c.json"}) {
    all.push_back(resumed(std::string("in place, a data set, resumed at ") + companion,
                          named("in place, a data set"), companion));
  }
  const Scenario kept = named("in place, a data set, a backup");
  all.push_back(resumed("in place, a backup, resumed", kept, "in/labels/a.txt"));
  const Tree turned = undisturbed(kept).after;
  all.push_back(restored("restore", turned, turned));
  const Scenario coco = named("in place, COCO labels, a backup");
  all.push_back(resumed("in place, COCO labels, resumed", coco, "in/annotations/x.json"));
  const Tree turned_coco = undisturbed(coco).after;
  all.push_back(restored("restore, COCO labels", turned_coco, turned_coco));
  all.push_back(
      restored("restore, of a run left in part", left_in_part(kept, "in/labels/a.txt"), turned));
  return all;
}

}  // namespace faults
