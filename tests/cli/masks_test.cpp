// augment with masks: which belong to which picture, where they go, that no value of a pixel
// changes, and that a picture and its masks are one outcome.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "src/formats/table.hpp"
#include "tests/cli/labelled.hpp"

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using cli::augment;
using cli::Result;
using cli::results;
using cli::Workplace;
using qturn::Orientation;
using Names = std::set<std::string>;
using Words = std::vector<std::string>;

namespace {

const cli::Picture& picture = cli::labelled_picture;
const cli::Picture mask = cli::random_picture(9, 5, 1, qturn::SampleFormat::u8, 2);

const std::string palette = cli::png_chunk("PLTE", std::string(3 * 256, '\x55') + "");

/// The values of `mask` as places in a palette.
std::string palette_png() {
  std::string file = cli::png(mask, palette);
  constexpr std::size_t signature = 8, header_chunk = 25;
  const std::string header =
      cli::big_endian(9) + cli::big_endian(5) + '\x08' + '\x03' + std::string(3, '\0');
  return file.replace(signature, header_chunk, cli::png_chunk("IHDR", header));
}

}  // namespace

TEST_CASE("Masks turn with their pictures, and lie to them as before") {
  struct Layout {
    std::string picture, mask, input, out_picture, out_mask;
  };
  const Layout layouts[] = {
      {"d/a.png", "d/a_mask.png", "d", "a__flop.png", "a__flop_mask.png"},
      {"d/A.PNG", "d/a-Mask_2.png", "d", "A__flop.PNG", "A__flop-Mask_2.png"},
      {"d/images/x/a.png", "d/masks/x/a.png", "d", "images/x/a__flop.png", "masks/x/a__flop.png"},
      {"d/Images/a.png", "d/Masks/a_mask.PNG", "d", "Images/a__flop.png", "Masks/a__flop_mask.PNG"},
      {"d/JPEGImages/a.png", "d/SegmentationClass/a.png", "d", "JPEGImages/a__flop.png",
       "SegmentationClass/a__flop.png"},
      {"d/images/train/a.png", "d/annotations/train/a.png", "d", "images/train/a__flop.png",
       "annotations/train/a__flop.png"},
      {"d/train/a.png", "d/train_masks/a_mask.png", "d", "train/a__flop.png",
       "train_masks/a__flop_mask.png"},
      // The folder images is not below the input.
      {"d/images/train/a.png", "d/masks/train/a.png", "d/images/train", "a__flop.png",
       "masks/a__flop.png"},
      {"d/images/a.png", "d/masks/a.png", "d/images/a.png", "a__flop.png", "masks/a__flop.png"},
  };
  for (const Layout& layout : layouts) {
    CAPTURE(layout.mask, layout.input);
    Workplace workplace;
    workplace.add(layout.picture, cli::png(picture));
    workplace.add(layout.mask, cli::png(mask));
    const Result result = augment(workplace, {layout.input});
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.err, ContainsSubstring("qturn: masks of 1 of 1 picture turn with them\n"));
    REQUIRE(results(workplace) == Names{layout.out_picture, layout.out_mask});
    const fs::path out = workplace.path() / "out";
    CHECK(cli::pixels_of(out / layout.out_picture) == cli::turned(picture, Orientation::flop));
    CHECK(cli::pixels_of(out / layout.out_mask) == cli::turned(mask, Orientation::flop));
  }
}

TEST_CASE("A mask gets the variants that are drawn for its picture, in all eight orientations") {
  Workplace workplace;
  workplace.add("d/images/a.png", cli::png(picture));
  workplace.add("d/images/b.png", cli::png(picture));
  workplace.add("d/masks/a.png", cli::png(mask));
  workplace.add("d/SegmentationObject/a.png", cli::png(mask));
  CHECK(workplace.qturn({"augment", "d", "-o", "out"}).exit_code == 0);
  for (const Orientation orientation : qturn::all_orientations) {
    const std::string name = "a__" + std::string(qturn::name(orientation)) + ".png";
    for (const std::string folder : {"masks", "SegmentationObject"})
      CHECK(cli::pixels_of(workplace.path() / "out" / folder / name) ==
            cli::turned(mask, orientation));
  }
  CHECK(results(workplace).size() == 32);

  CHECK(workplace.qturn({"augment", "d", "-o", "some", "--random", "3"}).exit_code == 0);
  const auto with = [&](const std::string& folder) {
    Names names;
    for (const std::string& file : workplace.files("some"))
      if (file.starts_with(folder + "/a")) names.insert(file.substr(folder.size()));
    return names;
  };
  CHECK(with("images").size() == 3);
  CHECK(with("masks") == with("images"));
  CHECK(with("SegmentationObject") == with("images"));
}

