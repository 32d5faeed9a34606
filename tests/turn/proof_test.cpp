// The proof of a result: it agrees with what turns make, and finds each fault that is planted. A
// fault of the program is planted as the result of another file: what a program that loses a
// chunk makes is what this one makes of a file without it.
#include <fmt/format.h>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <jpeglib.h>

#include "src/formats/codec/frame_place.hpp"
#include "src/formats/webp/chunks.hpp"
#include "src/picture/turn_in_bands.hpp"
#include "src/turn/picture_turn.hpp"
#include "src/turn/proof.hpp"
#include "tests/cli/pictures.hpp"
#include "tests/fixtures/codec_pictures.hpp"
#include "tests/fixtures/exr_file.hpp"
#include "tests/fixtures/file_parts.hpp"
#include "tests/fixtures/jpeg_pictures.hpp"
#include "tests/fixtures/metadata.hpp"
#include "tests/fixtures/motion_video.hpp"
#include "tests/fixtures/sources.hpp"
#include "tests/fixtures/temporary_folder.hpp"
#include "tests/fixtures/tiff_pictures.hpp"

namespace proof_test {

namespace {

using namespace qturn;
using namespace std::string_literals;
using Catch::Matchers::ContainsSubstring;
using cli::Picture;
using cli::png_chunk;
using cli::random_picture;
using tests::exif_segment;
using tests::in_big_endian;
using tests::make_jpeg;
using tests::owned;
using tests::text_of;
using tests::with_segments;

const std::atomic<bool> never{false};

struct Turning {
  Orientation orientation = Orientation::rotate90;
  JpegOptions jpeg = {};
  bool tag_only = false;
  bool raw = false;
  std::string suffix = {};
};

/// Blocks of memory, so that a fault can be planted in what was decoded into them.
std::vector<std::span<std::byte>> blocks;
const BlockSource remembered{
    .allocate =
        [](std::size_t bytes) {
          void* block = ordinary_memory.allocate(bytes);
          std::memset(block, 0, bytes);
          blocks.emplace_back(static_cast<std::byte*>(block), bytes);
          return block;
        },
    .release =
        [](void* block) {
          std::erase_if(blocks, [&](const auto& each) { return each.data() == block; });
          ordinary_memory.release(block);
        }};

/// A lane on which a bit of what is decoded first is another one, in this tenth of it.
class FaultyLane final : public Lane {
 public:
  explicit FaultyLane(std::size_t tenth) : Lane(remembered, 0), tenth_(tenth) {}
  PixelArena& decoded() override { return decoded_; }
  void load(const Image& image) override { image_ = image; }
  Image turn(Orientation orientation, const std::atomic<bool>& stop,
             std::vector<std::string>& /*warnings*/) override {
    Image turned = image_;
    for (Page& page : turned.pages) {
      const Page source = page;
      if (swaps_axes(orientation)) std::swap(page.width, page.height);
      page.pixels = turned_.take(page.bytes());
      turn_in_bands(source.view(), page.view(), orientation, stop);
    }
    return turned;
  }
  void release_decoded() override {}
  void clear() override {
    decoded_.clear();
    turned_.clear();
  }
  /// To be called once all is decoded.
  void plant() const {
    const std::span<std::byte> largest =
        *std::ranges::max_element(blocks, {}, [](const auto& each) { return each.size(); });
    // Of a coefficient, the lower byte.
    largest[(largest.size() * tenth_ / 10 + largest.size() / 23) & ~std::size_t{1}] ^=
        std::byte{64};
  }

 private:
  std::size_t tenth_;
};

/// A file that is being turned.
struct OneTurn {
  OneTurn(const std::string& content, const Turning& how,
          std::unique_ptr<Lane> on = make_cpu_lane(0))
      : file(owned(content)),
        turning(how),
        lane(std::move(on)),
        picture(file, how.suffix,
                {.jpeg = how.jpeg, .tag_only = how.tag_only, .raw = how.raw, .proves = true}) {
    picture.read(std::span(&turning.orientation, 1), *lane, never);
    if (const auto* faulty = dynamic_cast<const FaultyLane*>(lane.get())) faulty->plant();
  }

  std::string result() {
    std::vector<std::string> warnings;
    const Bytes bytes = picture.turn(turning.orientation, never, warnings);
    return std::string(text_of(bytes));
  }

  /// What the proof finds in another result; empty if nothing.
  std::string finding(const std::string& result) {
    try {
      picture.prove(turning.orientation, tests::bytes_of(result), never);
    } catch (const ProofError& error) {
      return error.what();
    }
    return {};
  }

