// TIFFs from end to end, with the opinion of libtiff's own programs where they are installed.
#include <array>
#include <cstdlib>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "src/formats/tiff/directories.hpp"
#include "tests/cli/program.hpp"
#include "tests/fixtures/tiff_pictures.hpp"

namespace tiff_test {

using namespace cli;

namespace {

using namespace qturn::tests;
using qturn::Orientation;

std::string text(const qturn::Bytes& file) { return std::string(text_of(file)); }

std::string jpeg_inside(int width = 32, int height = 16) {
  TiffPicture picture =
      tiff_picture({.photometric = PHOTOMETRIC_RGB, .samples = 3, .compression = COMPRESSION_JPEG},
                   width, height);
  for (std::uint64_t& sample : picture.samples) sample = 100;
  return text(write_with_libtiff({picture}));
}

// What a program of libtiff says of a file; nothing where it is not installed.
std::string said_by(const Workplace& workplace, const std::string& command) {
  const auto out = workplace.path() / "said";
  const std::string line =
      "cd '" + workplace.path().string() + "' && " + command + " >'" + out.string() + "' 2>&1";
  const int status = std::system(line.c_str());
  return (status == 0 ? "" : "failed: ") + content_of(out);
}

std::string tiff_with(const std::vector<qturn::tiff::TiffField>& fields) {
  const qturn::Bytes file = write_with_libtiff({tiff_picture({}, 30, 20)});
  qturn::tiff::TiffFile tiff = qturn::tiff::read_tiff(file);
  for (const auto& field : fields) tiff.pages.front().fields.push_back(field);
  const std::span<const std::byte> pixels[] = {file};
  std::vector<std::string> warnings;
  return text(qturn::tiff::write_tiff(tiff, pixels, warnings));
}

qturn::tiff::TiffField text_field(std::uint16_t tag, std::uint16_t type, const std::string& value) {
  return {.tag = tag, .type = type, .count = value.size(), .value = owned(value)};
}

struct Placed {
  qturn::tiff::TiffField field;
  std::string name;
};

std::vector<Placed> placed_fields() {
  constexpr auto floats = qturn::tiff::tiff_type::f64;
  using qturn::tiff::tiff_type::ascii;
  const std::string many(70000, ' ');  // more than is read for a header
  return {{{.tag = qturn::tiff::tiff_tag::pixel_scale,
            .type = floats,
            .count = 1,
            .value = owned(std::string(8, '\1'))},
           "its map coordinates (GeoTIFF)"},
          {{.tag = qturn::tiff::tiff_tag::polynomials,
            .type = floats,
            .count = 1,
            .value = owned(std::string(8, '\1'))},
           "its map coordinates (RPC)"},
          {text_field(qturn::tiff::tiff_tag::description, ascii,
                      "<?xml version=\"1.0\"?><OME "
                      "xmlns=\"http://www.openmicroscopy.org/Schemas/OME/2016-06\">" +
                          many + "</OME>"),
           "its sizes and axes (OME-XML)"},
          {text_field(qturn::tiff::tiff_tag::description, ascii, "{\"shape\": [20, 30]}"),
           "its shape as text (tifffile)"},
          {text_field(qturn::tiff::tiff_tag::imagej_metadata, qturn::tiff::tiff_type::u8,
                      "IJIJroi \1\1\1\1Iout"),
           "its regions (ImageJ)"}};
}

}  // namespace

TEST_CASE("What a turn makes untrue is always warned of, and refused in place without an option") {
  for (const auto& [field, name] : placed_fields()) {
    CAPTURE(name);
    Workplace workplace;
    const std::string file = tiff_with({field});
    workplace.add("a.tif", file);
    const std::string warning = "qturn: warning: a.tif: no longer true after the turn: " + name;
    CHECK(workplace.done({"cw", "a.tif", "-o", "out", "-q"}).err == warning + "\n");
    const Result loud = workplace.qturn({"cw", "a.tif", "-o", "loud", "--json"});
    CHECK_THAT(loud.err, ContainsSubstring(warning) &&
                             ContainsSubstring("of 1 picture, some metadata is no longer true"));
    CHECK_THAT(loud.out, ContainsSubstring("\"stale_metadata\":[\"" + name + "\"]"));

    workplace.failed({"cw", "a.tif", "-o", "strict", "--strict"});
    CHECK_FALSE(workplace.exists("strict/a.tif"));
    workplace.failed({"cw", "a.tif", "--in-place"},
                     "a.tif: not turned in place, because this would no longer be true: " + name +
                         "; --allow-stale-metadata permits that");
    CHECK(workplace.content("a.tif") == file);

    // Nothing moves.
    CHECK(workplace.qturn({"upright", "a.tif", "-o", "same", "-q"}).err.empty());
    CHECK(workplace.qturn({"cw", "a.tif", "-o", "tag", "--tag-only", "-q"}).err.empty());
    const Result flopped = workplace.qturn({"flop", "a.tif", "-o", "flop", "-q"});
    CHECK(flopped.err.empty() == name.starts_with("its shape"));

    CHECK(workplace.done({"cw", "a.tif", "--in-place", "-q", "--allow-stale-metadata"}).err ==
          warning + "\n");
    CHECK(workplace.content("a.tif") == workplace.content("out/a.tif"));
  }
}

TEST_CASE_METHOD(Workplace,
                 "What nobody knows is counted, named where asked, and no success with --strict") {
  const std::string file = tiff_with({text_field(65123, qturn::tiff::tiff_type::ascii, "depth")});
  add("a.tif", file);
  done({"cw", "a.tif", "-o", "loud", "-v", "--json=lines"},
       {"qturn: a.tif: kept, and not known: TIFF 65123\n",
        "qturn: of 1 picture, metadata is kept that qturn does not know; -v names it"});
  CHECK_THAT(content("lines"), ContainsSubstring("\"kept_unknown\":[\"TIFF 65123\"]"));
  CHECK_THAT(content("loud/a.tif"), ContainsSubstring("depth"));
  CHECK(done({"cw", "a.tif", "-o", "quiet", "-q"}).err.empty());
  CHECK(done({"cw", "a.tif", "-o", "tag", "--tag-only", "--strict", "-q"}).err.empty());
  failed({"cw", "a.tif", "-o", "strict", "--strict"}, "TIFF 65123");
  CHECK_FALSE(exists("strict/a.tif"));
  done({"cw", "a.tif", "--in-place"});
}

TEST_CASE_METHOD(Workplace,
                 "Pages that are stored in different orientations are turned each by its own") {
  const auto page = tiff_picture({}, 30, 20);
  using qturn::compose, qturn::Orientation;
  for (const auto& [front, back] : {std::pair{Orientation::identity, Orientation::rotate180},
                                    {Orientation::rotate90, Orientation::rotate270},
                                    {Orientation::rotate180, Orientation::identity}}) {
    int number = 0;
    const std::string file = text(write_with_libtiff({page, page}, "wl", [&](TIFF* tiff) {
      const Orientation stored = number++ == 0 ? front : back;
      if (stored != Orientation::identity)
        TIFFSetField(tiff, TIFFTAG_ORIENTATION, static_cast<int>(stored));
    }));
    const auto check = [&](const std::string& name, Orientation operation) {
      const auto pages = read_with_libtiff(owned(content(name)));
      REQUIRE(pages.size() == 2);
      CHECK((pages[0].samples == turned(page, compose(front, operation)).samples));
      CHECK((pages[1].samples == turned(page, compose(back, operation)).samples));
      // Nothing is left to be turned.
      done({"upright", name, "-o", "again.tif", "-q", "--overwrite"});
      CHECK(content("again.tif") == content(name));
    };
    // One of these leaves the pixels of a page as they are.
    for (const auto& [word, operation] : {std::pair{"upright", Orientation::identity},
                                          {"rotate270", Orientation::rotate270},
                                          {"rotate90", Orientation::rotate90},
                                          {"rotate180", Orientation::rotate180}}) {
      CAPTURE(word, front, back);
      add("a.tif", file);
      done({word, "a.tif", "--in-place", "-q", "--strict"});
      check("a.tif", operation);
      add("a.tif", file);
      if (operation == Orientation::identity) continue;  // its tags are true
      done({word, "a.tif", "-o", "tagged/a.tif", "--tag-only", "--verify", "-q", "--overwrite"});
      done({"upright", "tagged/a.tif", "-o", "turned/a.tif", "--verify", "-q", "--overwrite"});
      check("turned/a.tif", operation);
      done({"check", "--against", "a.tif", "turned/a.tif"});
      done({"check", "--against", "a.tif", "tagged/a.tif"});
    }
  }
}

TEST_CASE_METHOD(Workplace,
                 "Another format gets what a TIFF says as text, which is then no longer true") {
  for (const auto& [field, name] : placed_fields()) {
    add("a.tif", tiff_with({field}));
    const bool is_text = field.tag == qturn::tiff::tiff_tag::description;
    const Result result =
        done({"cw", "a.tif", "-o", "a.png", "--format", "png", "-q", "--overwrite"});
    CHECK((result.err.find("no longer true") != std::string::npos) == is_text);
  }
}

namespace {

// Lines of a world file: where the centres of pixels lie.
std::array<double, 2> on_map(const std::string& world, qturn::Position pixel) {
  std::istringstream lines(world);
  std::array<double, 6> n{};
  for (double& each : n) lines >> each;
  const auto x = static_cast<double>(pixel.x), y = static_cast<double>(pixel.y);
  return {n[0] * x + n[2] * y + n[4], n[1] * x + n[3] * y + n[5]};
}

// The first pixel of this value.
qturn::Position found_in(const std::string& tiff, std::uint64_t value) {
  TiffPicture picture = read_with_libtiff(owned(tiff)).at(0);
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x)
      if (picture.at(x, y, 0) == value) return {x, y};
  return {-1, -1};
}

const std::string world = "10.25\r\n-2.5\r\n-3\r\n-8\r\n500000.125\r\n4000000\r\nrest";

}  // namespace

