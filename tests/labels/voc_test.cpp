#include "src/labels/one/label.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>
#include <regex>

#include "tests/labels/painted.hpp"

namespace voc_test {

using qturn::Orientation;
using qturn::Size;

namespace {

constexpr Size size = {7, 5};

std::string turned(const qturn::ParsedLabel& label, Orientation orientation, Size of,
                   std::string_view name) {
  return label({.orientation = orientation, .size = of, .name = name});
}

std::string turn_voc(std::string_view text, Orientation orientation, Size of,
                     std::string_view name) {
  return turned(qturn::voc_format.parse(text), orientation, of, name);
}

std::string label_with(const std::string& object) {
  return "<annotation>\n\t<filename>a.jpg</filename>\n\t<size>\n\t\t<width>7</width>\n\t\t<height>5"
         "</height>\n\t\t<depth>3</depth>\n\t</size>\n" +
         object + "</annotation>\n";
}

std::string box(const std::array<const char*, 4>& sides) {
  return std::string("<bndbox><xmin>") + sides[0] + "</xmin><ymin>" + sides[1] + "</ymin><xmax>" +
         sides[2] + "</xmax><ymax>" + sides[3] + "</ymax></bndbox>";
}

/// With all that a label may have.
const std::string whole = label_with(
    "\t<object>\r\n\t\t<name>person &amp; horse</name><!-- 12 --><pose>Left</pose>\n"
    "\t\t<difficult>1</difficult><truncated>0</truncated>\n\t\t" +
    box({"2", "1", "3", "4"}) + "\n\t\t<part><name>head</name>" + box({"2.50", "1", "3", "2"}) +
    "</part>\n\t\t<point><y> 5 </y><x>7</x></point>\n"
    "\t\t<actions><jumping>1</jumping></actions>\n\t</object>\n\t<object><bndbox><ymax>5</ymax>"
    "<xmax>7</xmax><ymin>5</ymin><xmin>5</xmin></bndbox></object>\n");

/// A letter for each box in the text.
Canvas painted(const std::string& text, Size of_size) {
  Canvas canvas(of_size);
  char letter = 'a';
  const auto number = [](const std::string& in, const std::string& element) {
    std::smatch found;
    REQUIRE(std::regex_search(in, found, std::regex("<" + element + ">([0-9]+)<")));
    return std::stoll(found[1]);
  };
  const std::regex boxes("<bndbox>.*?</bndbox>");
  for (std::sregex_iterator at(text.begin(), text.end(), boxes), end; at != end; ++at, ++letter) {
    const std::string found = at->str();
    for (std::int64_t y = number(found, "ymin"); y <= number(found, "ymax"); ++y)
      for (std::int64_t x = number(found, "xmin"); x <= number(found, "xmax"); ++x)
        canvas.at({x - 1, y - 1}) = letter;
  }
  return canvas;
}

std::string rotated(const std::array<const char*, 5>& numbers) {
  return std::string("<robndbox><cx>") + numbers[0] + "</cx><cy>" + numbers[1] + "</cy><w>" +
         numbers[2] + "</w><h>" + numbers[3] + "</h><angle>" + numbers[4] + "</angle></robndbox>";
}

/// Likewise of roLabelImg's, whose corners are turned clockwise as it does it when it reads them.
Canvas painted_rotated(const std::string& text, Size of_size) {
  Canvas canvas(of_size);
  char letter = 'a';
  const std::regex boxes(
      "<cx>(.*?)</cx><cy>(.*?)</cy><w>(.*?)</w><h>(.*?)</h><angle>(.*?)</angle>");
  for (std::sregex_iterator at(text.begin(), text.end(), boxes), end; at != end; ++at) {
    const auto number = [&](std::size_t i) { return std::stod((*at)[i]); };
    CHECK((number(5) >= 0 && number(5) < 3.1416));
    paint_rotated(canvas, {number(1), number(2), number(3), number(4)}, number(5), letter++);
  }
  return canvas;
}

std::string fails(const std::string& text) {
  return thrown_by([&] { return turn_voc(text, Orientation::rotate90, size, "b.jpg"); });
}

}  // namespace

TEST_CASE("A turned Pascal VOC label painted is the painted label turned") {
  const std::string label =
      label_with("<object>" + box({"2", "1", "3", "4"}) + "</object><object>" +
                 box({"5", "5", "7", "5"}) + "</object>");
  for (const Orientation orientation : qturn::all_orientations) {
    CAPTURE(name(orientation));
    const std::string result = turn_voc(label, orientation, size, "a.jpg");
    CAPTURE(result);
    const Size now = qturn::turned_size(orientation, size);
    CHECK(painted(result, now) == turned(painted(label, size), orientation));
    CHECK(result.find("<width>" + std::to_string(now.width) + "</width>") != std::string::npos);
  }
}

TEST_CASE("A box of roLabelImg turns with its pixels and back to the same bytes") {
  constexpr Size large = {40, 31};
  std::string label =
      label_with("<object>" + rotated({"12.25", "9.5", "15.0", "4.125", "0.523599"}) +
                 "</object><object>" + rotated({"28.0", "20.75", "6.5", "17.0", "2.356194"}) +
                 "</object><object>" + rotated({"6.0", "24.0", "5.0", "3.0", "0.0"}) + "</object>");
  label.replace(label.find(">7<"), 3, ">40<").replace(label.find(">5<"), 3, ">31<");
  const auto turn = [](const std::string& text, Orientation orientation, Size of) {
    return turn_voc(text, orientation, of, "a.jpg");
  };
  check_turns(label, large, turn, painted_rotated);
  CHECK(turn(label, Orientation::flop, large)
            .find(rotated({"27.75", "9.5", "15.0", "4.125", "2.617994"})) != std::string::npos);
  CHECK(turn(label, Orientation::rotate90, large)
            .find(rotated({"21.5", "12.25", "4.125", "15.0", "0.523599"})) != std::string::npos);
  const qturn::LabelContent content = qturn::voc_format.read(label, {});
  REQUIRE(content.shapes.size() == 3);
  CHECK(std::abs(content.shapes[0].points[0].x -
                 (12.25 - 7.5 * std::cos(0.523599) + 2.0625 * std::sin(0.523599))) < 1e-9);
}

TEST_CASE("A label that counts from 0 is turned as such, and a 0 is not taken for one from 1") {
  const std::string from_zero = label_with("<object>" + box({"0", "1", "3.5", "5"}) +
                                           "<point><x>0</x><y>4</y></point></object>");
  CHECK(qturn::voc_format.is_of_other(from_zero));
  CHECK(qturn::voc_format.is_of_other("<ymin>\n 0.0 </ymin>"));
  CHECK_FALSE(qturn::voc_format.is_of_other(whole));
  CHECK_FALSE(qturn::voc_format.is_of_other("<xmax>0</xmax><xmin>10</xmin><xmin/>"));
  CHECK(fails(from_zero) == "8:23: the box begins at 0, and Pascal VOC counts pixels from 1");
  const auto parsed = qturn::voc_from_zero_format.parse(from_zero);
  CHECK(turned(parsed, Orientation::flop, size, "a.jpg") ==
        label_with("<object>" + box({"3.5", "1", "7", "5"}) +
                   "<point><x>6</x><y>4</y></point></object>"));
  const auto called = [](const char* name) {
    return [name](const std::string& text, Orientation orientation, Size of) {
      return turned(qturn::voc_from_zero_format.parse(text), orientation, of, name);
    };
  };
  check_restored(from_zero, size, called("b.jpg"), called("a.jpg"));
  const auto shapes = qturn::voc_from_zero_format.read(from_zero, {}).shapes;
  REQUIRE(shapes.size() == 2);
  CHECK((shapes[0].points[0].x == 0 && shapes[0].points[1].x == 3.5));
  CHECK((shapes[1].points[0].x == 0.5 && shapes[1].points[0].y == 4.5));
}

TEST_CASE("A Pascal VOC label that is parsed once is turned any number of times") {
  const auto parsed = qturn::voc_format.parse(whole);
  for (const Orientation orientation : qturn::all_orientations)
    CHECK(turned(parsed, orientation, size, "b.jpg") ==
          turn_voc(whole, orientation, size, "b.jpg"));
}

TEST_CASE("Eight orientations and their inverses give a Pascal VOC label back, byte for byte") {
  REQUIRE(fails(whole).empty());
  const auto called = [](const char* name) {
    return [name](const std::string& text, Orientation orientation, Size of) {
      return turn_voc(text, orientation, of, name);
    };
  };
  check_restored(whole, size, called("b.jpg"), called("a.jpg"), true);
  CHECK(turn_voc(whole, Orientation::identity, size, "a.jpg") == whole);
}

TEST_CASE("Boxes, parts, points, size and names of a Pascal VOC label follow its picture") {
  const std::string label =
      label_with("<path>C:\\data\\a.jpg</path><object>" + box({"1", "2", "3", "4"}) + "<part>" +
                 box({"1.5", "2", "3", "4"}) + "</part><point><x>1</x><y>5</y></point></object>");
  std::string wanted = label_with(
      "<path>C:\\data\\x&amp;y.jpg</path><object>" + box({"5", "2", "7", "4"}) + "<part>" +
      box({"5", "2", "6.5", "4"}) + "</part><point><x>7</x><y>5</y></point></object>");
  wanted.replace(wanted.find("a.jpg"), 5, "x&amp;y.jpg");
  CHECK(turn_voc(label, Orientation::flop, size, "x&y.jpg") == wanted);
}

TEST_CASE("The angle of a Pascal VOC box counts the other way round in a mirror") {
  const auto object = [](const char* name, const char* value) {
    return label_with("<object>" + box({"3", "2", "5", "4"}) + "<attributes><attribute><name>" +
                      name + "</name><value>" + value +
                      "</value></attribute></attributes></object>");
  };
  const auto turned = [](const std::string& text, Orientation orientation) {
    return turn_voc(text, orientation, size, "a.jpg");
  };
  CHECK(turned(object("rotation", "30.0"), Orientation::flop) == object("rotation", "330.0"));
  CHECK(turned(object("rotation", "30.0"), Orientation::rotate180) == object("rotation", "30.0"));
  CHECK(turned(object("rotation", "0.0"), Orientation::flop) == object("rotation", "0.0"));
  CHECK(turned(object("age", "30.0"), Orientation::flop) == object("age", "30.0"));
  CHECK_THAT(fails(object("rotation", "left")),
             Catch::Matchers::EndsWith("'left' is not a number"));
}

TEST_CASE("A broken Pascal VOC label is refused with its line and column") {
  CHECK(fails("") == "1:1: is not well-formed XML: it has no element");
  CHECK(fails("<annotation>\n<object>") == "2:9: is not well-formed XML");
  CHECK(fails("<annotation>\n<object></annotation>").find("2:") == 0);
  CHECK(fails("<svg/>") == "1:1: is not a Pascal VOC label: its first element is not annotation");
  CHECK(fails("<annotation>\n <size><width>5</width><height>7</height></size></annotation>") ==
        "2:9: says 5 x 7, the picture is 7 x 5");
  CHECK(fails("<annotation><size><width>7</width></size></annotation>") ==
        "1:14: size has no height");
  CHECK(fails(label_with("<object><bndbox><xmin>1</xmin></bndbox></object>")) ==
        "8:10: bndbox has no ymin");
  CHECK(fails(label_with("<object>\n" + box({"1", "2", "x3", "4"}) + "</object>")) ==
        "9:43: 'x3' is not a number");
  CHECK(fails(label_with("<object>" + box({"1", "", "3", "4"}) + "</object>")) ==
        "8:32: ymin is empty");
  CHECK(fails(label_with("<object>" + box({"1", "<![CDATA[2]]>", "3", "4"}) + "</object>")) ==
        "8:32: ymin is not a plain text");
  CHECK(fails(label_with("<object><robndbox><cx>1</cx></robndbox></object>")) ==
        "8:10: robndbox has no cy");
  CHECK(fails(label_with("<object>" + rotated({"1", "2", "3", "4", "left"}) + "</object>")) ==
        "8:62: 'left' is not a number");
  CHECK(fails(label_with("<object><polygon><x1>1</x1></polygon></object>")) ==
        "8:10: polygon of an object cannot be turned");
}

TEST_CASE("The name of a Pascal VOC object is read as it is meant") {
  const auto category = [](const std::string& name) {
    const std::string object = "<name>" + name + "</name>" + box({"2", "1", "3", "4"});
    const auto content = qturn::voc_format.read(label_with("<object>" + object + "</object>"), {});
    REQUIRE(content.shapes.size() == 1);
    return content.shapes.front().category;
  };
  CHECK(category("cat &amp; &#100;og&#x21;") == "cat & dog!");
  CHECK(category("&lt;&gt;&quot;&apos;") == "<>\"'");
  CHECK(category("&#xe9;&#x20ac;&#x1f600;") == "\u00e9\u20ac\U0001f600");
  CHECK(category("a & b &nothing; &#xd800; &#1114112;") == "a & b &nothing; &#xd800; &#1114112;");
  CHECK(category("<![CDATA[a &amp; b]]>") == "a &amp; b");
  CHECK(category("cat<!-- or dog -->") == "cat");
}

TEST_CASE("A Pascal VOC label may have a document type, which is not looked at") {
  const std::string before = "\xef\xbb\xbf<?xml version='1.0'?>\n<!DOCTYPE annotation>\n";
  const std::string label = label_with("<object>" + box({"1", "2", "3", "4"}) + "</object>");
  CHECK(turn_voc(before + label, Orientation::flip, size, "a.jpg") ==
        before + turn_voc(label, Orientation::flip, size, "a.jpg"));
}

TEST_CASE("A Pascal VOC label is told from other XML") {
  CHECK(qturn::voc_format.is_of("<?xml version='1.0'?>\n<annotation verified='yes'>"));
  CHECK_FALSE(qturn::voc_format.is_of("<svg/>"));
}

TEST_CASE("A Pascal VOC label of 200,000 objects is read in the time that its bytes take") {
  constexpr std::size_t count = 200'000;
  std::string objects;
  for (std::size_t i = 0; i < count; ++i)
    objects += "<object><name>cat</name>" + box({"2", "1", "3", "4"}) + "</object>\n";
  const qturn::LabelContent content = qturn::voc_format.read(label_with(objects), {});
  CHECK(content.problems.empty());
  REQUIRE(content.shapes.size() == count);
  CHECK(content.shapes.front().place.line == 8);
  CHECK(content.shapes.back().place.line == 7 + count);
  CHECK(content.shapes.back().place.column == 26);
}

}  // namespace voc_test
