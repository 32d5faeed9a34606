#include "src/formats/tiff/placed_metadata.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <array>
#include <cmath>
#include <vector>

#include "src/formats/tiff/metadata.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/metadata.hpp"

namespace tiff_placed_metadata_test {

namespace {

using namespace qturn;
using namespace qturn::tiff;
using namespace qturn::tests;

using Doubles = std::vector<double>;

TiffField doubles(std::uint16_t tag, const Doubles& numbers) {
  const auto* bytes = reinterpret_cast<const std::byte*>(numbers.data());
  return {.tag = tag,
          .type = tiff_type::f64,
          .count = numbers.size(),
          .value = {bytes, bytes + 8 * numbers.size()}};
}

Doubles doubles_in(const TiffDirectory& page, std::uint16_t tag) {
  const TiffField* field = page.find(tag);
  if (!field) return {};
  const auto* numbers = reinterpret_cast<const double*>(field->value.data());
  return {numbers, numbers + field->count};
}

TiffDirectory page(bool of_points, std::vector<TiffField> fields) {
  const std::uint64_t keys[] = {1, 1, 0, 2, 1024, 0, 1, 1, 1025, 0, 1, of_points ? 2U : 1U};
  fields.push_back(tiff_integers(tiff_tag::geo_keys, tiff_type::u16, keys));
  return {.fields = std::move(fields), .children = {}};
}

struct Place {
  double x = 0, y = 0, z = 0;
};

// As the specification of GeoTIFF (OGC 19-008r4) says, of raster coordinates.
Place on_map(const TiffDirectory& page, double x, double y) {
  const Doubles scale = doubles_in(page, tiff_tag::pixel_scale),
                tie = doubles_in(page, tiff_tag::tie_points),
                m = doubles_in(page, tiff_tag::model_matrix);
  REQUIRE(scale.empty() != m.empty());
  if (!scale.empty())
    return {tie[3] + (x - tie[0]) * scale[0], tie[4] - (y - tie[1]) * scale[1],
            tie[5] - tie[2] * scale[2]};
  const auto row = [&](std::size_t i) { return m[i] * x + m[i + 1] * y + m[i + 3]; };
  return {row(0), row(4), row(8)};
}

constexpr Size size{30, 20};

// The raster coordinates of a pixel's centre.
Place centre(Position pixel, bool of_points) {
  const double to_centre = of_points ? 0 : 0.5;
  return {static_cast<double>(pixel.x) + to_centre, static_cast<double>(pixel.y) + to_centre};
}

const TiffField scale = doubles(tiff_tag::pixel_scale, {10, 2.5, 3});
const TiffField tie_point = doubles(tiff_tag::tie_points, {4, 6, 2, 500000, 4000000, 120});
const TiffField matrix =
    doubles(tiff_tag::model_matrix, {8, -6, 0, 440720, -6, -8, 0, 3751320, 0, 0, 1, 7, 0, 0, 0, 1});

}  // namespace

TEST_CASE("Each pixel keeps its place on the map, by a scale and by a matrix") {
  const Orientation applied = GENERATE(from_range(all_orientations));
  const bool of_points = GENERATE(false, true);
  for (const auto& fields : {std::vector{scale, tie_point}, std::vector{matrix}}) {
    const TiffDirectory before = page(of_points, fields);
    TiffDirectory after = before;
    turn_placed_metadata(after, size, applied);
    CHECK(placed_metadata(after).empty());
    for (const Position pixel : {Position{0, 0}, {29, 0}, {0, 19}, {29, 19}, {13, 4}}) {
      const Place was = centre(pixel, of_points);
      const Place is = centre(destination_of(applied, pixel, size), of_points);
      const Place wanted = on_map(before, was.x, was.y), found = on_map(after, is.x, is.y);
      CAPTURE(applied, of_points, pixel.x, pixel.y);
      CHECK(found.x == wanted.x);
      CHECK(found.y == wanted.y);
      CHECK(found.z == wanted.z);
    }
    const bool stays = applied == Orientation::identity;
    CHECK((after.find(tiff_tag::pixel_scale) != nullptr) ==
          (stays && before.find(tiff_tag::pixel_scale)));
    // Back again.
    turn_placed_metadata(after, turned_size(applied, size), inverse(applied));
    CHECK(on_map(after, 0, 0).x == on_map(before, 0, 0).x);
    CHECK(on_map(after, 0, 0).y == on_map(before, 0, 0).y);
  }
}

TEST_CASE("Turned there and back, numbers that are rounded are the next double at most") {
  const Orientation applied = GENERATE(from_range(all_orientations));
  const TiffDirectory before = page(
      false, {doubles(tiff_tag::pixel_scale, {0.1, 1.0 / 3, 0}),
              doubles(tiff_tag::tie_points, {0, 0, 0, 440720.123456789, 3751320.987654321, 0})});
  TiffDirectory after = before;
  turn_placed_metadata(after, {10007, 9973}, applied);
  turn_placed_metadata(after, turned_size(applied, {10007, 9973}), inverse(applied));
  const Place was = on_map(before, 0, 0), is = on_map(after, 0, 0);
  CHECK(std::abs(is.x - was.x) <= std::nextafter(was.x, 1e9) - was.x);
  CHECK(std::abs(is.y - was.y) <= std::nextafter(was.y, 1e9) - was.y);
}

TEST_CASE("Control points stay at their pixels") {
  const Orientation applied = GENERATE(from_range(all_orientations));
  const bool of_points = GENERATE(false, true);
  TiffDirectory turned = page(of_points, {doubles(tiff_tag::tie_points, {0.5, 2, 0, 7, 8, 9,  //
                                                                         29, 3, 0, 1, 2, 3})});
  CHECK(placed_metadata(turned).empty());
  turn_placed_metadata(turned, size, applied);
  const Doubles now = doubles_in(turned, tiff_tag::tie_points);
  REQUIRE(now.size() == 12);
  // Of areas, a whole number is the corner of a pixel.
  const double less = of_points ? 1 : 0;
  const Reading how = reading(applied);
  const double u = how.from_right ? 30 - less - 0.5 : 0.5, v = how.from_bottom ? 20 - less - 2 : 2;
  CHECK(now[0] == (how.swap_axes ? v : u));
  CHECK(now[1] == (how.swap_axes ? u : v));
  CHECK(Doubles(now.begin() + 2, now.begin() + 6) == Doubles{0, 7, 8, 9});
  CHECK(Doubles(now.begin() + 8, now.end()) == Doubles{0, 1, 2, 3});
}

namespace {

// Line and sample of a point on the ground, as RPC00B says; both count centres of pixels.
Place in_picture(const Doubles& rpc, double latitude, double longitude, double height) {
  const double p = (latitude - rpc[4]) / rpc[9], l = (longitude - rpc[5]) / rpc[10],
               h = (height - rpc[6]) / rpc[11];
  const std::array<double, 20> terms = {1,         l,         p,         h,         l * p,
                                        l * h,     p * h,     l * l,     p * p,     h * h,
                                        p * l * h, l * l * l, l * p * p, l * h * h, l * l * p,
                                        p * p * p, p * h * h, l * l * h, p * p * h, h * h * h};
  const auto sum = [&](std::size_t from) {
    double all = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) all += terms[i] * rpc[from + i];
    return all;
  };
  return {rpc[3] + rpc[8] * sum(52) / sum(72), rpc[2] + rpc[7] * sum(12) / sum(32)};
}

}  // namespace