TEST_CASE_METHOD(Workplace, "A world file is turned with its picture, in its own decimals") {
  TiffPicture picture = tiff_picture({}, 30, 20);
  for (std::uint64_t& sample : picture.samples) sample = 0;
  picture.at(7, 3, 0) = 200;
  const std::string file = text(write_with_libtiff({picture}));
  add("in/a.tif", file);
  add("in/a.tfw", world);
  add("in/B.TIF", file);
  add("in/B.WLD", world);
  const auto place = on_map(world, {7, 3});
  for (const Orientation each : qturn::all_orientations) {
    if (each == Orientation::identity) continue;
    const std::string word(qturn::name(each));
    CHECK(done({word, "in", "-o", word, "-q"}).err.empty());
    for (const auto& [name, beside] : {std::pair("a.tif", "a.tfw"), std::pair("B.TIF", "B.WLD")}) {
      CAPTURE(word, name);
      const std::string turned = content(word + "/" + beside);
      CHECK(on_map(turned, found_in(content(word + "/" + name), 200)) == place);
      CHECK(turned.ends_with("\r\nrest"));
    }
    const std::string back(qturn::name(qturn::inverse(each))), copy = "in-place-" + word;
    std::filesystem::copy(path() / word, path() / copy);
    done({back, copy, "--in-place"});
    CHECK(on_map(content(copy + "/a.tfw"), {7, 3}) == place);
    CHECK(content(copy + "/B.WLD") == content(copy + "/a.tfw"));
  }
  CHECK(content("rotate180/a.tfw") == "-10.25\r\n2.5\r\n3\r\n8\r\n500240.375\r\n3999775.5\r\nrest");
  done({"augment", "in/a.tif", "-o", "more", "--variants", "identity,flop", "-q", "--strict"});
  CHECK(content("more/a__identity.tfw") == world);
  CHECK(content("more/a__flop.tfw") == content("flop/a.tfw"));
  done({"augment", "in/a.tif", "-o", "more.tar", "--variants", "flop", "-q", "--strict"});
  done({"flop", "in/a.tif", "-o", "one/b.tif", "-q"});
  CHECK(content("one/b.tfw") == content("flop/a.tfw"));
  // The other format has another suffix.
  done({"flop", "in/a.tif", "-o", "png", "--format", "png", "-q"});
  CHECK(content("png/a.pgw") == content("flop/a.tfw"));
  // What is written already is not replaced, and an unmoved pixel keeps its numbers.
  refused({"flop", "in/a.tif", "-o", "flop/a.tif"});
  add("flop2/a.tfw", "mine");
  refused({"flop", "in/a.tif", "-o", "flop2"});
  done({"upright", "in", "-o", "same", "--others", "copy", "-q"});
  CHECK(content("same/a.tfw") == world);
  done({"flop", "in", "-o", "copied", "--others", "copy", "-q"});
  CHECK(content("copied/a.tfw") == content("flop/a.tfw"));
}

