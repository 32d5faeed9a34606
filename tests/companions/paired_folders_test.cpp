#include "src/companions/paired_folders.hpp"

#include <catch2/catch_test_macros.hpp>

#include <map>

namespace paired_folders_test {

using namespace qturn;
using Groups = std::vector<std::vector<std::string>>;
using Names = std::vector<std::string>;

namespace {

Groups paired(const std::map<std::string, Names>& folders) {
  FileList files;
  const struct stat status = {};
  for (const auto& [key, names] : folders) {
    const std::uint32_t folder = files.add_folder("in/" + key + "/", key + "/");
    for (const std::string& name : names) files.add(folder, name, status).picture = true;
  }
  return paired_folders(files);
}

/// "1.jpg" to "COUNT.jpg"
Names counted(int count, const std::string& suffix = ".jpg") {
  Names names;
  for (int i = 1; i <= count; ++i) names.push_back(std::to_string(i) + suffix);
  return names;
}

const Names scenes = {"attic.png", "bridge.png", "church.png", "dome.png"};

}  // namespace

TEST_CASE("Sibling folders with the same stems nearly everywhere are paired") {
  CHECK(paired({{"rgb", counted(20)}, {"depth", counted(20, ".png")}}) == Groups{{"depth", "rgb"}});
  CHECK(paired({{"rgb", counted(20)}, {"depth", counted(19, ".png")}}) == Groups{{"depth", "rgb"}});
  CHECK(paired({{"train/one", scenes}, {"train/two", scenes}, {"val/one", scenes}}) ==
        Groups{{"train", "val"}, {"train/one", "train/two"}});
  CHECK(paired({{"rgb/s1", scenes},
                {"depth/s1", scenes},
                {"rgb/s2", counted(9)},
                {"depth/s2", counted(9)},
                {"ir/s1", scenes}}) == Groups{{"depth", "ir", "rgb"}});
  CHECK(paired({{"image_2", counted(5)}, {"image_3", counted(5)}}) ==
        Groups{{"image_2", "image_3"}});
}

TEST_CASE("Folders of classes whose pictures are counted, and others, are not paired") {
  CHECK(paired({{"cat", counted(50)}, {"dog", counted(50)}, {"cow", counted(48)}}).empty());
  CHECK(paired({{"cat", {"1.jpg"}}, {"dog", {"1.jpg"}}}).empty());
  CHECK(paired({{"cat", {"img_1.jpg", "img_2.jpg", "img_3.jpg"}},
                {"dog", {"img_1.jpg", "img_2.jpg", "img_3.jpg"}}})
            .empty());
  CHECK(paired({{"rome", {"cover.jpg"}}, {"oslo", {"cover.jpg"}}}).empty());
  CHECK(paired({{"rgb", counted(20)}, {"depth", counted(12)}}).empty());
  CHECK(paired({{"one", scenes}, {"two", {"attic.png", "bridge.png", "church.png", "x.png"}}})
            .empty());
  CHECK(paired({{"a", scenes}, {"b/c", scenes}}).empty());
}

}  // namespace paired_folders_test
