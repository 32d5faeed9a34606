#include "src/formats/container/boxes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "src/metadata/photoshop_resources.hpp"
#include "src/picture/bytes.hpp"
#include "src/picture/errors.hpp"

namespace qturn {
namespace {

constexpr std::uint64_t short_header = 8, long_header = 16;

// A size of 1 stands for one of 64 bits after the type. 0 reaches to the end, but of the file only:
// within another box it is damage.
Box box_at(std::span<const std::byte> file, std::uint64_t at, std::uint64_t end, bool is_inside) {
  if (end - at < short_header) throw ImageFileError("truncated: it ends within a box");
  std::uint64_t size = big_endian(file, at, 4), header = short_header;
  if (size == 1) {
    header = long_header;
    if (end - at < header) throw ImageFileError("truncated: it ends within a box");
    size = big_endian(file, at + short_header, 8);
  } else if (size == 0 && !is_inside) {
    size = end - at;
  }
  const std::string_view type = text_of(file.subspan(at + 4, 4));
  if (size < header) throw ImageFileError("damaged: a box is smaller than its header");
  if (size > end - at) {
    throw ImageFileError(
        fmt::format("truncated: a box needs {} bytes, and {} are left", size, end - at));
  }
  return {type, at, at + header, at + size};
}

}  // namespace

void for_each_box(std::span<const std::byte> file, std::uint64_t begin, std::uint64_t end,
                  const std::function<void(const Box&)>& visit) {
  const bool is_inside = begin > 0;
  while (begin < end) {
    const Box box = box_at(file, begin, end, is_inside);
    visit(box);
    begin = box.end;
  }
}

std::optional<Box> find_box(std::span<const std::byte> file, std::uint64_t begin, std::uint64_t end,
                            std::string_view type) {
  std::optional<Box> found;
  for_each_box(file, begin, end, [&](const Box& box) {
    if (!found && box.type == type) found = box;
  });
  return found;
}

bool is_manifest(std::span<const std::byte> file, const Box& box) {
  using std::string_view_literals::operator""sv;
  constexpr auto c2pa = "\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81"sv;
  return box.type == "uuid" &&
         text_of(file.subspan(box.content, box.end - box.content)).starts_with(c2pa);
}

void BoxReader::require(std::uint64_t bytes) const {
  if (bytes > end_ - at_) {
    throw ImageFileError(fmt::format("damaged: its '{}' box is too short", type_));
  }
}

std::uint64_t BoxReader::number(std::size_t bytes) {
  require(bytes);
  at_ += bytes;
  return big_endian(file_, at_ - bytes, bytes);
}

std::string_view BoxReader::characters(std::size_t count) {
  require(count);
  at_ += count;
  return text_of(file_.subspan(at_ - count, count));
}

std::string_view BoxReader::text() {
  const std::string_view rest = text_of(file_.subspan(at_, end_ - at_));
  const std::string_view found = rest.substr(0, rest.find('\0'));
  at_ += std::min(found.size() + 1, rest.size());
  return found;
}

BoxReader::Version BoxReader::version() {
  const std::uint64_t word = number(4);
  return {static_cast<unsigned>(word >> 24), static_cast<unsigned>(word & 0xFFFFFF)};
}

void append_number(Bytes& to, std::uint64_t value, std::size_t bytes) {
  to.resize(to.size() + bytes);
  put_big_endian(to, to.size() - bytes, bytes, value);
}

std::size_t begin_box(Bytes& to, std::string_view type) {
  const std::size_t begun = to.size();
  append_number(to, 0, 4);
  const auto name = bytes_of(type);
  to.insert(to.end(), name.begin(), name.end());
  return begun;
}

void end_box(Bytes& to, std::size_t begun) {
  const std::size_t size = to.size() - begun;
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    throw ImageFileError("its metadata box would be larger than 4 GiB");
  }
  put_big_endian(to, begun, 4, size);
}

// --- What boxes hold besides the picture.

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
