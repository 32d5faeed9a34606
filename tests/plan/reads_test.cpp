// What a plan opens, and how often, as the system sees it.
#include <sys/inotify.h>
#include <unistd.h>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>

#include "src/plan/plan.hpp"
#include "tests/fixtures/temporary_folder.hpp"

namespace reads_test {

namespace fs = std::filesystem;
using namespace qturn;

namespace {

/// How often the folders below one, and the files in them, are opened.
class Opens {
 public:
  explicit Opens(const fs::path& root) : root_(root), events_(::inotify_init1(IN_NONBLOCK)) {
    watch(root);
    for (const auto& entry : fs::recursive_directory_iterator(root))
      if (entry.is_directory()) watch(entry.path());
    (void)counted();  // the iterator's own
  }
  ~Opens() { ::close(events_); }
  Opens(const Opens&) = delete;
  Opens& operator=(const Opens&) = delete;

  /// Since the last call, by their paths below the root.
  std::map<std::string, int> counted() const {
    std::map<std::string, int> counts;
    alignas(inotify_event) std::array<char, 1 << 16> memory;
    for (ssize_t bytes; (bytes = ::read(events_, memory.data(), memory.size())) > 0;) {
      for (std::size_t at = 0; at < static_cast<std::size_t>(bytes);) {
        inotify_event event;
        std::memcpy(&event, &memory[at], sizeof event);
        const char* name = event.len > 0 ? &memory[at + sizeof event] : "";
        at += sizeof event + event.len;
        // The folder above tells of a folder, too.
        if ((event.mask & IN_ISDIR) != 0 && *name != '\0') continue;
        ++counts[(folders_.at(event.wd) / name).lexically_relative(root_)];
      }
    }
    return counts;
  }

 private:
  void watch(const fs::path& folder) {
    const int number = ::inotify_add_watch(events_, folder.c_str(), IN_OPEN);
    REQUIRE(number >= 0);
    folders_.emplace(number, folder);
  }

  const fs::path root_;
  const int events_;
  std::map<int, fs::path> folders_;
};

}  // namespace

TEST_CASE("a plan lists each folder once and reads the head of each file once") {
  const TemporaryFolder folder;
  const auto add = [&](const std::string& name, const std::string& text) {
    folder.add("set/" + name, text);
  };
  const std::string jpeg = "\xff\xd8\xff\xe0 no more than a signature";
  for (const std::string stem : {"a", "b"}) {
    add("images/" + stem + ".jpg", jpeg);
    add("labels/" + stem + ".txt", "0 0.5 0.5 0.25 0.25\n");
    add("captions/" + stem + "c.jpg", jpeg);
    add("captions/" + stem + "c.txt", "a cat on a mat");
    add("captions/" + stem + "c.caption", "a cat on 2 mats");
    add("captions/" + stem + "c_mask.png", "\x89PNG\r\n\x1a\n");
    add("seg/captions/" + stem + "c.png", "\x89PNG\r\n\x1a\n");
  }
  add("labels/labels.cache", "pickled");
  add("depth/license", "free");
  add("data.yaml", "train: images\nnames:\n  0: cat\n");
  add("captions/ac.jpg.aux.xml", "<PAMDataset><GeoTransform>1, 2, 0, 3, 0, 2</GeoTransform>");
  add("captions/notes.txt", std::string(100'000, 'x'));
  add("captions/annotations/instances.json",
      R"({"images": [{"id": 1, "file_name": "ac.jpg", "width": 4, "height": 2}],
          "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 1, 2, 1]}]})");
  add("captions/table.csv", "file,class\nac.jpg,cat\nbc.jpg,cat\n");

  PlanOptions options;
  options.inputs = {folder.path() / "set"};
  options.labels.take = TakeLabels::found;
  options.masks.take = true;
  // The head, and then all of it.
  std::map<std::string, int> more = {{"captions/annotations/instances.json", 2},
                                     {"captions/notes.txt", 2}};
  SECTION("in place") {}
  SECTION("to a folder") {
    options.output = folder.path() / "out";
    more["data.yaml"] = 2;
  }
  SECTION("in variants") {
    options.output = folder.path() / "out";
    options.variants = {Orientation::flip};
    more["data.yaml"] = more["captions/table.csv"] = 2;
  }
  SECTION("with masks of another folder") {
    options.masks.folder = folder.path() / "set/seg";
    options.output = folder.path() / "out";
    more["data.yaml"] = 2;
  }
  const Opens opens(folder.path() / "set");
  const Plan plan = qturn::plan(options);
  CHECK(plan.jobs.labels().size() == 2);
  for (const auto& [name, count] : opens.counted()) {
    CAPTURE(name);
    const auto known = more.find(name);
    CHECK(count == (known == more.end() ? 1 : known->second));
  }
}

}  // namespace reads_test