TEST_CASE("A mask keeps its form: palette, samples of 16 and 32 bits, format") {
  const cli::Picture deep = cli::random_picture(9, 5, 1, qturn::SampleFormat::u16, 3);
  const cli::Picture wide = cli::random_picture(9, 5, 1, qturn::SampleFormat::u32, 4);
  Workplace workplace;
  for (const std::string stem : {"a", "b", "c"})
    workplace.add("d/images/" + stem + ".jpg", cli::jpeg(cli::smooth_picture(9, 5)));
  workplace.add("d/masks/a.png", palette_png());
  workplace.add("d/masks/b.png", cli::png(deep));
  workplace.add("d/masks/c.tif", cli::encoded(wide, *qturn::codec_of_name("tiff")));
  const Result result = augment(workplace, {"d", "--format", "webp", "--jpeg-edges", "reencode"});
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  CHECK(results(workplace) == Names{"images/a__flop.webp", "images/b__flop.webp",
                                    "images/c__flop.webp", "masks/a__flop.png", "masks/b__flop.png",
                                    "masks/c__flop.tif"});
  const std::string turned = workplace.content("out/masks/a__flop.png");
  CHECK(turned.find(palette) != std::string::npos);
  CHECK(turned.substr(24, 2) == "\x08\x03");
  const fs::path out = workplace.path() / "out/masks";
  CHECK(cli::pixels_of(out / "a__flop.png") ==
        cli::turned(cli::pixels_of(workplace.path() / "d/masks/a.png"), Orientation::flop));
  CHECK(cli::pixels_of(out / "b__flop.png") == cli::turned(deep, Orientation::flop));
  CHECK(cli::pixels_of(out / "c__flop.tif") == cli::turned(wide, Orientation::flop));
}

TEST_CASE("Option --masks chooses: none, or those of a folder") {
  Workplace workplace;
  workplace.add("d/x/a.png", cli::png(picture));
  workplace.add("d/x/a_mask.png", cli::png(mask));
  workplace.add("other/x/a.png", cli::png(mask));
  for (const Words& none : {Words{"--masks", "none"}, Words{"--labels", "none"}}) {
    fs::remove_all(workplace.path() / "out");
    Words words = {"d"};
    words.insert(words.end(), none.begin(), none.end());
    CHECK(augment(workplace, words).exit_code == 0);
    CHECK(results(workplace) == Names{"x/a__flop.png", "x/a_mask__flop.png"});
  }
  fs::remove_all(workplace.path() / "out");
  CHECK(augment(workplace, {"d", "--labels", "none", "--masks", "auto"}).exit_code == 0);
  CHECK(results(workplace) == Names{"x/a__flop.png", "x/a__flop_mask.png"});
  fs::remove_all(workplace.path() / "out");
  CHECK(augment(workplace, {"d", "--masks", "other/"}).exit_code == 0);
  CHECK(results(workplace) == Names{"x/a__flop.png", "x/a_mask__flop.png", "other/x/a__flop.png"});
  const Result empty = augment(workplace, {"d", "--overwrite", "--masks", "d"});
  CHECK(empty.exit_code == 0);
  const Result absent = augment(workplace, {"d", "--overwrite", "--masks", "nowhere"});
  CHECK(absent.exit_code == 2);
  CHECK_THAT(absent.err, StartsWith("qturn: no mask below nowhere belongs to a picture"));
}

