#include "src/labels/many/data_yaml.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "src/labels/one/yolo.hpp"
#include "src/labels/text/label_text.hpp"

namespace data_yaml_test {

using Catch::Matchers::Message;
using Strings = std::vector<std::string>;

namespace {

/// key=value (text) of each path.
Strings paths_of(const std::string& text) {
  Strings paths;
  for (const qturn::DataSetPath& each : qturn::data_set_paths(text)) {
    paths.push_back(std::string(each.key) + "=" + each.value);
    if (each.text != each.value) paths.back() += " " + std::string(each.text);
  }
  return paths;
}

}  // namespace

TEST_CASE("The YAML file of a data set has names, and pictures to train on") {
  CHECK(qturn::is_data_set("train: images\nnames: [cat]\n"));
  CHECK(qturn::is_data_set("names:\n  0: cat\nval: x"));
  CHECK_FALSE(qturn::is_data_set(""));
  CHECK_FALSE(qturn::is_data_set("names: [cat]\npath: x\n"));
  CHECK_FALSE(qturn::is_data_set("x:\n  train: images\n  names: [cat]\n"));
}

TEST_CASE("Its paths are scalars and lists, with comments, quotes and empty ones") {
  CHECK(paths_of("path: ../data # the root\ntrain: images/train\nval:\ntest: # none\nnames: [a]") ==
        Strings{"path=../data", "train=images/train"});
  CHECK(paths_of("train: 'a b'\r\nval: \"c#d\"\r\n") ==
        Strings{"train=a b 'a b'", "val=c#d \"c#d\""});
  CHECK(paths_of("train: [x, 'y z',\n w ]\nval:\n- v1 # one\n# more\n- v2\ntest: c#d\n") ==
        Strings{"train=x", "train=y z 'y z'", "train=w", "val=v1", "val=v2", "test=c#d"});
  CHECK(paths_of("x:\n  train: images\n").empty());
}

TEST_CASE("A path of another form is refused by its place") {
  const std::pair<const char*, const char*> broken[] = {
      {"train: {a: b}\n", "1:8: expected a path or a list of paths"},
      {"names: [a]\nval: &x y\n", "2:6: expected a path or a list of paths"},
      {"train: 'a\n", "1:8: expected a path, in quotes without escapes or without quotes"},
      {"train: \"a\\tb\"\n", "1:8: expected a path, in quotes without escapes or without quotes"},
      {"train: [a\n", "1:9: the list has no ]"},
  };
  for (const auto& [text, message] : broken) {
    CAPTURE(text);
    CHECK_THROWS_MATCHES(qturn::data_set_paths(text), qturn::LabelError, Message(message));
  }
}

TEST_CASE("The names of classes are read in each form of YAML's lists and maps") {
  const qturn::ClassNames two = {{0, "cat"}, {1, "big dog"}};
  for (const char* text :
       {"names: [cat, big dog]\n", "names: ['cat', \"big dog\"]  # two\n",
        "names: [\n  cat,\n  big dog\n]\n", "names:\n- cat\n- big dog\nnc: 2\n",
        "names:\n  - 'cat'\n  - big dog # large\n", "names: {0: cat, 1: big dog}\n",
        "nc: 2\nnames:\n  0: cat\n  1: \"big dog\"\ntrain: images\n",
        "names:\n\n  1: big dog\r\n  0: cat\r\n"}) {
    CAPTURE(text);
    CHECK(qturn::read_class_names(text) == two);
  }
  CHECK(qturn::read_class_names("names: ['a, b', c]").at(0) == "a, b");
}

TEST_CASE("Names that are not there, or in another form, are none") {
  for (const char* text : {"", "train: images\n", "names: classes.txt\n", "names: [cat, dog\n",
                           "names:\n  cat: 0\n", "  names: [cat]\n"}) {
    CAPTURE(text);
    CHECK(qturn::read_class_names(text).empty());
  }
}

}  // namespace data_yaml_test
