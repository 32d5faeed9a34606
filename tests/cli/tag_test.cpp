// Turning by the tag alone, and --strict.
#include "tests/cli/pictures.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/metadata.hpp"

namespace tag_test {

using namespace cli;
using namespace qturn;
using qturn::Orientation;

namespace {

std::string tagged(const Codec& format, int orientation) {
  const Picture picture = smooth_picture(24, 16);
  if (&format == &jpeg::codec) return tagged_jpeg(picture, orientation);
  if (&format == &png::codec) return tagged_png(picture, orientation);
  // The others get a tag by the tag itself.
  const std::string file = encoded(picture, format);
  std::vector<std::string> warnings;
  const auto bytes = std::as_bytes(std::span(file));
  const auto retagged = qturn::retag(bytes, format, static_cast<Orientation>(orientation),
                                     qturn::MissingTag::is_added, warnings);
  return {reinterpret_cast<const char*>(retagged.data()), retagged.size()};
}

// Where two texts of the same length differ.
int differences(const std::string& a, const std::string& b) {
  int count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i];
  return count;
}

}  // namespace

TEST_CASE("Option --tag-only composes the turn with the tag, for every pair, and moves no pixel") {
  for (const Codec* format : {&jpeg::codec, &png::codec, &tiff::codec}) {
    for (const Orientation stored : qturn::all_orientations) {
      Workplace workplace;
      const std::string name = "a" + std::string(format->suffixes.front());
      const std::string before = tagged(*format, static_cast<int>(stored));
      workplace.add(name, before);
      for (const Orientation turn : qturn::all_orientations) {
        if (turn == Orientation::identity) continue;
        const std::string out = "out-" + std::string(qturn::name(turn));
        const Result result =
            workplace.qturn({std::string(qturn::name(turn)), name, "--tag-only", "-o", out, "-q"});
        CAPTURE(name, qturn::name(stored), qturn::name(turn), result.err);
        REQUIRE(result.exit_code == 0);
        const auto path = workplace.path() / out / name;
        CHECK(decoded(path).stored == qturn::compose(stored, turn));
        CHECK(pixels_of(path) == pixels_of(workplace.path() / name));
        // PNG has a checksum of four bytes beside it.
        if (stored != Orientation::identity || format != &tiff::codec) {
          CHECK(workplace.content(out + "/" + name).size() == before.size());
          CHECK(differences(workplace.content(out + "/" + name), before) <= 5);
        }
      }
    }
  }
}

TEST_CASE("A tag that is missing is added, in JPEG, PNG, TIFF and WebP") {
  for (const Codec* format : {&jpeg::codec, &png::codec, &tiff::codec, &webp::codec}) {
    Workplace workplace;
    const std::string name = "a" + std::string(format->suffixes.front());
    workplace.add(name, format == &webp::codec ? qturn::tests::small_webp
                                               : encoded(smooth_picture(24, 16), *format));
    const Picture before = pixels_of(workplace.path() / name);
    const Result result = workplace.qturn({"cw", name, "--tag-only", "--in-place"});
    CAPTURE(name, result.err);
    REQUIRE(result.exit_code == 0);
    CHECK(decoded(workplace.path() / name).stored == Orientation::rotate90);
    CHECK(pixels_of(workplace.path() / name) == before);
    CHECK_THAT(result.err, ContainsSubstring("(1 by the orientation tag alone)"));
    CHECK((result.err.find("browsers") != std::string::npos) == (format == &webp::codec));
    // And once more, where the tag is there.
    workplace.done({"flop", name, "--tag-only", "--in-place"});
    CHECK(decoded(workplace.path() / name).stored ==
          qturn::compose(Orientation::rotate90, Orientation::flop));
  }
}

TEST_CASE("In place, a new tag makes a file one second later, because its size stays") {
  Workplace workplace;
  workplace.add("a.jpg", tagged_jpeg(smooth_picture(24, 16), 3));
  const auto path = workplace.path() / "a.jpg";
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1000);
  std::filesystem::last_write_time(path, long_ago);
  const auto size = std::filesystem::file_size(path);
  workplace.done({"cw", "a.jpg", "--tag-only", "--in-place"});
  CHECK(std::filesystem::file_size(path) == size);
  CHECK(std::filesystem::last_write_time(path) == long_ago + std::chrono::seconds(1));
}

TEST_CASE_METHOD(
    Workplace,
    "A format without a place for a tag fails by name, and upright --tag-only is a usage error") {
  add("a.bmp", encoded(smooth_picture(8, 8), bmp::codec));
  add("b.jpg", tagged_jpeg(smooth_picture(24, 16), 3));
  failed({"cw", "a.bmp", "--tag-only", "-o", "out"}, "a.bmp: bmp has no place for an orientation");
  refused({"upright", "b.jpg", "--tag-only", "-o", "out"});
  refused({"cw", "b.jpg", "--tag-only", "--format", "png", "-o", "out"});
  CHECK(files("out").empty());
}

TEST_CASE_METHOD(Workplace,
                 "The JSON line of a new tag says that nothing was applied to the pixels") {
  add("a.jpg", tagged_jpeg(smooth_picture(24, 16), 3));
  const Result result = qturn({"cw", "a.jpg", "--tag-only", "-o", "out", "--json"});
  CHECK_THAT(result.out, ContainsSubstring("\"orientation\":\"rotate90\",\"applied\":\"identity\","
                                           "\"width\":24,\"height\":16,\"route\":\"tagged\""));
}

TEST_CASE_METHOD(Workplace, "Option --strict makes a failure of what is otherwise a warning") {
  const std::string broken = qturn::tests::jpeg_segment(
      0xE1, std::string("http://ns.adobe.com/xap/1.0/\0", 29) + "<x:xmpmeta");
  add("a.jpg", cli::jpeg(smooth_picture(24, 16)).insert(2, broken));
  done({"cw", "a.jpg", "-o", "out"}, "warning: a.jpg: its XMP stays as it was");
  CHECK_THAT(content("out/a.jpg"), ContainsSubstring("<x:xmpmeta"));
  failed({"cw", "a.jpg", "-o", "strict", "--strict"},
         {"a.jpg: its XMP stays as it was", "(--strict)"});
  CHECK(files("strict").empty());
}

}  // namespace tag_test