  Bytes file;
  Turning turning;
  std::unique_ptr<Lane> lane;
  PictureTurn picture;
};

std::string turned(const std::string& file, const Turning& how = {}) {
  return OneTurn(file, how).result();
}

/// What is found if the result of `other` is taken for the result of `file`.
std::string finding(const std::string& file, const std::string& other, const Turning& how = {}) {
  OneTurn picture(file, how);
  const std::string own = picture.result();
  CHECK(picture.finding(own) == "");
  const std::string planted = turned(other, how);
  REQUIRE(planted != own);
  return picture.finding(planted);
}

std::string jpeg_of(const tests::JpegPicture& picture) {
  return std::string(text_of(make_jpeg(picture)));
}

std::string without(std::string text, std::string_view part) {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return text.erase(at, part.size());
}

std::string with(std::string text, std::string_view part, std::string_view other) {
  const std::size_t at = text.find(part);
  REQUIRE(at != std::string::npos);
  return text.replace(at, part.size(), other);
}

/// The JPEG after `change`, which gets a function that finds the block of a component, row and
/// column, written again by libjpeg with all markers.
template <typename Change>
std::string with_blocks(const std::string& jpeg, Change change) {
  tests::JpegReader reader(bytes_of(jpeg));
  jpeg_decompress_struct& from = reader.info;
  jvirt_barray_ptr* arrays = jpeg_read_coefficients(&from);
  const auto common = reinterpret_cast<j_common_ptr>(&from);
  change([&](int component, JDIMENSION row, JDIMENSION column) -> JBLOCK& {
    return from.mem->access_virt_barray(common, arrays[component], row, 1, TRUE)[0][column];
  });
  tests::JpegEncoder to;
  jpeg_copy_critical_parameters(&from, &to.info);
  to.info.write_JFIF_header = FALSE;
  jpeg_write_coefficients(&to.info, arrays);
  for (const jpeg_marker_struct* marker = from.marker_list; marker; marker = marker->next)
    jpeg_write_marker(&to.info, marker->marker, marker->data, marker->data_length);
  return std::string(text_of(to.finish()));
}

/// The same with another coefficient in a block of the second component.
std::string with_coefficient(const std::string& jpeg, JDIMENSION row, JDIMENSION column, int at,
                             int by) {
  return with_blocks(jpeg, [&](auto block) {
    JCOEF& coefficient = block(1, row, column)[at];
    coefficient = static_cast<JCOEF>(coefficient + by);
  });
}

/// A JPEG with all that a photograph has.
std::string photograph(int orientation, const std::string& thumbnail, const std::string& more = {},
                       const tests::JpegPicture& picture = {.h = 2, .v = 2}) {
  return with_segments(jpeg_of(picture),
                       exif_segment({.orientation = orientation,
                                     .width = static_cast<unsigned>(picture.width),
                                     .height = static_cast<unsigned>(picture.height),
                                     .thumbnail = thumbnail,
                                     .thumbnail_width = 32,
                                     .thumbnail_height = 24}) +
                           more);
}

const std::string thumbnail = jpeg_of({.width = 32, .height = 24});

std::string array_of(const Picture& picture) {
  const std::string header =
      fmt::format("{{'descr': '|u1', 'fortran_order': False, 'shape': ({}, {}, {}), }}\n",
                  picture.height, picture.width, picture.channels);
  return "\x93NUMPY\1\0"s + static_cast<char>(header.size()) + '\0' + header +
         std::string(picture.bytes.begin(), picture.bytes.end());
}

/// Files of all formats that are decoded, without any metadata.
std::vector<std::pair<const Codec*, std::string>> plain_files(const Picture& rgb,
                                                              const Picture& grey) {
  std::vector<std::pair<const Codec*, std::string>> files;
  for (const Codec* codec : codecs()) {
    if (!codec->encode || codec == &jpeg::codec || codec == &gif::codec || codec == &hdr::codec)
      continue;
    if (codec == &oiio::dpx) continue;  // its plugin does not write all sizes
    if (codec->is_array) {
      files.emplace_back(codec, array_of(rgb));
      files.emplace_back(codec, array_of(grey));
      continue;
    }
    const bool is_float = codec == &openexr::codec;
    if (!is_float) files.emplace_back(codec, cli::encoded(rgb, *codec));
    if (!is_float && codec != &webp::codec) files.emplace_back(codec, cli::encoded(grey, *codec));
  }
  return files;
}

}  // namespace

TEST_CASE("What a turn makes of a JPEG is proved, by every route and in every orientation") {
  const int number = GENERATE(1, 2, 3, 4, 5, 6, 7, 8), stored = GENERATE(1, 3, 6);
  const auto edges = GENERATE(JpegEdges::reencode, JpegEdges::trim, JpegEdges::tag);
  const Turning how{static_cast<Orientation>(number), {.edges = edges}};
  for (const tests::JpegPicture& picture :
       {tests::JpegPicture{.h = 2, .v = 2},
        {.width = 67, .height = 45, .h = 2, .v = 2},
        {.width = 67, .height = 45, .h = 2, .v = 1, .progressive = true, .noisy = true},
        {.width = 41, .height = 50, .quality = 20, .noisy = true},
        {.width = 33, .height = 17, .space = JCS_GRAYSCALE, .quality = 100, .noisy = true},
        {.width = 67, .height = 90, .space = JCS_CMYK, .h = 2, .v = 1, .quality = 5}}) {
    CAPTURE(picture.width, picture.height, picture.space, number, stored, static_cast<int>(edges));
    const std::string segments = tests::xmp_segment(tests::xmp_packet_with(
        "tiff:Orientation='" + std::to_string(stored) + "'",
        tests::face_regions(std::to_string(picture.width), std::to_string(picture.height))));
    OneTurn turn(photograph(stored, thumbnail, segments, picture), how);
    if (turn.picture.plan(how.orientation).route == Route::copied) continue;
    CHECK(turn.finding(turn.result()) == "");
  }
}

TEST_CASE("Faults that are planted in a turned JPEG are found, and named with both values") {
  const std::string icc = tests::jpeg_segment(0xE2, "ICC_PROFILE\0\x01\x01 profile"s);
  const std::string file = photograph(6, thumbnail, icc);
  const auto found = [&](const std::string& other) { return finding(file, other); };

  CHECK_THAT(found(with_coefficient(file, 1, 0, 10, 1)),
             ContainsSubstring("component 2, block") && ContainsSubstring("expected"));
  CHECK_THAT(found(photograph(6, thumbnail, icc, {.h = 2, .v = 2, .quality = 91})),
             ContainsSubstring("a quantisation step of component 1"));
  CHECK_THAT(found(photograph(6, thumbnail, icc, {.h = 2, .v = 1})),
             ContainsSubstring("sampling factor"));
  CHECK_THAT(found(photograph(6, thumbnail, icc, {.width = 80, .h = 2, .v = 2})),
             ContainsSubstring("width: 48 expected") || ContainsSubstring("64 expected"));
  CHECK_THAT(found(without(file, icc)), ContainsSubstring("the segment APP2 of 22 bytes expected"));
  CHECK_THAT(found(with(file, " profile", " PROFILE")),
             ContainsSubstring("the same with other content"));
  CHECK_THAT(found(with(file, "MakerNote", "MakerNoTe")), ContainsSubstring("of the Exif block"));
  CHECK_THAT(found(with(file, "Camera", "camera")), ContainsSubstring("of the Exif block"));
  CHECK_THAT(found(file + "video"), ContainsSubstring("nothing more expected"));

  OneTurn picture(file, {});
  const std::string own = picture.result();
  CHECK_THAT(picture.finding(own.substr(0, own.size() / 2)), ContainsSubstring("read again"));
  CHECK_THAT(picture.finding(file), ContainsSubstring("expected"));
  CHECK_THAT(picture.finding(turned(file, {Orientation::rotate270})), ContainsSubstring("block"));
  CHECK_THAT(picture.finding(cli::png(random_picture(48, 64))),
             ContainsSubstring("not a file of the format jpeg"));
  // The tag as it was: viewers would turn it once more.
  std::string stale = own;
  const std::string tag = "\x01\x12\0\x03\0\0\0\x01\0\x01"s;
  stale = with(stale, tag, "\x01\x12\0\x03\0\0\0\x01\0\x06"s);
  CHECK_THAT(picture.finding(stale), ContainsSubstring("orientation: 1 expected, 6 found"));
}

TEST_CASE("What planar re-encoding makes is proved, of every kind of JPEG") {
  const int number = GENERATE(2, 3, 4, 5, 6, 7, 8);
  const Turning how{static_cast<Orientation>(number), {JpegMode::planar, JpegEdges::reencode}};
  for (const int quality : {1, 30, 75, 100}) {
    for (const bool noisy : {false, true}) {
      for (const tests::JpegPicture& picture :
           {tests::JpegPicture{.width = 64, .height = 48, .h = 2, .v = 2},
            {.width = 67, .height = 45, .h = 2, .v = 2},
            {.width = 35, .height = 21, .h = 4, .v = 1},
            {.width = 37, .height = 50, .h = 1, .v = 4, .progressive = true},
            {.width = 7, .height = 9},
            {.width = 33, .height = 17, .space = JCS_GRAYSCALE},
            {.width = 45, .height = 31, .space = JCS_RGB},
            {.width = 67, .height = 90, .space = JCS_CMYK, .h = 2, .v = 1},
            {.width = 29, .height = 35, .space = JCS_YCCK, .h = 2, .v = 2}}) {
        tests::JpegPicture each = picture;
        each.quality = quality;
        each.noisy = noisy;
        CAPTURE(each.width, each.height, each.space, number, quality, noisy);
        OneTurn turn(jpeg_of(each), how);
        CHECK(turn.finding(turn.result()) == "");
      }
    }
  }
}

TEST_CASE("Real pictures that are encoded again are proved") {
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(tests::sources() / "testdata/samples")) {
    if (entry.path().extension() != ".jpg") continue;
    for (const Orientation orientation :
         {Orientation::rotate90, Orientation::rotate180, Orientation::transpose}) {
      CAPTURE(entry.path(), name(orientation));
      OneTurn turn(content_of(entry.path()),
                   {orientation, {JpegMode::planar, JpegEdges::reencode}});
      CHECK(turn.finding(turn.result()) == "");
    }
  }
}

