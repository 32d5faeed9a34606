#include "src/labels/many/csv_file.hpp"

#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "src/labels/text/label_text.hpp"
#include "tests/labels/in_parts.hpp"
#include "tests/labels/painted.hpp"

namespace csv_test {

using qturn::CsvContent;
using qturn::LabelledVariant;
using qturn::Orientation;
using qturn::Size;

namespace {

constexpr Size size = {7, 5};

CsvContent content_of(std::string_view text) { return read_in_parts<qturn::CsvReader>(text); }

std::string written(std::string_view text, const std::vector<Variants>& variants) {
  return written_in_parts<qturn::CsvReader, qturn::CsvWriter>(text, variants);
}

/// Of a file whose only picture is called so then.
std::string turned_text(std::string_view text, Orientation orientation, Size of = size,
                        const std::string& name = "a.jpg") {
  return written(text, {{{.turn = {orientation, orientation}, .name = name, .size = of}}});
}

std::string fails(std::string_view text) {
  std::string problem;
  const std::string thrown = thrown_by([&] {
    const CsvContent content = content_of(text);
    return problem = content.size() > 0 ? content.problem(0) : "";
  });
  return thrown + problem;
}

/// A letter for each row with the numbers of a file: names of columns, rows of numbers.
Canvas painted(const std::string& text, Size of) {
  Canvas canvas(of);
  std::istringstream lines(text);
  std::string line, header;
  std::getline(lines, header);
  const bool are_corners = header.find("max") != std::string::npos;
  const bool are_fractions = header.find("ID") != std::string::npos;
  char letter = 'a';
  for (; std::getline(lines, line); ++letter) {
    std::ranges::replace(line, ',', ' ');
    std::istringstream words(line);
    std::string name;
    words >> name;
    std::vector<double> n;
    for (double number; words >> number;) n.push_back(number);
    if (n.size() == 2) {
      canvas.at({std::llround(n[0]), std::llround(n[1])}) = letter;
      continue;
    }
    if (are_fractions)  // XMin, XMax, YMin, YMax
      n = {n[0] * static_cast<double>(of.width), n[2] * static_cast<double>(of.height),
           n[1] * static_cast<double>(of.width), n[3] * static_cast<double>(of.height)};
    const double right = are_corners || are_fractions ? n[2] : n[0] + n[2];
    const double bottom = are_corners || are_fractions ? n[3] : n[1] + n[3];
    for (std::int64_t y = std::llround(n[1]); y < std::llround(bottom); ++y)
      for (std::int64_t x = std::llround(n[0]); x < std::llround(right); ++x)
        canvas.at({x, y}) = letter;
  }
  return canvas;
}

const std::string corners =
    "filename,xmin,ymin,xmax,ymax\na.jpg,1,0,3.0,2\na.jpg,0,4,7,5\na.jpg,6,0,7,1\n";
const std::string boxes = "path,x,y,w,h\na.jpg,1,0,2,2\na.jpg,0,4,7,1\na.jpg,6.0,0,1,1\n";
const std::string points = "image,x,y\na.jpg,0,0\na.jpg,6,3\na.jpg,2.0,4\n";
const std::string fractions =
    "ImageID,XMin,XMax,YMin,YMax\na,0.142857,0.428571,0.0,0.4\na,0,1,0.8,1\na,.857143,1,0,0.2\n";

}  // namespace

TEST_CASE("A turned CSV label painted is the painted label turned") {
  for (const std::string& text : {corners, boxes, points, fractions})
    for (const Orientation orientation : qturn::all_orientations) {
      CAPTURE(text, name(orientation));
      const std::string result = turned_text(text, orientation, size, "a");
      CAPTURE(result);
      CHECK(painted(result, qturn::turned_size(orientation, size)).pixels ==
            turned(painted(text, size), orientation).pixels);
    }
}

TEST_CASE("Eight orientations and their inverses give a CSV file back, byte for byte") {
  const std::string texts[] = {
      corners,
      boxes,
      points,
      fractions,
      "\xef\xbb\xbf\"file_name\",width,height,\"xmin\",ymin,xmax,ymax,\"the, class\"\r\n"
      "\"a.jpg\",7,5, 1.50,\"2\",3.25 ,-0.5,\"cat, \"\"big\"\"\r\nor small\"\r\n"
      "a.jpg,7,5,,,,,none\r\n\r\na.jpg,7,5,0,0,7.0001,5,\xe2\x82\xac",
      "Filename;Width;Height;Roi.X1;Roi.Y1;Roi.X2;Roi.Y2;ClassId\na.jpg;7;5;1;1;6;4;20\n",
      "path\tx\ty\twidth\theight\tscore\na.jpg\t1.5\t2.0\t3.5\t2.5\t0.9\n",
      "image_id,image_width,image_height,bbox_x,bbox_y,bbox_width,bbox_height\na.jpg,7,5,1,2,3,3\n",
      "ImageID,XMin,XMax,YMin,YMax,XClick1X,XClick2X,XClick1Y,XClick2Y\na.jpg,0.1,0.5,0.2,0.75,"
      "0.1,0.2,0.3,0.75\na.jpg,0.1,0.5,0.2,0.75,-1.0,-1.0,-1.0,-1.0\n",
      "image,left,top,right,bottom\na.jpg,1,2,3,4\n",
      "image,x1,y1,x2,y2\nC:\\data\\a.jpg,1,2,3,4\n",
  };
  for (const std::string& text : texts) {
    const auto called = [](const std::string& name) {
      return [name](const std::string& of, Orientation orientation, Size at) {
        return turned_text(of, orientation, at, name);
      };
    };
    check_restored(text, size, called("b.png"), called(text == fractions ? "a" : "a.jpg"), true);
  }
}

TEST_CASE("Rows stay in their order, and the variants of a row stand together") {
  // The end that the last row does not have comes between its copies.
  CHECK(written("image,width,height,x1,y1,x2,y2\r\nx/a.jpg,7,5,1,2,3,4\r\nb.jpg,9,9,1,2,3,4\r\n"
                "c.jpg,,,1,2,3,4\r\nx/a.jpg,7,5,0,0,2.50,1",
                {two_of_7x5, one_of_9x9, {}}) ==
        "image,width,height,x1,y1,x2,y2\r\nx/a__identity.jpg,7,5,1,2,3,4\r\nx/a__rotate90.jpg,5,7,"
        "1,1,3,3\r\nb__flop.jpg,9,9,6,2,8,4\r\nx/a__identity.jpg,7,5,0,0,2.50,1\r\n"
        "x/a__rotate90.jpg,5,7,4,0,5,2.50");
  CHECK(written("image,x,y\na,1,2\n", {{}}) == "image,x,y\n");
  CHECK(turned_text("image,x,y\na,1,2\n", Orientation::flop, size, "a,\"b\".jpg") ==
        "image,x,y\n\"a,\"\"b\"\".jpg\",5,2\n");
}

TEST_CASE("The width and the height beside x and y are the box's, beside xmax the picture's") {
  CHECK(turned_text("image,x,y,width,height\na,1,2,3,1\n", Orientation::rotate90, size, "a") ==
        "image,x,y,width,height\na,2,1,1,3\n");
  CHECK(turned_text("image,xmin,ymin,xmax,ymax,width,height\na,1,2,3,4,7,5\n",
                    Orientation::rotate90, size,
                    "a") == "image,xmin,ymin,xmax,ymax,width,height\na,1,1,3,3,5,7\n");
  CHECK(content_of("image,x,y,width,height\na,1,2,3,1\n")[0].size == std::nullopt);
  CHECK(content_of("image,x,y,w,h,width,height\na,1,2,3,1,7,5\n")[0].size == size);
}

TEST_CASE("Rows tell whether coordinates are pixels or fractions") {
  const auto unit = [](const std::string& rows) {
    return content_of("image,x1,y1,x2,y2\n" + rows).unit();
  };
  CHECK(unit("a,0,0,1,1\na,0,0,2,1\n") == qturn::CsvUnit::pixels);
  CHECK(unit("a,0.5,0,2.5,1\na,,,,\n") == qturn::CsvUnit::pixels);
  CHECK(unit("a,0,0,1,1\na,0,0.9,1,1.001\na,0,0,1,0.5\n") == qturn::CsvUnit::fractions);
  CHECK(unit("a,,,,\n") == qturn::CsvUnit::unknown);
  CHECK(unit("") == qturn::CsvUnit::unknown);
  CHECK(fails("image,x,y\na,,\na,1,0\n").find("3:1: no row tells whether") == 0);
  CHECK(fails("image,x,y\na,.5,.5\na,3,3\n") ==
        "3:1: the coordinates look like pixels, but in line 2 like fractions of the picture");
  CHECK(fails("image,x,y\na,3,3\na,0.5,0.5\n") ==
        "3:1: the coordinates look like fractions of the picture, but in line 2 like pixels");
}

TEST_CASE("Columns that are not known, or known twice, are refused by name") {
  CHECK(fails("") == "1:1: is empty");
  CHECK(fails("a.jpg,1,2\n").find("1:1: the first row names no column for the picture") == 0);
  CHECK(fails("image,class\n").find("1:1: the first row does not name the columns of a box") == 0);
  CHECK(fails("image,x,class\n").find("1:1: the first row does not name the columns") == 0);
  CHECK(fails("image,path,x,y\n") ==
        "1:7: columns image and path may both name the picture; rename the one that does not");
  CHECK(fails("image,x,y,x1,y1,x2,y2\n") ==
        "1:7: column x is a second set of coordinates, beside x1, y1, x2, y2; leave one out");
  CHECK(fails("image,x_min,XMin,ymin,xmax,ymax\n") == "1:13: column XMin means the same as x_min");
  CHECK(fails("image,x,y,bbox\n") == "1:11: column bbox cannot be turned");
  CHECK(fails("image,x1,y1,x2,y2,x3,y3,x4,y4\n") == "1:19: column x3 cannot be turned");
  CHECK(fails("image,x,y,nose_x,nose_y\n") == "1:11: column nose_x cannot be turned");
  CHECK(fails("image,xmin,ymin,xmax,ymax,eye_x1,eye_y1\n") ==
        "1:27: column eye_x1 cannot be turned");
  CHECK(fails("image,x,y,bbox_x_center\n") == "1:11: column bbox_x_center cannot be turned");
  CHECK(fails("image,x,y,group_x\na,5,5,1\n").empty());
  CHECK(fails("image,x,y,width\n") == "1:11: width and height of the picture are not both there");
  CHECK(fails("image,x,y,w,h,width,height,image_width,image_height\n") ==
        "1:28: there are two sets of columns for the size of the picture");
}

TEST_CASE("A CSV file of Hugging Face has boxes in JSON, or a line for each variant alone") {
  const std::string head = "file_name;objects;text\r\n";
  const auto row = [](const std::string& name, const std::string& objects) {
    return name + ";\"" + objects + "\";\"a \"\"left\"\" hand; 2 dogs\"\r\n";
  };
  const std::string label =
      head +
      row("x/a.jpg", R"({""bbox"": [[1.5, 0, 2.0, 3]], ""category"": [""left \"" hand""]})") +
      row("b.jpg", "{}");
  const std::string turned = written(label, {{{{{}, Orientation::flop}, "a__flop.jpg", size},
                                              {{{}, Orientation::rotate90}, "a__cw.jpg", size}},
                                             {{{{}, Orientation::flop}, "b__flop.jpg", size}}});
  CHECK(turned == head +
                      row("x/a__flop.jpg",
                          R"({""bbox"": [[3.5, 0, 2.0, 3]], ""category"": [""left \"" hand""]})") +
                      row("x/a__cw.jpg",
                          R"({""bbox"": [[2, 1.5, 3, 2.0]], ""category"": [""left \"" hand""]})") +
                      row("b__flop.jpg", "{}"));
  const CsvContent content = content_of(label);
  CHECK(content[0].boxes_reach == Size{3, 3});
  CHECK(content.sides() == std::set<std::string>{"left \" hand"});
  CHECK(content.note() == "boxes from objects, in pixels");
  CHECK(content.has_geometry());

  const std::string plain = "label,file_name,objects\n1,a.jpg,\"cat, dog\"\n,b.jpg,";
  CHECK(written(plain, {{{{{}, Orientation::flop}, "a__flop.jpg", size}}, {}}) ==
        "label,file_name,objects\n1,a__flop.jpg,\"cat, dog\"\n");
  CHECK(fails(plain).empty());
  const CsvContent captions = content_of("file_name,text\na.jpg,a cat\n");
  CHECK_FALSE(captions.has_geometry());
  CHECK(captions.note().empty());

  CHECK(fails("file_name,bbox\na.jpg,\"[0.5, 1, 2]\"\n") ==
        "2:8: a box has 3 numbers, expected x, y, width and height");
  CHECK(fails("file_name,objects\na.jpg,\"{'bbox': [[1, 2, 3, 4]]}\"\n")
            .starts_with("2:8: is not well-formed JSON"));
  CHECK(fails("file_name,objects\na.jpg,\"{\"\"polygon\"\": [[1, 2, 3, 4]]}\"\n") ==
        "2:8: polygon may hold coordinates, and cannot be turned; leave it out of the file");
  CHECK(fails("file_name,text\na.jpg,\"[1, 2, 3, 4]\"\n") ==
        "2:8: text may hold coordinates, and cannot be turned; leave it out of the file");
  CHECK(fails("file_name,xmin,ymin,xmax,ymax,tip,end\na.jpg,0,0,2,2,3,4\n") ==
        "2:17: end may hold coordinates, and cannot be turned; leave it out of the file");
  CHECK(fails("file_name,xmin,ymin,xmax,ymax,far,score,occluded,text\na.jpg,0,0,2,2,3,4,1,9 5\n")
            .empty());
  CHECK(fails("file_name,bbox\na.jpg,0 0 1 1\n").starts_with("2:7: is not well-formed JSON"));
  CHECK(turned_text("file_name,bbox\na.jpg,\"[0, 0, 1, 1]\"\n", Orientation::flop) ==
        "file_name,bbox\na.jpg,\"[6, 0, 1, 1]\"\n");
  CHECK(fails("file_name,bbox\na.jpg,\"[0.1, 0.1, 0.5, 0.5]\"\n") ==
        "2:8: boxes are fractions of the picture, expected pixels");
  CHECK(fails("file_name,mask_file_name\n") ==
        "1:11: mask_file_name names another file, which would not be turned");
  CHECK(fails("file_name,objects,bbox\n") == "1:19: column bbox cannot be turned");
  CHECK(fails("file_name,bbox,xmin,ymin,xmax,ymax\n") ==
        "1:16: column xmin is a second set of coordinates, beside bbox; leave one out");
  CHECK(fails("file_name,xmin\n").find("does not name the columns of a box") != std::string::npos);
}

