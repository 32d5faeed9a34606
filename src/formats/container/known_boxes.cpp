#include "src/formats/container/known_boxes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "src/metadata/photoshop_resources.hpp"
#include "src/picture/bytes.hpp"

namespace qturn {
namespace {

using std::string_view_literals::operator""sv;

// ISO/IEC 14496-12. A file of Samsung's or Google's may have the video of a motion photo.
constexpr std::string_view of_files[] = {"ftyp", "styp", "meta", "moov", "mdat", "free", "skip",
                                         "wide", "pdin", "sidx", "emsg", "mpvd", "sefd"};
constexpr std::string_view of_metadata[] = {"hdlr", "pitm", "iinf", "iprp", "iloc", "idat",
                                            "iref", "grpl", "dinf", "ipro", "free", "skip"};
// They describe an item as it is stored, before irot and imir turn it. ISO/IEC 23008-12, AVIF, and
// the metadata of a sequence.
constexpr std::string_view of_properties[] = {
    "ispe", "pixi", "pasp", "colr", "hvcC", "lhvC", "av1C", "avcC", "vvcC", "j2kH", "jpgC",
    "auxC", "irot", "imir", "clap", "rloc", "lsel", "a1op", "a1lx", "oinf", "tols", "mdcv",
    "clli", "cclv", "amve", "ndwt", "reve", "udes", "altt", "aebr", "wbbr", "fobr", "afbr",
    "dobr", "crtt", "mdft", "cmin", "cmex", "tmap", "free", "skip"};
constexpr std::string_view of_items[] = {
    "hvc1", "hev1", "lhv1", "av01", "avc1", "vvc1", "jpeg",
    "j2k1", "grid", "iovl", "iden", "tmap", "Exif", "mime application/rdf+xml"};
constexpr std::string_view of_movies[] = {"mvhd", "trak", "iods", "mvex", "free", "skip"};
constexpr std::string_view of_tracks[] = {"tkhd", "edts", "mdia", "tref", "trgr", "tapt",
                                          "free", "skip", "pict", "vide", "auxv", "soun"};
constexpr std::string_view of_jxl[] = {"JXL ", "ftyp", "jxlc", "jxlp", "jxll", "jxli",
                                       "jbrd", "Exif", "xml ", "jumb", "free", "skip"};
// ISO/IEC 15444-1, and of its part 2 what says which readers can read it, and a name.
constexpr std::string_view of_jp2[] = {"jP  ", "ftyp", "jp2h", "jp2c", "jp2i", "uinf",
                                       "rreq", "lbl ", "jumb", "free", "ihdr", "bpcc",
                                       "colr", "pclr", "cmap", "cdef", "res "};

// Names of boxes of the type "uuid": what follows is turned, looked into elsewhere, or harmless.
constexpr std::string_view known_names[] = {
    "\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81"sv,  // C2PA
    "JpgTiffExif->JP2"sv,
    "\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac"sv,  // XMP
    "\xb1\x4b\xf8\xbd\x08\x3d\x4b\x43\xa5\xae\x8c\xd7\xd5\xa6\xce\x03"sv,  // GeoTIFF
    "\x33\xc7\xa4\xd2\xb8\x1d\x47\x23\xa0\xba\xf1\xa3\xe0\x97\xad\x38"sv,  // IPTC
    "\x09\xa1\x4e\x97\xc0\xb4\x42\xe0\xbe\xbf\x36\xdf\x6f\x0c\xe3\x6f"sv,  // and of old Photoshops
};
constexpr auto photoshop_name =
    "\x2c\x4c\x01\x00\x85\x04\x40\xb9\xa0\x3e\x56\x21\x48\xd6\xdf\xeb"sv;
constexpr std::size_t name_bytes = 16;

struct BoxTable {
  std::string_view name;
  std::span<const std::string_view> known;
};

BoxTable table_of(BoxesOf boxes) {
  switch (boxes) {
    case BoxesOf::heif:
      return {"HEIF", of_files};
    case BoxesOf::heif_metadata:
      return {"HEIF", of_metadata};
    case BoxesOf::heif_properties:
      return {"HEIF property", of_properties};
    case BoxesOf::heif_items:
      return {"HEIF item", of_items};
    case BoxesOf::heif_movie:
      return {"HEIF movie", of_movies};
    case BoxesOf::heif_tracks:
      return {"HEIF track", of_tracks};
    case BoxesOf::jxl:
      return {"JPEG XL", of_jxl};
    case BoxesOf::jp2:
      break;
  }
  return {"JPEG 2000", of_jp2};
}

// A type may be any bytes.
std::string readable(std::string_view type) {
  std::string text;
  for (const char c : type)
    text += ' ' <= c && c <= '~' ? std::string(1, c)
                                 : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

void look_at_box(BoxesOf boxes, std::string_view type, std::span<const std::byte> content,
                 Header& header) {
  const BoxTable table = table_of(boxes);
  const auto is_in = [](std::string_view name, std::span<const std::string_view> known) {
    return std::ranges::find(known, name) != known.end();
  };
  if (content.empty() || is_in(type, table.known)) return;
  if (type == "jhgm") return add_placed({.name = "its gain map (jhgm)"}, header);
  std::string name = readable(type);
  if (type == "uuid" && content.size() >= name_bytes) {
    const std::string_view uuid = text_of(content.first(name_bytes));
    if (is_in(uuid, known_names)) return;
    if (uuid == photoshop_name)
      return look_at_photoshop_resources(content.subspan(name_bytes), Resources::stay, header);
    for (const std::byte byte : content.first(name_bytes))
      name += fmt::format("{}{:02x}", name.size() == 4 ? " " : "", std::to_integer<unsigned>(byte));
  }
  add_unknown(fmt::format("{} {}", table.name, name), header);
}

}  // namespace qturn
