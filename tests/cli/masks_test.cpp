// augment with masks: which belong to which picture, where they go, that no value of a pixel
// changes, and that a picture and its masks are one outcome.
#include "src/formats/table.hpp"
#include "tests/cli/labelled.hpp"

namespace masks_test {

using namespace cli;
using qturn::Orientation;

namespace {

const Picture& picture = labelled_picture;
const Picture mask = random_picture(9, 5, 1, qturn::SampleFormat::u8, 2);

const std::string palette = png_chunk("PLTE", std::string(3 * 256, '\x55') + "");

/// The values of `mask` as places in a palette.
std::string palette_png() {
  std::string file = png(mask, palette);
  constexpr std::size_t signature = 8, header_chunk = 25;
  const std::string header = qturn::tests::in_big_endian(9, 4) + qturn::tests::in_big_endian(5, 4) +
                             '\x08' + '\x03' + std::string(3, '\0');
  return file.replace(signature, header_chunk, png_chunk("IHDR", header));
}

}  // namespace

TEST_CASE("Masks turn with their pictures, and lie to them as before") {
  const Layout layouts[] = {
      {"d/a.png", "d/a_mask.png", "d", "a__flop.png", "a__flop_mask.png"},
      {"d/A.PNG", "d/a-Mask_2.png", "d", "A__flop.PNG", "A__flop-Mask_2.png"},
      {"d/images/x/a.png", "d/masks/x/a.png", "d", "images/x/a__flop.png", "masks/x/a__flop.png"},
      {"d/Images/a.png", "d/Masks/a_mask.PNG", "d", "Images/a__flop.png", "Masks/a__flop_mask.PNG"},
      {"d/JPEGImages/a.png", "d/SegmentationClass/a.png", "d", "JPEGImages/a__flop.png",
       "SegmentationClass/a__flop.png"},
      {"d/images/a.png", "d/gtFine/a.png", "d", "images/a__flop.png", "gtFine/a__flop.png"},
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
    CAPTURE(layout.file, layout.input);
    const Workplace workplace;
    CHECK_THAT(flop_layout(workplace, layout, png(mask)).err,
               ContainsSubstring("qturn: masks of 1 of 1 picture turn with them\n"));
    CHECK(pixels_of(workplace.path() / "out" / layout.out_file) ==
          cli::turned(mask, Orientation::flop));
  }
}

TEST_CASE_METHOD(
    Workplace,
    "A mask gets the variants that are drawn for its picture, in all eight orientations") {
  add("d/images/a.png", png(picture));
  add("d/images/b.png", png(picture));
  add("d/masks/a.png", png(mask));
  add("d/SegmentationObject/a.png", png(mask));
  done({"augment", "d", "-o", "out"});
  for (const Orientation orientation : qturn::all_orientations) {
    const std::string name = "a__" + std::string(qturn::name(orientation)) + ".png";
    for (const std::string folder : {"masks", "SegmentationObject"})
      CHECK(pixels_of(path() / "out" / folder / name) == cli::turned(mask, orientation));
  }
  CHECK(results(*this).size() == 32);

  done({"augment", "d", "-o", "some", "--random", "3"});
  const auto with = [&](const std::string& folder) {
    Names names;
    for (const std::string& file : files("some"))
      if (file.starts_with(folder + "/a")) names.insert(file.substr(folder.size()));
    return names;
  };
  CHECK(with("images").size() == 3);
  CHECK(with("masks") == with("images"));
  CHECK(with("SegmentationObject") == with("images"));
}

TEST_CASE_METHOD(Workplace, "A mask keeps its form: palette, samples of 16 and 32 bits, format") {
  const Picture deep = random_picture(9, 5, 1, qturn::SampleFormat::u16, 3);
  const Picture wide = random_picture(9, 5, 1, qturn::SampleFormat::u32, 4);
  for (const std::string stem : {"a", "b", "c"})
    add("d/images/" + stem + ".jpg", jpeg(smooth_picture(9, 5)));
  add("d/masks/a.png", palette_png());
  add("d/masks/b.png", png(deep));
  add("d/masks/c.tif", encoded(wide, *qturn::codec_of_name("tiff")));
  done(augment({"d", "--format", "webp", "--jpeg-edges", "reencode"}));
  CHECK(results(*this) == Names{"images/a__flop.webp", "images/b__flop.webp", "images/c__flop.webp",
                                "masks/a__flop.png", "masks/b__flop.png", "masks/c__flop.tif"});
  const std::string turned = content("out/masks/a__flop.png");
  CHECK(turned.find(palette) != std::string::npos);
  CHECK(turned.substr(24, 2) == "\x08\x03");
  const fs::path out = path() / "out/masks";
  CHECK(pixels_of(out / "a__flop.png") ==
        cli::turned(pixels_of(path() / "d/masks/a.png"), Orientation::flop));
  CHECK(pixels_of(out / "b__flop.png") == cli::turned(deep, Orientation::flop));
  CHECK(pixels_of(out / "c__flop.tif") == cli::turned(wide, Orientation::flop));
}

TEST_CASE_METHOD(Workplace, "Option --masks chooses: none, or a folder's") {
  add("d/x/a.png", png(picture));
  add("d/x/a_mask.png", png(mask));
  add("other/x/a.png", png(mask));
  for (const Words& none : {Words{"--masks", "none"}, Words{"--labels", "none"}}) {
    fs::remove_all(path() / "out");
    Words words = {"d"};
    words.insert(words.end(), none.begin(), none.end());
    done(augment(words));
    CHECK(results(*this) == Names{"x/a__flop.png", "x/a_mask__flop.png"});
  }
  fs::remove_all(path() / "out");
  done(augment({"d", "--labels", "none", "--masks", "auto"}));
  CHECK(results(*this) == Names{"x/a__flop.png", "x/a__flop_mask.png"});
  fs::remove_all(path() / "out");
  done(augment({"d", "--masks", "other/"}));
  CHECK(results(*this) == Names{"x/a__flop.png", "x/a_mask__flop.png", "other/x/a__flop.png"});
  done(augment({"d", "--overwrite", "--masks", "d"}));
  CHECK_THAT(refused(augment({"d", "--overwrite", "--masks", "nowhere"})).err,
             StartsWith("qturn: no mask below nowhere belongs to a picture"));
}

TEST_CASE_METHOD(Workplace, "A mask as a JPEG is refused before the start") {
  add("d/images/a.png", png(picture));
  add("d/masks/a.jpg", jpeg(smooth_picture(9, 5)));
  CHECK_THAT(refused(augment({"d"})).err,
             StartsWith("qturn: d/masks/a.jpg, a mask of d/images/a.png, is a JPEG"));
  done(augment({"d", "--masks", "none"}));
}

TEST_CASE_METHOD(Workplace,
                 "A sample whose mask cannot be turned exactly is not written, the others are") {
  for (const char* stem : {"broken", "fine", "jpeg", "other", "tagged", "turned"})
    add(std::string("d/images/") + stem + ".png",
        stem == std::string("turned") ? tagged_png(picture, 6) : png(picture));
  add("d/masks/fine.png", png(mask));
  add("d/masks/broken.png", png(mask).substr(0, 70));
  add("d/masks/jpeg.png", jpeg(smooth_picture(9, 5)));
  add("d/masks/other.png", png(cli::turned(mask, Orientation::rotate90)));
  add("d/masks/tagged.png", tagged_png(mask, 3));
  add("d/masks/turned.png", png(mask));
  refused(
      augment({"d"}),
      "1 of 6 pictures that have labels or masks: d/images/turned.png; say with --labels-drawn-on");
  const Result result = failed(augment({"d", "--labels-drawn-on", "upright"}));
  CHECK(results(*this) == Names{"images/fine__flop.png", "masks/fine__flop.png"});
  const auto says = [&](const std::string& stem, const std::string& why) {
    CHECK_THAT(result.err, ContainsSubstring("qturn: d/images/" + stem + ".png: d/masks/" + stem +
                                             ".png: " + why));
  };
  says("broken", "");
  says("jpeg", "a mask in the format ");
  says("other", "is 5 x 9, the picture is 9 x 5\n");
  says("tagged", "a mask with an orientation tag of its own is not turned\n");
  says("turned", "is 9 x 5, the picture is 5 x 9\n");

  fs::remove_all(path() / "out");
  const auto drawn_on = [&](const std::string& frame) {
    (void)qturn(augment({"d", "--labels-drawn-on", frame, "--overwrite"}));
    return exists("out/masks/turned__flop.png") ? pixels_of(path() / "out/masks/turned__flop.png")
                                                : Picture{};
  };
  CHECK(drawn_on("upright") == Picture{});  // the upright picture is 5 x 9
  CHECK(drawn_on("stored") == cli::turned(mask, Orientation::transpose));
}

TEST_CASE_METHOD(Workplace, "The memory of a mask counts") {
  add("d/a.png", png(random_picture(700, 700, 1)));
  done(augment({"d", "--memory", "16MiB"}));
  add("d/a_mask.png", png(random_picture(700, 700, 4, qturn::SampleFormat::u16)));
  failed(augment({"d", "--memory", "16MiB", "--overwrite"}),
         "of memory, more than 16MiB; --memory ");
  done(augment({"d", "--memory", "64MiB", "--overwrite"}));
}

}  // namespace masks_test