TEST_CASE("A broken CSV file is refused with its line and column") {
  CHECK(fails("image,x,y\na,1\n") == "2:1: has 2 fields, the first row has 3");
  CHECK(fails("image,x,y\r\n\r\n,1,2\r\n") == "3:1: the row does not name its picture");
  CHECK(fails("image,x,y\na,\"1\n") == "2:1: a closing quote is missing in this row");
  CHECK(fails("image,x,y\n\"a\nb\",1\"\",2\n") ==
        "3:5: a quote in a field that does not begin with one");
  CHECK(fails("image,x,y\n\"a\" ,1,2\n") == "2:4: the field goes on after its closing quote");
  CHECK(fails("image,x,y\n\"a,1,2\n" + std::string(1 << 20, 'x')) ==
        "2:1: a row of more than 1 MiB; a closing quote may be missing");
}

TEST_CASE("A row that cannot be turned is a problem of its picture alone") {
  const std::pair<std::string, std::string> rows[] = {
      {"a,7,5,1,2,x,4", "3:11: 'x' is not a number"},
      {"a,7,5,1,,3,4", "3:9: the field is empty, and other coordinates are not"},
      {"a,7.5,5,1,2,3,4", "3:3: '7.5' is not a width or a height of a picture"},
      {"a,7,,1,2,3,4", "3:5: '' is not a width or a height of a picture"},
      {"a,7,6,1,2,3,4", ""},
      {"a,7,5,1,2,3,4\na,7,6,1,2,3,4", "4:1: says 7 x 6, another row of the picture 7 x 5"},
  };
  for (const auto& [row, problem] : rows) {
    CAPTURE(row);
    const CsvContent content =
        content_of("image,width,height,x1,y1,x2,y2\nb,7,5,1,2,3,4\n" + row + "\n");
    CHECK(content.problem(content.find("a").value()) == problem);
    CHECK(content.problem(content.find("b").value()).empty());
  }
}

TEST_CASE("A CSV file of labels is known by its first row") {
  CHECK(qturn::names_labels("filename,class,bbox"));
  CHECK(qturn::names_labels("ImageID,XMin,XMax,YMin,YMax\r"));
  CHECK(qturn::names_labels("image_id,lefteye_x,lefteye_y,nose_x,nose_y"));
  CHECK_FALSE(qturn::names_labels("filename,class"));
  CHECK_FALSE(qturn::names_labels("image,mask,width,height"));
  CHECK_FALSE(qturn::names_labels("x,y"));
  CHECK_FALSE(qturn::names_labels("\"image,x,y"));
  CHECK_FALSE(qturn::names_labels(""));
}

}  // namespace csv_test
