#include "src/labels/text/json_text.hpp"

#include <catch2/catch_test_macros.hpp>

#include <vector>

#include "tests/labels/painted.hpp"

namespace json_text_test {

using qturn::json_string;
using qturn::JsonKind;
using qturn::JsonText;
using qturn::JsonValue;

namespace {

template <typename Read>
std::string fails(std::string_view text, Read read, qturn::TextPlace begin = {}) {
  return thrown_by([&] {
    const JsonText json(text, begin);
    (void)read(json.root());
    return 0;
  });
}

std::string fails(std::string_view text) {
  return fails(text, [](const JsonValue& value) { return value.text(); });
}

}  // namespace

TEST_CASE("Each value of a JSON text knows its bytes") {
  const std::string_view text =
      "\xef\xbb\xbf\r\n{ \"a\" : [1.50, -2e+3,true , null,\"x\\\\\\\"]\" ],\"\":{} ,\n\"\\u00e9\":"
      "[ ] , \"deep\" : [[[0]],{\"a\":\"b\"}]}\n";
  const JsonText json(text);
  const JsonValue root = json.root();
  CHECK(root.kind() == JsonKind::object);
  CHECK(root.text() == text.substr(5, text.size() - 6));
  CHECK(root.size() == 4);

  std::vector<std::string> names, texts;
  for (const JsonValue each : root) {
    names.push_back(each.name());
    texts.emplace_back(each.text());
  }
  CHECK(names == std::vector<std::string>{"a", "", "\xc3\xa9", "deep"});
  CHECK(texts == std::vector<std::string>{"[1.50, -2e+3,true , null,\"x\\\\\\\"]\" ]", "{}", "[ ]",
                                          "[[[0]],{\"a\":\"b\"}]"});

  std::vector<std::string_view> elements;
  std::vector<JsonKind> kinds;
  for (const JsonValue each : root.member("a")) {
    elements.push_back(each.text());
    kinds.push_back(each.kind());
    CHECK(each.name().empty());
  }
  CHECK(elements ==
        std::vector<std::string_view>{"1.50", "-2e+3", "true", "null", "\"x\\\\\\\"]\""});
  CHECK(kinds == std::vector<JsonKind>{JsonKind::number, JsonKind::number, JsonKind::boolean,
                                       JsonKind::null, JsonKind::string});
  CHECK((*root.member("a").begin()).number().text() == "1.50");
  CHECK(root.member("\xc3\xa9").size() == 0);
  CHECK((*++root.member("deep").begin()).member("a").string() == "b");
  CHECK_FALSE(root.find("b"));
  // Each text lies in the original.
  CHECK(elements.front().data() == text.data() + text.find("1.50"));
}

TEST_CASE("A value alone is a JSON text, and a string is decoded") {
  CHECK(JsonText("12").root().text() == "12");
  CHECK(JsonText(" -0.0e1 ").root().text() == "-0.0e1");
  CHECK(JsonText(R"("a\/\"\u00e9\n")").root().string() == "a/\"\xc3\xa9\n");
  CHECK(JsonText("[[]]").root().size() == 1);
}

TEST_CASE("Broken JSON is refused with its line and column") {
  const std::pair<const char*, const char*> broken[] = {
      {"", "1:1: "},
      {"{\n\"a\": 1,\n}", "3:1: "},
      {"[1, 2\n 3]", "2:2: "},
      {"[nan]", "1:3: "},
      {"[1.5.2]", "1:5: "},
      {"[1e999]", "1:6: "},
      {"{\"a\" 1}", "1:6: "},
      {"[\"\xff\"]", "1:3: "},
      {"[\"\\x\"]", "1:4: "},
      {"[\"\n\"]", "1:3: "},
      {"[1]]", "1:4: "},
      {"[1", "1:3: "},
      {"\xef\xbb[1]", "1:3: "},
  };
  for (const auto& [text, place] : broken) {
    CAPTURE(text);
    const std::string message = fails(text);
    CAPTURE(message);
    CHECK(message.starts_with(std::string(place) + "is not well-formed JSON: "));
    CHECK(message.find("json.exception") == std::string::npos);
  }
  CHECK(fails(std::string(100'000, '[')).starts_with("1:100001: "));
}

TEST_CASE(
    "A value of another kind is refused with its place, in the file that the text comes "
    "from") {
  const auto number = [](const JsonValue& root) { return root.member("a").number(); };
  CHECK(fails("{\"a\":\n \"1\"}", number) == "2:2: '\"1\"' is not a number");
  CHECK(fails("{\"b\":1}", number) == "1:1: has no a");
  CHECK(fails("[]", number) == "1:1: has no a");
  CHECK(fails("{\"a\":1, \"\\u0061\":2}", number) == "1:18: a occurs twice");
  CHECK(fails("{\"a\":0." + std::string(401, '1') + "}", number) == "1:6: has too many digits");
  CHECK(fails("{\"a\":\r\n[1, 2, 3, 4, 5, 6, 7, 8]}", number) ==
        "2:1: '[1, 2, 3, 4, 5, 6, 7...' is not a number");
  CHECK(fails("{ \"a\":\"1\"}", number, {.line = 7, .column = 5}) ==
        "7:11: '\"1\"' is not a number");
  CHECK(fails("{\n \"a\":\"1\"}", number, {.line = 7, .column = 5}) ==
        "8:6: '\"1\"' is not a number");
}

TEST_CASE("A text becomes a JSON string, with other characters escaped if asked for") {
  CHECK(json_string("a\"b\\\n", false) == R"("a\"b\\\n")");
  CHECK(json_string("\xc3\xa9/", false) == "\"\xc3\xa9/\"");
  CHECK(json_string("\xc3\xa9/", true) == R"("\u00e9/")");
  CHECK_FALSE(json_string("\xff", false));
}

}  // namespace json_text_test