TEST_CASE("Faults that are planted in a JPEG that was encoded again are found, each of them") {
  const bool is_cut = GENERATE(false, true), is_noisy = GENERATE(false, true);
  const auto orientation =
      GENERATE(Orientation::rotate90, Orientation::rotate180, Orientation::transpose);
  CAPTURE(is_cut, is_noisy, name(orientation));
  OneTurn picture(jpeg_of({.width = is_cut ? 83 : 96,
                           .height = is_cut ? 69 : 64,
                           .h = 2,
                           .v = 2,
                           .quality = 75,
                           .noisy = is_noisy}),
                  {orientation, {JpegMode::planar, JpegEdges::reencode}});
  const std::string own = picture.result();
  const std::string same = with_blocks(own, [](auto) {});
  REQUIRE(picture.finding(same) == "");
  int planted = 0;
  const auto is_found = [&](auto change) {
    const std::string wrong = with_blocks(own, change);
    if (wrong == same) return true;  // the blocks are equal
    ++planted;
    return !picture.finding(wrong).empty();
  };
  for (int component = 0; component < 3; ++component) {
    for (std::size_t at = 0; at < DCTSIZE2; ++at) {
      CAPTURE(component, at);
      const auto off_by = [&](int steps) {
        return is_found([&](auto block) {
          JCOEF& coefficient = block(component, 1, 1)[at];
          coefficient = static_cast<JCOEF>(coefficient + steps);
        });
      };
      const bool more = off_by(1), less = off_by(-1);
      // Where blocks lie elsewhere, or samples were clipped, the value may be in the middle between
      // two steps.
      CHECK((is_cut || is_noisy ? more || less : more && less));
      CHECK(off_by(2));
      CHECK(off_by(-2));
    }
    const auto in_blocks = [&](auto change) {
      return is_found([&](auto block) { change(block(component, 1, 1), block(component, 2, 2)); });
    };
    CHECK(in_blocks([](JBLOCK& one, JBLOCK& other) { std::swap(one, other); }));
    CHECK(in_blocks([](JBLOCK& one, JBLOCK& other) { std::copy(other, other + DCTSIZE2, one); }));
    CHECK(in_blocks([](JBLOCK& one, JBLOCK&) { std::fill(one, one + DCTSIZE2, JCOEF{0}); }));
    CHECK(in_blocks([](JBLOCK& one, JBLOCK&) {  // transposed
      for (int y = 0; y < DCTSIZE; ++y)
        for (int x = 0; x < y; ++x) std::swap(one[y * DCTSIZE + x], one[x * DCTSIZE + y]);
    }));
    CHECK(in_blocks([](JBLOCK& one, JBLOCK&) {  // mirrored
      for (int at = 1; at < DCTSIZE2; at += 2) one[at] = static_cast<JCOEF>(-one[at]);
    }));
    CHECK(is_found([&](auto block) {  // a row of blocks one to the left
      for (JDIMENSION x = 0; x < 3; ++x)
        std::swap(block(component, 1, x), block(component, 1, x + 1));
    }));
    CHECK(is_found([&](auto block) {  // two rows of blocks exchanged
      for (JDIMENSION x = 0; x < 4; ++x) std::swap(block(component, 0, x), block(component, 1, x));
    }));
    CHECK(is_found([&](auto block) {  // all of it brighter
      for (JDIMENSION y = 0; y < 4; ++y)
        for (JDIMENSION x = 0; x < 4; ++x) ++block(component, y, x)[0];
    }));
    // The edge that is not of whole blocks, or the last.
    const JDIMENSION high = swaps_axes(orientation) ? 12 : 8, wide = 20 - high;
    const JDIMENSION rows = is_cut ? (swaps_axes(orientation) ? 11 : 9) : high;
    const JDIMENSION columns = is_cut ? (swaps_axes(orientation) ? 9 : 11) : wide;
    const JDIMENSION last_row = (component == 0 ? rows : (rows + 1) / 2) - 1;
    const JDIMENSION last_column = (component == 0 ? columns : (columns + 1) / 2) - 1;
    CHECK(is_found([&](auto block) {
      for (JDIMENSION y = 0; y < last_row; ++y) ++block(component, y, last_column)[1];
    }));
    for (const std::size_t at : {0, 1, 8}) {
      CHECK(is_found([&](auto block) {
        JCOEF& coefficient = block(component, last_row, last_column)[at];
        coefficient = static_cast<JCOEF>(coefficient + 2);
      }));
    }
  }
  CHECK(is_found([&](auto block) {  // colours exchanged
    for (JDIMENSION y = 0; y < 4; ++y)
      for (JDIMENSION x = 0; x < 4; ++x) std::swap(block(1, y, x), block(2, y, x));
  }));
  CHECK(planted > 750);
}