TEST_CASE_METHOD(Workplace, "A world file that cannot be turned, or has two pictures, is refused") {
  const std::string file = text(write_with_libtiff({tiff_picture({}, 30, 20)}));
  add("in/a.tif", file);
  add("in/a.tfw", "10\n0\n0\nfive\n500000\n4000000\n");
  failed({"cw", "in", "-o", "out"},
         "in/a.tfw: a world file has six numbers, and this one has others");
  CHECK_FALSE(exists("out/a.tif"));
  add("in/a.tfw", "10\n0\n0\n-10\n500000");
  failed({"cw", "in", "--in-place"});
  CHECK(content("in/a.tif") == file);
  add("two/a.tif", file);
  add("two/a.tiff", file);
  add("two/a.tfw", world);
  refused({"cw", "two", "--in-place"}, "two/a.tfw belongs to");
  CHECK(content("two/a.tfw") == world);
}

TEST_CASE_METHOD(Workplace,
                 "Other notes of a place beside a picture are no longer true after a turn") {
  const std::string file = text(write_with_libtiff({tiff_picture({}, 30, 20)}));
  add("in/c.tif", file);
  add("in/c.jgw", "of c.jpg");
  for (const char* name : {"d.tif", "e.tif", "f.tif", "g.tif"})
    add(std::string("in/") + name, file);
  add("in/d_RPC.TXT", "LINE_OFF: +015690.00 pixels\n");
  add("in/e.RPB", "satId = \"QB02\";\n");
  add("in/f.tif.aux.xml",
      "<PAMDataset><GeoTransform> 5e5, 10, 0, 4e6, 0, -10</GeoTransform><Metadata "
      "domain=\"RPC\"></Metadata></PAMDataset>");
  add("in/g.tif.aux.xml",
      "<PAMDataset><PAMRasterBand band=\"1\"><Metadata><MDI "
      "key=\"STATISTICS_MEAN\">7</MDI></Metadata></PAMRasterBand></PAMDataset>");
  const auto before = tree("in");
  const auto says = [](const std::string& picture, const std::string& world) {
    return "qturn: warning: in/" + picture + ": no longer true after the turn: " + world +
           " beside it (where it lies on a map)\n";
  };
  const Result result = done({"cw", "in", "-o", "out", "-q", "-j", "1"});
  CHECK_THAT(result.err, ContainsSubstring(says("d.tif", "d_RPC.TXT")) &&
                             ContainsSubstring(says("e.tif", "e.RPB")) &&
                             ContainsSubstring(says("f.tif", "f.tif.aux.xml")) &&
                             !ContainsSubstring("g.tif"));
  CHECK(result.err.find("c.tif") == std::string::npos);
  CHECK(qturn({"upright", "in", "-o", "same", "-q"}).err.empty());
  // To standard output it has no place.
  add("b.tif", file);
  add("b.tfw", world);
  CHECK_THAT(qturn({"cw", "b.tif", "-o", "-", "-q"}).err, ContainsSubstring("b.tfw beside it"));
  failed({"cw", "in/e.tif", "--in-place"});
  CHECK(tree("in") == before);
  done({"cw", "in/e.tif", "--in-place", "--allow-stale-metadata"});
}

