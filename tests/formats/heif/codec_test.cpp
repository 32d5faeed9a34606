#include "src/formats/heif/heif.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <array>
#include <atomic>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/check/check.hpp"
#include "src/formats/table.hpp"
#include "src/picture/file_limits.hpp"
#include "src/turn/picture_turn.hpp"
#include "tests/fixtures/file_parts.hpp"
#include "tests/fixtures/metadata.hpp"
#include "tests/fixtures/motion_video.hpp"
#include "tests/fixtures/other_programs.hpp"

namespace heif_codec_test {

namespace {

using namespace qturn;
using namespace qturn::heif;
using namespace qturn::tests;
using Catch::Matchers::ContainsSubstring;

std::string full_box(const std::string& type, int version, const std::string& content,
                     int flags = 0) {
  return iso_box(type,
                 in_big_endian(static_cast<std::uint64_t>(version) << 24 | flags, 4) + content);
}

const std::string size_80x48 = full_box("ispe", 0, in_big_endian(80, 4) + in_big_endian(48, 4));
std::string irot(int angle) { return iso_box("irot", in_big_endian(angle, 1)); }
std::string imir(int axis) { return iso_box("imir", in_big_endian(axis, 1)); }

// What a container is made of, with the numbers as in the file.
struct Container {
  struct Item {
    int id;
    std::string type, data;
    std::vector<int> properties;
    std::string mime = {};
    bool is_named = true;  ///< in the list of items
  };
  std::vector<Item> items;
  std::vector<std::string> properties;
  std::string references = {}, groups = {};
  bool wide = false;  ///< properties have numbers of 15 bits
  int base = 0;       ///< the bytes of a base offset, which is where the data begin
  bool data_in_idat = false;
  bool data_first = false;   ///< "mdat" before "meta"
  bool lists_first = false;  ///< "ipma" before "ipco"
  int data_file = 0;         ///< which file has the data; 0: this one

  std::string data() const {
    std::string all;
    for (const Item& item : items) all += item.data;
    return all;
  }

  std::string meta(std::uint64_t data_at) const {
    std::string infe, places, lists, list;
    std::uint64_t at = 0;
    for (const Item& item : items) {
      if (item.is_named) {
        infe += full_box("infe", 2,
                         in_big_endian(item.id, 2) + in_big_endian(0, 2) + item.type + '\0' +
                             (item.mime.empty() ? "" : item.mime + '\0'));
      }
      const std::uint64_t first = base > 0 ? data_at : 0;
      places += in_big_endian(item.id, 2) + in_big_endian(data_in_idat ? 1 : 0, 2) +
                in_big_endian(data_file, 2) + in_big_endian(first, base) + in_big_endian(1, 2) +
                in_big_endian(data_at - first + at, 4) + in_big_endian(item.data.size(), 4);
      at += item.data.size();
      lists += in_big_endian(item.id, 2) + in_big_endian(item.properties.size(), 1);
      for (const int property : item.properties) lists += in_big_endian(property, wide ? 2 : 1);
    }
    for (const std::string& property : properties) list += property;
    const std::string all_lists =
        full_box("ipma", 0, in_big_endian(items.size(), 4) + lists, wide ? 1 : 0);
    return full_box("meta", 0,
                    full_box("hdlr", 0, std::string(20, '\0')) +
                        full_box("pitm", 0, in_big_endian(items.front().id, 2)) +
                        full_box("iloc", 1,
                                 "\x44" + in_big_endian(base << 4, 1) +
                                     in_big_endian(items.size(), 2) + places) +
                        full_box("iinf", 0, in_big_endian(items.size(), 2) + infe) +
                        (references.empty() ? "" : full_box("iref", 0, references)) +
                        iso_box("iprp", lists_first ? all_lists + iso_box("ipco", list)
                                                    : iso_box("ipco", list) + all_lists) +
                        (groups.empty() ? "" : iso_box("grpl", groups)) +
                        (data_in_idat ? iso_box("idat", data()) : ""));
  }

