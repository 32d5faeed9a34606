
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "src/metadata/exif.hpp"
#include "src/metadata/photoshop_resources.hpp"
#include "src/metadata/tiff_structure.hpp"

namespace qturn {
namespace {

// Where the fields are known. Some are turned in the pages of a TIFF only, others in Exif only.
enum FieldIn : std::uint8_t { in_tiff = 1, in_exif = 2, in_both = 3 };

struct KnownField {
  std::uint16_t first, last;
  FieldIn in = in_both;
  std::string_view stale = {};  // not empty: a turn makes them untrue
};

constexpr std::string_view of_raw_pixels = "its crops and corrections (DNG)";

// By their numbers. Those that have no comment are of TIFF 6.0 or of Exif 3.0.
constexpr KnownField known_fields[] = {
    {11, 11},  // ACDSee's name of the program
    {254, 259},
    {262, 266},
    {269, 274},
    {277, 285},
    {286, 287, in_tiff},  // the place of a page
    {288, 293},
    {296, 297},
    {300, 301},
    {305, 306},
    {315, 328},
    {330, 330},
    {332, 334},
    {336, 342},
    {343, 343, in_both, "its clipping path (TIFF)"},
    {344, 347},  // the path's units
    {351, 351},
    {400, 405},  // TIFF/FX
    {433, 435},
    {437, 437},
    {512, 515},
    {517, 521},
    {529, 532},
    {559, 559},
    {700, 700, in_tiff},    // XMP
    {4096, 4098, in_exif},  // of interoperability
    {18246, 18249},         // Windows' ratings
    {32781, 32781},
    {32995, 32998},           // SGI's
    {33300, 33301, in_tiff},  // the canvas of a page
    {33305, 33306, in_both, "its camera (worldToScreen)"},
    {33421, 33423},  // TIFF/EP, of the sensor
    {33432, 33432},
    {33434, 33434},
    {33437, 33437},
    {33445, 33452},           // scanned gels
    {33550, 33550, in_tiff},  // GeoTIFF
    {33628, 33631, in_tiff},  // MetaMorph
    {33723, 33723},           // IPTC
    {33918, 33922, in_tiff},  // Intergraph, GeoTIFF
    {34016, 34032},           // TIFF/IT
    {34118, 34118},           // an electron microscope's settings as text
    {34264, 34264, in_tiff},  // GeoTIFF
    {34665, 34665},
    {34675, 34675},
    {34732, 34732},
    {34735, 34737, in_tiff},  // GeoTIFF
    {34850, 34850},
    {34852, 34853},
    {34855, 34859},
    {34864, 34869},
    {34908, 34911},  // a fax
    {36864, 36864},
    {36867, 36868},
    {36873, 36873},  // Google's code of an upload
    {36880, 36882},
    {37121, 37122},
    {37377, 37389},
    {37390, 37391, in_exif},  // the resolution of the sensor
    {37392, 37395},
    {37396, 37396, in_exif},  // the subject's area
    {37397, 37399},
    {37439, 37439},
    {37510, 37510},
    {37520, 37522},
    {37724, 37724, in_both, "its layers (Photoshop)"},
    {37888, 37893},
    {40091, 40095},  // Windows' texts
    {40960, 40961},
    {40962, 40963, in_exif},  // the size
    {40964, 40965},
    {41483, 41485},
    {41486, 41487, in_exif},  // the resolution of the sensor
    {41488, 41491},
    {41492, 41492, in_exif},  // the subject's place
    {41493, 41495},
    {41728, 41730},
    {41985, 41996},
    {42016, 42016},
    {42032, 42044},
    {42080, 42082},
    {42112, 42113, in_tiff},  // GDAL
    {42240, 42240},
    {50341, 50341},  // a printer's (PrintIM)
    {50706, 50712},  // DNG, and so on
    {50713, 50716, in_both, of_raw_pixels},
    {50717, 50717},
    {50718, 50720, in_both, of_raw_pixels},
    {50721, 50739},
    {50741, 50741},
    {50778, 50781},
    {50827, 50828},
    {50829, 50830, in_both, of_raw_pixels},
    {50831, 50834},
    {50838, 50839, in_tiff},  // ImageJ
    {50844, 50844, in_tiff},  // polynomials
    {50879, 50879},
    {50898, 50899},  // Panasonic's titles
    {50931, 50942},
    {50964, 50973},
    {50975, 50975},
    {50981, 50982},
    {51008, 51009, in_both, of_raw_pixels},
    {51022, 51022, in_both, of_raw_pixels},
    {51041, 51041},
    {51043, 51044},
    {51058, 51058},
    {51081, 51081},
    {51089, 51091, in_both, of_raw_pixels},
    {51105, 51105},
    {51107, 51112},
    {51114, 51114},
    {51125, 51125, in_both, of_raw_pixels},
    {51177, 51182},
    {52525, 52525, in_both, of_raw_pixels},
    {52526, 52526},
    {52528, 52535},
    {52536, 52536, in_both, of_raw_pixels},
    {52537, 52538},
    {52543, 52543},
    {52544, 52544, in_both, of_raw_pixels},
    {52545, 52545, in_tiff},  // C2PA
    {52551, 52555},
    {59932, 59933},  // Microsoft's padding, and by how much it moved the others
    {65000, 65002},  // Adobe's raw developer: owner, camera, lens
    {65100, 65112},  // and its settings
};
constexpr KnownField known_gps[] = {{0, 31}}, known_interoperability[] = {{1, 2}, {4096, 4098}};

// MakerNote, and the maker's data in a DNG.
constexpr std::uint16_t note_tags[] = {exif_tag::maker_note, 50740}, resources_tag = 34377;

struct FieldTable {
  std::string_view name;
  FieldIn in;
  std::span<const KnownField> known;
};

FieldTable table_of(FieldsOf directory) {
  switch (directory) {
    case FieldsOf::tiff:
      return {"TIFF", in_tiff, known_fields};
    case FieldsOf::exif:
      return {"Exif", in_exif, known_fields};
    case FieldsOf::gps:
      return {"GPS", in_both, known_gps};
    case FieldsOf::interoperability:
      break;
  }
  return {"Interoperability", in_both, known_interoperability};
}

// Some cameras fill fields with zeros, or with blanks.
bool says_something(std::span<const std::byte> value) {
  return std::ranges::any_of(
      value, [](std::byte byte) { return byte != std::byte{0} && byte != std::byte{' '}; });
}

}  // namespace

void look_at_field(FieldsOf directory, std::uint16_t tag, std::span<const std::byte> value,
                   Header& header) {
  if (!says_something(value)) return;
  const FieldTable table = table_of(directory);
  if (std::ranges::count(note_tags, tag) > 0) {
    header.has_maker_note = true;
  } else if (tag == resources_tag) {
    look_at_photoshop_resources(
        value, directory == FieldsOf::tiff ? Resources::are_turned : Resources::stay, header);
  } else {
    const auto found = std::ranges::find_if(table.known, [&](const KnownField& known) {
      return known.first <= tag && tag <= known.last && (known.in & table.in) != 0;
    });
    if (found == table.known.end()) {
      add_unknown(fmt::format("{} {}", table.name, tag), header);
    } else if (!found->stale.empty()) {
      add_placed({.name = std::string(found->stale)}, header);
    }
  }
}

void look_at_exif(std::span<const std::byte> block, Header& header) {
  const auto body = exif_body(block);
  const auto opened = TiffStructure::open(body);
  if (!opened) return;
  const auto look = [&](std::uint64_t at, FieldsOf directory) {
    TiffEntries entries = at == 0 ? TiffEntries() : opened->directory(at);
    if (!entries.whole) entries.entries.clear();
    for (const TiffEntry& entry : entries.entries)
      if (entry.value_bytes > 0)
        look_at_field(directory, entry.tag,
                      body.subspan(static_cast<std::size_t>(entry.value_at),
                                   static_cast<std::size_t>(entry.value_bytes)),
                      header);
    return entries;
  };
  const auto child = [&](const TiffEntries& of, std::uint16_t tag) {
    const TiffEntry* link = of.find(tag);
    return link ? opened->integer(*link).value_or(0) : 0;
  };
  const TiffEntries first = look(opened->first_directory(), FieldsOf::exif);
  if (first.next != first.at) look(first.next, FieldsOf::exif);
  look(child(first, exif_tag::gps_directory), FieldsOf::gps);
  const TiffEntries exif = look(child(first, exif_tag::exif_directory), FieldsOf::exif);
  look(child(exif, exif_tag::interoperability_directory), FieldsOf::interoperability);
}

}  // namespace qturn