TEST_CASE_METHOD(Workplace, "Notes of GDAL turn with their picture, and back") {
  const auto notes = [](const std::string& place, const std::string& point) {
    return "<PAMDataset>\n  <SRS>a</SRS>\n  <GeoTransform>  " + place +
           "</GeoTransform>\n  <GCPList Projection=\"\"><GCP Id=\"1\" " + point +
           " X=\"5\" /></GCPList>\n</PAMDataset>\n";
  };
  const std::string before =
      notes("500000.25, 10.0,0.5, 4e6, -0.25, -10", R"(Pixel="1.5" Line="2")");
  add("in/a.tif", text(write_with_libtiff({tiff_picture({}, 30, 20)})));
  add("in/a.tif.aux.xml", before);
  CHECK(done({"flop", "in", "-o", "out", "-q", "--strict"}).err.empty());
  CHECK(content("out/a.tif.aux.xml") ==
        notes("500300.25, -10.0,0.5, 3999992.50, 0.25, -10", R"(Pixel="28.5" Line="2")"));
  CHECK(done({"cw", "in", "--in-place", "-q", "--strict"}).err.empty());
  CHECK(content("in/a.tif.aux.xml") ==
        notes("500010.25, -0.5,10.0, 3999800, 10, -0.25", R"(Pixel="18" Line="1.5")"));
  done({"augment", "in", "-o", "more", "-q", "--variants", "ccw"});
  CHECK(content("more/a__rotate270.tif.aux.xml") ==
        notes("500000.25, 10.0,0.5, 4000000, -0.25, -10", R"(Pixel="1.5" Line="2")"));
  add("in/a.tif.aux.xml", "<PAMDataset><GeoTransform>1, 2</GeoTransform></PAMDataset>");
  failed({"cw", "in", "-o", "bad"}, "in/a.tif.aux.xml: a world file has six numbers");
}