TEST_CASE("Rational polynomials lead to the same pixels") {
  const Orientation applied = GENERATE(from_range(all_orientations));
  Doubles rpc = {0, 0, 9, 14, 40, -100, 100, 11, 16, 0.5, 0.25, 500};
  for (std::size_t i = 0; i < 80; ++i)
    rpc.push_back(i % 20 == 0 ? 1 : 0.01 * static_cast<double>(i * 7 % 11));
  TiffDirectory turned{.fields = {doubles(tiff_tag::polynomials, rpc)}, .children = {}};
  CHECK(placed_metadata(turned).empty());
  turn_placed_metadata(turned, size, applied);
  const Doubles now = doubles_in(turned, tiff_tag::polynomials);
  REQUIRE(now.size() == 92);
  for (const double shift : {-0.3, 0.1, 0.2}) {
    const Place was = in_picture(rpc, 40 + shift, -100 - shift / 2, 100 + 300 * shift);
    const Place is = in_picture(now, 40 + shift, -100 - shift / 2, 100 + 300 * shift);
    const Reading how = reading(applied);
    const double u = how.from_right ? 29 - was.x : was.x, v = how.from_bottom ? 19 - was.y : was.y;
    CHECK(is.x == Catch::Approx(how.swap_axes ? v : u).epsilon(1e-12));
    CHECK(is.y == Catch::Approx(how.swap_axes ? u : v).epsilon(1e-12));
  }
}

