#include "src/formats/format.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace qturn {
namespace {

using std::string_view_literals::operator""sv;

// Files that begin like a TIFF and are none for us: turning the preview they open with would pass
// for turning the photograph.
constexpr std::array camera_raw_suffixes = {
    ".3fr"sv, ".arw"sv, ".cr2"sv, ".dcr"sv, ".dng"sv, ".erf"sv, ".fff"sv, ".iiq"sv, ".k25"sv,
    ".kdc"sv, ".mef"sv, ".mos"sv, ".mrw"sv, ".nef"sv, ".nrw"sv, ".orf"sv, ".pef"sv, ".ptx"sv,
    ".raw"sv, ".rw2"sv, ".rwl"sv, ".sr2"sv, ".srf"sv, ".srw"sv, ".x3f"sv};

struct Named {
  std::string_view name;
  Format format;
};

constexpr std::array suffixes = {
    Named{".jpg", Format::jpeg},  Named{".jpeg", Format::jpeg}, Named{".jpe", Format::jpeg},
    Named{".jfif", Format::jpeg}, Named{".jif", Format::jpeg},  Named{".png", Format::png},
    Named{".tif", Format::tiff},  Named{".tiff", Format::tiff}, Named{".exr", Format::openexr},
    Named{".webp", Format::webp}, Named{".bmp", Format::bmp},   Named{".dib", Format::bmp},
    Named{".pnm", Format::pnm},   Named{".ppm", Format::pnm},   Named{".pgm", Format::pnm},
    Named{".pbm", Format::pnm},   Named{".pfm", Format::pnm},   Named{".tga", Format::tga},
    Named{".hdr", Format::hdr},   Named{".rgbe", Format::hdr}};

constexpr std::array names = {
    Named{"jpeg", Format::jpeg},       Named{"png", Format::png},   Named{"tiff", Format::tiff},
    Named{"openexr", Format::openexr}, Named{"webp", Format::webp}, Named{"bmp", Format::bmp},
    Named{"pnm", Format::pnm},         Named{"tga", Format::tga},   Named{"hdr", Format::hdr},
    Named{"jpg", Format::jpeg},        Named{"tif", Format::tiff},  Named{"exr", Format::openexr}};

template <std::size_t N>
std::optional<Format> find(const std::array<Named, N>& table, std::string_view wanted) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const Named& row) { return row.name == wanted; });
  if (found == table.end()) return std::nullopt;
  return found->format;
}

// TGA has no signature. Its fixed header must at least make sense: a known image type, a colour map
// only where the type has one, and a size.
bool looks_like_tga(std::string_view head) {
  if (head.size() < 18) return false;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(head[i]); };
  const int type = byte(2);
  const bool known = type == 1 || type == 2 || type == 3 || type == 9 || type == 10 || type == 11;
  const int width = byte(12) | byte(13) << 8;
  const int height = byte(14) | byte(15) << 8;
  const int depth = byte(16);
  return byte(1) <= 1 && known && width > 0 && height > 0 &&
         (depth == 8 || depth == 15 || depth == 16 || depth == 24 || depth == 32);
}

}  // namespace

std::string lower_suffix(const std::filesystem::path& path) {
  std::string suffix = path.extension().string();
  for (char& c : suffix) c = static_cast<char>('A' <= c && c <= 'Z' ? c + ('a' - 'A') : c);
  return suffix;
}

std::optional<Format> format_of_content(std::span<const std::byte> head,
                                        std::string_view lower_suffix) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  if (text.starts_with("\xff\xd8\xff"sv)) return Format::jpeg;
  if (text.starts_with("\x89PNG\r\n\x1a\n"sv)) return Format::png;
  if (text.starts_with("II*\0"sv) || text.starts_with("MM\0*"sv) ||
      text.starts_with("II+\0\x08\0\0\0"sv) || text.starts_with("MM\0+\0\x08\0\0"sv)) {
    if (std::find(camera_raw_suffixes.begin(), camera_raw_suffixes.end(), lower_suffix) !=
        camera_raw_suffixes.end()) {
      return std::nullopt;
    }
    return Format::tiff;
  }
  if (text.starts_with("v/1\x01"sv)) return Format::openexr;
  if (text.starts_with("RIFF"sv) && text.size() >= 12 && text.substr(8, 4) == "WEBP") {
    return Format::webp;
  }
  if (text.starts_with("#?RADIANCE"sv) || text.starts_with("#?RGBE"sv)) return Format::hdr;
  // "BM", the file's size, two reserved words that are zero, where the pixels start.
  if (text.starts_with("BM"sv) && text.size() >= 18 && text.substr(6, 4) == "\0\0\0\0"sv) {
    return Format::bmp;
  }
  if (text.size() >= 3 && text[0] == 'P' && std::isspace(static_cast<unsigned char>(text[2])) &&
      ((text[1] >= '1' && text[1] <= '6') || text[1] == 'F' || text[1] == 'f')) {
    return Format::pnm;
  }
  if (lower_suffix == ".tga" && looks_like_tga(text)) return Format::tga;
  return std::nullopt;
}

std::optional<Format> format_of_suffix(std::string_view suffix) {
  std::string lower(suffix);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return find(suffixes, lower);
}

std::string_view name(Format format) { return names[static_cast<std::size_t>(format)].name; }

std::optional<Format> format_of_name(std::string_view name) { return find(names, name); }

std::string_view suffix(Format format) {
  constexpr std::array<std::string_view, 9> preferred = {".jpg", ".png", ".tif", ".exr", ".webp",
                                                         ".bmp", ".pnm", ".tga", ".hdr"};
  return preferred[static_cast<std::size_t>(format)];
}

}  // namespace qturn