TEST_CASE("Notes of GDAL that are not where GDAL reads them are refused, not passed over") {
  for (const char* name : {"f.aux.xml", "f.tif.AUX.XML"}) {
    CAPTURE(name);
    Workplace workplace;
    workplace.add("in/f.tif", text(write_with_libtiff({tiff_picture({}, 30, 20)})));
    workplace.add(std::string("in/") + name,
                  "<PAMDataset><GeoTransform> 5e5, 10, 0, 4e6, 0, -10</GeoTransform></PAMDataset>");
    workplace.refused({"cw", "in", "-o", "out"}, name);
  }
}

TEST_CASE_METHOD(Workplace, "Notes of GDAL that are too large to be read are named") {
  add("in/f.tif", text(write_with_libtiff({tiff_picture({}, 30, 20)})));
  add("in/f.tif.aux.xml", "<PAMDataset></PAMDataset>");
  std::filesystem::resize_file(path() / "in/f.tif.aux.xml", (64 << 20) + 1);
  failed({"cw", "in", "-o", "out"},
         "in/f.tif: f.tif.aux.xml beside it cannot be read: it is larger than 64 MiB");
}

TEST_CASE_METHOD(
    Workplace,
    "A TIFF with JPEG inside is turned where a change of storage is allowed, with a warning") {
  add("a.tif", jpeg_inside());
  failed({"cw", "a.tif", "-o", "out"},
         "a.tif: not turned, because JPEG compression becomes deflate; "
         "--allow-storage-change permits that");
  CHECK(!std::filesystem::exists(path() / "out/a.tif"));

  done({"cw", "a.tif", "-o", "out", "--allow-storage-change"}, "JPEG compression becomes deflate");
  const auto read = read_with_libtiff(owned(content("out/a.tif")));
  CHECK(read.at(0).kind.compression == COMPRESSION_ADOBE_DEFLATE);
  CHECK(read.at(0).width == 16);

  // Upright already: copied byte for byte, so nothing changes and nothing has to be allowed.
  done({"upright", "a.tif", "-o", "same"});
  CHECK(content("same/a.tif") == content("a.tif"));
  // Of eight variants the one that is a copy is written, seven are refused.
  failed({"augment", "a.tif", "-o", "eight", "--labels", "none"});
  CHECK(content("eight/a__identity.tif") == content("a.tif"));
  CHECK(!std::filesystem::exists(path() / "eight/a__flop.tif"));
  done({"augment", "a.tif", "-o", "all", "--allow-storage-change"});
  CHECK(std::filesystem::exists(path() / "all/a__flop.tif"));
  // To another format the storage changes anyway.
  done({"cw", "a.tif", "-o", "a.png", "--format", "png"});
}