TEST_CASE("A mask as a JPEG is refused before the start") {
  Workplace workplace;
  workplace.add("d/images/a.png", cli::png(picture));
  workplace.add("d/masks/a.jpg", cli::jpeg(cli::smooth_picture(9, 5)));
  const Result refused = augment(workplace, {"d"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, StartsWith("qturn: d/masks/a.jpg, a mask of d/images/a.png, is a JPEG"));
  CHECK_FALSE(workplace.exists("out"));
  CHECK(augment(workplace, {"d", "--masks", "none"}).exit_code == 0);
}

TEST_CASE("A sample whose mask cannot be turned exactly is not written, the others are") {
  Workplace workplace;
  for (const char* stem : {"broken", "fine", "jpeg", "other", "tagged", "turned"})
    workplace.add(std::string("d/images/") + stem + ".png",
                  stem == std::string("turned") ? cli::tagged_png(picture, 6) : cli::png(picture));
  workplace.add("d/masks/fine.png", cli::png(mask));
  workplace.add("d/masks/broken.png", cli::png(mask).substr(0, 70));
  workplace.add("d/masks/jpeg.png", cli::jpeg(cli::smooth_picture(9, 5)));
  workplace.add("d/masks/other.png", cli::png(cli::turned(mask, Orientation::rotate90)));
  workplace.add("d/masks/tagged.png", cli::tagged_png(mask, 3));
  workplace.add("d/masks/turned.png", cli::png(mask));
  const Result refused = augment(workplace, {"d"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, ContainsSubstring("1 of 6 pictures that have labels or masks: "
                                            "d/images/turned.png; say with --labels-drawn-on"));
  const Result result = augment(workplace, {"d", "--labels-drawn-on", "upright"});
  CHECK(result.exit_code == 1);
  CHECK(results(workplace) == Names{"images/fine__flop.png", "masks/fine__flop.png"});
  const auto says = [&](const std::string& stem, const std::string& why) {
    CHECK_THAT(result.err, ContainsSubstring("qturn: d/images/" + stem + ".png: d/masks/" + stem +
                                             ".png: " + why));
  };
  says("broken", "");
  says("jpeg", "a mask in the format ");
  says("other", "is 5 x 9, the picture is 9 x 5\n");
  says("tagged", "a mask with an orientation tag of its own is not turned\n");
  says("turned", "is 9 x 5, the picture is 5 x 9\n");

  fs::remove_all(workplace.path() / "out");
  const auto drawn_on = [&](const std::string& frame) {
    (void)augment(workplace, {"d", "--labels-drawn-on", frame, "--overwrite"});
    return workplace.exists("out/masks/turned__flop.png")
               ? cli::pixels_of(workplace.path() / "out/masks/turned__flop.png")
               : cli::Picture{};
  };
  CHECK(drawn_on("upright") == cli::Picture{});  // the upright picture is 5 x 9
  CHECK(drawn_on("stored") == cli::turned(mask, Orientation::transpose));
}

TEST_CASE("Masks do not follow trimmed pixels, or a turn in the tag") {
  Workplace workplace;
  workplace.add("d/a.jpg", cli::jpeg(cli::smooth_picture(33, 31)));
  workplace.add("d/a_mask.png", cli::png(cli::random_picture(33, 31, 1)));
  for (const auto& [edges, says] :
       {std::pair{"trim", "labels and masks cannot follow trimmed pixels"},
        std::pair{"tag", "a turn that is stored in the tag"}}) {
    fs::remove_all(workplace.path() / "out");
    const Result result = augment(workplace, {"d", "--jpeg-edges", edges});
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, ContainsSubstring(says));
    CHECK(results(workplace).empty());
  }
}

TEST_CASE("The memory of a mask counts") {
  Workplace workplace;
  workplace.add("d/a.png", cli::png(cli::random_picture(700, 700, 1)));
  CHECK(augment(workplace, {"d", "--memory", "16MiB"}).exit_code == 0);
  workplace.add("d/a_mask.png",
                cli::png(cli::random_picture(700, 700, 4, qturn::SampleFormat::u16)));
  const Result refused = augment(workplace, {"d", "--memory", "16MiB", "--overwrite"});
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.err, ContainsSubstring("of memory, more than 16MiB; --memory "));
  CHECK(augment(workplace, {"d", "--memory", "64MiB", "--overwrite"}).exit_code == 0);
}

TEST_CASE("An output's mask that exists is refused, replaced or left like the output itself") {
  Workplace workplace;
  workplace.add("d/a.png", cli::png(picture));
  workplace.add("d/a_mask.png", cli::png(mask));
  workplace.add("out/a__flop_mask.png", "old");
  const Result refused = augment(workplace, {"d"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, StartsWith("qturn: out/a__flop_mask.png exists already; use"));
  const Result half = augment(workplace, {"d", "--skip-existing"});
  CHECK(half.exit_code == 2);
  CHECK_THAT(half.err,
             StartsWith("qturn: out/a__flop_mask.png exists, but not all that belongs to it; use "
                        "--overwrite"));
  CHECK(augment(workplace, {"d", "--overwrite"}).exit_code == 0);
  const auto before = workplace.tree("out");
  CHECK(augment(workplace, {"d", "--skip-existing"}).exit_code == 0);
  CHECK(augment(workplace, {"d", "--update"}).exit_code == 0);
  CHECK(workplace.tree("out") == before);
}

TEST_CASE("A resumed run does not take a picture without its mask for a whole sample") {
  Workplace workplace;
  for (const std::string stem : {"a", "b"}) {
    workplace.add("d/" + stem + ".png", cli::png(picture));
    workplace.add("d/" + stem + "_mask.png", cli::png(mask));
  }
  workplace.add("d/b_mask.png", "not a picture");
  CHECK(augment(workplace, {"d"}).exit_code == 1);
  CHECK(augment(workplace, {"d", "--resume", "--masks", "none"}).exit_code == 2);
  workplace.add("d/b_mask.png", cli::png(mask));
  fs::remove(workplace.path() / "out/a__flop_mask.png");
  const Result half = augment(workplace, {"d", "--resume"});
  CHECK(half.exit_code == 1);
  CHECK_THAT(half.err, ContainsSubstring("the interrupted run has written one"));
  CHECK(augment(workplace, {"d", "--resume", "--overwrite"}).exit_code == 0);
  CHECK(results(workplace) ==
        Names{"a__flop.png", "a__flop_mask.png", "b__flop.png", "b__flop_mask.png"});
}

TEST_CASE("Option --dry-run names the masks of each picture, with its label") {
  Workplace workplace;
  workplace.add("d/a.png", cli::png(picture));
  workplace.add("d/a.txt", "0 0.5 0.5 1 1");
  workplace.add("d/a_mask.png", cli::png(mask));
  const Result result = augment(workplace, {"d", "--dry-run"});
  CHECK(result.exit_code == 0);
  CHECK(result.out ==
        "d/a.png -> out/a__flop.png (flop, losslessly, with d/a.txt -> out/a__flop.txt, with "
        "d/a_mask.png -> out/a__flop_mask.png)\n");
}
