#include "src/sample/sample_turn.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <stdexcept>
#include <string>
#include <vector>

#include "src/metadata/xmp.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/metadata.hpp"

namespace qturn::sample_turn_test {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using Catch::Matchers::StartsWith;

const Bytes picture = tests::small_png();  // 6 x 4
const std::string label = "0 0.25 0.5 0.1 0.20\n";
const std::string packet =
    tests::xmp_packet_with("tiff:Orientation='1' tiff:ImageWidth='6' tiff:ImageLength='4'");

/// The picture x/a.png and one file that belongs to it.
std::vector<TurnedSample> turned(const std::string& name, std::string_view content,
                                 CompanionKind kind, Orientation orientation,
                                 const std::vector<std::string>& names = {"a.png"}) {
  const Sample sample{
      .picture = {.name = "x/a.png", .bytes = picture},
      .files = {{.name = name, .bytes = bytes_of(content), .kind = kind, .format = &yolo_format}}};
  return turn_sample(sample, std::span(&orientation, 1), names, {});
}

TEST_CASE("All files of a sample are turned, once for each orientation, in their order") {
  const Sample sample{
      .picture = {.name = "x/a.png", .bytes = picture},
      .files = {{.name = "x/a.xmp", .bytes = bytes_of(packet)},
                {.name = "x/a.txt",
                 .bytes = bytes_of(label),
                 .kind = CompanionKind::label,
                 .format = &yolo_format},
                {.name = "x/a.mask.png", .bytes = picture, .kind = CompanionKind::mask}}};
  const std::vector<Orientation> orientations = {Orientation::rotate90, Orientation::identity,
                                                 Orientation::flop};
  const std::vector<TurnedSample> all =
      turn_sample(sample, orientations, std::vector<std::string>(3, "a.png"), {});
  REQUIRE(all.size() == 3);
  const std::vector<std::string> labels = {"0 0.5 0.25 0.20 0.1\n", label, "0 0.75 0.5 0.1 0.20\n"};
  const std::vector<std::string> widths = {"4", "6", "6"};
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i);
    REQUIRE(all[i].files.size() == 3);
    CHECK(read_xmp(std::string(text_of(all[i].files[0]))).width == widths[i]);
    CHECK(text_of(all[i].files[1]) == labels[i]);
    // It shows what the picture shows.
    CHECK(tests::pixels_of(tests::Decoded(all[i].files[2], png::codec).image.pages.front()) ==
          tests::pixels_of(tests::Decoded(all[i].picture, png::codec).image.pages.front()));
    CHECK(all[i].warnings.empty());
  }
  CHECK(all[0].picture == tests::turn_file(picture, png::codec, Orientation::rotate90));
  CHECK(all[1].picture == picture);
}

TEST_CASE("What cannot be turned is named by its file") {
  const auto fails = [](const std::string& name, const std::string& content, CompanionKind kind) {
    return [=] { (void)turned(name, content, kind, Orientation::flop); };
  };
  CHECK_THROWS_MATCHES(fails("x/a.txt", "0 0.25\n", CompanionKind::label)(), ImageFileError,
                       MessageMatches(StartsWith("x/a.txt:")));
  CHECK_THROWS_MATCHES(fails("x/a.xmp", packet.substr(0, 90), CompanionKind::sidecar)(),
                       ImageFileError, MessageMatches(StartsWith("x/a.xmp: ")));
  CHECK_THROWS_MATCHES(fails("x/a.mask.png", "not a PNG", CompanionKind::mask)(), ImageFileError,
                       MessageMatches(ContainsSubstring("x/a.mask.png")));
}

TEST_CASE("Each orientation needs a name, and both numbers are told") {
  CHECK_THROWS_MATCHES(turned("x/a.txt", label, CompanionKind::label, Orientation::flop, {}),
                       std::invalid_argument,
                       MessageMatches(ContainsSubstring("0 names") && ContainsSubstring("the 1 ")));
}

}  // namespace
}  // namespace qturn::sample_turn_test