TEST_CASE("Map coordinates that are ambiguous or damaged stay, and are named") {
  const auto nan = std::nan("");
  for (const auto& fields : std::vector<std::vector<TiffField>>{
           {scale},
           {scale, doubles(tiff_tag::tie_points, Doubles(12))},
           {doubles(tiff_tag::pixel_scale, {10, -10, 0}), tie_point},
           {doubles(tiff_tag::pixel_scale, {10, 10}), tie_point},
           {scale, tie_point, matrix},
           {doubles(tiff_tag::tie_points, Doubles(5))},
           {doubles(tiff_tag::model_matrix, Doubles(15))},
           {doubles(tiff_tag::model_matrix, Doubles(16, nan))},
           {doubles(tiff_tag::intergraph_matrix, Doubles(17))}}) {
    TiffDirectory turned = page(false, fields);
    REQUIRE(placed_metadata(turned).size() == 1);
    CHECK(placed_metadata(turned)[0].name == "its map coordinates (GeoTIFF)");
    const TiffDirectory before = turned;
    turn_placed_metadata(turned, size, Orientation::rotate90);
    for (std::size_t i = 0; i < fields.size(); ++i)
      CHECK(turned.fields[i].value == before.fields[i].value);
  }
  const TiffDirectory short_rpc{.fields = {doubles(tiff_tag::polynomials, Doubles(91))},
                                .children = {}};
  CHECK(placed_metadata(short_rpc).size() == 1);
  // A projection alone says no place.
  CHECK(placed_metadata(page(false, {})).empty());
}

TEST_CASE("The axes of OME-XML change places") {
  const auto ome = [](const std::string& pixels, const std::string& rest = "") {
    return "<?xml version=\"1.0\"?><o:OME xmlns:o=\"http://www.openmicroscopy.org/Schemas/OME/"
           "2016-06\"><o:Image><o:Pixels DimensionOrder=\"XYCZT\" " +
           pixels + "><o:Channel/>" + rest + "</o:Pixels></o:Image></o:OME>";
  };
  const auto turned = [](std::string text, Orientation applied) {
    TiffDirectory page{.fields = {{.tag = tiff_tag::description,
                                   .type = tiff_type::ascii,
                                   .count = text.size() + 1,
                                   .value = owned(text + '\0')}},
                       .children = {}};
    turn_placed_metadata(page, size, applied);
    const std::string_view now = text_of(page.fields[0].value);
    return std::string(now.substr(0, now.size() - 1));
  };
  const std::string before =
      ome("SizeX=\"30\" SizeY = '20' SizeZ=\"1\" PhysicalSizeX=\".65\" PhysicalSizeXUnit=\"nm\"");
  const std::string after =
      ome("SizeY=\"30\" SizeX = '20' SizeZ=\"1\" PhysicalSizeY=\".65\" PhysicalSizeYUnit=\"nm\"");
  CHECK(turned(before, Orientation::rotate90) == after);
  CHECK(turned(after, Orientation::transverse) == before);
  CHECK(turned(before, Orientation::rotate180) == before);
  REQUIRE(placed_in_ome(before).size() == 1);
  CHECK(placed_in_ome(before)[0].is_turned);
  const auto names = [](const std::string& text) {
    std::vector<std::string> all;
    for (const PlacedMetadata& each : placed_in_ome(text))
      if (!each.is_turned) all.push_back(each.name);
    return all;
  };
  const std::string sizes = "SizeX=\"30\" SizeY=\"20\"";
  CHECK(names(ome(sizes, "<o:Plane TheZ=\"0\" PositionX=\"1\"/>")) ==
        std::vector<std::string>{"its stage positions (OME-XML)"});
  CHECK(names(ome(sizes, "<o:ROI><o:Union/></o:ROI>")) ==
        std::vector<std::string>{"its regions (OME-XML)"});
  // The sizes are in another file; damaged.
  CHECK(names(ome("")) == std::vector<std::string>{"its sizes and axes (OME-XML)"});
  CHECK(names(before.substr(0, before.size() - 1)) ==
        std::vector<std::string>{"its sizes and axes (OME-XML)"});
  CHECK(placed_in_ome("SizeX=\"30\"").empty());
}

}  // namespace tiff_placed_metadata_test