TEST_CASE_METHOD(Workplace, "In place the storage of a TIFF never changes") {
  const std::string file = jpeg_inside();
  add("a.tif", file);
  failed({"cw", "a.tif", "--in-place"},
         "a.tif: not turned in place, because JPEG compression becomes deflate; use -o with "
         "--allow-storage-change");
  refused({"cw", "a.tif", "--in-place", "--allow-storage-change"});
  CHECK(content("a.tif") == file);
  // By its tag alone it can be turned.
  done({"cw", "a.tif", "--in-place", "--tag-only"});
}

TEST_CASE("tiffcmp sees no difference after four quarter turns, and tiffinfo none in the storage") {
  if (std::system("tiffcmp -h >/dev/null 2>&1; test $? != 127") != 0) {
    SKIP("libtiff's programs are not installed");
  }
  for (const TiffKind& kind :
       {TiffKind{.photometric = PHOTOMETRIC_MINISWHITE,
       .bits = 1,
       .compression = COMPRESSION_CCITT_T4,
       .fill_order = FILLORDER_LSB2MSB,
       .fax_options = 5},
        TiffKind{.photometric = PHOTOMETRIC_PALETTE, .bits = 4},
        TiffKind{.photometric = PHOTOMETRIC_SEPARATED,
        .bits = 16,
        .samples = 4,
        .compression = COMPRESSION_ADOBE_DEFLATE,
        .predictor = 2,
        .planar = PLANARCONFIG_SEPARATE},
        TiffKind{.photometric = PHOTOMETRIC_CIELAB, .samples = 3, .compression = COMPRESSION_LZW},
        TiffKind{.bits = 12, .compression = COMPRESSION_PACKBITS}}) {
    for (const char* mode : {"wl", "w8b"}) {
      Workplace workplace;
      workplace.add("a.tif", text(write_with_libtiff({tiff_picture(kind, 40, 40)}, mode)));
      workplace.done({"cw", "a.tif", "-o", "once.tif"});
      // A square: all that tiffinfo says about it stays, except for the place of the directory.
      const std::string after = " | grep -v 'Directory at'";
      const std::string before = said_by(workplace, "tiffinfo a.tif" + after);
      CHECK_THAT(before, ContainsSubstring("Photometric Interpretation"));
      CHECK(said_by(workplace, "tiffinfo once.tif" + after) == before);
      for (int i = 0; i < 3; ++i) workplace.qturn({"cw", "once.tif", "--in-place"});
      CHECK(said_by(workplace, "tiffcmp a.tif once.tif") == "");
    }
  }
}

TEST_CASE_METHOD(Workplace, "A picture too large for its file fails at once and takes no memory") {
  const qturn::Bytes fax = write_with_libtiff({tiff_picture(
      {.photometric = PHOTOMETRIC_MINISWHITE, .bits = 1, .compression = COMPRESSION_CCITT_T6}, 64,
      64)});
  qturn::tiff::TiffFile tiff = qturn::tiff::read_tiff(fax);
  for (qturn::tiff::TiffField& field : tiff.pages[0].fields) {
    const std::uint64_t large = 1000000;
    if (field.tag == qturn::tiff::tiff_tag::width || field.tag == qturn::tiff::tiff_tag::height ||
        field.tag == qturn::tiff::tiff_tag::rows_per_strip) {
      field =
          qturn::tiff::tiff_integers(field.tag, qturn::tiff::tiff_type::u32, std::span(&large, 1));
    }
  }
  const std::span<const std::byte> parts[] = {fax};
  std::vector<std::string> warnings;
  add("a.tif", text(qturn::tiff::write_tiff(tiff, parts, warnings)));
  std::vector<std::string> words = {"cw", "a.tif", "-o", "out", "--memory", "100MiB"};
  failed(words, "1000000000000 pixels, more than the limit");
  words.insert(words.end(), {"--limit", "pixels=none", "--limit", "ratio=none"});
  const Result unlimited = failed(words, "1000000 x 1000000 pixels need");
  CHECK(unlimited.max_resident_kib < 1000000);
}

}  // namespace tiff_test
