#include "src/plan/labels.hpp"

#include <catch2/catch_test_macros.hpp>

#include "tests/temporary_folder.hpp"

namespace fs = std::filesystem;
using qturn::find_label;
using qturn::Job;

namespace {

std::vector<Job> job_for(const fs::path& picture) {
  Job job;
  job.input = picture;
  job.outputs.resize(1);
  return {job};
}

}  // namespace

TEST_CASE("Pictures alone have no labels") {
  const TemporaryFolder folder;
  const fs::path picture = folder.add("images/a.jpg", "x");
  folder.add("images/readme.txt", "x");
  folder.add("images/settings.json", "{\"images\": 3}");
  CHECK_FALSE(find_label(job_for(picture), {folder.path()}));
}

TEST_CASE("A file of the picture's stem is its label") {
  for (const char* suffix : {".txt", ".xml", ".json"}) {
    const TemporaryFolder folder;
    const fs::path picture = folder.add("a.jpg", "x");
    const fs::path label = folder.add(std::string("a") + suffix, "x");
    CHECK(find_label(job_for(picture), {folder.path()}) == label);
  }
}

TEST_CASE("A folder of labels is found in the input, and beside a folder named images") {
  const TemporaryFolder folder;
  const fs::path picture = folder.add("images/a.jpg", "x");
  folder.add("labels/a.txt", "0 0.5 0.5 1 1");
  CHECK(find_label(job_for(picture), {folder.path()}) == folder.path() / "labels");
  CHECK(find_label(job_for(picture), {folder.path() / "images"}) == folder.path() / "labels");
  CHECK(find_label(job_for(picture), {folder.path() / "images" / ""}) == folder.path() / "labels");
}

TEST_CASE("A COCO file is known by its members, also when they lie far apart") {
  const TemporaryFolder folder;
  const fs::path picture = folder.add("train/a.jpg", "x");
  const fs::path coco =
      folder.add("annotations/instances.json",
                 "{\"images\": [" + std::string(200'000, ' ') + "], \"annotations\": []}");
  CHECK(find_label(job_for(picture), {folder.path()}) == coco);
  CHECK(find_label(job_for(picture), {folder.path() / "train"}) == coco);
}