  Bytes file() const {
    const std::string first = iso_box("ftyp", "heic" + in_big_endian(0, 4) + "mif1heic");
    const std::string pixels = iso_box("mdat", data());
    if (data_in_idat) return owned(first + meta(0));
    if (data_first) return owned(first + pixels + meta(first.size() + 8));
    const std::uint64_t at = first.size() + meta(0).size() + 8;
    return owned(first + meta(at) + pixels);
  }
};

Container picture() {
  return {.items = {{1, "hvc1", "the pixels", {1}}}, .properties = {size_80x48}};
}

// One that is shown turned by this property.
Container picture_with(const std::string& turn) {
  Container container = picture();
  container.properties.push_back(turn);
  container.items[0].properties = {1, 0x82};
  return container;
}

// The content of a "grid": as many parts beside each other.
std::string grid_of(int columns) {
  return in_big_endian(0, 3) + in_big_endian(columns - 1, 1) + in_big_endian(0, 4);
}

std::string reference(const std::string& type, int from, std::vector<int> to) {
  std::string content = in_big_endian(from, 2) + in_big_endian(to.size(), 2);
  for (const int each : to) content += in_big_endian(each, 2);
  return iso_box(type, content);
}

std::string group(const std::string& type, const std::vector<int>& items) {
  std::string content = in_big_endian(900, 4) + in_big_endian(items.size(), 4);
  for (const int each : items) content += in_big_endian(each, 4);
  return full_box(type, 0, content);
}

struct TurnedFile {
  Bytes file;
  std::vector<std::string> warnings;
};

TurnedFile turned(const Bytes& file, Orientation orientation) {
  TurnedFile result;
  result.file = turned_heif(HeifFile(file, unlimited), orientation, result.warnings);
  return result;
}

Orientation shown(const Bytes& file, std::uint32_t item) {
  const HeifFile heif(file, unlimited);
  return shown_orientation(heif, heif.item(item));
}

std::string content(const Bytes& file, std::uint32_t item) {
  const HeifFile heif(file, unlimited);
  return std::string(text_of(heif.content(heif.item(item)).value()));
}

std::string refusal_of_turn(const Container& container) {
  return thrown_by([&] { return turned(container.file(), Orientation::rotate90); });
}

Pam by_libheif(std::span<const std::byte> file) {
  return read_pam(
      made_by("mv in in.heic && heif-convert in.heic out.png >said && "
              "convert out.png -type TrueColorMatte -depth 8 pam:out",
              file));
}

}  // namespace

TEST_CASE("Boxes, properties and items that nobody knows are named where pixels move") {
  using Names = std::vector<std::string>;
  const auto said_of = [](const Bytes& file) {
    const PictureTurn turn(file, "", {.jpeg = {}});
    CHECK(turn.plan(Orientation::identity).kept_unknown.empty());
    return turn.plan(Orientation::rotate90).kept_unknown;
  };
  const auto with = [](const Container& container, const std::string& boxes = "") {
    return followed_by(container.file(), boxes);
  };
  CHECK(said_of(with(picture(), iso_box("free", "ab") + iso_box("abcd", ""))) == Names());
  CHECK(said_of(with(picture(), iso_box("abcd", "ab"))) == Names{"HEIF abcd"});
  CHECK(said_of(with(picture(), iso_box("uuid", "0123456789abcdef and more"))) ==
        Names{"HEIF uuid 30313233343536373839616263646566"});
  Container container = picture();
  container.properties.push_back(iso_box("abcd", "ab"));
  container.properties.push_back(full_box("pixi", 0, "\3\10\10\10"));
  CHECK(said_of(container.file()) == Names{"HEIF property abcd"});
  container = picture();
  container.items.push_back({2, "mime", "ab", {}, "text/plain"});
  container.items.push_back({3, "rgan", "ab", {}});
  container.items.push_back({4, "mime", "<a/>", {}, "application/rdf+xml"});
  container.items.push_back(
      {5, "mime", "<a/>", {}, std::string("application/rdf+xml\0deflate", 27)});
  CHECK(said_of(container.file()) == Names{"HEIF item mime text/plain", "HEIF item rgan",
                                           "HEIF item mime application/rdf+xml (compressed)"});
  // A text in Exif's Exif directory, after the offset of its header.
  container = picture();
  container.items.push_back({2,
                             "Exif",
                             in_big_endian(0, 4) + "MM" + in_big_endian(42, 2) +
                                 in_big_endian(8, 4) + in_big_endian(1, 2) +
                                 in_big_endian(50001, 2) + in_big_endian(2, 2) +
                                 in_big_endian(3, 4) + "ab" + in_big_endian(0, 6),
                             {}});
  CHECK(said_of(container.file()) == Names{"Exif 50001"});
}

TEST_CASE("irot turns to the left, and imir with axis 0 exchanges top and bottom") {
  const std::vector<std::pair<std::vector<std::string>, Orientation>> cases = {
      {{}, Orientation::identity},
      {{irot(1)}, Orientation::rotate270},
      {{irot(2)}, Orientation::rotate180},
      {{irot(3)}, Orientation::rotate90},
      {{imir(0)}, Orientation::flip},
      {{imir(1)}, Orientation::flop},
      {{irot(1), imir(0)}, Orientation::transpose},
      {{irot(1), imir(1)}, Orientation::transverse},
      // The item's list gives the order.
      {{imir(0), irot(1)}, Orientation::transverse},
  };
  for (const auto& [properties, orientation] : cases) {
    Container container = picture();
    for (const std::string& property : properties) {
      container.properties.push_back(property);
      container.items[0].properties.push_back(static_cast<int>(container.properties.size()));
    }
    CHECK(shown(container.file(), 1) == orientation);
  }
}

TEST_CASE("Every turn of every container composes, and moves no byte of the pixels") {
  for (const Orientation first : all_orientations) {
    const Bytes file = turned(picture().file(), first).file;
    for (const Orientation then : all_orientations) {
      const Bytes result = turned(file, then).file;
      CAPTURE(name(first), name(then));
      CHECK(shown(result, 1) == compose(first, then));
      CHECK(content(result, 1) == "the pixels");
      // Turned back, nothing is added that was not there already.
      CHECK(turned(result, inverse(then)).file.size() <= result.size() + 2);
      const HeifFile heif(result, unlimited);
      for (const HeifAssociation& each : heif.item(1).properties) {
        CHECK(each.is_essential == (heif.property(each).type != "ispe"));
      }
    }
  }
}

TEST_CASE("Pixels are found wherever they lie, and however their places are written") {
  for (const bool in_idat : {false, true}) {
    for (const bool first : {false, true}) {
      for (const int base : {0, 4, 8}) {
        Container container = picture();
        container.items.push_back({2, "hvc1", "a thumbnail", {1}});
        container.references = reference("thmb", 2, {1});
        container.data_in_idat = in_idat;
        container.data_first = first;
        container.base = base;
        const Bytes result = turned(container.file(), Orientation::transpose).file;
        CAPTURE(in_idat, first, base);
        CHECK(shown(result, 1) == Orientation::transpose);
        CHECK(content(result, 1) == "the pixels");
        CHECK(content(result, 2) == "a thumbnail");
      }
    }
  }
}

TEST_CASE("More than 127 properties take numbers of 15 bits") {
  Container container = picture();
  while (container.properties.size() < 127) container.properties.push_back(iso_box("free", "x"));
  for (const bool lists_first : {false, true}) {
    container.lists_first = lists_first;
    const Bytes result = turned(container.file(), Orientation::rotate90).file;
    CHECK(shown(result, 1) == Orientation::rotate90);
  }
  container.wide = true;
  container.properties.push_back(irot(3));
  container.items[0].properties = {1, 0x8000 | 128};
  CHECK(shown(turned(container.file(), Orientation::rotate90).file, 1) == Orientation::rotate180);
}

TEST_CASE("Thumbnails, auxiliary pictures and alternatives turn along; tiles and others do not") {
  Container container;
  container.items = {{1, "grid", grid_of(2), {1}}, {2, "hvc1", "a", {1}},
                     {3, "hvc1", "b", {1}},        {4, "hvc1", "thumb", {1, 2}},
                     {5, "hvc1", "depth", {1}},    {6, "hvc1", "alt", {1, 2}},
                     {7, "hvc1", "other", {1, 2}}};
  container.properties = {size_80x48, irot(1)};
  container.references =
      reference("dimg", 1, {2, 3}) + reference("thmb", 4, {1}) + reference("auxl", 5, {1});
  container.groups = group("altr", {1, 6});
  const TurnedFile result = turned(container.file(), Orientation::rotate90);
  CHECK(shown(result.file, 1) == Orientation::rotate90);
  CHECK(shown(result.file, 2) == Orientation::identity);
  CHECK(shown(result.file, 3) == Orientation::identity);
  CHECK(shown(result.file, 4) == Orientation::identity);  // it was turned to the left
  CHECK(shown(result.file, 5) == Orientation::rotate90);
  CHECK(shown(result.file, 6) == Orientation::identity);
  // It shares its property with two that are turned.
  CHECK(shown(result.file, 7) == Orientation::rotate270);
  CHECK(result.warnings == std::vector<std::string>{"another picture in it stays as it is"});
}

TEST_CASE("An auxiliary picture that a writer forgot to turn follows the picture") {
  Container container = picture_with(irot(1));
  container.items.push_back({2, "hvc1", "alpha", {1}});
  container.references = reference("auxl", 2, {1});
  const Bytes result = turned(container.file(), Orientation::rotate180).file;
  CHECK(shown(result, 1) == Orientation::rotate90);
  CHECK(shown(result, 2) == Orientation::identity);
}

TEST_CASE("A tone-mapped picture is made of turned ones, and its gain map turns along") {
  Container container = picture();
  container.properties.push_back(irot(2));
  container.items.push_back({2, "hvc1", "gain map", {1}});
  container.items.push_back({3, "tmap", "how", {1}});
  container.references = reference("dimg", 3, {1, 2});
  container.groups = group("altr", {3, 1});
  const Bytes result = turned(container.file(), Orientation::flop).file;
  CHECK(shown(result, 1) == Orientation::flop);
  CHECK(shown(result, 2) == Orientation::flop);
  CHECK(shown(result, 3) == Orientation::identity);
  // One that repeats the turn of the others.
  for (Container::Item& item : container.items) item.properties = {1, 0x82};
  const Bytes repeated = turned(container.file(), Orientation::flop).file;
  for (const int item : {1, 2, 3}) CHECK(shown(repeated, item) == Orientation::flip);
  container.items[0].properties = container.items[1].properties = {1};
  CHECK_THAT(refusal_of_turn(container), ContainsSubstring("turned in another way"));
}

TEST_CASE("What cannot be turned by itself is refused by name") {
  Container used = picture();
  used.items.push_back({2, "iovl", "over", {1}});
  used.references = reference("dimg", 2, {1});
  CHECK_THAT(refusal_of_turn(used), ContainsSubstring("made of the one"));
  Container shared = picture();
  shared.items.push_back({2, "hvc1", "second", {1}});
  shared.items.push_back({3, "hvc1", "thumb", {1}});
  shared.references = reference("thmb", 3, {1, 2});
  CHECK_THAT(refusal_of_turn(shared), ContainsSubstring("share a thumbnail"));
  Container cropped = picture();
  cropped.properties.push_back(irot(1));
  cropped.properties.push_back(iso_box("clap", std::string(32, '\1')));
  cropped.items[0].properties = {1, 2, 3};
  CHECK_THAT(refusal_of_turn(cropped), ContainsSubstring("cropped after it is turned"));
  Container scaled = picture();
  scaled.properties.push_back(iso_box("iscl", std::string(12, '\1')));
  scaled.items[0].properties = {1, 2};
  CHECK_THAT(refusal_of_turn(scaled), ContainsSubstring("scaled ('iscl')"));
  for (const auto& [box, says] : {std::pair{"meco", "'meco'"}, {"moof", "in fragments"}})
    CHECK_THROWS_WITH(HeifFile(followed_by(picture().file(), iso_box(box, "")), unlimited),
                      ContainsSubstring(says));
}

TEST_CASE("Both pictures of a stereo pair are turned, and as a pair they are no longer true") {
  Container stereo = picture();
  stereo.items.push_back({2, "hvc1", "right", {1}});
  stereo.items.push_back({3, "hvc1", "thumb", {1}});
  stereo.references = reference("thmb", 3, {2});
  stereo.groups = group("ster", {1, 2});
  const Bytes file = stereo.file();
  const TurnedFile result = turned(file, Orientation::rotate90);
  for (const std::uint32_t item : {1U, 2U, 3U})
    CHECK(shown(result.file, item) == Orientation::rotate90);
  CHECK(result.warnings.empty());
  CHECK(PictureTurn(file, "", {.jpeg = {}}).plan(Orientation::rotate90).stale_metadata ==
        std::vector<std::string>{"its stereo pair (left and right)"});
  CHECK(PictureTurn(file, "", {.jpeg = {}}).plan(Orientation::identity).stale_metadata.empty());
}

namespace {

std::string track_of(const std::string& kind, const VideoMatrix& matrix, std::uint64_t chunk_at,
                     const std::string& entry) {
  const std::string header =
      full_box("tkhd", 0,
               std::string(36, '\1') + matrix_text(matrix) + in_big_endian(80, 2) +
                   in_big_endian(0, 2) + in_big_endian(48, 2) + in_big_endian(0, 2));
  const std::string table =
      chunk_at % 2 == 0 ? full_box("stco", 0, in_big_endian(1, 4) + in_big_endian(chunk_at, 4))
                        : full_box("co64", 0, in_big_endian(1, 4) + in_big_endian(chunk_at, 8));
  const std::string list = full_box("stsd", 0, in_big_endian(1, 4) + entry) + table;
  // A track may have Exif of its own, somewhere else in the file.
  const std::string items =
      full_box("meta", 0,
               full_box("iloc", 1,
                        "\x44" + in_big_endian(0, 1) + in_big_endian(1, 2) + in_big_endian(1, 2) +
                            in_big_endian(0, 4) + in_big_endian(1, 2) + in_big_endian(chunk_at, 4) +
                            in_big_endian(2, 4)));
  return iso_box(
      "trak",
      header + items +
          iso_box("mdia", full_box("hdlr", 0, in_big_endian(0, 4) + kind + std::string(13, '\0')) +
                              iso_box("minf", iso_box("stbl", list))));
}

std::string av1_entry(const std::string& more) {
  return iso_box("av01",
                 std::string(78, '\2') + iso_box("av1C", "conf") + more + iso_box("ccst", "0123"));
}

VideoMatrix scaled(VideoMatrix matrix) {
  for (std::int32_t& each : matrix) {
    if (each == video_w) each = 80 * video_one;
    if (each == video_h) each = 48 * video_one;
  }
  return matrix;
}

// A still picture, and a sequence with alpha and sound, whose samples lie after all boxes.
Bytes sequence_file(std::size_t quarters, const std::string& in_entry, bool has_picture = true) {
  const Container still = picture();
  const std::string first = iso_box("ftyp", "avis" + in_big_endian(0, 4) + "avifavis");
  const VideoMatrix matrix = scaled(video_turns[quarters]);
  const auto movie = [&](std::uint64_t at) {
    const std::string header = full_box(
        "mvhd", 0, std::string(32, '\1') + matrix_text(video_turns[0]) + std::string(28, '\0'));
    return iso_box("moov", header + track_of("pict", matrix, at, av1_entry(in_entry)) +
                               track_of("auxv", matrix, at + 3, av1_entry("")) +
                               track_of("soun", video_turns[1], at + 6, iso_box("mp4a", "sound")));
  };
  const std::string meta = has_picture ? still.meta(0) : std::string();
  const std::size_t after_boxes = first.size() + meta.size() + movie(0).size() + 8;
  const std::size_t at = after_boxes + after_boxes % 2;
  const std::size_t samples = at + still.data().size();
  return owned(first + (has_picture ? still.meta(at) : "") + movie(samples) +
               iso_box("mdat", std::string(after_boxes % 2, '!') + still.data() +
                                   "the samples of all tracks, and more"));
}

// What the items of tracks begin with.
std::vector<std::string> items_of_tracks(const Bytes& file) {
  const std::string_view text = text_of(file);
  std::vector<std::string> all;
  for (std::size_t at = text.find("moov"); (at = text.find("iloc", at)) != text.npos; at += 4) {
    const Box table{"iloc", at - 4, at + 4, text.find("mdia", at)};
    const HeifExtent extent = read_locations(file, table).items.at(0).second.extents.at(0);
    all.emplace_back(text.substr(extent.offset, extent.length));
  }
  return all;
}

std::vector<Orientation> shown_tracks(const Bytes& file) {
  const HeifFile heif(file, unlimited);
  const Sequence sequence = read_sequence(file, *heif.movie);
  CHECK(sequence.doubt.empty());
  std::vector<Orientation> shown;
  for (const PictureTrack& track : sequence.tracks) shown.push_back(track.shown);
  return shown;
}

}  // namespace

TEST_CASE("What a sequence's tracks have besides pictures and sound is named") {
  const auto said_of = [](const std::string& file) {
    return avif_codec.read_header(owned(file)).unknown;
  };
  std::string file(text_of(sequence_file(0, "")));
  CHECK(said_of(file) == std::vector<std::string>{"HEIF track meta"});
  file.replace(file.find("soun"), 4, "mett");
  CHECK(said_of(file) == std::vector<std::string>{"HEIF track meta", "HEIF track mett"});
  file.replace(file.find("mvhd"), 4, "udta");
  CHECK(said_of(file) ==
        std::vector<std::string>{"HEIF movie udta", "HEIF track meta", "HEIF track mett"});
}

TEST_CASE(
    "An image sequence is turned by its matrix, and by what libavif looks at; no sample moves") {
  const std::array rotations = {Orientation::identity, Orientation::rotate90,
                                Orientation::rotate180, Orientation::rotate270};
  const std::array angles = {"", "\3", "\2", "\1"};  // to the left
  for (const bool has_picture : {true, false}) {
    for (std::size_t was = 0; was < 4; ++was) {
      const Bytes file =
          sequence_file(was, was == 0 ? "" : iso_box("irot", angles[was]), has_picture);
      CHECK(shown_tracks(file) == std::vector(2, rotations[was]));
      const Size size = was % 2 == 0 || has_picture ? Size{80, 48} : Size{48, 80};
      CHECK(avif_codec.read_header(file).size() == size);
      for (std::size_t by = 0; by < 4; ++by) {
        CAPTURE(has_picture, was, by);
        const TurnedFile result = turned(file, rotations[by]);
        CHECK(result.warnings.empty());
        CHECK(shown_tracks(result.file) == std::vector(2, rotations[(was + by) % 4]));
        const HeifFile before(file, unlimited), after(result.file, unlimited);
        CHECK(beginnings_of_chunks(result.file, *after.movie) ==
              beginnings_of_chunks(file, *before.movie));
        CHECK(items_of_tracks(result.file) == std::vector<std::string>{"th", " s", "mp"});
        // All that lies after the boxes, wherever it is now.
        CHECK(text_of(result.file).ends_with(text_of(file).substr(text_of(file).find("mdat"))));
        if (has_picture) {
          CHECK(shown(result.file, 1) == rotations[by]);
          CHECK(content(result.file, 1) == "the pixels");
        }
        const std::atomic<bool> stop = false;
        PictureTurn turn(file, "", {.jpeg = {}, .proves = true});
        const auto lane = make_cpu_lane(0);
        turn.read(std::span(&rotations[by], 1), *lane, stop);
        CHECK_NOTHROW(turn.prove(rotations[by], result.file, stop));
      }
    }
  }
}

TEST_CASE("An image sequence that is not turned is refused by name") {
  const auto refusal_of = [](const Bytes& file, Orientation by) {
    return PictureTurn(file, "", {.jpeg = {}}).plan(by).message;
  };
  CHECK_THAT(refusal_of(sequence_file(0, ""), Orientation::flop),
             ContainsSubstring("its image sequence is not mirrored"));
  // As avifenc --irot writes it.
  CHECK_THAT(refusal_of(sequence_file(0, iso_box("irot", "\1")), Orientation::rotate90),
             ContainsSubstring("its matrix says orientation 1 and the description of its samples "
                               "(irot) says 8"));
  std::string odd(text_of(sequence_file(0, "")));
  odd.replace(odd.find(matrix_text(video_turns[0]), odd.find("tkhd")), 4, in_big_endian(0x8000, 4));
  CHECK_THROWS_WITH(avif_codec.read_header(owned(odd)),
                    ContainsSubstring("its image sequence cannot be turned: its matrix is not"));
  const Bytes none = followed_by(picture().file(), iso_box("moov", ""));
  CHECK_THROWS_WITH(avif_codec.read_header(none), ContainsSubstring("has no pictures"));
}

TEST_CASE("libavif shows an animated AVIF turned, with all of its frames") {
  const Bytes source = write_pam(noise_pam(40, 24, 3));
  const Bytes file = made_by(
      "convert pam:in a.png && convert a.png -negate b.png && avifenc a.png b.png out.avif >said "
      "&& "
      "mv out.avif out",
      source);
  const Bytes result =
      turned(turned(file, Orientation::rotate180).file, Orientation::rotate270).file;
  const Bytes said = made_by("mv in in.avif && avifdec --info in.avif >out", result);
  CHECK_THAT(std::string(text_of(said)), ContainsSubstring("irot (Rotation)      : 3") &&
                                             ContainsSubstring("Decoded frame [1]"));
}

TEST_CASE("A tone-mapped picture that says how it is turned goes on to say it") {
  Container container = picture();
  container.properties = {size_80x48, irot(1), irot(0)};
  container.items.push_back({2, "hvc1", "gain map", {1}});
  container.items.push_back({3, "tmap", "how", {1}});
  container.references = reference("dimg", 3, {1, 2});
  const std::vector<std::pair<std::vector<int>, Orientation>> cases = {
      {{1, 0x82}, Orientation::rotate270}, {{1, 0x83}, Orientation::identity}};
  for (const auto& [properties, before] : cases) {
    for (Container::Item& item : container.items) item.properties = properties;
    Bytes file = turned(container.file(), inverse(before)).file;
    CHECK(shown(file, 3) == Orientation::identity);
    file = turned(file, Orientation::flop).file;
    for (const int item : {1, 2, 3}) CHECK(shown(file, item) == Orientation::flop);
  }
}

TEST_CASE("An auxiliary picture follows only the turned picture that it belongs to") {
  Container container = picture();
  container.properties = {size_80x48, irot(1), irot(0), iso_box("clap", std::string(32, '\1'))};
  container.items.push_back({2, "hvc1", "alpha", {1}});
  container.items.push_back({3, "hvc1", "thumbnail", {1, 0x82}});
  container.items.push_back({4, "hvc1", "its alpha", {1}});
  container.references =
      reference("auxl", 2, {1}) + reference("thmb", 3, {1}) + reference("auxl", 4, {3});
  for (const int property : {1, 3, 4}) {  // the picture is not turned
    CAPTURE(property);
    container.items[0].properties = {1, property};
    const Bytes result = turned(container.file(), Orientation::flip).file;
    CHECK(shown(result, 1) == Orientation::flip);
    CHECK(shown(result, 2) == Orientation::flip);
    CHECK(shown(result, 3) == compose(Orientation::rotate270, Orientation::flip));
    CHECK(shown(result, 4) == Orientation::identity);
  }
}

TEST_CASE("What the list of items does not name keeps its properties, and its place moves along") {
  Container container = picture();
  container.items.push_back({0x77, "hvc1", "unnamed", {1, 1, 1}});
  container.items.back().is_named = false;
  const Bytes result = turned(container.file(), Orientation::rotate90).file;
  const HeifFile heif(result, unlimited);
  REQUIRE(heif.other_properties.size() == 1);
  CHECK(heif.other_properties.at(0x77).size() == 3);
  const HeifLocations table = read_locations(result, *heif.locations);
  REQUIRE(table.items.size() == 2);
  CHECK(table.items[1].first == 0x77);
  const HeifExtent& extent = table.items[1].second.extents.at(0);
  CHECK(text_of(result).substr(extent.offset, extent.length) == "unnamed");
}

TEST_CASE("Exif that shares its bytes with the picture is refused") {
  Container container = picture();
  container.items.push_back({2, "Exif", "0000" + std::string(30, 'x'), {}});
  std::string file(text_of(container.file()));
  const std::size_t data = file.find("the pixels");
  const std::size_t place = file.find(in_big_endian(data + 10, 4) + in_big_endian(34, 4));
  REQUIRE(place != std::string::npos);
  file.replace(place, 4, in_big_endian(data + 9, 4));
  CHECK_THROWS_WITH(turned(owned(file), Orientation::rotate90),
                    ContainsSubstring("shares its bytes with another item"));
}

TEST_CASE("Thousands of items that belong to each other are turned at once") {
  Container container = picture();
  constexpr int count = 20'000;
  // Each but the last is a thumbnail of the one after it in the list.
  for (int id = 2; id <= count; ++id) container.items.push_back({id, "hvc1", "x", {1}});
  for (int id = count; id > 1; --id) container.references += reference("thmb", id, {id - 1});
  const Bytes result = turned(container.file(), Orientation::rotate90).file;
  CHECK(shown(result, count) == Orientation::rotate90);
}

TEST_CASE("A picture without data and a grid without its parts are refused") {
  Container empty = picture();
  empty.items[0].data = "";
  CHECK_THAT(refusal_of_turn(empty), ContainsSubstring("item 1 has no data"));
  Container grid = picture();
  grid.items = {{1, "grid", grid_of(2), {1}}, {2, "hvc1", "a", {1}}};
  grid.references = reference("dimg", 1, {2, 2});
  CHECK(refusal_of_turn(grid).empty());
  grid.references = reference("dimg", 1, {2});
  CHECK_THAT(refusal_of_turn(grid), ContainsSubstring("item 1 needs 2 parts and has 1"));
  grid.references = reference("dimg", 1, {2, 3});
  CHECK_THAT(refusal_of_turn(grid), ContainsSubstring("item 3 does not exist"));
  grid.references = "";
  grid.items[0].data = in_big_endian(0, 3);
  CHECK_THAT(refusal_of_turn(grid), ContainsSubstring("item 1 is incomplete"));
}

TEST_CASE("Damage to the lists of places and properties, and a box without an end, is refused") {
  Container elsewhere = picture();
  elsewhere.data_file = 1;
  CHECK_THAT(refusal_of_turn(elsewhere), ContainsSubstring("pixels in another file"));
  elsewhere.data_in_idat = true;  // which has no use for the number of a file
  CHECK(refusal_of_turn(elsewhere).empty());
  Container full = picture();
  full.properties.resize(0x8000, iso_box("free", ""));
  CHECK_THAT(refusal_of_turn(full), ContainsSubstring("more properties than have a number"));
  Container endless = picture();
  endless.properties.push_back(in_big_endian(0, 4) + "free");
  CHECK_THAT(refusal_of_turn(endless), ContainsSubstring("smaller than its header"));
}

TEST_CASE("Places before those that a smaller metadata box could write are refused") {
  // The base is the metadata box's last byte, so what moves is an offset, and that is 1.
  Container container = picture();
  container.base = 4;
  container.properties = {size_80x48, irot(1), irot(3)};
  container.items[0].properties = {1, 0x82, 0x82, 0x82, 0x82};
  std::string file(text_of(container.file()));
  const std::size_t data = file.find("the pixels");
  const std::string before = in_big_endian(data, 4) + in_big_endian(1, 2) + in_big_endian(0, 4);
  const std::size_t place = file.find(before);
  REQUIRE(place != std::string::npos);
  file.replace(place, before.size(),
               in_big_endian(data - 9, 4) + in_big_endian(1, 2) + in_big_endian(1, 4));
  CHECK_THROWS_WITH(turned(owned(file), Orientation::rotate90),
                    ContainsSubstring("cannot say where its items move"));
}

TEST_CASE("Exif items that share their bytes count each time") {
  Container container = picture();
  container.items.push_back({2, "Exif", std::string(5000, 'x'), {}});
  const Bytes file = container.file();
  CHECK_THROWS_AS(heif::heic_codec.check_limits(file, Limits{.metadata_bytes = 5000}), LimitError);
  CHECK_NOTHROW(heif::heic_codec.check_limits(file, Limits{.metadata_bytes = 6000}));
}

TEST_CASE("Exif and XMP say 1 after a turn, where they lie; `upright` alone sets them too") {
  Container container = picture_with(irot(0));
  const std::string exif(text_of(exif_with(Orientation::rotate90)));
  const std::string xmp = xmp_packet_with("tiff:Orientation='6'");
  container.items.push_back(
      {2, "Exif", in_big_endian(6, 4) + std::string("Exif\0\0", 6) + exif, {}});
  container.items.push_back({3, "mime", xmp, {}, "application/rdf+xml"});
  const Bytes file = container.file();
  CHECK(heif::heic_codec.read_header(file).has_ignored_tag);
  for (const Orientation orientation : {Orientation::identity, Orientation::flip}) {
    const TurnedFile result = turned(file, orientation);
    CHECK(result.warnings.empty());
    CHECK(shown(result.file, 1) == orientation);
    CHECK_FALSE(heif::heic_codec.read_header(result.file).has_ignored_tag);
    const std::string upright(text_of(exif_with(Orientation::identity)));
    CHECK(content(result.file, 2) == in_big_endian(6, 4) + std::string("Exif\0\0", 6) + upright);
    CHECK_THAT(content(result.file, 3), ContainsSubstring("tiff:Orientation='1'"));
    CHECK(content(result.file, 3).size() == xmp.size());
    if (orientation == Orientation::identity) CHECK(result.file.size() == file.size());
  }
}

TEST_CASE("Where Exif alone says an orientation, nothing is erased and nothing is guessed") {
  Container container = picture();
  const std::string exif = in_big_endian(6, 4) + std::string("Exif\0\0", 6) +
                           std::string(text_of(exif_with(Orientation::rotate90)));
  container.items.push_back({2, "Exif", exif, {}});
  const Bytes file = container.file();
  PictureTurn turn(file, "", {.jpeg = {}});
  CHECK(turn.plan(Orientation::identity).route == Route::copied);
  REQUIRE(turn.warnings().size() == 1);
  CHECK_THAT(turn.warnings()[0],
             ContainsSubstring("programs show it in two ways, because Exif says orientation 6"));
  CHECK(turn.plan(Orientation::rotate90).route == Route::none);
  CHECK(turn.plan(Orientation::rotate90).message == turn.warnings()[0]);
  CHECK(turn.hints_of_doubt() == Hints{Hint::believe_exif});

  // Who believes Exif has it in the container afterwards.
  for (const Orientation operation : all_orientations) {
    const std::atomic<bool> stop = false;
    PictureTurn believing(file, "", {.jpeg = {}, .believes_exif = true, .proves = true});
    CHECK(believing.warnings().empty());
    CHECK(believing.plan(operation).route == Route::lossless);
    const auto lane = make_cpu_lane(0);
    believing.read(std::span(&operation, 1), *lane, stop);
    std::vector<std::string> warnings;
    const FileBytes made = believing.turn(operation, stop, warnings);
    const std::span<const std::byte> bytes = made;
    const Bytes result(bytes.begin(), bytes.end());
    CHECK(warnings.empty());
    CHECK(shown(result, 1) == compose(Orientation::rotate90, operation));
    CHECK_THAT(content(result, 2),
               ContainsSubstring(std::string(text_of(exif_with(Orientation::identity)))));
    CHECK_NOTHROW(believing.prove(operation, result, stop));
  }

  // An irot that turns nothing is an answer.
  container.properties.push_back(irot(0));
  container.items[0].properties.push_back(0x82);
  const Bytes answered = container.file();
  const PictureTurn sure(answered, "", {.jpeg = {}});
  CHECK(sure.plan(Orientation::rotate90).route == Route::lossless);
  CHECK(sure.warnings().empty());
}

TEST_CASE("A HEIC without a box for its size has the size of its HEVC parameters") {
  // From label.heic, a test picture of libgd: 104 x 64 pixels, without 4 hidden columns.
  const std::string sequence(
      "\x42\x01\x01\x03\x70\x00\x00\x03\x00\x90\x00\x00\x03\x00\x00\x03\x00\x1e\xa0\x34\x81\x07\x7e"
      "\x5b"
      "\xa9\x24\xa6\xb9\xb0\x20\x00\x00\x03\x00\x20\x00\x00\x03\x00\x21",
      40);
  const auto header_of = [](const std::string& unit) {
    Container container = picture();
    container.properties = {
        iso_box("hvcC", std::string(22, '\1') + in_big_endian(1, 1) + in_big_endian(0xA1, 1) +
                            in_big_endian(1, 2) + in_big_endian(unit.size(), 2) + unit),
        irot(1)};
    container.items[0].properties = {1, 0x82};
    return heic_codec.read_header(container.file());
  };
  CHECK(header_of(sequence).size() == Size{64, 100});
  for (std::size_t bytes = 0; bytes < 23; ++bytes)
    CHECK_THROWS_WITH(header_of(sequence.substr(0, bytes)), "damaged: its picture has no size");
}

TEST_CASE("A check finds an Exif orientation that is neither 1 nor what is shown") {
  const Container container = picture_with(irot(3));
  const auto findings = [&](Orientation exif) {
    Container with = container;
    with.items.push_back(
        {2, "Exif", in_big_endian(0, 4) + std::string(text_of(exif_with(exif))), {}});
    return check_metadata(with.file(), heif::heic_codec, Limits{}).findings();
  };
  CHECK(findings(Orientation::identity).empty());
  CHECK(findings(Orientation::rotate90).empty());
  CHECK(findings(Orientation::flip) ==
        std::vector<std::string>{"Exif says orientation 4, the picture is shown by 6"});
}

TEST_CASE("The size is the size of the picture as it is shown") {
  Container container = picture_with(irot(1));
  CHECK(heif::heic_codec.read_header(container.file()).size() == Size{48, 80});
  container.properties.push_back(iso_box("clap", in_big_endian(60, 4) + in_big_endian(1, 4) +
                                                     in_big_endian(40, 4) + in_big_endian(1, 4) +
                                                     std::string(16, '\0')));
  container.items[0].properties = {1, 0x83, 0x82};
  CHECK(heif::heic_codec.read_header(container.file()).size() == Size{40, 60});
}

TEST_CASE("A turn is lossless whatever is asked; no other format is made of it, or becomes it") {
  const Bytes file = picture().file();
  for (const bool tag_only : {false, true}) {
    const PictureTurn turn(file, "", {.jpeg = {}, .tag_only = tag_only});
    const TurnOutcome outcome = turn.plan(Orientation::rotate90);
    CHECK(outcome.route == Route::lossless);
    CHECK(outcome.size == Size{48, 80});
    CHECK(turn.plan(Orientation::identity).route == Route::copied);
  }
  CHECK_THROWS_WITH(PictureTurn(file, "", {.target = &png::codec, .jpeg = {}}),
                    "qturn turns heic files without decoding them, so they cannot become png");
  CHECK_THROWS_WITH(
      PictureTurn(bytes_of("P5 1 1 255 x"), "", {.target = &heif::heic_codec, .jpeg = {}}),
      ContainsSubstring("heic cannot be written, but jpeg, png"));
}

TEST_CASE("Every cut of a container is damage") {
  for (const bool in_idat : {false, true}) {
    Container container = picture();
    container.data_in_idat = in_idat;
    const Bytes file = container.file();
    for (std::size_t bytes = 0; bytes < file.size(); ++bytes) {
      CAPTURE(in_idat, bytes);
      CHECK_THROWS_AS(heif::heic_codec.read_header(cut(file, bytes)), ImageFileError);
    }
  }
}

TEST_CASE("The video of a motion photo is turned with the picture") {
  const auto photo = [](std::size_t turns, const std::string& type) {
    const std::string video = MotionVideo{.matrix = video_turns[turns]}.file();
    const bool is_samsung = type == "sefd";
    return followed_by(picture().file(),
                       iso_box(type, is_samsung ? samsung_trailer(video) : video));
  };
  for (const std::string type : {"mpvd", "sefd"}) {
    CAPTURE(type);
    const TurnedFile result = turned(photo(1, type), Orientation::rotate90);
    CHECK(result.warnings.empty());
    CHECK(text_of(result.file).ends_with(text_of(photo(2, type)).substr(picture().file().size())));
  }
  const Bytes other = followed_by(picture().file(), iso_box("mpvd", "not a video"));
  CHECK(turned(other, Orientation::identity).warnings.empty());
  CHECK(turned(other, Orientation::rotate90).warnings ==
        std::vector<std::string>{"the video after the picture is not turned: it is not an MP4"});
}

TEST_CASE("A container with too many items is refused by the limit's name") {
  Container container = picture();
  for (int id = 2; id <= 50; ++id) container.items.push_back({id, "hvc1", "x", {1}});
  CHECK_THROWS_AS(heif::heic_codec.check_limits(container.file(), Limits{.metadata_count = 49}),
                  LimitError);
  CHECK_NOTHROW(heif::heic_codec.check_limits(container.file(), Limits{.metadata_count = 50}));
}

TEST_CASE("libheif shows HEIC and AVIF as they were turned, from whatever orientation") {
  const Bytes source = write_pam(noise_pam(40, 24, 3));
  const std::string to_png = "convert pam:in in.png && ";
  std::map<std::string, Bytes> files;
  files["heic"] = made_by(to_png + "heif-enc -o out.heic in.png >said && mv out.heic out", source);
  const std::map<int, std::string> starts = {{1, ""},
                                             {2, "--imir 1"},
                                             {3, "--irot 2"},
                                             {4, "--imir 0"},
                                             {5, "--irot 1 --imir 0"},
                                             {6, "--irot 3"},
                                             {7, "--irot 1 --imir 1"},
                                             {8, "--irot 1"}};
  for (const auto& [number, options] : starts) {
    files["avif " + std::to_string(number)] = made_by(
        to_png + "avifenc " + options + " in.png out.avif >said && mv out.avif out", source);
  }
  for (const auto& [name, file] : files) {
    const Pam before = by_libheif(file);
    for (const Orientation orientation : all_orientations) {
      CAPTURE(name, qturn::name(orientation));
      CHECK(by_libheif(turned(file, orientation).file) == tests::turned(before, orientation));
    }
  }
}

}  // namespace heif_codec_test
