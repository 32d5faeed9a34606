#include "src/formats/tiff/codec.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_contains.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/formats/table.hpp"
#include "src/formats/tiff/directories.hpp"
#include "src/turn/encode.hpp"
#include "tests/fixtures/metadata.hpp"
#include "tests/fixtures/tiff_pictures.hpp"

namespace tiff_codec_test {

namespace {

using namespace qturn;
using namespace qturn::tiff;
using namespace qturn::tests;
using Catch::Matchers::Contains;
using Catch::Matchers::ContainsSubstring;
using namespace std::string_literals;

// Every photometric interpretation with bits that it may have, then every compression with what it
// can hold.
std::vector<TiffKind> kinds() {
  std::vector<TiffKind> all;
  for (const int bits : {1, 2, 3, 4, 6, 8, 10, 12, 14, 16, 24, 32, 64}) {
    all.push_back({.photometric = PHOTOMETRIC_MINISBLACK, .bits = bits});
    all.push_back({.photometric = PHOTOMETRIC_MINISWHITE, .bits = bits});
    all.push_back({.photometric = PHOTOMETRIC_RGB, .bits = bits, .samples = 3});
    all.push_back({.photometric = PHOTOMETRIC_SEPARATED, .bits = bits, .samples = 4});
    all.push_back(
        {.photometric = PHOTOMETRIC_MINISBLACK, .bits = bits, .samples = 2, .extra_samples = 1});
  }
  for (const int bits : {1, 2, 4, 8, 16}) {
    all.push_back({.photometric = PHOTOMETRIC_PALETTE, .bits = bits});
  }
  for (const int bits : {8, 16}) {
    all.push_back({.photometric = PHOTOMETRIC_CIELAB, .bits = bits, .samples = 3});
    all.push_back({.photometric = PHOTOMETRIC_ICCLAB, .bits = bits, .samples = 3});
    all.push_back({.photometric = PHOTOMETRIC_ITULAB, .bits = bits, .samples = 3});
    all.push_back(
        {.photometric = PHOTOMETRIC_SEPARATED, .bits = bits, .samples = 6, .extra_samples = 2});
    all.push_back({.photometric = PHOTOMETRIC_RGB,
                   .bits = bits,
                   .samples = 4,
                   .sample_format = SAMPLEFORMAT_INT,
                   .extra_samples = 1});
  }
  all.push_back({.photometric = PHOTOMETRIC_YCBCR, .samples = 3});
  all.push_back({.photometric = PHOTOMETRIC_MASK, .bits = 1});
  all.push_back({.bits = 64, .samples = 1, .sample_format = SAMPLEFORMAT_COMPLEXINT});
  for (const int bits : {16, 24, 32, 64}) {
    all.push_back({.bits = bits, .sample_format = SAMPLEFORMAT_IEEEFP});
  }

  for (const int compression : {COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_DEFLATE,
                                COMPRESSION_LZMA, COMPRESSION_ZSTD}) {
    for (const int bits : {1, 8, 12, 16, 32}) {
      // Its library clears megabytes for each strip; the others have each size of samples.
      if (compression == COMPRESSION_LZMA && bits != 16) continue;
      TiffKind kind{
          .photometric = PHOTOMETRIC_RGB, .bits = bits, .samples = 3, .compression = compression};
      all.push_back(kind);
      if (bits % 8 != 0) continue;
      kind.predictor = PREDICTOR_HORIZONTAL;
      all.push_back(kind);
      if (bits == 8) continue;
      kind.predictor = PREDICTOR_FLOATINGPOINT;
      kind.sample_format = SAMPLEFORMAT_IEEEFP;
      all.push_back(kind);
    }
  }
  all.push_back({.samples = 1, .compression = COMPRESSION_PACKBITS});
  all.push_back({.bits = 4, .compression = COMPRESSION_PACKBITS});
  for (const int photometric : {PHOTOMETRIC_MINISWHITE, PHOTOMETRIC_MINISBLACK}) {
    for (const int compression : {COMPRESSION_CCITTRLE, COMPRESSION_CCITT_T4, COMPRESSION_CCITT_T6,
                                  COMPRESSION_JBIG, COMPRESSION_PACKBITS}) {
      all.push_back({.photometric = photometric, .bits = 1, .compression = compression});
    }
    for (const std::uint32_t options : {1U, 4U, 5U}) {
      all.push_back({.photometric = photometric,
                     .bits = 1,
                     .compression = COMPRESSION_CCITT_T4,
                     .fax_options = options});
    }
  }
  all.push_back({.photometric = PHOTOMETRIC_RGB, .samples = 3, .compression = COMPRESSION_WEBP});
  all.push_back({.photometric = PHOTOMETRIC_LOGLUV,
                 .bits = 32,
                 .samples = 1,
                 .compression = COMPRESSION_SGILOG});
  // A download's libtiff has no JBIG.
  std::erase_if(all, [](const TiffKind& kind) {
    return !TIFFIsCODECConfigured(static_cast<std::uint16_t>(kind.compression));
  });
  return all;
}

// The same in other arrangements: order of bits, rows of strips, tiles, planes apart.
std::vector<TiffKind> arrangements(const TiffKind& kind) {
  std::vector<TiffKind> all = {kind};
  const auto add = [&](auto change) {
    all.push_back(kind);
    change(all.back());
  };
  const bool is_whole = kind.compression == COMPRESSION_JBIG;  // has no strips
  if (kind.compression != COMPRESSION_WEBP) {
    add([](TiffKind& each) { each.fill_order = FILLORDER_LSB2MSB; });
  }
  if (is_whole) return all;
  add([](TiffKind& each) { each.rows_per_strip = 4; });
  if (kind.photometric == PHOTOMETRIC_LOGLUV) return all;
  add([](TiffKind& each) {
    each.tile_width = 32;
    each.tile_height = 16;
  });
  if (kind.samples == 1 || kind.compression == COMPRESSION_WEBP) return all;
  add([](TiffKind& each) { each.planar = PLANARCONFIG_SEPARATE; });
  add([](TiffKind& each) {
    each.planar = PLANARCONFIG_SEPARATE;
    each.tile_width = 16;
    each.tile_height = 48;
  });
  return all;
}

std::string in_words(const TiffKind& kind) {
  std::string words;
  for (const auto& [name, value] :
       {std::pair{"photometric", kind.photometric}, std::pair{"bits", kind.bits},
        std::pair{"samples", kind.samples}, std::pair{"compression", kind.compression},
        std::pair{"predictor", kind.predictor}, std::pair{"fill", kind.fill_order},
        std::pair{"planar", kind.planar}, std::pair{"format", kind.sample_format},
        std::pair{"extra", kind.extra_samples}, std::pair{"tile", kind.tile_width},
        std::pair{"fax", static_cast<int>(kind.fax_options)}}) {
    words += std::string(name) + " " + std::to_string(value) + " ";
  }
  return words;
}

void check_same(TiffPicture got, TiffPicture wanted) {
  // How many rows a strip has is compared elsewhere.
  got.kind.rows_per_strip = wanted.kind.rows_per_strip = 0;
  INFO("read:   " << in_words(got.kind) << "\nwanted: " << in_words(wanted.kind));
  CHECK((got.kind == wanted.kind));
  CHECK(got.width == wanted.width);
  CHECK(got.height == wanted.height);
  CHECK((got.samples == wanted.samples));
}

Bytes three_turns(Bytes file) {
  for (int i = 0; i < 3; ++i) file = turn_file(file, tiff::codec, Orientation::rotate90);
  return file;
}

std::string change_of(const Bytes& file) { return tiff::codec.read_header(file).storage_change; }

const TiffKind fax_6{
    .photometric = PHOTOMETRIC_MINISWHITE, .bits = 1, .compression = COMPRESSION_CCITT_T6};

Bytes grey(int width = 20, int height = 9) {
  return write_with_libtiff({tiff_picture({}, width, height)});
}

Bytes with_field(const TiffField& field) { return tests::with_field(grey(), field); }

}  // namespace

TEST_CASE("A TIFF stays stored as it was, and its samples are where they belong, bit for bit") {
  for (const TiffKind& kind : kinds()) {
    for (const TiffKind& arranged : arrangements(kind)) {
      INFO(in_words(arranged));
      const TiffPicture picture = tiff_picture(arranged, 53, 37);
      for (const char* mode : {"wl", "wb"}) {
        INFO(mode);
        const Bytes file = write_with_libtiff({picture}, mode);
        check_same(read_with_libtiff(file).at(0), picture);
        CHECK(change_of(file) == "");
        const Bytes out = turn_file(file, tiff::codec, Orientation::rotate90);
        CHECK(std::equal(out.begin(), out.begin() + 4, file.begin()));
        check_same(read_with_libtiff(out).at(0), turned(picture, Orientation::rotate90));
        check_same(read_with_libtiff(three_turns(out)).at(0), picture);
      }
    }
  }
}

TEST_CASE("Each of the eight orientations is right in strips, tiles, planes and parts of bytes") {
  for (const TiffKind& kind : {TiffKind{.photometric = PHOTOMETRIC_PALETTE, .bits = 4}, fax_6,
                               TiffKind{.photometric = PHOTOMETRIC_RGB,
                               .bits = 12,
                               .samples = 3,
                               .compression = COMPRESSION_LZW}}) {
    for (const TiffKind& arranged : arrangements(kind)) {
      INFO(in_words(arranged));
      const TiffPicture picture = tiff_picture(arranged, 35, 50);
      const Bytes file = write_with_libtiff({picture}, "wb");
      for (const Orientation each : all_orientations) {
        check_same(read_with_libtiff(turn_file(file, tiff::codec, each)).at(0),
                   turned(picture, each));
      }
    }
  }
}

TEST_CASE("BigTIFF, byte order and all pages stay, each page in a form of its own") {
  const std::vector<TiffPicture> pages = {
      tiff_picture({.photometric = PHOTOMETRIC_PALETTE, .bits = 8, .compression = COMPRESSION_LZW},
                   40, 30, 1),
      tiff_picture(fax_6, 100, 7, 2),
      tiff_picture({.photometric = PHOTOMETRIC_RGB,
                    .bits = 16,
                    .samples = 3,
                    .compression = COMPRESSION_ZSTD,
                    .predictor = 2,
                    .planar = PLANARCONFIG_SEPARATE,
                    .tile_width = 16,
                    .tile_height = 32},
                   50, 60, 3)};
  for (const char* mode : {"wl", "wb", "w8l", "w8b"}) {
    INFO(mode);
    const Bytes file = write_with_libtiff(pages, mode);
    CHECK(tiff::codec.read_header(file).pages == 3);
    const Bytes out = turn_file(file, tiff::codec, Orientation::rotate270);
    CHECK(std::equal(out.begin(), out.begin() + 4, file.begin()));
    const auto read = read_with_libtiff(out);
    REQUIRE(read.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      check_same(read[i], turned(pages[i], Orientation::rotate270));
    }
  }
}

TEST_CASE("Pages that are stored in different orientations are turned each by its own") {
  const TiffPicture front = tiff_picture({.tile_width = 16, .tile_height = 32}, 40, 30, 1),
                    back =
                        tiff_picture({.bits = 1, .compression = COMPRESSION_CCITT_T6}, 50, 20, 2),
                    small = tiff_picture({}, 25, 10, 3);
  for (const Orientation first : all_orientations) {
    for (const Orientation second : all_orientations) {
      const Bytes pages = write_with_libtiff({front, back, small, back});
      TiffFile tiff = read_tiff(pages);
      tiff.pages[1].pictures = {tiff.pages[2]};
      tiff.pages.erase(tiff.pages.begin() + 2);
      const auto tag = [&](std::size_t page, Orientation orientation) {
        set_field(tiff.pages[page],
                  u16_field(tiff_tag::orientation, static_cast<std::uint64_t>(orientation)));
      };
      tag(0, first);
      tag(1, second);
      const std::span<const std::byte> parts[] = {pages, pages, pages, pages};
      const Bytes file = write_tiff(tiff, parts);
      const Header header = tiff::codec.read_header(file);
      CHECK(header.stored == first);
      CHECK(header.pages_differ == (first != second || first != Orientation::identity));
      const Orientation operation = Orientation::rotate90;
      const Bytes out = turn_file(file, tiff::codec, compose(first, operation));
      CHECK_FALSE(tiff::codec.read_header(out).pages_differ);
      const auto read = read_with_libtiff(out);
      REQUIRE(read.size() == 4);
      check_same(read[0], turned(front, compose(first, operation)));
      check_same(read[1], turned(back, compose(second, operation)));
      check_same(read[2], turned(small, compose(second, operation)));
      check_same(read[3], turned(back, operation));
    }
  }
}

TEST_CASE("Every field that the turn does not concern keeps its type, count and bytes") {
  for (const char* mode : {"wl", "wb", "w8b"}) {
    const Bytes plain = write_with_libtiff(
        {tiff_picture(
            {.photometric = PHOTOMETRIC_PALETTE, .bits = 2, .fill_order = FILLORDER_LSB2MSB}, 21,
            8)},
        mode);
    const Bytes file = with_page(plain, [](TiffDirectory& page) {
      const std::vector<std::uint8_t> bytes = noise(48);
      for (std::uint16_t type = 1; type <= 12; ++type) {
        const auto tag = static_cast<std::uint16_t>(65000 + type);
        constexpr std::size_t sizes[] = {0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8};
        TiffField field{.tag = tag, .type = type, .count = 48 / sizes[type], .value = {}};
        for (const std::uint8_t byte : bytes) field.value.push_back(static_cast<std::byte>(byte));
        page.fields.push_back(field);
      }
      page.fields.push_back({33723, tiff_type::undefined, 5, owned("\x1c\x02\0ab")});
      page.fields.back().value.resize(5);
      page.children[tiff_tag::exif].fields = {
          {37510, tiff_type::undefined, 13, owned("a remark of 1")}};
      page.children[tiff_tag::gps].fields = {u16_field(30, 1)};
    });
    const TiffFile before = read_tiff(file);
    const TiffFile after = read_tiff(turn_file(file, tiff::codec, Orientation::transpose));
    CHECK(after.big == before.big);
    CHECK(after.little == before.little);
    constexpr std::array<std::uint16_t, 5> concerned = {
        tiff_tag::width, tiff_tag::height, tiff_tag::strip_offsets, tiff_tag::strip_byte_counts,
        tiff_tag::rows_per_strip};
    REQUIRE(after.pages[0].fields.size() == before.pages[0].fields.size());
    for (const TiffField& field : before.pages[0].fields) {
      INFO(field.tag);
      const TiffField* same = after.pages[0].find(field.tag);
      REQUIRE(same);
      if (std::ranges::find(concerned, field.tag) != concerned.end()) continue;
      CHECK(same->type == field.type);
      CHECK(same->count == field.count);
      CHECK(same->value == field.value);
    }
    for (const auto& [tag, child] : before.pages[0].children) {
      CHECK(after.pages[0].children.at(tag).fields.at(0).value == child.fields.at(0).value);
    }
  }
}

namespace {

// What a MakerNote says is at a place of the file, and so is what only the note leads to.
constexpr std::string_view note = "a note with offsets of its own", preview = "\xFFpreview";

Bytes with_note(const Bytes& file, std::uint64_t note_at, std::uint64_t preview_at) {
  return with_page(
      file,
      [&](TiffDirectory& page) {
        page.children[tiff_tag::exif].fields = {
            {tiff_tag::maker_note, tiff_type::undefined, note.size(), owned(note), note_at}};
      },
      {{note_at, owned(note), true}, {preview_at, owned(preview), false}});
}

bool lies_at(const Bytes& file, std::uint64_t at, std::string_view text) {
  return text_of(file).substr(at).starts_with(text);
}

}  // namespace

TEST_CASE("A MakerNote stays where it is in a TIFF, with what lies outside of it") {
  for (const char* mode : {"wl", "wb", "w8b"}) {
    for (const auto& [note_at, preview_at] : {std::pair{101, 2000}, {3001, 500}, {60030, 60000}}) {
      INFO(mode << ' ' << note_at);
      const TiffPicture picture = tiff_picture({.rows_per_strip = 8}, 50, 40),
                        other = tiff_picture({.compression = COMPRESSION_LZW}, 70, 60, 2);
      const Bytes file = with_note(write_with_libtiff({picture, other}, mode), note_at, preview_at);
      REQUIRE(lies_at(file, note_at, note));
      REQUIRE(lies_at(file, preview_at, preview));
      for (const Orientation each : all_orientations) {
        std::vector<std::string> warnings;
        const Bytes out = turn_file(file, tiff::codec, each, warnings);
        CHECK(warnings.empty());
        CHECK(lies_at(out, note_at, note));
        CHECK(lies_at(out, preview_at, preview));
        const TiffDirectory exif = read_tiff(out).pages[0].children.at(tiff_tag::exif);
        CHECK(exif.find(tiff_tag::maker_note)->fixed_at == static_cast<std::uint64_t>(note_at));
        CHECK(read_tiff(out).fixed.size() == 2);
        check_same(read_with_libtiff(out).at(0), turned(picture, each));
        check_same(read_with_libtiff(out).at(1), turned(other, each));
      }
    }
  }
}

TEST_CASE("A MakerNote that cannot stay where it is in a file is named") {
  const Bytes file = with_note(write_with_libtiff({tiff_picture({}, 1000, 700)}), 700100, 300);
  const Decoded decoded(file, tiff::codec, jpeg::codec);
  CHECK_THAT(decoded.warnings, Contains(ContainsSubstring("its MakerNote had to move")));
  CHECK(contains(decoded.image.extras->metadata.exif, note));

  // Twelve bytes of pixels, and a gap of two megabytes.
  TiffFile tiff = read_tiff(write_with_libtiff({tiff_picture({}, 4, 3)}));
  tiff.pages[0].children[tiff_tag::exif].fields = {
      {tiff_tag::maker_note, tiff_type::undefined, note.size(), owned(note), 2000000}};
  tiff.fixed = {{2000000, owned(note), true}};
  const Bytes picture = write_with_libtiff({tiff_picture({}, 4, 3)});
  const std::span<const std::byte> parts[] = {picture};
  std::vector<std::string> warnings;
  const Bytes moved = qturn::tiff::write_tiff(tiff, parts, warnings);
  CHECK_THAT(warnings, Contains(ContainsSubstring("its MakerNote had to move")));
  CHECK(moved.size() < 2000);
  CHECK(contains(moved, note));
}

TEST_CASE("The MakerNote of an Exif block is at its place in a TIFF, in its byte order") {
  for (const bool little : {false, true}) {
    const std::string block = exif_fixture({.little = little});
    auto extras = std::make_shared<Extras>();
    extras->metadata.exif = owned(block);
    std::vector<std::uint8_t> samples = noise(100000);
    Image image = image_of(samples, 400, 250, 1);
    image.extras = extras;
    const Bytes file = tests::encode(image, Orientation::identity, tiff::codec);
    CHECK(lies_at(file, block.find(fixture_maker_note), fixture_maker_note));
    CHECK(read_tiff(file).little == little);
    CHECK(read_with_libtiff(file).at(0).width == 400);
    // And back.
    const Decoded decoded(file, tiff::codec, png::codec);
    CHECK(lies_at(decoded.image.extras->metadata.exif, block.find(fixture_maker_note),
                  fixture_maker_note));
    CHECK(decoded.warnings.empty());
  }
}

TEST_CASE("A page that is not a fax may have the options of one") {
  const TiffPicture picture = tiff_picture({.compression = COMPRESSION_LZW}, 30, 20);
  for (const std::uint16_t tag : {tiff_tag::t4_options, tiff_tag::t6_options}) {
    const Bytes file = tests::with_field(write_with_libtiff({picture}), u32_field(tag, 4));
    const Bytes out = turn_file(file, tiff::codec, Orientation::rotate90);
    check_same(read_with_libtiff(out).at(0), turned(picture, Orientation::rotate90));
    CHECK(read_tiff(out).pages[0].integer(tag, 0) == 4);
  }
}

TEST_CASE("Tiles whose places are in the fields for strips are read as tiles") {
  const TiffPicture picture =
      tiff_picture({.compression = COMPRESSION_LZW, .tile_width = 16, .tile_height = 32}, 40, 50);
  Bytes file = write_with_libtiff({picture});
  for (const auto& [tile, strip] : {std::pair{tiff_tag::tile_offsets, tiff_tag::strip_offsets},
                                    {tiff_tag::tile_byte_counts, tiff_tag::strip_byte_counts}}) {
    const auto tag = [](std::uint16_t number) {
      return std::string{static_cast<char>(number & 255), static_cast<char>(number >> 8)};
    };
    const std::string shorts{'\x03', '\0'}, longs{'\x04', '\0'};
    const std::size_t at =
        std::min(text_of(file).find(tag(tile) + shorts), text_of(file).find(tag(tile) + longs));
    REQUIRE(at != std::string_view::npos);
    std::ranges::copy(bytes_of(tag(strip)), file.begin() + static_cast<std::ptrdiff_t>(at));
  }
  for (const Orientation each : {Orientation::flop, Orientation::rotate90}) {
    const Bytes out = turn_file(file, codec, each);
    check_same(read_with_libtiff(out).at(0), turned(picture, each));
    CHECK(read_tiff(out).pages[0].find(tiff_tag::strip_offsets) == nullptr);
  }
}

TEST_CASE("A predictor counts only with a compression that has one") {
  const TiffPicture picture = tiff_picture(fax_6, 30, 20);
  const auto with_predictor = [](const Bytes& file, std::uint64_t predictor) {
    return tests::with_field(file, u16_field(tiff_tag::predictor, predictor));
  };
  const Bytes fax = with_predictor(write_with_libtiff({picture}), 2);
  const Bytes out = turn_file(fax, codec, Orientation::rotate90);
  check_same(read_with_libtiff(out).at(0), turned(picture, Orientation::rotate90));
  // Of bytes, libtiff ignores it, and tifffile does not.
  for (const int compression : {COMPRESSION_NONE, COMPRESSION_PACKBITS}) {
    const Bytes file = write_with_libtiff({tiff_picture({.compression = compression}, 30, 20)});
    CHECK(refusal(with_predictor(file, 1), codec) == "");
    CHECK_THAT(refusal(with_predictor(file, 2), codec),
               ContainsSubstring("readers disagree on it"));
  }
}

namespace {

// Little-endian words, as MetaMorph writes them.
std::string words(std::initializer_list<std::uint32_t> values) {
  std::string bytes;
  for (const std::uint32_t value : values) bytes += in_little_endian(value, 4);
  return bytes;
}

constexpr std::uint64_t pairs_at = 400, calibration_at = 480, position_at = 500;
const std::string calibration = words({65, 100, 13, 20});  // two fractions
const std::string position = "\x1c\0"s + words({12345, 1, 678, 1}) + "\0\0"s;

// Nine rows of 20 pixels, then MetaMorph's fields, and what only they lead to.
Bytes metamorph_file(std::uint64_t planes) {
  const std::string pairs = words({0, 1, 4, calibration_at, 5, calibration_at + 8});
  const std::string of_planes(24 * planes, '\2');
  return with_page(grey(),
                   [&](TiffDirectory& page) {
                     page.fields.push_back({33628, tiff_type::u32, 3, owned(pairs), pairs_at});
                     page.fields.push_back(
                         {33629, tiff_type::rational, planes, owned(of_planes), pairs_at + 24});
                     page.fields.push_back({33631, tiff_type::u32, 1, owned(words({position_at}))});
                   },
                   {{pairs_at, owned(pairs), true},
                    {pairs_at + 24, owned(of_planes), true},
                    {calibration_at, owned(calibration), false},
                    {position_at, owned(position), false}});
}

}  // namespace

TEST_CASE(
    "MetaMorph's values stay where its fields say that they are, and its axes change places") {
  const Bytes file = metamorph_file(1);
  REQUIRE(lies_at(file, calibration_at, calibration));
  const Header header = tiff::codec.read_header(file);
  REQUIRE(header.placed.size() == 1);
  CHECK(header.placed[0].name == "its stage positions (MetaMorph)");
  for (const Orientation each : all_orientations) {
    std::vector<std::string> warnings;
    const Bytes out = turn_file(file, tiff::codec, each, warnings);
    CHECK(warnings.empty());
    check_same(read_with_libtiff(out).at(0), turned(tiff_picture({}, 20, 9), each));
    CHECK(lies_at(out, calibration_at, calibration));
    CHECK(lies_at(out, position_at, position));
    const auto first = static_cast<std::uint32_t>(calibration_at + (swaps_axes(each) ? 8 : 0));
    const auto second = static_cast<std::uint32_t>(calibration_at + (swaps_axes(each) ? 0 : 8));
    CHECK(lies_at(out, pairs_at, words({0, 1, 4, first, 5, second})));
    for (const std::uint16_t tag : {33628, 33629, 33631}) {
      const TiffFile was = read_tiff(file), is = read_tiff(out);
      const TiffField *before = was.pages[0].find(tag), *after = is.pages[0].find(tag);
      REQUIRE(after);
      CHECK(after->fixed_at == before->fixed_at);
      CHECK(after->count == before->count);
      CHECK(((after->value == before->value) == (tag != 33628 || !swaps_axes(each))));
    }
  }
  CHECK_THAT(refusal(metamorph_file(2), tiff::codec),
             ContainsSubstring("MetaMorph stack of 2 pictures"));
  Bytes large = file;
  large.resize(file.size() + (1 << 20) + 1, std::byte{'x'});
  CHECK_THAT(refusal(large, tiff::codec), ContainsSubstring("more than 1 MiB beside its pixels"));
}

TEST_CASE("Strips and tiles that GDAL left out stay out where all of their pixels were") {
  constexpr std::uint16_t nodata = 42113;
  for (const TiffKind& kind :
       {TiffKind{
            .bits = 16, .sample_format = SAMPLEFORMAT_INT, .tile_width = 16, .tile_height = 16},
        TiffKind{.samples = 3,
        .compression = COMPRESSION_LZW,
        .planar = PLANARCONFIG_SEPARATE,
        .tile_width = 16,
        .tile_height = 16},
        TiffKind{.bits = 32,
        .compression = COMPRESSION_ADOBE_DEFLATE,
        .sample_format = SAMPLEFORMAT_IEEEFP,
        .rows_per_strip = 8}}) {
    INFO(in_words(kind));
    TiffPicture picture = tiff_picture(kind, 40, 32);
    const std::uint64_t value = kind.bits == 16 ? 0xFFF9 : kind.bits == 8 ? 255 : 0xC2C60000;
    const auto fill = [&](int left, int top, int right, int bottom, int samples) {
      for (int y = top; y < bottom; ++y)
        for (int x = left; x < right; ++x)
          for (int s = 0; s < samples; ++s) picture.at(x, y, s) = value;
    };
    const Bytes whole = write_with_libtiff({picture});
    const bool is_tiled = kind.tile_width > 0;
    const auto left_out = [&](std::initializer_list<std::size_t> blocks, bool is_of_gdal = true) {
      return with_page(whole, [&](TiffDirectory& page) {
        for (const auto tag :
             {is_tiled ? tiff_tag::tile_offsets : tiff_tag::strip_offsets,
              is_tiled ? tiff_tag::tile_byte_counts : tiff_tag::strip_byte_counts}) {
          auto numbers = page.integers(tag);
          for (const std::size_t block : blocks) numbers.at(block) = 0;
          set_field(page, u32_field(tag, numbers));
        }
        const std::string text = kind.bits == 16 ? "-7" : kind.bits == 8 ? "1e9" : "-99";
        if (is_of_gdal) page.fields.push_back({nodata, tiff_type::ascii, text.size(), owned(text)});
      });
    };
    // The first row of tiles, or half of the strips.
    const Bytes file = is_tiled ? left_out({0, 1, 2}) : left_out({0, 1});
    fill(0, 0, 40, 16, 1);
    CHECK_THAT(refusal(left_out({0}, false), tiff::codec), ContainsSubstring("are empty"));
    const auto lengths = [&](const Bytes& of) {
      return read_tiff(of).pages[0].integers(is_tiled ? tiff_tag::tile_byte_counts
                                                      : tiff_tag::strip_byte_counts);
    };
    const auto count_of_empty = [&](const Bytes& of) {
      return std::ranges::count(lengths(of), 0U);
    };
    REQUIRE(count_of_empty(file) == (is_tiled ? 3 : 2));
    for (const Orientation each : all_orientations) {
      const Bytes out = turn_file(file, tiff::codec, each);
      // Strips of a quarter turn have pixels of all that were there.
      CHECK(count_of_empty(out) == (is_tiled ? 3 : swaps_axes(each) ? 0 : 2));
      const Decoded decoded(out, tiff::codec);
      const Bytes expected = turn_file(write_with_libtiff({picture}), tiff::codec, each);
      CHECK((pixels_of(decoded.image.pages[0]) ==
             pixels_of(Decoded(expected, tiff::codec).image.pages[0])));
      // What is left out is no more after another turn than before.
      const Bytes back = turn_file(out, tiff::codec, inverse(each));
      CHECK(count_of_empty(back) <= count_of_empty(file));
    }
    if (!is_tiled) continue;
    // A tile at the right edge, of eight columns, is a part of whole tiles once it is mirrored.
    const Bytes edge = left_out({2});
    CHECK(count_of_empty(turn_file(edge, tiff::codec, Orientation::flop)) == 0);
    CHECK(count_of_empty(turn_file(edge, tiff::codec, Orientation::flip)) == 1);
  }
}

TEST_CASE("JPEGs that become Deflate leave no subsampling behind, in RGB or in YCbCr") {
  for (const int photometric : {PHOTOMETRIC_RGB, PHOTOMETRIC_YCBCR}) {
    const TiffPicture picture = tiff_picture(
        {.photometric = photometric, .samples = 3, .compression = COMPRESSION_JPEG}, 32, 32);
    const Bytes jpeg = write_with_libtiff({picture}, "wl", [&](TIFF* tiff) {
      if (photometric != PHOTOMETRIC_YCBCR) return;
      TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    });
    const Bytes file = tests::with_field(jpeg, u16_field(tiff_tag::ycbcr_subsampling, {2, 2}));
    const TiffDirectory out =
        read_tiff(turn_file(file, tiff::codec, Orientation::rotate90)).pages[0];
    CHECK(out.integer(tiff_tag::photometric, 0) == PHOTOMETRIC_RGB);
    CHECK(out.find(tiff_tag::ycbcr_subsampling) == nullptr);
  }
}

TEST_CASE("An Exif block goes into a TIFF without its preview, or is left out with a warning") {
  const auto tiff_with = [](const Bytes& exif, std::vector<std::string>& warnings) {
    auto extras = std::make_shared<Extras>();
    extras->metadata.exif = exif;
    std::vector<std::uint8_t> samples = noise(12);
    Image image = image_of(samples, 4, 3, 1);
    image.extras = extras;
    return read_tiff(qturn::encode(image, Orientation::identity, tiff::codec, false, warnings));
  };
  // The strip of its second directory lies beside the block.
  ExifDirectory first, second;
  const ByteOrder order{true};
  first.add_text(271, "Camera Maker");
  second.add_long(273, 100000, order);
  second.add_long(279, 100, order);
  const std::size_t second_at = 8 + first.bytes();
  const std::string block = "II" + order.u16(42) + order.u32(8) + first.at(8, second_at, order) +
                            second.at(second_at, 0, order);
  std::vector<std::string> warnings;
  const TiffFile whole = tiff_with(owned(block), warnings);
  CHECK(warnings.empty());
  CHECK(whole.pages.size() == 1);
  REQUIRE(whole.pages[0].find(271));
  CHECK(text_of(whole.pages[0].find(271)->value).starts_with("Camera Maker"));

  // A text that lies beside it.
  std::string damaged = block;
  damaged.replace(8 + 2 + 8, 4, order.u32(100000));
  CHECK(tiff_with(owned(damaged), warnings).pages[0].find(271) == nullptr);
  CHECK_THAT(warnings, Contains(ContainsSubstring("its Exif block is left out: truncated")));
}

TEST_CASE("Pictures in sub-directories are turned with their page") {
  const TiffPicture large = tiff_picture({.photometric = PHOTOMETRIC_RGB, .samples = 3}, 40, 30),
                    small = tiff_picture(fax_6, 20, 15);
  for (const char* mode : {"wl", "w8b"}) {
    const Bytes pages = write_with_libtiff({large, small, small}, mode);
    TiffFile tiff = read_tiff(pages);
    tiff.pages[0].pictures = {tiff.pages[1], tiff.pages[2]};
    tiff.pages.resize(1);
    const std::span<const std::byte> parts[] = {pages, pages, pages};
    const Bytes file = write_tiff(tiff, parts);
    REQUIRE(read_with_libtiff(file).size() == 3);
    const auto read = read_with_libtiff(turn_file(file, tiff::codec, Orientation::rotate90));
    REQUIRE(read.size() == 3);
    check_same(read[0], turned(large, Orientation::rotate90));
    check_same(read[1], turned(small, Orientation::rotate90));
    check_same(read[2], turned(small, Orientation::rotate90));

    // Where only the tag has to change, theirs does too.
    TiffFile tagged = tiff;
    tagged.pages[0].fields.push_back(u16_field(tiff_tag::orientation, 8));
    tagged.pages[0].pictures[1].fields.push_back(u16_field(tiff_tag::orientation, 8));
    std::vector<std::string> warnings;
    const auto upright = retag(write_tiff(tagged, parts), tiff::codec, Orientation::identity,
                               MissingTag::stays_absent, warnings);
    CHECK(read_tiff(upright).pages[0].integer(tiff_tag::orientation, 0) == 1);
    CHECK(read_tiff(upright).pages[0].pictures[1].integer(tiff_tag::orientation, 0) == 1);
    CHECK(warnings.empty());

    tiff.pages[0].pictures[1].fields.push_back(u16_field(tiff_tag::orientation, 6));
    CHECK_THAT(refusal(write_tiff(tiff, parts), tiff::codec),
               ContainsSubstring("other orientations"));
    tiff.pages[0].pictures.pop_back();
    tiff.pages[0].pictures[0].fields.push_back(u32_field(tiff_tag::sub_directories, 8));
    CHECK_THAT(refusal(write_tiff(tiff, parts), tiff::codec),
               ContainsSubstring("sub-directories that lead to others"));
  }
}

TEST_CASE("Strips keep about as many pixels, and one strip stays one") {
  const auto rows_after = [](const Bytes& file) {
    return read_tiff(turn_file(file, tiff::codec, Orientation::rotate90))
        .pages[0]
        .integer(tiff_tag::rows_per_strip, 0);
  };
  const auto rows = [&](int width, int height, int per_strip) {
    return rows_after(
        write_with_libtiff({tiff_picture({.rows_per_strip = per_strip}, width, height)}));
  };
  CHECK(rows(100, 50, 10) == 20);
  CHECK(rows(10, 200, 5) == 1);
  CHECK(rows(100, 50, 50) == 100);
  CHECK(rows_after(with_field(u32_field(tiff_tag::rows_per_strip, 0xFFFFFFFF))) == 0xFFFFFFFF);
}

TEST_CASE("What cannot stay stored as it is says what it becomes, and becomes that") {
  // The smooth picture that JPEG can hold.
  TiffPicture smooth = tiff_picture({.photometric = PHOTOMETRIC_YCBCR,
                                     .samples = 3,
                                     .compression = COMPRESSION_JPEG,
                                     .rows_per_strip = 16},
                                    64, 48);
  for (int y = 0; y < 48; ++y) {
    for (int x = 0; x < 64; ++x) {
      for (int s = 0; s < 3; ++s) smooth.at(x, y, s) = static_cast<unsigned>(2 * x + y + 20 * s);
    }
  }
  const auto jpeg = [&](int compression, int photometric) {
    TiffPicture picture = smooth;
    picture.kind.compression = compression;
    picture.kind.photometric = photometric;
    return write_with_libtiff({picture}, "wb", [&](TIFF* tiff) {
      if (photometric == PHOTOMETRIC_YCBCR) {
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
      }
      if (compression == COMPRESSION_WEBP) TIFFSetField(tiff, TIFFTAG_WEBP_LOSSLESS, 0);
    });
  };
  for (const auto& [file, words] :
       {std::pair{jpeg(COMPRESSION_JPEG, PHOTOMETRIC_YCBCR), "JPEG compression becomes deflate"},
        std::pair{jpeg(COMPRESSION_JPEG, PHOTOMETRIC_RGB), "JPEG compression becomes deflate"},
        std::pair{jpeg(COMPRESSION_LERC, PHOTOMETRIC_RGB), "LERC compression becomes deflate"},
        std::pair{jpeg(COMPRESSION_WEBP, PHOTOMETRIC_RGB),
                  "lossy WebP compression becomes deflate"}}) {
    INFO(words);
    CHECK(change_of(file) == words);
    CHECK(tiff::codec.read_header(file).changes_only_if_allowed);
    const TiffPicture before = read_with_libtiff(file).at(0);
    TiffPicture wanted = turned(before, Orientation::rotate90);
    wanted.kind.compression = COMPRESSION_ADOBE_DEFLATE;
    wanted.kind.photometric = PHOTOMETRIC_RGB;
    const Bytes out = turn_file(file, tiff::codec, Orientation::rotate90);
    check_same(read_with_libtiff(out).at(0), wanted);
    CHECK(change_of(out) == "");
    CHECK(read_tiff(out).little == false);
    CHECK(read_tiff(out).pages[0].find(tiff_tag::jpeg_tables) == nullptr);
    CHECK(read_tiff(out).pages[0].find(tiff_tag::ycbcr_subsampling) == nullptr);
  }

  const TiffPicture tiled = tiff_picture({.tile_width = 32, .tile_height = 16}, 50, 40);
  // 50 x 40 pixels have as many tiles of 25 x 20 in a column of pixels that nobody looks at.
  const Bytes odd = with_page(write_with_libtiff({tiled}), [](TiffDirectory& page) {
    set_field(page, u16_field(tiff_tag::tile_width, 25));
    set_field(page, u16_field(tiff_tag::tile_height, 20));
  });
  CHECK(change_of(odd) == "tiles of 25 x 20 pixels become 32 x 32");
}

TEST_CASE("What a turn would lose or leave out is a change of storage") {
  CHECK(change_of(with_field({65000, tiff_type::directory, 1, owned(std::string(4, '\x08'))})) ==
        "the directory that field 65000 leads to is left out");
  CHECK(change_of(with_field(
            {tiff_tag::jpeg_interchange, tiff_type::u32, 1, owned(std::string(4, '\x08'))})) ==
        "a JPEG beside its pixels is left out");
  Bytes unknown = with_field({65000, tiff_type::u16, 1, owned("ab")});
  const auto at = text_of(unknown).find(std::string_view("\xe8\xfd\x03\0", 4));
  REQUIRE(at != std::string_view::npos);
  unknown[at + 2] = std::byte{99};
  CHECK(change_of(unknown) == "field 65000, of an unknown type, is left out");
}

TEST_CASE("What cannot be turned at all is refused by name") {
  const auto refused = [](const TiffField& field, const char* words) {
    CHECK_THAT(refusal(with_field(field), tiff::codec), ContainsSubstring(words));
  };
  refused(u16_field(tiff_tag::compression, 6), "old-style JPEG compression");
  refused(u16_field(tiff_tag::compression, 34712), "JPEG 2000 compression");
  refused(u16_field(tiff_tag::compression, 32771), "fax compression in words");
  refused(u16_field(tiff_tag::compression, 12345), "compression 12345 of a TIFF");
  refused(u16_field(tiff_tag::photometric, 32803), "colour filter array");
  refused(u16_field(50706, 1), "DNG");
  refused(u16_field(34412, 1), "Zeiss LSM");
  refused({33629, tiff_type::rational, 2, owned(std::string(48, '\1'))}, "MetaMorph stack of 2");
  refused(u16_field(tiff_tag::image_depth, 2), "volume");
  refused(u16_field(tiff_tag::photometric, 6), "YCbCr with fewer chroma samples");
  const Bytes colours =
      write_with_libtiff({tiff_picture({.photometric = PHOTOMETRIC_YCBCR, .samples = 3}, 20, 8)});
  const Bytes subsampled = with_page(colours, [](TiffDirectory& page) {
    set_field(page, u32_field(tiff_tag::strip_byte_counts, 20 * 8 * 3 / 2));
    set_field(page, u16_field(tiff_tag::ycbcr_subsampling, {2, 2}));
  });
  CHECK(refusal(subsampled, codec) ==
        "a TIFF in YCbCr with fewer chroma samples is not supported without JPEG");
  refused({tiff_tag::description, tiff_type::ascii, 30,
           owned(std::string("ImageJ=1.53t\nimages=3\nslices=3"))},
          "stack of ImageJ");
  const Bytes rgb =
      write_with_libtiff({tiff_picture({.photometric = PHOTOMETRIC_RGB, .samples = 3}, 20, 9)});
  const Bytes mixed = with_page(rgb, [](TiffDirectory& page) {
    field_of(page, tiff_tag::bits_per_sample).value[0] = std::byte{5};
  });
  CHECK_THAT(refusal(mixed, tiff::codec), ContainsSubstring("samples of different sizes"));
  CHECK_THAT(refusal(write_with_libtiff(
                         {tiff_picture({.bits = 16, .samples = 200, .extra_samples = 199}, 4, 4)}),
                     tiff::codec),
             ContainsSubstring("a pixel may have 256 bytes"));
}

TEST_CASE("A cut at any place, and strips that are missing, empty or too short, are failures") {
  for (const TiffKind& kind :
       {TiffKind{.rows_per_strip = 3}, TiffKind{.compression = COMPRESSION_LZW},
        TiffKind{.compression = COMPRESSION_ADOBE_DEFLATE, .tile_width = 16, .tile_height = 16},
        TiffKind{.compression = COMPRESSION_PACKBITS}, TiffKind{.compression = COMPRESSION_ZSTD},
        TiffKind{.compression = COMPRESSION_LZMA},
        TiffKind{
            .photometric = PHOTOMETRIC_MINISWHITE, .bits = 1, .compression = COMPRESSION_CCITT_T4},
        fax_6,
        TiffKind{.photometric = PHOTOMETRIC_MINISWHITE,
        .bits = 1,
        .compression = COMPRESSION_CCITTRLE}}) {
    INFO(in_words(kind));
    const Bytes file = write_with_libtiff({tiff_picture(kind, 40, 30)});
    REQUIRE(refusal(file, tiff::codec) == "");
    for (std::size_t i = 0; i < 20; ++i)
      CHECK(refusal(cut(file, file.size() * i / 20), tiff::codec) != "");
    const auto tag = kind.tile_width ? tiff_tag::tile_byte_counts : tiff_tag::strip_byte_counts;
    const auto with_count = [&](auto change) {
      return with_page(file, [&](TiffDirectory& page) {
        auto counts = page.integers(tag);
        change(counts);
        set_field(page, u32_field(tag, counts));
      });
    };
    CHECK(refusal(with_count([](auto& counts) { counts[0] = counts[0] * 2 / 3; }), tiff::codec) !=
          "");
    CHECK_THAT(refusal(with_count([](auto& counts) { counts.back() = 0; }), tiff::codec),
               ContainsSubstring("are empty"));
  }
  const Bytes strips = write_with_libtiff({tiff_picture({.rows_per_strip = 3}, 40, 30)});
  CHECK_THAT(refusal(tests::with_field(strips, u16_field(tiff_tag::height, 60)), tiff::codec),
             ContainsSubstring("damaged: 10 of 20 strips are there"));
}

TEST_CASE("A field for the storage of samples that is not a number is damage, never a default") {
  const Bytes file = write_with_libtiff({tiff_picture({}, 40, 30)});
  for (const auto tag : {tiff_tag::bits_per_sample, tiff_tag::photometric, tiff_tag::rows_per_strip,
                         tiff_tag::planar_configuration}) {
    const TiffField text{tag, tiff_type::ascii, 2, {std::byte{'8'}, std::byte{0}}};
    CHECK(refusal(tests::with_field(file, text), tiff::codec) ==
          fmt::format("damaged: field {} is not a number", int{tag}));
  }
  // The type of the field for the bits, in the file itself.
  Bytes unknown = file;
  const auto entry = bytes_of(std::string_view("\x02\x01\x03\x00", 4));
  const auto at = std::search(unknown.begin(), unknown.end(), entry.begin(), entry.end());
  REQUIRE(at != unknown.end());
  at[3] = std::byte{0x77};
  CHECK(refusal(unknown, tiff::codec) == "damaged: field 258 is not a number");
}

TEST_CASE("Several values in a field for one, which says how samples are stored, are damage") {
  const Bytes file = write_with_libtiff({tiff_picture({}, 40, 30)});
  for (const auto tag : {tiff_tag::width, tiff_tag::compression, tiff_tag::planar_configuration}) {
    const Bytes changed = with_page(file, [&](TiffDirectory& page) {
      const std::uint64_t value = page.integer(tag, 1), values[] = {value, value};
      TiffField& field = field_of(page, tag);
      field = tiff_integers(tag, field.type, values);
    });
    CHECK(refusal(changed, tiff::codec) ==
          fmt::format("damaged: field {} has 2 values, expected 1", int{tag}));
  }
}

TEST_CASE("Pixels of more bits than a compression holds are damage") {
  const TiffKind kind{.photometric = PHOTOMETRIC_MINISWHITE, .bits = 1};
  for (const int compression : {COMPRESSION_CCITT_T4, COMPRESSION_CCITT_T6, COMPRESSION_CCITTRLE}) {
    TiffKind fax = kind;
    fax.compression = compression;
    const Bytes file =
        with_page(write_with_libtiff({tiff_picture(fax, 40, 30)}), [](TiffDirectory& page) {
          field_of(page, tiff_tag::samples_per_pixel).value[0] = std::byte{3};
        });
    CHECK(refusal(file, tiff::codec) == "damaged: pixels of 3 bits in a compression for 1");
  }
}

TEST_CASE("No changed byte makes the reader leave the file, and all that it notices is said") {
  struct Case {
    TiffKind kind;
    std::size_t refused, tried;
  };
  // What a decoder cannot notice is another picture as good as this one. Deflate has a checksum;
  // a fax has codes that make no sense, and rows that do not come out even.
  for (const Case& each :
       {Case{{.compression = COMPRESSION_LZW}, 201, 717},
        Case{{.compression = COMPRESSION_PACKBITS}, 0, 620},
        Case{{.compression = COMPRESSION_ADOBE_DEFLATE}, 611, 611}, Case{fax_6, 161, 170},
        Case{{.photometric = PHOTOMETRIC_LOGLUV, .bits = 32, .compression = COMPRESSION_SGILOG},
             0,
             2480}}) {
    INFO(in_words(each.kind));
    const Bytes file = write_with_libtiff({tiff_picture(each.kind, 30, 20)});
    const TiffDirectory page = read_tiff(file).pages.at(0);
    const std::uint64_t begin = page.integer(tiff_tag::strip_offsets, 0),
                        bytes = page.integer(tiff_tag::strip_byte_counts, 0);
    std::size_t refused = 0;
    for (std::uint64_t i = begin; i < begin + bytes; ++i) {
      Bytes changed = file;
      changed[i] ^= std::byte{0x55};
      refused += !refusal(changed, tiff::codec).empty();
    }
    CHECK(bytes == each.tried);
    CHECK(refused == each.refused);
    // In the directory a change may be of a field that pixels do not depend on.
    for (std::size_t i = 8; i < file.size(); i += 3) {
      if (i >= begin && i < begin + bytes) continue;
      Bytes changed = file;
      changed[i] ^= std::byte{0x55};
      // A size that grew is for the budget to refuse, which decoding alone does not ask.
      constexpr std::uint64_t enough = 1 << 26;
      try {
        if (tiff::codec.read_header(changed).pixel_bytes_total > enough) continue;
        const Decoded decoded(changed, tiff::codec);
        CHECK(decoded.image.pages.at(0).width > 0);
      } catch (const ImageFileError& error) {
        CHECK(error.what() != std::string());
      }
    }
  }
}

TEST_CASE("Absurd sizes are refused before there is memory for them") {
  const auto sized = [](std::uint64_t width, std::uint64_t height, int compression) {
    return with_page(write_with_libtiff({tiff_picture({.compression = compression}, 20, 9)}),
                     [&](TiffDirectory& page) {
                       set_field(page, u32_field(tiff_tag::width, width));
                       set_field(page, u32_field(tiff_tag::height, height));
                       set_field(page, u32_field(tiff_tag::rows_per_strip, height));
                     });
  };
  constexpr std::uint64_t most = 0xFFFFFFFF;
  CHECK_THAT(refusal(sized(most, most, COMPRESSION_NONE), tiff::codec),
             ContainsSubstring("are too many"));
  CHECK_THAT(refusal(sized(0, 5, COMPRESSION_NONE), tiff::codec),
             ContainsSubstring("without a size"));
  for (const int compression :
       {COMPRESSION_NONE, COMPRESSION_PACKBITS, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE}) {
    CHECK_THAT(refusal(sized(1000000, 1000000, compression), tiff::codec),
               ContainsSubstring("cannot hold the 1000000000000 bytes"));
  }
  const Header fax = tiff::codec.read_header(grey());
  CHECK(fax.pixel_bytes_total == 180);
}

}  // namespace tiff_codec_test