TEST_CASE("A thumbnail or a preview that was not turned is found") {
  // A half turn, after which it has the same shape.
  const Turning how{Orientation::rotate180};
  const std::string file = photograph(1, thumbnail);
  // With room, so that the Exif block is not shorter.
  const std::string turned_thumbnail = turned(thumbnail, how) + std::string(64, '\0');
  CHECK_THAT(finding(file, photograph(1, turned_thumbnail), how),
             ContainsSubstring("the thumbnail: component"));
  // Previews, a gain map by both of its types, an original that was kept.
  for (const unsigned type : {0x010001U, 0U, 0x050000U, 0x040000U}) {
    CAPTURE(type);
    const auto followed_by = [&](const std::string& smaller) {
      return tests::jpeg_with_trailing_pictures(jpeg_of({}), "", {smaller}, {type});
    };
    const std::string smaller = jpeg_of({.width = 48, .height = 32});
    CHECK_THAT(finding(followed_by(smaller), followed_by(turned(smaller, how)), how),
               ContainsSubstring("picture 2 of the file: component"));
  }
}

TEST_CASE("The video of a motion photo is proved as it is seen") {
  const int stored = GENERATE(1, 6), number = GENERATE(1, 2, 3, 6, 8);
  const bool tag_only = GENERATE(false, true), in_list = GENERATE(false, true);
  const auto orientation = static_cast<Orientation>(number);
  CAPTURE(stored, number, tag_only, in_list);
  const auto motion = [&](const tests::VideoMatrix& matrix) {
    const std::string video = tests::MotionVideo{.matrix = matrix}.file();
    if (!in_list) return photograph(stored, thumbnail) + tests::samsung_trailer(video);
    const std::string list = tests::listed("MotionPhoto", "video/mp4", video.size());
    return photograph(stored, thumbnail, tests::xmp_segment(tests::xmp_packet_with("", list))) +
           video;
  };
  const Turning how{.orientation = orientation, .tag_only = tag_only};
  const std::string file = motion(tests::video_turns[1]);
  OneTurn turn(file, how);
  if (turn.picture.plan(orientation).route == Route::copied) return;
  const std::string own = turn.result();
  CHECK(turn.finding(own) == "");
  // Players do not mirror.
  const bool is_turned = number == 3 || number == 6 || number == 8;
  const std::string was = tests::matrix_text(tests::video_turns[1]);
  CHECK((own.find(was) == std::string::npos) == is_turned);
  for (const tests::VideoMatrix& other : tests::video_turns) {
    const std::string wrong = turned(motion(other), how);
    if (other != tests::video_turns[1])
      CHECK_THAT(turn.finding(wrong), ContainsSubstring("what follows the picture"));
  }
  // The result of a program that turns all but the video.
  const std::string now = tests::matrix_text(tests::video_turns[number == 6   ? 2
                                                                : number == 3 ? 3
                                                                : number == 8 ? 0
                                                                              : 1]);
  if (is_turned)
    CHECK_THAT(
        turn.finding(own.substr(0, own.rfind(now)) + was + own.substr(own.rfind(now) + was.size())),
        ContainsSubstring("what follows the picture"));
}

