#include "src/plan/unturned_labels.hpp"

#include <catch2/catch_test_macros.hpp>

#include <unistd.h>

#include "src/sample/file_kind.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace unturned_labels_test {

namespace fs = std::filesystem;
using namespace qturn;

namespace {

/// As for the pictures of one input folder.
Plan plan_for(const fs::path& input, const std::vector<std::string>& keys) {
  FileList files;
  const struct stat status = {};
  for (const std::string& key : keys) {
    const fs::path folder = fs::path(key).parent_path();
    const std::string prefix = folder.empty() ? "" : folder.string() + '/';
    FoundFile& file = files.add(files.add_folder(input / prefix, prefix),
                                fs::path(key).filename().string(), status);
    file.picture = true;
    file.to_do.add(Orientation::identity);
  }
  Plan plan;
  plan.jobs = JobList(std::move(files), {});
  return plan;
}

/// The label, relative to `folder`; empty if there is none.
fs::path label_in(const TemporaryFolder& folder, const std::string& input,
                  const std::vector<std::string>& keys, Variants variants = Variants::alike) {
  for (const std::string& key : keys) folder.add(fs::path(input) / key, "x");
  const auto found = find_unturned_label(plan_for(folder.path() / input, keys), variants);
  return found ? found->lexically_relative(folder.path()) : fs::path();
}

}  // namespace

TEST_CASE("Pictures alone have no labels") {
  const TemporaryFolder folder;
  folder.add("data/images/readme.txt", "x");
  folder.add("data/images/settings.json", "{\"images\": 3}");
  fs::create_directories(folder.path() / "data/masks/empty");
  CHECK(label_in(folder, "data", {"images/a.jpg", "masked/face_mask.jpg"}) == "");
}

TEST_CASE("A folder of labels or masks is found in and beside an input, and beside images") {
  const std::vector<std::string> layouts[] = {
      // a label, the input, a key
      {"coco/labels/train/a.txt", "coco", "images/train/a.jpg"},
      {"coco/labels/train/a.txt", "coco/images", "train/a.jpg"},
      {"coco/labels/train/a.txt", "coco/images/train", "a.jpg"},
      {"coco/labels/train/a.txt", "coco/images/train/", "a.jpg"},
      {"VOC/Annotations/a.xml", "VOC/JPEGImages", "a.jpg"},
      {"VOC/SegmentationClass/a.png", "VOC/JPEGImages", "a.jpg"},
      {"data/train_masks/a.gif", "data/train", "a.jpg"},
      {"data/Masks/a.png", "data/train", "x/y/a.jpg"},
      {"data/labels/a.txt", "data", "x/y/a.jpg"},
      {"data/x/a_mask.gif", "data", "x/a.jpg"},
  };
  for (const auto& layout : layouts) {
    CAPTURE(layout[0], layout[1]);
    const TemporaryFolder folder;
    folder.add(layout[0], "0 0.5 0.5 1 1");
    CHECK(label_in(folder, layout[1], {layout[2]}) == layout[0]);
  }
}

TEST_CASE("A data set beside the input is not taken for the input's labels") {
  const std::vector<std::string> layouts[] = {
      // a label, the input, a key
      {"data/other_masks/a.png", "data/photos", "a.jpg"},
      {"data/other-labels/a.txt", "data/photos", "x/a.jpg"},
      {"data/labels/b.txt", "data/photos", "a.jpg"},
      {"data/masks/train/b.png", "data/photos", "a.jpg"},
      {"data/train_labels/a.txt", "data/train2", "a.jpg"},
  };
  for (const auto& layout : layouts) {
    CAPTURE(layout[0], layout[1]);
    const TemporaryFolder folder;
    folder.add(layout[0], "0 0.5 0.5 1 1");
    CHECK(label_in(folder, layout[1], {layout[2]}) == "");
  }
}

TEST_CASE("A mask is known by its name") {
  using qturn::stem_of_mask;
  CHECK(stem_of_mask("a_mask") == "a");
  CHECK(stem_of_mask("a.b-masks") == "a.b");
  CHECK(stem_of_mask("x.mask") == "x");
  CHECK(stem_of_mask("benign (1)_mask_2") == "benign (1)");
  CHECK(stem_of_mask("a_1_mask12") == "a_1");
  for (const char* other : {"", "mask", "_mask", "mask_1", "unmask", "a_masked", "a_1", "a_mask_"})
    CHECK_FALSE(stem_of_mask(other));
}

TEST_CASE("A mask that is a picture of the input counts only where variants are drawn for each") {
  for (const std::string mask :
       {"masks/a.png", "SegmentationClass/x/a.png", "images/a_mask.png", "images/A_MASK.PNG"}) {
    CAPTURE(mask);
    const TemporaryFolder folder;
    CHECK(label_in(folder, "data", {"images/a.jpg", mask}) == "");
    CHECK(label_in(folder, "data", {"images/a.jpg", mask}, Variants::drawn_for_each) ==
          "data/" + mask);
    // Were it left out, it would not be turned at all.
    CHECK(label_in(folder, "data", {"images/a.jpg"}) != "");
  }
}

TEST_CASE("A COCO file is known by its members, also when they lie far apart") {
  const TemporaryFolder folder;
  folder.add("data/instances.json",
             R"({"images": [{"id": 1, "file_name": "a.png", "width": 1, "height": 1}, )" +
                 std::string(200'000, ' ') + R"({"id": 2, "file_name": "b.png", "width": 1, )" +
                 R"("height": 1}], "annotations": []})");
  folder.add("data/images.json", R"({"images": []})");
  folder.add("data/train/a.png", "x");
  for (const std::string input : {"data", "data/train"}) {
    PlanOptions options;
    options.inputs = {folder.path() / input};
    options.output = folder.path() / "out";
    options.variants = {Orientation::flop};
    options.labels.take = TakeLabels::found;
    const Plan plan = qturn::plan(options);
    REQUIRE(plan.jobs.shared_labels().files().size() == 1);
    CHECK(plan.jobs.shared_labels().files().front().found == 1);
    CHECK(plan.jobs.shared_labels().contain((folder.path() / "data/instances.json").native()));
    CHECK(find_unturned_label(plan, Variants::alike) == std::nullopt);
  }
}

TEST_CASE("A mask that an earlier run has turned is not another file") {
  const TemporaryFolder folder;
  for (const std::string key : {"images/a.png", "masks/a.png", "images/b.png"})
    folder.add("data/" + key, "x");
  CHECK(find_unturned_label(plan_for(folder.path() / "data", {"images/b.png"}), Variants::alike) ==
        folder.path() / "data/masks/a.png");

  PlanOptions options;
  options.inputs = {folder.path() / "data"};
  options.output = folder.path() / "out";
  options.existing = Existing::skip;
  for (const std::string key : {"images/a.png", "masks/a.png"}) folder.add("out/" + key, "x");
  const Plan plan = qturn::plan(options);
  CHECK(plan.jobs.size() == 1);
  CHECK(find_unturned_label(plan, Variants::alike) == std::nullopt);
}

TEST_CASE("A folder that cannot be read ends neither the search nor the run") {
  if (geteuid() == 0) SKIP("this user may read every folder");
  const TemporaryFolder folder;
  folder.add("data/masks/closed/a.png", "x");
  fs::permissions(folder.path() / "data/masks/closed", fs::perms::none);
  const auto found =
      find_unturned_label(plan_for(folder.path() / "data", {"a.png"}), Variants::alike);
  fs::permissions(folder.path() / "data/masks/closed", fs::perms::owner_all);
  CHECK(found == std::nullopt);
}

}  // namespace unturned_labels_test
