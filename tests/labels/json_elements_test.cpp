#include "src/labels/many/json_elements.hpp"

#include <catch2/catch_test_macros.hpp>

#include <fmt/format.h>

#include <string>

#include "tests/labels/painted.hpp"

namespace json_elements_test {

namespace {

constexpr std::string_view arrays[] = {"images", "annotations"};

/// Writes what it takes: other text as it is, and elements between marks.
struct Copy : qturn::ElementsSink {
  void other(std::string_view part) override { text += part; }
  void element(std::string_view array, std::string_view blanks, std::string_view element,
               qturn::TextPlace place) override {
    text += fmt::format("<{}{}{}@{}:{}>", array.front(), blanks, element, place.line, place.column);
  }
  void end_of_array(std::string_view blanks) override { text += blanks; }
  std::string text;
};

std::string cut(std::string_view text, std::size_t part_bytes) {
  Copy copy;
  qturn::JsonElements elements(arrays, copy);
  for (; !text.empty(); text.remove_prefix(std::min(part_bytes, text.size())))
    elements.take(text.substr(0, part_bytes));
  elements.finish();
  return copy.text;
}

std::string fails(std::string_view text) {
  return thrown_by([&] { return cut(text, 3); });
}

}  // namespace

TEST_CASE("Elements are cut out of a text that comes in parts of any size") {
  const std::pair<std::string, std::string> texts[] = {
      {"{}", "{}"},
      {"\xef\xbb\xbf { } \n", "\xef\xbb\xbf { } \n"},
      {R"({"images":[{"a":1},{"b":2}],"x":1})",
       R"({"images":[<i{"a":1}@1:12><i{"b":2}@1:20>],"x":1})"},
      {"{\"images\": [\n  {\"a\": [{}, \"]}\\\"\"]},\n  {}\n ] }\n",
       "{\"images\": [<i\n  {\"a\": [{}, \"]}\\\"\"]}@2:3><i\n  {}@3:3>\n ] }\n"},
      {R"({"annotations": [ ], "images": []})", R"({"annotations": [ ], "images": []})"},
      // The name further in is another member's.
      {R"({"info": {"images": [{"a": 1}], "s": "{["}, "l": [[], {}], "n": -1.5e+3, "t": true})",
       R"({"info": {"images": [{"a": 1}], "s": "{["}, "l": [[], {}], "n": -1.5e+3, "t": true})"},
  };
  for (const auto& [text, wanted] : texts)
    for (const std::size_t part : {1, 2, 7, 1000}) {
      CAPTURE(part);
      CHECK(cut(text, part) == wanted);
    }
}

TEST_CASE("Broken JSON around elements is named with its line and column") {
  const std::pair<const char*, const char*> broken[] = {
      {"", "1:1: is not well-formed JSON: the text ends here, and is not complete"},
      {"[]", "1:1: is not well-formed JSON: expected {"},
      {"{\n\"images\": {}}", "2:11: is not well-formed JSON: images is not an array"},
      {R"({"images": [], "images": []})", "1:26: is not well-formed JSON: images occurs twice"},
      {"{\"images\": [{},\n]}",
       "2:1: is not well-formed JSON: expected an object, an element of images"},
      {"{\"images\": [{}\n{}]}", "2:1: is not well-formed JSON: expected a comma or ]"},
      {"{\"images\": [7]}",
       "1:13: is not well-formed JSON: expected an object, an element of images"},
      {"{\"images\": [{]]}", "1:14: is not well-formed JSON: ] closes a {"},
      {"{\"images\": [{\"a\": \"b\n",
       "2:1: is not well-formed JSON: the text ends here, and is not "
       "complete"},
      {"{\"a\" 1}", "1:6: is not well-formed JSON: expected :"},
      {"{\"a\": 1, }", "1:10: is not well-formed JSON: expected \""},
      {"{\"a\": ?}", "1:7: is not well-formed JSON: expected a value"},
      {R"({"a": 1 "b"})", "1:9: is not well-formed JSON: expected ,"},
      {"{} {}", "1:4: is not well-formed JSON: expected the end of the text"},
  };
  for (const auto& [text, message] : broken) {
    CAPTURE(text);
    CHECK(fails(text) == message);
  }
}

}  // namespace json_elements_test