TEST_CASE("Thumbnails in JFIF's segments are proved") {
  const Turning how{Orientation::rotate180};
  const auto jfif = [](const std::string& small) {
    return tests::jpeg_segment(0xE0, "JFIF\0\1\2\0\0\1\0\1\2\1"s + small);
  };
  const auto extension = [](const std::string& content) {
    return tests::jpeg_segment(0xE0, "JFXX\0"s + content);
  };
  const std::string rgb = "redgre", turned_rgb = "grered";
  const std::string palette = "\x11\2\1"s + std::string(768, 'p');
  for (const auto& [before, after] :
       {std::pair{jfif(rgb), jfif(turned_rgb)},
        {extension("\x13\2\1" + rgb), extension("\x13\2\1" + turned_rgb)},
        {extension(palette + "ab"), extension(palette + "ba")}})
    CHECK_THAT(finding(with_segments(jpeg_of({}), before), with_segments(jpeg_of({}), after), how),
               ContainsSubstring("the segment APP0"));
  CHECK_THAT(finding(with_segments(jpeg_of({}), extension("\x10" + thumbnail)),
                     with_segments(jpeg_of({}), extension("\x10" + turned(thumbnail, how))), how),
             ContainsSubstring("the JFIF thumbnail: component"));
  // One that is not a JPEG stays, and another one is found.
  CHECK_THAT(finding(with_segments(jpeg_of({}), extension("\x10nothing")),
                     with_segments(jpeg_of({}), extension("\x10something")), how),
             ContainsSubstring("the JFIF thumbnail"));
}

TEST_CASE("A JPEG that is re-encoded may be as far away as quantisation allows, and no farther") {
  const auto make = [](int quality, bool noisy) {
    return jpeg_of({.width = 61, .height = 43, .h = 2, .v = 2, .quality = quality, .noisy = noisy});
  };
  for (const int quality : {30, 50, 90, 100}) {
    CAPTURE(quality);
    const std::string file = make(quality, false);
    CHECK_THAT(finding(file, make(quality, true)), ContainsSubstring("in steps of"));
  }
  // The turn the wrong way round has the right size.
  OneTurn picture(make(90, true), {});
  CHECK_THAT(picture.finding(turned(make(90, true), {Orientation::rotate270})),
             ContainsSubstring("in steps of"));
}

TEST_CASE("Of a file whose tag alone changes, every other byte is proved") {
  const Turning how{.orientation = Orientation::rotate90, .tag_only = true};
  const std::string file = photograph(1, thumbnail);
  CHECK_THAT(finding(file, with_coefficient(file, 0, 0, 5, 1), how), ContainsSubstring("expected"));
  CHECK_THAT(finding(file, photograph(3, thumbnail), how), ContainsSubstring("orientation: 6"));
  const Picture rgb = random_picture(7, 5);
  Picture other = rgb;
  other.bytes[20] ^= 1;
  for (const Codec* codec : {&png::codec, &tiff::codec, &webp::codec}) {
    CAPTURE(codec->name);
    CHECK_THAT(finding(cli::encoded(rgb, *codec), cli::encoded(other, *codec), how),
               ContainsSubstring("expected"));
  }
}

