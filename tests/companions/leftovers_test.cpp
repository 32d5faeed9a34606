#include "src/companions/leftovers.hpp"

#include <catch2/catch_test_macros.hpp>

#include <unistd.h>

#include "src/plan/plan.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace leftovers_test {

namespace fs = std::filesystem;
using namespace qturn;

namespace {

Plan plan_of(const TemporaryFolder& folder, const std::string& input, int random = 0) {
  PlanOptions options;
  options.inputs = {folder.path() / input};
  options.output = folder.path() / "out";
  options.random_variants = random;
  options.labels.take = TakeLabels::found;
  options.masks.take = true;
  return qturn::plan(options);
}

/// The first one, relative to `folder`; empty if there is none.
fs::path leftover_in(const TemporaryFolder& folder, const std::string& input, int random = 0) {
  const Plan plan = plan_of(folder, input, random);
  return plan.leftovers.first.empty()
             ? fs::path()
             : fs::path(plan.leftovers.first.front().path).lexically_relative(folder.path());
}

constexpr const char* box = "12 20 30 40\n";

}  // namespace

TEST_CASE(
    "Files are looked at below the input, and in the folder beside it that belongs to it alone") {
  const std::vector<std::string> layouts[] = {
      // a file, the input, a picture
      {"x/labels/train/a.pts", "x", "x/images/train/a.jpg"},
      {"x/labels/train/a.pts", "x/images", "x/images/train/a.jpg"},
      {"x/labels/train/a.pts", "x/images/train", "x/images/train/a.jpg"},
      {"x/labels/train/a.pts", "x/images/train/", "x/images/train/a.jpg"},
      {"VOC/Annotations/a.dat", "VOC/JPEGImages", "VOC/JPEGImages/a.jpg"},
      {"data/label_2/a.lst", "data/image_2", "data/image_2/a.jpg"},
      {"data/Masks/a.gif", "data/train", "data/train/x/y/a.jpg"},
      {"data/other/a.pts", "data", "data/x/a.jpg"},
      {"data/x/gt_a.txt", "data", "data/x/a.jpg"},
  };
  const std::vector<std::string> elsewhere[] = {
      {"data/other_masks/a.png", "data/photos", "data/photos/a.jpg"},
      {"data/labels/b.pts", "data/photos", "data/photos/a.jpg"},
      {"data/train_labels/a.pts", "data/train2", "data/train2/a.jpg"},
      {"data/a.pts", "data/x", "data/x/a.jpg"},
      // Of another picture.
      {"data/x/readme.txt", "data", "data/x/a.jpg"},
      {"data/x/b.txt", "data", "data/x/a.jpg"},
  };
  const auto check = [](const std::vector<std::string>& layout, const std::string& found) {
    CAPTURE(layout[0], layout[1]);
    const TemporaryFolder folder;
    folder.add(layout[0], box);
    folder.add(layout[2], "x");
    CHECK(leftover_in(folder, layout[1]) == found);
  };
  for (const auto& layout : layouts) check(layout, layout[0]);
  for (const auto& layout : elsewhere) check(layout, "");
}

TEST_CASE("Ten are named") {
  const TemporaryFolder folder;
  for (int i = 10; i < 21; ++i) {
    folder.add("x/a" + std::to_string(i) + ".jpg", "x");
    folder.add("x/a" + std::to_string(i) + ".pts", box);
  }
  const Leftovers found = plan_of(folder, "x").leftovers;
  CHECK(found.first.size() == 10);
  CHECK(found.has_more);
}

TEST_CASE("A mask that is a picture of its own counts where variants are drawn for each") {
  for (const std::string mask :
       {"masks/x/a.png", "SegmentationClass/x/a.png", "images/b_mask.png"}) {
    CAPTURE(mask);
    const TemporaryFolder folder;
    folder.add("data/images/a.jpg", "x");
    folder.add("data/" + mask, "x");
    CHECK(leftover_in(folder, "data") == "");
    CHECK(leftover_in(folder, "data", 1) == "data/" + mask);
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
    const Plan plan = plan_of(folder, input);
    REQUIRE(plan.jobs.shared_labels().files().size() == 1);
    CHECK(plan.jobs.shared_labels().files().front().found == 1);
    CHECK(plan.leftovers.first.empty());
  }
}

TEST_CASE("A folder that cannot be read ends neither the search nor the run") {
  if (geteuid() == 0) SKIP("this user may read every folder");
  const TemporaryFolder folder;
  folder.add("data/a.png", "x");
  folder.add("data/masks/closed/b.png", "x");
  fs::permissions(folder.path() / "data/masks/closed", fs::perms::none);
  CHECK(leftover_in(folder, "data") == "");
  fs::permissions(folder.path() / "data/masks/closed", fs::perms::owner_all);
}

}  // namespace leftovers_test
