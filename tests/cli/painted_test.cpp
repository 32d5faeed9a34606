// A picture in which its labels are painted is turned by the program with them: the turned labels
// painted are the turned picture.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/cli/labelled.hpp"

namespace painted_test {

using namespace cli;
using nlohmann::json;
using Numbers = std::vector<double>;

namespace {

/// Left, top, right, bottom, between pixels.
using Box = std::array<double, 4>;
using Boxes = std::vector<Box>;

constexpr double width = 13, height = 7;
const Boxes boxes = {{1, 0, 4, 3}, {6, 2, 13, 7}, {0, 6, 1, 7}, {9, 3, 12, 4}};

Picture painted(const Boxes& what, double of_width, double of_height) {
  Picture picture{.width = std::llround(of_width), .height = std::llround(of_height), .bytes = {}};
  picture.bytes.resize(static_cast<std::size_t>(picture.width * picture.height));
  unsigned char grey = 0;
  for (const Box& box : what) {
    grey = static_cast<unsigned char>(grey + 50);
    for (std::int64_t y = std::llround(box[1]); y < std::llround(box[3]); ++y)
      for (std::int64_t x = std::llround(box[0]); x < std::llround(box[2]); ++x)
        picture.bytes.at(static_cast<std::size_t>(y * picture.width + x)) = grey;
  }
  return picture;
}

struct Format {
  std::string name, picture, label;  ///< where they lie; a variant is called a__VARIANT
  std::function<std::string()> written;
  /// Of the picture of this name, `of` pixels large.
  std::function<Boxes(const std::string& label, const std::string& name, double of_width,
                      double of_height)>
      read;
};

Boxes by_corner(const std::vector<Numbers>& rows) {
  Boxes result;
  for (const Numbers& n : rows)
    result.push_back({n.at(0), n.at(1), n[0] + n.at(2), n[1] + n.at(3)});
  return result;
}

std::string each_box(const std::function<std::string(const Box& box)>& text,
                     const std::string& between = "") {
  std::string all;
  for (const Box& box : boxes) all += (all.empty() ? "" : between) + text(box);
  return all;
}

const Format yolo = {"YOLO", "images/a.png", "labels/a.txt",
                     [] {
                       return each_box([](const Box& b) {
                         return fmt::format("0 {:.6f} {:.6f} {:.6f} {:.6f}\n",
                                            (b[0] + b[2]) / 2 / width, (b[1] + b[3]) / 2 / height,
                                            (b[2] - b[0]) / width, (b[3] - b[1]) / height);
                       });
                     },
                     [](const std::string& label, const std::string&, double w, double h) {
                       std::istringstream words(label);
                       std::vector<Numbers> rows;
                       for (double object, x, y, dx, dy; words >> object >> x >> y >> dx >> dy;)
                         rows.push_back({(x - dx / 2) * w, (y - dy / 2) * h, dx * w, dy * h});
                       return by_corner(rows);
                     }};

const Format voc = {
    "Pascal VOC", "JPEGImages/a.png", "Annotations/a.xml",
    [] {
      return "<annotation>" + each_box([](const Box& b) {
               return fmt::format(
                   "<object><bndbox><xmin>{}</xmin><ymin>{}</ymin><xmax>{}</xmax>"
                   "<ymax>{}</ymax></bndbox></object>",
                   b[0] + 1, b[1] + 1, b[2], b[3]);
             }) +
             "</annotation>";
    },
    [](const std::string& label, const std::string&, double, double) {
      const std::regex box("<xmin>(.*?)</xmin><ymin>(.*?)</ymin><xmax>(.*?)</xmax><ymax>(.*?)</");
      Boxes result;
      for (std::sregex_iterator at(label.begin(), label.end(), box), end; at != end; ++at)
        result.push_back({std::stod((*at)[1]) - 1, std::stod((*at)[2]) - 1, std::stod((*at)[3]),
                          std::stod((*at)[4])});
      return result;
    }};

const Format labelme = {
    "LabelMe", "a.png", "a.json",
    [] {
      const std::string shapes = each_box(
          [](const Box& b) {
            return fmt::format(R"({{"label": "x", "shape_type": "rectangle", "points": [[{}, {}], )"
                               "[{}, {}]]}}",
                               b[0], b[1], b[2], b[3]);
          },
          ", ");
      return fmt::format(R"({{"shapes": [{}], "imagePath": "a.png", "imageData": null, )"
                         R"("imageHeight": {}, "imageWidth": {}}})",
                         shapes, height, width);
    },
    [](const std::string& label, const std::string&, double, double) {
      Boxes result;
      const json whole = json::parse(label);
      for (const json& shape : whole["shapes"]) {
        const std::vector<Numbers> points = shape["points"];
        result.push_back({points[0][0], points[0][1], points[1][0], points[1][1]});
      }
      return result;
    }};

const Format coco = {
    "COCO", "images/a.png", "annotations/x.json",
    [] {
      int id = 0;
      const std::string annotations = each_box(
          [&](const Box& b) {
            return fmt::format(R"({{"id": {}, "image_id": 0, "bbox": [{}, {}, {}, {}]}})", id++,
                               b[0], b[1], b[2] - b[0], b[3] - b[1]);
          },
          ", ");
      return fmt::format(R"({{"images": [{{"id": 0, "file_name": "a.png", "width": {}, )"
                         R"("height": {}}}], "annotations": [{}]}})",
                         width, height, annotations);
    },
    [](const std::string& label, const std::string& name, double, double) {
      const json whole = json::parse(label);
      std::vector<Numbers> rows;
      for (const json& image : whole["images"])
        for (const json& each : whole["annotations"])
          if (image["file_name"] == name && each["image_id"] == image["id"])
            rows.push_back(each["bbox"]);
      return by_corner(rows);
    }};

const Format csv = {"CSV", "images/a.png", "annotations/x.csv",
                    [] {
                      return "image,left,top,right,bottom\n" + each_box([](const Box& b) {
                               return fmt::format("a.png,{},{},{},{}\n", b[0], b[1], b[2], b[3]);
                             });
                    },
                    [](const std::string& label, const std::string& name, double, double) {
                      std::istringstream lines(label);
                      Boxes result;
                      for (std::string line; std::getline(lines, line);) {
                        if (!line.starts_with(name + ",")) continue;
                        std::ranges::replace(line, ',', ' ');
                        std::istringstream words(line.substr(name.size()));
                        Box box;
                        for (double& side : box) words >> side;
                        result.push_back(box);
                      }
                      return result;
                    }};

std::string of_variant(std::string path, qturn::Orientation variant) {
  const std::size_t at = path.rfind("a.");
  return at == std::string::npos ? path : path.insert(at + 1, "__" + std::string(name(variant)));
}

}  // namespace

TEST_CASE("The labels that are painted in a picture lie on it again when both are turned") {
  for (const Format& format : {yolo, voc, labelme, coco, csv}) {
    CAPTURE(format.name);
    Workplace workplace;
    workplace.add("data/" + format.picture, png(painted(boxes, width, height)));
    workplace.add("data/" + format.label, format.written());
    workplace.done({"augment", "data", "-o", "out"});
    for (const qturn::Orientation variant : qturn::all_orientations) {
      CAPTURE(name(variant));
      const std::string out = of_variant(format.picture, variant);
      const Picture got = decoded(workplace.path() / "out" / out).pages.at(0);
      CHECK(got == turned(painted(boxes, width, height), variant));
      const std::string label =
          workplace.content("out/" + (format.label.find("/x.") == std::string::npos
                                          ? of_variant(format.label, variant)
                                          : format.label));
      const auto w = static_cast<double>(got.width), h = static_cast<double>(got.height);
      CHECK(painted(format.read(label, out.substr(out.rfind('/') + 1), w, h), w, h) == got);
    }
  }
}

}  // namespace painted_test