TEST_CASE("A single pixel is found in every format, in every orientation") {
  const Picture rgb = random_picture(130, 71), grey = random_picture(129, 70, 1);
  Picture other_rgb = rgb, other_grey = grey;
  other_rgb.bytes[3 * (130 * 65 + 100) + 1] ^= 1;
  other_grey.bytes[129 * 40 + 5] ^= 128;
  const auto files = plain_files(rgb, grey), others = plain_files(other_rgb, other_grey);
  for (int number = 1; number <= 8; ++number) {
    const auto orientation = static_cast<Orientation>(number);
    for (std::size_t i = 0; i < files.size(); ++i) {
      const Codec& codec = *files[i].first;
      CAPTURE(codec.name, number);
      const Turning how{.orientation = orientation, .suffix = std::string(codec.suffixes.front())};
      OneTurn picture(files[i].second, how);
      const Route route = picture.picture.plan(orientation).route;
      const std::string own = route == Route::copied ? files[i].second : picture.result();
      CHECK(picture.finding(own) == "");
      const std::string wrong =
          route == Route::copied ? others[i].second : turned(others[i].second, how);
      CHECK_THAT(picture.finding(wrong),
                 ContainsSubstring(route == Route::copied ? "not the same as the original"
                                                          : "page 1, pixel"));
      if (route == Route::copied) continue;
      CHECK_THAT(picture.finding(own.substr(0, own.size() - 40)),
                 ContainsSubstring("read again") || ContainsSubstring("expected"));
    }
  }
}

TEST_CASE("What a PNG holds besides pixels is proved") {
  const Picture rgb = random_picture(9, 5);
  const std::string text = png_chunk("tEXt", "Title\0Field"s),
                    scale =
                        png_chunk("pHYs", in_big_endian(100, 4) + in_big_endian(200, 4) + "\x01"s);
  const auto file = [&](const std::string& more) { return cli::png(rgb, more); };
  const std::string whole = file(text + scale + png_chunk("eXIf", cli::exif_body(6)));
  CHECK_THAT(finding(whole, without(whole, text)), ContainsSubstring("the chunk tEXt"));
  CHECK_THAT(
      finding(
          whole,
          file(text + png_chunk("pHYs", in_big_endian(200, 4) + in_big_endian(100, 4) + "\x01"s) +
               png_chunk("eXIf", cli::exif_body(6)))),
      ContainsSubstring("the chunk pHYs"));
  OneTurn picture(whole, {});
  CHECK_THAT(picture.finding(without(picture.result(), png_chunk("eXIf", cli::exif_body(1)))),
             ContainsSubstring("1 Exif blocks expected, 0 found"));
}

TEST_CASE("A palette, a page or a field that is another one is found") {
  const Picture grey = random_picture(9, 5, 1),
                other = random_picture(9, 5, 1, SampleFormat::u8, 2);
  const auto ihdr = [](char type) {
    return png_chunk(
        "IHDR", in_big_endian(9, 4) + in_big_endian(5, 4) + "\x08"s + type + std::string(3, '\0'));
  };
  std::string palette(768, '\0');
  for (std::size_t i = 0; i < palette.size(); ++i) palette[i] = static_cast<char>(i * 7);
  const auto indexed = [&](const std::string& colours) {
    return with(cli::png(grey), ihdr('\0'), ihdr('\x03') + png_chunk("PLTE", colours));
  };
  std::string recoloured = palette;
  recoloured[300] ^= 1;
  CHECK_THAT(finding(indexed(palette), indexed(recoloured)), ContainsSubstring("the chunk PLTE"));

  const std::string bmp = cli::encoded(grey, bmp::codec);
  std::string recoloured_bmp = bmp;
  recoloured_bmp[54 + 4 * 100] ^= 1;
  CHECK_THAT(finding(bmp, recoloured_bmp), ContainsSubstring("the header with its palette"));

  const std::string pages = cli::encoded({grey, other, grey}, tiff::codec);
  CHECK_THAT(finding(pages, cli::encoded({grey, other}, tiff::codec)),
             ContainsSubstring("pages: 3 expected, 2 found"));
  CHECK_THAT(finding(pages, cli::encoded({grey, grey, grey}, tiff::codec)),
             ContainsSubstring("page 2, pixel"));
  const auto described = [&](const std::string& by) {
    return std::string(
        text_of(tests::write_with_libtiff({tests::tiff_picture({}, 9, 5)}, "wl", [&](TIFF* tiff) {
          TIFFSetField(tiff, TIFFTAG_ARTIST, by.c_str());
        })));
  };
  CHECK_THAT(finding(described("Anna"), described("Otto")),
             ContainsSubstring("field 315 of page 1"));

  const auto pgm = [](const char* most) { return "P5\n4 2\n"s + most + "\nabcdefgh"; };
  CHECK_THAT(finding(pgm("255"), pgm("127")), ContainsSubstring("what its samples mean"));
  const auto hdr = [](const std::string& pixels, const char* exposure = "2") {
    return "#?RADIANCE\nEXPOSURE="s + exposure + "\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n" + pixels;
  };
  CHECK_THAT(finding(hdr("abcdefgh"), hdr("abcdefgx")), ContainsSubstring("page 1, pixel"));
  CHECK_THAT(finding(hdr("abcdefgh"), hdr("abcdefgh", "4")), ContainsSubstring("the header"));
}

TEST_CASE("A fault while the original is decoded is found") {
  const Picture rgb = random_picture(41, 37), grey = random_picture(41, 37, 1);
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& [codec, file] : plain_files(rgb, grey))
    files.emplace_back(codec->suffixes.front(), file);
  files.emplace_back(".jpg", jpeg_of({.width = 96, .height = 64, .h = 2, .v = 2}));
  files.emplace_back(".jpg",
                     jpeg_of({.width = 93, .height = 69, .h = 2, .v = 2}));  // is re-encoded
  files.emplace_back(".jpg", jpeg_of({.width = 93, .progressive = true}));
  int planted = 0;
  for (const auto& [suffix, file] : files) {
    for (int tenth = 0; tenth < 10; ++tenth) {
      CAPTURE(suffix, tenth);
      const Turning how{.jpeg = {.edges = JpegEdges::reencode}, .suffix = suffix};
      const std::string right = turned(file, how);
      // The mean of many pixels does not tell.
      if (OneTurn(file, how).picture.header().lossy && suffix != ".jpg") continue;
      OneTurn picture(file, how, std::make_unique<FaultyLane>(tenth));
      const std::string wrong = picture.result();
      if (wrong == right) continue;  // the fault was in what fills memory
      ++planted;
      CHECK(picture.finding(wrong) != "");
      CHECK(picture.finding(right) == "");
    }
  }
  CHECK(planted > 130);
}

TEST_CASE("Where there are two decoders, they agree") {
  const Picture rgb = random_picture(41, 37), grey = random_picture(41, 37, 1);
  int codecs_with_two = 0;
  for (const auto& [codec, file] : plain_files(rgb, grey)) {
    if (!codec->decode_otherwise) continue;
    ++codecs_with_two;
    CAPTURE(codec->name);
    PixelArena arena;
    std::vector<std::string> warnings;
    const Image one =
        codec->decode(tests::bytes_of(file), Samples::as_stored, arena, never, warnings);
    const Image other = codec->decode_otherwise(tests::bytes_of(file), arena, never);
    CHECK_NOTHROW(prove_pixels(one, other, Orientation::identity, never));
  }
  CHECK(codecs_with_two == 4);
}

TEST_CASE("Frames of an animation, their places and their delays are proved") {
  const auto u16 = [](unsigned value) {
    return std::string{static_cast<char>(value & 255), static_cast<char>(value >> 8)};
  };
  // A canvas of 3 x 2, four colours, and frames of one pixel each.
  const auto frame = [&](unsigned x, unsigned delay, char code) {
    return "\x21\xF9\x04\x04"s + u16(delay) + "\0\0"s + "," + u16(x) + u16(1) + u16(1) + u16(1) +
           "\0\x02\x02"s + code + "\x01\0"s;
  };
  const auto gif = [&](const std::string& frames, char colour = 'a') {
    return "GIF89a" + u16(3) + u16(2) + "\x81\0\0"s + std::string(11, 'b') + colour + frames + ";";
  };
  const std::string first = frame(0, 10, '\x4C'), second = frame(2, 10, '\x54');
  const std::string file = gif(first + second);
  CHECK_THAT(finding(file, gif(first)), ContainsSubstring("pages: 2 expected, 1 found"));
  CHECK_THAT(finding(file, gif(first + frame(1, 10, '\x54'))), ContainsSubstring("a frame"));
  CHECK_THAT(finding(file, gif(first + frame(2, 11, '\x54'))), ContainsSubstring("the extension"));
  CHECK_THAT(finding(file, gif(first + frame(2, 10, '\x4C'))), ContainsSubstring("page 2, pixel"));
  CHECK_THAT(finding(file, gif(first + second, 'c')), ContainsSubstring("the global palette"));
}

TEST_CASE("Frames that become whole pictures are proved, and alpha that is opaque everywhere") {
  // A canvas of 5 x 3 and a frame that some turn would bring to an odd place.
  const auto animation = [](const Picture& first, const Picture& second) {
    Bytes header(10);
    header[0] = std::byte{0x02};
    header[4] = std::byte{5 - 1};
    header[7] = std::byte{3 - 1};
    std::vector<std::pair<std::string_view, Bytes>> chunks = {{"VP8X", header},
                                                              {"ANIM", owned("\1\2\3\4\5\6")}};
    for (const auto& [picture, place] :
         {std::pair{first, FramePlace{0, 0, 5, 3}}, {second, FramePlace{2, 0, 2, 2}}}) {
      const std::string still = cli::encoded(picture, webp::codec);
      chunks.emplace_back("ANMF", webp::webp_frame(tests::bytes_of(still), Bytes(16), place, {}));
    }
    return std::string(text_of(webp::write_webp(chunks)));
  };
  const int number = GENERATE(2, 3, 5, 6);
  const Turning how{static_cast<Orientation>(number)};
  for (const int channels : {3, 4}) {
    CAPTURE(number, channels);
    const Picture whole = random_picture(5, 3, channels), part = random_picture(2, 2, channels);
    Picture other = part;
    other.bytes[0] ^= 1;
    if (channels == 4) other.bytes[3] = 255;
    CHECK_THAT(finding(animation(whole, part), animation(whole, other), how),
               ContainsSubstring("page 2, pixel"));
  }
  // A header may promise alpha where all is opaque.
  std::string promising = cli::encoded(random_picture(5, 3), webp::codec);
  constexpr std::size_t alpha_at = 12 + 8 + 4;
  promising[alpha_at] = static_cast<char>(promising[alpha_at] | 0x10);
  OneTurn turn(promising, how);
  CHECK(turn.picture.header().pixel_bytes_total == 5 * 3 * 4);
  CHECK(turn.finding(turn.result()) == "");
}

TEST_CASE("Of a lossy WebP, sizes and brightness are proved") {
  const std::string lossy = tests::plain_webp;
  OneTurn picture(lossy, {});
  CHECK(picture.finding(picture.result()) == "");
  CHECK_THAT(picture.finding(cli::encoded(Picture(random_picture(64, 48)), webp::codec)),
             ContainsSubstring("width"));
  std::string found;
  for (const unsigned char brightness : {0, 255}) {
    Picture other = random_picture(48, 64);
    std::ranges::fill(other.bytes, brightness);
    found += picture.finding(cli::encoded(other, webp::codec));
  }
  CHECK_THAT(found, ContainsSubstring("a mean of"));
}

TEST_CASE("HEIC, AVIF and JPEG XL may change in their orientations alone") {
  const std::string command = GENERATE("heif-enc in.png -o out.heic >said && mv out.heic out"s,
                                       "avifenc -s 10 in.png out.avif >said && mv out.avif out"s,
                                       "cjxl in.png out.jxl -d 0 >said 2>&1 && mv out.jxl out"s);
  CAPTURE(command);
  const auto made = [&](std::uint32_t seed) {
    return std::string(
        text_of(tests::made_by("convert pam:in in.png && " + command,
                               tests::write_pam(tests::noise_pam(40, 24, 3, 255, seed)))));
  };
  const std::string file = made(1);
  CHECK_THAT(finding(file, made(2)), ContainsSubstring("expected"));
  OneTurn picture(file, {});
  const std::string own = picture.result();
  CHECK_THAT(picture.finding(turned(file, {Orientation::rotate270})),
             ContainsSubstring("orientation"));
  CHECK_THAT(picture.finding(own.substr(0, own.size() - 20)),
             ContainsSubstring("read again") || ContainsSubstring("expected"));
  std::string spoiled = own;
  spoiled[own.size() - 20] ^= 1;
  CHECK_THAT(picture.finding(spoiled), ContainsSubstring("the same with other content"));

  if (command.starts_with("cjxl")) return;
  const auto motion = [&](int turns) {
    const tests::MotionVideo video{.matrix = tests::video_turns[std::size_t(turns)]};
    return file + tests::iso_box("mpvd", video.file());
  };
  CHECK_THAT(finding(motion(0), motion(1)), ContainsSubstring("the box mpvd"));
}

TEST_CASE("A sample and an attribute of an OpenEXR file are proved") {
  tests::Exr exr{5, 4, 1, {}};
  for (std::uint32_t i = 0; i < 20; ++i) exr.planes["Y"].push_back(0x3C00 + i);
  const auto file = [&] { return std::string(text_of(tests::write_exr(exr))); };
  const std::string own = file();
  CHECK_THAT(
      finding(own,
              with(own, "screenWindowWidth"s + '\0' + "float"s + '\0' + "\4\0\0\0\0\0\x80\x3f"s,
                   "screenWindowWidth"s + '\0' + "float"s + '\0' + "\4\0\0\0\0\0\0\x40"s)),
      ContainsSubstring("expected"));
  const auto of_two = [&](const std::string& name) {
    const auto part = [&](const std::string& named) {
      return tests::ExrPart{.levels = {exr},
                            .attributes = tests::exr_attribute("name", "string", named)};
    };
    return std::string(text_of(tests::write_exr({part("first"), part(name)})));
  };
  CHECK_THAT(finding(of_two("second"), of_two("Second")),
             ContainsSubstring("the attribute name of part 2"));
  exr.planes["Y"][7] ^= 1;
  CHECK_THAT(finding(own, file()), ContainsSubstring("page 1, pixel"));
}

TEST_CASE("A camera raw file may change in its orientations alone") {
  const Turning how{Orientation::rotate90, {}, true, true, ".nef"};
  const std::string file = tests::exif_fixture({.orientation = 1});
  OneTurn picture(file, how);
  const std::string own = picture.result();
  CHECK(picture.finding(own) == "");
  CHECK_THAT(picture.finding(file), ContainsSubstring("orientation: 6 expected, 1 found"));
  CHECK_THAT(picture.finding(with(own, "Camera", "camera")),
             ContainsSubstring("the file without its orientations"));
}

}  // namespace proof_test
